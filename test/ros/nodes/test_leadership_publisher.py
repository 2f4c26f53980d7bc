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

"""What a robot's outputs say, what becomes of them when it stops or hangs; the clock of leases."""

from array import array
from copy import copy
import math
import signal
import subprocess
import sys
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from leader_election.election.robot.reception import ROUNDS
from leader_election.ros.nodes import clock
from leader_election.ros.nodes.qos import LEASE, OUTPUT, STATE
from leader_election.ros.nodes.region_topics import named
import pytest
from rclpy.duration import Duration
from rclpy.event_handler import SubscriptionEventCallbacks
from rclpy.node import Node
from rclpy.qos import QoSProfile
from rclpy.time import Time
from ros.nodes.bench import Bench, leaders, robot
from std_msgs.msg import Bool, Float64, Int64, Int64MultiArray, String
from support import spin_until

COMMAND = 'from leader_election import cli; raise SystemExit(cli.run("election_node"))'


pytestmark = pytest.mark.usefixtures('ros')


class Follower(Node):
    """
    Subscribes to outputs of a robot, as a user's node does.

    :ivar last: the last message of each topic, and ``heard`` the number of them.
    :ivar alive: the number of living publishers by topic.
    :ivar late: the topics of which a deadline was missed.
    """

    def __init__(self, space: str, kinds: dict[str, Any], profile: QoSProfile = STATE) -> None:
        super().__init__('follower', use_global_arguments=False)
        self.last: dict[str, Any] = {}
        self.heard = 0
        self.alive: dict[str, int] = {}
        self.late: set[str] = set()
        for topic, kind in kinds.items():
            self.create_subscription(
                kind, f'{space}/{topic}', lambda message, t=topic: self._take(t, message),
                copy(profile), event_callbacks=SubscriptionEventCallbacks(
                    liveliness=lambda event, t=topic: self.alive.update({t: event.alive_count}),
                    deadline=lambda _, t=topic: self.late.add(t)))

    def _take(self, topic: str, message: Any) -> None:
        self.heard += 1
        self.last[topic] = message

    def statuses(self) -> dict[str, tuple[bytes, dict[str, str]]]:
        """Return level and values of ``leadership``, by instance."""
        message = self.last.get('leadership', DiagnosticArray())
        return {status.name.rpartition(' ')[2]: (
            status.level, {pair.key: pair.value for pair in status.values})
            for status in message.status}


def nanoseconds(since: str) -> int:
    """Return a time that ``leadership`` tells [ns]."""
    return int(since.replace('.', ''))


STATES: dict[str, Any] = {
    'leader': Int64, 'is_leader': Bool, 'role': String, 'distance': Float64,
    'neighbours': Int64MultiArray, 'decision': String}


def test_stopped_robot_withdraws_all_its_outputs() -> None:
    """It withdraws the outputs of all instances, also where it leads."""
    robots = [robot(i, instances='rescue', tasks='count', **{
        'rescue.tasks': 'count', 'rescue.strength': float(i)}) for i in (1, 2)]
    kinds = {**STATES, **{f'rescue/{name}': kind for name, kind in STATES.items()},
             'leadership': DiagnosticArray}
    follower, bench = Follower('/r2', kinds), Bench({1: (0.0, 0.0), 2: (3.0, 0.0)})
    spin_until([follower, bench, *robots], lambda: leaders(robots) == [2, 2] and all(
        len(follower.last) == len(kinds) and follower.last[f'{part}is_leader'].data
        and follower.last[f'{part}decision'].data and follower.last[f'{part}neighbours'].data
        for part in ('', 'rescue/')))
    assert {level for level, _ in follower.statuses().values()} == {DiagnosticStatus.OK}
    robots[1].close()
    nothing = dict(zip(STATES, (-1, False, 'inactive', float('inf'), array('q'), '')))
    spin_until([follower], lambda: {level for level, _ in follower.statuses().values()} == {
        DiagnosticStatus.STALE} and all(
        follower.last[part + name].data == nothing[name]
        for part in ('', 'rescue/') for name in STATES))
    said = follower.heard
    robots[1].close()
    robots[0].close()
    spin_until([follower, bench], lambda: bench.said.keys() >= {1, 2})
    assert follower.heard == said, 'once'


def test_leadership_is_repeated_with_stamp_and_start() -> None:
    robots = [robot(1, instances='rescue', **{'rescue.radius': 1.0}), robot(2)]
    follower = Follower('/r1', {'leadership': DiagnosticArray})
    bench = Bench({1: (0.0, 0.0), 2: (3.0, 0.0)})
    everybody = [follower, bench, *robots]
    spin_until(everybody, lambda: 'main:' not in follower.statuses()
               and follower.statuses().get('main', (0, {}))[1].get('leader_namespace') == '/r2')
    since, first = follower.statuses()['main'][1]['since'], follower.last['leadership'].header
    told = follower.heard
    spin_until(everybody, lambda: follower.heard > told + 3)
    last = follower.last['leadership'].header
    assert (last.stamp.sec, last.stamp.nanosec) > (first.stamp.sec, first.stamp.nanosec)
    assert last.frame_id == 'map' and follower.statuses()['main'][1]['since'] == since
    assert 0 < nanoseconds(since) <= Time.from_msg(first.stamp).nanoseconds
    assert follower.statuses()['rescue'][1] | {'since': ''} == {
        'id': '1', 'namespace': '/r1', 'instance': 'rescue', 'leader': '1',
        'leader_namespace': '/r1', 'is_leader': 'true', 'role': 'leader', 'distance': '0.000',
        'hops': '0', 'tasks': '', 'reason': 'first', 'because': 'it had no leader', 'since': ''}


