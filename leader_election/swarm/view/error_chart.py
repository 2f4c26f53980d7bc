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

"""Chart of errors and deviations over time, one panel a quantity."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from matplotlib.figure import Figure
import numpy as np

STYLES = {
    'odometry': {'color': '#d55e00', 'linewidth': 1.6},
    'filter': {'color': '#0072b2', 'linewidth': 1.6},
    'deviation': {'color': '#56b4e9', 'linewidth': 1.4, 'linestyle': '--'},
}
"""Of curves, by their kind."""


class Curve(NamedTuple):
    """One curve."""

    label: str
    kind: str
    """One of :data:`STYLES`."""
    times: Sequence[float]
    """[s]."""
    values: Sequence[float | None]
    """In the unit of the panel; ``None``: not known, a gap."""


class Panel(NamedTuple):
    """Curves over a common axis of time."""

    label: str
    """Of the vertical axis, with the unit."""
    curves: Sequence[Curve]


def draw_errors(panels: Sequence[Panel], path: Path) -> None:
    """
    Draw panels one below the other, as a PNG.

    :param panels: curves without a known value, and panels without a curve, are left out.
    :raises OSError: when the file cannot be written.
    """
    panels = [panel for panel in map(_known, panels) if panel.curves]
    figure = Figure(figsize=(8.0, 0.6 + 2.6 * len(panels)), dpi=160, layout='constrained')
    rows = figure.subplots(len(panels), sharex=True, squeeze=False)[:, 0]
    for axes, panel in zip(rows, panels):
        for curve in panel.curves:
            axes.plot(curve.times, np.array(curve.values, dtype=float), label=curve.label,
                      **STYLES[curve.kind])
        axes.set(ylabel=panel.label)
        axes.set_ylim(bottom=0.0)
        axes.set_xlim(left=0.0)
        axes.grid(alpha=0.25)
        axes.legend(frameon=False, loc='upper left', fontsize=9)
        for side in ('top', 'right'):
            axes.spines[side].set_visible(False)
    rows[-1].set(xlabel='time [s]')
    figure.savefig(path, format='png')


def _known(panel: Panel) -> Panel:
    """Return a panel with those of its curves that have a known value."""
    return panel._replace(curves=[
        curve for curve in panel.curves if any(value is not None for value in curve.values)])
