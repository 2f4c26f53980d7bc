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

"""Picture of a swarm from above, in the quality of print, and a run as an animation (GIF)."""

from collections.abc import Sequence
from functools import cache
import math
from pathlib import Path
from typing import Any

from leader_election.election.messages.codec import Position
from leader_election.parameters.files import replacing
from leader_election.swarm.snapshot import RobotView
from leader_election.swarm.view import formatting
from leader_election.swarm.view import frame as drawing
from leader_election.swarm.view.frame import Frame, Label, Rings
from matplotlib.artist import Artist
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import LineCollection, PathCollection, PolyCollection
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patheffects import withStroke
from matplotlib.text import Annotation
from matplotlib.ticker import MaxNLocator
import numpy as np
from numpy.typing import NDArray
from PIL import Image

PICTURE_WIDTH = 1600
"""[pixels]"""
_WIDTH = 10.0
"""The width of the figure. Text scales with it [inches]."""
_TALLEST = 1.4
"""Ratio of height to width above which a world is narrower than the figure."""
_LEGEND_COLUMNS = 4
MARKERS = '*ox'
"""Symbols of the legend that are not lines."""
_UNIT_CIRCLE = np.column_stack([wave(np.linspace(0.0, 2.0 * np.pi, 97))
                                for wave in (np.cos, np.sin)])
_HALO = [withStroke(linewidth=2.5, foreground='white')]


