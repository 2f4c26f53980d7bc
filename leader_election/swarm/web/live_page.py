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
from html import escape
import math
from pathlib import Path
from typing import Any, NamedTuple

from bokeh.document import Document
from bokeh.events import ConnectionLost, Tap
from bokeh.layouts import column, row
from bokeh.models import CustomJS
from bokeh.models.widgets import Div, Select, Toggle
from leader_election.election.robot.diagnostics import RobotStatus
from leader_election.swarm.snapshot import Snapshot
from leader_election.swarm.view.frame import Frame, Rings, Trails
from leader_election.swarm.web.details import (
    draw_marks,
    events_html,
    Examination,
    marks,
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


def _read(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding='utf-8')


TEMPLATE = _read('page.html.j2')
"""The layout of all pages. It takes their roots by name."""
STYLE, WIDGETS = _read('page.css'), _read('widgets.css')
"""The style of a page, and that of Bokeh's widgets in its colours."""
VARIABLES = {'style': STYLE, 'script': _read('page.js')}


def text(name: str, **options: Any) -> Any:
    """Return a widget of this name for a text, in the style of the page."""
    return Div(name=name, sizing_mode='stretch_width', stylesheets=[STYLE], **options)


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
    :ivar pages: the open pages. Without a page only history and trails continue.
    :ivar examination: the last examination, while a page shows who hears whom.
    :ivar state: the newest content.
    """

    def __init__(self, communication_range: float, trail: float = 5.0) -> None:
        self.history = History(SPAN)
        self.pages: set[LivePage] = set()
        self.examination: Examination | None = None
        self._trails = Trails(trail)
        frame = Frame(Snapshot(0.0, {}), {})
        self.map = SwarmMap([frame], Rings(), communication_range)
        self._slow = -math.inf
        self.state = PageState(
            frame, Rings(), self.map.data(frame), self.history.data(), (), (), '')

    @property
    def truth(self) -> bool:
        """Return whether a page shows true positions."""
        return any(page.truth.active for page in list(self.pages))

    @property
    def examines(self) -> bool:
        """Return whether a page shows who hears whom."""
        return any(page.hearing.active for page in list(self.pages))

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
    """

    def __init__(self, document: Document, feed: PageFeed,
                 statuses: Callable[[int], Sequence[RobotStatus]] = no_statuses) -> None:
        self._document, self._feed, self._statuses = document, feed, statuses
        self._shown: PageState | None = None
        self.also: list[Callable[[], None]] = []
        self._radii: tuple[float, ...] = ()
        state = feed.state
        self.map = SwarmMap([state.frame], state.rings, feed.map.reach)
        self._rings = state.rings
        chart = self.map.figure
        self.marks = draw_marks(chart)
        # Updates are numbered, so that a slow browser skips some.
        chart.tags = [0]
        chart.js_on_change('tags', CustomJS(
            args={'drawn': self.marks['chosen']}, code='reportDrawn(drawn, cb_obj.tags)'))
        chart.on_event(Tap, self._tap)
        self.timeline = Timeline()
        self.texts = {name: text(name) for name in (
            'notes', 'facts', 'findings', 'robot', 'events', 'legend')}
        self.robots: Any = Select(title='robot', value='', options=[], width=110,
                                  stylesheets=[WIDGETS])
        self.robots.on_change('value', lambda _, __, ___: self._show_robot(feed.state))
        self.truth, self.hearing = (Toggle(
            label=label, width=120, align='end', stylesheets=[WIDGETS])
            for label in ('true positions', HEARING))
        self.hearing.on_change('active', lambda _, __, ___: self._show_robot(feed.state))
        controls = column(
            row(self.robots, self.truth, self.hearing, styles={'flex-wrap': 'wrap'}),
            sizing_mode='stretch_width', name='controls')
        chart.name, self.timeline.figure.name = 'map', 'timeline'
        document.title = 'swarm'
        document.template = TEMPLATE  # type: ignore[assignment]
        document.template_variables.update(VARIABLES)
        # Bokeh gives up after half a minute, or when the page is older than five minutes. The
        # template keeps trying.
        document.config.update(reconnect_session=False, notify_connection_status=False)
        document.js_on_event(ConnectionLost, CustomJS(code='connectionLost()'))
        for root in (chart, controls, self.timeline.figure, *self.texts.values()):
            document.add_root(root)
        self.update()
        document.add_periodic_callback(self.update, UPDATE)
        feed.pages.add(self)
        document.on_session_destroyed(lambda _: feed.pages.discard(self))

    @property
    def chosen(self) -> int | None:
        """Return the id of the robot that is shown in detail, if any."""
        return int(self.robots.value) if self.robots.value else None

    def choose(self, robot: int | None) -> None:
        """Show a robot in detail, with the path to its leader. ``None`` shows no robot."""
        self.robots.value = '' if robot is None else str(robot)

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
        return self.marks['chosen'].tags not in ([], self.map.figure.tags)

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
        self.texts['notes'].text = ''.join(
            f'<p class="{kind}">{escape(said)}</p>' for kind, said in (
                ('warning', frame.warning), ('note', frame.note),
                ('next', frame.upcoming and f'next: {frame.upcoming}')) if said)
        slow = before is None or state.bars is not before.bars
        if slow:
            self._show_slow(state)
        self._show_robot(state, slow)
        self._document.unhold()
        for show in self.also:
            show()

    def _show_slow(self, state: PageState) -> None:
        self.timeline.show(state.bars)
        self.texts['facts'].text = ' · '.join(map(escape, state.facts))
        self.texts['events'].text = '<h2>leaders that came and went</h2>' + events_html(
            [event for event in state.events if not event.minor], MOST_EVENTS)
        self.texts['legend'].text = state.legend
        snapshot = state.frame.snapshot
        ids = sorted(snapshot.robots.keys() | snapshot.gone.keys())
        self.robots.options = ['', *map(str, ids)]

    def _show_robot(self, state: PageState, details: bool = True) -> None:
        """Show the chosen robot, and who hears whom if the viewer wants it."""
        snapshot, robot, wanted = state.frame.snapshot, self.chosen, self.hearing.active
        way = [] if robot is None else way_to_leader(snapshot, robot, self._feed.map.reach)
        if details:
            statuses = () if robot is None else self._statuses(robot)
            self._radii = radii(statuses)
            self.texts['robot'].text = (
                '<p>Click on a robot, or choose one.</p>' if robot is None else robot_html(
                    robot, snapshot, way, statuses, state.events))
        examined = self._feed.examination
        self.texts['findings'].text = '' if not wanted else '<p>listening</p>' \
            if examined is None else f'<h2>{len(examined.findings)} findings</h2>{examined.html()}'
        for name, data in marks(snapshot, way, self._radii,
                                examined if examined and wanted else Examination()).items():
            self.marks[name].data = data
