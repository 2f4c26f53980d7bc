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

"""The page of a running swarm: map, one robot, timeline and figures. It changes nothing."""

from collections.abc import Callable, Sequence
from functools import partial
from html import escape
import math
from pathlib import Path
from typing import Any, NamedTuple

from bokeh.document import Document
from bokeh.events import ConnectionLost, Tap
from bokeh.layouts import column, row
from bokeh.models import ColumnDataSource, CustomJS
from bokeh.models.widgets import Div, RadioGroup, Select, Toggle
from leader_election.election.robot.diagnostics import RobotStatus
from leader_election.swarm.snapshot import Snapshot
from leader_election.swarm.view.drawing import FAINT
from leader_election.swarm.view.formatting import hexadecimal, NOTE
from leader_election.swarm.view.frame import Frame, Rings, Trails
from leader_election.swarm.web.details import (
    events_html,
    Examination,
    HearingGraph,
    radii,
    robot_html,
    way_to_leader,
)
from leader_election.swarm.web.swarm_map import Data, legend_html, SwarmMap
from leader_election.swarm.web.timeline import Event, History, Timeline

UPDATE = 100
"""Time between two updates of a page [ms]."""
SLOW = 1.0
"""Time between two updates of trails, timeline and texts [s]."""
SPAN = 180.0
MOST_EVENTS = 12
HEARING = 'who hears whom'
NEAR = 0.04
"""Distance within which a click chooses a robot, as a share of the map's width."""
_DRAWN = 'requestAnimationFrame(() => setTimeout(() => { drawn.tags = cb_obj.tags }))'
"""JavaScript: report the last drawn update to the server."""
TEMPLATE = Path(__file__).with_name('live_page.html.j2').read_text(encoding='utf-8')
STYLE = Path(__file__).with_name('page.css').read_text(encoding='utf-8')
WIDGETS = Path(__file__).with_name('widgets.css').read_text(encoding='utf-8')
"""The style of Bokeh's widgets, in the colours of the page."""


class PageState(NamedTuple):
    """The content of pages at one moment. It is immutable, so that threads may share it."""

    frame: Frame
    rings: Rings
    map: dict[str, Data]  # noqa: A003
    bars: Data
    events: tuple[Event, ...]
    facts: tuple[str, ...]
    """Figures of the whole swarm, as texts."""
    legend: str


class PageFeed:
    """
    Prepares the content of all pages.

    :param communication_range: robots within this distance are linked by a line [m].
    :param trail: the length of trails [m].
    :ivar map: computes what is on maps.
    :ivar pages: the number of open pages. Without a page only history and trails continue.
    :ivar truth: the number of pages that show true positions.
    :ivar examiners: the number of pages that show who hears whom.
    :ivar examination: the last examination, while a page shows who hears whom.
    :ivar state: the newest content.
    """

    def __init__(self, communication_range: float, trail: float = 5.0) -> None:
        self.history = History(SPAN)
        self.pages = self.truth = self.examiners = 0
        self.examination: Examination | None = None
        self._trails = Trails(trail)
        frame = Frame(Snapshot(0.0, {}), {})
        self.map = SwarmMap([frame], Rings(), communication_range)
        self._slow = -math.inf
        self.state = PageState(
            frame, Rings(), self.map.data(frame), self.history.data(), (), (), '')

    def observe(self, frame: Frame, rings: Rings, facts: Callable[[], Sequence[str]]) -> None:
        """
        Add the next frame.

        :param facts: returns the figures of the swarm, called once in :data:`SLOW`.
        """
        if not self.history.bars:
            # Times count from the first frame, as in the terminal.
            self.history.start = frame.snapshot.time
        self.history.observe(frame)
        self._trails.update(frame.snapshot)
        if not self.pages:
            return
        slow = not 0.0 <= frame.snapshot.time - self._slow < SLOW
        data = self.map.data(frame, self._trails.paths if slow else {})
        if not slow:
            self.state = self.state._replace(
                frame=frame, rings=rings, map={**data, 'trails': self.state.map['trails']})
            return
        self._slow = frame.snapshot.time
        self.state = PageState(
            frame, rings, data, self.history.data(), tuple(self.history.events), tuple(facts()),
            legend_html([frame], rings, self.map.reach))


def no_statuses(robot: int) -> Sequence[RobotStatus]:
    """Return no statuses, as without diagnostics."""
    return ()


