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

"""Map of a swarm in characters, for the terminal."""

from collections.abc import Callable
from functools import lru_cache
from itertools import groupby
from operator import itemgetter

from leader_election.election.robot.codec import Position
from leader_election.swarm.snapshot import alarmed
from leader_election.swarm.view.formatting import GONE, hexadecimal
from leader_election.swarm.view.frame import bounds, Frame, Rings
import numpy as np
from numpy.typing import NDArray
from rich.text import Text
import shapely

LEGEND = '★ leader  • robot  × silent'
ROBOT, LEADER, SILENT, WALL, PEAK = '•', '★', '×', '▒', '·'
_ASPECT = 2.0
"""The ratio of height to width of a character."""
_WALL_STYLE, _PEAK_STYLE, _ALARM_STYLE = 'grey50', 'orange3', 'bold red'


def columns_for(frame: Frame, rings: Rings, rows: int) -> int:
    """Return the width of a map of this height [characters]."""
    left, bottom, right, top = bounds([frame], rings)
    return round(_ASPECT * rows * (right - left) / max(top - bottom, 1e-3))


def swarm_map(frame: Frame, rings: Rings, columns: int, rows: int) -> Text:
    """
    Return the swarm from above: robots in their leader's colour, leaders with their id.

    What is silent, and an alarm, are in words as well; obstacles are grey.

    :param columns: the width [characters], at least 1; the whole map is shown to scale.
    :param rows: the height [lines], at least 1.
    """
    extent = bounds([frame], rings)
    left, bottom, right, top = extent
    # Metres in the width of a character.
    scale = max((right - left) / columns, (top - bottom) / rows / _ASPECT, 1e-6)
    columns = max(min(columns, round((right - left) / scale)), 1)
    rows = max(min(rows, round((top - bottom) / scale / _ASPECT)), 1)
    cells = _Cells(columns, rows, lambda place: (
        int((place[0] - left) / scale), int((top - place[1]) / scale / _ASPECT)))
    peaks, walls = _background(rings, extent, columns, rows)
    for row, column in np.argwhere(peaks):
        cells.put(column, row, PEAK, _PEAK_STYLE)
    for row, column in np.argwhere(walls):
        cells.put(column, row, WALL, _WALL_STYLE)
    robots = [robot for robot in frame.snapshot.robots.values() if robot.position is not None]
    leaders = [robot for robot in robots if robot.leader == robot.id]
    labels: list[tuple[Position, str, str]] = []
    for robot in frame.snapshot.gone.values():
        if robot.position is not None:
            cells.mark(robot.position, SILENT, hexadecimal(GONE))
            labels += [(robot.position, frame.remarks.get(robot.id, ''), _ALARM_STYLE)]
    for robot in robots:
        assert robot.position is not None
        cells.mark(robot.position, ROBOT, hexadecimal(frame.colours[robot.leader]))
    for robot in leaders:
        assert robot.position is not None
        style = 'bold ' + hexadecimal(frame.colours[robot.id])
        cells.mark(robot.position, LEADER, style)
        alarm = alarmed(frame.snapshot, robot.id)
        labels.insert(0, (robot.position, f'{robot.id}{" alarm" if alarm else ""}',
                          _ALARM_STYLE if alarm else style))
    for place, text, style in labels:
        cells.label(place, text, style)
    return cells.text()


class _Cells:
    """A grid of characters with styles; what is outside of it is left out."""

    def __init__(self, columns: int, rows: int,
                 cell: Callable[[Position], tuple[int, int]]) -> None:
        self._size = columns, rows
        self._cell = cell
        self._cells: dict[tuple[int, int], tuple[str, str]] = {}

    def put(self, column: int, row: int, character: str, style: str) -> None:
        self._cells[column, row] = character, style

    def mark(self, place: Position, character: str, style: str) -> None:
        """Put a character at a place; what is at the edge is inside."""
        column, row = self._cell(place)
        if -1 <= column <= self._size[0] and -1 <= row <= self._size[1]:
            self.put(min(max(column, 0), self._size[0] - 1), min(max(row, 0), self._size[1] - 1),
                     character, style)

    def label(self, place: Position, text: str, style: str) -> None:
        """Write a text beside a place, where it covers no robot."""
        column, row = self._cell(place)
        row = min(max(row, 0), self._size[1] - 1)
        for begin in (column + 1, column - len(text)):
            span = [(begin + i, row) for i in range(len(text))]
            if 0 <= begin and begin + len(text) <= self._size[0] and all(
                    self._cells.get(cell, (WALL,))[0] in (WALL, PEAK) for cell in span):
                for (x, y), character in zip(span, text):
                    self.put(x, y, character, style)
                return

    def text(self) -> Text:
        columns, rows = self._size
        found = Text(no_wrap=True)
        for row in range(rows):
            line = (self._cells.get((column, row), (' ', '')) for column in range(columns))
            # Runs of one style, since rich takes long for many.
            for style, run in groupby(line, key=itemgetter(1)):
                found.append(''.join(map(itemgetter(0), run)), style)
            found.append('\n' if row < rows - 1 else '')
        return found


@lru_cache(maxsize=4)
def _background(rings: Rings, extent: tuple[float, float, float, float], columns: int,
                rows: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which cells are within a peak, and within walls, each of shape (rows, columns)."""
    left, bottom, right, top = extent
    x, y = np.meshgrid(left + (np.arange(columns) + 0.5) * (right - left) / columns,
                       top - (np.arange(rows) + 0.5) * (top - bottom) / rows)

    def within(polygons: tuple[tuple[Position, ...], ...]) -> NDArray[np.bool_]:
        shapes = [shapely.Polygon(ring) for ring in polygons if len(ring) > 2]
        return np.asarray(shapely.contains_xy(shapely.union_all(shapes), x, y))

    walls = within(rings.obstacles)
    if rings.arena:
        walls |= ~within(rings.arena)
    return within(rings.peaks), walls
