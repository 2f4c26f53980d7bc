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

"""Statements of COORDINATION 2019, with the numbers that decide them."""

from collections.abc import Sequence
from functools import partial
from math import inf

from leader_election_lab.analysis import measures
from leader_election_lab.analysis.measures import Floats
import numpy as np
from reproduction.curves import Values
from reproduction.readings import of_curves, over_runs, Reading, ROBOTS, Statement
from reproduction.regions_study import SWINGS
import xarray as xr

ALPHA, RHO = 'algorithms.regions.feedback_alpha', 'events.chance'
NEGLIGIBLE = 5.0
"""The longest delay that is negligible, half of a window of instability [s]."""
SERVED, SLIGHT, SOON = 0.95, 0.05, 10.0
"""The part from which on all users count as served, what is slightly more than all, as a part of
all, and how long a few seconds are [s]."""
FAILURE, CALM = 600.0, 100.0
"""The time at which leaders fail, and the length of the windows before it and at the end [s]."""


def window(values: Values, end: float) -> Values:
    """Return the mean over the ``CALM`` seconds up to a time."""
    return values.sel(time=slice(end - CALM, end)).mean('time')


def served(results: xr.Dataset, label: str) -> list[Reading]:
    """Return the part of users that are served before the failures, without and with feedback."""
    part = window(measures.counted_part(results).sel(algorithm=label), FAILURE)
    return [over_runs(f'alpha {alpha:g}:', part.sel({ALPHA: alpha}).values, '.1%', least=SERVED)
            for alpha in (0.0, 0.01)]


def oversupplied(results: xr.Dataset, label: str) -> list[Reading]:
    """
    Return how often more than all users are served before the failures, and by how many more.

    Of the samples of each run these are the part, and the mean surplus as a part of all users.
    """
    part = measures.counted_part(results).sel(algorithm=label)
    often = window((part > 1.0).astype(float), FAILURE)
    surplus = (window((part - 1.0).clip(0.0), FAILURE) / often).fillna(0.0)
    return [reading for alpha in (0.0, 0.01) for reading in (
        over_runs(f'alpha {alpha:g}, samples:', often.sel({ALPHA: alpha}).values, '.1%', 0.01),
        over_runs('surplus:', surplus.sel({ALPHA: alpha}).values, '.1%', most=SLIGHT))]


def more_even(end: float, others: Sequence[float], results: xr.Dataset,
              label: str) -> list[Reading]:
    """Return the deviation of loads less that with alpha 0.01, of users and by their mean."""
    readings = []
    for name, uneven, form in (
            ('users', results['load_sigma'], '+.2f'),
            ('by mean', results['load_sigma'] / results['load_mean'], '+.3f')):
        of_label = window(uneven.sel(algorithm=label), end)
        best = of_label.sel({ALPHA: 0.01}).values
        readings += [over_runs(f'alpha {alpha:g}, {name}:', of_label.sel({ALPHA: alpha}).values
                               - best, form) for alpha in others]
    return readings


def smooth(results: xr.Dataset, label: str) -> list[Reading]:
    """Return how alpha 0.1 compares with 0.01: unevenness of loads, and changes of leaders."""
    values = xr.Dataset({'uneven': results['load_sigma'] / results['load_mean'],
                         'changes': results['instability']}).sel(algorithm=label)
    good, fast = (window(values.sel({ALPHA: alpha}), FAILURE) for alpha in (0.01, 0.1))
    return [over_runs('uneven, alpha 0.1 / 0.01:', (fast['uneven'] / good['uneven']).values,
                      '.2f', 0.8, inf),
            over_runs('changes, alpha 0.1 / 0.01:', (fast['changes'] / good['changes']).values,
                      '.2f', 1.0)]


def swings(results: xr.Dataset, label: str) -> list[Reading]:
    """Return the ratio of changes of leaders with alpha 1 to those without feedback."""
    often = window(results['instability'].sel(algorithm=label), FAILURE)
    calm = float(often.sel({ALPHA: 0.0}).mean())
    return [over_runs('times as often:', often.sel({ALPHA: 1.0}).values / calm, '.1f', SWINGS)]


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


