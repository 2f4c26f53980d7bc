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

from leader_election.election.robot.codec import Position
from leader_election.election.robot.zones import outline
from leader_election.swarm.snapshot import (
    acts_over,
    alarmed,
    links,
    orphans,
    positions,
    regions,
    RobotView,
)
from leader_election.swarm.view import formatting
from leader_election.swarm.view.frame import bounds, Frame, patrol_parts, Rings
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
"""Of the figure; text scales with it [inches]."""
_TALLEST = 1.4
"""The ratio of height to width of a world above which it is drawn narrower than the figure."""
_MARGIN = 0.45
"""Distance of a region's outline from its members [m]."""
_INK, _FAINT = '#2b2f36', '#8a9099'
_PEAK: formatting.Colour = formatting.colour(1)
_LEGEND_COLUMNS = 4
_UNIT_CIRCLE = np.column_stack([wave(np.linspace(0.0, 2.0 * np.pi, 97))
                                for wave in (np.cos, np.sin)])
_HALO = [withStroke(linewidth=2.5, foreground='white')]


class Canvas:
    """
    A figure on which frames are drawn one after the other; its artists are created once.

    :param frames: those that will be drawn: they decide on the visible area, and on the legend.
    :param rings: outlines of arena, obstacles and peaks.
    :param width: of the image [pixels].
    :param communication_range: robots within this distance are linked by a line [m].
    """

    def __init__(self, frames: Sequence[Frame], rings: Rings, width: int,
                 communication_range: float) -> None:
        self._range = communication_range
        left, bottom, right, top = bounds(frames, rings)
        pad = 0.02 * max(right - left, top - bottom)
        across, up = right - left + 2 * pad, top - bottom + 2 * pad
        entries = _legend(frames, rings)
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
        axes.set_xlabel('x [m]', color=_FAINT, labelpad=2)
        axes.set_ylabel('y [m]', color=_FAINT, labelpad=2)
        axes.tick_params(colors=_FAINT, length=3, labelsize=9)
        axes.spines[:].set_visible(False)
        axes.xaxis.set_major_locator(MaxNLocator(11, integer=True, steps=(1, 2, 5, 10)))
        axes.yaxis.set_major_locator(MaxNLocator(11, integer=True, steps=(1, 2, 5, 10)))

        figure.legend(handles=entries, loc='lower left', ncol=_LEGEND_COLUMNS, fontsize=9,
                      bbox_to_anchor=(aside / _WIDTH, 0.47 / height), frameon=False, borderpad=0.0,
                      handletextpad=0.4, columnspacing=1.4, labelcolor=_INK, labelspacing=0.3,
                      borderaxespad=0.0)
        for ring in rings.peaks:
            axes.fill(*zip(*ring), facecolor=to_rgba(_PEAK, 0.13), edgecolor=_PEAK,
                      linewidth=0.9, linestyle='--')
        for x, y in {tuple(np.mean(ring[:-1], axis=0).round(2)) for ring in rings.peaks}:
            axes.annotate('peak', (x, y), color=_PEAK, fontsize=10, ha='center', va='center',
                          path_effects=_HALO)
        static = list(axes.patches)

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
        self._gone = axes.scatter([], [], s=60, marker='x', color=formatting.GONE, linewidths=2)
        self._robots = axes.scatter([], [], s=62, linewidths=0.9)
        self._leaders = axes.scatter([], [], s=430, marker='*', linewidths=0.9)
        self._labels: list[Annotation] = []
        self._caption = figure.text(aside / _WIDTH, 0.25 / height, '', fontsize=11, color=_INK,
                                    verticalalignment='center')
        self._note = figure.text(1 - 0.12 / _WIDTH, 0.25 / height, '', fontsize=11,
                                 color=formatting.NOTE, fontweight='bold',
                                 verticalalignment='center', horizontalalignment='right')
        # The axes are drawn once and kept as background; only changing artists are drawn for each
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
        snapshot = frame.snapshot
        placed = [r for r in snapshot.robots.values() if r.position is not None]
        leaders = [r for r in placed if r.leader == r.id]
        _spots(self._robots, [r for r in placed if r.leader != r.id], frame, 'white')
        _spots(self._leaders, leaders, frame, _INK)
        self._gone.set_offsets(_array([r.position for r in snapshot.gone.values()]))
        self._links.set_segments([positions(snapshot, pair)
                                  for pair in links(snapshot, self._range)])
        # The region of a leader that raises an alarm has the colour of the note.
        members = [(formatting.NOTE if alarmed(snapshot, leader) else frame.colours[leader],
                    positions(snapshot, ids)) for leader, ids in regions(snapshot).items()]
        members = [(tint, places) for tint, places in members if places]
        self._regions.set_verts([np.array(outline(places, _MARGIN).exterior.coords)
                                 for _, places in members])
        self._regions.set_facecolor([to_rgba(tint, 0.13) for tint, _ in members])
        self._regions.set_edgecolor([to_rgba(tint, 0.75) for tint, _ in members])
        split = [(frame.colours[leader], ring)
                 for leader, rings in patrol_parts(snapshot).items() for ring in rings]
        self._parts.set_segments([ring for _, ring in split])
        self._parts.set_color([to_rgba(tint, 0.75) for tint, _ in split])
        uncertain = [r for r in placed if math.isfinite(r.deviation)]
        self._deviations.set_segments([_circle(r.position, r.deviation) for r in uncertain])
        self._deviations.set_color([to_rgba(frame.colours[r.leader], 0.6) for r in uncertain])
        alarms = {r.id for r in leaders if alarmed(snapshot, r.id)}
        shown = snapshot.robots | snapshot.gone
        self._label([
            *((f'{formatting.label(r)} alarm' if r.id in alarms else formatting.label(r),
               r.position, 15, formatting.NOTE if r.id in alarms else _INK) for r in leaders),
            *((text, shown[i].position, -15, formatting.NOTE) for i, text in frame.remarks.items()
              if i in shown)])
        lost, over = len(orphans(snapshot)), acts_over(snapshot)
        self._caption.set_text('  ·  '.join((
            f't = {snapshot.time - start:.1f} s', formatting.count(len(snapshot.robots), 'robot'),
            formatting.count(len(regions(snapshot)), 'region'),
            *([f'{len(snapshot.gone)} gone'] if snapshot.gone else []),
            *([f'{lost} without a leader'] if lost else []),
            *([formatting.mandate_text(over)] if over else []))))
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

    def _label(self, texts: Sequence[tuple[str, Position | None, int, Any]]) -> None:
        """Write texts at positions, shifted upwards by a number of points, in a colour."""
        placed = [(text, *rest) for text, *rest in texts if rest[0] is not None]
        while len(self._labels) < len(placed):
            self._labels.append(self._axes.annotate(
                '', (0, 0), (0, 15), textcoords='offset points', fontsize=11, fontweight='bold',
                color=_INK, ha='center', va='center', path_effects=_HALO, animated=True))
        for annotation in self._labels:
            annotation.set_visible(False)
        for annotation, (text, position, above, tint) in zip(self._labels, placed):
            annotation.xy = position
            annotation.set(text=text, position=(0, above), color=tint, visible=True)


