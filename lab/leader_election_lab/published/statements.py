# Copyright 2026 The leader_election authors
#
# Licensed under the Apache License, Version 2.0 (the "License");
# you may not use this file except in compliance with the License.
# You may obtain a copy of the License at
#
#     http://www.apache.org/licenses/LICENSE-2.0
#
# Unless required by applicable law or agreed to in writing, software
# distributed under the License is distributed on an "AS IS" BASIS,
# WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
# See the License for the specific language governing permissions and
# limitations under the License.

"""
Statements of the papers beyond their tables, and the laboratory's verdicts.

A statement is a sentence of a paper that can be measured, and the numbers that decide it. Each has
a 95 % interval over seeds. The verdict is ``yes`` if all intervals are in the range of the
sentence, ``no`` if one is outside, otherwise ``open``. A number does not decide while a run has
none, or while its bootstrap interval is of too few seeds. Sentences are shortened.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from math import inf, isnan
from pathlib import Path
from typing import Any, NamedTuple

from leader_election_lab.analysis import measures
from leader_election_lab.analysis.measures import Estimate, Floats
from leader_election_lab.experiment import scenario as scenarios
from leader_election_lab.published import coverage, ENOUGH, SETTLED, SWITCHES
from leader_election_lab.runs.files import path_of
from leader_election_lab.runs.kept import kept_of
from leader_election_lab.runs.results import MISSING
import numpy as np
import xarray as xr

ACSOS, IFAC, COORDINATION = 'ACSOS 2022', 'IFAC 2020', 'COORDINATION 2019'
PLACE, ALPHA = 'place', 'algorithms.regions.feedback_alpha'
BOUNDED, ROBOTS = 'bounded', 'bounded-0.25'
"""The labels of Bounded Election as published, and with the robots' default hysteresis."""
SERVED, SOON = 0.95, 30.0
"""The part from which on all users count as served, and the longest quick recovery [s]."""
FAILURE, CALM = 600.0, 100.0
"""The time at which leaders fail, and the length of the windows before it and at the end [s]."""
LOSS = 450.0
"""The time at which the leader fails in ``ifac2020_recovery`` [s]."""


class Reading(NamedTuple):
    """A number that a statement is about, and the range where the statement has it."""

    name: str
    value: Estimate
    form: str = '+.4f'
    least: float = 0.0
    most: float = inf
    runs: int = 0
    never: int = 0
    """How many of the runs have no number, since what is measured never happened in them."""
    resampled: int = 0
    """The number of seeds of a bootstrap interval, 0 for another interval."""

    @property
    def decides(self) -> bool:
        """Return whether the interval stands for all runs, and is not too narrow."""
        return not self.never and not 0 < self.resampled < ENOUGH

    def text(self) -> str:
        """
        Return the name, the number and its interval.

        >>> Reading('later:', Estimate(2.0, -1.0, 7.0), '+.1f').text()
        'later: +2.0 (-1.0 to +7.0)'
        >>> Reading('later:', Estimate(2.0, -1.0, 7.0), '.1f', runs=8, never=1).text()
        'later: 2.0 (-1.0 to 7.0), 1 of 8 never'
        """
        if isnan(self.value.value):
            return f'{self.name} never'
        number, low, high = (format(each, self.form) for each in self.value)
        covers = coverage(self.resampled) if self.resampled else ''
        interval = '' if isnan(self.value.low) else (
            f' ({low} to {high}{", " if covers else ""}{covers})')
        never = f', {self.never} of {self.runs} never' if self.never else ''
        return f'{self.name} {number}{interval}{never}'


