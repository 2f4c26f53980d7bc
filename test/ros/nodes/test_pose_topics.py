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

"""Poses of robots: on topic pose, by odometry that stays away, and that of the odometry frame."""

from collections.abc import Callable
from itertools import count
import math
import os
from pathlib import Path
import subprocess
import sys
from typing import Any, NamedTuple

from geometry_msgs.msg import (
    PointStamped,
    PoseStamped,
    PoseWithCovarianceStamped,
    Quaternion,
    TransformStamped,
)
from leader_election.election.robot.reception import ROUNDS
from leader_election.election.robot.sensing import ODOMETRY_REJECTED
from leader_election.parameters import ParameterError
from leader_election.ros.nodes.election import ElectionNode
from leader_election.ros.nodes.qos import SENSOR, STATE
from nav_msgs.msg import Odometry
import pytest
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.qos import QoSPresetProfiles, QoSProfile
from ros.nodes.bench import Bench, robot
from rosgraph_msgs.msg import Clock as ClockMessage
from support import spin_until

pytestmark = pytest.mark.usefixtures('ros')
HALF = math.sqrt(0.5)


def message_of(kind: type[Any], x: float, y: float, frame: str = 'map', time: int = 0,
               turn: tuple[float, float] = (0.0, 1.0)) -> Any:
    """Return a message of a pose. The turn is z and w of a quaternion."""
    message = kind()
    message.header.frame_id, message.header.stamp.sec = frame, time
    if kind is TransformStamped:
        place, rotation = message.transform.translation, message.transform.rotation
    else:
        pose = message.pose.pose if hasattr(message.pose, 'pose') else message.pose
        place, rotation = pose.position, pose.orientation
    place.x, place.y, (rotation.z, rotation.w) = x, y, turn
    return message


def odometry_of(x: float, time: int) -> Odometry:
    message = Odometry()
    message.header.frame_id, message.header.stamp.sec = 'odom', time
    message.pose.pose.position.x = x
    message.pose.pose.orientation = Quaternion(w=1.0)
    return message


class Driver(Node):
    """Publishes what it is told to, twenty times a second."""

    def __init__(self, kind: type[Any], profile: Any = SENSOR) -> None:
        super().__init__('driver', use_global_arguments=False)
        self.pose: Any = None
        self.odometry: Odometry | None = None
        self.poses = self.create_publisher(kind, '/r1/pose', profile)
        self._odometry = self.create_publisher(Odometry, '/r1/odom', SENSOR)
        self.create_timer(0.05, self._tick)

    def _tick(self) -> None:
        if self.pose is not None:
            self.poses.publish(self.pose)
        if self.odometry is not None:
            self._odometry.publish(self.odometry)


def place_of(node: ElectionNode) -> Callable[[], tuple[float, float] | None]:
    return lambda: node.robot.sensing.locate(node.election.now())


def test_robot_goes_on_by_odometry_after_a_single_latched_pose() -> None:
    """AMCL publishes while the robot moves only, and keeps the last pose."""
    node, driver = robot(1, pose_source='pose'), Driver(PoseWithCovarianceStamped, STATE)
    driver.odometry = odometry_of(10.0, 100)
    spin_until([node, driver], lambda: len(node.election._pose_topics._localisation._odometry) > 0)
    driver.poses.publish(message_of(PoseWithCovarianceStamped, 3.0, 4.0, time=100,
                                    turn=(HALF, HALF)))
    spin_until([node, driver], lambda: place_of(node)() == (3.0, 4.0))
    driver.odometry = odometry_of(12.0, 101)
    spin_until([node, driver], lambda: place_of(node)() == (3.0, 6.0))


def test_late_pose_counts_for_the_odometry_of_its_stamp() -> None:
    node, driver = robot(1, pose_source='pose'), Driver(PoseStamped)
    for second, x in (100, 0.0), (101, 2.0), (102, 5.0):
        driver.odometry = odometry_of(x, second)
        spin_until([node, driver], lambda x=x: any(
            pose[0, 3] == x for _, pose in node.election._pose_topics._localisation._odometry))
    driver.pose = message_of(PoseStamped, 20.0, 0.0, time=101)
    spin_until([node, driver], lambda: place_of(node)() == (23.0, 0.0))
    # The clock of the motion capture is another one.
    driver.pose = message_of(PoseStamped, 50.0, 0.0, time=7)
    spin_until([node, driver], lambda: place_of(node)() == (50.0, 0.0))


@pytest.mark.parametrize(('wrong', 'said'), [
    ({'frame': 'world'}, "are in frame 'world', and parameter frame is 'map'"),
    ({'turn': (0.0, 0.0)}, 'has no orientation')])
def test_wrong_pose_is_counted_and_warned_of(
        wrong: dict[str, Any], said: str, capfd: pytest.CaptureFixture[str]) -> None:
    node, driver = robot(1, pose_source='pose'), Driver(PoseStamped)
    driver.pose = message_of(PoseStamped, **{'x': 3.0, 'y': 4.0, **wrong})
    spin_until([node, driver], lambda: node.robot.counts['odometry_rejected'] > 2)
    assert place_of(node)() is None
    assert capfd.readouterr().err.count(said) == 1


def test_topic_of_another_type_is_named(capfd: pytest.CaptureFixture[str]) -> None:
    driver = Driver(PointStamped)
    spin_until([driver], lambda: driver.count_publishers('/r1/pose') == 1)
    node, said = robot(1, pose_source='pose'), list[str]()
    spin_until([node, driver], lambda: said.append(capfd.readouterr().err) or any(
        '/r1/pose is a geometry_msgs/msg/PointStamped, and poses are one of' in text
        for text in said))


