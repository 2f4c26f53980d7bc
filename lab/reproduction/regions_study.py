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
The study of regions of COORDINATION 2019: its claims, compared with results here, and its figures.

R. Casadei, D. Pianini, M. Viroli, A. Natali, "Self-organising Coordination Regions: A Pattern for
Edge Computing", COORDINATION 2019, section 5.2. No table of its numbers is published. Figures: 4
(the effect of alpha), 5 (correctness), 6 (resilience); and one of ways to collect.

The paper's leader election favours established leaders, as the classic one does. Its scenario is
also run with Bounded Election, which does not.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from math import isnan
from typing import Literal

from leader_election.election.regions.region import COLLECTIONS
from leader_election.swarm.view.charts import FAINT, FONT, new_figure, tidy
from leader_election.swarm.view.formatting import Colour, colour
from leader_election_lab.analysis import measures
from leader_election_lab.figures import axis_label, count_seeds, legend
from leader_election_lab.runs.files import ResultError
from leader_election_lab.runs.results import varied
from matplotlib.axes import Axes
from matplotlib.figure import Figure
import numpy as np
import xarray as xr

SCENARIO = 'coordination2019'
USERS, ALPHA, CHANCE = 'users', 'algorithms.regions.feedback_alpha', 'events.chance'
FAILURE = 600.0
"""Time at which leaders fail [s]."""
CALM = 300.0
"""Length of the interval of averages, up to the failures and up to the end [s]."""
ALGORITHMS = ('classic', 'bounded')
"""The labels of the scenario's algorithms. The first one is the paper's."""
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
    return measures.settling_time(times, abs(curve.values / usual - 1.0), 1.0 - SERVED, FAILURE,
                                  times[-1])


