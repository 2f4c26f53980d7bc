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
The node ``gazebo_odometry``: odometry with errors, true poses and bumpers in a simulator.

A simulator's odometry is too good: in Gazebo Sim its error is a millimetre after two minutes.
The node adds the errors of the embedded world, between the simulator's odometry and the robots.
It also makes the signal of a bumper of the contacts that the simulator reports.
"""

import math
from typing import Any

from geometry_msgs.msg import PoseStamped, TransformStamped
from leader_election.localisation.poses import PlanePose, yaw_of
from leader_election.ros.nodes import clock, world_topics
from leader_election.ros.nodes.declare import declare_all
from leader_election.ros.nodes.localisation_topics import installed_type
from leader_election.ros.nodes.process import BUFFERS, MissingInput, run
from leader_election.ros.nodes.qos import EVENTS, SENSOR
from leader_election.ros.nodes.wander import namespaces
from leader_election.simulation.motion import velocities_between
from leader_election.simulation.odometry import ErroneousOdometry
from leader_election.simulation.parameters import GazeboOdometryParameters
from nav_msgs.msg import Odometry
import numpy as np
from rclpy.node import Node
from std_msgs.msg import Bool

WHEEL_ODOMETRY = 'wheel_odometry'
"""The topic of the simulator's odometry, in the namespace of the robot."""
RELEASED_AFTER = 0.15
"""The time without contacts after which it no longer does [s]."""


class SimulatedRobot:
    """
    The odometry, the true pose and the bumper of one robot.

    :ivar name: its namespace.
    """

    def __init__(self, node: Node, prefix: str, parameters: GazeboOdometryParameters) -> None:
        """
        Subscribe to the simulator's topics, and advertise those of the robot.

        :param prefix: the start of the robot's topic names, empty or ending in a slash.
        """
        self.name = prefix.rstrip('/') or node.get_namespace().strip('/')
        self._node, self._prefix = node, prefix
        self._has_wheels = self._touches = False
        self._odometry = ErroneousOdometry(parameters, parameters.seed, self.name)
        self._drifts = parameters.odometry_drift
        self._odom = node.create_publisher(Odometry, f'{prefix}odom', 10)
        # The frame that Gazebo Sim gives to a scanner of this name.
        scanner = TransformStamped(child_frame_id=f'{self.name}/{world_topics.BASE}/lidar')
        scanner.header.frame_id = world_topics.BASE
        scanner.transform.translation.z = parameters.scanner_height
        self._transforms = world_topics.TransformPublisher(
            node, [prefix.rstrip('/') or node.get_namespace().rstrip('/')],
            [scanner] if parameters.scanner_height else [])
        node.create_subscription(Odometry, prefix + WHEEL_ODOMETRY, self._take, EVENTS)
        if parameters.ground_truth:
            self._truth = node.create_publisher(Odometry, f'{prefix}ground_truth', 10)
            self._last: tuple[float, PlanePose] | None = None
            node.create_subscription(PoseStamped, f'{prefix}true_pose', self._take_truth, EVENTS)
        if parameters.bumper:
            self._clock = clock.steady_clock(node)
            self._touched_at = -math.inf
            self._bumper = node.create_publisher(Bool, f'{prefix}bumper', 10)
            # Not decoded: that there are contacts is enough, and they come in each step.
            kind = installed_type(
                'ros_gz_interfaces/msg/Contacts', 'bumper', 'true', 'bumper:=false')
            node.create_subscription(kind, f'{prefix}contacts', self._touch, SENSOR, raw=True)

    def _take(self, message: Odometry) -> None:
        """Publish odometry with errors, in the received message."""
        pose = _planar(message.pose.pose)
        if pose is None:
            return
        self._has_wheels = True
        stamp, poses = message.header.stamp, np.array([pose])
        if not self._drifts:
            self._odom.publish(message)
        elif self._odometry.take(clock.of_stamp(stamp), pose):
            poses, turn = self._odometry.poses, message.pose.pose.orientation
            turn.x = turn.y = 0.0
            world_topics.send_odometry([self._odom], message, stamp, poses,
                                       self._odometry.velocities, (), self._odometry.covariance)
        else:
            return
        self._transforms.publish(stamp, poses)

    def _take_truth(self, message: PoseStamped) -> None:
        """Publish the true pose as odometry in the shared frame."""
        time, pose = clock.of_stamp(message.header.stamp), _planar(message.pose)
        if pose is None:
            return
        velocities = np.zeros((1, 2))
        if self._last is not None and time > self._last[0]:
            velocities = velocities_between(
                np.array([self._last[1]]), np.array([pose]), time - self._last[0])
        self._last = time, pose
        world_topics.send_odometry([self._truth], world_topics.odometry_in('map'),
                                   message.header.stamp, np.array([pose]), velocities)

    def _touch(self, contacts: bytes) -> None:
        self._touched_at = clock.seconds(self._clock)
        if not self._touches:
            self.report_touch()

    def report_touch(self) -> None:
        """Publish whether the robot touches something: on each change, and while it does."""
        before = self._touches
        self._touches = 0.0 <= clock.seconds(self._clock) - self._touched_at <= RELEASED_AFTER
        if before or self._touches:
            self._bumper.publish(Bool(data=self._touches))

    def missing(self) -> list[MissingInput]:
        """Return the missing inputs: odometry, until it arrives."""
        return [] if self._has_wheels else [MissingInput('odometry', self._node.resolve_topic_name(
            self._prefix + WHEEL_ODOMETRY), f'see whether the bridge runs; {BUFFERS}')]


class GazeboOdometry(Node):
    """
    Publishes the odometry of each robot in the simulator (:class:`SimulatedRobot`).

    :ivar robots: in the order of the parameter.
    """

    def __init__(self, **options: Any) -> None:
        """
        Declare the parameters, subscribe and advertise.

        :param options: for ``rclpy.node.Node``.
        :raises ParameterError: when a parameter is wrong.
        """
        super().__init__('gazebo_odometry', **options)
        parameters = declare_all(self, GazeboOdometryParameters).values
        self.robots = [SimulatedRobot(self, prefix, parameters)
                       for prefix in namespaces(parameters.robots)]
        if parameters.bumper:
            # One for all: rclpy warns of many timers of one clock.
            clock.create_timer(self, 0.1, self._report_touches, clock.steady_clock(self))

    def _report_touches(self) -> None:
        for robot in self.robots:
            robot.report_touch()

    def missing(self) -> list[MissingInput]:
        """Return the missing inputs of the robots."""
        return [each for robot in self.robots for each in robot.missing()]


def _planar(pose: Any) -> PlanePose | None:
    """Return x, y, yaw of a message's pose [m, rad], ``None`` without a valid orientation."""
    turn = pose.orientation
    yaw = yaw_of((turn.x, turn.y, turn.z, turn.w))
    return None if yaw is None else (pose.position.x, pose.position.y, yaw)


def main() -> int:
    """Run the node until a signal, and return the exit status."""
    return run(lambda: [GazeboOdometry()])
