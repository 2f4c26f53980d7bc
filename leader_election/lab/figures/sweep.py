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
What comes of what a scenario varies: instability, who is led, and how many lead, over time.

Instability alone misleads: devices that all follow a leader that is gone are very stable.
"""

from itertools import product

from leader_election.lab.derived_metrics import following
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
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator
import numpy as np
import xarray as xr

FOLLOWING = 'part of devices whose leader leads'


def varied(results: xr.Dataset) -> tuple[str, ...]:
    """Return the dotted keys that vary in a scenario's results."""
    return tuple(str(dimension) for dimension in results['instability'].dims
                 if dimension not in ('algorithm', 'seed', 'time'))


def averages(results: xr.Dataset) -> xr.Dataset:
    """Return what a sweep shows, averaged over time without the warm-up."""
    return xr.Dataset({
        'instability': time_average(results['instability']),
        FOLLOWING: time_average(following(results)),
        'leaders': time_average(results['leaders'])})


def draw_sweep(results: xr.Dataset) -> Figure:
    """
    Draw instability, who is led and how many lead, against the first key that varies.

    :param results: of a scenario. Each combination of the other keys has a column of its own.
    """
    keys = varied(results)
    if not keys:
        raise FigureError(f'scenario {results.attrs.get("scenario", "")} varies nothing; '
                          'its results are no sweep')
    shown = averages(results)
    labels, numeric = shown[keys[0]].values.tolist(), shown[keys[0]].dtype.kind in 'fi'
    numeric = numeric and bool(np.isfinite(shown[keys[0]]).all())
    if not numeric:
        shown = shown.assign_coords({keys[0]: np.arange(len(labels))})
    rest = {key: shown[key].values.tolist() for key in keys[1:]}
    settings = [dict(zip(rest, combination)) for combination in product(*rest.values())]
    figure = new_figure(
        3.4 + (4.6 if len(settings) == 1 else 3.2 * len(settings)), 8.4,
        results.attrs.get('title', ''),
        f'mean over {count_seeds(shown["instability"])} of the average over time, without the '
        'first sixth;\nband: one standard deviation')
    panels = figure.subplots(len(shown), len(settings), sharex=True, sharey='row', squeeze=False)
    for column, setting in zip(panels.T, settings):
        for axes, measure in zip(column, shown):
            _draw(axes, shown[measure].sel(setting))
        column[0].set_title(', '.join(f'{words(key)}: {value}' for key, value in setting.items()),
                            fontsize=FONT)
        column[-1].set_xlabel(words(keys[0]), fontsize=FONT)
        if not numeric:
            column[-1].set_xticks(range(len(labels)), [str(label) for label in labels])
    for axes, measure in zip(panels[:, 0], shown):
        axes.set_ylabel(str(measure).replace(' devices ', ' devices\n'), fontsize=FONT)
    legend(figure, panels[0, 0])
    return figure


def _draw(axes: Axes, values: xr.DataArray) -> None:
    """Draw a measure of all algorithms: parts on a linear scale, numbers on a logarithmic one."""
    counts = values.name == 'leaders'
    for algorithm in values['algorithm'].values.tolist():
        curve(axes, values.sel(algorithm=algorithm), algorithm, colour_of(algorithm),
              (0.1, np.inf) if counts else (0.0, 1.0)).set(marker='o', markersize=3.5)
    if counts:
        axes.set_yscale('log', nonpositive='clip')
        axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        axes.yaxis.set_major_formatter('{x:g}')
        axes.yaxis.set_minor_formatter('')
    else:
        axes.set_ylim(0.0, 1.0 if values.name == FOLLOWING else None)
    tidy(axes)
