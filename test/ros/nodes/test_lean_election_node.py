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
import math
import time
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray
from leader_election.election.messages.codec import sender
from leader_election.election.robot.sensing import ODOMETRY_REJECTED
from leader_election.parameters import ParameterError
from leader_election.ros.nodes.process import spin
from leader_election.ros.nodes.qos import (
    EVENTS,
    LEASE,
    NEIGHBOURHOOD,
    repeated,
    SENSOR,
    SIGHTINGS,
    STATE,
)
from leader_election.ros.nodes.robot_host import RobotHost
from leader_election.ros.nodes.swarm_world import SwarmWorld
from leader_election.simulation.radio import rows_of, STANDING_PERIOD
from nav_msgs.msg import Odometry
import pytest
import rclpy
from rclpy.node import Node
from rclpy.parameter import Parameter
from std_msgs.msg import Float64MultiArray, Int64, String
from support import PATIENCE

SCENE = {'robots': 4, 'world': 'empty', 'layout': 'grid', 'lean': True}
QUICK = ('round_period:=0.1', 'message_expiry:=0.5', 'diagnostics_period:=0.1')


class Reader(Node):
    """
    Reads what a swarm publishes.

    :ivar leader: the last message on topic ``leader`` of robot 1.
    :ivar states, values: by robot, of the common topic ``leadership``.
    :ivar concerns: the names of statuses on ``/diagnostics``.
    """

    def __init__(self) -> None:
        super().__init__('reader', use_global_arguments=False)
        self.leader: int | None = None
        self.concerns: set[str] = set()
        self.create_subscription(Int64, '/swarm/robot_1/leader', self._take, STATE)
        self.states: dict[str, str] = {}
        self.values: dict[str, dict[str, str]] = {}
        self.create_subscription(DiagnosticArray, '/swarm/leadership', self._read, repeated(3.0))
        self.create_subscription(DiagnosticArray, '/diagnostics', self._diagnose, EVENTS)

    def _take(self, message: Int64) -> None:
        self.leader = message.data

    def _read(self, message: DiagnosticArray) -> None:
        self.states |= {status.hardware_id: status.message for status in message.status}
        self.values |= {status.hardware_id: {pair.key: pair.value for pair in status.values}
                        for status in message.status}

    def _diagnose(self, message: DiagnosticArray) -> None:
        self.concerns |= {status.name for status in message.status}


