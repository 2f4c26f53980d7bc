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

"""Timeline of the leaders of all robots, with events, of a finished or of a running run."""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from bokeh.models import ColumnDataSource, FactorRange
from leader_election.swarm.snapshot import regions
from leader_election.swarm.view.formatting import change_text, count, GONE, hexadecimal
from leader_election.swarm.view.frame import Frame, INK
from leader_election.swarm.web.swarm_map import columns, Data, empty_chart

MOST_EVENTS = 12
"""The last events that a history with a span keeps."""


@dataclass(slots=True)
class Bar:
    """A time in which a robot had one leader [s]."""

    robot: int
    leader: int
    left: float
    right: float
    tint: str


class History:
    """
    The leaders of all robots over time, and events, from consecutive frames.

    :param span: age at which bars are dropped [s].
    :param start: the origin of time [s].

    >>> from leader_election.swarm.snapshot import RobotView, Snapshot
    >>> history = History()
    >>> for time, leader in ((0.0, 1), (1.0, 1), (2.0, 3)):
    ...     view = RobotView(3, None, -9.0, 0.0, leader)
    ...     history.observe(Frame(Snapshot(time, {3: view}), {leader: (0.0, 0.0, 0.0)}))
    >>> [(bar.leader, bar.left, bar.right) for bar in history.bars]
    [(1, 0.0, 2.0), (3, 2.0, 2.0)]
    >>> history.events
    deque([(2.0, 'robot 3 leads')])
    """

    def __init__(self, span: float = float('inf'), start: float = 0.0) -> None:
        self.span, self.start = span, start
        self.now = 0.0
        """The time of the last frame [s]."""
        self.bars: list[Bar] = []
        self.events: deque[tuple[float, str]] = deque(
            maxlen=None if span == float('inf') else MOST_EVENTS)
        """Leaders that came and went: times [s] and texts."""
        self._last: dict[int, Bar] = {}
        self._before: Frame | None = None

    def observe(self, frame: Frame) -> None:
        """Add the next frame."""
        self.now, last = frame.snapshot.time - self.start, {}
        if self._before is not None:
            self.events.extend((self.now, text) for text in _changes(self._before, frame))
        for robot, view in frame.snapshot.robots.items():
            bar = self._last.get(robot)
            if bar is not None:
                bar.right = self.now
            if bar is None or bar.leader != view.leader:
                bar = Bar(robot, view.leader, self.now, self.now,
                          hexadecimal(frame.colours.get(view.leader, GONE)))
                self.bars.append(bar)
            last[robot] = bar
        self._last, self._before = last, frame
        self.bars = [bar for bar in self.bars if bar.right >= self.now - self.span]

    def data(self) -> Data:
        """Return the columns of the bars, with a row a robot, in the order of its last leader."""
        last = {bar.robot: bar.leader for bar in self.bars}
        bars = sorted(self.bars, reverse=True, key=lambda bar: (
            last[bar.robot], bar.robot != last[bar.robot], bar.robot))
        begin = self.now - self.span
        return columns('robot leader left right tint edge', [
            (str(bar.robot), bar.leader, max(bar.left, begin), bar.right, bar.tint,
             INK if bar.robot == bar.leader else None) for bar in bars])


def _changes(last: Frame, frame: Frame) -> Iterator[str]:
    """Yield the texts of the events between two frames: leaders, silences and notes."""
    before, after = last.snapshot, frame.snapshot
    for robot, view in after.robots.items():
        old = before.robots.get(robot)
        if robot in before.gone:
            yield f'robot {robot} is heard again'
        elif old is not None and old.leader != view.leader and robot in (old.leader, view.leader):
            yield change_text(robot, view.leader, frame.because.get(robot, ''))
    for robot in before.robots.keys() & after.gone.keys():
        others = len(regions(before).get(robot, ())) - 1
        yield f'robot {robot} is silent' + (
            f', which led {count(others, "other")}' if others > 0 else '')
    if frame.note and frame.note != last.note:
        yield frame.note


class Timeline:
    """A chart of one row a robot, in the colours of its leaders. Bars of leaders have an edge."""

    def __init__(self) -> None:
        self.source = ColumnDataSource(History().data())
        self.figure = chart = empty_chart(
            name='timeline', height=200, tools='xpan,xwheel_zoom,reset', x_axis_label='time [s]',
            y_axis_label='robots', y_range=FactorRange(),
            tooltips='robot @robot follows @leader from @left{0.0} to @right{0.0} s')
        chart.yaxis.update(major_label_text_font_size='9px', major_tick_line_color=None)
        chart.hbar(y='robot', left='left', right='right', height=1.0, fill_color='tint',
                   line_color='edge', line_width=0.5, source=self.source)

    def show(self, data: Data) -> None:
        """Show the bars of a history (:meth:`History.data`) in place of those shown."""
        self.source.data = data
        self.figure.y_range.factors = rows = list(dict.fromkeys(data['robot']))
        # Of more than 300 robots the rows become thinner.
        self.figure.height = 90 + 11 * min(len(rows), 300)
