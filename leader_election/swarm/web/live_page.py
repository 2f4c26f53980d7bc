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

from collections.abc import Callable, Mapping, Sequence
from html import escape
import math
from pathlib import Path
from typing import Any, NamedTuple

from bokeh.document import Document
from bokeh.events import ConnectionLost, Tap
from bokeh.layouts import row
from bokeh.models import CustomJS
from bokeh.models.widgets import Div, Select, Toggle
from leader_election.election.robot.diagnostics import RobotStatus
from leader_election.swarm.history import Statistics
from leader_election.swarm.snapshot import Snapshot
from leader_election.swarm.view.frame import facts, Frame, Rings, Trails
from leader_election.swarm.web import details
from leader_election.swarm.web.swarm_map import Data, legend_html, map_data, SwarmMap
from leader_election.swarm.web.timeline import Event, History, Timeline

UPDATE = 100
"""Time between two updates of a page [ms]."""
SPAN = 180.0
"""The length of the timeline [s]."""
MOST_EVENTS, MOST_OF_ROBOT = 12, 4
TRUTH, HEARING = 'true positions', 'who hears whom'
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


def paragraph(kind: str, content: str) -> str:
    """Return a text as a paragraph of this class of the style, empty without a text."""
    return content and f'<p class="{kind}">{escape(content)}</p>'


class PageState(NamedTuple):
    """The content of pages at one moment. It is immutable, so that threads may share it."""

    frame: Frame
    rings: Rings = Rings()
    map: dict[str, Data] = {}  # noqa: A003
    bars: Data = History().data()
    events: Sequence[Event] = ()
    texts: Mapping[str, str] = {}
    """HTML, by the name of its widget."""


class PageFeed:
    """
    Prepares the content of all pages.

    :param trail: the length of trails [m].
    :ivar reach: robots within this distance are linked by a line [m].
    :ivar pages: the open pages. Without a page only history and trails continue.
    :ivar examination: the last examination, while a page shows who hears whom.
    :ivar state: the newest content.
    """

    def __init__(self, reach: float, trail: float = 5.0) -> None:
        self.reach = reach
        self.pages: set[LivePage] = set()
        self.examination: details.Examination | None = None
        self.state = PageState(Frame(Snapshot(0.0, {}), {}))
        self._history, self._trails = History(SPAN), Trails(trail)

    def wants(self, name: str) -> bool:
        """Return whether a page shows :data:`TRUTH`, or :data:`HEARING`."""
        return any(page.toggles[name].active for page in list(self.pages))

    def observe(self, frame: Frame, rings: Rings, statistics: Statistics) -> None:
        """Add the next frame, and the figures of the swarm so far."""
        history, now, last = self._history, frame.snapshot.time, self.state.frame.snapshot.time
        if not history.bars:
            # Times count from the first frame, as in the terminal.
            history.start = now
        history.observe(frame)
        self._trails.update(frame.snapshot)
        if self.pages:
            # Bars are many. They change slowly.
            bars = self.state.bars if int(now) == int(last) else history.data()
            notes = (('warning', frame.warning), ('note', frame.note),
                     ('next', frame.upcoming and f'next: {frame.upcoming}'))
            figures = (*facts(frame, statistics),
                       f'every robot had a leader {statistics.whole:.0%} of the time')
            events = tuple(history.events)
            self.state = PageState(
                frame, rings, map_data(frame, self.reach, self._trails.paths), bars, events, {
                    'notes': ''.join(paragraph(*note) for note in notes),
                    'facts': ' · '.join(map(escape, figures)),
                    'legend': legend_html([frame], rings, self.reach),
                    'events': '<h2>leaders that came and went</h2>' + _events_html(
                        [event for event in events if not event.minor], MOST_EVENTS)})


