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


"""The controls of a playground around the page of a running swarm."""

from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Any, NamedTuple

from bokeh.document import Document
from bokeh.events import Tap
from bokeh.layouts import column, row
from bokeh.models import ColumnDataSource
from bokeh.models.widgets import (
    Button,
    Div,
    RadioButtonGroup,
    Select,
    Slider,
    TextInput,
    Toggle,
)
from leader_election.parameters import Parameter
from leader_election.swarm.view.frame import Frame, Rings
from leader_election.swarm.web.live_page import LivePage, STYLE, WIDGETS
from leader_election.swarm.web.swarm_map import empty_chart, SwarmMap

LOOK, MOVE = 'look', 'move'
FAULTS = {LOOK: 'look at it', 'kill': 'kill', 'freeze': 'freeze', 'blind': 'stop odometry',
          MOVE: 'move', 'revive': 'restart'}
FAULTS_TIP = ('kill: end its process, like a power failure; freeze: stop its process; stop '
              'odometry: it does not know its position any more; move: click on the robot, then '
              'where it goes; restart: end these faults')
SWITCHES = {
    'cut': ('cut the radio in two', 'The left half of the robots and the right half cannot hear '
            'each other.'),
    'liar': ('forge messages', 'Somebody sends messages of a very strong robot that does not '
             'exist, near the leader of the most robots.')}
TOUR, RESET = 'tour', 'reset'
"""The request of a tour by its title, where an empty one ends the tour; and that of the start."""
_TITLES = {'beside.algorithm': 'second algorithm', 'leaders': 'leaders of given'}
"""Of settings whose names do not tell enough."""
TINTS = {'first': '#0072b2', 'beside': '#d55e00'}
"""Colours of the curves of both swarms, distinct for colour-blind people."""


class PlaygroundState(NamedTuple):
    """The state of a playground at one moment. It is immutable, so that threads may share it."""

    values: Mapping[str, Any]
    """The values of all settings and :data:`SWITCHES`, by name."""
    commands: str
    error: str
    """Why the last request was refused, empty if it was not."""
    tour: str
    """The title and the text of the present step of a tour, empty if none runs."""
    curves: Sequence[Sequence[float]]
    """Points of time [s] and, of both swarms, changes of leader of a robot per minute."""
    names: tuple[str, str]
    beside: Frame
    rings: Rings


def _tip(text: str) -> dict[str, Any]:
    """Return the style of a widget, and the text that it shows below a pointer, as arguments."""
    return {'html_attributes': {'title': text} if text else {}, 'stylesheets': [WIDGETS]}


