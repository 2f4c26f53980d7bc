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

"""
The bridge: robots in Gazebo as robots on ROS, with the topics that a real one has.

Odometry is what the wheels did: Gazebo tells the pose of each wheel in its robot, and so how far
it has turned, as an encoder does. Where the robot truly is goes into ``ground_truth``, and into
nothing else but simulated sensors that Gazebo has none of: those that identify neighbours.
"""

from collections.abc import Sequence
import math
from typing import Any

from builtin_interfaces.msg import Time
from geometry_msgs.msg import Twist
from leader_election.fleet.robot_list import RobotSpec
from leader_election.gazebo.simulator import ODOMETRY_RATE
from leader_election.nodes.sighting_publisher import SightingPublisher
from leader_election.robot.pose import yaw_of
from leader_election.world.kinematics import Array
from leader_election.world.robot_body import MAX_SPEED, MAX_TURN_RATE
from leader_election.world.sensors import RateLimiter
from leader_election.world.sightings import ID, observe, SightingSensor
from leader_election.world.world import quaternions
from nav_msgs.msg import Odometry
import numpy as np
from physics.messages import Messages
from physics.transport import Client, Publisher
from physics.wheels import Wheels
from rclpy.node import Node
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import LaserScan

SIDES = ('left', 'right')


class Bridge(Node):
    """
    Publishes ``/clock``, and of each robot ``odom``, ``ground_truth`` and ``scan``.

    With sensors also ``measurements``. It hands on ``cmd_vel``.

    Messages go out on the thread of Gazebo's client.

    :ivar time: of the simulator [s].
    :ivar truth: x, y, yaw of each robot in the shared frame [m, rad], shape (n, 3).
    :ivar wheels: what the robots believe.
    :ivar silent: the robots that are gone, by name: nothing is published of them.
    """

    def __init__(self, client: Client, messages: Messages, robots: Sequence[RobotSpec],
                 sensors: Sequence[SightingSensor] = ()) -> None:
        """
        Create the topics, and listen to Gazebo.

        :param sensors: that identify neighbours; they are fed with true poses.
        """
        super().__init__('bridge')
        self.time = 0.0
        self.truth: Array = np.array([robot.pose for robot in robots])
        self.wheels = Wheels(len(robots))
        self.silent: set[str] = set()
        self._messages = messages
        self._robots = robots
        self._places = {robot.name: i for i, robot in enumerate(robots)}
        self._angles: Array = np.zeros((len(robots), 2))
        self._parts = {f'{robot.name}::{side}_wheel': (i, k) for i, robot in enumerate(robots)
                       for k, side in enumerate(SIDES)}
        self._rate = RateLimiter(ODOMETRY_RATE)
        self._clock_topic = self.create_publisher(Clock, '/clock', 10)
        self._odom = [self.create_publisher(Odometry, f'{r.name}/odom', 10) for r in robots]
        self._truth = [
            self.create_publisher(Odometry, f'{r.name}/ground_truth', 10) for r in robots]
        self._sensors = sensors
        self._sightings = SightingPublisher(
            self, [r.name for r in robots], self._observe) if sensors else None
        self._request = client.advertise('request', 'Request')
        self._drives = [client.advertise(f'{r.name}/vel_cmd', 'Pose') for r in robots]
        self._last: dict[Publisher, tuple[float, float]] = {}
        for robot, drive in zip(robots, self._drives):
            self._listen(client, robot, drive)
        client.subscribe('pose/info', 'PosesStamped', self._move)

    def _listen(self, client: Client, robot: RobotSpec, drive: Publisher) -> None:
        scans = self.create_publisher(LaserScan, f'{robot.name}/scan', 10)
        client.subscribe(f'{robot.name}/base_link/lidar/scan', 'LaserScanStamped',
                         lambda scan: self._look(robot.name, scans, scan))
        self.create_subscription(
            Twist, f'{robot.name}/cmd_vel', lambda twist: self._drive(drive, twist), 10)

    @property
    def driven(self) -> bool:
        """Return whether Gazebo hears the commands to all robots."""
        return all(drive.heard for drive in self._drives) and self._request.heard

    def delete(self, name: str) -> None:
        """Take a robot out of the simulator, and its topics with it."""
        self.silent.add(name)
        self._request.publish(self._messages['Request'](
            id=self._places[name], request='entity_delete', data=name))

    def _drive(self, drive: Publisher, twist: Twist) -> None:
        """Hand a command on: as a pose, whose turning counts to the right."""
        speed = min(max(twist.linear.x, -MAX_SPEED), MAX_SPEED)
        half = -min(max(twist.angular.z, -MAX_TURN_RATE), MAX_TURN_RATE) / 2
        # Gazebo goes on as it was told last; a message costs it more than a step of physics.
        if self._last.get(drive) == (speed, half):
            return
        self._last[drive] = speed, half
        pose = self._messages['Pose']()
        pose.position.x, pose.position.y, pose.position.z = speed, 0.0, 0.0
        pose.orientation.x = pose.orientation.y = 0.0
        pose.orientation.z, pose.orientation.w = math.sin(half), math.cos(half)
        drive.publish(pose)

    def _move(self, message: Any) -> None:
        """Take in the poses of what has moved, and tell of all."""
        for pose in message.pose:
            turn = pose.orientation
            if pose.name in self._places:
                yaw = yaw_of((turn.x, turn.y, turn.z, turn.w))
                self.truth[self._places[pose.name]] = pose.position.x, pose.position.y, yaw
            elif pose.name in self._parts:
                self._angles[self._parts[pose.name]] = 2 * math.atan2(turn.y, turn.w)
        self.wheels.turn(self._angles.copy())
        self.time = message.time.sec + message.time.nsec * 1e-9
        stamp = _time(message)
        self._clock_topic.publish(Clock(clock=stamp))
        if self._rate.due(self.time):
            self._send(self._odom, _odometry('odom', stamp), self.wheels.poses)
            self._send(self._truth, _odometry('map', stamp), self.truth)
            if self._sightings is not None:
                self._sightings.publish(stamp)

    def _observe(self, observers: Sequence[int]) -> Array:
        """Return what robots see of each other, all but those that are gone."""
        rows = [row for row in observers if self._robots[row].name not in self.silent]
        seen = observe(self._sensors, self.time, self.truth, rows)
        gone = [robot.id for robot in self._robots if robot.name in self.silent]
        return np.asarray(seen[~np.isin(seen[:, ID], gone)])

    def _send(self, publishers: Sequence[Any], message: Odometry, poses: Array) -> None:
        rows = np.column_stack((poses[:, :2], quaternions(poses[:, 2]))).tolist()
        position, orientation = message.pose.pose.position, message.pose.pose.orientation
        for robot, publisher, row in zip(self._robots, publishers, rows):
            if robot.name not in self.silent:
                position.x, position.y, orientation.z, orientation.w = row
                publisher.publish(message)

    def _look(self, name: str, publisher: Any, message: Any) -> None:
        scan = message.scan
        if name in self.silent:
            return
        said = LaserScan(
            angle_min=scan.angle_min, angle_max=scan.angle_max, angle_increment=scan.angle_step,
            range_min=scan.range_min, range_max=scan.range_max, ranges=list(scan.ranges))
        said.header.stamp = _time(message)
        said.header.frame_id = 'base_link'
        publisher.publish(said)


def _time(message: Any) -> Time:
    return Time(sec=message.time.sec, nanosec=message.time.nsec)


def _odometry(frame: str, stamp: Time) -> Odometry:
    message = Odometry(child_frame_id='base_link')
    message.header.frame_id, message.header.stamp = frame, stamp
    return message
