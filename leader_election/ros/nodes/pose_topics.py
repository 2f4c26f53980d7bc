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

"""The topics of a robot's pose: odometry, sightings, transforms, corrected poses."""

from collections.abc import Callable
import math
from typing import Any

from leader_election.election.robot.robot import ODOMETRY_WITHOUT_TRANSFORM, Robot
from leader_election.election.robot.sensing import ODOMETRY_REJECTED
from leader_election.localisation.parameters import BUMPER, IMU, POSE, TRANSFORM
from leader_election.localisation.poses import heading, height, IDENTITY, Pose, position, yaw_of
from leader_election.parameters import frame_name, ParameterError
from leader_election.ros.nodes import clock
from leader_election.ros.nodes.given_poses import GivenPoses, KINDS, LOOK_PERIOD
from leader_election.ros.nodes.localisation_topics import (
    LocalisationPublishers,
    subscribe_sightings,
    Transforms,
)
from leader_election.ros.nodes.process import MissingInput
from leader_election.ros.nodes.qos import SENSOR, SIGHTINGS
from leader_election.ros.nodes.robot_topics import Listen
from nav_msgs.msg import Odometry
from rclpy.node import Node
from sensor_msgs.msg import Imu
from std_msgs.msg import Bool

TRANSFORM_PERIOD = 0.1
"""The time between two looks for the transform of a robot without odometry [s]."""


class PoseTopics:
    """
    Gives a robot its odometry and its sightings, and publishes the pose that follows from them.

    :ivar failure: the error with which the process has to end, if any.
    """

    def __init__(self, node: Node, robot: Robot, listen: Listen, now: Callable[[], float],
                 uses_heading: Callable[[], bool]) -> None:
        """
        Subscribe to the inputs of the pose.

        :param listen: subscribes to a topic.
        :param now: returns the time on the robot's clock [s].
        :param uses_heading: returns whether the robot needs its heading.
        """
        self._node, self._robot, self._now = node, robot, now
        self._uses_heading = uses_heading
        self.failure: ParameterError | None = None
        parameters, source = robot.parameters, robot.sensing.source
        self._received = False
        self._transforms = (Transforms(node, parameters.frame)
                            if parameters.pose_source == TRANSFORM else None)
        self._given = (
            GivenPoses(node, parameters.frame, self._take_pose, self._has_odometry,
                       lambda: robot.counts.update((ODOMETRY_REJECTED,)))
            if parameters.pose_source == POSE else None)
        self._odometry_time = -math.inf
        self._corrected = LocalisationPublishers(node, robot) if source.cooperates else None
        # A sighting belongs to the odometry before it: neither may be skipped, even if late.
        listen('odom', Odometry, self._odometry, SIGHTINGS if source.cooperates else SENSOR)
        inputs = {BUMPER: (Bool, lambda bumper: source.slip.touch(bumper.data, now())),
                  IMU: (Imu, lambda imu: source.slip.turn(imu.angular_velocity.z, now()))}
        for name in parameters.slips_by:
            listen(name, *inputs[name], SENSOR)
        if robot.sensing.metric.needs_measurements or source.cooperates:
            subscribe_sightings(robot, listen, now, lambda: clock.seconds(node.get_clock()))

    def start(self, timer: Callable[[float, Callable[[], None]], Any]) -> None:
        """
        Start to wait for odometry.

        :param timer: starts a timer with a period [s].
        """
        if self._given is not None:
            self._given.look()
            timer(LOOK_PERIOD, self._given.look)
        if self._transforms is not None:
            timer(TRANSFORM_PERIOD, self._look)
        timeout = self._robot.parameters.odometry_timeout
        if timeout > 0.0:
            self._begun = self._now()
            self._deadline = timer(timeout, self._expect_odometry)

    def publish(self) -> None:
        """Publish the distances of neighbours, after a round."""
        if self._corrected is not None:
            self._corrected.publish_distances(self._now())

    def missing(self) -> list[MissingInput]:
        """Return odometry, until it arrives, where positions matter."""
        if self._received or not self._robot.sensing.positions_matter:
            return []
        if self._given is not None:
            return [MissingInput(
                'poses', self._given.topic, 'start the localisation, or remap pose to its topic; '
                f'its type is one of {", ".join(KINDS)}')]
        topic = self._node.resolve_topic_name('odom')
        return [MissingInput(
            'odometry', topic + self._or_transform, 'start the driver or the simulator (of '
            'Gazebo: its bridge, too), or remap odom to the topic of its odometry')]

    @property
    def _or_transform(self) -> str:
        """Return the words for the transform that does without odometry, empty for none."""
        parameters = self._robot.parameters
        return '' if self._transforms is None else (
            f' (nor a transform from {parameters.base_frame} to {parameters.frame})')

    def _expect_odometry(self) -> None:
        """Report a failure where no odometry was received since the start."""
        timeout = self._robot.parameters.odometry_timeout
        if self._now() - self._begun < 0.5 * timeout:
            # The simulated clock has begun, far from 0, or has leapt.
            return
        self._deadline.cancel()
        if self._robot.sensing.positions_matter and not self._received:
            topic = self._node.resolve_topic_name('odom')
            what, name = 'odometry', 'odom'
            if self._given is not None:
                topic, what, name = self._given.topic, 'pose', 'pose'
            self.failure = ParameterError(
                'odometry_timeout', problem=f': no {what} on {topic}{self._or_transform} within '
                f'{timeout:g} s; start the driver, or remap {name} to its topic (ros2 topic info '
                f'-v {topic}, ros2 topic list -t)')

    def _has_odometry(self) -> bool:
        """Return whether the last odometry is recent."""
        age = self._now() - self._odometry_time
        return age <= self._robot.parameters.odometry_expiry

    def _look(self) -> None:
        """Take the pose of a robot without odometry from a transform."""
        if self._has_odometry():
            return
        assert self._transforms is not None
        parameters, sensing = self._robot.parameters, self._robot.sensing
        pose = self._transforms.new_pose(parameters.base_frame)
        if pose is not None:
            self._take_pose(pose)
        elif sensing.locate(self._now()) is None:
            self._transforms.forget()

    def _take_pose(self, pose: Pose) -> None:
        """Process a pose in the shared frame of a robot without odometry."""
        self._received = True
        self._robot.sensing.take_odometry(
            (*position(pose), height(pose)), self._now(), IDENTITY, heading(pose))

    def _odometry(self, message: Odometry) -> None:
        self._odometry_time = self._now()
        # Poses are the input that matters where they are given.
        self._received = self._received or self._given is None
        point, origin = message.pose.pose.position, None
        frame = frame_name(message.header.frame_id)
        if frame == self._robot.parameters.frame:
            origin = IDENTITY
        elif self._transforms is not None or self._given is not None:
            if self._given is not None:
                self._given.note(message)
                origin = self._given.origin
            elif self._transforms is not None:
                origin = self._transforms.pose(frame)
            if origin is None:
                if self._given is None:
                    # The transform of base_frame may be known.
                    self._odometry_time = -math.inf
                self._robot.counts[ODOMETRY_WITHOUT_TRANSFORM] += 1
                return
        self._received = True
        turn = message.pose.pose.orientation
        needed = self._transforms is None or self._uses_heading()
        yaw = yaw_of((turn.x, turn.y, turn.z, turn.w)) if needed else None
        now = self._now()
        counts = self._robot.sensing.take_odometry(
            (point.x, point.y, point.z), now, origin, yaw)
        if counts and self._corrected is not None:
            self._corrected.publish_pose(message, origin, now)
