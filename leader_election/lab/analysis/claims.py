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
The claims of the study of COORDINATION 2019, compared with the laboratory's results.

R. Casadei, D. Pianini, M. Viroli, A. Natali, "Self-organising Coordination Regions: A Pattern for
Edge Computing", COORDINATION 2019, section 4. No table of its numbers is published.

The paper's leader election favours established leaders, as the classic one does. Its scenario is
also run with Bounded Election, which does not.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product
from math import isnan

from leader_election.lab.analysis.measures import counted_part, settling_time
import numpy as np
import xarray as xr

SCENARIO = 'coordination2019'
USERS, ALPHA, CHANCE = 'users', 'algorithms.regions.feedback_alpha', 'events.chance'
"""The keys that vary."""
FAILURE = 600.0
"""Time at which leaders fail [s]."""
CALM = 300.0
"""Length of the interval of averages, up to the failures and up to the end [s]."""
ALGORITHMS = ('classic', 'bounded')
"""The algorithms of the scenario by their labels; the first one is the paper's."""
BEST, WILD = 0.01, 1.0
"""The values of alpha that the paper finds best, and too large."""
SERVED = 0.95
"""All users count as served from this part of them on."""
SOON = 30.0
"""Longest recovery that agrees with 'it takes seconds' [s]."""
SWINGS = 5.0
"""Regions oscillate if leaders change this many times as often as without feedback."""


@dataclass(frozen=True)
class Claim:
    """A statement of the paper, and the corresponding result of the laboratory."""

    claim: str
    ours: str
    agrees: bool

    def cells(self) -> tuple[str, str, str]:
        """Return the row of a table."""
        return self.claim, self.ours, 'yes' if self.agrees else '**no**'


def before(values: xr.DataArray) -> xr.DataArray:
    """Return the mean over seeds and over ``CALM`` seconds before leaders fail."""
    return _mean(values, FAILURE)


def after(values: xr.DataArray) -> xr.DataArray:
    """Return the mean over seeds and over the last ``CALM`` seconds of the run."""
    return _mean(values, float(values['time'].max()))


def _mean(values: xr.DataArray, end: float) -> xr.DataArray:
    # Up to the failures runs do not depend on the probability of failure.
    over = ['seed', 'time'] + ([CHANCE] if end == FAILURE else [])
    return values.sel(time=slice(end - CALM, end)).mean(over)


def load_variation(results: xr.Dataset) -> xr.DataArray:
    """Return the coefficient of variation of leaders' loads: standard deviation by mean."""
    return results['load_sigma'] / results['load_mean']


def recovery(served: xr.DataArray) -> float:
    """
    Return the time from the failures until the part of served users has returned to normal [s].

    :param served: the part of users that are served, over ``seed`` and ``time``. Its mean over
        seeds has to return to within ``1 - SERVED`` of the value before, and stay there to the
        end; with few seeds it may leave that range by chance.
    :return: nan if it never returns.
    """
    curve = served.mean('seed')
    usual = float(curve.sel(time=slice(FAILURE - CALM, FAILURE)).mean())
    times = curve['time'].values
    return settling_time(times, abs(curve.values / usual - 1.0), 1.0 - SERVED, FAILURE, times[-1])


