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

"""The robots that a process hosts, and their parameters."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from leader_election.ros.nodes.election import ElectionNode
from leader_election.ros.nodes.robot_host import RobotHost
from leader_election.swarm.fleet.robot_list import strength
import pytest
import rclpy
from rclpy.node import Node

LISTED = "roster:='{name: alice, id: 7, pose: {x: 1.0, y: 2.0, yaw: 0.5}}; {name: bob}'"


@contextmanager
def hosted(*parameters: str, file: Path | None = None) -> Iterator[list[ElectionNode]]:
    arguments = ['fleet', '--ros-args', '-r', '__ns:=/swarm']
    if file is not None:
        arguments += ['--params-file', str(file)]
    for parameter in parameters:
        arguments += ['-p', parameter]
    rclpy.init(args=arguments)
    nodes: list[Node] = []
    try:
        host = RobotHost(arguments)
        nodes += [host, *host.robots]
        yield host.robots
    finally:
        for node in nodes:
            node.destroy_node()
        rclpy.shutdown()


def identity(robot: ElectionNode) -> tuple[str, int, list[float]]:
    return (robot.get_namespace(), robot.get_parameter('robot_id').value,
            list(robot.get_parameter('initial_pose').value))


def test_listed_robots_have_names_ids_and_poses():
    with hosted(LISTED, 'seed:=5', 'radius:=3.0') as robots:
        assert [identity(robot) for robot in robots] == [
            ('/swarm/alice', 7, [1.0, 2.0, 0.5]), ('/swarm/bob', 1, [0.0, 0.0, 0.0])]
        assert [robot.get_parameter('strength').value for robot in robots] == [
            strength(5, 7), strength(5, 1)]
        assert {robot.get_parameter('radius').value for robot in robots} == {3.0}


@pytest.mark.parametrize(('swarm', 'roster'), [(LISTED, {1, 7}), ('robots:=3', {1, 2, 3})])
def test_quorum_counts_every_robot_of_the_swarm_on_any_host(swarm, roster):
    with hosted(swarm, "members:='1'", 'mandate:=3.0', 'quorum:=majority') as robots:
        (mandates,) = [robot.robot.main.parts['mandates'].mandates for robot in robots]
        assert mandates is not None and mandates.settings.roster == roster


def test_strength_of_a_file_takes_precedence_for_its_robot(tmp_path):
    file = tmp_path / 'mine.yaml'
    file.write_text('/swarm/bob/election_node:\n  ros__parameters: {strength: 2.5}\n')
    with hosted(LISTED, file=file) as robots:
        assert [robot.robot.main.strength.announced for robot in robots] == [
            strength(0, 7), 2.5]


def test_robots_are_those_of_the_scene_without_a_list():
    with hosted('robots:=3', 'world:=empty', 'layout:=grid', 'members:=2-3') as robots:
        assert [identity(robot) for robot in robots] == [
            ('/swarm/robot_2', 2, [0.5, -0.5, 0.0]), ('/swarm/robot_3', 3, [-0.5, 0.5, 0.0])]


def test_swarms_in_several_namespaces_can_share_sensor_topics():
    with hosted('robots:=2', 'world:=empty', 'metric:=range', 'odom_topic:=/robot_{id}/odom',
                'measurements_topic:=/robot_{id}/measurements') as robots:
        for robot in robots:
            subscribed = dict(robot.get_subscriber_names_and_types_by_node(
                robot.get_name(), robot.get_namespace()))
            own = f'/robot_{robot.robot.parameters.robot_id}'
            assert f'{own}/odom' in subscribed and f'{own}/measurements' in subscribed
