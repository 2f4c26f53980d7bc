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

"""The robot's managed node: each transition, by the services that managers of nodes call."""

from collections.abc import Callable
import math
from typing import Any

from geometry_msgs.msg import Twist
from leader_election.election.regions.task import Task
from leader_election.election.robot.reception import HEARD, ROUNDS
from leader_election.parameters import ParameterError
from leader_election.ros.nodes.election import ElectionNode
from leader_election.ros.nodes.managed_election_node import ManagedElectionNode
from lifecycle_msgs.msg import State, Transition
from lifecycle_msgs.srv import ChangeState, GetState
import pytest
from rclpy.node import Node
from rclpy.parameter import Parameter
from ros.nodes.bench import Bench, collect, NEVER, robot
from sensor_msgs.msg import LaserScan
from support import spin_until

CONFIGURE, CLEANUP, ACTIVATE, DEACTIVATE, SHUTDOWN = (
    Transition.TRANSITION_CONFIGURE, Transition.TRANSITION_CLEANUP,
    Transition.TRANSITION_ACTIVATE, Transition.TRANSITION_DEACTIVATE,
    Transition.TRANSITION_ACTIVE_SHUTDOWN)
UNCONFIGURED, INACTIVE, ACTIVE = (
    State.PRIMARY_STATE_UNCONFIGURED, State.PRIMARY_STATE_INACTIVE, State.PRIMARY_STATE_ACTIVE)


pytestmark = pytest.mark.usefixtures('ros')


def managed(**parameters: Any) -> ManagedElectionNode:
    """Return robot 1 in the namespace ``/r1``, which waits for its manager."""
    values = {'robot_id': 1, 'strength': 9.0, 'round_period': 0.1, 'message_expiry': 0.5,
              'autostart': False, **parameters}
    return ManagedElectionNode(
        namespace='/r1', use_global_arguments=False,
        cli_args=['--ros-args', '-r', 'neighbourhood:=/neighbourhood'],
        parameter_overrides=[Parameter(name, value=value) for name, value in values.items()])


class Manager(Node):
    """Calls the services of a managed node."""

    def __init__(self, node: ManagedElectionNode, *others: Node) -> None:
        """:param others: who is to be spun along."""
        super().__init__('manager', use_global_arguments=False)
        self.company = [self, node, *others]
        name = node.get_fully_qualified_name()
        self._change = self.create_client(ChangeState, f'{name}/change_state')
        self._state = self.create_client(GetState, f'{name}/get_state')

    def ask(self, transition: int, label: str = '') -> bool:
        """Ask for a transition, and return whether it came about."""
        return bool(self._call(self._change, ChangeState.Request(
            transition=Transition(id=transition, label=label))).success)

    def state(self) -> int:
        return int(self._call(self._state, GetState.Request()).current_state.id)

    def _call(self, client: Any, request: Any) -> Any:
        spin_until(self.company, client.service_is_ready)
        asked = client.call_async(request)
        spin_until(self.company, asked.done)
        return asked.result()


def belongings(node: Node) -> list[int]:
    """Return the number of entities of a node by kind."""
    return [len(list(kind)) for kind in (
        node.publishers, node.subscriptions, node.timers, node.clients, node.services)]


def parameters(node: Node) -> set[str]:
    """Return the parameters that somebody asked for. Profiles, once declared, stay."""
    return {name for name in node.get_parameters_by_prefix('') if 'qos_overrides' not in name}


def silent(bench: Bench, neighbour: ElectionNode) -> Callable[[], bool]:
    """Return whether robot 1 was not heard for some rounds. Its last messages may be late."""
    begun = neighbour.robot.counts[ROUNDS]

    def holds() -> bool:
        nonlocal begun
        if bench.said.pop(1, None):
            begun = neighbour.robot.counts[ROUNDS]
        return neighbour.robot.counts[ROUNDS] > begun + 3
    return holds


def test_lifecycle_can_run_twice():
    """The robot is silent until active and after deactivation, and absent after cleanup."""
    node, neighbour = managed(tasks='count', instances='rescue'), robot(2)
    bench = Bench({1: (0.0, 0.0), 2: (3.0, 0.0)})
    manager = Manager(node, neighbour, bench)
    everybody = manager.company
    bare, named = belongings(node), parameters(node)
    assert manager.state() == UNCONFIGURED and 'rescue.radius' not in named
    configured: list[list[int]] = []
    for _ in range(2):
        assert manager.ask(CONFIGURE) and manager.state() == INACTIVE
        configured.append(belongings(node))
        spin_until(everybody, lambda: node.election.robot.counts[HEARD] > 3)
        assert 1 not in bench.said and neighbour.robot.neighbours == []

        assert manager.ask(ACTIVATE) and manager.state() == ACTIVE
        spin_until(everybody, lambda: neighbour.robot.state.leader == 1
                   and node.election.robot.neighbours)

        assert manager.ask(DEACTIVATE) and manager.state() == INACTIVE
        spin_until(everybody, lambda: neighbour.robot.state.leader == 2)
        spin_until(everybody, silent(bench, neighbour))
        assert belongings(node) == configured[0]

        assert manager.ask(CLEANUP) and manager.state() == UNCONFIGURED
        assert belongings(node) == bare and parameters(node) == named
        spin_until(everybody, lambda: bench.count_publishers('/r1/leader') == 0
                   and bench.count_publishers('/neighbourhood') == 2)
    assert configured[0] == configured[1]


