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
"""Lean robots: nodes that elect on topics that a whole process has in common."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray
from leader_election.nodes import process
from leader_election.nodes.qos import EVENTS, STATE
from leader_election.nodes.robot_host import RobotHost
from leader_election.nodes.swarm_world import SwarmWorld
import pytest
import rclpy
from rclpy.node import Node
from rclpy.parameter import Parameter
from std_msgs.msg import Int64

SCENE = {'robots': 4, 'world': 'empty', 'layout': 'grid', 'lean': True}
QUICK = ('round_period:=0.1', 'message_expiry:=0.5', 'diagnostics_period:=0.1')
DEADLINE = 30.0


class Reader(Node):
    """
    Reads what a swarm publishes.

    :ivar leader: the last message on topic ``leader`` of robot 1.
    :ivar concerns: the names of statuses on ``/diagnostics``.
    """

    def __init__(self) -> None:
        super().__init__('reader', use_global_arguments=False)
        self.leader: int | None = None
        self.concerns: set[str] = set()
        self.create_subscription(Int64, '/swarm/robot_1/leader', self._take, STATE)
        self.create_subscription(DiagnosticArray, '/diagnostics', self._diagnose, EVENTS)

    def _take(self, message: Int64) -> None:
        self.leader = message.data

    def _diagnose(self, message: DiagnosticArray) -> None:
        self.concerns |= {status.name for status in message.status}


@contextmanager
def swarm(radio: str, *parameters: str, **world: Any) -> Iterator[tuple[RobotHost, list[Node]]]:
    """Host four lean robots and their world in namespace ``/swarm``; yield all nodes."""
    arguments = ['fleet', '--ros-args', '-r', '__ns:=/swarm']
    values = {**SCENE, 'radio': radio}
    for text in (*(f'{name}:={str(value).lower()}' for name, value in values.items()), *QUICK,
                 'strengths:=id', 'radius:=6.0', *parameters):
        arguments += ['-p', text]
    rclpy.init(args=arguments)
    nodes: list[Node] = []
    try:
        host = RobotHost(arguments)
        nodes += [host, *host.robots, Reader(), SwarmWorld(
            namespace='/swarm', use_global_arguments=False, parameter_overrides=[
                Parameter(name, value=value) for name, value in {**values, **world}.items()])]
        yield host, nodes
    finally:
        for node in nodes:
            node.destroy_node()
        rclpy.shutdown()


@pytest.mark.parametrize('radio', ['relay', 'shared'])
def test_lean_robots_elect_and_publish_their_states(radio: str) -> None:
    with swarm(radio) as (host, nodes):
        reader = nodes[-2]
        assert isinstance(reader, Reader)
        process.spin(nodes, lambda: (
            reader.leader == 4 and len(reader.concerns) >= 16
            and all(robot.robot.state.leader == 4 for robot in host.robots)), deadline=DEADLINE)
        assert [robot.robot.state.leader for robot in host.robots] == [4] * 4
        assert reader.leader == 4
        assert 'swarm/robot_3: election' in reader.concerns
        assert {robot.robot.counts['messages_rejected'] for robot in host.robots} == {0}


def test_the_relay_of_a_lean_world_respects_the_range() -> None:
    with swarm('relay', 'communication_range:=1.2', radio_range=1.2) as (host, nodes):
        process.spin(nodes, lambda: all(len(robot.robot.neighbours) == 2
                                        for robot in host.robots), deadline=DEADLINE)
        assert [len(robot.robot.neighbours) for robot in host.robots] == [2] * 4


def test_a_lean_robot_is_a_node_with_a_topic_for_each_output_and_no_service() -> None:
    with swarm('relay') as (host, nodes):
        robot = host.robots[0]
        name = robot.get_name(), robot.get_namespace()
        assert ('election_node', '/swarm/robot_1') in host.get_node_names_and_namespaces()
        published = dict(host.get_publisher_names_and_types_by_node(*name))
        assert set(published) == {f'/swarm/robot_1/{topic}' for topic in (
            'leader', 'is_leader', 'role', 'distance', 'neighbours', 'region')}
        assert not host.get_subscriber_names_and_types_by_node(*name)
        assert not host.get_service_names_and_types_by_node(*name)


def test_the_settings_of_a_single_lean_robot_are_taken(tmp_path: Any) -> None:
    file = tmp_path / 'mine.yaml'
    file.write_text('/swarm/robot_2/election_node:\n  ros__parameters:\n    strength: 9.0\n')
    arguments = ['fleet', '--ros-args', '-r', '__ns:=/swarm', '-p', 'lean:=true',
                 '-p', 'robots:=2', '-p', 'world:=empty', '-p', 'radius:=3',
                 '--params-file', str(file)]
    rclpy.init(args=arguments)
    host = RobotHost(arguments)
    try:
        strengths = [robot.election.parameters.strength for robot in host.robots]
        assert strengths[1] == 9.0 and 0.0 < strengths[0] < 1.0
        assert [robot.election.parameters.radius for robot in host.robots] == [3.0, 3.0]
    finally:
        for node in (host, *host.robots):
            node.destroy_node()
        rclpy.shutdown()


def test_lean_robots_follow_simulated_time() -> None:
    with swarm('relay', 'use_sim_time:=true', publish_clock=True,
               real_time_factor=2.0) as (host, nodes):
        process.spin(nodes, lambda: all(robot.robot.state.leader == 4 for robot in host.robots),
                     deadline=DEADLINE)
        robot = host.robots[0]
        assert robot.robot.state.leader == 4
        assert robot.steady_clock is host.get_clock()
