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

"""The playground: its controls change real nodes, as the shown command lines do, and its tours."""

from collections.abc import Callable, Iterator
from contextlib import suppress
import math
import os
from pathlib import Path
import signal
import subprocess
import sys
import time
from types import SimpleNamespace
from typing import Any

from bokeh.document import Document
from bokeh.events import ButtonClick
from bokeh.models.widgets import Button, Slider
from browser import Browser, browser  # noqa: F401
from leader_election.election.algorithms.given import GIVEN
from leader_election.election.robot.parameters import built, ElectionParameters, further_names
from leader_election.parameters import ParameterError, table
from leader_election.ros.demo import processes
from leader_election.ros.demo.playground import (
    CONTROLS,
    main,
    Playground,
    robot_parameters,
    SETTINGS,
    TOURS,
)
from leader_election.ros.demo.processes import ProcessDied
from leader_election.ros.nodes import clock
from leader_election.ros.nodes.process import spin
from leader_election.simulation.parameters import WorldParameters
from leader_election.swarm.fleet.robot_list import RobotHostParameters
from leader_election.swarm.snapshot import RobotView
from leader_election.swarm.web.pages import LivePage, PageFeed
from leader_election.swarm.web.play_page import FAULTS, LOOK, PlayPage
import pytest
from rcl_interfaces.srv import GetParameters
from rclpy.parameter import parameter_value_to_python
from ros2_stand_in import put_on_path
from support import PATIENCE
from swarm.recording.made import word

RUNNING = [name for name, setting in SETTINGS.items() if 'anew' not in setting]
OTHER = {'radius': 3.5, 'radius_hysteresis': 0.1, 'communication_range': 4.0, 'radio_loss': 0.25,
         'speed': 0.7, 'radio_groups': '1', 'odom_silent': '2'}
"""Another value of each control of a running swarm than that of the start."""
FORGED = 99


class Play:
    """A playground with robots that stand still."""

    def __init__(self, folder: Path, **settings: object) -> None:
        self.game = Playground(folder, **{'robots': 2, 'speed': 0.0, 'radius': 30.0,
                                          'communication_range': 30.0, **settings})
        self.environment = put_on_path(folder)
        self.typed: list[subprocess.Popen[bytes]] = []
        self.game.start()
        self.until(lambda: len(self.robots) == len(self.game.ids))

    @property
    def leaders(self) -> set[int]:
        return {view.leader for view in self.robots.values()}

    @property
    def robots(self) -> dict[int, RobotView]:
        return self.game.observer.snapshot.robots

    def until(self, condition: Callable[[], bool], deadline: float = 60.0) -> None:
        end = time.monotonic() + deadline

        def over() -> bool:
            self.game.step()
            return condition() or time.monotonic() > end

        spin([self.game.observer], over)
        assert condition() and self.game.errors == []

    def parameter(self, node: str, name: str) -> object:
        client = self.game.observer.create_client(GetParameters, f'/{node}/get_parameters')
        answers: list[Any] = []
        begin = time.monotonic()

        def answered() -> bool:
            # Again after a while: the service of a killed node seems to be there still.
            if client.service_is_ready() and time.monotonic() - begin >= 2.0 * len(answers):
                answers.append(client.call_async(GetParameters.Request(names=[name])))
            return any(answer.done() for answer in answers)

        self.until(answered)
        answer = next(answer for answer in answers if answer.done())
        return parameter_value_to_python(answer.result().values[0])

    def type(self, line: str) -> subprocess.Popen[bytes]:  # noqa: A003
        """Type a command line in a terminal."""
        self.typed.append(subprocess.Popen(
            ['bash', '-c', line], env=self.environment, start_new_session=True))
        return self.typed[-1]

    def end(self, child: subprocess.Popen[bytes]) -> None:
        """Kill all that was typed in a terminal."""
        with suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()
        self.typed.remove(child)

    def has_run(self, line: str) -> None:
        child = self.type(line)
        self.until(lambda: child.poll() is not None)
        assert child.returncode == 0


@pytest.fixture
def play(ros: None, tmp_path: Path) -> Iterator[Callable[..., Play]]:
    made: list[Play] = []

    def start(**settings: object) -> Play:
        made.append(Play(tmp_path, **settings))
        return made[-1]

    yield start
    for each in made:
        for child in [*each.typed]:
            each.end(child)
        each.game.stop(1.0)