def test_transition_is_refused_when_out_of_turn():
    node = managed()
    manager = Manager(node)
    for state, refused in ((UNCONFIGURED, (ACTIVATE, DEACTIVATE, CLEANUP, 99)),
                           (INACTIVE, (CONFIGURE, DEACTIVATE)),
                           (ACTIVE, (CONFIGURE, ACTIVATE, CLEANUP))):
        for transition in refused:
            assert not manager.ask(transition)
            assert manager.state() == state
        assert not manager.ask(0, 'dance')
        assert manager.ask({UNCONFIGURED: CONFIGURE, INACTIVE: ACTIVATE, ACTIVE: SHUTDOWN}[state])


def test_parameters_are_fixed_while_the_node_is_configured():
    """Parameters that change at run time keep their new values."""
    node = managed(instances='rescue')
    manager = Manager(node)

    def change(name: str, value: Any) -> str:
        return node.set_parameters([Parameter(name, value=value)])[0].reason

    assert change('robot_id', 7) == '' and change('robot_id', -7) != ''
    assert manager.ask(CONFIGURE)
    assert change('robot_id', 8) == ('parameter robot_id: it is fixed while the node is '
                                     'configured; clean the node up first')
    assert change('rescue.ties', 'nearest').startswith('parameter rescue.ties: it is fixed')
    for transition in (ACTIVATE, DEACTIVATE, ACTIVATE):
        assert manager.ask(transition)
        if transition == ACTIVATE and node.election.robot.parameters.radius != 3.0:
            assert change('radius', 3.0) == change('rescue.radius', 4.0) == ''
            assert change('round_period', 0.2) == ''
    here = node.election.robot
    assert (here.parameters.robot_id, here.parameters.radius, here.parameters.round_period,
            here.instances['rescue'].parameters.radius) == (7, 3.0, 0.2, 4.0)
    assert manager.ask(DEACTIVATE) and manager.ask(CLEANUP) and change('robot_id', 8) == ''
    assert manager.ask(CONFIGURE)
    assert node.election.robot.parameters.robot_id == 8


def test_wheels_stop_on_deactivation_and_turn_on_activation():
    node = managed(tasks='rally', **{'rally.reaction': 5.0})
    bench = Bench({1: (0.0, 0.0)})
    manager = Manager(node, bench)
    eyes = bench.create_publisher(LaserScan, '/r1/scan', 10)
    free = LaserScan(angle_increment=math.pi / 4, range_max=4.0, ranges=[math.inf] * 8)
    bench.create_timer(0.05, lambda: eyes.publish(free))
    said = collect(bench, Twist, '/r1/cmd_vel', 10)

    def moves() -> bool:
        return bool(said) and (said[-1].linear.x, said[-1].angular.z) != (0.0, 0.0)
    assert manager.ask(CONFIGURE)
    for _ in range(2):
        assert manager.ask(ACTIVATE)
        spin_until(manager.company, moves)
        assert manager.ask(DEACTIVATE)
        spin_until(manager.company, lambda: not moves())


class OnlyOnce(Task):
    """A task that cannot be made a second time on a node."""

    def __init__(self, member: Any, settings: Any) -> None:
        super().__init__(member, settings)
        node = member.node.node
        if hasattr(node, 'was_here'):
            raise LookupError('it was here before')
        node.was_here = True
        node.create_timer(NEVER, self.close)
        node.create_client(GetState, 'nobody')


def test_node_is_unconfigured_after_a_failed_transition():
    """Entities that a task created on the node are removed."""
    node = managed(tasks='ros.nodes.test_managed_election_node:OnlyOnce')
    manager, bare, named = Manager(node), belongings(node), parameters(node)
    assert manager.ask(CONFIGURE) and manager.ask(ACTIVATE)
    assert not manager.ask(DEACTIVATE)
    assert manager.state() == UNCONFIGURED
    assert belongings(node) == bare and parameters(node) == named


def test_autostart_activates_the_node():
    node = managed(autostart=True)
    bench = Bench({1: (0.0, 0.0)})
    spin_until([node, bench], lambda: 1 in bench.said)
    assert Manager(node, bench).state() == ACTIVE
    with pytest.raises(ParameterError, match="parameter tasks: unknown task 'none'"):
        managed(autostart=True, tasks='none')


def test_failed_configuration_leaves_no_publisher_and_can_be_repeated():
    node = managed(tasks='none')
    manager, bare, named = Manager(node), belongings(node), parameters(node)
    for _ in range(2):
        assert not manager.ask(CONFIGURE) and manager.state() == UNCONFIGURED
        assert belongings(node) == bare and parameters(node) == named
    assert node.set_parameters([Parameter('tasks', value='count')])[0].successful
    assert manager.ask(CONFIGURE) and manager.state() == INACTIVE
