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


"""Map of a swarm by models of Bokeh: the content of pictures, trails, true positions, marks."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from bokeh.models import ColumnDataSource, DataRange1d, HoverTool
from bokeh.models.annotations import Arrow, VeeHead
from bokeh.plotting import figure
from leader_election.election.messages.codec import Position
from leader_election.swarm.snapshot import RobotView
from leader_election.swarm.view import drawing
from leader_election.swarm.view.drawing import FAINT, REGION_EDGE, REGION_FILL
from leader_election.swarm.view.formatting import Colour, GONE, hexadecimal, NOTE
from leader_election.swarm.view.frame import bounds, Frame, Rings
import numpy as np

TOOLS = 'pan,wheel_zoom,zoom_in,zoom_out,pan_left,pan_right,pan_up,pan_down,reset'
MARGIN = 0.1, 0.2
"""Shares of the map's width and height around the extent, for labels at its border."""
WARNING, ALARM = '#e69f00', hexadecimal(NOTE)
SIGNS = {'*': '★', 'o': '●', 'x': '×', '-': '—', '--': '╌'}
Data = dict[str, Any]
"""The columns of a source, all of one length, by name."""
COLUMNS = {
    **dict.fromkeys(('peaks', 'regions', 'walls', 'arena', 'parts', 'trails'), 'xs ys tint'),
    **dict.fromkeys(('links', 'mutual', 'one_way', 'truth'), 'x y x1 y1'),
    **dict.fromkeys(('robots', 'leaders'), 'x y id leader fill edge width'),
    'labels': 'x y text below tint', 'uncertain': 'x y radius tint', 'radii': 'x y radius',
    'found': 'x y tint', 'gone': 'x y id', 'chosen': 'x y', 'way': 'x y',
    'extent': 'left right top bottom'}
"""The columns of each source of a map. It is fitted to its extent."""
LINES: Sequence[tuple[str, str, str, float, float, str, dict[str, Any]]] = (
    ('quad', 'extent', FAINT, 0, 0, 'solid', {'fill_alpha': 0}),
    ('patches', 'peaks', hexadecimal(drawing.PEAK), 1, 1, 'dashed', {'fill_alpha': REGION_FILL}),
    ('patches', 'regions', 'tint', 1.4, REGION_EDGE, 'solid', {'fill_alpha': REGION_FILL}),
    ('patches', 'walls', FAINT, 1, 1, 'solid', {'fill_alpha': 0.35}),
    ('multi_line', 'arena', FAINT, 2, 1, 'solid', {}),
    ('multi_line', 'parts', 'tint', 1, REGION_EDGE, 'solid', {}),
    ('multi_line', 'trails', 'tint', 1.5, 0.5, 'solid', {}),
    ('segment', 'links', drawing.LINK, 0.5, 1, 'solid', {}),
    ('segment', 'mutual', FAINT, 1.5, 1, 'solid', {}),
    ('segment', 'truth', FAINT, 1, 1, 'solid', {}),
    ('circle', 'uncertain', 'tint', 1, 0.6, 'solid', {'fill_color': None}),
    ('circle', 'radii', FAINT, 1, 1, 'dashed', {'fill_color': None}),
    ('line', 'way', ALARM, 3, 1, 'dotted', {}))
"""Glyph, source, colour, width, opacity, dash and filling of lines, the lowest first."""
SYMBOLS = (
    ('truth', 'diamond', 8, FAINT, 1, None), ('gone', 'x', 9, hexadecimal(GONE), 2, None),
    ('found', 'circle', 20, 'tint', 3, None), ('chosen', 'circle', 28, ALARM, 3, None),
    ('robots', 'circle', 9, 'edge', 'width', 'fill'),
    ('leaders', 'star', 22, 'edge', 'width', 'fill'))
"""Source, shape, size, and colour, width and filling of the edge of symbols."""