def verdict(readings: Sequence[Reading]) -> str:
    """
    Return whether all intervals decide, and are within their ranges: yes, no, or open.

    >>> verdict([Reading('a', Estimate(2.0, 1.0, 3.0))])
    'yes'
    >>> verdict([Reading('a', Estimate(2.0, 1.0, 3.0)), Reading('b', Estimate(1.0, -1.0, 3.0))])
    'open'
    >>> verdict([Reading('a', Estimate(2.0, 1.0, 3.0)), Reading('b', Estimate(5.0, 4.0, 6.0),
    ...                                                         most=3.0)])
    'no'
    """
    if any(isnan(each.value.value) or each.decides and (
            each.value.high < each.least or each.value.low > each.most) for each in readings):
        return 'no'
    within = all(each.decides and each.value.low > each.least and each.value.high < each.most
                 for each in readings)
    return 'yes' if within else 'open'


Test = Callable[[xr.Dataset, str], list[Reading]]
"""``test(results, label)``: the numbers of one algorithm."""


class Statement(NamedTuple):
    """A sentence of a paper, and how it is measured."""

    paper: str
    section: str
    says: str
    scenario: str
    labels: tuple[str, ...]
    test: Test


def runs_of(results: xr.Dataset, measure: str, **at: Any) -> Floats:
    """Return a measure of each run at one place, averaged over time after the warm-up."""
    runs = measures.each_run(results, measure).sel(at).values
    return np.asarray(runs, np.float64)


def more_than(measure: str, others: Sequence[str]) -> Test:
    """Return the test that other algorithms have more of a measure, within seeds."""
    def test(results: xr.Dataset, label: str) -> list[Reading]:
        own = runs_of(results, measure, algorithm=label)
        return [over_runs(f'{other} - {label}:', runs_of(results, measure, algorithm=other) - own)
                for other in others]
    return test


def over_runs(name: str, samples: Floats, form: str = '+.4f', least: float = 0.0,
              most: float = inf) -> Reading:
    """
    Return the mean over runs, and how many of them have no number.

    :param samples: a number for each run, nan for never.
    """
    ended = samples[~np.isnan(samples)]
    return Reading(name, measures.estimate_mean(ended), form, least, most, len(samples),
                   len(samples) - len(ended))


def central(results: xr.Dataset, label: str) -> list[Reading]:
    """Return the instability with the strongest elsewhere, less that with it in the middle."""
    of = partial(runs_of, results, 'instability', algorithm=label)
    middle = of(place='middle')
    return [over_runs(f'{place}:', of(place=place) - middle)
            for place in ('wall', 'corner', 'walking')]


def readapts(period: float, results: xr.Dataset, label: str) -> list[Reading]:
    """Return the changes of leaders a crossing. A tenth of 152 devices have to change."""
    changes = runs_of(results, 'changes', algorithm=label) * period
    return [over_runs('changes a crossing:', changes, '.1f', least=15.2)]


def settling(switches: Sequence[float]) -> Callable[[Floats, Floats], float]:
    """Return the mean of settling times after switches of strengths, of a curve over times."""
    def read(times: Floats, curve: Floats) -> float:
        return float(np.mean([measures.settling_time(
            times, curve, SETTLED, start, start + SWITCHES[1]) for start in switches]))
    return read


def of_curves(name: str, results: xr.DataArray, read: Callable[..., float],
              *places: Mapping[str, Any], **others: Any) -> Reading:
    """
    Return a number of mean curves over seeds, with its bootstrap interval.

    :param results: a measure over ``seed``, ``time`` and the keys of the places.
    :param read: ``read(times, curve, ...)``, with the mean curve of each place.
    :param others: further fields of the reading.
    """
    curves = [results.sel(place).transpose('seed', 'time').values for place in places]
    times, length = results['time'].values, results.sizes['time']
    return Reading(name, measures.estimate_of_curve(np.hstack(curves), lambda joined: read(
        times, *(joined[k * length:(k + 1) * length] for k in range(len(places))))),
        resampled=len(curves[0]), **{'form': '+.1f', **others})


def settles_sooner(results: xr.Dataset, label: str) -> list[Reading]:
    """Return the delay after which the others settle [rounds], mean of six switches."""
    read = settling(SWITCHES)
    return [of_curves(
        f'{other} - {label}:', results['instability'],
        lambda times, own, than: read(times, than) - read(times, own),
        {'algorithm': label}, {'algorithm': other}) for other in ('classic', 'recursive')]


