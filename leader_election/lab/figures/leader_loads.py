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
Figures about regions: the loads of leaders, and the errors of their counts.

Figures of COORDINATION 2019: 4 (the effect of alpha), 5 (correctness) and 6 (resilience).
"""

from collections.abc import Sequence
from itertools import product

from leader_election.election.coordination.region import COLLECTIONS
from leader_election.lab.analysis.claims import (
    after,
    ALGORITHMS,
    ALPHA,
    before,
    CHANCE,
    FAILURE,
    load_variation,
    USERS,
)
from leader_election.lab.analysis.measures import (
    counted_part,
    counting_bias,
    counting_error,
)
from leader_election.lab.figures.style import axis_label, count_seeds, FigureError, legend
from leader_election.lab.runs.results import varied
from leader_election.swarm.view.charts import FAINT, FONT, new_figure, tidy
from leader_election.swarm.view.formatting import Colour, colour
from matplotlib.axes import Axes
from matplotlib.figure import Figure
import numpy as np
import xarray as xr

TINTS: Sequence[Colour] = (colour(0), colour(2), colour(4), colour(1), colour(5), colour(3))
"""Colours of the values of alpha, or of numbers of users."""


def _single_algorithm(results: xr.Dataset, label: str) -> xr.Dataset:
    """Return the results of one algorithm without that dimension."""
    if label not in results['algorithm']:
        raise FigureError(f'there are no results of {label}; lab run {results.attrs["scenario"]} '
                          'makes them')
    one: xr.Dataset = results.sel(algorithm=label, drop=True)
    return one


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
        # Large values of alpha oscillate; their curves are drawn behind the others.
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
    served = 100.0 * counted_part(_single_algorithm(results, label))
    users = served[USERS].values.tolist()
    chances = [chance for chance in served[CHANCE].values.tolist() if (chance > 0.0) == failing]
    figure = new_figure(
        max(3.0 * len(chances) + 1.6, 6.0), 2.4 * len(users) + 1.0,
        f'Users served by all leaders ({label})',
        f'mean over {count_seeds(served)}; dotted: leaders fail, each by the chance above')
    panels = figure.subplots(len(users), len(chances), sharex=True, sharey=True, squeeze=False)
    for line, count in zip(panels, users):
        for axes, chance in zip(line, chances):
            _draw_curves(axes, served.sel({USERS: count, CHANCE: chance}))
        line[0].set_ylabel(f'of {count:g} users [%]', fontsize=FONT)
    for axes, chance in zip(panels[0], chances):
        axes.set_title(f'chance {chance:g}', fontsize=FONT)
    for axes in panels[-1]:
        axes.set_xlabel('time [s]', fontsize=FONT)
    panels[0, 0].set_ylim(60, 120)
    legend(figure, panels[0, 0])
    return figure


def draw_loads(results: xr.Dataset, label: str = ALGORITHMS[0]) -> Figure:
    """
    Draw the number of users that a leader serves over time, mean and standard deviation.

    Each column of panels is a probability that a leader fails.

    :param results: of ``coordination2019``; the middle number of users is drawn.
    :param label: of the algorithm.
    """
    one = _single_algorithm(results, label)
    count = one[USERS].values.tolist()[one.sizes[USERS] // 2]
    chances = one[CHANCE].values.tolist()
    figure = new_figure(
        3.0 * len(chances) + 1.6, 6.0,
        f'Users served by each leader, of {count:g} users ({label})',
        f'mean over {count_seeds(one["load_mean"])}; dotted: leaders fail, each by the chance '
        'above')
    panels = figure.subplots(2, len(chances), sharex=True, sharey='row', squeeze=False)
    for line, measure in zip(panels, ('load_mean', 'load_sigma')):
        for axes, chance in zip(line, chances):
            _draw_curves(axes, one[measure].sel({USERS: count, CHANCE: chance}))
    for axes, chance in zip(panels[0], chances):
        axes.set_title(f'chance {chance:g}', fontsize=FONT)
    for axes in panels[-1]:
        axes.set_xlabel('time [s]', fontsize=FONT)
    panels[0, 0].set_ylabel('mean over leaders', fontsize=FONT)
    panels[1, 0].set_ylabel('deviation over leaders', fontsize=FONT)
    # Curves that oscillate leave the scale at times.
    panels[0, 0].set_ylim(0, 4.0 * float(before(one['load_mean']).sel({USERS: count}).min()))
    panels[1, 0].set_ylim(bottom=0)
    legend(figure, panels[0, 0])
    return figure


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
        axes.set_xlabel('alpha (0: no feedback)', fontsize=FONT)
        tidy(axes)
    panels[0].set_ylabel('deviation / mean', fontsize=FONT)
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

    :param results: of ``collections``; each combination of the keys that vary has a panel.
    """
    algorithms = collecting_algorithms(results)
    keys = varied(results)
    settings = [dict(zip(keys, values)) for values in product(
        *(results[key].values.tolist() for key in keys))]
    errors, biases = counting_error(results).mean('seed'), counting_bias(results).mean('seed')
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