class Controls:
    """
    The controls of one viewer.

    :param live: the page of the swarm. A click on its map also makes the chosen fault.
    :param settings: parameters that the page sets, each a choice or a number with a range.
    :param tours: the titles of the tours.
    :param state: returns the newest state.
    :param request: takes the name of a setting, a fault, a switch, :data:`TOUR` or
        :data:`RESET`, and a value: of a fault the robot, of a move a list of it and its place.
    """

    def __init__(self, document: Document, live: LivePage, settings: Sequence[Parameter],
                 tours: Sequence[str], state: Callable[[], PlaygroundState],
                 request: Callable[[str, Any], None]) -> None:
        self._document, self._live, self._state, self._take = document, live, state, request
        self._widgets: dict[str, Any] = {each.name: self._widget(each) for each in settings}
        fields = list(self._widgets.values())
        self._fault = RadioButtonGroup(
            labels=list(FAULTS.values()), active=0, name='fault', styles={'max-width': '100%'},
            **_tip(FAULTS_TIP))
        self._fault.stylesheets = [WIDGETS, '.bk-btn-group { flex-wrap: wrap }']
        self._fault.on_change('active', lambda _, __, ___: self._drop())
        self._carried: int | None = None
        here = Button(label='do it to the chosen robot', name='act', width=180, **_tip(''))
        here.on_click(lambda: self._act(live.chosen))
        for name, (label, tip) in SWITCHES.items():
            toggle = Toggle(label=label, name=name, width=150, **_tip(tip))
            toggle.on_change('active', self._changed(name))
            self._widgets[name] = toggle
        wide: dict[str, Any] = {'sizing_mode': 'stretch_width', 'styles': {'flex-wrap': 'wrap'}}
        self._tour, self._note, self._command = (
            Div(name=name, sizing_mode='stretch_width', stylesheets=[STYLE], visible=visible)
            for name, visible in (('tour', True), ('note', True), ('command', False)))
        guides = [self._button(title, TOUR, title) for title in tours]
        guides += [self._button('end the tour', TOUR, ''),
                   self._button('reset', RESET, None, 'Start the swarm anew as at the beginning.')]
        show = Toggle(label='show the commands', width=150, **_tip(
            'The commands that do in a terminal what was done last.'))
        show.js_link('active', self._command, 'visible')
        document.add_root(column(
            row(*guides, **wide), row(
                Div(text='a click on a robot:'), self._fault, here,
                *(self._widgets[name] for name in SWITCHES), **wide),
            self._note, name='guides', sizing_mode='stretch_width'))
        document.add_root(self._tour)
        document.add_root(column(row(*fields, **wide), show, self._command, name='play',
                                 sizing_mode='stretch_width'))
        self._curves = ColumnDataSource({name: [] for name in ('time', *TINTS)})
        chart = empty_chart(height=200, tools='reset', x_axis_label='time [s]',
                            y_axis_label='changes [1/min]')
        for instance, tint in TINTS.items():
            chart.line('time', instance, source=self._curves, color=tint, line_width=2,
                       line_dash='solid' if instance == 'first' else 'dashed')
        self._legend = Div(stylesheets=[STYLE], name='curves', sizing_mode='stretch_width')
        self._rings = Rings()
        self._beside = SwarmMap([state().beside], self._rings, live.map.reach)
        self._beside.figure.toolbar_location = None
        for name, source in self._beside.sources.items():
            source.name = f'beside {name}'
        document.add_root(column(self._legend, chart, self._beside.figure, name='beside',
                                 sizing_mode='stretch_width'))
        live.map.figure.on_event(Tap, self._tap)
        self.update()
        live.also.append(self.update)

    def _widget(self, p: Parameter) -> Any:
        """Return the widget of a choice or of a number."""
        unit = p.unit.partition(' (')[0]
        title = _TITLES.get(p.name) or p.name.replace('_', ' ') + (f' [{unit}]' if unit else '')
        given: dict[str, Any] = {
            'title': title, 'value': self._state().values[p.name],
            'name': _TITLES.get(p.name, p.name),
            **_tip(p.description)}
        if p.type is str:
            given |= {'width': 140}
            options: list[Any] = [(each, each or 'none') for each in p.choices()] \
                if p.choices else []
            widget: Any = Select(**given, options=options) if options else \
                TextInput(**given, placeholder='such as 1, 5')
            widget.on_change('value', self._changed(p.name))
        else:
            low, high = float(p.lower or 0), float(p.upper or 0)
            widget = Slider(**given, width=190, start=low, end=high,
                            step=1 if p.type is int else round((high - low) / 100, 3))
            widget.on_change('value_throttled', self._changed(p.name))
        return widget

    def _button(self, label: str, name: str, value: Any, tip: str = '') -> Any:
        button = Button(label=label, **_tip(tip))
        button.on_click(lambda: self._request(name, value))
        return button

    def _drop(self) -> None:
        """Wait no more for the place of a robot that is moved."""
        self._carried = None

    def _request(self, name: str, value: Any) -> None:
        self._drop()
        self._take(name, value)

    def _changed(self, key: str) -> Any:
        def changed(name: str, before: Any, value: Any) -> None:
            # A widget also changes when another viewer, or a tour, has changed the swarm.
            if value != self._state().values[key]:
                self._request(key, value)
        return changed

    def _tap(self, event: Any) -> None:
        if self._carried is not None:
            self._request(MOVE, [self._carried, event.x, event.y])
        else:
            self._act(self._live.chosen)

    def _act(self, robot: int | None) -> None:
        fault = [*FAULTS][self._fault.active or 0]
        if robot is not None and fault == MOVE:
            self._carried = robot
        elif robot is not None and fault != LOOK:
            self._request(fault, robot)

    def update(self) -> None:
        """Show the newest state."""
        state = self._state()
        self._document.hold('combine')
        for key, widget in self._widgets.items():
            name = 'active' if key in SWITCHES else 'value'
            if getattr(widget, name) != state.values[key]:
                widget.update(**{name: state.values[key]})
        self._tour.text = f'<p class="next">{escape(state.tour)}</p>'
        carry = '' if self._carried is None else f'robot {self._carried}: click where it goes'
        self._note.text = f'<p class="note">{escape(carry or state.error)}</p>'
        self._command.text = f'<pre style="white-space:pre-wrap">{escape(state.commands)}</pre>'
        self._legend.text = 'changes of leader: ' + ' &ensp; '.join(
            f'<span style="color:{tint}">{line} {escape(name)}</span>'
            for tint, line, name in zip(TINTS.values(), '—╌', (
                state.names[0], f'{state.names[1]}, with the map below')))
        self._curves.data = dict(zip(self._curves.data, map(list, zip(*state.curves))))
        if state.rings != self._rings:
            self._rings = state.rings
            self._beside.draw_outlines([state.beside], state.rings)
            self._beside.figure.update(aspect_ratio=None, height=240)
        self._beside.reach = state.values['communication_range']
        self._beside.show(self._beside.data(state.beside))
        self._document.unhold()