def settles(results: xr.Dataset, label: str) -> list[Reading]:
    """Return the mean number of rounds until the election settles after each of six switches."""
    read = settling(SWITCHES)
    return [of_curves('rounds:', results['instability'], read, {'algorithm': label}, form='.1f',
                      most=float(SWITCHES[1]))]


def settles_by_strength(results: xr.Dataset, label: str) -> list[Reading]:
    """Return by how many rounds ids and random numbers as strengths take longer than degrees."""
    degrees, others = settling(SWITCHES[::3]), settling([
        start for k, start in enumerate(SWITCHES) if k % 3])
    return [of_curves(
        'ids, random - degrees:', results['instability'],
        lambda times, own: others(times, own) - degrees(times, own), {'algorithm': label})]


def settles_with_degrees(results: xr.Dataset, label: str) -> list[Reading]:
    """Return the further rounds in which classic settles with degrees as strengths."""
    read = settling(SWITCHES[::3])
    return [of_curves(
        f'classic - {label}:', results['instability'],
        lambda times, own, than: read(times, than) - read(times, own),
        {'algorithm': label}, {'algorithm': 'classic'})]


def similar(results: xr.Dataset, label: str) -> list[Reading]:
    """Return the relative difference of recursive's instability to that of an algorithm."""
    own = runs_of(results, 'instability', algorithm=label)
    other = runs_of(results, 'instability', algorithm='recursive')
    return [over_runs(f'recursive / {label} - 1:', (other - own) / own.mean(), '+.1%', -0.1, 0.1)]


def steadier(results: xr.Dataset, label: str) -> list[Reading]:
    """Return the spread over seeds of recursive's instability, less that of an algorithm."""
    def read(means: Floats) -> float:
        own, squares, other, other_squares = means
        return float(np.sqrt(max(other_squares - other ** 2, 0.0)) - np.sqrt(max(
            squares - own ** 2, 0.0)))
    own, other = (runs_of(results, 'instability', algorithm=name) for name in (label, 'recursive'))
    return [Reading('deviation over seeds, recursive - classic:', measures.estimate_of_curve(
        np.stack([own, own ** 2, other, other ** 2], axis=1), read), resampled=len(own))]


def one_leader(results: xr.Dataset, label: str, since: float = 0.0) -> Floats:
    """Return the time of each run until all running devices have one leader [s], nan for never."""
    own = results.sel(algorithm=label)
    times = own['time'].values
    # A device may have failed.
    devices = int(own['largest_size'].max()) - (since > 0.0)
    late = times > since
    named, correct, largest = (own[name].transpose('seed', 'time').values[:, late]
                               for name in ('named', 'correct', 'largest_size'))
    return np.array([measures.time_to_one_leader(
        times[late], run[0], run[1], run[2], devices)
        for run in zip(named, correct, largest)]) - since


def later(results: xr.Dataset, label: str) -> list[Reading]:
    """Return the delay against smaller K until one leader is left again after a loss [s]."""
    own = one_leader(results, label, LOSS)
    # With K = 1 the next election takes longer: that is another sentence.
    return [over_runs(f'than {other}:', own - one_leader(results, other, LOSS), '+.1f',
                      least=least)
            for other, least in (('resilient-2', 0.0), ('resilient-1', -inf))]


def several(results: xr.Dataset, label: str) -> list[Reading]:
    """Return the number of leaders just before the loss."""
    leaders = results['leaders'].sel(algorithm=label, time=LOSS).values.astype(float)
    return [over_runs('leaders:', leaders, '.1f', least=1.0)]


def sooner(results: xr.Dataset, label: str) -> list[Reading]:
    """Return the delay of K = 1 against this K until one leader is left [s]."""
    return [over_runs('K = 1 later by', one_leader(results, 'resilient-1')
                      - one_leader(results, label), '+.1f')]


