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

"""How right leaders count their members, each algorithm with each way of collecting, as a heat."""

from itertools import product

from leader_election.coordination.region import COLLECTIONS
from leader_election.lab.counting import bias, error
from leader_election.lab.figures.style import count_seeds, FONT, new_figure, words
from leader_election.lab.results import varied
from matplotlib.figure import Figure
import xarray as xr

WORST = 0.5
"""The error that is the darkest."""


def algorithms_of(results: xr.Dataset) -> list[str]:
    """Return the algorithms whose labels say how they collect, such as ``bounded-tree``."""
    return list(dict.fromkeys(
        label.removesuffix(f'-{collection}') for label in results['algorithm'].values.tolist()
        for collection in COLLECTIONS if label.endswith(f'-{collection}')))


def draw_collections(results: xr.Dataset) -> Figure:
    """
    Draw the error of what leaders count, with its bias; a panel for all that varies.

    :param results: of ``collections``.
    """
    algorithms = algorithms_of(results)
    keys = varied(results)
    settings = [dict(zip(keys, values)) for values in product(
        *(results[key].values.tolist() for key in keys))]
    off, lean = error(results).mean('seed'), bias(results).mean('seed')
    figure = new_figure(
        3.4 * len(settings) + 2.0, 0.55 * len(algorithms) + 2.0,
        'By how much all leaders together miscount 100 robots that walk',
        f'mean error (and bias) over {count_seeds(results["counted"])} and over time, without the '
        'first sixth')
    panels = figure.subplots(1, len(settings), sharey=True, squeeze=False)[0]
    for axes, setting in zip(panels, settings):
        axes.set_title('\n'.join(f'{words(key)}: {value:g}' for key, value in setting.items()),
                       fontsize=FONT)
        cells = [[{'algorithm': f'{algorithm}-{collection}', **setting}
                  for collection in COLLECTIONS] for algorithm in algorithms]
        axes.imshow([[off.sel(cell).item() for cell in line] for line in cells],
                    vmin=0.0, vmax=WORST, cmap='YlOrBr', aspect='auto')
        for y, x in product(range(len(algorithms)), range(len(COLLECTIONS))):
            here = off.sel(cells[y][x]).item()
            axes.text(x, y, f'{here:.1%}\n({lean.sel(cells[y][x]).item():+.1%})', ha='center',
                      va='center', fontsize=FONT - 2, color='white' if here > 0.6 * WORST
                      else 'black')
        axes.set_xticks(range(len(COLLECTIONS)), COLLECTIONS, fontsize=FONT - 1)
        axes.set_yticks(range(len(algorithms)), algorithms, fontsize=FONT - 1)
    return figure
