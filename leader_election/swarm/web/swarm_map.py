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

"""Map of a swarm by models of Bokeh: the content of pictures, trails and true positions."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from bokeh.models import ColumnDataSource, CustomJS, HoverTool, Range1d
from bokeh.plotting import figure
from leader_election.election.messages.codec import Position
from leader_election.swarm.snapshot import RobotView
from leader_election.swarm.view.drawing import (
    drawing,
    FAINT,
    INK,
    legend,
    LINK,
    PEAK,
    REGION_EDGE,
    REGION_FILL,
    spot,
)
from leader_election.swarm.view.formatting import Colour, GONE, hexadecimal, NOTE
from leader_election.swarm.view.frame import bounds, Frame, Rings
import numpy as np

TOOLS = 'pan,wheel_zoom,zoom_in,zoom_out,pan_left,pan_right,pan_up,pan_down,reset'
Data = dict[str, Any]
"""The columns of a source, all of one length, by name."""
ENDS = 'x0 y0 x1 y1'
"""The columns of lines between two places [m]."""
SIGNS = {'*': '★', 'o': '●', 'x': '×', '-': '—', '--': '╌'}


class SwarmMap:
    """
    A map, and the sources of its moving parts.

    :param frames: at least one. The visible area holds all of them, and the first is shown.
    :param rings: outlines of arena, obstacles and peaks.
    :param communication_range: robots within this distance are linked by a line [m], 0 for no
        lines.
    :param prefix: of the names of the sources, which distinguishes two maps on one page.
    :ivar figure: the map.
    :ivar reach: the communication range [m]. It may change.
    :ivar sources: of the moving parts, by the names of :meth:`data`.
    """

    def __init__(self, frames: Sequence[Frame], rings: Rings, communication_range: float,
                 prefix: str = '') -> None:
        self.reach = communication_range
        self.figure = chart = empty_chart(
            aspect_ratio=1.0, max_height=800, tools=TOOLS, active_scroll='wheel_zoom',
            x_range=Range1d(start=0, end=1), y_range=Range1d(start=0, end=1),
            x_axis_label='x [m]', y_axis_label='y [m]', toolbar_location='above')
        self._static = {name: ColumnDataSource() for name in ('peaks', 'walls', 'arena')}
        self._extent = ColumnDataSource()
        self.draw_outlines(frames, rings)
        fit = CustomJS(args={'figure': chart, 'extent': self._extent}, code='fit(figure, extent)')
        self._extent.js_on_change('data', fit)
        chart.js_on_change('inner_width', fit)
        chart.js_on_change('inner_height', fit)
        self.sources = {name: ColumnDataSource(data, name=prefix + name)
                        for name, data in self.data(frames[0]).items()}
        self._draw(chart)

    def _draw(self, chart: Any) -> None:
        """Draw all sources, the lowest first."""
        source = {**self._static, **self.sources}
        chart.patches('xs', 'ys', source=source['peaks'], color=hexadecimal(PEAK),
                      fill_alpha=REGION_FILL, line_dash='dashed')
        chart.patches('xs', 'ys', source=source['regions'], color='tint',
                      fill_alpha=REGION_FILL, line_alpha=REGION_EDGE, line_width=1.4)
        chart.patches('xs', 'ys', source=source['walls'], color=FAINT, fill_alpha=0.35)
        for name, tint, alpha, width in (
                ('arena', FAINT, 1, 2), ('parts', 'tint', REGION_EDGE, 1),
                ('trails', 'tint', 0.5, 1.5)):
            chart.multi_line('xs', 'ys', source=source[name], line_color=tint, line_alpha=alpha,
                             line_width=width)
        for name, tint, width in (('links', LINK, 0.5), ('truth', FAINT, 1)):
            chart.segment('x0', 'y0', 'x1', 'y1', source=source[name], line_color=tint,
                          line_width=width)
        chart.circle('x', 'y', radius='radius', source=source['uncertain'], fill_color=None,
                     line_color='tint', line_alpha=0.6)
        chart.scatter('x1', 'y1', source=source['truth'], size=8, fill_color=None,
                      line_color=FAINT, marker='diamond')
        chart.scatter('x', 'y', source=source['gone'], size=9, marker='x', line_width=2,
                      line_color=hexadecimal(GONE))
        robots = [chart.scatter('x', 'y', source=source[name], size=size, marker=marker,
                                fill_color='fill', line_color='edge', line_width='width')
                  for name, size, marker in (('robots', 9, 'circle'), ('leaders', 22, 'star'))]
        # An outline covers half of the strokes of its text, so it is a text of its own below.
        for style in ({'text_color': 'white', 'text_outline_color': 'white',
                       'text_outline_width': 3}, {'text_color': 'tint'}):
            chart.text('x', 'y', 'text', source=source['labels'], y_offset='below',
                       text_align='center', text_baseline='middle', text_font_size='12px',
                       text_font_style='bold', **style)
        chart.add_tools(HoverTool(renderers=robots, tooltips=[
            ('robot', '@id'), ('leader', '@leader')]))

    def draw_outlines(self, frames: Sequence[Frame], rings: Rings) -> None:
        """Draw the outlines, and fit the map to them, or else to all robots of these frames."""
        for name, outlines in zip(self._static, (rings.peaks, rings.obstacles, rings.arena)):
            self._static[name].data = _rings([((0, 0, 0), ring) for ring in outlines])
        left, bottom, right, top = map(float, bounds(frames, rings))
        self._extent.data = columns('left bottom right top', [(left, bottom, right, top)])
        self.figure.aspect_ratio = min(max((right - left) / max(top - bottom, 1e-3), 0.7), 3.0)

    def data(self, frame: Frame,
             trails: Mapping[int, Sequence[Position]] | None = None) -> dict[str, Data]:
        """
        Return the data of all sources at a frame, by the name of the source.

        :param trails: points of each robot's recent path, by id [m].
        """
        drawn, robots = drawing(frame, self.reach), frame.snapshot.robots
        tint = {leader: hexadecimal(each) for leader, each in frame.colours.items()}
        return {
            'regions': _rings(drawn.regions), 'parts': _rings(drawn.parts),
            'links': columns(ENDS, [(*one, *other) for one, other in drawn.links]),
            'trails': _rings([(frame.colours[robots[i].leader], path)
                              for i, path in (trails or {}).items()
                              if i in robots and len(path) > 1]),
            'truth': columns(ENDS, [
                (*robot.position, *frame.truth[i]) for i, robot in robots.items()
                if robot.position is not None and i in frame.truth]),
            'uncertain': columns('x y radius tint', [
                (*_place(robot), robot.deviation, tint[robot.leader])
                for robot in drawn.uncertain]),
            'gone': columns('x y id', [(*_place(robot), robot.id) for robot in drawn.gone]),
            **{name: columns('x y id leader fill edge width', [
                (*_place(robot), robot.id, robot.leader, *spot(robot, frame))
                for robot in shown])
               for name, shown in (('robots', drawn.robots), ('leaders', drawn.leaders))},
            'labels': columns('x y text below tint', [
                (*label.position, label.text, -label.above,
                 hexadecimal(NOTE) if label.remark else INK) for label in drawn.labels])}

    def show(self, data: Mapping[str, Data]) -> None:
        """Show the data of a frame."""
        for name, source in self.sources.items():
            source.data = data[name]


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


def add_legend(chart: Any) -> None:
    """Put the legend of a chart with labelled curves above it."""
    [found] = chart.legend
    found.update(label_text_color=FAINT, background_fill_color=None, border_line_color=None,
                 orientation='horizontal', padding=0)
    chart.add_layout(found, 'above')


def legend_html(frames: Sequence[Frame], rings: Rings, communication_range: float) -> str:
    """Return the legend of these frames as HTML, without links if the range is 0."""
    return ' &ensp; '.join(
        f'<span style="color:{entry.colour}">'
        f'{"☆" if entry.hollow and entry.symbol == "*" else "○" if entry.hollow else sign}'
        f'</span> {entry.text}' for entry in legend(frames, rings, communication_range)
        for sign in [SIGNS.get(entry.symbol, '')]) + (
            ' &ensp; ◇ true position' if any(frame.truth for frame in frames) else '')


def columns(names: str, rows: Sequence[Sequence[Any]]) -> Data:
    """
    Return rows as the columns of a source, with four bytes for each number that has a fraction.

    >>> columns('x id', [(0.5, 7), (1.5, 9)])
    {'x': array([0.5, 1.5], dtype=float32), 'id': [7, 9]}
    """
    found: Iterable[Sequence[Any]] = zip(*rows) if rows else ((),) * len(names.split())
    return {name: np.array(column, np.float32) if column and isinstance(column[0], float)
            else list(column) for name, column in zip(names.split(), found)}


def _rings(rings: Sequence[tuple[Colour, Sequence[Position]]]) -> Data:
    # To the millimetre: each digit is sent, or stored, for each corner.
    return columns('xs ys tint', [
        (*([round(along, 3) for along in ends] for ends in zip(*ring)), hexadecimal(tint))
        for tint, ring in rings])


def _place(robot: RobotView) -> Position:
    return robot.position or (float('nan'), float('nan'))
