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

"""Mandates and handover in processes: a leader is frozen, or killed, and comes back."""

from collections.abc import Sequence
import math
from pathlib import Path
import signal
import subprocess
import sys
import time
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray
from election.robot.swarm import line, Swarm
from leader_election.ros.nodes.robot_diagnostics import statuses
from leader_election.swarm.doctor.diagnoses import examine
from leader_election.swarm.fleet import key_file
import pytest
from rclpy.node import Node
from rclpy.time import Time
from ros.nodes import bench
from support import spin_until
from swarm.doctor import scene

COMMAND = 'from leader_election import cli; raise SystemExit(cli.run("election_node"))'
LEADER, HEIR = 7, 5


pytestmark = pytest.mark.usefixtures('ros')


class Observer(Node):
    """Keeps what both robots say of their mandates: by robot, the time and the values."""

    def __init__(self) -> None:
        super().__init__('observer', use_global_arguments=False)
        self.told: dict[int, list[tuple[float, dict[str, str]]]] = {LEADER: [], HEIR: []}
        for robot in self.told:
            self.create_subscription(
                DiagnosticArray, f'/r{robot}/leadership',
                lambda message, robot=robot: self.told[robot].append((
                    Time.from_msg(message.header.stamp).nanoseconds * 1e-9,
                    {pair.key: pair.value for pair in message.status[0].values})), 10)

    def last(self, robot: int, key: str) -> str:
        """Return the last value of a robot."""
        return self.told[robot][-1][1].get(key, '') if self.told[robot] else ''

    def times(self, robot: int) -> list[tuple[float, float]]:
        """Return when a node beside a robot might act over the heir: until the next message."""
        told, found = self.told[robot], []
        for (stamp, values), later in zip(told, [*(stamp for stamp, _ in told[1:]), math.inf]):
            over = dict(zip(values['acts_over'].split(','), values['acts_until'].split(',')))
            if values['acting'] == 'true' and str(HEIR) in over:
                found.append((stamp, min(float(over[str(HEIR)]), later)))
        return found


def started(robot: int, *parameters: str) -> subprocess.Popen[bytes]:
    """Start the process of a robot."""
    return subprocess.Popen([
        sys.executable, '-c', COMMAND, '--ros-args', '-r', f'__ns:=/r{robot}',
        '-r', f'/r{robot}/neighbourhood:=/neighbourhood', *(part for parameter in (
            f'robot_id:={robot}', f'strength:={float(robot)}', 'metric:=hops',
            'communication_range:=.inf', 'round_period:=0.2', 'message_expiry:=1.0', *parameters)
            for part in ('-p', parameter))])


def test_frozen_leader_does_not_act_beside_its_successor() -> None:
    processes = {robot: started(robot, 'mandate:=2.0', 'clock_rate_error:=0.001')
                 for robot in (LEADER, HEIR)}
    observer = Observer()
    try:
        spin_until([observer], lambda: observer.last(LEADER, 'acts_over') == f'{HEIR},{LEADER}'
                   and observer.last(HEIR, 'mandate_of') == str(LEADER))
        before = int(observer.last(LEADER, 'term'))
        processes[LEADER].send_signal(signal.SIGSTOP)
        spin_until([observer], lambda: observer.last(HEIR, 'acting') == 'true')
        between = int(observer.last(HEIR, 'term'))
        assert observer.last(HEIR, 'acts_over') == str(HEIR)
        processes[LEADER].send_signal(signal.SIGCONT)
        spin_until([observer], lambda: observer.last(LEADER, 'acts_over') == f'{HEIR},{LEADER}'
                   and observer.last(HEIR, 'mandate_of') == str(LEADER)
                   and int(observer.last(HEIR, 'mandate_term')) > between > before)
        for begin, until in observer.times(LEADER):
            assert not any(max(begin, start) < min(until, end)
                           for start, end in observer.times(HEIR))
    finally:
        for process in processes.values():
            process.send_signal(signal.SIGCONT)
            process.terminate()
            process.wait()


def test_robot_warns_when_grants_have_no_room() -> None:
    robots = Swarm(line(2), radius=9.0, mandate=5.0)
    robots.sweep()
    robots.robots[2].main.parts['mandates'].left_out = 7
    assert statuses(robots.robots[2], 'bob', robots.now)[0].message == (
        '7 members are under no mandate: the message with their grants would be too long')


def observed(robots: Swarm) -> Any:
    """Return the observations of robots 1 to 3 with their diagnostics."""
    reports = []
    for name, robot in zip(scene.NAMES, robots.robots.values()):
        told = statuses(robot, name, robots.now)
        worst = max(told, key=lambda status: status.level)
        values = {pair.key: pair.value for status in told for pair in status.values}
        reports += [report._replace(
            level=int.from_bytes(worst.level, 'little'), message=worst.message,
            values={**values, **report.values})
            for report in scene.statuses(name, robot.parameters.robot_id)]
    messages = [scene.HeardMessage(t + 0.1 * i, robots.said[i], scene.AIR, 0.001)
                for t in range(scene.SECONDS) for i in robots.robots]
    return scene.healthy(diagnostics=reports, messages=sorted(messages))


@pytest.mark.parametrize(('settings', 'what'), [
    ({'mandate': 8.0}, 'mandate is 8 s, and 5 s with alice, carol'),
    ({'clock_rate_error': 0.02}, 'clock_rate_error is 0.02, and 0.01 with alice, carol'),
    ({'roster': '1-2,3,9'}, 'roster is 1-3,9, and 1-3 with alice, carol')])
def test_doctor_names_robot_and_setting_when_mandates_differ(
        settings: dict[str, Any], what: str) -> None:
    robots = Swarm(line(3), lambda i: settings if i == 2 else {}, **{
        'radius': 9.0, 'mandate': 5.0, 'quorum': 'majority', 'roster': '1-3'})
    robots.sweep(4)
    causes = [finding for finding in examine(observed(robots)) if not finding.explained_by]
    assert [(found.check, found.subjects, found.what) for found in causes] == [
        ('settings', ('bob',), f'{what}: these robots do not count the grants of each other')]
    assert {finding.check for finding in examine(observed(robots))} == {
        'settings', 'self_reported'}


def first_numbers(
        monkeypatch: pytest.MonkeyPatch, times: Sequence[float], **parameters: Any) -> list[int]:
    """Return the numbers of a robot that is started at some times of its wall clock [s]."""
    numbers = []
    for seconds in times:
        monkeypatch.setattr(time, 'time_ns', lambda seconds=seconds: int(seconds * 1e9))
        node = bench.robot(1, mandate=1.0, **parameters)
        numbers.append(node.robot.main.parts['mandates'].mandates.number)
        node.close()
        node.destroy_node()
    return numbers


def test_numbers_grow_over_a_restart_when_the_clock_was_never_set(
        monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = first_numbers(monkeypatch, (5.0, 6.0, 1.6e9, 1.9e9))
    assert numbers == sorted({*numbers})
    assert numbers[1] - numbers[0] >= 1000, 'leaders with short periods count on more slowly'


def test_numbers_grow_over_a_restart_when_a_robot_with_a_key_has_its_clock_set_back(
        monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    key_file.make_key(tmp_path / 'swarm.key')
    before, after = first_numbers(
        monkeypatch, (1.9e9, 1.6e9), swarm_key_file=str(tmp_path / 'swarm.key'))
    assert before < after
