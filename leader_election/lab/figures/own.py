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
Figures of any scenario's results: over time, against varied keys, or the map of two keys.

Curves are means over seeds, and bands the 95 % intervals of these means: where bands of two
algorithms do not overlap, their means differ. Where bands overlap, the means may still differ:
paired differences decide (:mod:`leader_election.lab.analysis.paired`).
"""

from leader_election.lab.analysis.derived_metrics import DERIVED
from leader_election.lab.analysis.paired import each_run, LED, PARTS, UNITED
from leader_election.lab.analysis.statistics import WARM_UP
from leader_election.lab.figures.style import (
    axis_label,
    colours_of,
    count_seeds,
    curve,
    FigureError,
    legend,
)
from leader_election.lab.figures.sweep import draw_map, draw_sweep
from leader_election.lab.runs.results import varied
from leader_election.swarm.view.charts import FAINT, FONT, new_figure, tidy
from matplotlib.axes import Axes
from matplotlib.figure import Figure
import numpy as np
import xarray as xr

MEASURE = 'instability'
LOWEST = 1e-4
"""The lower end of the logarithmic axis of instability, at most."""
LABELS = {LED: 'part of devices whose leader leads',
          UNITED: 'part of devices in the largest region'}


def draw_own(results: xr.Dataset, measure: str | None = None) -> Figure:
    """
    Draw the figure that suits the keys that a scenario varies.

    No key: the measure over time. One key: its means against the values. Two keys: the map of the
    best algorithms. With a given measure or more keys: curves against the first key.

    :param results: of a scenario (see :mod:`leader_election.lab.runs.results`).
    :param measure: one of :func:`leader_election.lab.analysis.paired.measures_of`; ``None``:
        instability, and against keys also the part of devices that are led, and leaders.
    :raises ResultError: for an unknown measure, or one without values over time.
    """
    keys = varied(results)
    if not keys:
        return draw_over_time(results, measure or MEASURE)
    if len(keys) == 2 and measure is None:
        return draw_map(results)
    shown = None if measure is None else xr.Dataset({measure: each_run(results, measure)})
    return draw_sweep(results, shown, interval=True)


def over_time(results: xr.Dataset, measure: str) -> xr.DataArray:
    """
    Return a measure of each run over time.

    :raises ResultError: for an unknown measure, or one of whole runs.
    """
    each_run(results, measure)  # Raises the error that lists all measures.
    if measure in DERIVED:
        return DERIVED[measure](results)
    if measure not in results or 'time' not in results[measure].dims:
        raise FigureError(f'measure {measure!r} is one number of a whole run, and has no curve '
                          'over time')
    return results[measure]


def draw_over_time(results: xr.Dataset, measure: str) -> Figure:
    """
    Draw a measure of each algorithm over time, with 95 % intervals.

    :param results: of a scenario that varies nothing.
    """
    values = over_time(results, measure)
    figure = new_figure(
        9.0, 4.6, results.attrs.get('title', ''),
        f'mean over {count_seeds(values)}; band: 95 % interval of the mean at each time; '
        'grey: not in averages')
    axes = figure.subplots()
    axes.axvspan(0.0, WARM_UP * float(values['time'].max()), color=FAINT, alpha=0.08, linewidth=0)
    labels = [str(label) for label in values['algorithm'].values]
    tints = colours_of(labels)
    for label in labels:
        one = values.sel(algorithm=label)
        if one.notnull().any():
            curve(axes, one, label, tints[label], (0.0, 1.0) if measure in PARTS else None,
                  interval=True)
    scale(axes, values, measure)
    axes.set_xlim(0.0, float(values['time'].max()))
    axes.set_xlabel('time [s]', fontsize=FONT)
    axes.set_ylabel(LABELS.get(measure, axis_label(measure)), fontsize=FONT)
    tidy(axes)
    legend(figure, axes)
    return figure


def scale(axes: Axes, values: xr.DataArray, measure: str) -> None:
    """Set the scale of the vertical axis: logarithmic for instability, as in the papers."""
    if measure == MEASURE:
        mean = values.mean('seed').values
        positive = mean[mean > 0.0]
        least = float(positive.min()) / 2.0 if positive.size else LOWEST
        axes.set_yscale('log', nonpositive='clip')
        axes.set_ylim(float(np.clip(least, LOWEST, 0.1)), 1.0)
    else:
        axes.set_ylim(min(0.0, axes.get_ylim()[0]), 1.02 if measure in PARTS else None)
