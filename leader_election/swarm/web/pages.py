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
"""The pages of a swarm: of a running one, which changes nothing, and of a run in one file."""

from collections.abc import Callable, Mapping, Sequence
from html import escape
import math
from pathlib import Path
from typing import Any, NamedTuple

from bokeh.document import Document
from bokeh.embed import file_html
from bokeh.events import ConnectionLost, Tap
from bokeh.models import CustomJS
from bokeh.models.annotations import Span
from bokeh.models.widgets import Div, Select, Slider
from bokeh.resources import INLINE
from jinja2 import Environment
from leader_election.election.robot import diagnostics as vocabulary
from leader_election.election.robot.diagnostics import RobotStatus
from leader_election.parameters.files import write_text
from leader_election.swarm.history import Statistics
from leader_election.swarm.snapshot import Snapshot, way_to_leader
from leader_election.swarm.view.formatting import fields_text
from leader_election.swarm.view.frame import caption, facts, Frame, History, Rings, thinned
from leader_election.swarm.web import swarm_map

UPDATE = 100
"""Time between two updates of a page [ms]."""
SPAN = 180.0
"""The length of the timeline [s]."""
_RELOAD = """setInterval(() => fetch('static/js/bokeh.min.js', {method: 'HEAD', cache: 'no-store'})
    .then(() => location.reload(), () => {}), 2000)"""
"""JavaScript: begin anew as soon as the server answers again. Bokeh gives up after a while."""
NEAR = 0.04
"""Distance within which a click chooses a robot, as a share of the map's width."""
STYLE, WIDGETS, SCRIPT, TEMPLATE, _ROBOT = (
    Path(__file__).with_name(name).read_text(encoding='utf-8')
    for name in ('page.css', 'widgets.css', 'page.js', 'page.html.j2', 'robot.html.j2'))
"""Style of a page, and of Bokeh's widgets; functions; layout of a page, and of its details."""
_DETAILS = Environment(autoescape=True).from_string(_ROBOT)


def text(name: str, **options: Any) -> Any:
    """Return a widget of this name for a text, in the style of the page."""
    return Div(name=name, sizing_mode='stretch_width', stylesheets=[STYLE], **options)


def paragraph(kind: str, content: str) -> str:
    """Return a text as a paragraph of this class of the style, empty without a text."""
    return content and f'<p class="{kind}">{escape(content)}</p>'


class SwarmPage:
    """
    What all pages show: map, timeline and texts, as roots of a document.

    The layout takes roots by their names.
    """

    def __init__(self, document: Document, title: str, *names: str) -> None:
        self.document = document
        self.map, self.timeline = swarm_map.SwarmMap(), swarm_map.Timeline()
        self.texts = {name: text(name) for name in ('facts', 'notes', 'legend', *names)}
        document.title = title
        document.template = TEMPLATE  # type: ignore[assignment]
        document.template_variables.update(style=STYLE, script=SCRIPT)

    def lay_out(self, *further: Any) -> None:
        """Add all roots to the document, once their callbacks are set."""
        for root in (self.map.figure, self.timeline.figure, *self.texts.values(), *further):
            self.document.add_root(root)


class PageState(NamedTuple):
    """The content of pages at one moment. It is immutable, so that threads may share it."""

    frame: Frame
    rings: Rings = Rings()
    time: float = 0.0
    """Since the first frame [s]."""
    changes: float = 0.0
    """Changes of leader of a robot [1/min]."""
    map: dict[str, swarm_map.Data] = {}  # noqa: A003
    bars: swarm_map.Data = swarm_map.bars_data(History())
    events: Sequence[tuple[float, str]] = ()
    texts: Mapping[str, str] = {}
    """HTML, by the name of its widget."""


class PageFeed:
    """
    Prepares the content of all pages.

    :ivar reach: robots within this distance are linked by a line [m].
    :ivar pages: the open pages. Without a page only the history continues.
    :ivar state: the newest content.
    """

    def __init__(self, reach: float) -> None:
        self.reach = reach
        self.pages: set[LivePage] = set()
        self.state = PageState(Frame(Snapshot(0.0, {}), {}))
        self._history = History(SPAN)

    def observe(self, frame: Frame, rings: Rings, statistics: Statistics) -> None:
        """Add the next frame, and the figures of the swarm so far."""
        history, now, last = self._history, frame.snapshot.time, self.state.frame.snapshot.time
        # Times count as in the terminal.
        history.start = now - statistics.duration
        history.observe(frame)
        if self.pages:
            self.state = PageState(
                frame, rings, history.now, statistics.changes_a_minute,
                swarm_map.map_data(frame, self.reach),
                # Bars are many. They change slowly.
                self.state.bars if int(now) == int(last) else swarm_map.bars_data(history),
                tuple(history.events), {
                    'notes': paragraph('warning', frame.warning) + paragraph('note', frame.note)
                    + paragraph('next', frame.upcoming and f'next: {frame.upcoming}'),
                    'facts': ' · '.join(map(escape, facts(frame, statistics))),
                    'legend': swarm_map.legend_html([frame], rings, self.reach)})


