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

"""Instability over time, on a logarithmic scale, as figures 4 to 6 of ACSOS 2022 have it."""

from leader_election.lab.figures.style import (
    colour_of,
    count_seeds,
    curve,
    FONT,
    legend,
    new_figure,
    tidy,
)
from matplotlib.axes import Axes
from matplotlib.figure import Figure
import xarray as xr

LIMITS = (1e-4, 1.0)
"""Of the instability that is shown."""
EARLY = 40
"""Rounds in the panel of the beginning."""


def draw_instability(
    results: xr.Dataset, published: xr.Dataset | None = None, early: bool = False,
) -> Figure:
    """
    Draw the instability of each algorithm: the mean over seeds in a band of its deviation.

    :param results: of a scenario; ``instability`` over algorithm, seed and time.
    :param published: ``mean`` over algorithm and time, dashed.
    :param early: whether a second panel shows the first rounds.
    """
    caption = f'mean over {count_seeds(results["instability"])}, band: one standard deviation'
    if published is not None:
        caption += '; dashed: as published (200 seeds)'
    figure = new_figure(11.5 if early else 9.0, 4.6, results.attrs.get('title', ''), caption)
    panels = figure.subplots(1, 2 if early else 1, squeeze=False,
                             width_ratios=[2, 1] if early else [1])[0]
    for axes in panels:
        _draw(axes, results, published)
    panels[0].set_ylabel('instability', fontsize=FONT)
    panels[0].set_xlim(0, results['time'].max())
    if early:
        panels[1].set_xlim(0, EARLY)
        panels[1].set_title(f'rounds 1 to {EARLY}', fontsize=FONT)
    legend(figure, panels[0])
    return figure


def _draw(axes: Axes, results: xr.Dataset, published: xr.Dataset | None) -> None:
    for algorithm in results['algorithm'].values.tolist():
        tint = colour_of(algorithm)
        line = curve(axes, results['instability'].sel(algorithm=algorithm), algorithm, tint,
                     LIMITS)
        if published is not None and algorithm in published['algorithm']:
            mean = published['mean'].sel(algorithm=algorithm)
            # Dark on pale: both can be seen where they are the same.
            line.set(alpha=0.5, linewidth=2.2)
            axes.plot(mean['time'], mean, color=tint, linewidth=1.0, linestyle='--',
                      label=f'{algorithm}, published')
    axes.set_yscale('log', nonpositive='clip')
    axes.set_ylim(*LIMITS)
    axes.set_xlabel('rounds', fontsize=FONT)
    tidy(axes)