def _legend(frames: Sequence[Frame], rings: Rings) -> list[Line2D]:
    """Return the entries of the legend: of what these frames have."""
    def entry(text: str, **style: Any) -> Line2D:
        return Line2D([], [], label=text, **{
            'color': _FAINT, 'linestyle': 'none', 'markersize': 7, **style})

    robots = [robot for frame in frames for robot in frame.snapshot.robots.values()]
    mandates = any(robot.term is not None for robot in robots)
    found = [entry('leader that acts' if mandates else 'leader', marker='*', markersize=11),
             entry("robot, in its leader's colour", marker='o'),
             entry('in radio range', linestyle='-', linewidth=0.8)]
    if mandates:
        found += [entry('leader that only leads', marker='*', markersize=11,
                        markerfacecolor='white'),
                  entry('robot under no mandate', marker='o', markerfacecolor='white')]
    if any(frame.snapshot.gone for frame in frames):
        found.append(entry('silent', marker='x', color=formatting.GONE, markeredgewidth=2))
    if any(math.isfinite(robot.deviation) for robot in robots):
        found.append(entry('standard deviation of a position', marker='o',
                           markerfacecolor='none', markersize=9))
    if any(math.isfinite(robot.members) for robot in robots if robot.leader == robot.id):
        found.append(entry('7 (12): leader 7 counts 12 robots'))
    if any(patrol_parts(frame.snapshot) for frame in frames[-1:]):
        found.append(entry('part of a patrol', linestyle='-', linewidth=1.8))
    if rings.peaks:
        found.append(entry('1/2, 9/10 of the peak', color=_PEAK, linestyle='--'))
    return found


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
    Image.fromarray(canvas.pixels()).save(path, format='PNG', optimize=True)


def _spots(spots: PathCollection, robots: Sequence[RobotView], frame: Frame, edge: str) -> None:
    """Place robots, hollow those without a mandate."""
    spots.set_offsets(_array([r.position for r in robots]))
    spots.set_facecolor([frame.colours[r.leader] if r.ruled else 'white' for r in robots])
    spots.set_edgecolor([edge if r.ruled else frame.colours[r.leader] for r in robots])
    spots.set_linewidth([0.9 if r.ruled else 1.8 for r in robots])


def _circle(centre: Position | None, radius: float) -> NDArray[np.float64]:
    """Return the outline of a circle [m], shape (points, 2)."""
    return np.array(centre) + radius * _UNIT_CIRCLE


def _array(places: Sequence[Position | None]) -> NDArray[np.float64]:
    return np.array([place for place in places if place is not None]).reshape(-1, 2)


ANIMATION_WIDTH = 800
"""[pixels]"""
RATE = 9.0
"""Frames a second."""
_GREYS = 32
_TINTS = (0.13, 0.3, 0.5, 0.75, 1.0)
"""Opacity of a leader's colour on white: in regions, on edges, in outlines, in robots."""
_LAST_FRAME = 2.0
"""Duration of the last frame [s]."""


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
        return Image.fromarray(canvas.pixels())

    save_gif([image(frame) for frame in frames], path)


def save_gif(images: Sequence[Image.Image], path: Path, rate: float = RATE) -> None:
    """
    Write images to an animated GIF in the colours of leaders and in greys.

    :param images: at least one, all of one size.
    :param rate: frames a second.
    :raises OSError: when the file cannot be written.
    """
    drawn = [reduced(image) for image in images]
    pauses = [round(1000 / rate)] * (len(drawn) - 1) + [round(1000 * _LAST_FRAME)]
    drawn[0].save(path, format='GIF', save_all=True, append_images=drawn[1:], duration=pauses,
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
