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

"""Picture of a swarm from above, in the quality of print."""

from collections.abc import Sequence
import math
from pathlib import Path
from typing import Any

from leader_election.robot.codec import Position
from leader_election.robot.zones import outline
from leader_election.swarm.snapshot import links, orphans, positions, regions
from leader_election.view.formatting import count, GONE, label, NOTE
from leader_election.view.frame import bounds, Frame, patrol_parts, Rings
from matplotlib.artist import Artist
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke
from matplotlib.text import Annotation
from matplotlib.ticker import MaxNLocator
import numpy as np
from numpy.typing import NDArray
from PIL import Image

PICTURE_WIDTH = 1600
"""[pixels]"""
_WIDTH = 10.0
"""Of the figure; text scales with it [inches]."""
_TALLEST = 1.4
"""The ratio of height to width of a world above which it is drawn narrower than the figure."""
_MARGIN = 0.45
"""Distance of a region's outline from its members [m]."""
_INK, _FAINT = '#2b2f36', '#8a9099'
_UNIT_CIRCLE = np.column_stack([wave(np.linspace(0.0, 2.0 * np.pi, 97))
                                for wave in (np.cos, np.sin)])
_HALO = [withStroke(linewidth=2.5, foreground='white')]


class Canvas:
    """
    A figure on which frames are drawn one after the other; its artists are created once.

    :param bounds: of the visible area: left, bottom, right, top [m].
    :param rings: outlines of arena and obstacles.
    :param width: of the image [pixels].
    :param communication_range: robots within this distance are linked by a line [m].
    """

    def __init__(self, bounds: tuple[float, float, float, float], rings: Rings, width: int,
                 communication_range: float) -> None:
        self._range = communication_range
        left, bottom, right, top = bounds
        pad = 0.02 * max(right - left, top - bottom)
        across, up = right - left + 2 * pad, top - bottom + 2 * pad
        # Margins for the labels of the axes and, below, for the caption [inches].
        aside, above, below = 0.65, 0.12, 0.9
        height = above + below + (_WIDTH - aside - 0.12) * min(up / across, _TALLEST)
        figure = Figure(figsize=(_WIDTH, height), dpi=width / _WIDTH, facecolor='white')
        self._agg: Any
        self._agg = FigureCanvasAgg(figure)
        self._axes = axes = figure.add_axes((
            aside / _WIDTH, below / height,
            1 - (aside + 0.12) / _WIDTH, 1 - (above + below) / height))
        axes.set(xlim=(left - pad, right + pad), ylim=(bottom - pad, top + pad), aspect='equal')
        axes.set_xlabel('x [m]', color=_FAINT, labelpad=2)
        axes.set_ylabel('y [m]', color=_FAINT, labelpad=2)
        axes.tick_params(colors=_FAINT, length=3, labelsize=9)
        axes.spines[:].set_visible(False)
        axes.xaxis.set_major_locator(MaxNLocator(11, integer=True, steps=(1, 2, 5, 10)))
        axes.yaxis.set_major_locator(MaxNLocator(11, integer=True, steps=(1, 2, 5, 10)))

        self._regions = PolyCollection([], linewidths=1.4)
        axes.add_collection(self._regions, autolim=False)
        for ring in rings.obstacles:
            axes.fill(*zip(*ring), facecolor='#d5d8dc', edgecolor='#a3a9b1', linewidth=1)
        for ring in rings.arena:
            [wall] = axes.fill(*zip(*ring), facecolor='none', edgecolor=_INK, linewidth=1.6)
            self._regions.set_clip_path(wall)
        self._links = LineCollection([], colors='#9aa0a8', linewidths=0.5, alpha=0.55)
        axes.add_collection(self._links, autolim=False)
        self._parts = LineCollection([], linewidths=0.9)
        axes.add_collection(self._parts, autolim=False)
        self._deviations = LineCollection([], linewidths=0.9)
        axes.add_collection(self._deviations, autolim=False)
        self._gone = axes.scatter([], [], s=60, marker='x', color=GONE, linewidths=2)
        self._robots = axes.scatter([], [], s=62, edgecolors='white', linewidths=0.9)
        self._leaders = axes.scatter([], [], s=430, marker='*', edgecolors=_INK, linewidths=0.9)
        self._labels: list[Annotation] = []
        self._caption = figure.text(aside / _WIDTH, 0.25 / height, '', fontsize=11, color=_INK,
                                    verticalalignment='center')
        self._note = figure.text(1 - 0.12 / _WIDTH, 0.25 / height, '', fontsize=11, color=NOTE,
                                 fontweight='bold', verticalalignment='center',
                                 horizontalalignment='right')
        # The axes are drawn once and kept as background; only changing artists are drawn for each
        # frame, in this order: several times as fast as drawing the figure.
        self._moving: list[Artist] = [
            self._regions, *axes.patches, self._parts, self._links, self._deviations, self._gone,
            self._robots, self._leaders, self._caption, self._note]
        for artist in self._moving:
            artist.set_animated(True)
        self._agg.draw()
        self._background = self._agg.copy_from_bbox(figure.bbox)

    def show(self, frame: Frame, start: float = 0.0) -> None:
        """
        Draw a frame in place of the previous one.

        :param start: the origin of the time in the caption [s].
        """
        snapshot = frame.snapshot
        placed = [r for r in snapshot.robots.values() if r.position is not None]
        leaders = [r for r in placed if r.leader == r.id]
        self._robots.set_offsets(_array([r.position for r in placed if r.leader != r.id]))
        self._robots.set_facecolor([frame.colours[r.leader] for r in placed if r.leader != r.id])
        self._leaders.set_offsets(_array([r.position for r in leaders]))
        self._leaders.set_facecolor([frame.colours[r.leader] for r in leaders])
        self._gone.set_offsets(_array([r.position for r in snapshot.gone.values()]))
        self._links.set_segments([positions(snapshot, pair)
                                  for pair in links(snapshot, self._range)])
        members = [(frame.colours[leader], positions(snapshot, ids))
                   for leader, ids in regions(snapshot).items()]
        members = [(colour, places) for colour, places in members if places]
        self._regions.set_verts([np.array(outline(places, _MARGIN).exterior.coords)
                                 for _, places in members])
        self._regions.set_facecolor([to_rgba(colour, 0.13) for colour, _ in members])
        self._regions.set_edgecolor([to_rgba(colour, 0.75) for colour, _ in members])
        split = [(frame.colours[leader], ring)
                 for leader, rings in patrol_parts(snapshot).items() for ring in rings]
        self._parts.set_segments([ring for _, ring in split])
        self._parts.set_color([to_rgba(colour, 0.75) for colour, _ in split])
        uncertain = [r for r in placed if math.isfinite(r.deviation)]
        self._deviations.set_segments([_circle(r.position, r.deviation) for r in uncertain])
        self._deviations.set_color([to_rgba(frame.colours[r.leader], 0.6) for r in uncertain])
        self._label([(label(r), r.position) for r in leaders if r.position is not None])
        lost = len(orphans(snapshot))
        self._caption.set_text('   ·   '.join((
            f't = {snapshot.time - start:.1f} s', count(len(snapshot.robots), 'robot'),
            count(len(regions(snapshot)), 'region'),
            *([f'{len(snapshot.gone)} gone'] if snapshot.gone else []),
            *([f'{lost} without a leader'] if lost else []))))
        self._note.set_text(frame.note)

    def pixels(self) -> NDArray[np.uint8]:
        """Return the image, shape (height, width, 3)."""
        self._agg.restore_region(self._background)
        for artist in (*self._moving, *self._labels):
            artist.draw(self._agg.get_renderer())
        return np.array(self._agg.buffer_rgba())[:, :, :3]

    def place(self, position: Position) -> tuple[int, int]:
        """Return column and row of the pixel at a position [m]."""
        x, y = self._axes.transData.transform(position)
        return round(x), round(self._agg.get_width_height()[1] - y)

    def _label(self, leaders: Sequence[tuple[str, Position]]) -> None:
        while len(self._labels) < len(leaders):
            self._labels.append(self._axes.annotate(
                '', (0, 0), (0, 15), textcoords='offset points', fontsize=11, fontweight='bold',
                color=_INK, ha='center', va='center', path_effects=_HALO, animated=True))
        for annotation in self._labels:
            annotation.set_visible(False)
        for annotation, (text, position) in zip(self._labels, leaders):
            annotation.xy = position
            annotation.set(text=text, visible=True)


def draw(frame: Frame, rings: Rings, path: Path, communication_range: float,
         start: float = 0.0) -> None:
    """
    Write the picture of a frame to a file (PNG).

    :param communication_range: robots within this distance are linked by a line [m].
    :param start: the origin of the time in the caption [s].
    :raises OSError: when the file cannot be written.
    """
    canvas = Canvas(bounds([frame], rings), rings, PICTURE_WIDTH, communication_range)
    canvas.show(frame, start)
    Image.fromarray(canvas.pixels()).save(path, format='PNG', optimize=True)


def _circle(centre: Position | None, radius: float) -> NDArray[np.float64]:
    """Return the outline of a circle [m], shape (points, 2)."""
    return np.array(centre) + radius * _UNIT_CIRCLE


def _array(places: Sequence[Position | None]) -> NDArray[np.float64]:
    return np.array([place for place in places if place is not None]).reshape(-1, 2)