def delay(results: xr.Dataset, label: str) -> Floats:
    """Return by how much later served users stabilise with feedback, in each run [s]."""
    return served_again(results, label, 0.01) - served_again(results, label, 0.0)


def recovers_later(results: xr.Dataset, label: str) -> list[Reading]:
    """Return the mean of :func:`delay` [s]."""
    return [over_runs('with - without:', delay(results, label), '+.1f')]


def evens_out_later(results: xr.Dataset, label: str) -> list[Reading]:
    """Return the delay by feedback until the evenness of loads is stable [s]."""
    return [of_curves(
        'with - without:', results['load_sigma'] / results['load_mean'],
        lambda times, without, fed: stabilises(times, fed) - stabilises(times, without),
        {'algorithm': label, ALPHA: 0.0}, {'algorithm': label, ALPHA: 0.01})]


def recovers_from_some(results: xr.Dataset, label: str) -> list[Reading]:
    """Return the time until served users have stabilised, by the part of leaders that fail [s]."""
    return [each._replace(name=f'rho {rho:g}, {each.name}')
            for rho in results[RHO].values.tolist()
            for each in recovers(results.sel({RHO: rho}), label)]


def recovers_sooner_from_few(results: xr.Dataset, label: str) -> list[Reading]:
    """Return by how much sooner served users stabilise with feedback if some leaders fail [s]."""
    return [over_runs(f'rho {rho:g}, without - with:', -delay(results.sel({RHO: rho}), label),
                      '+.1f') for rho in results[RHO].values.tolist() if rho < 1.0]


def recovers_alike(results: xr.Dataset, label: str) -> list[Reading]:
    """Return the delay of recovery by feedback, by the part of leaders that fail [s]."""
    return [recovers_later(results.sel({RHO: rho}), label)[0]._replace(
        name=f'rho {rho:g}, with - without:', least=-NEGLIGIBLE, most=NEGLIGIBLE)
        for rho in results[RHO].values.tolist()]


STUDY = ('classic', 'bounded', ROBOTS)
_says, _TOWN = partial(Statement, 'COORDINATION 2019'), 'coordination2019_recovery'
_FAILURES = 'coordination2019_failures'
STATEMENTS: Sequence[Statement] = (
    _says('5.2, figure 5', 'All users are served,', _TOWN, STUDY, served),
    _says('5.2, figure 5', 'at times slightly more than all.', _TOWN, STUDY, oversupplied),
    _says('5.2, figure 5', 'Feedback makes loads more even,', _TOWN, STUDY,
          partial(more_even, FAILURE, (0.0,))),
    _says('5.2, figure 6', 'also after leaders have failed.', _TOWN, STUDY,
          partial(more_even, 900.0, (0.0,))),
    _says('5.2, figure 4', 'Alpha 0.01 is the best: as effective as 0.1, and smoother;', _TOWN,
          STUDY, smooth),
    _says('5.2, figure 4', 'with alpha 1 the system oscillates.', _TOWN, STUDY, swings),
    _says('5.2', 'Stability is reached in few seconds, also if all leaders fail,', _TOWN, STUDY,
          recovers),
    _says('5.2', 'and by whatever probability rho they fail.', _FAILURES, STUDY[:2],
          recovers_from_some),
    _says('5.2, figure 6', 'Feedback seems to do slightly better for smaller disruptions,',
          _FAILURES, STUDY[:2], recovers_sooner_from_few),
    _says('5.2, figure 6', 'but takes more time in the worst case: here users served,',
          _TOWN, STUDY, recovers_later),
    _says('5.2, figure 6', 'and here how even loads are.', _TOWN, STUDY, evens_out_later),
    _says('5.2', 'The effect of feedback on resilience is negligible.', _FAILURES,
          STUDY[:2], recovers_alike))
"""The last sentence is that of the text, which the caption of figure 6 contradicts."""
