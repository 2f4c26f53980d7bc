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
Figures over time, and the choice of the figure that suits any scenario.

Instability is drawn as in ACSOS 2022, the number of leaders as in IFAC 2020. In figures of any
scenario curves are means over seeds, and bands the 95 % intervals of these means: where bands of
two algorithms do not overlap, their means differ. Where bands overlap, the means may still differ:
paired differences decide (:mod:`leader_election.lab.analysis.paired_differences`).
"""

from collections.abc import Mapping, Sequence

from leader_election.lab.analysis.measures import DERIVED, each_run, LED, PARTS, UNITED, WARM_UP
from leader_election.lab.figures.style import (
    axis_label,
    colour_of,
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

LIMITS = (1e-4, 1.0)
"""Range of the instability axis."""
EARLY = 40
"""Number of rounds in the panel of the first rounds."""


def draw_instability(
    results: xr.Dataset, published: xr.Dataset | None = None, early: bool = False,
) -> Figure:
    """
    Draw the instability of each algorithm over time, on a logarithmic scale.

    The curve is the mean over seeds, the band one standard deviation, as in figures 4 to 6 of
    ACSOS 2022.

    :param results: of a scenario; ``instability`` over algorithm, seed and time.
    :param published: ``mean`` over algorithm and time; drawn dashed.
    :param early: whether a second panel shows the first rounds.
    """
    caption = f'mean over {count_seeds(results["instability"])}, band: one standard deviation'
    if published is not None:
        caption += '; dashed: as published (200 seeds)'
    figure = new_figure(11.5 if early else 9.0, 4.6, results.attrs.get('title', ''), caption)
    panels = figure.subplots(1, 2 if early else 1, squeeze=False,
                             width_ratios=[2, 1] if early else [1])[0]
    for axes in panels:
        _draw_algorithms(axes, results, published)
    panels[0].set(xlim=(0, results['time'].max()), ylabel='instability')
    if early:
        panels[1].set_xlim(0, EARLY)
        panels[1].set_title(f'rounds 1 to {EARLY}', fontsize=FONT)
    legend(figure, panels[0])
    return figure


def _draw_algorithms(axes: Axes, results: xr.Dataset, published: xr.Dataset | None) -> None:
    for algorithm in results['algorithm'].values.tolist():
        tint = colour_of(algorithm)
        line = curve(axes, results['instability'].sel(algorithm=algorithm), algorithm, tint,
                     LIMITS)
        if published is not None and algorithm in published['algorithm']:
            mean = published['mean'].sel(algorithm=algorithm)
            # Dark on pale: both are visible where they coincide.
            line.set(alpha=0.5, linewidth=2.2)
            axes.plot(mean['time'], mean, color=tint, linewidth=1.0, linestyle='--',
                      label=f'{algorithm}, published')
    axes.set_yscale('log', nonpositive='clip')
    axes.set(ylim=LIMITS, xlabel='rounds')
    tidy(axes)


NAMES = {'resilient-1': 'resilient, K = 1', 'resilient-2': 'resilient, K = 2',
         'resilient-3': 'resilient, K = 3', 'colour': 'colour (Datta et al.)'}
"""The names of the algorithms in the paper, by their labels."""


def draw_leaders(algorithms: Sequence[str], published: Mapping[str, float],
                 results: xr.Dataset) -> Figure:
    """
    Draw the number of distinct leaders over time, as in figures 2 to 5 of IFAC 2020.

    :param algorithms: the labels of the algorithms to draw.
    :param published: the published rounds until one leader was left, by label, as far as known.
    :param results: of a scenario; ``named`` over algorithm, seed and time.
    """
    shown = [name for name in algorithms if name in results['algorithm']]
    figure = new_figure(
        9.0, 4.4, results.attrs.get('title', ''),
        f'mean over {count_seeds(results["named"])}, band: one standard deviation; dotted: rounds '
        'until all have one leader, as published')
    axes = figure.subplots()
    last = 1.0
    for algorithm in shown:
        named = results['named'].sel(algorithm=algorithm)
        tint = colour_of(algorithm)
        curve(axes, named, NAMES.get(algorithm, algorithm), tint, (1.0, float('inf')))
        mean = named.mean('seed')
        last = max([last, *mean['time'].values[mean.values > 1.0]])
        if algorithm in published:
            axes.axvline(published[algorithm], color=tint, linestyle=':', linewidth=1.2)
    # Once all have one leader, the curves stay constant.
    axes.set(yscale='log', xlim=(0, min(1.1 * last + 1, float(results['time'].max()))),
             xlabel='rounds', ylabel='distinct leaders')
    axes.set_ylim(bottom=0.9)
    tidy(axes)
    legend(figure, axes)
    return figure


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
    :param measure: one of :func:`leader_election.lab.analysis.measures.measures_of`; ``None``:
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
    axes.set(xlim=(0.0, float(values['time'].max())), xlabel='time [s]',
             ylabel=LABELS.get(measure, axis_label(measure)))
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
