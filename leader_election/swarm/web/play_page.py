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
from pathlib import Path
from typing import Any, NamedTuple

from bokeh.core.properties import value as constant
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
from leader_election.parameters import Parameter, strict_yaml
from leader_election.swarm.view.frame import Frame, Rings
from leader_election.swarm.web.live_page import LivePage, text, WIDGETS
from leader_election.swarm.web.swarm_map import add_legend, columns, empty_chart, SwarmMap

PLAYGROUND: Mapping[str, Any] = strict_yaml.read(
    Path(__file__).with_name('playground.yaml').read_text(encoding='utf-8'))
FAULTS: Mapping[str, str] = PLAYGROUND['faults']
SWITCHES: Mapping[str, Sequence[str]] = PLAYGROUND['switches']
LOOK, MOVE = 'look', 'move'
"""The two faults that a click alone does not make."""
TOUR, RESET = 'tour', 'reset'
"""The request of a tour by its title, where an empty one ends the tour; and that of the start."""
CURVES = {'first': ('#0072b2', 'solid'), 'beside': ('#d55e00', 'dashed')}
"""The style of the curves of both swarms, distinct for colour-blind people."""
_WIDE: dict[str, Any] = {'sizing_mode': 'stretch_width', 'styles': {'flex-wrap': 'wrap'}}


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
    beside: Frame
    rings: Rings


def _tip(said: str) -> dict[str, Any]:
    """Return the style of a widget, and the text that it shows below a pointer, as arguments."""
    return {'html_attributes': {'title': said} if said else {}, 'stylesheets': [WIDGETS]}


class Controls:
    """
    The controls of one viewer.

    :param live: the page of the swarm. A click on its map also makes the chosen fault.
    :param settings: parameters that the page sets, each a choice or a number with a range.
    :param state: returns the newest state.
    :param request: takes the name of a setting, a fault, a switch, :data:`TOUR` or
        :data:`RESET`, and a value: of a fault the robot, of a move a list of it and its place.
    """

    def __init__(self, document: Document, live: LivePage, settings: Sequence[Parameter],
                 state: Callable[[], PlaygroundState],
                 request: Callable[[str, Any], None]) -> None:
        self._document, self._live, self._state, self._take = document, live, state, request
        self._widgets: dict[str, Any] = {each.name: self._widget(each) for each in settings}
        fields = list(self._widgets.values())
        self._fault = RadioButtonGroup(
            labels=list(FAULTS.values()), active=0, name='fault', styles={'max-width': '100%'},
            **_tip(PLAYGROUND['faults_tip']))
        self._fault.stylesheets = [WIDGETS, '.bk-btn-group { flex-wrap: wrap }']
        self._fault.on_change('active', lambda _, __, ___: self._drop())
        self._carried: int | None = None
        here = Button(label='do it to the chosen robot', name='act', width=180, **_tip(''))
        here.on_click(lambda: self._act(live.chosen))
        for name, (label, tip) in SWITCHES.items():
            toggle = Toggle(label=label, name=name, width=150, **_tip(tip))
            toggle.on_change('active', self._changed(name))
            self._widgets[name] = toggle
        self._texts = {name: text(name, visible=name != 'command')
                       for name in ('tour', 'note', 'command')}
        guides = [self._button(title, TOUR, title) for title in PLAYGROUND['tours']]
        guides += [self._button('end the tour', TOUR, ''),
                   self._button('reset', RESET, None, 'Start the swarm anew as at the beginning.')]
        show = Toggle(label='show the commands', width=150, **_tip(
            'The commands that do in a terminal what was done last.'))
        show.js_link('active', self._texts['command'], 'visible')
        self._curves = ColumnDataSource()
        self._chart = empty_chart(height=200, tools='reset', x_axis_label='time [s]',
                                  y_axis_label='changes [1/min]')
        for name, (tint, dash) in CURVES.items():
            self._chart.line('time', name, source=self._curves, color=tint, line_width=2,
                             line_dash=dash, legend_label=name)
        add_legend(self._chart)
        self._rings = Rings()
        self._beside = SwarmMap([state().beside], self._rings, live.map.reach, 'beside ')
        self._beside.figure.toolbar_location = None
        for root in (
                column(row(*guides, **_WIDE), row(
                    Div(text='a click on a robot:'), self._fault, here,
                    *(self._widgets[name] for name in SWITCHES), **_WIDE),
                    self._texts['note'], name='guides', sizing_mode='stretch_width'),
                self._texts['tour'],
                column(row(*fields, **_WIDE), show, self._texts['command'], name='play',
                       sizing_mode='stretch_width'),
                column(self._chart, self._beside.figure, name='beside',
                       sizing_mode='stretch_width')):
            document.add_root(root)
        live.map.figure.on_event(Tap, self._tap)
        self.update()
        live.also.append(self.update)

    def _widget(self, p: Parameter) -> Any:
        """Return the widget of a choice or of a number."""
        unit = p.unit.partition(' (')[0]
        title = PLAYGROUND['settings'][p.name].get('title')
        given: dict[str, Any] = {
            'title': title or p.name.replace('_', ' ') + (f' [{unit}]' if unit else ''),
            'value': self._state().values[p.name], 'name': title or p.name, **_tip(p.description)}
        widget: Any
        if p.type is not str:
            low, high = float(p.lower or 0), float(p.upper or 0)
            widget = Slider(**given, width=190, start=low, end=high,
                            step=1 if p.type is int else round((high - low) / 100, 3))
        elif p.choices:
            widget = Select(**given, width=140)
            widget.options = [(each, each or 'none') for each in p.choices()]
        else:
            widget = TextInput(**given, width=140, placeholder='such as 1, 5')
        widget.on_change('value' if p.type is str else 'value_throttled', self._changed(p.name))
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
        carry = '' if self._carried is None else f'robot {self._carried}: click where it goes'
        self._texts['tour'].text = f'<p class="next">{escape(state.tour)}</p>'
        self._texts['note'].text = f'<p class="note">{escape(carry or state.error)}</p>'
        self._texts['command'].text = f'<pre>{escape(state.commands)}</pre>'
        for item, name, where in zip(self._chart.legend[0].items, (
                'algorithm', 'beside.algorithm'), ('', ', with the map below')):
            item.label = constant(f'{state.values[name]}{where}')
        self._curves.data = columns(' '.join(['time', *CURVES]), state.curves)
        if state.rings != self._rings:
            self._rings = state.rings
            self._beside.draw_outlines([state.beside], state.rings)
            self._beside.figure.update(aspect_ratio=None, height=240)
        self._beside.reach = state.values['communication_range']
        self._beside.show(self._beside.data(state.beside))
        self._document.unhold()