class Canvas:
    """
    A figure on which frames are drawn one after the other. Its artists are created once.

    :param frames: those that will be drawn: they decide on the visible area, and on the legend.
    :param rings: outlines of arena, obstacles and peaks.
    :param width: of the image [pixels].
    :param communication_range: robots within this distance are linked by a line [m].
    """

    def __init__(self, frames: Sequence[Frame], rings: Rings, width: int,
                 communication_range: float) -> None:
        self._range = communication_range
        left, bottom, right, top = drawing.bounds(frames, rings)
        pad = 0.02 * max(right - left, top - bottom)
        across, up = right - left + 2 * pad, top - bottom + 2 * pad
        entries = [Line2D(
            [], [], label=entry.text, color=entry.colour, markersize=entry.size,
            marker=entry.symbol if entry.symbol in MARKERS else '', markeredgewidth=(
                2 if entry.symbol == 'x' else 1), markerfacecolor=entry.hollow or entry.colour,
            linestyle='none' if entry.symbol in MARKERS else entry.symbol,
            linewidth=entry.size / 10) for entry in drawing.legend(
                frames, rings, communication_range)]
        # Margins for the labels of the axes and, below, for legend and caption [inches].
        aside, above, below = 0.65, 0.12, 1.0 + 0.2 * math.ceil(len(entries) / _LEGEND_COLUMNS)
        height = above + below + (_WIDTH - aside - 0.12) * min(up / across, _TALLEST)
        figure = Figure(figsize=(_WIDTH, height), dpi=width / _WIDTH, facecolor='white')
        self._agg: Any
        self._agg = FigureCanvasAgg(figure)
        self._axes = axes = figure.add_axes((
            aside / _WIDTH, below / height,
            1 - (aside + 0.12) / _WIDTH, 1 - (above + below) / height))
        axes.set(xlim=(left - pad, right + pad), ylim=(bottom - pad, top + pad), aspect='equal')
        axes.set_xlabel('x [m]', color=drawing.FAINT, labelpad=2)
        axes.set_ylabel('y [m]', color=drawing.FAINT, labelpad=2)
        axes.tick_params(colors=drawing.FAINT, length=3, labelsize=9)
        axes.spines[:].set_visible(False)
        for axis in axes.xaxis, axes.yaxis:
            axis.set_major_locator(MaxNLocator(11, integer=True, steps=(1, 2, 5, 10)))

        figure.legend(handles=entries, loc='lower left', ncol=_LEGEND_COLUMNS, fontsize=9,
                      bbox_to_anchor=(aside / _WIDTH, 0.47 / height), frameon=False, borderpad=0.0,
                      handletextpad=0.4, columnspacing=1.4, labelcolor=drawing.INK,
                      labelspacing=0.3, borderaxespad=0.0)
        for ring in rings.peaks:
            axes.fill(*zip(*ring), facecolor=to_rgba(drawing.PEAK, drawing.REGION_FILL),
                      edgecolor=drawing.PEAK, linewidth=0.9, linestyle='--')
        static = list(axes.patches)

        self._regions = PolyCollection([], linewidths=1.4)
        for ring in rings.obstacles:
            axes.fill(*zip(*ring), facecolor=drawing.WALL, edgecolor=drawing.WALL_EDGE,
                      linewidth=1)
        for ring in rings.arena:
            [wall] = axes.fill(*zip(*ring), facecolor='none', edgecolor=drawing.INK, linewidth=1.6)
            self._regions.set_clip_path(wall)
        self._links = LineCollection([], colors=drawing.LINK, linewidths=0.5, alpha=0.55)
        self._parts, self._deviations = (LineCollection([], linewidths=0.9) for _ in range(2))
        for collection in self._regions, self._links, self._parts, self._deviations:
            axes.add_collection(collection, autolim=False)
        self._gone = axes.scatter([], [], s=60, marker='x', color=formatting.GONE, linewidths=2)
        self._robots = axes.scatter([], [], s=62, linewidths=0.9)
        self._leaders = axes.scatter([], [], s=430, marker='*', linewidths=0.9)
        self._labels: list[Annotation] = []
        self._caption, self._note = (
            figure.text(aside / _WIDTH, above_edge / height, '', fontsize=11, **look)
            for above_edge, look in ((0.27, {'color': drawing.INK}), (
                0.07, {'color': formatting.NOTE, 'fontweight': 'bold'})))
        # The axes are drawn once and kept as background. Only changing artists are drawn for each
        # frame, in this order: several times as fast as drawing the figure.
        self._moving: list[Artist] = [
            self._regions, *(patch for patch in axes.patches if patch not in static), self._parts,
            self._links, self._deviations, self._gone,
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
        drawn = drawing.drawing(frame, self._range)
        _spots(self._robots, drawn.robots, frame)
        _spots(self._leaders, drawn.leaders, frame)
        self._gone.set_offsets(_array([r.position for r in drawn.gone]))
        self._links.set_segments(drawn.links)
        self._regions.set_verts([np.array(ring) for _, ring in drawn.regions])
        tints = [tint for tint, _ in drawn.regions]
        self._regions.set_facecolor([to_rgba(tint, drawing.REGION_FILL) for tint in tints])
        self._regions.set_edgecolor([to_rgba(tint, drawing.REGION_EDGE) for tint in tints])
        self._parts.set_segments([ring for _, ring in drawn.parts])
        self._parts.set_color([to_rgba(tint, drawing.REGION_EDGE) for tint, _ in drawn.parts])
        self._deviations.set_segments([_circle(r.position, r.deviation) for r in drawn.uncertain])
        self._deviations.set_color([to_rgba(frame.colours[r.leader], 0.6)
                                    for r in drawn.uncertain])
        self._label(drawn.labels)
        self._caption.set_text(drawing.caption(frame, start))
        self._note.set_text(frame.note)

    def pixels(self) -> NDArray[np.uint8]:
        """Return the image, shape (height, width, 3)."""
        self._agg.restore_region(self._background)
        for artist in (*self._moving, *self._labels):
            artist.draw(self._agg.get_renderer())
        return np.array(self._agg.buffer_rgba())[:, :, :3]

    def _label(self, labels: Sequence[Label]) -> None:
        """Write texts beside robots, in place of those of the frame before."""
        for annotation in self._labels:
            annotation.remove()
        self._labels = [self._axes.annotate(
            label.text, label.position, (0, label.above), textcoords='offset points', fontsize=11,
            fontweight='bold', color=formatting.NOTE if label.remark else drawing.INK,
            ha='center', va='center', path_effects=_HALO, animated=True) for label in labels]


def draw(frame: Frame, rings: Rings, path: Path, communication_range: float,
         start: float = 0.0) -> None:
    """
    Write the picture of a frame to a file (PNG).

    :param communication_range: robots within this distance are linked by a line [m].
    :param start: the origin of the time in the caption [s].
    :raises OSError: when the file cannot be written.
    """
    canvas = Canvas([frame], rings, PICTURE_WIDTH, communication_range)
    canvas.show(frame, start)
    with replacing(path) as temporary:
        Image.fromarray(canvas.pixels()).save(temporary, format='PNG', optimize=True)


def _spots(spots: PathCollection, robots: Sequence[RobotView], frame: Frame) -> None:
    """Place robots, hollow those without a mandate."""
    looks = [drawing.spot(robot, frame) for robot in robots]
    fills, edges, widths = zip(*looks) if looks else ((), (), ())
    spots.set_offsets(_array([r.position for r in robots]))
    spots.set_facecolor(fills)
    spots.set_edgecolor(edges)
    spots.set_linewidth(widths)


def _circle(centre: Position | None, radius: float) -> NDArray[np.float64]:
    """Return the outline of a circle [m], shape (points, 2)."""
    return np.array(centre) + radius * _UNIT_CIRCLE


def _array(places: Sequence[Position | None]) -> NDArray[np.float64]:
    return np.array([place for place in places if place is not None]).reshape(-1, 2)


ANIMATION_WIDTH = 800
"""[pixels]"""
RATE = 9.0
_GREYS = 32
_TINTS = (0.13, 0.3, 0.5, 0.75, 1.0)
"""Opacities of a leader's colour: regions, edges, outlines, robots."""
_LAST_FRAME = 2.0


def animate(frames: Sequence[Frame], rings: Rings, path: Path, communication_range: float,
            start: float = 0.0) -> None:
    """
    Write frames to an animated GIF, one after the other.

    :param frames: at least one.
    :param communication_range: robots within this distance are linked by a line [m].
    :param start: the origin of the times in the captions [s].
    :raises OSError: when the file cannot be written.
    """
    canvas = Canvas(frames, rings, ANIMATION_WIDTH, communication_range)

    def image(frame: Frame) -> Image.Image:
        canvas.show(frame, start)
        return reduced(Image.fromarray(canvas.pixels()))

    first, *others = [image(frame) for frame in frames]
    pauses = [round(1000 / RATE)] * len(others) + [round(1000 * _LAST_FRAME)]
    with replacing(path) as temporary:
        first.save(temporary, format='GIF', save_all=True, append_images=others, duration=pauses,
                   loop=0, optimize=True)


def reduced(image: Image.Image) -> Image.Image:
    """Return an image in the colours of leaders and in greys, which is a third of its size."""
    return image.quantize(palette=_palette(), dither=Image.Dither.NONE)


@cache
def _palette() -> Image.Image:
    """
    Return an image with the palette of all frames.

    One fixed palette: with a palette per frame, colours would flicker and leaders change theirs.
    """
    greys = np.linspace(0.0, 1.0, _GREYS)[:, np.newaxis].repeat(3, axis=1)
    tints = [1.0 - part * (1.0 - np.array(rgb))
             for rgb in (*formatting.PALETTE, formatting.NOTE) for part in _TINTS]
    colours = np.vstack([greys, tints])
    image = Image.new('P', (1, 1))
    image.putpalette(np.rint(colours * 255).astype(np.uint8).tobytes())
    return image
