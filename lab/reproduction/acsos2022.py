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

"""Statements of ACSOS 2022 (text and slides), with the numbers that decide them."""

from collections.abc import Sequence
from functools import cache, partial
from math import inf
from typing import Any

from leader_election.election.algorithms import Device
from leader_election_lab.analysis import measures
from leader_election_lab.analysis.measures import Floats
from leader_election_lab.experiment import scenario as scenarios
from leader_election_lab.simulation.simulation import Simulation
import numpy as np
from reproduction import SETTLED, SWITCHES
from reproduction.curves import estimate_of_curve
from reproduction.readings import (
    more_than,
    of_curves,
    over_runs,
    Reading,
    ROBOTS,
    runs_of,
    Statement,
)
import xarray as xr


def central(results: xr.Dataset, label: str) -> list[Reading]:
    """Return the instability with the strongest elsewhere, less that with it in the middle."""
    of = partial(runs_of, results, 'instability', algorithm=label)
    middle = of(place='middle')
    return [over_runs(f'{place}:', of(place=place) - middle)
            for place in ('wall', 'corner', 'walking')]


def readapts(period: float, results: xr.Dataset, label: str) -> list[Reading]:
    """Return the changes of leaders a crossing and device: in the whole network 1 or more."""
    changes = runs_of(results, 'changes', algorithm=label) * period
    devices = runs_of(results, 'running', algorithm=label)
    return [over_runs('changes a crossing and device:', changes / devices, '.2f', least=1.0)]


def settling(times: Floats, curve: Floats, switches: Sequence[float] = SWITCHES) -> Floats:
    """Return the times after some switches of strengths until a curve over times settles [s]."""
    return np.array([measures.settling_time(times, curve, SETTLED, start, start + SWITCHES[1])
                     for start in switches])


def settles(results: xr.Dataset, label: str) -> list[Reading]:
    """Return the rounds until the election settles, the most after any of six switches."""
    return [of_curves('rounds, most:', results['instability'],
                      lambda times, curve: float(settling(times, curve).max()),
                      {'algorithm': label}, form='.1f', most=float(SWITCHES[1]))]


def settles_by_strength(depends: bool, results: xr.Dataset, label: str) -> list[Reading]:
    """
    Return by how many rounds ids and random numbers as strengths take longer than degrees.

    Little is a tenth of the time between switches.

    :param depends: whether the sentence is that they take more than little longer.
    """
    return [of_curves(
        'ids, random - degrees:', results['instability'],
        lambda times, own: float(settling(times, own, PERIPHERAL).mean()
                                 - settling(times, own, CENTRAL).mean()),
        {'algorithm': label}, least=LITTLE if depends else -LITTLE,
        most=inf if depends else LITTLE)]


def settles_before(others: Sequence[str], switches: Sequence[float], results: xr.Dataset,
                   label: str) -> list[Reading]:
    """Return the rounds by which others settle later, the least after any of some switches."""
    return [of_curves(
        f'{other} - {label}, least:', results['instability'],
        lambda times, own, than: float(
            (settling(times, than, switches) - settling(times, own, switches)).min()),
        {'algorithm': label}, {'algorithm': other}) for other in others]


def best_throughout(results: xr.Dataset, label: str) -> list[Reading]:
    """Return the additional instability of the others, the least between any two switches."""
    def read(times: Floats, own: Floats, than: Floats) -> float:
        more = than - own
        return float(min(more[(times > start) & (times <= start + SWITCHES[1])].mean()
                         for start in SWITCHES))
    return [of_curves(
        f'{other} - {label}, least:', results['instability'], read,
        {'algorithm': label}, {'algorithm': other}, form='+.4f')
        for other in ('classic', 'recursive')]


def worst_overall(results: xr.Dataset, label: str) -> list[Reading]:
    """Return the additional instability of the recursive election over the whole run."""
    more = (results['instability'].sel(algorithm='recursive')
            - results['instability'].sel(algorithm=label)).mean('time')
    return [over_runs(f'recursive - {label}:', more.values.astype(float))]


def consistently(others: Sequence[str], results: xr.Dataset, label: str) -> list[Reading]:
    """Return the part of the time in which the mean curve is below those of others."""
    since = measures.WARM_UP * float(results['time'].max())
    return [of_curves(
        f'part of the time below {other}:', results['instability'],
        lambda times, own, than: float((own < than)[times > since].mean()),
        {'algorithm': label}, {'algorithm': other}, form='.1%', least=NEARLY)
        for other in others]