def claims(results: xr.Dataset) -> list[Claim]:
    """
    Return the claims of the paper, each with the result here and whether both agree.

    :param results: of the scenario, for one algorithm.
    """
    served, uneven = counted_part(results), load_variation(results)
    numbers = [int(count) for count in results[USERS].values]
    chances = results[CHANCE].values.tolist()
    calm = before(served).sel({ALPHA: 0.0})
    # A missing run is not one in which no sample has more.
    more = before((served > 1.0).astype(float).where(served.notnull())).sel({ALPHA: 0.0})
    excess = before((served - 1.0).where(served > 1.0)).sel({ALPHA: 0.0})
    alone, fed = (before(uneven).sel({ALPHA: alpha}) for alpha in (0.0, BEST))
    alone_after, fed_after = (after(uneven).sel({ALPHA: alpha}) for alpha in (0.0, BEST))
    best = before(uneven).idxmin(ALPHA)
    swings = before(results['instability'])
    swings = swings.sel({ALPHA: WILD}) / swings.sel({ALPHA: 0.0})
    reach = results['mean_reach'].sel({ALPHA: 0.0})
    times = [recovery(served.sel({USERS: count, ALPHA: alpha, CHANCE: max(chances)}))
             for alpha in (0.0, BEST) for count in numbers]
    of_users = f'of {_listed(numbers, "{:d}")} users'
    return [
        Claim('All users are served.', f'{_listed(calm, "{:.1%}")} {of_users}, without feedback',
              bool((calm >= SERVED).all())),
        Claim('At times a few more than all, while users cross borders.',
              f'more than all in {_listed(more, "{:.0%}")} of samples, by '
              f'{_listed(excess, "{:.1%}")} then, {of_users}',
              bool((more > 0.0).all())),
        Claim('With feedback loads are more even.',
              f'deviation by mean {_listed(fed, "{:.2f}")} with alpha {BEST:g}, '
              f'{_listed(alone, "{:.2f}")} without, {of_users}', bool((fed < alone).all())),
        Claim('Also after leaders have failed.',
              '; '.join(f'chance {chance:g}: {_listed(fed_after.sel({CHANCE: chance}), "{:.2f}")} '
                        f'with, {_listed(alone_after.sel({CHANCE: chance}), "{:.2f}")} without'
                        for chance in chances if chance > 0.0),
              bool((fed_after < alone_after).all())),
        Claim(f'Of all values of alpha {BEST:g} is the best.',
              f'loads are most even with {_listed(best, "{:g}")}, {of_users}',
              bool((best == BEST).all())),
        Claim(f'With alpha {WILD:g} regions swing.',
              f'leaders change {_listed(swings, "{:.0f}")} times as often as without, {of_users}',
              bool((swings >= SWINGS).all())),
        Claim('With alpha 0 feedback does nothing.',
              f'radii are {float(reach.min()):g} to {float(reach.max()):g} m',
              bool(reach.min() == reach.max())),
        Claim('It takes seconds to recover, even where all leaders fail.',
              f'{_listed(times, "{:.0f}")} s until users are served as before, {of_users} without '
              f'feedback, and with alpha {BEST:g}', all(time <= SOON for time in times))]


def _listed(values: Iterable[float], form: str) -> str:
    """
    Return numbers as a comma-separated list; ``never`` for nan.

    >>> _listed([1.0, 2.5], '{:g} m')
    '1 m, 2.5 m'
    """
    numbers = [np.asarray(value).item() for value in values]
    return ', '.join('never' if isnan(number) else form.format(number) for number in numbers)


def claim_rows(results: xr.Dataset) -> list[tuple[str, ...]]:
    """
    Return the rows of the table of claims: claim, and for each algorithm result and agreement.

    :param results: of the scenario.
    """
    found = [claims(results.sel(algorithm=label, drop=True))
             for label in results['algorithm'].values.tolist()]
    return [(of_claim[0].claim, *(cell for claim in of_claim for cell in claim.cells()[1:]))
            for of_claim in zip(*found)]


TABLE_COLUMNS = ('users', 'alpha', 'chance', *(
    f'{name} {when}' for when in ('before', 'after')
    for name in ('leaders', 'served', 'each', 'deviation')))


def table_rows(results: xr.Dataset) -> list[tuple[str, ...]]:
    """Return the rows of the table of all numbers; the cells are those of ``TABLE_COLUMNS``."""
    shown = {'leaders': results['leaders'], 'served': counted_part(results),
             'load': results['load_mean'], 'deviation': results['load_sigma']}
    forms = ('{:.1f}', '{:.1%}', '{:.1f}', '{:.1f}')
    calm = {name: before(values) for name, values in shown.items()}
    late = {name: after(values) for name, values in shown.items()}
    rows = []
    for values in product(*(results[key].values.tolist() for key in (USERS, ALPHA, CHANCE))):
        place = dict(zip((USERS, ALPHA), values))
        numbers = [of.sel(place).item() for of in calm.values()]
        numbers += [of.sel({**place, CHANCE: values[2]}).item() for of in late.values()]
        rows.append((*(f'{value:g}' for value in values), *(
            form.format(number) for form, number in zip(2 * forms, numbers))))
    return rows