@contextmanager
def swarm(radio: str, *parameters: str, **world: Any) -> Iterator[tuple[RobotHost, list[Node]]]:
    """
    Host four lean robots and their world in namespace ``/swarm``; yield all nodes.

    :param radio, parameters: of the robots.
    :param world: parameters of the world; ``space``: its namespace.
    """
    space = world.pop('space', '/swarm')
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
            namespace=space, use_global_arguments=False, parameter_overrides=[
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
        spin(nodes, lambda: (
            reader.leader == 4 and len(reader.concerns) >= 16
            and reader.states.get('robot 4') == 'leads'
            and all(robot.robot.state.leader == 4 for robot in host.robots)), deadline=PATIENCE)
        assert [robot.robot.state.leader for robot in host.robots] == [4] * 4
        assert reader.leader == 4
        host.robots[0].close()
        spin([reader], lambda: reader.leader == -1
             and reader.states.get('robot 1') == 'inactive', deadline=PATIENCE)
        assert reader.leader == -1
        assert reader.states['robot 1'] == 'inactive' and reader.states['robot 4'] == 'leads'
        assert 'swarm/robot_3: election' in reader.concerns
        assert {robot.robot.counts['messages_rejected'] for robot in host.robots} == {0}


def test_lean_robots_publish_their_mandates() -> None:
    with swarm('shared', 'mandate:=1.0', 'quorum:=majority') as (_, nodes):
        reader = nodes[-2]
        assert isinstance(reader, Reader)
        spin(nodes, lambda: reader.values.get('robot 4', {}).get('acts_over') == '1,2,3,4'
             and reader.values['robot 4']['acting'] == 'true'
             and reader.values.get('robot 1', {}).get('mandate_of') == '4', deadline=PATIENCE)
        leader, member = (reader.values[f'robot {i}'] for i in (4, 1))
        assert (leader['acting'], leader['acts_over']) == ('true', '1,2,3,4')
        assert (member['acting'], member['mandate_of']) == ('false', '4')


def test_the_next_leader_of_lean_robots_resumes_what_the_last_one_knew() -> None:
    """Robots that stand end a sweep after each thirty rounds."""
    area = 'patrol.area:=[-9.0, -6.0, 9.0, -6.0, 9.0, 6.0, -9.0, 6.0]'
    with swarm('shared', 'tasks:=patrol', area) as (host, nodes):
        members = [robot.robot.main.membership for robot in host.robots]
        held, tasks = ([each.handover for each in members],
                       [each.task_runners[0].task for each in members])
        spin(nodes, lambda: tasks[3]._sweep > 1 and held[3].text != '[null]' and len(
            {each.text for each in held}) == 1, deadline=PATIENCE)
        known = held[3].version
        assert {*known.made} == {held[3].maker} and tasks[2]._sweep == 0
        host.robots[3].close()
        spin(nodes, lambda: held[2].maker in held[0].version.made, deadline=PATIENCE)
        assert held[0].version.covers(known) and tasks[2]._sweep > 1


def test_the_relay_of_a_lean_world_respects_the_range() -> None:
    with swarm('relay', 'communication_range:=1.2', radio_range=1.2) as (host, nodes):
        spin(nodes, lambda: all(len(robot.robot.neighbours) == 2
                                for robot in host.robots), deadline=PATIENCE)
        assert [len(robot.robot.neighbours) for robot in host.robots] == [2] * 4


def test_a_monitor_receives_each_message_of_lean_robots() -> None:
    with swarm('relay') as (host, nodes):
        heard: dict[int | None, str] = {}
        nodes[-2].create_subscription(
            String, '/swarm/neighbourhood',
            lambda message: heard.update({sender(message.data): message.data}), NEIGHBOURHOOD)
        spin(nodes, lambda: len(heard) == 4, deadline=PATIENCE)
        assert {*heard} == {1, 2, 3, 4}


def test_a_late_world_sends_the_odometry_of_all_robots_in_time() -> None:
    with swarm('shared') as (_, nodes):
        world = nodes[-1]
        assert isinstance(world, SwarmWorld)
        sent: set[float] = set()
        nodes[-2].create_subscription(
            Float64MultiArray, '/swarm/odom_bundle',
            lambda message: sent.update(row[0] for row in rows_of(message.data)), SIGHTINGS)
        spin(nodes, lambda: len(sent) == 4, deadline=PATIENCE)
        # A world that is late by more steps than it catches up goes on from the present.
        late = time.monotonic() + STANDING_PERIOD + 20 * world.world.dt
        spin(nodes[:-1], lambda: time.monotonic() > late)
        sent.clear()
        steps = world.world.steps
        spin(nodes, lambda: bool(sent), deadline=PATIENCE)
        assert len(sent) == 4
        assert (world.world.steps - steps) * world.world.dt < STANDING_PERIOD


def test_a_lean_robot_is_a_node_with_a_topic_for_each_output_and_no_service() -> None:
    with swarm('relay') as (host, nodes):
        robot = host.robots[0]
        name = robot.get_name(), robot.get_namespace()
        assert ('election_node', '/swarm/robot_1') in host.get_node_names_and_namespaces()
        published = dict(host.get_publisher_names_and_types_by_node(*name))
        assert set(published) == {f'/swarm/robot_1/{topic}' for topic in (
            'leader', 'is_leader', 'role', 'distance', 'neighbours', 'region')}
        offered = host.get_publishers_info_by_topic('/swarm/robot_1/is_leader')[0].qos_profile
        assert offered.liveliness_lease_duration.nanoseconds == LEASE * 1e9
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
        spin(nodes, lambda: all(robot.robot.state.leader == 4 for robot in host.robots),
             deadline=PATIENCE)
        robot = host.robots[0]
        assert robot.robot.state.leader == 4
        assert robot.steady_clock is host.get_clock()


def test_a_message_with_less_delay_does_not_wait_for_an_earlier_one() -> None:
    with swarm('relay', radio_delay=60.0) as (host, nodes):
        world = nodes[-1]
        assert isinstance(world, SwarmWorld)
        spin(nodes, lambda: world.relays[0].relayed > 0, deadline=PATIENCE)
        world.set_parameters([Parameter('radio_delay', value=0.0)])
        spin(nodes, lambda: all(robot.robot.neighbours for robot in host.robots),
             deadline=PATIENCE)
        assert all(robot.robot.neighbours for robot in host.robots)


def test_malformed_odometry_is_counted_and_harmless() -> None:
    with swarm('shared') as (host, nodes):
        spin(nodes, lambda: all(robot.robot.position for robot in host.robots),
             deadline=PATIENCE)
        rejected = host.robots[0].robot.counts[ODOMETRY_REJECTED]
        publisher = nodes[-2].create_publisher(
            Float64MultiArray, '/swarm/odom_bundle', SIGHTINGS)
        spin(nodes, lambda: publisher.get_subscription_count() > 0, deadline=PATIENCE)
        for robot, x, yaw in ((math.nan, 0.0, 0.0), (math.inf, 0.0, 0.0), (0.5, 0.0, 0.0),
                              (1e300, 0.0, 0.0), (1.0, 0.0, math.inf), (1.0, 0.0, math.nan),
                              (1.0, math.nan, 0.0)):
            publisher.publish(Float64MultiArray(data=[robot, x, 0.0, yaw, 0.0, 0.0]))
        spin(nodes, lambda: host.robots[0].robot.counts[ODOMETRY_REJECTED] >= rejected + 3,
             deadline=PATIENCE)
        assert host.robots[0].robot.counts[ODOMETRY_REJECTED] == rejected + 3
        assert host.robots[1].robot.counts[ODOMETRY_REJECTED] == 0


def test_a_world_sends_the_odometry_to_the_swarms_of_all_its_radios() -> None:
    with swarm('relay', space='/', radio_namespaces=['other', 'swarm']) as (host, nodes):
        spin(nodes, lambda: all(robot.robot.state.leader == 4 for robot in host.robots),
             deadline=PATIENCE)
        assert [robot.robot.state.leader for robot in host.robots] == [4] * 4


def test_odometry_has_a_stamp_and_several_receivers() -> None:
    with swarm('shared') as (host, nodes):
        stamps: list[int] = []
        host.robots[0].create_subscription(
            Odometry, 'odom', lambda message: stamps.append(message.header.stamp.sec), SENSOR)
        spin(nodes, lambda: bool(stamps) and host.robots[0].robot.position is not None,
             deadline=PATIENCE)
        assert host.robots[0].robot.position is not None
        now = host.get_clock().now().nanoseconds * 1e-9
        assert stamps and abs(stamps[-1] - now) < PATIENCE


def test_namespaces_of_radios_leave_odometry_in_place_without_a_relay() -> None:
    with swarm('shared', radio_namespaces=['other']) as (host, nodes):
        spin(nodes, lambda: all(robot.robot.position for robot in host.robots),
             deadline=PATIENCE)
        assert all(robot.robot.position for robot in host.robots)


@pytest.mark.parametrize('radio', ['relay', 'shared'])
def test_messages_have_several_receivers(radio: str) -> None:
    with swarm(radio) as (host, nodes):
        first, second = set[int | None](), set[int | None]()
        for heard in (first, second):
            host.robots[0].create_subscription(
                String, 'neighbourhood',
                lambda message, heard=heard: heard.add(sender(message.data)), NEIGHBOURHOOD)
        spin(nodes, lambda: first >= {2, 3, 4} and second >= {2, 3, 4}
             and host.robots[0].robot.state.leader == 4, deadline=PATIENCE)
        assert first >= {2, 3, 4} and second >= {2, 3, 4}
        assert host.robots[0].robot.state.leader == 4


@pytest.mark.parametrize(('wrong', 'told'), [
    ('odometry_expiry:=0.5', 'odometry_expiry: 0.5 is not allowed for lean robots; it takes more'),
    ('odom_topic:=wheels', "odom_topic: 'wheels' is not allowed with lean")])
def test_parameters_that_lean_robots_do_not_take_are_refused(wrong: str, told: str) -> None:
    with pytest.raises(ParameterError, match=told), swarm('shared', wrong):
        pass


def test_a_lean_robot_without_a_lean_world_is_told_what_to_start() -> None:
    with swarm('shared', lean=False) as (host, _):
        (missing,) = host.robots[0].missing()
        assert missing.topic == '/swarm/odom_bundle' and 'with lean' in missing.remedy
