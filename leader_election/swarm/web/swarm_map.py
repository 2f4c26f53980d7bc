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
"""Charts by models of Bokeh: the map of a swarm, and the timeline of the leaders of all robots."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from bokeh.models import ColumnDataSource, DataRange1d, FactorRange
from bokeh.plotting import figure
from leader_election.election.messages.codec import Position
from leader_election.swarm.snapshot import RobotView
from leader_election.swarm.view import frame as drawing
from leader_election.swarm.view.formatting import GONE, hexadecimal, NOTE
from leader_election.swarm.view.frame import FAINT, Frame, History, Rings
import numpy as np

ALARM = hexadecimal(NOTE)
Data = dict[str, Any]
"""The columns of a source, all of one length, by name."""
SPOT = 'x y id fill_color line_color line_width'
LAYERS: Mapping[str, tuple[str, str, Mapping[str, Any]]] = {
    'extent': ('quad', 'left right top bottom', {'line_width': 0, 'fill_alpha': 0}),
    'peaks': ('patches', 'xs ys', {
        'color': hexadecimal(drawing.PEAK), 'line_dash': 'dashed',
        'fill_alpha': drawing.REGION_FILL}),
    'regions': ('patches', 'xs ys color', {
        'line_width': 1.4, 'line_alpha': drawing.REGION_EDGE, 'fill_alpha': drawing.REGION_FILL}),
    'walls': ('patches', 'xs ys', {'color': FAINT, 'fill_alpha': 0.35}),
    'arena': ('multi_line', 'xs ys', {'color': FAINT, 'line_width': 2}),
    'links': ('segment', 'x0 y0 x1 y1', {'color': drawing.LINK, 'line_width': 0.5}),
    'truth': ('segment', 'x0 y0 x1 y1', {'color': FAINT}),
    'uncertain': ('circle', 'x y radius line_color', {'line_alpha': 0.6, 'fill_color': None}),
    'radii': ('circle', 'x y radius', {
        'line_color': FAINT, 'line_dash': 'dashed', 'fill_color': None}),
    'way': ('line', 'x y', {'color': ALARM, 'line_width': 3, 'line_dash': 'dotted'}),
    'gone': ('scatter', 'x y id', {
        'marker': 'x', 'size': 9, 'line_color': hexadecimal(GONE), 'line_width': 2}),
    'chosen': ('scatter', 'x y', {
        'size': 28, 'line_color': ALARM, 'line_width': 3, 'fill_color': None}),
    'robots': ('scatter', SPOT, {'size': 9}),
    'leaders': ('scatter', SPOT, {'size': 22, 'marker': 'star'}),
    'labels': ('text', 'x y text y_offset text_color', {
        'anchor': 'center', 'text_font_size': '12px', 'text_font_style': 'bold',
        'background_fill_color': 'white', 'background_fill_alpha': 0.8, 'padding': 1})}
"""Glyph, columns and look of each part, the lowest first. Columns but ids are properties."""


class SwarmMap:
    """
    A map, empty until data are shown.

    :ivar figure: the map.
    :ivar sources: of its parts, by the names of :data:`LAYERS`.
    """

    def __init__(self) -> None:
        self.figure = chart = empty_chart(
            name='map', aspect_ratio=1.0, max_height=800, tools='pan,wheel_zoom,reset',
            active_scroll='wheel_zoom', match_aspect=True, min_border_top=12,
            # Shares of the extent, for labels at its border.
            x_range=DataRange1d(range_padding=0.1), x_axis_label='x [m]',
            y_range=DataRange1d(range_padding=0.2), y_axis_label='y [m]')
        self.sources = {name: ColumnDataSource(columns(names, ()), name=name)
                        for name, (_, names, _) in LAYERS.items()}
        drawn = [getattr(chart, glyph)(source=self.sources[name], **look, **{
            each: each for each in names.split() if each != 'id'})
            for name, (glyph, names, look) in LAYERS.items()]
        chart.scatter('x0', 'y0', source=self.sources['truth'], marker='diamond', size=8,
                      color=FAINT, level='underlay')
        chart.x_range.renderers = chart.y_range.renderers = drawn[:1]

    def fit(self, frames: Sequence[Frame], rings: Rings) -> None:
        """Show the outlines, and fit the map to them, or else to all robots of these frames."""
        left, bottom, right, top = map(float, drawing.bounds(frames, rings))
        self.show(tabulated({
            'extent': [(left, right, top, bottom)],
            'arena': map(_corners, rings.arena), 'walls': map(_corners, rings.obstacles),
            'peaks': map(_corners, rings.peaks)}))
        self.figure.aspect_ratio = min(max((right - left) / max(top - bottom, 1e-3), 0.7), 3.0)

    def show(self, data: Mapping[str, Data]) -> None:
        """Show the data of some sources."""
        for name, each in data.items():
            self.sources[name].data = each


def map_data(frame: Frame, reach: float) -> dict[str, Data]:
    """
    Return the data of a map at a frame, by the name of the source.

    :param reach: robots within this distance are linked by a line [m], 0 for no lines.
    """
    drawn, robots = drawing.drawing(frame, reach), frame.snapshot.robots
    return tabulated({
        'regions': [(*_corners(ring), hexadecimal(tint))
                    for tint, ring in (*drawn.regions, *drawn.parts)],
        'links': [(*one, *other) for one, other in drawn.links],
        'truth': [(*frame.truth[i], *robot.position) for i, robot in robots.items()
                  if robot.position is not None and i in frame.truth],
        'uncertain': [(*_place(robot), robot.deviation, hexadecimal(frame.colours[robot.leader]))
                      for robot in drawn.uncertain],
        'gone': [(*_place(robot), robot.id) for robot in drawn.gone],
        **{name: [(*_place(robot), robot.id, *drawing.spot(robot, frame)) for robot in shown]
           for name, shown in (('robots', drawn.robots), ('leaders', drawn.leaders))},
        'labels': [(*label.position, label.text, -label.above,
                    ALARM if label.remark else drawing.INK) for label in drawn.labels]})


def empty_chart(**options: Any) -> Any:
    """Return a chart without content, readable on a white and on a dark page."""
    chart: Any = figure(sizing_mode='stretch_width', background_fill_color=None,
                        border_fill_color=None, outline_line_color=None, **options)
    for axis in chart.axis:
        axis.update(
            axis_label_text_color=FAINT, major_label_text_color=FAINT, axis_line_color=None,
            major_tick_line_color=FAINT, minor_tick_line_color=None)
    chart.grid.grid_line_color = None
    chart.toolbar.logo = None
    return chart


def legend_html(frames: Sequence[Frame], rings: Rings, communication_range: float) -> str:
    """Return the legend of these frames as HTML, without links if the range is 0."""
    return ' &ensp; '.join(
        [*(f'<span style="color:{entry.colour}">{entry.sign}</span>&nbsp;{entry.text}'
           for entry in drawing.legend(frames, rings, communication_range)),
         *['◇&nbsp;true position, below the robot'] * any(frame.truth for frame in frames)])


def tabulated(rows: Mapping[str, Iterable[Sequence[Any]]]) -> dict[str, Data]:
    """Return the data of sources of a map from their rows, by the name of the source."""
    return {name: columns(LAYERS[name][1], [*each]) for name, each in rows.items()}


def columns(names: str, rows: Sequence[Sequence[Any]]) -> Data:
    """
    Return rows as the columns of a source, with four bytes for each number that has a fraction.

    >>> columns('x id', [(0.5, 7), (1.5, 9)])
    {'x': array([0.5, 1.5], dtype=float32), 'id': [7, 9]}
    """
    found: Iterable[Sequence[Any]] = zip(*rows) if rows else ((),) * len(names.split())
    return {name: np.array(column, np.float32) if column and isinstance(column[0], float)
            else list(column) for name, column in zip(names.split(), found)}


def _corners(ring: Sequence[Position]) -> Sequence[Sequence[float]]:
    # To the millimetre: each digit is sent, or stored, for each corner.
    return [[round(along, 3) for along in ends] for ends in zip(*ring)]


def _place(robot: RobotView) -> Position:
    return robot.position or (float('nan'), float('nan'))


def bars_data(history: History) -> Data:
    """Return the columns of the bars, with a row a robot, in the order of its last leader."""
    last = {bar.robot: bar.leader for bar in history.bars}
    bars = sorted(history.bars, reverse=True, key=lambda bar: (
        last[bar.robot], bar.robot != last[bar.robot], bar.robot))
    begin = history.now - history.span
    return columns('robot leader left right tint edge', [
        (str(bar.robot), bar.leader, max(bar.left, begin), bar.right, bar.tint,
         drawing.INK if bar.robot == bar.leader else None) for bar in bars])


class Timeline:
    """A chart of one row a robot, in the colours of its leaders. Bars of leaders have an edge."""

    def __init__(self) -> None:
        self.source = ColumnDataSource(bars_data(History()))
        self.figure = chart = empty_chart(
            name='timeline', height=200, tools='xpan,xwheel_zoom,reset', x_axis_label='time [s]',
            y_axis_label='robots', y_range=FactorRange(),
            tooltips='robot @robot follows @leader from @left{0.0} to @right{0.0} s')
        chart.yaxis.update(major_label_text_font_size='9px', major_tick_line_color=None)
        chart.hbar(y='robot', left='left', right='right', height=1.0, fill_color='tint',
                   line_color='edge', line_width=0.5, source=self.source)

    def show(self, data: Data) -> None:
        """Show the bars of a history (:func:`bars_data`) in place of those shown."""
        self.source.data = data
        self.figure.y_range.factors = rows = list(dict.fromkeys(data['robot']))
        # Of more than 300 robots the rows become thinner.
        self.figure.height = 90 + 11 * min(len(rows), 300)
