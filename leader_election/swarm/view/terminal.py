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

"""A swarm in the terminal: a table and a map in characters, or one line without a terminal."""

from collections.abc import Callable
from functools import lru_cache, partial
from itertools import groupby
import math
from operator import itemgetter

from leader_election.election.messages.codec import Position
from leader_election.swarm.history import Statistics
from leader_election.swarm.snapshot import acts_over, alarmed, member_counts, regions, Snapshot
from leader_election.swarm.view import formatting
from leader_election.swarm.view.frame import bounds, facts, Frame, Rings
import numpy as np
from numpy.typing import NDArray
from rich.box import SIMPLE_HEAD
from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text
import shapely

LEGEND = '★ leader  • robot  × silent'
MANDATES = '★ acts ☆ not • mandate ◦ not × silent'
ROBOT, LEADER, SILENT, WALL, PEAK = '•', '★', '×', '▒', '·'
UNRULED, IDLE = '◦', '☆'
"""A robot without a mandate, and a leader that may not act."""
_ASPECT = 2.0
_WALL_STYLE, _PEAK_STYLE, _ALARM_STYLE = 'grey50', 'orange3', 'bold red'


def columns_for(frame: Frame, rings: Rings, rows: int) -> int:
    """Return the width of a map of this height [characters]."""
    left, bottom, right, top = bounds([frame], rings)
    return round(_ASPECT * rows * (right - left) / max(top - bottom, 1e-3))