def test_missing_poses_end_the_robot_after_the_timeout() -> None:
    node, driver = robot(1, pose_source='pose', odometry_timeout=0.3), Driver(PoseStamped)
    driver.odometry = odometry_of(1.0, 100)
    spin_until([node, driver], lambda: node.failure is not None)
    assert isinstance(node.failure, ParameterError)
    assert ('no poses on /r1/pose within 0.3 s; start the localisation, or remap pose'
            in str(node.failure))
    assert [each.topic for each in node.missing()] == ['/r1/pose']


class Recipe(NamedTuple):
    """What a driver publishes: type, profile, frame and rate [Hz]."""

    topic: str
    kind: Any
    profile: QoSProfile
    frame: str
    rate: float
    settings: dict[str, Any]


BEST_EFFORT = QoSPresetProfiles.SENSOR_DATA.value
RECIPES = {
    'vrpn_mocap': Recipe('/vrpn_mocap/r1/pose', PoseStamped, BEST_EFFORT, 'world', 100.0, {}),
    'vicon': Recipe('/vicon/r1/r1', TransformStamped, BEST_EFFORT, '/world', 100.0, {}),
    'AMCL': Recipe('/r1/amcl_pose', PoseWithCovarianceStamped, STATE, 'map', 0.5, {}),
    'TurtleBot 4': Recipe('/r1/odom', Odometry, BEST_EFFORT, 'odom', 20.0,
                          {'initial_pose': [0.5, 0.0, 0.0]}),
}


@pytest.mark.parametrize('driver', RECIPES)
def test_robot_takes_its_place_from_what_a_driver_publishes(driver: str) -> None:
    recipe = RECIPES[driver]
    given = recipe.kind is not Odometry
    settings = {'robot_id': 1, 'frame': recipe.frame if given else 'map',
                'pose_source': 'pose' if given else 'odometry', 'round_period': 0.1,
                **recipe.settings}
    robot = ElectionNode(
        namespace='/r1', use_global_arguments=False,
        cli_args=['--ros-args', '-r', f'{"pose" if given else "odom"}:={recipe.topic}'],
        parameter_overrides=[Parameter(name, value=value) for name, value in settings.items()])
    stand_in = Node('driver', use_global_arguments=False)
    publisher = stand_in.create_publisher(recipe.kind, recipe.topic, recipe.profile)
    message = odometry_of(1.5, 7) if not given else message_of(recipe.kind, 2.0, 0.0, recipe.frame)
    stand_in.create_timer(1.0 / recipe.rate, lambda: publisher.publish(message))
    spin_until([robot, stand_in], lambda: robot.robot.position == (2.0, 0.0))
    assert robot.robot.counts[ODOMETRY_REJECTED] == 0


# A robot whose odometry stays away from the start.

TIMEOUT = 0.5
REASON = ('parameter odometry_timeout: no odometry on /alice/wheels within 0.5 s; start the '
          'driver or the simulator (of Gazebo: its bridge, too), or remap odom to the topic of '
          'its odometry (ros2 topic list -t)')


def test_missing_odometry_ends_with_one_line_and_status_2(tmp_path: Path) -> None:
    """The log file also has the reason."""
    ran = subprocess.run(
        [sys.executable, '-m', 'leader_election', 'election_node', '--ros-args', '-r',
         '__ns:=/alice', '-r', 'odom:=wheels', '-p', 'robot_id:=1', '-p',
         f'odometry_timeout:={TIMEOUT}'], capture_output=True, text=True, timeout=60.0,
        env=os.environ | {'ROS_LOG_DIR': str(tmp_path)})
    lines = ran.stderr.splitlines()
    assert (ran.returncode, ran.stdout, lines[-1]) == (2, '', f'error: {REASON}')
    assert not any(line.startswith('error') for line in lines[:-1])
    (log,) = tmp_path.iterdir()
    assert f'[alice.election_node]: {REASON}' in log.read_text()


def test_timeout_begins_with_simulated_time() -> None:
    """Time begins at 500 s, and odometry comes shortly before the timeout."""
    one = robot(1, odometry_timeout=1.0, use_sim_time=True)
    feeder = Bench({}, name='feeder')
    clock = feeder.create_publisher(ClockMessage, '/clock', SENSOR)
    odometry = feeder.create_publisher(Odometry, '/r1/odom', SENSOR)
    times = count()

    def tick() -> None:
        tenths = next(times)
        message = ClockMessage()
        message.clock.sec, message.clock.nanosec = 500 + tenths // 10, tenths % 10 * 10**8
        clock.publish(message)
        if tenths > 7:
            odometry.publish(Odometry())

    spin_until([feeder, one], lambda: feeder.count_subscribers('/clock') > 0)
    feeder.create_timer(0.05, tick)
    spin_until([feeder, one], lambda: one.failure is not None or (
        one.robot.counts[ROUNDS] > 0 and one.robot.sensing.odometry_age(0.0) is not None))
    assert one.failure is None


@pytest.mark.parametrize(('drives', 'parameters', 'ends'), [
    (True, {}, False), (False, {'communication_range': float('inf')}, False), (False, {}, True)])
def test_node_ends_after_the_timeout_without_odometry_if_it_needs_a_position(
        drives: bool, parameters: dict[str, float], ends: bool) -> None:
    one = robot(1, odometry_timeout=0.2, metric='hops', **parameters)
    # Rounds come ten a second.
    spin_until([one, *[Bench({1: (0.0, 0.0)})] * drives],
               lambda: one.robot.counts[ROUNDS] > 6 or one.failure is not None)
    assert ('no odometry on /r1/odom within 0.2 s' in str(one.failure)) == ends