class SwarmMap:
    """
    A map, empty until data are shown.

    :param prefix: of the names of the sources, which distinguishes two maps on one page.
    :ivar figure: the map.
    :ivar sources: of its parts, by the names of :data:`COLUMNS`.
    """

    def __init__(self, prefix: str = '') -> None:
        self.figure = chart = empty_chart(
            name=f'{prefix}map', aspect_ratio=1.0, max_height=800, tools=TOOLS,
            active_scroll='wheel_zoom', match_aspect=True, toolbar_location='above',
            x_range=DataRange1d(range_padding=MARGIN[0]), x_axis_label='x [m]',
            y_range=DataRange1d(range_padding=MARGIN[1]), y_axis_label='y [m]')
        self.sources = {name: ColumnDataSource(columns(names, ()), name=prefix + name)
                        for name, names in COLUMNS.items()}
        for glyph, name, tint, width, alpha, dash, filling in LINES:
            ends = [each for each in COLUMNS[name].split() if each != 'tint']
            if filling:
                filling = {'fill_color': tint, **filling}
            drawn = getattr(chart, glyph)(
                *ends, source=self.sources[name], line_color=tint, line_width=width,
                line_alpha=alpha, line_dash=dash, **filling)
            if name == 'extent':
                chart.x_range.renderers = chart.y_range.renderers = [drawn]
        robots = [chart.scatter('x', 'y', source=self.sources[name], marker=shape, size=size,
                                line_color=tint, line_width=width, fill_color=fill)
                  for name, shape, size, tint, width, fill in SYMBOLS][-2:]
        chart.add_tools(HoverTool(renderers=robots, tooltips=[
            ('robot', '@id'), ('leader', '@leader')]))
        chart.add_layout(Arrow(
            x_start='x', y_start='y', x_end='x1', y_end='y1', source=self.sources['one_way'],
            line_color=WARNING, line_width=3,  # type: ignore[call-arg]
            end=VeeHead(size=14, line_color=WARNING, fill_color=WARNING)))
        # An outline covers half of the strokes of its text, so it is a text of its own below.
        for style in ({'text_color': 'white', 'text_outline_color': 'white',
                       'text_outline_width': 3}, {'text_color': 'tint'}):
            chart.text('x', 'y', 'text', source=self.sources['labels'], y_offset='below',
                       text_align='center', text_baseline='middle', text_font_size='12px',
                       text_font_style='bold', **style)

    def fit(self, frames: Sequence[Frame], rings: Rings) -> None:
        """Show the outlines, and fit the map to them, or else to all robots of these frames."""
        left, bottom, right, top = map(float, bounds(frames, rings))
        self.show(tabulated({
            'extent': [(left, right, top, bottom)],
            **{name: _tinted([((0, 0, 0), ring) for ring in outlines])
               for name, outlines in zip(('arena', 'walls', 'peaks'), rings)}}))
        self.figure.aspect_ratio = min(max((right - left) / max(top - bottom, 1e-3), 0.7), 3.0)

    def show(self, data: Mapping[str, Data]) -> None:
        """Show the data of some sources."""
        for name, each in data.items():
            self.sources[name].data = each


def map_data(frame: Frame, reach: float,
             trails: Mapping[int, Sequence[Position]] | None = None) -> dict[str, Data]:
    """
    Return the data of a map at a frame, by the name of the source.

    :param reach: robots within this distance are linked by a line [m], 0 for no lines.
    :param trails: points of each robot's recent path, by id [m].
    """
    drawn, robots = drawing.drawing(frame, reach), frame.snapshot.robots
    tint = {leader: hexadecimal(each) for leader, each in frame.colours.items()}
    return tabulated({
        'regions': _tinted(drawn.regions), 'parts': _tinted(drawn.parts),
        'links': [(*one, *other) for one, other in drawn.links],
        'trails': _tinted([(frame.colours[robots[i].leader], path)
                           for i, path in (trails or {}).items()
                           if i in robots and len(path) > 1]),
        'truth': [(*frame.truth[i], *robot.position) for i, robot in robots.items()
                  if robot.position is not None and i in frame.truth],
        'uncertain': [(*_place(robot), robot.deviation, tint[robot.leader])
                      for robot in drawn.uncertain],
        'gone': [(*_place(robot), robot.id) for robot in drawn.gone],
        **{name: [(*_place(robot), robot.id, robot.leader, *drawing.spot(robot, frame))
                  for robot in shown]
           for name, shown in (('robots', drawn.robots), ('leaders', drawn.leaders))},
        'labels': [(*label.position, label.text, -label.above,
                    ALARM if label.remark else drawing.INK) for label in drawn.labels]})


