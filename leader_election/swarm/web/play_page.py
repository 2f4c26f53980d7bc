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

from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from bokeh.document import Document
from bokeh.layouts import column, row
from bokeh.models import ColumnDataSource, widgets
from leader_election.parameters import Parameter, strict_yaml
from leader_election.swarm.view.frame import Rings
from leader_election.swarm.web import swarm_map
from leader_election.swarm.web.live_page import LivePage, PageState, paragraph, text, WIDGETS

PLAYGROUND: Mapping[str, Any] = strict_yaml.read(
    Path(__file__).with_name('playground.yaml').read_text(encoding='utf-8'))
FAULTS: Mapping[str, str] = PLAYGROUND['faults']
SWITCHES: Mapping[str, Sequence[str]] = PLAYGROUND['switches']
LOOK, MOVE = 'look', 'move'
"""The two faults that a click alone does not make."""
CURVES = (('first', '#0072b2', 'solid'), ('second, with the map below', '#d55e00', 'dashed'))
"""Label and style of the curves of both elections, distinct for colour-blind people."""
_WIDE: dict[str, Any] = {'sizing_mode': 'stretch_width', 'styles': {'flex-wrap': 'wrap'}}


class PlayPage(LivePage):
    """
    The page of one viewer, with the controls of a playground. A click makes the chosen fault, too.

    :param playground: :class:`~leader_election.ros.demo.playground.Playground`. Its server
        replaces values, texts and curves whole, so that threads may share them.
    :param live: as of :class:`.LivePage`.
    """

    def __init__(self, playground: Any, document: Document, *live: Any) -> None:
        self._playground = playground
        self._carried: int | None = None
        """The robot whose new place is asked for."""
        fields = [self._widget(each) for each in playground.controls]
        switches = [self._watched(_made(
            widgets.Toggle, tip, label=label, name=name, width=150), 'active')
            for name, (label, tip) in SWITCHES.items()]
        self._widgets = {each.name: each for each in (*fields, *switches)}
        self._fault = _made(widgets.RadioButtonGroup, PLAYGROUND['faults_tip'], active=0,
                            labels=list(FAULTS.values()), name='fault')
        self._fault.on_change('active', lambda _, __, ___: self._carry(None))
        here = _made(widgets.Button, label='do it to the chosen robot', width=180)
        here.on_click(lambda: self._act(self.chosen))
        self._notes = {name: text(name, visible=name != 'command')
                       for name in ('tour', 'note', 'command')}
        show = _made(widgets.Toggle, PLAYGROUND['commands_tip'], label='show the commands',
                     width=150)
        show.js_link('active', self._notes['command'], 'visible')
        self._rings = Rings()
        self._curves = ColumnDataSource(swarm_map.columns('time rate_0 rate_1', ()))
        self._beside = swarm_map.SwarmMap('beside ')
        self._beside.figure.toolbar_location = None
        legend, chart = swarm_map.line_chart('changes [1/min]', [
            (*style, {'x': 'time', 'y': f'rate_{i}', 'source': self._curves})
            for i, style in enumerate(CURVES)])
        guides = [*(self._button(title, 'tour', title) for title in PLAYGROUND['tours']),
                  self._button('end the tour', 'tour', ''), self._button('reset', 'reset', None)]
        faults = [widgets.Div(text='a click on a robot:'), self._fault, here, *switches]
        for name, content in {
                'guides': [row(*guides, **_WIDE), row(*faults, **_WIDE), self._notes['note']],
                'play': [row(*fields, **_WIDE), show, self._notes['command']],
                'beside': [text('', text=legend), chart, self._beside.figure]}.items():
            document.add_root(column(*content, name=name, sizing_mode='stretch_width'))
        document.add_root(self._notes['tour'])
        super().__init__(document, *live)
        document.title = 'playground'

    def _widget(self, p: Parameter) -> Any:
        """Return the widget of a choice, a number or a text."""
        unit = p.unit.partition(' (')[0]
        title = PLAYGROUND['settings'][p.name].get('title', p.name.replace('_', ' '))
        given = {'title': title + (f' [{unit}]' if unit else ''), 'name': p.name,
                 'value': self._playground.values[p.name], 'width': 140}
        if p.type is not str:
            low, high = float(p.lower or 0), float(p.upper or 0)
            return self._watched(_made(
                widgets.Slider, p.description, **{**given, 'width': 170}, start=low, end=high,
                step=1 if p.type is int else round((high - low) / 100, 3)), 'value_throttled')
        if p.choices:
            return self._watched(_made(widgets.Select, p.description, **given, options=[
                (each, each or 'none') for each in p.choices()]), 'value')
        return self._watched(_made(
            widgets.TextInput, p.description, **given, placeholder='such as 1, 5'), 'value')

    def _watched(self, widget: Any, changed: str) -> Any:
        """Request what a viewer sets by a widget, and return the widget."""
        def request(_: str, __: Any, value: Any) -> None:
            # A widget also changes when another viewer, or a tour, has changed the swarm.
            if value != self._playground.values[widget.name]:
                self._request(widget.name, value)
        widget.on_change(changed, request)
        return widget

    def _button(self, label: str, name: str, value: Any) -> Any:
        button = _made(widgets.Button, label=label)
        button.on_click(lambda: self._request(name, value))
        return button

    def _carry(self, robot: int | None) -> None:
        """Ask for the new place of a robot. ``None``: ask no more."""
        self._carried = robot

    def _request(self, name: str, value: Any) -> None:
        self._carry(None)
        self._playground.request(name, value)

    def _tap(self, event: Any) -> None:
        super()._tap(event)
        if self._carried is not None:
            self._request(MOVE, [self._carried, event.x, event.y])
        else:
            self._act(self.chosen)

    def _act(self, robot: int | None) -> None:
        fault = [*FAULTS][self._fault.active or 0]
        if robot is not None and fault == MOVE:
            self._carry(robot)
        elif robot is not None and fault != LOOK:
            self._request(fault, robot)

    def show(self, state: PageState, before: PageState | None) -> None:
        """Show a state of the swarm, and the newest one of the playground."""
        super().show(state, before)
        self.show_controls()

    def show_controls(self) -> None:
        """Show the newest state of the playground."""
        game, beside = self._playground, self._playground.beside
        for name, widget in self._widgets.items():
            widget.update(**{'active' if name in SWITCHES else 'value': game.values[name]})
        carry = '' if self._carried is None else f'robot {self._carried}: click where it goes'
        self._notes['tour'].text = paragraph('next', game.told)
        self._notes['note'].text = paragraph('note', carry or game.error)
        self._notes['command'].text = f'<pre>{escape(game.commands)}</pre>'
        self._curves.data = swarm_map.columns('time rate_0 rate_1', game.curves)
        if beside.rings != self._rings:
            self._rings = beside.rings
            self._beside.fit([beside.frame], self._rings)
            self._beside.figure.update(aspect_ratio=None, height=240)
        self._feed.reach = game.values['communication_range']
        self._beside.show(swarm_map.map_data(beside.frame, self._feed.reach))


def _made(kind: Any, tip: str = '', **options: Any) -> Any:
    """Return a widget in the colours of the page, with a text that it shows below a pointer."""
    return kind(html_attributes={'title': tip} if tip else {}, stylesheets=[WIDGETS], **options)
