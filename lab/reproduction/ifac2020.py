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

"""Statements of IFAC 2020, with the numbers that decide them."""

from collections.abc import Sequence
from functools import partial
from math import ceil, log2

from leader_election_lab.analysis.measures import Floats
import numpy as np
from reproduction.curves import time_to_one_leader
from reproduction.readings import extreme, over_runs, Reading, Statement
import xarray as xr

LOSS = 450.0
"""The time at which the leader fails in ``ifac2020_recovery`` [s]."""


def one_leader(results: xr.Dataset, label: str, since: float = 0.0) -> Floats:
    """Return the time of each run until all running devices have one leader [s], nan for never."""
    own = results.sel(algorithm=label)
    times = own['time'].values
    late = times > since
    named, correct, largest = (own[name].transpose('seed', 'time').values[:, late]
                               for name in ('named', 'correct', 'largest_size'))
    # At some time all that run then have one leader.
    devices = int(largest.max())
    return np.array([time_to_one_leader(times[late], *run, devices)
                     for run in zip(named, correct, largest)]) - since


def forgotten(results: xr.Dataset, label: str) -> Floats:
    """Return the time of each run from the loss until nobody names the lost leader [s]."""
    named = results['spurious'].sel(algorithm=label).transpose('seed', 'time')
    times = named['time'].values
    none, after = named.values[:, times > LOSS] == 0.0, times[times > LOSS] - LOSS
    # Later others are named that lead no longer: that is the next election.
    return np.array([after[run.argmax()] if run.any() else np.nan for run in none])


def later(results: xr.Dataset, label: str) -> list[Reading]:
    """Return the delay against smaller K until nobody names the lost leader [s]."""
    own = forgotten(results, label)
    return [over_runs(f'than {other}:', own - forgotten(results, other), '+.1f')
            for other in RESILIENT[:2]]


def sooner_than_colour(since: float, results: xr.Dataset, label: str) -> list[Reading]:
    """Return by what factor ``colour`` takes longer until one leader is left."""
    own, other = (one_leader(results, each, since) for each in (label, 'colour'))
    return [over_runs(f'colour / {label}:', other / np.nanmean(own), '.2f', least=MUCH)]


def several(results: xr.Dataset, label: str) -> list[Reading]:
    """Return the number of leaders just before the loss."""
    leaders = results['leaders'].sel(algorithm=label, time=LOSS).values.astype(float)
    return [over_runs('leaders:', leaders, '.1f', least=1.0)]


def sooner(results: xr.Dataset, label: str) -> list[Reading]:
    """Return the delay of K = 1 against this K until one leader is left [s]."""
    return [over_runs('K = 1 later by', one_leader(results, 'resilient-1')
                      - one_leader(results, label), '+.1f')]


def more_leaders(begin: float, results: xr.Dataset, label: str) -> list[Reading]:
    """Return the surplus of leaders over resilient-2 in 40 rounds from a time on [s], medians."""
    rounds = slice(begin + 1.0, begin + 40.0)
    named = results['leaders'].sel(time=rounds).astype(float).median('time')
    more = named.sel(algorithm=label) - named.sel(algorithm='resilient-2')
    return [over_runs('more:', more.values, '+.1f')]


def most_rounds(farthest: int, factor: int) -> int:
    """
    Return the most rounds until all devices have the best leader, by theorem 1.

    :param farthest: hops of the farthest device from the best one, >= 0.
    :param factor: K, >= 1. No device has a leader that does not exist.

    With K = 1 it is quadratic: 1 + D (D + 1).

    >>> [most_rounds(10, factor) for factor in (1, 2, 3)]
    [111, 31, 22]
    """
    if farthest == 0:
        return 1
    inside = ceil((farthest - 1) / factor)
    return most_rounds(inside, factor) + inside + farthest + 1


def rounds_and_hops(results: xr.Dataset, label: str) -> tuple[Floats, Floats]:
    """Return the rounds until all have the best leader, nan for never, and the farthest hops."""
    hops = results['largest_radius'].sel(algorithm=label).isel(time=-1).values
    return one_leader(results, label), np.asarray(hops, np.float64)