def empty_chart(**options: Any) -> Any:
    """Return a chart without content, readable on a white and on a dark page."""
    chart: Any = figure(sizing_mode='stretch_width', background_fill_color=None,
                        border_fill_color=None, outline_line_color=None, **options)
    chart.axis.axis_label_text_color = chart.axis.major_label_text_color = FAINT
    chart.axis.axis_line_color = chart.axis.minor_tick_line_color = None
    chart.axis.major_tick_line_color = FAINT
    chart.grid.grid_line_color = None
    chart.toolbar.logo = None
    return chart


def line_chart(label: str, curves: Sequence[tuple[str, str, str, Mapping[str, Any]]]
               ) -> tuple[str, Any]:
    """
    Return the legend as HTML, and the chart, of curves over time.

    :param label: of the axis of values.
    :param curves: label, colour, dash and data of each, by the arguments of a line of Bokeh.
    """
    chart = empty_chart(name='charts', height=200, tools='xpan,xwheel_zoom,reset',
                        x_axis_label='time [s]', y_axis_label=label)
    for _, tint, dash, data in curves:
        chart.line(**data, color=tint, line_width=2, line_dash=dash)
    return ' &ensp; '.join(
        f'<span style="color:{tint}">{SIGNS["-" if dash == "solid" else "--"]}</span>&nbsp;{name}'
        for name, tint, dash, _ in curves), chart


def legend_html(frames: Sequence[Frame], rings: Rings, communication_range: float) -> str:
    """Return the legend of these frames as HTML, without links if the range is 0."""
    return ' &ensp; '.join(
        f'<span style="color:{entry.colour}">'
        f'{"☆" if entry.hollow and entry.symbol == "*" else "○" if entry.hollow else sign}'
        f'</span>&nbsp;{entry.text}'
        for entry in drawing.legend(frames, rings, communication_range)
        for sign in [SIGNS.get(entry.symbol, '')]) + (
            ' &ensp; ◇&nbsp;true position' if any(frame.truth for frame in frames) else '')


def tabulated(rows: Mapping[str, Sequence[Sequence[Any]]]) -> dict[str, Data]:
    """Return the data of sources of a map from their rows, by the name of the source."""
    return {name: columns(COLUMNS[name], each) for name, each in rows.items()}


def columns(names: str, rows: Sequence[Sequence[Any]]) -> Data:
    """
    Return rows as the columns of a source, with four bytes for each number that has a fraction.

    >>> columns('x id', [(0.5, 7), (1.5, 9)])
    {'x': array([0.5, 1.5], dtype=float32), 'id': [7, 9]}
    """
    found: Iterable[Sequence[Any]] = zip(*rows) if rows else ((),) * len(names.split())
    return {name: np.array(column, np.float32) if column and isinstance(column[0], float)
            else list(column) for name, column in zip(names.split(), found)}


def _tinted(rings: Sequence[tuple[Colour, Sequence[Position]]]) -> list[tuple[Any, ...]]:
    # To the millimetre: each digit is sent, or stored, for each corner.
    return [(*([round(along, 3) for along in ends] for ends in zip(*ring)), hexadecimal(tint))
            for tint, ring in rings]


def _place(robot: RobotView) -> Position:
    return robot.position or (float('nan'), float('nan'))