def mostly_steadier(other: str, results: xr.Dataset, label: str) -> list[Reading]:
    """Return the part of the time in which an algorithm has less instability than another."""
    since = results['time'] > measures.WARM_UP * results['time'].max()
    own, than = (results['instability'].sel(algorithm=name, time=since) for name in (label, other))
    less = (own < than).mean('time').values.astype(float)
    return [over_runs('part of the time:', less, '.1%', 0.5)]


def similar(results: xr.Dataset, label: str) -> list[Reading]:
    """Return the relative difference of recursive's instability to that of an algorithm."""
    own = runs_of(results, 'instability', algorithm=label)
    other = runs_of(results, 'instability', algorithm='recursive')
    return [over_runs(f'recursive / {label} - 1:', (other - own) / own.mean(), '+.1%', -0.1, 0.1)]


def erratic(results: xr.Dataset, label: str) -> list[Reading]:
    """Return the deviation of the mean curve over time, less those of the others."""
    since = measures.WARM_UP * float(results['time'].max())
    return [of_curves(
        f'deviation over time, {label} - {other}:', results['instability'],
        lambda times, own, than: float(own[times > since].std() - than[times > since].std()),
        {'algorithm': label}, {'algorithm': other}, form='+.4f')
        for other in ('classic', 'bounded')]


def steadier(results: xr.Dataset, label: str) -> list[Reading]:
    """Return the spread over seeds of recursive's instability, less that of an algorithm."""
    def read(means: Floats) -> float:
        own, squares, other, other_squares = means
        return float(np.sqrt(max(other_squares - other ** 2, 0.0)) - np.sqrt(max(
            squares - own ** 2, 0.0)))
    own, other = (runs_of(results, 'instability', algorithm=name) for name in (label, 'recursive'))
    return [Reading('deviation over seeds, recursive - classic:', estimate_of_curve(
        np.stack([own, own ** 2, other, other ** 2], axis=1), read), resampled=len(own))]


FEW, MANY, DRAWS = 64, 256, 50
"""Numbers of neighbours whose cost is compared, and of their random messages."""


class Counted(list[Any]):
    """A column of received messages that counts how often an entry is read."""

    reads = 0

    def __getitem__(self, index: Any) -> Any:
        """Return an entry, and count it."""
        Counted.reads += 1
        return super().__getitem__(index)


def reads_per_neighbour(label: str, neighbours: int, random: np.random.Generator) -> float:
    """Return how often a round reads a number of a neighbour, by the number of neighbours."""
    entrant, device = scenarios.load(_RANDOM).entrant(label), Device(0, 0.0)
    algorithm = entrant.algorithm
    columns = [Counted(column.tolist()) for column in (
        -random.random(neighbours), 5.0 * random.random(neighbours),
        np.arange(1, neighbours + 1), random.integers(0, 5, neighbours))]
    Counted.reads = 0
    algorithm.round(device, algorithm.start(device), algorithm.columns(*columns),
                    Counted(random.random(neighbours).tolist()), entrant.parameters)
    return Counted.reads / neighbours


def cost(results: xr.Dataset, label: str) -> list[Reading]:
    """Return the reads of a neighbour with many of them, divided by those with few."""
    random = np.random.default_rng(0)
    few, many = (np.array([reads_per_neighbour(label, count, random) for _ in range(DRAWS)])
                 for count in (FEW, MANY))
    return [over_runs(f'reads of each of {MANY}, by those of {FEW} ({DRAWS} draws):',
                      many / few.mean(), '.2f', 0.9, 1.1)]


SEEDS, UNTIL, SETTLING = 5, 300.0, 50
"""The seeds, the end of their simulations [s], and the first seconds that do not count."""


@cache
def changes_by_place(label: str, seed: int) -> tuple[float, float, float]:
    """
    Return the leader changes of devices near their leader, and far from it, in each second.

    :return: the part of the devices within half the radius that change their leader in a second,
        the same of all others, and the part of devices that are others.
    """
    scenario = scenarios.load(_RANDOM)
    entrant = scenario.entrant(label)
    stage = Simulation(scenario, entrant, seed)
    half = dict(entrant.settings)['radius'] / 2.0
    seen: list[tuple[Any, Any]] = []
    stage.watch_every(1.0, lambda now: seen.append(
        (now.columns.leader.copy(), now.columns.distance > half)))
    stage.play(until=UNTIL)
    leaders, far = (np.array(column)[SETTLING:] for column in zip(*seen))
    changed, far = leaders[1:] != leaders[:-1], far[:-1]
    return float(changed[~far].mean()), float(changed[far].mean()), float(far.mean())


