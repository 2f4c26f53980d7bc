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

from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import Any

from bokeh.document import Document
from bokeh.layouts import column, row
from bokeh.models import ColumnDataSource, DataRange1d, widgets
from leader_election.parameters import Parameter
from leader_election.parameters.files import read_yaml
from leader_election.swarm.web.pages import LivePage, PageState, paragraph, text, WIDGETS
from leader_election.swarm.web.swarm_map import empty_chart

PLAYGROUND: Mapping[str, Any] = read_yaml(
    Path(__file__).with_name('playground.yaml').read_text(encoding='utf-8'))
FAULTS: Mapping[str, str] = PLAYGROUND['faults']
LOOK, MOVE = 'look', 'move'
"""The two faults that a click alone does not make."""


class PlayPage(LivePage):
    """
    The page of one viewer, with the controls of a playground. A click makes the chosen fault, too.

    :param playground: :class:`~leader_election.ros.demo.playground.Playground`. Its thread
        replaces values and texts whole, so that threads may share them.
    :param live: as of :class:`.LivePage`.
    """

    title = 'playground'

    def __init__(self, playground: Any, document: Document, *live: Any) -> None:
        self._playground = playground
        self._carried: int | None = None
        """The robot whose new place is asked for."""
        self._fields = [self._widget(each) for each in playground.controls]
        self._fault = _made(widgets.RadioButtonGroup, PLAYGROUND['faults_tip'], active=0,
                            labels=list(FAULTS.values()), name='fault')
        self._fault.on_change('active', lambda _, __, ___: self._carry(None))
        self._told, self._note, self._command = (
            text(name, visible=False) for name in ('told', 'note', 'command'))
        show = _made(widgets.Toggle, PLAYGROUND['commands_tip'], label='show the commands')
        show.js_link('active', self._command, 'visible')
        self._curve = ColumnDataSource({'x': [], 'y': []})
        chart = empty_chart(height=200, toolbar_location=None, x_axis_label='time [s]',
                            y_axis_label='leader changes [1/min]', y_range=DataRange1d(start=0))
        chart.line('x', 'y', source=self._curve, line_width=2)
        tours = [self._button(title, 'tour', title) for title in PLAYGROUND['tours']]
        for name, content in {
                'guides': [_line(*tours, self._button('reset', 'reset', None)), _line(
                    widgets.Div(text='a click on a robot:'), self._fault), self._note],
                'play': [_line(*self._fields), show, self._command],
                'tour': [self._told, chart]}.items():
            document.add_root(column(*content, name=name, sizing_mode='stretch_width'))
        super().__init__(document, *live)

    def _widget(self, p: Parameter) -> Any:
        """Return the widget of a choice, a number or a text, which requests what a viewer sets."""
        unit, changed = p.unit.partition(' (')[0], 'value'
        title = PLAYGROUND['settings'][p.name].get('title', p.name.replace('_', ' '))
        given = {'title': title + (f' [{unit}]' if unit else ''), 'name': p.name,
                 'value': self._playground.values[p.name], 'width': 150}
        if p.type is not str:
            low, high = float(p.lower or 0), float(p.upper or 0)
            changed = 'value_throttled'
            widget = _made(widgets.Slider, p.description, **given, start=low, end=high,
                           step=1 if p.type is int else round((high - low) / 100, 3))
        elif p.choices:
            widget = _made(widgets.Select, p.description, **given, options=[
                (each, each or 'none') for each in p.choices()])
        else:
            widget = _made(widgets.TextInput, p.description, **given, placeholder='such as 1-3, 5')

        def request(_: str, __: Any, value: Any) -> None:
            # A widget also changes when another viewer, or a tour, has changed the swarm.
            if value != self._playground.values[p.name]:
                self._request(p.name, value)
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
        fault = [*FAULTS][self._fault.active or 0]
        if self._carried is not None:
            self._request(MOVE, [self._carried, event.x, event.y])
        elif fault == MOVE:
            self._carry(self.chosen)
        elif fault != LOOK and self.chosen is not None:
            self._request(fault, self.chosen)

    def show(self, state: PageState, before: PageState | None) -> None:
        """Show a state of the swarm, and the newest one of the playground."""
        super().show(state, before)
        game = self._playground
        self._feed.reach = game.values['communication_range']
        if before is not None:
            # The points of three minutes.
            self._curve.stream({'x': [state.time], 'y': [state.changes]}, rollover=720)
        for widget in self._fields:
            widget.value = game.values[widget.name]
        carry = '' if self._carried is None else f'robot {self._carried}: click where it goes'
        self._command.text = f'<pre>{escape(game.commands)}</pre>'
        for note, kind, content in ((self._told, 'next', game.told),
                                    (self._note, 'note', carry or ''.join(game.errors[-1:]))):
            note.update(text=paragraph(kind, content), visible=bool(content))


def _line(*content: Any) -> Any:
    """Return a row of the page, which wraps on a phone."""
    return row(*content, sizing_mode='stretch_width', styles={'flex-wrap': 'wrap'})


def _made(kind: Any, tip: str = '', **options: Any) -> Any:
    """Return a widget in the colours of the page, with a text that it shows below a pointer."""
    return kind(html_attributes={'title': tip} if tip else {}, stylesheets=[WIDGETS], **options)
