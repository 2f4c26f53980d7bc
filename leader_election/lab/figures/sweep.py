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

"""Time-averaged instability over what a scenario varies."""

from itertools import product

from leader_election.lab.figures.error import FigureError
from leader_election.lab.figures.style import (
    colour_of,
    count_seeds,
    curve,
    FONT,
    legend,
    new_figure,
    tidy,
    words,
)
from leader_election.lab.statistics import time_average
from matplotlib.figure import Figure
import numpy as np
import xarray as xr

COLUMNS = 3
"""Panels side by side."""


def varied(results: xr.Dataset) -> tuple[str, ...]:
    """Return the dotted keys that vary in a scenario's results."""
    return tuple(str(dimension) for dimension in results['instability'].dims
                 if dimension not in ('algorithm', 'seed', 'time'))


def draw_sweep(results: xr.Dataset) -> Figure:
    """
    Draw instability, averaged over time without the warm-up, against the first key that varies.

    :param results: ``instability`` over algorithm, the keys, seed and time. Each combination of
        the other keys has a panel of its own.
    """
    keys = varied(results)
    if not keys:
        raise FigureError(f'scenario {results.attrs.get("scenario", "")} varies nothing; '
                          'its results are no sweep')
    values = time_average(results['instability'])
    labels, numeric = values[keys[0]].values.tolist(), values[keys[0]].dtype.kind in 'fi'
    numeric = numeric and bool(np.isfinite(values[keys[0]]).all())
    if not numeric:
        values = values.assign_coords({keys[0]: np.arange(len(labels))})
    rest = {key: values[key].values.tolist() for key in keys[1:]}
    settings = [dict(zip(rest, combination)) for combination in product(*rest.values())]
    columns = min(COLUMNS, len(settings))
    rows = -(-len(settings) // columns)
    figure = new_figure(
        3.6 + (5.4 if columns == 1 else 3.2 * columns), 1.2 + 3.4 * rows,
        results.attrs.get('title', ''),
        f'mean over {count_seeds(values)} of the average over time, without the first sixth; '
        'band: one standard deviation')
    panels = figure.subplots(rows, columns, sharey=True, squeeze=False).ravel()
    for axes, setting in zip(panels, settings):
        for algorithm in values['algorithm'].values.tolist():
            curve(axes, values.sel(algorithm=algorithm, **setting), algorithm,
                  colour_of(algorithm), (0.0, 1.0)).set(marker='o', markersize=3.5)
        axes.set_title(', '.join(f'{words(key)}: {value}' for key, value in setting.items()),
                       fontsize=FONT)
        axes.set_xlabel(words(keys[0]), fontsize=FONT)
        axes.set_ylim(bottom=0.0)
        if not numeric:
            axes.set_xticks(range(len(labels)), [str(label) for label in labels])
        tidy(axes)
    for axes in panels[::columns]:
        axes.set_ylabel('instability', fontsize=FONT)
    for axes in panels[len(settings):]:
        axes.set_visible(False)
    legend(figure, panels[0])
    return figure
