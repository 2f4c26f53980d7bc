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

from collections.abc import Callable, Sequence
from functools import cache, partial
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
    """Return the changes of leaders a crossing. A tenth of 152 devices have to change."""
    changes = runs_of(results, 'changes', algorithm=label) * period
    return [over_runs('changes a crossing:', changes, '.1f', least=15.2)]


def settling(switches: Sequence[float]) -> Callable[[Floats, Floats], float]:
    """Return the mean of settling times after switches of strengths, of a curve over times."""
    def read(times: Floats, curve: Floats) -> float:
        return float(np.mean([measures.settling_time(
            times, curve, SETTLED, start, start + SWITCHES[1]) for start in switches]))
    return read


def settles_sooner(results: xr.Dataset, label: str) -> list[Reading]:
    """Return the delay after which the others settle [rounds], the least of six switches."""
    def read(times: Floats, own: Floats, than: Floats) -> float:
        return float(min(each(times, than) - each(times, own) for each in (
            settling([start]) for start in SWITCHES)))
    return [of_curves(
        f'{other} - {label}, least:', results['instability'], read,
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


def settles_by_strength_little(results: xr.Dataset, label: str) -> list[Reading]:
    """Return the same number, which is little up to a tenth of the time between switches."""
    [reading] = settles_by_strength(results, label)
    return [reading._replace(least=-LITTLE, most=LITTLE)]


def settles_before(other: str, switches: Sequence[float], results: xr.Dataset,
                   label: str) -> list[Reading]:
    """Return the further rounds in which another algorithm settles after some switches."""
    read = settling(switches)
    return [of_curves(
        f'{other} - {label}:', results['instability'],
        lambda times, own, than: read(times, than) - read(times, own),
        {'algorithm': label}, {'algorithm': other})]


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
    return [over_runs(f'reads of each of {MANY}, by those of {FEW}:', many / few.mean(), '.2f',
                      0.9, 1.1)]


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
_SCALE_FREE, _RANDOM, _EDGE = 'acsos2022_scale_free', 'acsos2022_random', 'acsos2022_edge'
LITTLE = SWITCHES[1] / 10.0
"""A tenth of the time between two switches [rounds]."""
STATEMENTS: Sequence[Statement] = (
    _says('IV-D', 'The cost of a round is linear in the number of neighbours.', _RANDOM,
          ('bounded',), cost),
    _says('V, figure 4', 'Bounded Election reaches stability first in all cases.', _SCALE_FREE,
          ('bounded',), settles_sooner),
    _says('V, figure 4', 'All algorithms stabilise by themselves.', _SCALE_FREE,
          ('bounded', 'classic', 'recursive'), settles),
    _says('V, figure 4', 'The recursive election is the worst overall.', _SCALE_FREE,
          ('bounded', 'classic'), more_than('instability', ('recursive',))),
    _says('slides', 'The recursive election depends on the strengths;', _SCALE_FREE,
          ('recursive',), settles_by_strength),
    _says('slides', 'the others do not.', _SCALE_FREE, ('bounded', 'classic'),
          settles_by_strength_little),
    _says('V-E', 'With central leaders it outperforms the classic one;', _SCALE_FREE,
          ('recursive',), partial(settles_before, 'classic', SWITCHES[::3])),
    _says('V-E', 'in all other cases the classic one outperforms it.', _SCALE_FREE, ('classic',),
          partial(settles_before, 'recursive', [
              start for k, start in enumerate(SWITCHES) if k % 3])),
    _says('V, figure 6', 'Bounded Election performs best with static servers.', _EDGE,
          ('bounded',), more_than('instability', ('classic', 'recursive'))),
    _says('V, figure 6', 'The recursive election is better than the classic one most of the time.',
          _EDGE, ('recursive',), partial(mostly_steadier, 'classic')),
    _says('slides', 'The classic election is on average like the recursive one,', _EDGE,
          ('classic',), similar),
    _says('slides', 'but more predictable.', _EDGE, ('classic',), steadier),
    _says('V, figure 5', 'Bounded Election performs best while all move at random.', _RANDOM,
          ('bounded',), more_than('instability', ('classic', 'recursive'))),
    _says('V, figure 5', 'The classic election is the least stable there.', _RANDOM,
          ('recursive',), more_than('instability', ('classic',))),
    _says('slides', 'Others are more stable in the core, but most nodes are in the outskirts.',
          _RANDOM, ('classic', 'recursive'), core_and_outskirts),
    _says('V-E', 'Likely: a best leader that stays central projects an area of stability.',
          'acsos2022_centre', ('bounded', ROBOTS, 'recursive', 'classic'), central),
    _says('slides', 'The second strongest on the border of the strongest triggers re-adaptation.',
          'border', ('bounded', ROBOTS, 'recursive'), partial(readapts, 30.0)),
    _says('ours', 'The same, where it crosses the joining radius of robots, too.', 'border_wide',
          ('bounded', ROBOTS, 'recursive'), partial(readapts, 70.0)))