def claims(results: xr.Dataset) -> list[Claim]:
    """
    Return the claims of the paper, each with the result here and whether both agree.

    :param results: of the scenario, for one algorithm.
    """
    served, uneven = measures.counted_part(results), load_variation(results)
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
    Return numbers as a comma-separated list, with ``never`` for nan.

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
    """Return the rows of the table of all numbers, with the cells of ``TABLE_COLUMNS``."""
    shown = {'leaders': results['leaders'], 'served': measures.counted_part(results),
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


TINTS: Sequence[Colour] = (colour(0), colour(2), colour(4), colour(1), colour(5), colour(3))
"""Colours of the values of alpha, or of numbers of users."""


def _single_algorithm(results: xr.Dataset, label: str) -> xr.Dataset:
    """Return the results of one algorithm without that dimension."""
    if label not in results['algorithm']:
        raise ResultError(f'there are no results of {label}; lab run {results.attrs["scenario"]} '
                          'makes them')
    return results.sel(algorithm=label, drop=True)


def _alpha_label(alpha: float) -> str:
    """
    Return the label of a value of alpha.

    >>> _alpha_label(0.0), _alpha_label(0.01)
    ('no feedback', 'alpha 0.01')
    """
    return 'no feedback' if alpha == 0.0 else f'alpha {alpha:g}'


def _draw_curves(axes: Axes, values: xr.DataArray) -> None:
    """Draw the mean over seeds against time, a curve for each value of alpha."""
    for tint, alpha in zip(TINTS, values[ALPHA].values.tolist()):
        mean = values.sel({ALPHA: alpha}).mean('seed')
        # Large values of alpha oscillate, so their curves are drawn behind the others.
        axes.plot(mean['time'], mean, color=tint, linewidth=1.2, label=_alpha_label(alpha),
                  zorder=2.0 - alpha)
    axes.axvline(FAILURE, color=FAINT, linewidth=0.8, linestyle=':')
    axes.set_xlim(0, values['time'].max())
    tidy(axes)


def draw_served(results: xr.Dataset, label: str = ALGORITHMS[0], failing: bool = True) -> Figure:
    """
    Draw the part of users that are served over time: figure 5, and figure 6 if leaders fail.

    Each row of panels is a number of users, each column a probability that a leader fails.

    :param results: of ``coordination2019``.
    :param label: of the algorithm.
    :param failing: whether to draw the runs in which leaders fail, not those without failures.
    """
    served = 100.0 * measures.counted_part(_single_algorithm(results, label))
    users = served[USERS].values.tolist()
    chances = [chance for chance in served[CHANCE].values.tolist() if (chance > 0.0) == failing]
    return _draw_by_chance(
        [[served.sel({USERS: count, CHANCE: chance}) for chance in chances] for count in users],
        (max(3.0 * len(chances) + 1.6, 6.0), 2.4 * len(users) + 1.0), 'all',
        f'Users served by all leaders ({label})', [f'of {count:g} users [%]' for count in users],
        [(60.0, 120.0)])


def _draw_by_chance(rows: Sequence[Sequence[xr.DataArray]], size: tuple[float, float],
                    share: Literal['all', 'row'],
                    title: str, labels: Sequence[str],
                    limits: Sequence[tuple[float, float | None]]) -> Figure:
    """
    Draw curves over time, each column of panels for a probability that a leader fails.

    :param rows: over seed, time and alpha, by row and column of panels.
    :param size: of the figure [inches].
    :param share: which panels have the same vertical axis: ``all``, or ``row``.
    :param labels: of the rows' vertical axes.
    :param limits: of the vertical axes of the first rows.
    """
    figure = new_figure(
        *size, title,
        f'mean over {count_seeds(rows[0][0])}; dotted: leaders fail, each by the chance above')
    panels = figure.subplots(len(rows), len(rows[0]), sharex=True, sharey=share, squeeze=False)
    for line, of_row, name in zip(panels, rows, labels):
        for axes, values in zip(line, of_row):
            _draw_curves(axes, values)
        line[0].set_ylabel(name)
    for axes, last, values in zip(panels[0], panels[-1], rows[0]):
        axes.set_title(f'chance {values[CHANCE].item():g}', fontsize=FONT)
        last.set_xlabel('time [s]')
    for line, (low, high) in zip(panels, limits):
        line[0].set_ylim(low, high)
    legend(figure, panels[0, 0])
    return figure


def draw_loads(results: xr.Dataset, label: str = ALGORITHMS[0]) -> Figure:
    """
    Draw the number of users that a leader serves over time, mean and standard deviation.

    Each column of panels is a probability that a leader fails.

    :param results: of ``coordination2019``, of which the middle number of users is drawn.
    :param label: of the algorithm.
    """
    one = _single_algorithm(results, label)
    count = one[USERS].values.tolist()[one.sizes[USERS] // 2]
    chances = one[CHANCE].values.tolist()
    # Curves that oscillate leave the scale at times.
    most = 4.0 * float(before(one['load_mean']).sel({USERS: count}).min())
    return _draw_by_chance(
        [[one[measure].sel({USERS: count, CHANCE: chance}) for chance in chances]
         for measure in ('load_mean', 'load_sigma')],
        (3.0 * len(chances) + 1.6, 6.0), 'row',
        f'Users served by each leader, of {count:g} users ({label})',
        ['mean over leaders', 'deviation over leaders'], [(0.0, most), (0.0, None)])


def draw_evenness(results: xr.Dataset, label: str = ALGORITHMS[0]) -> Figure:
    """
    Draw the coefficient of variation of loads against alpha: figure 4.

    The first panel is the time before leaders fail, the others the time after, one for each
    probability that a leader fails.

    :param results: of ``coordination2019``.
    :param label: of the algorithm.
    """
    uneven = load_variation(_single_algorithm(results, label))
    late, chances = after(uneven), uneven[CHANCE].values.tolist()
    shown = {'before leaders fail': before(uneven)} | {
        f'after, chance {chance:g}': late.sel({CHANCE: chance})
        for chance in chances if chance > 0.0}
    figure = new_figure(
        3.0 * len(shown) + 1.6, 4.0, f'How uneven the loads of leaders are ({label})',
        f'deviation by mean over leaders, mean over 300 s and {count_seeds(uneven)}')
    panels = figure.subplots(1, len(shown), sharey=True, squeeze=False)[0]
    alphas = uneven[ALPHA].values.tolist()
    for axes, (title, values) in zip(panels, shown.items()):
        for tint, count in zip(TINTS, uneven[USERS].values.tolist()):
            axes.plot(np.arange(len(alphas)), values.sel({USERS: count}), color=tint, marker='o',
                      markersize=3.5, linewidth=1.3, label=f'{count:g} users')
        axes.set_xticks(range(len(alphas)), [f'{alpha:g}' for alpha in alphas])
        axes.set_title(title, fontsize=FONT)
        axes.set_xlabel('alpha (0: no feedback)')
        tidy(axes)
    panels[0].set_ylabel('deviation / mean')
    panels[0].set_ylim(bottom=0)
    legend(figure, panels[0])
    return figure


WORST = 0.5
"""The counting error that has the darkest colour."""


def collecting_algorithms(results: xr.Dataset) -> list[str]:
    """Return the algorithms whose labels end with a collection method, as ``bounded-tree``."""
    return list(dict.fromkeys(
        label.removesuffix(f'-{collection}') for label in results['algorithm'].values.tolist()
        for collection in COLLECTIONS if label.endswith(f'-{collection}')))


def draw_collections(results: xr.Dataset) -> Figure:
    """
    Draw the error and the bias of the leaders' counts, by algorithm and collection method.

    :param results: of ``collections``. Each combination of the keys that vary has a panel.
    """
    algorithms = collecting_algorithms(results)
    keys = varied(results)
    settings = [dict(zip(keys, values)) for values in product(
        *(results[key].values.tolist() for key in keys))]
    errors, biases = (each(results).mean('seed')
                      for each in (measures.counting_error, measures.counting_bias))
    figure = new_figure(
        3.4 * len(settings) + 2.0, 0.55 * len(algorithms) + 2.0,
        'By how much all leaders together miscount 100 robots that walk',
        f'mean error (and bias) over {count_seeds(results["counted"])} and over time, without the '
        'first sixth')
    panels = figure.subplots(1, len(settings), sharey=True, squeeze=False)[0]
    for axes, setting in zip(panels, settings):
        title = '\n'.join(f'{axis_label(key)}: {value:g}' for key, value in setting.items())
        axes.set_title(title, fontsize=FONT)
        cells = [[{'algorithm': f'{algorithm}-{collection}', **setting}
                  for collection in COLLECTIONS] for algorithm in algorithms]
        axes.imshow([[errors.sel(cell).item() for cell in line] for line in cells],
                    vmin=0.0, vmax=WORST, cmap='YlOrBr', aspect='auto')
        for y, x in product(range(len(algorithms)), range(len(COLLECTIONS))):
            error, bias = errors.sel(cells[y][x]).item(), biases.sel(cells[y][x]).item()
            axes.text(x, y, f'{error:.1%}\n({bias:+.1%})', ha='center', va='center',
                      fontsize=FONT - 2, color='white' if error > 0.6 * WORST else 'black')
        axes.set_xticks(range(len(COLLECTIONS)), COLLECTIONS, fontsize=FONT - 1)
        axes.set_yticks(range(len(algorithms)), algorithms, fontsize=FONT - 1)
    return figure
