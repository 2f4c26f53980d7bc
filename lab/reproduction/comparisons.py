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

"""The laboratory's numbers and curves, compared with the published ones."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations, pairwise
import math

from leader_election_lab.analysis import measures
import numpy as np
from reproduction import (
    averages,
    COVERAGE,
    EARLY,
    ENOUGH,
    instability,
    INSTABILITY_AIM,
    LATE,
    REPLICAS,
    ROUNDS_AIM,
    rounds_to_one_leader,
    SETTLED,
    SETTLING_AIM,
    SWITCHES,
    TRIALS,
)
from reproduction.curves import (
    compare_curves,
    Curve,
    estimate_of_curve,
    seeds_of,
    time_to_one_leader,
)
import xarray as xr


@dataclass(frozen=True)
class Number:
    """A measured number, and the published one."""

    quantity: str
    ours: measures.Estimate
    """The measured number, nan if undefined, as the settling time if no run settled."""
    published: float | None = None
    aim: float | None = None
    """Allowed deviation, relative to the published number."""
    chance: float = 0.0
    """Half of the 95 % interval of the published number, 0 if its spread is not known."""
    rough: bool = False
    """Whether the interval of the measured number is too narrow, as it is of few seeds."""

    @property
    def ratio(self) -> float | None:
        """Return the measured number divided by the published one."""
        return None if self.published is None else self.ours.value / self.published

    @property
    def ratio_interval(self) -> tuple[float, float]:
        """
        Return the 95 % interval of the ratio, nan if the measured number has none.

        Both numbers are means over different seeds, so the squares of their relative errors add
        up.
        """
        if self.ratio is None or self.published is None:
            return np.nan, np.nan
        value, low, high = self.ours
        below, above = (float(np.hypot((value - low) / value, self.chance / self.published)),
                        float(np.hypot((high - value) / value, self.chance / self.published)))
        return self.ratio * (1.0 - below), self.ratio * (1.0 + above)

    @property
    def met(self) -> bool | None:
        """Return whether the aim is met and the interval is known, or ``None`` without an aim."""
        if self.aim is None or self.ratio is None:
            return None
        return abs(self.ratio - 1.0) <= self.aim and not np.isnan(sum(self.ratio_interval))

    @property
    def differs(self) -> bool:
        """
        Return whether the numbers differ by more than chance: the interval excludes 1.

        A rough interval does not show that they do.
        """
        low, high = self.ratio_interval
        return not self.rough and (low > 1.0 or high < 1.0)

    def cells(self) -> tuple[str, ...]:
        """Return the row of a table, the cells of ``COLUMNS``."""
        value, low, high = self.ours
        ratio_low, ratio_high = self.ratio_interval
        published, rough = ('' if self.published is None else f'{self.published:.3g}',
                            ROUGH if self.rough else '')
        if self.published is not None and self.chance > 0.0:
            published += f' ± {self.chance:.1g}'
        return (self.quantity, 'never' if np.isnan(value) else f'{value:.3g}',
                '' if np.isnan(low + high) else f'{low:.3g} to {high:.3g}{rough}', published,
                '' if self.ratio is None or np.isnan(self.ratio) else f'{self.ratio:.2f}',
                '' if np.isnan(ratio_low + ratio_high) else
                f'{ratio_low:.2f} to {ratio_high:.2f}{rough}',
                '' if self.aim is None else f'within {self.aim:.0%}',
                _yes_or_no(self.met) + (MARK if self.met and self.differs else ''))


@dataclass(frozen=True)
class Order:
    """The order of algorithms by a number, ascending, as measured and as published."""

    quantity: str
    ours: tuple[str, ...]
    published: tuple[str, ...]
    alike: Collection[tuple[str, str]] = ()
    """Pairs, in the published order, whose published numbers differ by no more than chance."""

    @property
    def met(self) -> bool:
        """Return whether the orders are the same, but for pairs that are published as alike."""
        place = {name: k for k, name in enumerate(self.ours)}
        return place.keys() == set(self.published) and all(
            pair in self.alike or place[pair[0]] < place[pair[1]]
            for pair in combinations(self.published, 2))

    def cells(self) -> tuple[str, ...]:
        """Return the row of a table, as :meth:`Number.cells` does."""
        published = ''.join(f'{name} {"~" if (name, then) in self.alike else "<"} '
                            for name, then in pairwise(self.published)) + self.published[-1]
        return (self.quantity, ' < '.join(self.ours), '', published, '', '',
                'the same', _yes_or_no(self.met))


Row = Number | Order | Curve
COLUMNS = ('quantity', 'ours', '95 % interval', 'published', 'ratio', '95 % interval', 'aim',
           'met')
MARK, ROUGH = ' *', ' †'
LEGEND = ('`*`: met, but the numbers differ by more than chance: the 95 % interval of their '
          'ratio, which takes the spread of both sides into account, excludes 1. `~`: the '
          'published numbers differ by chance at most, so that either order is met. `±`: half '
          'of the 95 % interval of what is published: of instability from its 200 seeds (ACSOS '
          '2022), of rounds to settle by the spread measured here, for its 200 seeds (ACSOS 2022) '
          'or ten networks (IFAC 2020). `†`: from too few seeds (fewer than '
          f'{ENOUGH} for rounds to settle), so that the interval is too narrow: it covers the '
          'value in 73 % of cases with 10 seeds, 80 % with 20, 90 % with 50; `*` is not '
          'given. A number is met if it is within the aim, and its interval is known. The largest '
          'difference of two curves is inside, if chance makes as large a one in any round in '
          'more than 5 % of cases.')
"""Notes below a table."""


WINDOWS = {'rounds 12 to 40': EARLY, 'rounds 101 to 600': LATE}
"""The rounds over which instability is averaged: first and last, both inclusive."""


def compare_instability(scenario: str, results: xr.Dataset, aimed: bool = True) -> list[Row]:
    """
    Compare instability averaged over early rounds and, without the warm-up, over late ones.

    Source: ACSOS 2022, section V.

    :param aimed: whether the algorithms have an aim.
    """
    rows: list[Row] = []
    for window, (first, last) in WINDOWS.items():
        of_window: list[Row] = []
        for algorithm in results['algorithm'].values.tolist():
            curves = seeds_of(results['instability'].sel(algorithm=algorithm),
                              results['counts'].sel(algorithm=algorithm))
            theirs = averages(scenario, algorithm, (first, last))
            chance = None if theirs is None else measures.estimate_mean(theirs)
            of_window.append(Number(
                f'{algorithm}: instability, {window}',
                measures.estimate_mean(curves.sel(time=slice(first, last)).mean('time').values),
                None if chance is None else chance.value,
                INSTABILITY_AIM if aimed and chance else None,
                0.0 if chance is None else chance.high - chance.value))
        rows += of_window
        if aimed:
            rows += _orders(f'order by instability, {window}', [
                row for row in of_window if row.met is not None])
    return [*rows, *_curves(scenario, results)]


def _curves(scenario: str, results: xr.Dataset) -> Sequence[Curve]:
    """Return the comparison of whole curves, none without published ones."""
    reference = instability(scenario)
    return [] if reference is None else compare_curves(reference, results, REPLICAS)


def compare_settling(scenario: str, results: xr.Dataset) -> list[Row]:
    """
    Compare instability after each switch of strengths, and the rounds until the network settles.

    It has settled when the mean instability over seeds stays below ``SETTLED`` up to the next
    switch. The recursive algorithm is shown without an aim. Source: ACSOS 2022, section V.
    """
    reference = instability(scenario)
    rows: list[Row] = []
    for start in SWITCHES:
        end = start + SWITCHES[1]
        at_switch: list[Row] = []
        means: list[Row] = []
        for algorithm in results['algorithm'].values.tolist():
            curves = seeds_of(results['instability'].sel(algorithm=algorithm),
                              results['counts'].sel(algorithm=algorithm))
            read = partial(measures.settling_time, curves['time'].values, below=SETTLED,
                           start=start, end=end)
            known = reference is not None and algorithm in reference['algorithm']
            mean = measures.estimate_mean(
                curves.sel(time=slice(start + 1, end)).mean('time').values)
            # Only the mean of the published seeds is known, so their spread is taken from here.
            spread = np.sqrt(curves.sizes['seed'] / REPLICAS)
            means.append(Number(
                f'{algorithm}: instability, rounds {start + 1} to {end}', mean,
                float(reference['mean'].sel(algorithm=algorithm, time=slice(
                    start + 1, end)).mean()) if reference is not None and known else None,
                INSTABILITY_AIM if known else None,
                float(mean.half_width * spread) if known else 0.0,
                curves.sizes['seed'] < min(COVERAGE)))
            published_time = measures.settling_time(
                reference['time'].values, reference['mean'].sel(algorithm=algorithm).values,
                SETTLED, start, end) if reference is not None and known else None
            ours = estimate_of_curve(curves.transpose('seed', 'time').values, read)
            at_switch.append(Number(
                f'{algorithm}: rounds to settle from {start}', ours, published_time,
                SETTLING_AIM if algorithm in ('bounded', 'classic') and known else None,
                float(ours.half_width * spread) if known else 0.0,
                curves.sizes['seed'] < ENOUGH))
        rows += [*at_switch, *_orders(f'order by rounds to settle from {start}', at_switch),
                 *means]
    return [*rows, *_curves(scenario, results)]


def compare_rounds(scenario: str, results: xr.Dataset, beside: str = '') -> list[Row]:
    """
    Compare the mean number of rounds until all devices have the same leader to the end.

    The result is "never" if that fails in any seed. Source: IFAC 2020, section 5.

    :param beside: another scenario, whose published numbers are shown without an aim.
    """
    table = rounds_to_one_leader()
    # Each network is connected, so that at some time all devices have the same leader.
    devices = int(results['largest_size'].max())
    rows: list[Row] = []
    for algorithm in results['algorithm'].values.tolist():
        here = results[['named', 'correct', 'largest_size', 'counts']].sel(algorithm=algorithm)
        runs = seeds_of(here, here['counts'])
        times = runs['time'].values
        rounds = np.array([
            time_to_one_leader(times, runs['named'].sel(seed=seed).values,
                               runs['correct'].sel(seed=seed).values,
                               runs['largest_size'].sel(seed=seed).values, devices)
            for seed in runs['seed'].values])
        reference = table.get((beside or scenario, algorithm))
        ours = measures.estimate_mean(rounds)
        # The spread of the published trials is unknown, so it is estimated by the spread here.
        half = (ours.high - ours.value) * np.sqrt(len(rounds) / TRIALS)
        rows.append(Number(f'{algorithm}: rounds until all have the one leader', ours, reference,
                           None if reference is None or beside else ROUNDS_AIM,
                           0.0 if reference is None else float(half),
                           len(rounds) < measures.EQUAL and measures.are_equal(rounds)))
    return rows


COMPARISONS: Mapping[str, Callable[[str, xr.Dataset], list[Row]]] = {
    'acsos2022_random': compare_instability,
    'acsos2022_edge_rounding': compare_instability,
    # Without the rounding error of the artefact, which affected its recursive election.
    'acsos2022_edge': partial(compare_instability, aimed=False),
    'acsos2022_edge_by_the_text': partial(compare_instability, aimed=False),
    'acsos2022_scale_free': compare_settling,
    'ifac2020_convergence': compare_rounds,
    'ifac2020_perturbed': compare_rounds,
    'ifac2020_by_the_text': partial(compare_rounds, beside='ifac2020_convergence')}


def _orders(quantity: str, rows: list[Row]) -> list[Row]:
    """Return the row that compares the order of algorithms, none with fewer than two published."""
    known = [row for row in rows if isinstance(row, Number) and row.published is not None]
    if len(known) < 2:
        return []

    def order(of: Callable[[Number], float]) -> tuple[str, ...]:
        # An algorithm that never settles comes last.
        ranked = sorted(known, key=lambda row: np.nan_to_num(of(row), nan=np.inf))
        return tuple(row.quantity.partition(':')[0] for row in ranked)

    published = order(lambda row: row.published or 0.0)
    by_name = {row.quantity.partition(':')[0]: row for row in known}
    alike = [(one, other) for one, other in combinations(published, 2)
             if _alike(by_name[one], by_name[other])]
    return [Order(quantity, order(lambda row: row.ours.value), published, alike)]


def _alike(one: Number, other: Number) -> bool:
    """Return whether published numbers differ by no more than chance, as far as that is known."""
    return abs((one.published or 0.0) - (other.published or 0.0)) < math.hypot(
        one.chance, other.chance)


def _yes_or_no(met: bool | None) -> str:
    return '' if met is None else 'yes' if met else '**no**'
