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

from collections.abc import Mapping, Sequence
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
SIGNS = {'*': '★', 'o': '●', 'x': '×', '-': '—', '--': '╌'}
_FIT = """
const [left, bottom, right, top] = ['left', 'bottom', 'right', 'top'].map((k) => extent.data[k][0])
const labels = 24  // Pixels, so that those at the border are whole.
const metres = Math.max((right - left) / (figure.inner_width - 2 * labels),
                        (top - bottom) / (figure.inner_height - 2 * labels))
const fit = (range, centre, length) => range.setv({
  start: centre - length / 2, end: centre + length / 2,
  reset_start: centre - length / 2, reset_end: centre + length / 2})
if (isFinite(metres) && metres > 0) {
  fit(figure.x_range, (left + right) / 2, metres * figure.inner_width)
  fit(figure.y_range, (bottom + top) / 2, metres * figure.inner_height)
}
"""
"""JavaScript: fit the whole map to scale into a window of any shape."""


class SwarmMap:
    """
    A map, and the sources of its moving parts.

    :param frames: at least one. The visible area holds all of them, and the first is shown.
    :param rings: outlines of arena, obstacles and peaks.
    :param communication_range: robots within this distance are linked by a line [m], 0 for no
        lines.
    :ivar figure: the map.
    :ivar reach: the communication range [m]. It may change.
    :ivar sources: of the moving parts, by the names of :meth:`data`.
    :ivar robots: the renderers of robots and leaders.
    """

    def __init__(self, frames: Sequence[Frame], rings: Rings, communication_range: float) -> None:
        self.reach = communication_range
        self.figure = chart = empty_chart(
            aspect_ratio=1.0, max_height=800, tools=TOOLS, active_scroll='wheel_zoom',
            x_range=Range1d(start=0, end=1), y_range=Range1d(start=0, end=1),
            x_axis_label='x [m]', y_axis_label='y [m]', toolbar_location='above')
        self._static = {name: ColumnDataSource() for name in ('peaks', 'walls', 'arena')}
        self._extent = ColumnDataSource()
        self.draw_outlines(frames, rings)
        fit = CustomJS(args={'figure': chart, 'extent': self._extent}, code=_FIT)
        self._extent.js_on_change('data', fit)
        chart.js_on_change('inner_width', fit)
        chart.js_on_change('inner_height', fit)
        self.sources = {name: ColumnDataSource(data, name=name)
                        for name, data in self.data(frames[0]).items()}
        self.robots = self._draw(chart)
        chart.add_tools(HoverTool(renderers=self.robots, tooltips=[
            ('robot', '@id'), ('leader', '@leader')]))

    def _draw(self, chart: Any) -> list[Any]:
        """Draw all sources, the lowest first, and return the renderers of robots and leaders."""
        source, static = self.sources, self._static
        chart.patches('xs', 'ys', source=static['peaks'], color=hexadecimal(PEAK),
                      fill_alpha=REGION_FILL, line_dash='dashed')
        chart.patches('xs', 'ys', source=source['regions'], color='tint',
                      fill_alpha=REGION_FILL, line_alpha=REGION_EDGE, line_width=1.4)
        chart.patches('xs', 'ys', source=static['walls'], color=FAINT, fill_alpha=0.35)
        chart.multi_line('xs', 'ys', source=static['arena'], line_color=FAINT, line_width=2)
        chart.multi_line('xs', 'ys', source=source['parts'], line_color='tint',
                         line_alpha=REGION_EDGE)
        chart.segment('x0', 'y0', 'x1', 'y1', source=source['links'], line_color=LINK,
                      line_width=0.5, line_alpha=0.6)
        chart.multi_line('xs', 'ys', source=source['trails'], line_color='tint', line_alpha=0.5,
                         line_width=1.5)
        chart.circle('x', 'y', radius='radius', source=source['uncertain'], fill_color=None,
                     line_color='tint', line_alpha=0.6)
        chart.segment('x0', 'y0', 'x1', 'y1', source=source['truth'], line_color=FAINT)
        chart.scatter('x1', 'y1', source=source['truth'], size=8, fill_color=None,
                      line_color=FAINT, marker='diamond')
        chart.scatter('x', 'y', source=source['gone'], size=9, marker='x', line_width=2,
                      line_color=hexadecimal(GONE))
        spots = [chart.scatter('x', 'y', source=source[name], size=size, marker=marker,
                               fill_color='fill', line_color='edge', line_width='width')
                 for name, size, marker in (('robots', 9, 'circle'), ('leaders', 22, 'star'))]
        # An outline covers half of the strokes of its text, so it is a text of its own below.
        for style in ({'text_color': 'white', 'text_outline_color': 'white',
                       'text_outline_width': 3}, {'text_color': 'tint'}):
            chart.text('x', 'y', 'text', source=source['labels'], y_offset='below',
                       text_align='center', text_baseline='middle', text_font_size='12px',
                       text_font_style='bold', **style)
        return spots

    def draw_outlines(self, frames: Sequence[Frame], rings: Rings) -> None:
        """Draw the outlines, and fit the map to them, or else to all robots of these frames."""
        self._static['peaks'].data = _rings([((0, 0, 0), ring) for ring in rings.peaks])
        self._static['walls'].data = _rings([((0, 0, 0), ring) for ring in rings.obstacles])
        self._static['arena'].data = _rings([((0, 0, 0), ring) for ring in rings.arena])
        left, bottom, right, top = map(float, bounds(frames, rings))
        self._extent.data = {'left': [left], 'bottom': [bottom], 'right': [right], 'top': [top]}
        self.figure.aspect_ratio = min(max((right - left) / max(top - bottom, 1e-3), 0.7), 3.0)

    def data(self, frame: Frame,
             trails: Mapping[int, Sequence[Position]] | None = None) -> dict[str, Data]:
        """
        Return the data of all sources at a frame, by the name of the source.

        :param trails: points of each robot's recent path, by id [m].
        """
        drawn, robots = drawing(frame, self.reach), frame.snapshot.robots
        ways = [(frame.colours[robots[i].leader], path)
                for i, path in (trails or {}).items() if i in robots and len(path) > 1]
        errors = [(*robot.position, *frame.truth[i]) for i, robot in robots.items()
                  if robot.position is not None and i in frame.truth]
        return {
            'regions': _rings(drawn.regions), 'parts': _rings(drawn.parts),
            'links': lines(drawn.links), 'trails': _rings(ways), 'truth': lines(errors),
            'uncertain': {**_places(drawn.uncertain),
                          'radius': [robot.deviation for robot in drawn.uncertain],
                          'tint': [hexadecimal(frame.colours[robot.leader])
                                   for robot in drawn.uncertain]},
            'gone': _places(drawn.gone),
            'robots': _spots(drawn.robots, frame), 'leaders': _spots(drawn.leaders, frame),
            'labels': {
                'x': [label.position[0] for label in drawn.labels],
                'y': [label.position[1] for label in drawn.labels],
                'text': [label.text for label in drawn.labels],
                'below': [-label.above for label in drawn.labels],
                'tint': [hexadecimal(NOTE) if label.remark else INK for label in drawn.labels]}}

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


