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

"""The map: which algorithm is the most stable, over two things that vary."""

from leader_election.lab.figures.error import FigureError
from leader_election.lab.figures.style import colour_of, count_seeds, FONT, INK, new_figure, words
from leader_election.lab.figures.sweep import varied
from leader_election.lab.statistics import time_average
from matplotlib.figure import Figure
from matplotlib.patches import Patch
import numpy as np
import xarray as xr

SPURIOUS = 0.05
"""Who names more leaders than this part that are none does not elect correctly: it cannot win."""
NOBODY = 'nobody'
_NONE = (0.88, 0.88, 0.88)


def winners(results: xr.Dataset) -> xr.Dataset:
    """
    Return who wins at each place of the map: the least instability among those that elect.

    :param results: ``instability``, ``named`` and ``spurious`` over algorithm, keys, seed, time.
    :return: over the keys: ``winner`` (its label, ``NOBODY`` where none elects), its
        ``instability``, by what part that is lower than the next one's (``margin``, nan without
        a next one), and the part of the leaders it names that are none (``spurious``).
    """
    instability = time_average(results['instability']).mean('seed')
    spurious = (time_average(results['spurious'].astype(float)).mean('seed')
                / time_average(results['named'].astype(float)).mean('seed'))
    elects = instability.where(spurious <= SPURIOUS)
    ranked = np.sort(elects.transpose('algorithm', ...).values, axis=0)  # nan comes last
    best = elects.min('algorithm')
    place = elects.fillna(np.inf).argmin('algorithm')
    labels = results['algorithm'].values
    second = best.copy(data=ranked[1] if len(ranked) > 1 else np.full(best.shape, np.nan))
    # Where the next one has no instability at all, neither has the winner: no margin.
    margin = ((second - best) / second.where(second > 0.0)).where(second > 0.0, second * 0.0)
    return xr.Dataset({
        'winner': best.copy(data=np.where(best.isnull(), NOBODY, labels[place.values])),
        'instability': best,
        'margin': margin,
        'spurious': spurious.isel(algorithm=place).drop_vars('algorithm').where(best.notnull())})


def draw_map(results: xr.Dataset) -> Figure:
    """
    Draw who wins: colour says who, the text its instability, margin, and spurious leaders.

    :param results: with two keys that vary, the first of which goes across.
    """
    keys = varied(results)
    if len(keys) != 2:
        raise FigureError(f'a map takes two keys that vary; these results have {len(keys)}')
    won = winners(results).transpose(keys[1], keys[0])
    rows, columns = won['winner'].shape
    figure = new_figure(
        3.4 + 1.25 * columns, 1.6 + 0.85 * rows, results.attrs.get('title', ''),
        f'mean over {count_seeds(results["instability"])}. Colour: the least instability among '
        f'those that\nname at most {SPURIOUS:.0%} spurious leaders. In the cells: its '
        'instability, how much\nlower it is than the next, the part of spurious leaders')
    axes = figure.subplots()
    labels = [*results['algorithm'].values.tolist(), NOBODY]
    tints = {label: _NONE if label == NOBODY else colour_of(label) for label in labels}
    axes.imshow([[tints[label] for label in row] for row in won['winner'].values.tolist()],
                origin='lower', aspect='auto')
    for row in range(rows):
        for column in range(columns):
            cell = won.isel({keys[1]: row, keys[0]: column})
            axes.text(column, row, _text(cell), ha='center', va='center', fontsize=FONT - 1,
                      color=_readable_on(tints[str(cell['winner'].item())]))
    for key, ticks in ((keys[0], axes.set_xticks), (keys[1], axes.set_yticks)):
        ticks(range(won.sizes[key]), [f'{value}' for value in won[key].values.tolist()])
    axes.set_xlabel(words(keys[0]), fontsize=FONT)
    axes.set_ylabel(words(keys[1]), fontsize=FONT)
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)
    shown = [label for label in labels if label != NOBODY or label in won['winner'].values]
    figure.legend(handles=[Patch(color=tints[label], label=label) for label in shown],
                  loc='outside right upper', frameon=False, fontsize=FONT)
    return figure


def _text(cell: xr.Dataset) -> str:
    """Say how it was won."""
    if cell['winner'].item() == NOBODY:
        return NOBODY
    margin = float(cell['margin'])
    return (f'{float(cell["instability"]):.3g}\n'
            f'{"alone" if np.isnan(margin) else f"{margin:.0%} lower"}\n'
            f'{float(cell["spurious"]):.1%} spurious')


def _readable_on(tint: tuple[float, float, float]) -> str:
    """Return the colour of letters on a colour: the one that is farther from it in lightness."""
    red, green, blue = tint
    return INK if 0.299 * red + 0.587 * green + 0.114 * blue > 0.5 else 'white'