@pytest.mark.parametrize('name', CONTROLS)
def test_control_has_range_and_unit_of_its_declaration(name: str) -> None:
    here, given = CONTROLS[name], SETTINGS[name]
    (p,) = (p for p in (*table(WorldParameters if 'of_world' in given else ElectionParameters),
                        *table(GIVEN.parameters, 'given.'))
            if p.name == name)
    assert here.unit == p.unit and here.check(given['value']) == given['value']
    for value in here.choices() if here.choices else (here.lower, here.upper):
        assert value is None or here.check(p.check(value)) == value
    with pytest.raises(ParameterError, match=f'{name}.* takes'):
        here.check('wrong' if here.choices else -1)


def test_robots_take_every_choice_of_the_page(ros: None, tmp_path: Path) -> None:
    host = {p.name for p in table(RobotHostParameters)}
    first = dict(Playground(tmp_path).values)
    for name, control in CONTROLS.items():
        for value in control.choices() if control.choices else ():
            given = robot_parameters({**first, name: value}, '1')
            known = {*further_names(given), *(p.name for p in table(ElectionParameters)), *host}
            assert given.keys() <= known
            built(ElectionParameters, {'robot_id': 1, **given})


def test_settings_and_algorithms_and_their_command_lines_change_the_nodes(
        play: Callable[..., Play]) -> None:
    assert {*OTHER} == {*RUNNING}
    one = play()
    robots = [f'robot_{i}/election_node' for i in (1, 2)]
    start = {key: one.game.values[key] for key in RUNNING}

    def set_to() -> dict[str, set[object]]:
        one.until(lambda: not any(map(one.game.asked, ('world', *robots))))
        return {key: {one.parameter(node, key) for node in (
            ['world'] if 'of_world' in SETTINGS[key] else robots)} for key in RUNNING}

    commands = {key: one.game.do(key, value) for key, value in OTHER.items()}
    assert [one.game.do(*change) for change in OTHER.items()] == [''] * len(OTHER)
    assert set_to() == {key: {value} for key, value in OTHER.items()}
    for key, value in start.items():
        one.game.do(key, value)
    assert set_to() == {key: {value} for key, value in start.items()}
    # One of the robots, and one of the world.
    one.has_run(f"{commands['radius']}; {commands['radio_loss']}")
    assert set_to() == {key: {(OTHER if key in ('radius', 'radio_loss') else start)[key]}
                        for key in RUNNING}
    assert one.game.do('given.leaders', '1') == ''
    one.game.do('algorithm', 'given')
    one.until(lambda: len(one.robots) == 2 and one.leaders == {1})
    kill, lines = one.game.do('algorithm', 'colour').split('\n', 1)
    assert kill.startswith('kill -KILL ')
    for name in list(one.game.pids):
        one.game.kill(name)
    one.until(lambda: not one.robots)
    one.type(f'{lines}\nwait')
    # The service of the killed world seems to be there still.
    assert one.game.set('world', {'speed': 0.5})
    one.until(lambda: len(one.robots) == 2 and not one.game.asked('world'))
    assert one.parameter('world', 'speed') == 0.5
    assert one.parameter('robot_2/election_node', 'algorithm') == 'colour'
    assert one.parameter('world', 'robots') == 2
    with pytest.raises(ParameterError, match='colour does not take it'):
        one.game.do('radius', 5.0)


def test_faults_and_their_command_lines_have_the_same_effect(play: Callable[..., Play]) -> None:
    one = play()

    def check(what: Callable[..., None], *of: object) -> None:
        one.until(lambda: len(one.robots) == 2 and len(one.leaders) == 1)
        what(one, *of)

    check(_frozen)
    check(_made_and_ended, 'odom_silent', '2', ('odom_silent', ''),
          lambda: 2 in one.robots and one.robots[2].position is None)
    check(_made_and_ended, 'radio_groups', '1', ('radio_groups', ''),
          lambda: len(one.leaders) == 2)
    check(_made_and_ended, 'forge', 2, ('revive', 2), lambda: FORGED in one.leaders, True)
    check(_moved)
    check(_killed_and_back)
    os.kill(one.game.pids['world'], signal.SIGKILL)
    with pytest.raises(ProcessDied, match='world ended with status -9'):
        one.until(lambda: False)


