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

"""Requests by clicks and widgets of the playground's page, without a browser or a swarm."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

from bokeh.document import Document
from leader_election.election.robot.parameters import ElectionParameters
from leader_election.parameters import table
from leader_election.simulation.parameters import WorldParameters
from leader_election.swarm.history import Statistics
from leader_election.swarm.web.pages import PageFeed
from leader_election.swarm.web.play_page import FAULTS, MOVE, PlayPage
import pytest
from swarm.view.example import frame, RINGS

LENGTHS = [replace(p, upper=30.0) for p in table(ElectionParameters)
           if p.name in ('radius', 'communication_range')]
(SILENT,) = (p for p in table(WorldParameters) if p.name == 'odom_silent')


class Page:
    """The page of one viewer, with robot 2 at (4, 2), and its requests."""

    def __init__(self) -> None:
        self.document, self.made, self.feed = Document(), list[tuple[str, Any]](), PageFeed(2.5)
        self.game = SimpleNamespace(
            values={'radius': 8.0, 'communication_range': 2.5, 'odom_silent': ''},
            controls=[*LENGTHS, SILENT], commands='', errors=[], told='',
            request=lambda *request: self.made.append(request))
        self.viewed = PlayPage(self.game, self.document, self.feed)
        self.statistics = Statistics()
        self.update(0.0)
        self.viewed.map.figure.x_range.update(start=0.0, end=12.0)

    def widget(self, name: str) -> Any:
        return self.document.get_model_by_name(name)

    def click(self, x: float, y: float) -> None:
        self.viewed._tap(SimpleNamespace(x=x, y=y))

    def update(self, shift: float) -> None:
        drawn = frame(shift)
        self.statistics.observe(drawn.snapshot, 0, 0)
        self.feed.observe(drawn, RINGS, self.statistics)
        self.viewed.update()

    def requests(self) -> list[tuple[str, Any]]:
        made, self.made = self.made, []
        return made


@pytest.fixture
def page() -> Page:
    return Page()


def test_click_requests_the_chosen_fault_and_none_when_looking(page: Page) -> None:
    for fault in FAULTS:
        page.widget('fault').active = [*FAULTS].index(fault)
        page.click(12.0, 9.0)
        assert page.requests() == []
        if fault != MOVE:
            page.click(4.1, 2.1)
            assert page.requests() == ([(fault, 2)] if fault != 'look' else [])


def test_robot_moves_to_the_second_of_two_clicks(page: Page) -> None:
    page.widget('fault').active = [*FAULTS].index(MOVE)
    for shift in (1.5, 2.5):
        page.click(4.1 + shift - 1.5, 2.1)
        page.update(shift)
        assert 'robot 2: click where it goes' in page.widget('note').text
        page.click(7.0, 5.0)
        assert page.requests() == [(MOVE, [2, 7.0, 5.0])]
        page.click(12.0, 9.0)


@pytest.mark.parametrize(('name', 'value'), [('fault', 0), ('odom_silent', '3')])
def test_another_action_ends_the_wait_for_the_place_of_a_robot(
        page: Page, name: str, value: object) -> None:
    page.widget('fault').active = [*FAULTS].index(MOVE)
    page.click(4.1, 2.1)
    setattr(page.widget(name), 'active' if name == 'fault' else 'value', value)
    page.update(1.5)
    assert page.widget('note').text == ''


def test_page_shows_the_state_of_the_playground_and_the_curve(page: Page) -> None:
    page.game.told, page.game.commands = 'Who may act: cut', 'kill -KILL <1>'
    page.game.errors = ['robot 3 is dead already']
    for shift in (1.5, 2.5):
        page.update(shift)
    assert 'Who may act: cut' in page.widget('told').text and page.widget('told').visible
    assert page.widget('command').text == '<pre>kill -KILL &lt;1&gt;</pre>'
    assert not page.widget('command').visible
    assert 'robot 3 is dead already' in page.widget('note').text
    assert page.viewed._curve.data['x'] == [0.0, 1.5, 2.5]
    assert page.viewed._curve.data['y'] == [0.0, 0.0, 0.0]


def test_widgets_request_only_changes_of_their_viewer(page: Page) -> None:
    page.widget('radius').trigger('value_throttled', 8.0, 5.0)
    page.widget('odom_silent').value = '1, 2'
    assert page.requests() == [('radius', 5.0), ('odom_silent', '1, 2')]
    page.game.values |= {'radius': 3.0, 'odom_silent': '3'}
    page.update(1.5)
    page.widget('radius').trigger('value_throttled', 8.0, 3.0)
    assert page.widget('odom_silent').value == '3'
    assert page.widget('radius').value == 3.0 and page.requests() == []