def more_leaders(results: xr.Dataset, label: str) -> list[Reading]:
    """Return the surplus of leaders over resilient-2 in the first 40 rounds."""
    named = results['leaders'].sel(time=slice(1, 40)).mean('time').astype(float)
    more = named.sel(algorithm=label) - named.sel(algorithm='resilient-2')
    return [over_runs('more:', more.values, '+.1f')]


def window(values: xr.DataArray, end: float) -> xr.DataArray:
    """Return the mean over the ``CALM`` seconds up to a time."""
    return values.sel(time=slice(end - CALM, end)).mean('time')


def served(results: xr.Dataset, label: str) -> list[Reading]:
    """Return the part of users that are served before the failures, without feedback."""
    part = measures.counted_part(results).sel({'algorithm': label, ALPHA: 0.0})
    return [over_runs('part:', window(part, FAILURE).values, '.1%', least=SERVED)]


def oversupplied(results: xr.Dataset, label: str) -> list[Reading]:
    """Return the part of samples before the failures in which more than all users are served."""
    part = measures.counted_part(results).sel({'algorithm': label, ALPHA: 0.0})
    return [over_runs('samples:', window((part > 1.0).astype(float), FAILURE).values, '.1%')]


def more_even(end: float, others: Sequence[float], results: xr.Dataset,
              label: str) -> list[Reading]:
    """Return the increase of the unevenness of loads against alpha 0.01 (deviation by mean)."""
    uneven = window((results['load_sigma'] / results['load_mean']).sel(algorithm=label), end)
    best = uneven.sel({ALPHA: 0.01}).values
    return [over_runs(f'alpha {alpha:g}:', uneven.sel({ALPHA: alpha}).values - best, '+.3f')
            for alpha in others]


def swings(results: xr.Dataset, label: str) -> list[Reading]:
    """Return the ratio of changes of leaders with alpha 1 to those without feedback."""
    often = window(results['instability'].sel(algorithm=label), FAILURE)
    calm = float(often.sel({ALPHA: 0.0}).mean())
    return [over_runs('times as often:', often.sel({ALPHA: 1.0}).values / calm, '.1f', 1.0)]


def stabilises(times: Floats, values: Floats, part: float = 0.1) -> float:
    """
    Return the time from the failures until values have stabilised [s], nan for never.

    Their mean over five seconds then is within a part of that of the last ``CALM`` seconds, for
    twenty seconds.
    """
    smooth = np.convolve(values, np.ones(5) / 5.0, 'same')
    near = (abs(smooth / values[times > times[-1] - CALM].mean() - 1.0) <= part) & (
        times > FAILURE)
    runs = np.convolve(near, np.ones(20), 'valid')
    found = np.flatnonzero(runs == 20)
    return float(times[found[0]] - FAILURE) if len(found) else np.nan


def served_again(results: xr.Dataset, label: str, alpha: float) -> Floats:
    """Return the time until served users have stabilised, of each run [s]."""
    part = measures.counted_part(results).sel({'algorithm': label, ALPHA: alpha})
    return np.array([stabilises(part['time'].values, part.sel(seed=seed).values)
                     for seed in part['seed'].values])


def recovers(results: xr.Dataset, label: str) -> list[Reading]:
    """Return the time until served users have stabilised, without and with feedback [s]."""
    return [over_runs(f'alpha {alpha:g}:', served_again(results, label, alpha), '.1f',
                      most=SOON) for alpha in (0.0, 0.01)]


def recovers_later(results: xr.Dataset, label: str) -> list[Reading]:
    """Return the delay of that by feedback [s]."""
    return [over_runs('with - without:', served_again(results, label, 0.01)
                      - served_again(results, label, 0.0), '+.1f')]


