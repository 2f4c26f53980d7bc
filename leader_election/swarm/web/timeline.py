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
from dataclasses import dataclass
from typing import NamedTuple

from bokeh.models import ColumnDataSource, FactorRange, HoverTool
from leader_election.swarm.snapshot import regions
from leader_election.swarm.view.drawing import INK
from leader_election.swarm.view.formatting import change_text, count, GONE, hexadecimal
from leader_election.swarm.view.frame import Frame
from leader_election.swarm.web.swarm_map import columns, Data, empty_chart

MOST_BARS = 5000
"""The most bars of a history with a span. The oldest are dropped."""
MOST_EVENTS = 200
_TALLEST = 300
"""The number of robots beyond which their rows become thinner."""


class Event(NamedTuple):
    """An event of a robot."""

    time: float
    """[s]."""
    robot: int
    text: str
    minor: bool = False
    """Whether a member has only changed its leader."""


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

    :param span: age at which bars and events are dropped [s].
    :param start: the origin of time [s].

    >>> from leader_election.swarm.snapshot import RobotView, Snapshot
    >>> history = History()
    >>> for time, leader in ((0.0, 1), (1.0, 1), (2.0, 3)):
    ...     view = RobotView(3, None, -9.0, 0.0, leader)
    ...     history.observe(Frame(Snapshot(time, {3: view}), {leader: (0.0, 0.0, 0.0)}))
    >>> [(bar.leader, bar.left, bar.right) for bar in history.bars]
    [(1, 0.0, 2.0), (3, 2.0, 2.0)]
    >>> [event.text for event in history.events]
    ['robot 3 leads']
    """

    def __init__(self, span: float = float('inf'), start: float = 0.0) -> None:
        self.span, self.start = span, start
        self.now = 0.0
        """The time of the last frame [s]."""
        self.bars: deque[Bar] = deque(maxlen=None if span == float('inf') else MOST_BARS)
        self.events: deque[Event] = deque(maxlen=MOST_EVENTS)
        self._last: dict[int, Bar] = {}
        self._before: Frame | None = None

    def observe(self, frame: Frame) -> None:
        """Add the next frame. Restart the history if time goes back."""
        snapshot, now = frame.snapshot, frame.snapshot.time - self.start
        if self._before is not None and snapshot.time < self._before.snapshot.time:
            self.bars.clear()
            self.events.clear()
            self._last = {}
        elif self._before is not None:
            self._note(self._before, frame, now)
        self.now = now
        last = {}
        for robot, view in snapshot.robots.items():
            bar = self._last.get(robot)
            if bar is not None:
                bar.right = now
            if bar is None or bar.leader != view.leader:
                bar = Bar(robot, view.leader, now, now,
                          hexadecimal(frame.colours.get(view.leader, GONE)))
                self.bars.append(bar)
            last[robot] = bar
        self._last, self._before = last, frame
        while self.bars and self.bars[0].right < now - self.span:
            self.bars.popleft()
        while self.events and self.events[0].time < now - self.span:
            self.events.popleft()

    def _note(self, last: Frame, frame: Frame, now: float) -> None:
        """Add the events between the last frame and this one."""
        before, after = last.snapshot, frame.snapshot
        led = regions(before)
        for robot, view in after.robots.items():
            old = before.robots.get(robot)
            if old is None and robot in before.gone:
                self.events.append(Event(now, robot, f'robot {robot} is heard again'))
            if old is not None and old.leader != view.leader:
                self.events.append(Event(
                    now, robot, change_text(robot, view.leader, frame.because.get(robot, '')),
                    robot not in (old.leader, view.leader)))
        for robot in before.robots.keys() & after.gone.keys():
            others = len(led.get(robot, ())) - 1
            self.events.append(Event(now, robot, f'robot {robot} is silent' + (
                f', which led {count(others, "other")}' if others > 0 else '')))
        if frame.note and frame.note != last.note:
            self.events.append(Event(now, -1, frame.note))

    def data(self) -> Data:
        """Return the columns of the bars, with a row a robot, in the order of its last leader."""
        last = {bar.robot: bar.leader for bar in self.bars}
        bars = sorted(self.bars, reverse=True, key=lambda bar: (
            last[bar.robot], bar.robot != last[bar.robot], bar.robot))
        begin = self.now - self.span
        return columns('robot leader left right tint edge', [
            (str(bar.robot), bar.leader, max(bar.left, begin), bar.right, bar.tint,
             INK if bar.robot == bar.leader else None) for bar in bars])


class Timeline:
    """A chart of one row a robot, in the colours of its leaders. Bars of leaders have an edge."""

    def __init__(self) -> None:
        self.source = ColumnDataSource(History().data())
        self.figure = chart = empty_chart(
            name='timeline', height=200, tools='xpan,xwheel_zoom,reset', x_axis_label='time [s]',
            y_axis_label='robots', y_range=FactorRange())
        chart.yaxis.update(major_label_text_font_size='9px', major_tick_line_color=None)
        bars = chart.hbar(y='robot', left='left', right='right', height=1.0, fill_color='tint',
                          line_color='edge', line_width=0.5, source=self.source)
        chart.add_tools(HoverTool(renderers=[bars], tooltips=[
            ('robot', '@robot'), ('leader', '@leader'),
            ('from', '@left{0.0} s'), ('to', '@right{0.0} s')]))

    def show(self, data: Data) -> None:
        """Show the bars of a history (:meth:`History.data`) in place of those shown."""
        self.source.data = data
        self.figure.y_range.factors = rows = list(dict.fromkeys(data['robot']))
        self.figure.height = 90 + 11 * min(len(rows), _TALLEST)