def spare(results: xr.Dataset, label: str) -> Floats:
    """Return the number of rounds by which each run stays below theorem 1."""
    rounds, hops = rounds_and_hops(results, label)
    return np.array([most_rounds(round(each), int(label[-1])) for each in hops]) - rounds


def within_bound(results: xr.Dataset, label: str) -> list[Reading]:
    """Return the least number of rounds by which any run stays below theorem 1."""
    readings = []
    for place in results['network'].values if 'network' in results.dims else (None,):
        of_place = results if place is None else results.sel(network=place)
        name = '' if place is None else f'{place}, '
        readings.append(extreme(
            f'{name}rounds to spare:', spare(of_place, label), '.0f', least=-0.5))
    return readings


def within_closed_form(results: xr.Dataset, label: str) -> list[Reading]:
    """Return the rounds by which any run with K = 2 stays below 3 D + log2(D + 1) + 3 + 1."""
    rounds, hops = rounds_and_hops(results, label)
    most = 3.0 * hops + np.array([log2(each + 1.0) for each in hops]) + 4.0
    return [extreme('rounds to spare:', most - rounds, '.1f')]


def strict(results: xr.Dataset, label: str) -> list[Reading]:
    """Return the mean number of rounds by which runs stay below theorem 1, 0 if it is strict."""
    return [over_runs('rounds to spare, mean:', spare(results, label), '.2f', -0.5, 0.5)]


def quadratic(results: xr.Dataset, label: str) -> list[Reading]:
    """Return the rounds with K = 1, divided by D (D + 1)."""
    rounds, hops = rounds_and_hops(results, label)
    return [over_runs('rounds / D (D + 1):', rounds / (hops * (hops + 1.0)), '.3f', 0.99, 1.01)]


RESILIENT = ('resilient-1', 'resilient-2', 'resilient-3')
MUCH = 1.5
"""The factor from which on an election recovers much faster."""
FAKE = 10.0
"""The time at which devices name a leader that does not exist, in ``ifac2020_perturbed`` [s]."""
_says, _BOUND, _LOSS = partial(Statement, 'IFAC 2020'), 'ifac2020_by_the_text', 'ifac2020_recovery'
STATEMENTS: Sequence[Statement] = (
    _says('1 and 4.1', 'A larger K delays the recovery from the loss of the leader.', _LOSS,
          ('resilient-3',), later),
    _says('1', 'A small K may lead to multiple leaders.', _LOSS, ('resilient-0.5',), several),
    _says('1', 'It recovers much faster than the election of Datta et al. from a leader loss',
          _LOSS, RESILIENT[1:], partial(sooner_than_colour, LOSS)),
    _says('1', 'or a fake leader.', 'ifac2020_perturbed', RESILIENT[1:],
          partial(sooner_than_colour, FAKE)),
    _says('5', 'K of 2 or 3 is much faster than 1.', 'ifac2020_convergence',
          RESILIENT[1:], sooner),
    _says('5', 'Most of the time Datta et al. have many leaders, this election very few;',
          'ifac2020_convergence', ('colour',), partial(more_leaders, 0.0)),
    _says('5', 'the same after a fake leader, with K = 2.', 'ifac2020_perturbed', ('colour',),
          partial(more_leaders, FAKE)),
    _says('4, theorem 1', 'No election takes more rounds than the bound; here in random networks,',
          _BOUND, RESILIENT, within_bound),
    _says('4, theorem 1', 'and here on a line and a grid, also from any radii and diameters.',
          'ifac2020_bound', RESILIENT, within_bound),
    _says('4, theorem 1', 'With K = 2 it takes at most 3 D + log2(D + 1) + 3 rounds after fake '
          'leaders are gone.', _BOUND, ('resilient-2',), within_closed_form),
    _says('4, theorem 1', 'With K = 1 it takes 1 + D (D + 1) rounds at most: quadratic,', _BOUND,
          ('resilient-1',), quadratic),
    _says('4, theorem 1', 'and the bound is strict.', _BOUND, ('resilient-1',), strict))