def test_only_changes_are_published_without_subscribers() -> None:
    """A late subscriber receives the last change with its stamp, and then each round."""
    node, bench = robot(1), Bench({1: (0.0, 0.0)})
    spin_until([node, bench], lambda: node.robot.counts[ROUNDS] > 5)
    follower, ages = Follower('/r1', {}), []
    follower.create_subscription(DiagnosticArray, '/r1/leadership', lambda message: ages.append(
        Time.from_msg(message.header.stamp).nanoseconds
        - nanoseconds(message.status[0].values[-1].value)), STATE)
    spin_until([node, bench, follower], lambda: len(ages) > 3)
    assert ages[0] == 0 < ages[1] and sorted(ages) == ages


def test_subscriber_notices_a_hung_process_by_lease_and_deadline() -> None:
    profile = copy(OUTPUT)
    profile.deadline = Duration(seconds=0.5)
    follower = Follower('/alone', {'leader': Int64, 'is_leader': Bool, 'role': String}, OUTPUT)
    repeats = Follower('/alone', {'leadership': DiagnosticArray}, profile)
    process = subprocess.Popen([
        sys.executable, '-c', COMMAND, '--ros-args', '-r', '__ns:=/alone', '-p', 'robot_id:=7',
        '-p', 'round_period:=0.1', '-p', 'message_expiry:=0.5', '-p', 'odometry_timeout:=0.0'])
    try:
        spin_until([follower, repeats], lambda: len(follower.alive) == 3 and repeats.heard > 3
                   and follower.last.get('is_leader', Bool()).data)
        repeats.late.clear()
        process.send_signal(signal.SIGSTOP)
        spin_until([follower, repeats], lambda: 'leadership' in repeats.late
                   and set(follower.alive.values()) == {0}, deadline=LEASE + 17.0)
        assert follower.last['is_leader'].data, 'latched: only lease and deadline tell'
    finally:
        process.send_signal(signal.SIGCONT)
        process.kill()
        process.wait()


# A region's summary as numbers with names, whatever a task makes of its own.

def test_nested_number_is_named_by_its_path():
    assert named({'members': 3.0, 'top': [[9.5, 7], [8.0, 2]], 'any': True, 'at': {'x': 1}}) == {
        'members': 3.0, 'top.0.0': 9.5, 'top.0.1': 7.0, 'top.1.0': 8.0, 'top.1.1': 2.0,
        'any': 1.0, 'at.x': 1.0}


def test_missing_number_is_nan_and_equal_to_itself():
    """An equal summary is not published twice, although NaN differs from itself."""
    odd = {'none': None, 'text': 'far', 'object': object(), 'empty': [], 'huge': 10**400}
    assert named(odd) == named(odd) == dict.fromkeys(('none', 'text', 'object', 'huge'), math.nan)


def test_output_namespace_moves_all_generic_outputs(ros: None) -> None:
    """Commands, messages and diagnostics stay on their topics."""
    node = robot(1, output_namespace='election', instances='rescue',
                 pose_source='cooperative', tasks='patrol', **{'rescue.tasks': 'count'})
    topics = {topic for topic, _ in node.get_publisher_names_and_types_by_node(
        'election_node', '/r1')}
    assert {'/r1/election/leader', '/r1/election/rescue/role', '/r1/election/odometry/cooperative',
            '/r1/election/decision'} <= topics
    elsewhere = {topic for topic in topics if not topic.startswith('/r1/election/')}
    assert elsewhere <= {'/r1/neighbourhood', '/neighbourhood', '/r1/cmd_vel', '/diagnostics',
                         '/rosout', '/parameter_events'}


def test_lease_clock_returns_the_faster_reading_and_the_lag(
        monkeypatch: pytest.MonkeyPatch) -> None:
    readings = [(100.0, 7.0), (101.0, 8.0), (111.0, 8.5), (112.0, 10.5), (112.0, 10.5)]
    monkeypatch.setattr(clock, 'steady_clocks', lambda: readings.pop(0))
    made = clock.LeaseClock()
    assert (made.seconds(), made.lag()) == (1.0, 0.0)
    assert (made.seconds(), made.lag()) == (11.0, 9.5), 'it slept for 9.5 s'
    assert (made.seconds(), made.lag()) == (13.0, 10.5), 'the other one was faster by 1 s'
    assert (made.seconds(), made.lag()) == (13.0, 10.5)


def test_lag_does_not_grow_with_the_frequency_of_readings(monkeypatch: pytest.MonkeyPatch) -> None:
    """In 1000 pairs of readings the difference of the clocks changes by 0.1 ms."""
    now = [0.0]

    def readings() -> tuple[float, float]:
        now[0] += 0.001
        return now[0], now[0] + 1e-4 * (round(1000.0 * now[0]) % 2)
    monkeypatch.setattr(clock, 'steady_clocks', readings)
    made = clock.LeaseClock()
    last = [made.seconds() for _ in range(1000)][-1]
    assert last == pytest.approx(1.0, rel=0.01) and made.lag() < 0.01