def _killed_and_back(one: Play) -> None:
    one.until(lambda: {*one.robots} == {*one.game.ids})
    leader = one.robots[1].leader
    others = {*one.game.ids} - {leader}

    def replaced() -> bool:
        return {*one.robots} == one.leaders == others

    def back() -> bool:
        return len(one.robots) == 2 and one.leaders == {leader}

    pid = one.game.pids[f'robot_{leader}']
    assert one.game.do('kill', 'leader') == f'kill -KILL {pid}'
    one.until(replaced)
    with pytest.raises(ParameterError, match=f'robot {leader} is dead already; restart it'):
        one.game.do('kill', 'last')
    command = one.game.do('revive', 'last')
    one.until(back)
    one.has_run(f'kill -KILL {one.game.pids[f"robot_{leader}"]}')
    one.until(replaced)
    one.type(f'{command} wait')
    one.until(back)


def _frozen(one: Play) -> None:
    pid = one.game.pids['robot_2']
    assert one.game.do('freeze', 2) == f'kill -STOP {pid}'
    one.until(lambda: 2 not in one.robots)
    assert one.game.do('revive', 2) == f'kill -CONT {pid}'
    one.until(lambda: 2 in one.robots)


def _made_and_ended(one: Play, name: str, value: object, end: tuple[str, object],
                    holds: Callable[[], bool], is_typed: bool = False) -> None:
    assert not holds()
    command = one.game.do(name, value)
    one.until(holds)
    one.game.do(*end)
    one.until(lambda: not holds())
    if is_typed:
        typed = one.type(command)
        one.until(holds)
        one.end(typed)
        one.until(lambda: not holds())


def _moved(one: Play) -> None:
    one.until(lambda: 2 in one.robots)
    x, y = here = one.robots[2].position or (math.nan, math.nan)

    def is_at(place: tuple[float, float]) -> bool:
        # On a busy machine its last message may have expired.
        robot = one.robots.get(2)
        return robot is not None and math.dist(
            robot.position or (math.inf, 0.0), place) < 0.02

    command = one.game.do('move', [2, 0.0, 0.0])
    one.until(lambda: is_at((0.0, 0.0)))
    one.has_run(command)
    one.until(lambda: is_at((-x, -y)))
    assert not is_at(here)


def test_request_is_refused_with_its_name_when_wrong(ros: None, tmp_path: Path) -> None:
    game = Playground(tmp_path, robots=3)
    for name, value, text in (
            ('radius', 31.0, 'parameter radius: 31.0 .* takes 0 to 30 m'),
            ('kill', 9, 'robot.*9.*1 to 3'), ('algorithm', 'bonded', 'did you mean bounded'),
            ('tasks', 'gate', "tasks: 'gate'"),
            ('algorithm', 'given', 'leaders: algorithm given takes the ids of its leaders'),
            ('radio_groups', '1-x', 'radio_groups'), ('odom_silent', 'x', 'odom_silent'),
            ('given.leaders', '1, x', 'leaders')):
        with pytest.raises(ParameterError, match=text):
            game.do(name, value)