def core_and_outskirts(results: xr.Dataset, label: str) -> list[Reading]:
    """Return what Bounded Election changes more in the core, and less in the outskirts."""
    own, bounded = (np.array([changes_by_place(name, seed) for seed in range(SEEDS)])
                    for name in (label, 'bounded'))
    return [over_runs(f'core ({SEEDS} seeds), bounded - it:', bounded[:, 0] - own[:, 0]),
            over_runs('outskirts, it - bounded:', own[:, 1] - bounded[:, 1]),
            over_runs('part in the outskirts:', own[:, 2], '.1%', 0.5)]


_says = partial(Statement, 'ACSOS 2022')
_SCALE_FREE, _RANDOM, _EDGE = (
    'acsos2022_scale_free', 'acsos2022_random', 'acsos2022_edge_rounding')
CENTRAL, PERIPHERAL = SWITCHES[::3], [start for k, start in enumerate(SWITCHES) if k % 3]
"""The switches to strengths that favour devices in the middle, and to all others [s]."""
LITTLE = SWITCHES[1] / 10.0
"""A tenth of the time between two switches [rounds]."""
NEARLY = 0.95
"""The part of the time that counts as nearly all of it."""
_OTHERS = ('classic', 'recursive')
STATEMENTS: Sequence[Statement] = (
    _says('IV-D', 'The cost of a round is linear in the number of neighbours.', _RANDOM,
          ('bounded',), cost),
    _says('V, figure 4', 'Bounded Election reaches stability first in all cases;', _SCALE_FREE,
          ('bounded',), partial(settles_before, _OTHERS, SWITCHES)),
    _says('V, figure 4', 'it is the best across the chart.', _SCALE_FREE, ('bounded',),
          best_throughout),
    _says('V-E', 'The classic election always stabilises.', _SCALE_FREE, ('classic',), settles),
    _says('slides', 'All algorithms stabilise by themselves.', _SCALE_FREE,
          ('bounded', 'classic', 'recursive'), settles),
    _says('V, figure 4', 'The recursive election is the worst overall.', _SCALE_FREE,
          ('bounded', 'classic'), worst_overall),
    _says('slides', 'The recursive election depends on the strengths;', _SCALE_FREE,
          ('recursive',), partial(settles_by_strength, True)),
    _says('slides', 'the others do not.', _SCALE_FREE, ('bounded', 'classic'),
          partial(settles_by_strength, False)),
    _says('V-E', 'With central leaders the recursive election outperforms the classic one;',
          _SCALE_FREE, ('recursive',), partial(settles_before, ('classic',), CENTRAL)),
    _says('V-E', 'in all other cases the classic one outperforms it.', _SCALE_FREE, ('classic',),
          partial(settles_before, ('recursive',), PERIPHERAL)),
    _says('V, figure 6', 'Bounded Election is consistently the best with static servers.', _EDGE,
          ('bounded',), partial(consistently, _OTHERS)),
    _says('V, figure 6', 'The recursive election is better than the classic one most of the time,',
          _EDGE, ('recursive',), partial(mostly_steadier, 'classic')),
    _says('V, figure 6', 'but more erratic.', _EDGE, ('recursive',), erratic),
    _says('slides', 'The classic election is on average like the recursive one,', _EDGE,
          ('classic',), similar),
    _says('slides', 'but more predictable.', _EDGE, ('classic',), steadier),
    _says('V, figure 5', 'Bounded Election is consistently the best while all move at random.',
          _RANDOM, ('bounded',), partial(consistently, _OTHERS)),
    _says('V, figure 5', 'The classic election is the least stable there.', _RANDOM,
          ('recursive',), more_than('instability', ('classic',))),
    _says('slides', 'Hypothesis: others are more stable in the core, but most nodes are in the '
          'outskirts.', _RANDOM, _OTHERS, core_and_outskirts),
    _says('V-E', 'Likely: on average a best leader that stays central projects a large area of '
          'stability.', 'acsos2022_centre', ('bounded', ROBOTS, 'recursive'), central),
    _says('slides', 'The second strongest on the border of the strongest triggers continuous '
          're-adaptation in the whole network.',
          'border', ('bounded', ROBOTS, 'recursive'), partial(readapts, 30.0)),
    Statement('the laboratory', 'beside it', 'The same, where it crosses the joining radius of '
              'robots, too.', 'border_wide', ('bounded', ROBOTS, 'recursive'),
              partial(readapts, 70.0)))