class LivePage(SwarmPage):
    """
    The page of one viewer.

    :param document: of the session.
    :param feed: prepares the content.
    :param statuses: returns the last statuses of a robot on ``/diagnostics``.
    """

    title = 'swarm'

    def __init__(self, document: Document, feed: PageFeed,
                 statuses: Callable[[int], Sequence[RobotStatus]] = lambda _: ()) -> None:
        super().__init__(document, self.title, 'robot')
        self._feed, self._statuses = feed, statuses
        self._shown: PageState | None = None
        # Updates are numbered, so that a slow browser skips some.
        self._sent, self._drawn = self.map.figure, self.map.sources['chosen']
        self._sent.tags = [0]
        self._sent.js_on_change('tags', CustomJS(args={'drawn': self._drawn}, code=(
            'requestAnimationFrame(() => setTimeout(() => { drawn.tags = cb_obj.tags }))')))
        self._sent.on_event(Tap, self._tap)
        self.robots: Any = Select(name='controls', title='robot', value='', options=[], width=110,
                                  stylesheets=[WIDGETS])
        self.robots.on_change('value', lambda _, __, ___: self._show_robot())
        document.js_on_event(ConnectionLost, CustomJS(code=_RELOAD))
        self.lay_out(self.robots)
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
        state, before = self._feed.state, self._shown
        if state is before or self._drawn.tags not in ([], self._sent.tags):
            return
        self.document.hold('combine')
        self._sent.tags = [self._sent.tags[0] + 1]
        self.show(state, before)
        self._shown = state
        self.document.unhold()

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
            self.texts[name].update(text=html, visible=bool(html))
        self._show_robot()

    def _show_robot(self) -> None:
        """Show the chosen robot in the text and on the map, and the last events."""
        state, snapshot, robot = self._feed.state, self._feed.state.frame.snapshot, self.chosen
        known = snapshot.gone | snapshot.robots
        places = {i: view.position for i, view in known.items() if view.position is not None}
        way = [] if robot is None else way_to_leader(snapshot, robot, self._feed.reach)
        statuses = [] if robot is None else self._statuses(robot)
        values = {key: text for status in statuses for key, text in status.values.items()}
        radius = vocabulary.number(values, vocabulary.RADIUS)
        hysteresis = vocabulary.number(values, vocabulary.RADIUS_HYSTERESIS)
        radii = () if radius is None or hysteresis is None else (
            radius, radius * (1.0 - hysteresis))
        # The taken candidacy comes first.
        received = sorted(filter(None, values.get(vocabulary.CANDIDACIES, '').split('; ')),
                          key=lambda each: not each.endswith(': taken'))
        view = known.get(way[0]) if way else None
        self.texts['robot'].text = _DETAILS.render(
            view=view, way=way, snapshot=snapshot, statuses=statuses, values=values, radii=radii,
            fields_text=fields_text, received=received, events=state.events[::-1])
        self.map.show(swarm_map.tabulated({
            'way': [places[i] for i in way if i in places],
            'chosen': [places[i] for i in way[:1] if i in places],
            'radii': [(*places[view.leader], radius) for radius in radii
                      if view is not None and view.leader in places]}))


MOST_FRAMES = 600


def write_page(path: Path, title: str, frames: Sequence[Frame], rings: Rings, reach: float,
               start: float, warnings: Sequence[str], figures: Sequence[str],
               events: Sequence[tuple[float, str]], report: str) -> None:
    """
    Write a page with a slider of time.

    :param frames: at least one, in the order of time. Those of long runs are thinned out.
    :param reach: robots within this distance are linked by a line [m], 0 for no links.
    :param start: the origin of shown times [s].
    :param events: further ones: a time [s] and a text.
    :raises OSError: when the file cannot be written.
    """
    page, frames, history = SwarmPage(Document(), title), thinned(frames, MOST_FRAMES), History(
        start=start)
    for frame in frames:
        history.observe(frame)
    page.timeline.show(swarm_map.bars_data(history))
    page.map.fit(frames, rings)
    drawn = [swarm_map.map_data(frame, reach) for frame in frames]
    page.map.show(drawn[0])
    page.texts['legend'].text = swarm_map.legend_html(frames, rings, reach)
    page.texts['facts'].text = ''.join(
        [*(paragraph('warning', each) for each in warnings), escape(' · '.join(figures))])
    captions = ['  ·  '.join(filter(None, (caption(frame, start), frame.note)))
                for frame in frames]
    page.texts['notes'].update(text=captions[0], render_as_text=True)
    times = [frame.snapshot.time - start for frame in frames]
    time = Slider(
        name='guides', title='time [s]', start=times[0], value=times[0], step=0.1, format='0.0',
        end=max(times[-1], times[0] + 0.1), sizing_mode='stretch_width', stylesheets=[WIDGETS])
    cursor = Span(name='cursor', dimension='height', line_width=2, line_color=swarm_map.ALARM)
    page.timeline.figure.add_layout(cursor)
    page.timeline.figure.js_on_event(
        'tap', CustomJS(args={'time': time}, code='time.value = cb_obj.x'))
    film = {'times': times, 'caption': page.texts['notes'], 'captions': captions, 'cursor': cursor,
            'sources': [[page.map.sources[name], [data[name] for data in drawn]]
                        for name in drawn[0]]}
    time.js_on_change('value', CustomJS(args={'run': film}, code='show(run, cb_obj.value)'))
    page.lay_out(time)
    write_text(path, file_html(
        page.document, INLINE, template=TEMPLATE, template_variables={
            **page.document.template_variables, 'report': report,
            'events': sorted([*history.events, *events])}))
