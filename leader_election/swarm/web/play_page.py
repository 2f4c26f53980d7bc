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

from bokeh.document import Document
from bokeh.layouts import column, row
from bokeh.models import ColumnDataSource, widgets
from leader_election.parameters import Parameter, strict_yaml
from leader_election.swarm.view.frame import Frame, Rings
from leader_election.swarm.web import swarm_map
from leader_election.swarm.web.live_page import LivePage, PageState, text, WIDGETS

PLAYGROUND: Mapping[str, Any] = strict_yaml.read(
    Path(__file__).with_name('playground.yaml').read_text(encoding='utf-8'))
FAULTS: Mapping[str, str] = PLAYGROUND['faults']
SWITCHES: Mapping[str, Sequence[str]] = PLAYGROUND['switches']
LOOK, MOVE = 'look', 'move'
"""The two faults that a click alone does not make."""
CURVES = (('first', '#0072b2', 'solid', 'first'),
          ('beside', '#d55e00', 'dashed', 'second, with the map below'))
"""Name, style and label of the curves of both swarms, distinct for colour-blind people."""
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


class PlayPage(LivePage):
    """
    The page of one viewer, with the controls of a playground. A click makes the chosen fault, too.

    :param settings: parameters that the page sets, each a choice or a number with a range.
    :param state: returns the newest state.
    :param request: takes the name of a setting, a switch, a fault, ``tour`` or ``reset``, and a
        value: of a fault the robot, of a move a list of it and its place, of a tour its title.
    :param live: as of :class:`.LivePage`.
    """

    def __init__(self, settings: Sequence[Parameter], state: Callable[[], PlaygroundState],
                 request: Callable[[str, Any], None], document: Document, *live: Any) -> None:
        self._state, self._take = state, request
        self._carried: int | None = None
        fields = {each.name: self._widget(each) for each in settings}
        switches = {name: _made(widgets.Toggle, tip, label=label, name=name, width=150)
                    for name, (label, tip) in SWITCHES.items()}
        for name, toggle in switches.items():
            toggle.on_change('active', self._changed(name))
        self._widgets = fields | switches
        self._fault = _made(widgets.RadioButtonGroup, PLAYGROUND['faults_tip'], active=0,
                            labels=list(FAULTS.values()), name='fault')
        self._fault.on_change('active', lambda _, __, ___: self._drop())
        here = _made(widgets.Button, '', label='do it to the chosen robot', width=180)
        here.on_click(lambda: self._act(self.chosen))
        self._notes = {name: text(name, visible=name != 'command')
                       for name in ('tour', 'note', 'command')}
        show = _made(widgets.Toggle, PLAYGROUND['commands_tip'], label='show the commands',
                     width=150)
        show.js_link('active', self._notes['command'], 'visible')
        self._curves, self._rings = ColumnDataSource(), Rings()
        self._beside = swarm_map.SwarmMap('beside ')
        self._beside.figure.toolbar_location = None
        chart = swarm_map.empty_chart(height=200, tools='reset', x_axis_label='time [s]',
                                      y_axis_label='changes [1/min]')
        for name, tint, dash, label in CURVES:
            chart.line('time', name, source=self._curves, color=tint, line_width=2,
                       line_dash=dash, legend_label=label)
        swarm_map.add_legend(chart)
        guides = [*(self._button(title, 'tour', title) for title in PLAYGROUND['tours']),
                  self._button('end the tour', 'tour', ''), self._button('reset', 'reset', None)]
        for root in (
                column(row(*guides, **_WIDE), row(
                    widgets.Div(text='a click on a robot:'), self._fault, here,
                    *switches.values(), **_WIDE), self._notes['note'], name='guides',
                       sizing_mode='stretch_width'),
                self._notes['tour'],
                column(row(*fields.values(), **_WIDE), show, self._notes['command'], name='play',
                       sizing_mode='stretch_width'),
                column(chart, self._beside.figure, name='beside', sizing_mode='stretch_width')):
            document.add_root(root)
        super().__init__(document, *live)
        document.title = 'playground'

    def _widget(self, p: Parameter) -> Any:
        """Return the widget of a choice or of a number."""
        unit = p.unit.partition(' (')[0]
        title = PLAYGROUND['settings'][p.name].get('title', p.name.replace('_', ' '))
        given = {'title': title + (f' [{unit}]' if unit else ''), 'name': title.replace(' ', '_'),
                 'value': self._state().values[p.name], 'width': 190 if p.type is not str else 140}
        if p.type is not str:
            low, high = float(p.lower or 0), float(p.upper or 0)
            widget = _made(widgets.Slider, p.description, **given, start=low, end=high,
                           step=1 if p.type is int else round((high - low) / 100, 3))
        elif p.choices:
            widget = _made(widgets.Select, p.description, **given,
                           options=[(each, each or 'none') for each in p.choices()])
        else:
            widget = _made(widgets.TextInput, p.description, **given, placeholder='such as 1, 5')
        widget.on_change('value' if p.type is str else 'value_throttled', self._changed(p.name))
        return widget

    def _button(self, label: str, name: str, value: Any) -> Any:
        button = _made(widgets.Button, '', label=label)
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
        super()._tap(event)
        if self._carried is not None:
            self._request(MOVE, [self._carried, event.x, event.y])
        else:
            self._act(self.chosen)

    def _act(self, robot: int | None) -> None:
        fault = [*FAULTS][self._fault.active or 0]
        if robot is not None and fault == MOVE:
            self._carried = robot
        elif robot is not None and fault != LOOK:
            self._request(fault, robot)

    def show(self, state: PageState, before: PageState | None) -> None:
        """Show a state of the swarm, and the newest one of the playground."""
        super().show(state, before)
        self.show_controls()

    def show_controls(self) -> None:
        """Show the newest state of the playground."""
        state = self._state()
        for key, widget in self._widgets.items():
            widget.update(**{'active' if key in SWITCHES else 'value': state.values[key]})
        carry = '' if self._carried is None else f'robot {self._carried}: click where it goes'
        self._notes['tour'].text = f'<p class="next">{escape(state.tour)}</p>'
        self._notes['note'].text = f'<p class="note">{escape(carry or state.error)}</p>'
        self._notes['command'].text = f'<pre>{escape(state.commands)}</pre>'
        self._curves.data = swarm_map.columns('time first beside', state.curves)
        if state.rings != self._rings:
            self._rings = state.rings
            self._beside.fit([state.beside], state.rings)
            self._beside.figure.update(aspect_ratio=None, height=240)
        self._feed.reach = state.values['communication_range']
        self._beside.show(swarm_map.map_data(state.beside, self._feed.reach))


def _made(kind: Any, tip: str, **options: Any) -> Any:
    """Return a widget in the colours of the page, with a text that it shows below a pointer."""
    return kind(html_attributes={'title': tip} if tip else {}, stylesheets=[WIDGETS], **options)
