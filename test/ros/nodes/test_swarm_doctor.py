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

"""The doctor among real nodes: its findings, and that it disturbs no robot."""

from argparse import Namespace
from collections.abc import Callable
import os
from pathlib import Path
import signal
import subprocess
import sys
import time
from typing import Any

from leader_election.election.robot.reception import ROUNDS
from leader_election.ros.nodes.monitor import Monitor
from leader_election.ros.nodes.qos import NEIGHBOURHOOD, SENSOR
from leader_election.ros.nodes.swarm_doctor import SwarmDoctor
from leader_election.swarm.doctor.diagnoses import examine
from leader_election.swarm.doctor.observations import Level
from nav_msgs.msg import Odometry
import pytest
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.qos import QoSProfile, QoSReliabilityPolicy
from ros.nodes.bench import robot, spin_singly
from std_msgs.msg import String
from support import PATIENCE

COMMAND = 'from leader_election import cli; raise SystemExit(cli.run("swarm_doctor"))'
CHECK_PERIOD = 0.3
"""Time between two evaluations of a condition, in which the nodes run undisturbed [s]."""
LONG = 10.0
"""Observations of a longer time take so long to examine that robots are late meanwhile [s]."""


pytestmark = pytest.mark.usefixtures('ros')


class Driver(Node):
    """A robot's driver, as it should be: stamped, in frames, twenty times a second."""

    def __init__(self, name: str, x: float, profile: Any = SENSOR) -> None:
        super().__init__('driver', namespace=f'/{name}', use_global_arguments=False)
        self._x = x
        self._out = self.create_publisher(Odometry, 'odom', profile)
        self.create_timer(0.05, self._drive)

    def _drive(self) -> None:
        message = Odometry(child_frame_id='base_link')
        message.header.frame_id = 'odom'
        message.header.stamp = self.get_clock().now().to_msg()
        message.pose.pose.position.x = self._x
        self._out.publish(message)


def doctor(**expected: int) -> SwarmDoctor:
    return SwarmDoctor(Namespace(
        expected=expected, planned={}, fleet_file='', robot='', radio_topics=()))


def until(nodes: list[Node], condition: Callable[[], bool], deadline: float = PATIENCE) -> None:
    """Spin by the executor that tells when a message was sent, as the doctor's own process."""
    due = 0.0

    def holds() -> bool:
        """Evaluate the condition now and then: it takes as long as many callbacks."""
        nonlocal due
        if time.monotonic() < due:
            return False
        result = condition()
        due = time.monotonic() + CHECK_PERIOD
        return result

    spin_singly(nodes, holds, deadline)
    assert condition(), f'did not happen within {deadline} s'


def told(one: SwarmDoctor) -> set[tuple[str, tuple[str, ...]]]:
    """Return the current findings: check and subjects."""
    return {(f.check, f.subjects) for f in examine(one.observations()) if f.level > Level.NOTE}


def heard(one: SwarmDoctor, messages: int) -> bool:
    """Say whether so much was heard of each robot that each check has something to look at."""
    swarm = one.observations()
    return (len(swarm.sent) > 1 and len(swarm.ids) > 1
            and all(len(said) >= messages for said in swarm.sent.values())
            and all(swarm.increase(name, ROUNDS) >= messages for name in swarm.ids))


def test_doctor_finds_nothing_and_publishes_nothing_when_two_robots_are_healthy() -> None:
    """It has only the publishers of rclpy, and requests no message again."""
    robots = [robot(1), robot(2)]
    company = [*robots, Driver('r1', 0.0), Driver('r2', 3.0)]
    until(company, lambda: all(len(r.robot.neighbours) == 1 for r in robots))
    one = doctor(r1=1, r2=2)
    until([*company, one], lambda: heard(one, 10) and not told(one))
    swarm = one.observations()
    assert swarm.robots == ['r1', 'r2'] and swarm.ids == {'r1': 1, 'r2': 2}
    assert {h.topic for h, _ in swarm.sent[1]} == {'/neighbourhood'}
    assert all(len(swarm.odometry[f'/r{i}/odom']) > 3 for i in (1, 2))
    assert [h.delay for h, _ in swarm.sent[1] if not -0.1 < h.delay < 1.0] == []
    assert [p.topic_name for p in one.publishers] == ['/parameter_events']
    assert list(one.services) == []
    reliable = {s.topic_name for s in one.subscriptions
                if s.qos_profile.reliability == QoSReliabilityPolicy.RELIABLE}
    assert reliable == set()


