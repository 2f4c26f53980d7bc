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

"""Charts of a whole run in one style: agreement, leaders and errors over time."""

from collections.abc import Mapping, Sequence
from pathlib import Path
import textwrap
from typing import Any

from leader_election.parameters.files import replacing
from leader_election.swarm.view.formatting import colour
from leader_election.swarm.view.frame import Frame, History
from matplotlib.axes import Axes
from matplotlib.figure import Figure
import numpy as np

DPI = 150
FONT = 10
"""Size of all text but titles [points]."""
INK, FAINT = '#2b2f36', '#6b717a'


def new_figure(width: float, height: float, title: str, caption: str) -> Figure:
    """
    Return an empty figure.

    :param width: [inches], as is the height.
    :param caption: text at the foot. Like the title it is broken into lines that fit.
    """
    figure = Figure(figsize=(width, height), dpi=DPI, layout='constrained', facecolor='white')
    figure.suptitle(_fitting(title, width, FONT + 2), fontsize=FONT + 2, color=INK)
    figure.supxlabel(_fitting(caption, width, FONT - 1), fontsize=FONT - 1, color=FAINT)
    return figure


def _fitting(text: str, width: float, size: float) -> str:
    """Return a text in lines that fit a width [inches]. Letters are half as wide as the size."""
    most = int(width * 72.0 / (0.52 * size))
    return '\n'.join(textwrap.fill(line, most) for line in text.split('\n'))


def tidy(axes: Axes) -> None:
    """Remove the upper and right borders of axes, and add a pale grid behind all curves."""
    axes.grid(alpha=0.25)
    axes.set_axisbelow(True)
    axes.tick_params(labelsize=FONT - 1)
    for side in ('top', 'right'):
        axes.spines[side].set_visible(False)


_MOST_NAMES = 60
"""The most robots whose ids are written."""


def draw_agreement(path: Path, curves: dict[str, tuple[Sequence[float], Sequence[float]]],
                   title: str, caption: str) -> None:
    """
    Draw the agreement of two partitions over time as a PNG.

    :param curves: times [s] and shares [0, 1], by the label of the curve.
    :param caption: a line at the foot.
    :raises OSError: when the file cannot be written.
    """
    figure = new_figure(8.0, 4.0, title, caption)
    axes = figure.subplots()
    for slot, (label, (times, shares)) in enumerate(curves.items()):
        axes.plot(times, [100.0 * share for share in shares], marker='o', markersize=4,
                  linewidth=1.6, label=label, color=colour(slot), clip_on=False)
    axes.set_xlabel('time [s]', color=INK)
    axes.set_ylabel('rounds [%]', color=INK)
    axes.set(ylim=(0, 100), xlim=(0.0, None))
    axes.legend(frameon=False, loc='lower left')
    tidy(axes)
    save(figure, path)


def save(figure: Figure, path: Path) -> None:
    """Write a figure as a PNG, whole or not at all."""
    with replacing(path) as temporary:
        figure.savefig(temporary, format='png')


def draw_timeline(frames: Sequence[Frame], path: Path, start: float = 0.0) -> None:
    """
    Draw the leader of each robot over time as a PNG, one line a robot (:func:`add_timeline`).

    :param frames: at least one, in the order of time.
    :param start: the origin of the axis of time [s].
    :raises OSError: when the file cannot be written.
    """
    figure = new_figure(9.0, timeline_height(frames), '', '')
    axes = figure.subplots()
    add_timeline(axes, frames, start)
    axes.set(xlabel="time [s]; in the colour of the robot's leader, dotted where it leads itself")
    save(figure, path)


def timeline_height(frames: Sequence[Frame]) -> float:
    """Return the height of a figure with the timeline of these frames [inches]."""
    robots = {robot for frame in frames for robot in frame.snapshot.robots}
    return 1.1 + 0.14 * min(len(robots), _MOST_NAMES)


def add_timeline(axes: Any, frames: Sequence[Frame], start: float = 0.0) -> None:
    """
    Draw the leader of each robot over time into axes, one line a robot in its leader's colour.

    Robots are ordered by id, the lowest at the bottom. White is silence. Where a robot leads
    itself, a dark line is drawn in the middle of its line, a white one where it may not act.

    :param axes: of matplotlib.
    :param frames: at least one, in the order of time.
    :param start: the origin of the axis of time [s].
    """
    history = History(start=start)
    for frame in frames:
        history.observe(frame)
    robots = sorted({bar.robot for bar in history.bars})
    rows = {robot: row for row, robot in enumerate(robots)}
    # A width of zero, of a single frame, is not drawn.
    axes.barh([rows[bar.robot] for bar in history.bars],
              [max(bar.right - bar.left, 1e-3) for bar in history.bars], height=1.0,
              left=[bar.left for bar in history.bars], color=[bar.tint for bar in history.bars])
    leads = [(frame.snapshot.time - start, rows[robot], INK if view.ruled else 'white')
             for frame in frames for robot, view in frame.snapshot.robots.items()
             if view.leader == robot]
    if leads:
        moments, led, inks = zip(*leads)
        axes.scatter(moments, led, s=1.2, marker='s', c=inks, linewidths=0)
    axes.margins(0.0)
    axes.set(ylabel='robot')
    if len(robots) <= _MOST_NAMES:
        axes.set_yticks(range(len(robots)), [str(robot) for robot in robots], fontsize=6)
    axes.spines[:].set_visible(False)


STYLES: tuple[dict[str, Any], ...] = (
    {'label': 'by odometry', 'color': '#d55e00', 'linewidth': 1.6},
    {'label': 'with the filter', 'color': '#0072b2', 'linewidth': 1.6},
    {'label': 'mean deviation', 'color': '#56b4e9', 'linewidth': 1.4, 'linestyle': '--'})
"""The curves of a panel of errors."""


def draw_errors(path: Path, times: Sequence[float],
                panels: Mapping[str, Sequence[Sequence[float | None]]]) -> None:
    """
    Draw errors of localisation over time as a PNG, panels one below the other.

    :param times: [s].
    :param panels: by their labels, curves in the order of :data:`STYLES`, ``None`` for gaps.
        Curves without a known value, and panels without a curve, are left out.
    :raises OSError: when the file cannot be written.
    """
    known = {label: curves for label, found in panels.items()
             if (curves := [(style, values) for style, values in zip(STYLES, found)
                            if any(value is not None for value in values)])}
    figure = new_figure(8.0, 0.6 + 2.6 * len(known), '', '')
    rows = figure.subplots(len(known), sharex=True, squeeze=False)[:, 0]
    for axes, (label, curves) in zip(rows, known.items()):
        for style, values in curves:
            axes.plot(times, np.array(values, dtype=float), **style)
        axes.set(ylabel=label, xlim=(0.0, None), ylim=(0.0, None))
        axes.legend(frameon=False, loc='upper left', fontsize=FONT - 1)
        tidy(axes)
    rows[-1].set(xlabel='time [s]')
    save(figure, path)