def legend_html(frames: Sequence[Frame], rings: Rings, communication_range: float) -> str:
    """Return the legend of these frames as HTML, without links if the range is 0."""
    return ' &ensp; '.join(
        f'<span style="color:{entry.colour}">'
        f'{"☆" if entry.hollow and entry.symbol == "*" else "○" if entry.hollow else sign}'
        f'</span> {entry.text}' for entry in legend(frames, rings, communication_range)
        for sign in [SIGNS.get(entry.symbol, '')]) + (
            ' &ensp; ◇ true position' if any(frame.truth for frame in frames) else '')


def lines(ends: Sequence[Any]) -> Data:
    """Return the columns of lines, of each the x and y of both ends [m]."""
    columns = np.array(ends, dtype=np.float32).reshape(-1, 4).T
    return dict(zip(('x0', 'y0', 'x1', 'y1'), columns))


def _rings(rings: Sequence[tuple[Colour, Sequence[Position]]]) -> Data:
    # To the millimetre: each digit is sent, or stored, for each corner.
    return {'xs': [[round(x, 3) for x, _ in ring] for _, ring in rings],
            'ys': [[round(y, 3) for _, y in ring] for _, ring in rings],
            'tint': [hexadecimal(tint) for tint, _ in rings]}


def _places(robots: Sequence[RobotView]) -> Data:
    places = np.array([robot.position for robot in robots], dtype=np.float32).reshape(-1, 2)
    return {'x': places[:, 0], 'y': places[:, 1], 'id': [robot.id for robot in robots]}


def _spots(robots: Sequence[RobotView], frame: Frame) -> Data:
    spots = [spot(robot, frame) for robot in robots]
    return {**_places(robots), 'leader': [robot.leader for robot in robots],
            'fill': [fill for fill, _, _ in spots], 'edge': [edge for _, edge, _ in spots],
            'width': [width for _, _, width in spots]}