def test_doctor_listens_after_discovery() -> None:
    robots = [robot(1), robot(2)]
    company: list[Node] = [*robots, Driver('r1', 0.0), Driver('r2', 3.0)]
    until(company, lambda: all(len(r.robot.neighbours) == 1 for r in robots))
    one = doctor()
    company.append(one)
    until(company, lambda: one.is_settled() and len(one.observations().odometry) == 2)
    company.append(Driver('r3', 6.0))
    until(company, lambda: not one.is_settled())
    until(company, one.is_settled)
    before = one.observations()
    assert '/r3/odom' in before.odometry and before.messages
    one.listen()
    after = one.observations()
    assert not (after.messages or after.odometry or after.diagnostics)
    assert after.seconds < before.seconds


def test_waiting_messages_are_taken_at_once() -> None:
    radio = Node('radio', namespace='/r2', use_global_arguments=False)
    publisher = radio.create_publisher(String, '/neighbourhood', NEIGHBOURHOOD)
    one, company = doctor(), robot(1)
    until([company, one, radio], lambda: publisher.get_subscription_count() == 2
          and bool(one.observations().messages))
    before = {heard.payload for heard in one.observations().messages}
    for number in range(30):
        publisher.publish(String(data=f'{number}'))
    executor = SingleThreadedExecutor()
    executor.add_node(one)
    while {heard.payload for heard in one.observations().messages} == before:
        executor.spin_once(timeout_sec=1.0)
    received = {heard.payload for heard in one.observations().messages}
    assert {str(number) for number in range(30)} <= received


def test_doctor_finds_robots_that_died_without_a_fleet_file() -> None:
    """A robot that died before the doctor came is known from the monitor."""
    robots = [robot(i) for i in (1, 2, 3)]
    monitor, early = Monitor(parameter_overrides=[Parameter('live', value=False)]), doctor()
    company: list[Node] = [*robots, *(Driver(f'r{i}', float(i)) for i in (1, 2, 3)), monitor]
    until([*company, early], lambda: heard(early, 3) and len(monitor.snapshot.robots) == 3)
    early.listen()
    company.remove(robots[2])
    robots[2].destroy_node()
    late = doctor()

    def finds(one: SwarmDoctor) -> bool:
        if ('silent', ('r3',)) in told(one):
            return True
        if one.observations().seconds > LONG:
            one.listen()
        return False

    until([*company, early, late], lambda: all([finds(early), finds(late)]))


def test_doctor_finds_incompatible_profiles() -> None:
    """One robot requests reliable odometry, and one requests reliable messages."""
    ask = 'reliable'
    robots = [robot(1, **{'qos_overrides./r1/odom.subscription.reliability': ask}),
              robot(2, **{'qos_overrides./neighbourhood.subscription.reliability': ask})]
    best = QoSProfile(depth=1, reliability=QoSReliabilityPolicy.BEST_EFFORT)
    one = doctor()
    until([*robots, Driver('r1', 0.0, best), Driver('r2', 3.0), one], lambda: told(one) >= {
        ('profiles', ('r1',)), ('profiles', ('r1', 'r2')), ('reception', ('r2',))})


def start(*arguments: str, **environment: str) -> 'subprocess.Popen[str]':
    return subprocess.Popen([sys.executable, '-c', COMMAND, *arguments],
                            env=os.environ | environment,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_doctor_ends_with_the_status_of_its_findings(tmp_path: Path) -> None:
    """The status is 0 without findings, 1 with findings, and 130 if it is stopped."""
    robots = [robot(1), robot(2)]
    company: list[Node] = [*robots, Driver('r1', 0.0), Driver('r2', 3.0)]
    until(company, lambda: all(len(r.robot.neighbours) == 1 for r in robots))
    well = start('--seconds', '3')
    fleet = tmp_path / 'fleet.yaml'
    fleet.write_text('robots: {r1: {id: 1}, r2: {id: 2}, eve: {id: 3}}')
    bad = start('--seconds', '3', '--fleet-file', str(fleet))
    stopped = start('--seconds', '3600')
    processes = [well, bad, stopped]
    try:
        until(company, lambda: well.poll() is not None and bad.poll() is not None)
        stopped.send_signal(signal.SIGINT)
        results = [(*p.communicate(timeout=PATIENCE), p.returncode) for p in processes]
    finally:
        for process in processes:
            process.kill()
            process.communicate()
    out, err, status = results[0]
    assert '2 robots (r1, r2)' in out and 'swarm_doctor: all is well' in out
    assert (err, status) == ('', 0)
    out, err, status = results[1]
    assert (err, status) == ('', 1)
    assert '  ERROR missing: ' in out and 'eve: it was not found\n' in out
    assert results[2] == ('', '', 130)