def swarm_map(frame: Frame, rings: Rings, columns: int, rows: int) -> Text:
    """
    Return the swarm from above: robots in their leader's colour, leaders with their id.

    Remarks and alarms are written as words, too. Obstacles are grey.

    :param columns: the width [characters], at least 1. The whole map is shown to scale.
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
    for marked, *look in zip(_background(rings, extent, columns, rows), (PEAK, WALL),
                             (_PEAK_STYLE, _WALL_STYLE)):
        for row, column in np.argwhere(marked):
            cells.put(column, row, *look)
    labels: list[tuple[Position, str, str]] = []
    for robot in frame.snapshot.gone.values():
        if robot.position is not None:
            cells.mark(robot.position, SILENT, formatting.hexadecimal(formatting.GONE))
            labels += [(robot.position, frame.remarks.get(robot.id, ''), _ALARM_STYLE)]
    placed = [(robot.leader == robot.id, robot, robot.position)
              for robot in frame.snapshot.robots.values() if robot.position is not None]
    # Leaders are above the others.
    for leads, robot, place in sorted(placed, key=itemgetter(0)):
        symbols = (LEADER, IDLE) if leads else (ROBOT, UNRULED)
        style = 'bold ' * leads + formatting.hexadecimal(frame.colours[robot.leader])
        cells.mark(place, symbols[not robot.ruled], style)
        if leads:
            alarm = alarmed(frame.snapshot, robot.id)
            labels.insert(0, (place, f'{robot.id}{" alarm" if alarm else ""}',
                              _ALARM_STYLE if alarm else style))
    for place, text, style in labels:
        cells.label(place, text, style)
    return cells.text()


class _Cells:
    """A grid of characters with styles. Characters outside of it are dropped."""

    def __init__(self, columns: int, rows: int,
                 cell: Callable[[Position], tuple[int, int]]) -> None:
        self._size = columns, rows
        self._cell = cell
        self._cells: dict[tuple[int, int], tuple[str, str]] = {}

    def put(self, column: int, row: int, character: str, style: str) -> None:
        self._cells[column, row] = character, style

    def mark(self, place: Position, character: str, style: str) -> None:
        """Put a character at a place, which may be on the edge."""
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
    """Return the cells of peaks and of walls, each of shape (rows, columns)."""
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


_COLUMNS = 40
"""Width of the table without mandates and decisions [characters]."""
_ACTS = 11
"""Width of the column of mandates [characters]."""
_DECISION = 22
"""How much wider a table with decisions is at least [characters]."""
_MOST_ROWS = 24
"""The most rows of a table, since further rows are slow to draw and unread."""
_LEAST_MAP = 19
_NAME = 13
"""The length of the namespace of a leader [characters]."""
_NO_OUTLINES = Rings()
_AROUND = 4
"""Lines of a table above and below its rows."""


def render(frame: Frame, statistics: Statistics, size: tuple[int, int] = (100, 30),
           rings: Rings = _NO_OUTLINES, title: str = 'swarm', keys: str = '') -> RenderableType:
    """
    Return the view: a table of regions, totals, the note of the frame and a map.

    The largest regions and the lowest ids come first. Those without room are counted. The map is
    beside the table, or below it, or left out where there is no room.

    :param size: of the terminal [characters, lines].
    :param rings: outlines for the map.
    :param title: at the top.
    :param keys: the keys that may be pressed, at the bottom.
    """
    panel = partial(Panel, title=title, title_align='left', subtitle=' · '.join(
        filter(None, (keys, f't = {statistics.duration:.1f} s'))), subtitle_align='right',
        border_style='dim', width=size[0])
    across, down = size[0] - 4, size[1] - 3
    snapshot = frame.snapshot
    counts, mandates = bool(member_counts(snapshot)), _ACTS if acts_over(snapshot) else 0
    totals, lines = _totals(frame, statistics, across)
    rows, most = down - lines - 2, min(down - lines - _AROUND, _MOST_ROWS)
    below = rows - _AROUND - min(len(regions(snapshot)), most)
    placed = any(robot.position is not None for robot in snapshot.robots.values())
    table = _table(frame, most)
    names = _NAME * any(robot.name for robot in snapshot.robots.values())
    columns = min(across - 6 - _COLUMNS - _DECISION * counts - mandates - names,
                  columns_for(frame, rings, rows))
    if placed and columns >= _LEAST_MAP:
        return panel(Group(_beside(table, frame, rings, across, columns, rows), *totals))
    if placed and min(columns_for(frame, rings, below), across) >= _LEAST_MAP:
        return panel(Group(table, *totals, _map(frame, rings, across - 4, below)))
    return panel(Group(table, *totals))


def _beside(left: RenderableType, frame: Frame, rings: Rings, across: int, columns: int,
            rows: int) -> Table:
    """Return the map at the right of a table."""
    # With fixed widths, since rich takes long to measure.
    grid = Table.grid(padding=(0, 2, 0, 0))
    for width in (across - columns - 6, columns + 4):
        grid.add_column(width=width)
    grid.add_row(left, _map(frame, rings, columns, rows))
    return grid


def _map(frame: Frame, rings: Rings, columns: int, rows: int) -> Panel:
    drawn = swarm_map(frame, rings, columns, rows)
    legend = MANDATES if acts_over(frame.snapshot) else LEGEND
    return Panel(drawn, title='map', subtitle=legend, border_style='dim',
                 width=len(drawn.plain.partition('\n')[0]) + 4)


def line(frame: Frame, statistics: Statistics) -> str:
    """Return the view as one plain line, for output without a terminal."""
    snapshot = frame.snapshot
    told = list(facts(frame, statistics))
    if member_counts(snapshot):
        told.append(collected(snapshot))
    told += filter(None, (frame.warning, frame.note, frame.upcoming and f'next: {frame.upcoming}'))
    return ' · '.join(told)


def _table(frame: Frame, rows: int) -> Table:
    """Return the table of regions in at most so many rows."""
    robots, counts = frame.snapshot.robots, member_counts(frame.snapshot)
    over = acts_over(frame.snapshot)
    names = ['leader', 'strength', 'robots', *['mandate'] * bool(over),
             *(['counted', 'decision'] if counts else ['extent'])]
    table = Table(box=SIMPLE_HEAD, expand=True, pad_edge=False)
    for name in names:
        table.add_column(
            name, no_wrap=True, min_width=len(name), overflow='ellipsis',
            justify='left' if name in ('leader', 'decision') else 'right',
            ratio=1 if name == ('decision' if 'decision' in names else 'leader') else None)
    largest = sorted(regions(frame.snapshot).items(), key=lambda item: (-len(item[1]), item[0]))
    shown = largest if len(largest) <= rows else largest[:max(rows - 1, 1)]
    for leader, members in shown:
        style = formatting.hexadecimal(frame.colours.get(leader, formatting.GONE))
        label = Text(f'● {leader}', style=f'bold {style}')
        if leader not in robots:
            label.append(' gone', style='bold red')
        elif alarmed(frame.snapshot, leader):
            label.append(' alarm', style='bold red')
        view = robots.get(leader) or frame.snapshot.gone.get(leader)
        if view is not None and view.name:
            label.append(formatting.shortened(f' {view.name}', _NAME))
        value = robots[members[0]].value
        extent = max(robots[i].distance for i in members)
        cells: dict[str, Text | str] = {
            'leader': label, 'robots': str(len(members)),
            # Not every algorithm exports the strength of a leader.
            'strength': '' if math.isnan(value) else f'{-value:.4g}',
            'mandate': '{} of {}'.format(*over.get(leader, (0, 0))),
            'counted': f'{counts[leader]:.0f}' if leader in counts else '',
            'extent': '' if math.isinf(extent) else f'{extent:.2f} m',
            'decision': Text(robots[leader].decision if leader in counts else '')}
        table.add_row(*(cells[name] for name in names))
    if len(shown) < len(largest):
        others = largest[len(shown):]
        table.add_row(Text(f'+ {len(others)} more', style='dim'), '',
                      str(sum(len(members) for _, members in others)))
    return table


def _totals(frame: Frame, statistics: Statistics, width: int) -> tuple[list[Text], int]:
    """Return figures of the whole swarm, news and what comes next, and their height [lines]."""
    figures = Text(' · ').join(Text(fact) for fact in facts(frame, statistics))
    figures.highlight_regex(r'[1-9]\d* without a leader', 'bold red')
    totals = [figures]
    if member_counts(frame.snapshot):
        totals.append(Text(collected(frame.snapshot)))
    totals += [Text(text, style=style) for text, style in (
        (frame.warning, 'bold red'), (frame.note, 'bold'), (frame.news, ''),
        (frame.upcoming and f'next: {frame.upcoming}', 'italic')) if text]
    console = Console(width=width)
    return totals, sum(len(text.wrap(console, width)) for text in totals)


def collected(snapshot: Snapshot) -> str:
    """Return the names of the tasks, and the sum of all leaders' counts, rounded."""
    total = sum(member_counts(snapshot).values())
    names = ', '.join(sorted({task for robot in snapshot.robots.values() for task in robot.tasks}))
    return (f'{names}: ' if names else '') + (
        f'the leaders count {total:.0f} robots, {len(snapshot.robots)} are heard')
