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

"""Snapshots of a network: devices in their leaders' colours, as figures and as animations."""

from collections.abc import Sequence
import math
from pathlib import Path
from typing import Any

from leader_election.swarm.view.charts import FONT, INK
from leader_election.swarm.view.formatting import colour, count, GONE, Palette
from leader_election.swarm.view.picture import save_gif
from leader_election_lab.experiment.scenario import Scenario
from leader_election_lab.runs.files import check_writable, replacing
from leader_election_lab.simulation.run import Snapshot
from leader_election_lab.simulation.simulate import simulate
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
import numpy as np
from numpy.typing import NDArray
from PIL import Image

_LINKS = '#c3c7cc'


class Partition:
    """
    The artists that draw a network on some axes, one snapshot after the other.

    A leader keeps its colour from one snapshot to the next. Devices that do not run, or whose
    leader is not one of the devices, are grey.

    :param bounds: of the visible area: left, bottom, right, top [m].
    :param count: number of devices, which determines the size of their markers.
    :param linked: whether links are drawn.
    """

    def __init__(self, axes: Axes, bounds: Sequence[float], count: int,
                 linked: bool = True) -> None:
        self._palette = Palette()
        self._linked = linked
        left, bottom, right, top = bounds
        pad = 0.06 * max(right - left, top - bottom, 1e-9)
        axes.set(xlim=(left - pad, right + pad), ylim=(bottom - pad, top + pad), aspect='equal',
                 xticks=[], yticks=[])
        axes.spines[:].set_color(_LINKS)
        size = float(np.clip(13000.0 / count, 5.0, 60.0))
        # By zorder links are drawn below the devices that they link.
        self.links = LineCollection([], colors=_LINKS, linewidths=0.4, zorder=1)
        axes.add_collection(self.links, autolim=False)
        self.devices = axes.scatter([], [], s=size, linewidths=0, zorder=2)
        self.leaders = axes.scatter([], [], s=max(5 * size, 110.0), marker='*', edgecolors=INK,
                                    linewidths=0.8, zorder=3)
        length = nice_length(0.25 * (right - left))
        axes.plot([left, left + length], [bottom - 0.6 * pad] * 2, color=INK, linewidth=2.0)
        axes.annotate(f'{length:g} m', (left + length, bottom - 0.6 * pad), (4, 0),
                      textcoords='offset points', va='center', fontsize=FONT - 2, color=INK)

    def show(self, snapshot: Snapshot) -> None:
        """Show a snapshot in place of the last one."""
        position, leads = snapshot.position, snapshot.is_leader
        # Matplotlib accepts an array of colours, shape (n, 3), which its types do not allow.
        tints: Any = self._tints(snapshot)
        if self._linked:
            self.links.set_segments(list(position[snapshot.pairs]))
        self.devices.set_offsets(position[~leads])
        self.devices.set_facecolor(tints[~leads])
        self.leaders.set_offsets(position[leads])
        self.leaders.set_facecolor(tints[leads])

    def _tints(self, snapshot: Snapshot) -> NDArray[np.float64]:
        """Return the colour of each device, shape (n, 3)."""
        known = snapshot.running & np.isin(snapshot.leader, snapshot.id)
        members: dict[int, list[int]] = {}
        for device, leader in zip(snapshot.id[known].tolist(), snapshot.leader[known].tolist()):
            members.setdefault(leader, []).append(device)
        colours = self._palette.assign(members)
        return np.array([colours[leader] if is_known else GONE for leader, is_known
                         in zip(snapshot.leader.tolist(), known.tolist())])


def nice_length(most: float) -> float:
    """
    Return the greatest length of 1, 2 or 5 times a power of ten up to a limit.

    >>> nice_length(7.5), nice_length(0.3), nice_length(25.0)
    (5.0, 0.2, 20.0)
    """
    power = 10.0 ** math.floor(math.log10(max(most, 1e-6)))
    return float(max(factor for factor in (1.0, 2.0, 5.0) if factor * power <= most * 1.000001
                     or factor == 1.0) * power)


def legend_below(figure: Figure) -> None:
    """Add the meaning of the markers at the foot of a figure."""
    figure.legend(
        [Line2D([], [], linestyle='none', marker=marker, markersize=size, color=tint)
         for marker, size, tint in (('*', 11, colour(0)), ('o', 5, colour(0)), ('o', 5, GONE))],
        ['leader', 'follows the leader of its colour', 'failed, or without a leader'],
        loc='outside lower center', ncol=3, frameon=False, fontsize=FONT - 2)


def bounds_of(snapshots: Sequence[Snapshot]) -> tuple[float, float, float, float]:
    """Return the bounding box of all devices of all snapshots: left, bottom, right, top [m]."""
    places = np.concatenate([snapshot.position for snapshot in snapshots])
    (left, bottom), (right, top) = places.min(axis=0), places.max(axis=0)
    return float(left), float(bottom), float(right), float(top)


def shape_of(bounds: tuple[float, float, float, float]) -> float:
    """Return the ratio of height to width of panels for a visible area."""
    left, bottom, right, top = bounds
    return float(np.clip((top - bottom) / max(right - left, 1e-9), 0.3, 1.5))


FRAMES = 60
LINKS = 2000
"""With more links than this, none are drawn, since they would double the size of the file."""
RATE = 10
WIDTH = 5.4
"""Width of an animation [inches]."""
DPI = 100


def animate(scenario: Scenario, algorithm: str, seed: int, out: Path, comment: str = '') -> Path:
    """
    Write an animation of a run: devices in their leaders' colours, leaders as stars, the time.

    :param algorithm: the label of one of the scenario's algorithms.
    :param out: a ``.gif``.
    :param comment: stored in the file.
    :return: out.
    :raises ResultError: if the file cannot be written.
    """
    check_writable(out, ['.gif'])
    frames = min(FRAMES, len(scenario.times()))
    times = scenario.duration * np.arange(1, frames + 1) / frames
    snapshots = simulate(scenario, algorithm, seed, times.tolist()).snapshots
    bounds = bounds_of(snapshots)
    figure = Figure(figsize=(WIDTH, WIDTH * shape_of(bounds) + 1.0), dpi=DPI, layout='constrained')
    canvas: Any = FigureCanvasAgg(figure)
    axes = figure.subplots()
    axes.set_title(scenario.title, fontsize=FONT, color=INK)
    linked = max(len(snapshot.pairs) for snapshot in snapshots) <= LINKS
    partition = Partition(axes, bounds, len(snapshots[0].id), linked)
    legend_below(figure)

    def image(snapshot: Snapshot) -> Image.Image:
        partition.show(snapshot)
        leaders = count(int(snapshot.is_leader.sum()), 'leader')
        axes.set_xlabel(f'{algorithm}, seed {seed}, t = {snapshot.time:g} s, {leaders}')
        canvas.draw()
        return Image.fromarray(np.array(canvas.buffer_rgba())[:, :, :3])

    with replacing(out) as temporary:
        save_gif([image(snapshot) for snapshot in snapshots], temporary, RATE, comment)
    return out