def evens_out_later(results: xr.Dataset, label: str) -> list[Reading]:
    """Return the delay by feedback until the evenness of loads is stable [s]."""
    return [of_curves(
        'with - without:', results['load_sigma'] / results['load_mean'],
        lambda times, without, fed: stabilises(times, fed) - stabilises(times, without),
        {'algorithm': label, ALPHA: 0.0}, {'algorithm': label, ALPHA: 0.01})]


STUDY = ('classic', 'bounded', ROBOTS)
_acsos, _ifac = partial(Statement, ACSOS), partial(Statement, IFAC)
_town = partial(Statement, COORDINATION)
_TOWN, _SCALE_FREE = 'coordination2019_recovery', 'acsos2022_scale_free'
STATEMENTS: Sequence[Statement] = (
    _acsos('V, figure 4', 'Bounded Election converges fastest.', _SCALE_FREE, ('bounded',),
           settles_sooner),
    _acsos('V, figure 4', 'All algorithms stabilise by themselves.', _SCALE_FREE,
           ('bounded', 'classic', 'recursive'), settles),
    _acsos('V, figure 4', 'The recursive election depends on the strengths;', _SCALE_FREE,
           ('recursive',), settles_by_strength),
    _acsos('V, figure 4', 'with central leaders it outperforms the classic one.', _SCALE_FREE,
           ('recursive',), settles_with_degrees),
    _acsos('V, figure 6', 'Bounded Election performs best with static servers.', 'acsos2022_edge',
           ('bounded',), more_than('instability', ('classic', 'recursive'))),
    _acsos('V, figure 6', 'The classic election is on average like the recursive one,',
           'acsos2022_edge', ('classic',), similar),
    _acsos('V, figure 6', 'but more predictable.', 'acsos2022_edge', ('classic',), steadier),
    _acsos('V, figure 5', 'Bounded Election performs best while all move at random.',
           'acsos2022_random', ('bounded',), more_than('instability', ('classic', 'recursive'))),
    _acsos('V, figure 5', 'The classic election is the least stable there.', 'acsos2022_random',
           ('recursive',), more_than('instability', ('classic',))),
    _acsos('V-E', 'A best leader that stays central projects an area of stability.',
           'acsos2022_centre', ('bounded', ROBOTS, 'recursive', 'classic'), central),
    _acsos('V-E', 'The second strongest on the border of the strongest triggers re-adaptation.',
           'border', ('bounded', ROBOTS, 'recursive'), partial(readapts, 30.0)),
    _acsos('V-E', 'The same, where it crosses the joining radius of robots, too.', 'border_wide',
           ('bounded', ROBOTS, 'recursive'), partial(readapts, 70.0)),
    _ifac('abstract', 'A larger K delays the recovery from the loss of the leader.',
          'ifac2020_recovery', ('resilient-3',), later),
    _ifac('abstract', 'A small K may lead to multiple leaders.', 'ifac2020_recovery',
          ('resilient-0.5',), several),
    _ifac('5', 'K of 2 or 3 is much faster than 1.', 'ifac2020_convergence',
          ('resilient-2', 'resilient-3'), sooner),
    _ifac('5', 'The election of Datta et al. has many more leaders on the way.',
          'ifac2020_convergence', ('colour',), more_leaders),
    _town('4, figure 5', 'All users are served,', _TOWN, STUDY, served),
    _town('4, figure 5', 'at times a few more than all.', _TOWN, STUDY, oversupplied),
    _town('4, figure 4', 'Feedback makes loads more even,', _TOWN, STUDY,
          partial(more_even, FAILURE, (0.0,))),
    _town('4, figure 6', 'also after leaders have failed.', _TOWN, STUDY,
          partial(more_even, 900.0, (0.0,))),
    _town('4, figure 4', 'Alpha 0.01 is the best,', _TOWN, STUDY,
          partial(more_even, FAILURE, (0.001, 0.1, 1.0))),
    _town('4, figure 4', 'with alpha 1 regions oscillate.', _TOWN, STUDY, swings),
    _town('4, figure 6', 'Recovery takes seconds, also if all leaders fail.', _TOWN, STUDY,
          recovers),
    _town('4, figure 6', 'Feedback takes more time to stabilise in the worst case: users served,',
          _TOWN, STUDY, recovers_later),
    _town('4, figure 6', 'or how even loads are.', _TOWN, STUDY, evens_out_later))
