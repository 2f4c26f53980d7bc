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

"""The demonstration of a gate: a short run, and the checks of what a gate obeyed."""

from argparse import Namespace

from diagnostic_msgs.msg import DiagnosticArray
from leader_election.ros.demo.checks import Leaderships
from leader_election.ros.demo.gate import Command, Gate, GateScenario, Sample, Step
from leader_election.ros.nodes import clock
from leader_election.ros.nodes.clock import LeaseClock
from leader_election.ros.nodes.qos import EVENTS
from PIL import Image
import pytest
from rclpy.node import Node
from ros.demo.test_main import run, SHORT
from support import leadership, spin_until


def test_gate_demo_passes_with_one_leader_at_a_time(tmp_path):
    done = run(tmp_path, '--task', 'gate', '--robots', '3', '--duration', '6', '--world', 'empty',
               command=SHORT)
    assert done.returncode == 0, done.stdout + done.stderr
    assert 'two robots held the gate open at once never' in done.stdout
    assert ' of their time, under those of two leaders never' in done.stdout
    assert Image.open(tmp_path / 'out' / 'gate.png').width == 1800
    assert (tmp_path / 'out' / 'run.gif').exists()


def tell(leaderships, robots, robot, term, lasts=60.0, readers=2):
    """Publish that a robot leads, and acts under a term for a time [s] by its clock."""
    publisher = robots.create_publisher(DiagnosticArray, f'robot_{robot}/leadership', EVENTS)
    spin_until([leaderships, robots], lambda: publisher.get_subscription_count() == readers)
    publisher.publish(leadership({
        'instance': 'main', 'id': str(robot), 'is_leader': 'true', 'leader': str(robot),
        'acting': 'true', 'term': str(term), 'acts_over': '', 'acts_until': '',
        'acting_until': str(clock.seconds(robots.get_clock()) + lasts)},
        robots.get_clock().now()))


def test_operator_stops_at_the_end_of_the_mandate_when_the_wall_clock_is_set_back(
        ros, monkeypatch):
    leaderships, robots = Leaderships([1]), Node('robots')
    gate = Gate(leaderships)
    tell(leaderships, robots, 1, 7, lasts=100.0)
    spin_until([leaderships], lambda: gate.samples and gate.samples[-1].acting == [1])
    seconds, passed = clock.seconds, LeaseClock.seconds
    monkeypatch.setattr(clock, 'seconds', lambda of: seconds(of) - 1000.0)
    monkeypatch.setattr(LeaseClock, 'seconds', lambda self: passed(self) + 100.0)
    gate.samples.clear()
    spin_until([leaderships], lambda: gate.samples)
    assert gate.samples[-1].acting == []


@pytest.mark.parametrize('fence', [True, False])
def test_gate_obeys_an_older_term_only_without_a_fence(ros, fence):
    leaderships, robots = Leaderships([1, 2, 3]), Node('robots')
    gate = Gate(leaderships, fence)
    for robot, term in ((1, 7), (2, 9), (3, 5)):
        tell(leaderships, robots, robot, term)
        spin_until([leaderships], lambda robot=robot: gate.commands
                   and gate.commands[-1].robot == robot)
        gate.kill(robot)
    obeyed = {each.term for each in gate.commands if each.obeyed}
    assert obeyed == ({7, 9} if fence else {5, 7, 9})
    gate.start(1)
    tell(leaderships, robots, 1, 11, readers=3)
    spin_until([leaderships], lambda: gate.commands[-1].term == 11)


FIRST, SECOND = Command(9, 5, 0.0, 0.1, True), Command(8, 7, 6.0, 6.1, True)
OLD = Command(9, 5, 0.2, 6.4, False)


@pytest.mark.parametrize(('fence', 'commands', 'holders', 'acting', 'holds'), [
    (True, [FIRST, SECOND, OLD], [9], [9], [True, True]),
    (True, [FIRST, SECOND], [9], [9], [False, True]),
    (True, [FIRST, SECOND, OLD._replace(obeyed=True)], [9], [9], [False, True]),
    (True, [FIRST, SECOND, OLD], [9], [8, 9], [True, False]),
    (False, [FIRST, SECOND], [9], [], [False, False]),
    (False, [FIRST, SECOND, OLD._replace(obeyed=True)], [8, 9], [], [True, True])])
def test_gate_checks_forbid_faults_with_a_fence_and_require_them_without(
        ros, fence, commands, holders, acting, holds):
    gate = Gate(Leaderships([]), fence)
    gate.commands, gate.samples = commands, [Sample(0.0, holders, [], acting)]
    assert [check.holds for check in gate.checks()] == holds


def test_step_of_the_gate_fails_when_the_gate_was_not_opened(ros):
    scenario = GateScenario(Namespace(mandate=3.0))
    scenario.gate = Gate(Leaderships([]))
    scenario._plan = [Step('merged', 'robot 4 opens the gate', (), bool, 1.0, reached)
                      for reached in (2.0, None)]
    held, failed = scenario.checks()[:2]
    assert held.holds and held.text.endswith('after 1.0 s')
    assert not failed.holds and failed.text.endswith('after it did not happen')
