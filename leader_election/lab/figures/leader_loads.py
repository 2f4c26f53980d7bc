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
from typing import Literal

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

    :param results: of ``coordination2019``; the middle number of users is drawn.
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