"""Section numbers are those of the papers. Figures are those that the sentence is about."""
COLUMNS = ('paper', 'the sentence', 'run, seeds', 'result, 95 %', 'so?')
HYSTERESIS_COLUMNS = ('the sentence', 'bounded', 'with the hysteresis of robots')
LEGEND = ('*So?* follows from the 95 % intervals over seeds: yes, if all are where the sentence '
          'has them, no, if one is not at all, else open. A number with runs that *never* got '
          'there decides nothing. Bootstrap intervals say how often they *cover* the value. They '
          f'decide from {ENOUGH} seeds on. Sentences are shortened. *Wall, corner, '
          'walking*: the instability with the strongest there, less that with it in the middle. '
          'To *stabilise* is to have a mean over five seconds within 10 % of that of the last '
          '100 s, for 20 s.')
HYSTERESIS = ("Verdicts without and with the robots' hysteresis (`radius_hysteresis` 0.25, "
              '`hop_limit` automatic), by the same runs:')
LINE = '<br>'
"""Between the lines of a cell."""


def complete(results: xr.Dataset) -> xr.Dataset:
    """Return only the seeds that were run with all algorithms, in all variants."""
    run = results['counts'] != MISSING
    return results.isel(seed=np.flatnonzero(run.all([key for key in run.dims if key != 'seed'])))


def results_of(folder: Path) -> Iterator[tuple[Statement, int, list[tuple[str, list[Reading]]]]]:
    """
    Yield each statement with the number of seeds, and with the numbers of each algorithm.

    :param folder: of the results. Without those of its scenario a statement has no numbers.
    """
    loaded: dict[str, xr.Dataset] = {}
    for statement in STATEMENTS:
        name = statement.scenario
        if not path_of(folder, name).exists():
            yield statement, 0, []
            continue
        if name not in loaded:
            loaded[name] = complete(kept_of(scenarios.load(name), folder, name))
        yield statement, loaded[name].sizes['seed'], [
            (label, statement.test(loaded[name], label)) for label in statement.labels]


def rows(folder: Path) -> Iterator[tuple[str, ...]]:
    """Yield the row of each statement, as in ``COLUMNS``, with a line for each algorithm."""
    for statement, seeds, found in results_of(folder):
        run = f'`{statement.scenario}`, {seeds}' if found else \
            f'takes `lab run {statement.scenario}`'
        yield (f'{statement.paper}, {statement.section}', statement.says, run, LINE.join(
            f'{label}: {"; ".join(reading.text() for reading in readings)}'
            for label, readings in found), LINE.join(verdict(readings) for _, readings in found))


def hysteresis_rows(folder: Path) -> Iterator[tuple[str, ...]]:
    """Yield the verdicts without and with the robots' hysteresis, of statements about both."""
    for statement, _, found in results_of(folder):
        verdicts = {label: verdict(readings) for label, readings in found}
        if ROBOTS in verdicts:
            yield statement.says, verdicts[BOUNDED], verdicts[ROBOTS]


def table(head: Sequence[str], lines: Iterator[tuple[str, ...]]) -> str:
    """Return a table as Markdown."""
    return '\n'.join(f'| {" | ".join(cells)} |' for cells in (head, ['---'] * len(head), *lines))


def markdown(folder: Path) -> str:
    """Return the table of all statements, and that of the effect of hysteresis, as Markdown."""
    return (f'{LEGEND}\n\n{table(COLUMNS, rows(folder))}\n\n{HYSTERESIS}\n\n'
            f'{table(HYSTERESIS_COLUMNS, hysteresis_rows(folder))}')