class LivePage:
    """
    The page of one viewer.

    :param document: of the session. Further roots may be added.
    :param feed: prepares the content.
    :param statuses: returns the last statuses of a robot on ``/diagnostics``.
    :ivar also: called after each update that is sent.
    :ivar chosen: the id of the robot that is shown in detail, if any.
    """

    def __init__(self, document: Document, feed: PageFeed,
                 statuses: Callable[[int], Sequence[RobotStatus]] = no_statuses) -> None:
        self._document, self._feed, self._statuses = document, feed, statuses
        self._shown: PageState | None = None
        self.chosen: int | None = None
        self.also: list[Callable[[], None]] = []
        self._examination: Examination | None = None
        self._reaches: tuple[float, ...] = ()
        state = feed.state
        self.map = SwarmMap([state.frame], state.rings, feed.map.reach)
        self._rings = state.rings
        self._choice = ColumnDataSource({'x': [], 'y': []})
        chart = self.map.figure
        chart.line('x', 'y', source=self._choice, line_color=hexadecimal(NOTE), line_width=3,
                   line_dash='dotted')
        self._radii = ColumnDataSource({'x': [], 'y': [], 'radius': []}, name='radii')
        chart.circle('x', 'y', radius='radius', source=self._radii, fill_color=None,
                     line_color=FAINT, line_dash='dashed')
        self._ring = ColumnDataSource({'x': [], 'y': []})
        chart.scatter('x', 'y', source=self._ring, size=28, fill_color=None, line_width=3,
                      line_color=hexadecimal(NOTE))
        # Updates are numbered, so that a slow browser skips some.
        chart.tags = [0]
        chart.js_on_change('tags', CustomJS(args={'drawn': self._ring}, code=_DRAWN))
        self.graph = HearingGraph(chart)
        chart.on_event(Tap, self._tap)
        self.timeline = Timeline()
        self._texts = {name: Div(name=name, sizing_mode='stretch_width', stylesheets=[STYLE])
                       for name in ('notes', 'facts', 'robot', 'events', 'legend')}
        self.robots: Any = Select(title='robot', value='', options=[], width=110,
                                  stylesheets=[WIDGETS])
        self.robots.on_change('value', lambda _, __, value: self.choose(
            int(value) if value else None))
        toggle = partial(Toggle, stylesheets=[WIDGETS])
        self.follow = toggle(label='follow', width=70, align='end')
        self.truth = toggle(label='true positions', width=110, align='end')
        self.truth.on_change('active', lambda _, __, active: self._want_truth(active))
        self.hearing = toggle(label=HEARING, width=230)
        self.hearing.on_change('active', lambda _, __, active: self._want_examination(active))
        self.findings: Any = RadioGroup(labels=[], width=280, stylesheets=[WIDGETS])
        self.findings.on_change('active', lambda _, __, index: self._choose_found(index))
        controls = column(row(self.robots, self.follow, self.truth,
                              styles={'flex-wrap': 'wrap'}), self.hearing, self.findings,
                          sizing_mode='stretch_width', name='controls')
        chart.name, self.timeline.figure.name = 'map', 'timeline'
        document.title = 'swarm'
        document.template = TEMPLATE  # type: ignore[assignment]
        document.template_variables.update(style=STYLE)
        # Bokeh gives up after half a minute, or when the page is older than five minutes. The
        # template keeps trying.
        document.config.update(reconnect_session=False, notify_connection_status=False)
        document.js_on_event(ConnectionLost, CustomJS(code='connectionLost()'))
        for root in (chart, controls, self.timeline.figure, *self._texts.values()):
            document.add_root(root)
        self.update()
        document.add_periodic_callback(self.update, UPDATE)
        feed.pages += 1
        document.on_session_destroyed(self._close)

    def _want_truth(self, wanted: bool) -> None:
        self._feed.truth += 1 if wanted else -1

    def _want_examination(self, wanted: bool) -> None:
        self._feed.examiners += 1 if wanted else -1
        self._show_examination()

    def _choose_found(self, index: int | None) -> None:
        """Choose the first robot of a finding."""
        examined = self._examination
        robots = [] if index is None or examined is None else examined.robots(index)
        if robots:
            self.choose(robots[0])

    def _close(self, _: Any) -> None:
        self._feed.pages -= 1
        if self.truth.active:
            self._want_truth(False)
        if self.hearing.active:
            self._feed.examiners -= 1

    def choose(self, robot: int | None) -> None:
        """Show a robot in detail, with the path to its leader. ``None`` shows no robot."""
        self.chosen = robot
        self.robots.value = '' if robot is None else str(robot)
        self._show_robot(self._feed.state)

    def _tap(self, event: Any) -> None:
        near = NEAR * (self.map.figure.x_range.end - self.map.figure.x_range.start)
        snapshot = self._feed.state.frame.snapshot
        found = [(math.dist(view.position, (event.x, event.y)), robot)
                 for robot, view in (snapshot.gone | snapshot.robots).items()
                 if view.position is not None]
        distance, robot = min(found, default=(math.inf, None))
        self.choose(robot if distance <= near else None)

    @property
    def behind(self) -> bool:
        """Return whether the viewer still has to draw the last update."""
        return self._ring.tags not in ([], self.map.figure.tags)

    def update(self) -> None:
        """Send the newest state once, unless the viewer is behind."""
        state, before, chart = self._feed.state, self._shown, self.map.figure
        if state is before or self.behind:
            return
        self._shown = state
        if state.rings != self._rings or (
                not state.rings.arena and before is not None and not before.frame.snapshot.robots):
            self._rings = state.rings
            self.map.draw_outlines([state.frame], state.rings)
        self._document.hold('combine')
        chart.tags = [chart.tags[0] + 1]
        self.map.show(state.map)
        frame = state.frame
        self._texts['notes'].text = ''.join(
            f'<p class="{kind}">{escape(text)}</p>' for kind, text in (
                ('warning', frame.warning), ('note', frame.note),
                ('next', frame.upcoming and f'next: {frame.upcoming}')) if text)
        if before is None or state.bars is not before.bars:
            self._show_slow(state)
        self._show_examination()
        self._show_robot(state, details=before is None or state.bars is not before.bars)
        self._document.unhold()
        for show in self.also:
            show()

    def _show_slow(self, state: PageState) -> None:
        self.timeline.show(state.bars)
        self._texts['facts'].text = ' · '.join(map(escape, state.facts))
        self._texts['events'].text = '<h2>leaders that came and went</h2>' + events_html(
            [event for event in state.events if not event.minor], MOST_EVENTS)
        self._texts['legend'].text = state.legend
        snapshot = state.frame.snapshot
        ids = sorted(snapshot.robots.keys() | snapshot.gone.keys())
        self.robots.options = ['', *map(str, ids)]

    def _show_examination(self) -> None:
        """Show who hears whom, and the findings, if the viewer wants them."""
        wanted, before = self.hearing.active, self._examination
        self._examination = found = self._feed.examination if wanted else None
        if found or before:
            self.graph.show(found or Examination(), self._feed.state.frame.snapshot)
        if found is not before:
            self.findings.update(active=None, labels=found.lines() if found else [])
        self.hearing.label = HEARING + (
            '' if not wanted else f': {len(found.findings)} findings' if found else ': listening')

    def _show_robot(self, state: PageState, details: bool = True) -> None:
        """Show the chosen robot on the map, and its details."""
        snapshot, robot = state.frame.snapshot, self.chosen
        view = None if robot is None else snapshot.robots.get(robot) or snapshot.gone.get(robot)
        way = [] if robot is None else way_to_leader(snapshot, robot, self._feed.map.reach)
        places = [snapshot.robots[i].position for i in way if i in snapshot.robots]
        self._choice.data = _columns(places)
        self._ring.data = _columns([view.position] if view is not None else [])
        if details:
            statuses = () if robot is None else self._statuses(robot)
            self._reaches = radii(statuses)
            self._texts['robot'].text = (
                '<p>Click on a robot, or choose one.</p>' if robot is None else robot_html(
                    robot, snapshot, way, statuses, state.events))
        leader = None if view is None else snapshot.robots.get(view.leader)
        around = self._reaches if leader is not None and leader.position is not None else ()
        self._radii.data = {**_columns([leader.position for _ in around] if leader else []),
                            'radius': list(around)}
        if self.follow.active and view is not None and view.position is not None:
            for range_, centre in zip((self.map.figure.x_range, self.map.figure.y_range),
                                      view.position):
                half = (range_.end - range_.start) / 2
                range_.update(start=centre - half, end=centre + half)


def _columns(places: Sequence[Any]) -> Data:
    known = [place for place in places if place is not None]
    return {'x': [x for x, _ in known], 'y': [y for _, y in known]}