def test_tours_execute_all_steps_and_are_undone(
        ros: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sleeping processes and messages of the test stand in for the nodes."""
    (tmp_path / 'sleep').write_text('#!/bin/sh\nexec sleep 600\n')
    (tmp_path / 'sleep').chmod(0o755)
    monkeypatch.setattr(processes, 'sys', SimpleNamespace(executable=str(tmp_path / 'sleep')))
    game = Playground(tmp_path, robots=5)

    def until(condition: Callable[[], bool]) -> None:
        end = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < end
            for robot in game.living:
                game.observer.tracker.hear(
                    word(robot, 1).data, clock.seconds(game.observer.steady_clock))
            game.observer.refresh()
            game.step()
            assert game.errors == []

    def follow(title: str) -> tuple[list[str], dict[str, object]]:
        """Return the texts of a tour, and the last values of the controls in it."""
        told, last = list[str](), dict[str, object]()

        def over() -> bool:
            if game.told:
                last.update(game.values)
            if game.told and game.told not in told:
                told.append(game.told)
            return bool(told) and not game.told

        game.request('tour', title)
        until(over)
        return told, last

    with game:
        game.start()
        before = dict(game.values)
        for title, steps in TOURS.items():
            assert 50.0 <= sum(step['wait'] for step in steps) <= 75.0
            monkeypatch.setitem(TOURS, title, [  # type: ignore[arg-type]
                step | {'wait': step['wait'] / 100.0} for step in steps])
            told, last = follow(title)
            assert told == [f"{title}: {step['text']}" for step in steps]
            set_to = {step['control']: step['value'] for step in steps
                      if step.get('control') in last}
            assert {**last, **set_to} == last
            # The end of a tour undoes what the tour has changed.
            assert game.values == before and game.living == [*game.ids]
        why, dead, _ = TOURS
        for change, tour, value in ((('algorithm', 'colour'), why, {'radius': 6.0}),
                                    (('kill', 1), dead, {'speed': 0.2})):
            game.do(*change)
            game.request('tour', tour)
            until(lambda value=value: game.values == {**before, **value})
        game.do('odom_silent', '2')
        game.request('reset', None)
        until(lambda: game.values == before and game.living == [*game.ids] and not game.told)


def test_page_has_a_control_for_each_setting_switch_and_act(ros: None, tmp_path: Path) -> None:
    game, requests, document = Playground(tmp_path), [], Document()
    game.request = lambda name, value: requests.append(name)
    PlayPage(game, document, PageFeed(6.0))
    assert {each.name for each in document.select({'type': Slider})} == {
        name for name, each in CONTROLS.items() if each.type is not str}
    for button in document.select({'type': Button}):
        button._trigger_event(ButtonClick(button))
    assert sorted(requests) == ['reset', *['tour'] * len(TOURS)]
    assert {*FAULTS, 'tour', 'reset'} - {LOOK} == {*game.acts}
    looking = Document()
    LivePage(looking, PageFeed(6.0))
    assert not [*looking.select({'type': Slider})]


def run(*words: str) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, '-m', 'leader_election', 'play', *words], text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def test_command_serves_this_computer_alone_and_ends_on_ctrl_c(tmp_path: Path) -> None:
    child = run('--robots', '1', '--output', str(tmp_path))
    assert child.stdout is not None
    address = next(line for line in child.stdout if 'playground' in line)
    assert 'http://localhost:' in address and 'token' not in address
    child.send_signal(signal.SIGINT)
    rest, _ = child.communicate(timeout=60.0)
    assert (child.returncode, rest) == (0, '')


def test_slider_click_and_switch_change_the_swarm_in_a_browser(
        browser: Browser, ros_domain: None, tmp_path: Path) -> None:  # noqa: F811
    child = run('--robots', '4', '--output', str(tmp_path))
    assert child.stdout is not None
    try:
        browser.open(next(line for line in child.stdout if 'playground' in line).split()[4][:-1])
        browser.until("named('leaders').data.id.length")
        # A timeline without bars has no range yet.
        browser.errors()
        for name, value in (('speed', 0), ('radius', 30), ('communication_range', 30)):
            browser.get(f"named('{name}').setv({{value: {value}, value_throttled: {value}}})")
            browser.until(f"named('command').text.includes('{name} {value}.0')")
        browser.until("named('leaders').data.id.length == 1 && named('gone').data.id.length == 0")
        leader, x, y = browser.get("['id', 'x', 'y'].map((k) => named('leaders').data[k][0])")
        browser.get(f"named('fault').active = {[*FAULTS].index('kill')}")
        browser.click('map', x, y)
        browser.until("named('command').text.includes('kill -KILL')")
        browser.until(f"named('leaders').data.id.length && named('leaders').data.id[0] != {leader}"
                      f" && named('gone').data.id[0] == {leader}")
        browser.get("named('radio_groups').value = '1-2'")
        browser.until("named('command').text.includes('radio_groups')")
        assert browser.errors() == []
    finally:
        child.send_signal(signal.SIGINT)
        child.communicate(timeout=60.0)


def test_wrong_option_of_the_command_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(['--robots=25'])
    out, told = capsys.readouterr()
    assert (ended.value.code, out, told.count('\n')) == (2, '', 1) and '--robots: ' in told