class LivePage:
    """
    The page of one viewer.

    :param document: of the session. Further roots may be added.
    :param feed: prepares the content.
    :param statuses: returns the last statuses of a robot on ``/diagnostics``.
    """

    def __init__(self, document: Document, feed: PageFeed,
                 statuses: Callable[[int], Sequence[RobotStatus]] = lambda _: ()) -> None:
        self._document, self._feed, self._statuses = document, feed, statuses
        self._shown: PageState | None = None
        self.map, self.timeline = SwarmMap(), Timeline()
        chart = self.map.figure
        # Updates are numbered, so that a slow browser skips some.
        chart.tags, self._drawn = [0], self.map.sources['chosen']
        chart.js_on_change('tags', CustomJS(
            args={'drawn': self._drawn}, code='reportDrawn(drawn, cb_obj.tags)'))
        chart.on_event(Tap, self._tap)
        self.texts = {name: text(name) for name in (
            'notes', 'facts', 'findings', 'robot', 'events', 'legend')}
        self.robots: Any = Select(title='robot', value='', options=[], width=110,
                                  stylesheets=[WIDGETS])
        self.toggles: dict[str, Any] = {
            label: Toggle(label=label, width=120, align='end', stylesheets=[WIDGETS])
            for label in (TRUTH, HEARING)}
        for widget, changed in ((self.robots, 'value'), (self.toggles[HEARING], 'active')):
            widget.on_change(changed, lambda _, __, ___: self._show_robot())
        controls = row(self.robots, *self.toggles.values(), styles={'flex-wrap': 'wrap'},
                       sizing_mode='stretch_width', name='controls')
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

    def _tap(self, event: Any) -> None:
        near = NEAR * (self.map.figure.x_range.end - self.map.figure.x_range.start)
        snapshot = self._feed.state.frame.snapshot
        distance, robot = min((
            (math.dist(view.position, (event.x, event.y)), str(robot))
            for robot, view in (snapshot.gone | snapshot.robots).items()
            if view.position is not None), default=(math.inf, ''))
        self.robots.value = robot if distance <= near else ''

    def update(self) -> None:
        """Send the newest state once, unless the viewer still has to draw the last one."""
        state, before, chart = self._feed.state, self._shown, self.map.figure
        if state is before or self._drawn.tags not in ([], chart.tags):
            return
        self._document.hold('combine')
        chart.tags = [chart.tags[0] + 1]
        self.show(state, before)
        self._shown = state
        self._document.unhold()

    def show(self, state: PageState, before: PageState | None) -> None:
        """Show a state, after another one or none."""
        snapshot = state.frame.snapshot
        if before is None or state.rings != before.rings or not (
                state.rings.arena or before.frame.snapshot.robots):
            self.map.fit([state.frame], state.rings)
        self.map.show(state.map)
        if before is None or state.bars is not before.bars:
            self.timeline.show(state.bars)
        self.robots.options = ['', *map(str, sorted(snapshot.robots | snapshot.gone))]
        for name, html in state.texts.items():
            self.texts[name].text = html
        self._show_robot()

    def _show_robot(self) -> None:
        """Show the chosen robot, and who hears whom if the viewer wants it."""
        state, robot, wanted = self._feed.state, self.chosen, self.toggles[HEARING].active
        statuses: Sequence[RobotStatus] = ()
        way: Sequence[int] = ()
        shown = '<p>Click on a robot, or choose one.</p>'
        if robot is not None:
            statuses = self._statuses(robot)
            way = details.way_to_leader(state.frame.snapshot, robot, self._feed.reach)
            shown = details.robot_html(robot, state.frame.snapshot, way, statuses) + _events_html(
                [event for event in state.events if event.robot == robot], MOST_OF_ROBOT)
        self.texts['robot'].text = shown
        examined = self._feed.examination if wanted else None
        self.texts['findings'].text = examined.html() if examined else (
            '<p>listening</p>' if wanted else '')
        self.map.show(details.marks(state.frame.snapshot, way, details.radii(statuses),
                                    examined or details.Examination()))


def _events_html(events: Sequence[Event], most: int) -> str:
    """Return the last events as HTML, the newest first."""
    return ''.join(f'<p>{event.time:.1f} s: {escape(event.text)}</p>'
                   for event in events[:-most - 1:-1])
