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
The inputs of a robot's pose: odometry, poses of another localisation on a topic or by tf2.

A robot's own node knows the pose of odometry's frame in the shared frame by a parameter, by poses
on a topic (:class:`GivenPoses`), or looks it up by tf2 (:class:`Transforms`).
"""

from collections import deque
import math
import os
from typing import Any, TYPE_CHECKING

from geometry_msgs.msg import PoseStamped, PoseWithCovarianceStamped, TransformStamped
from leader_election.election.robot.robot import ODOMETRY_WITHOUT_TRANSFORM
from leader_election.election.robot.sensing import ODOMETRY_REJECTED
from leader_election.localisation.parameters import BUMPER, IMU, POSE, TRANSFORM
from leader_election.localisation.poses import heading, height, IDENTITY, Pose, position, yaw_of
from leader_election.parameters import frame_name, ParameterError
from leader_election.ros.nodes import clock
from leader_election.ros.nodes.localisation_topics import (
    LocalisationPublishers,
    pose_of,
    subscribe_sightings,
)
from leader_election.ros.nodes.process import MissingInput
from leader_election.ros.nodes.qos import LATCHED, SENSOR, SIGHTINGS, STATE, subscribe
from nav_msgs.msg import Odometry
import numpy as np
from rclpy.time import Time
from sensor_msgs.msg import Imu
from std_msgs.msg import Bool

if TYPE_CHECKING:
    from leader_election.ros.nodes.election import Election

KINDS = {f'geometry_msgs/msg/{kind.__name__}': kind
         for kind in (PoseStamped, PoseWithCovarianceStamped, TransformStamped)}
MEMORY = 5.0
"""The greatest age of a pose that is late, by its stamp [s]."""


class PoseTopics:
    """Gives a robot its odometry and its sightings, and publishes the pose that follows."""

    def __init__(self, host: 'Election') -> None:
        """
        Subscribe to the inputs of the pose.

        :raises ParameterError: if a package that its parameters need is not installed.
        """
        self._host, node, robot, now, listen = host, host.node, host.robot, host.now, host.listen
        self._node, self._robot, self._now = node, robot, now
        parameters, source = robot.parameters, robot.sensing.source
        self._received = False
        self._odometry_time = -math.inf
        self._localisation: GivenPoses | Transforms | None = None
        for name, kind in ((POSE, GivenPoses), (TRANSFORM, Transforms)):
            if parameters.pose_source == name:
                self._localisation = kind(self, host)
        self._corrected = LocalisationPublishers(host) if source.cooperates else None
        # A sighting belongs to the odometry before it: neither may be skipped, even if late.
        listen('odom', Odometry, self._odometry, SIGHTINGS if source.cooperates else SENSOR)
        inputs = {BUMPER: (Bool, lambda bumper: source.slip.touch(bumper.data, now())),
                  IMU: (Imu, lambda imu: source.slip.turn(imu.angular_velocity.z, now()))}
        for name in parameters.slips_by:
            listen(name, *inputs[name], SENSOR)
        if robot.sensing.metric.needs_measurements or source.cooperates:
            subscribe_sightings(host)

    def start(self) -> None:
        """Start to wait for odometry."""
        if self._localisation is not None:
            look = self._localisation.look
            self._host.timer(self._localisation.period, lambda: look(self._now()))
        timeout = self._robot.parameters.odometry_timeout
        if timeout > 0.0:
            self._begun = self._now()
            self._deadline = self._host.timer(timeout, self._expect_odometry)

    def publish(self) -> None:
        """Publish the distances of neighbours, after a round."""
        if self._corrected is not None:
            self._corrected.publish_distances(self._now())

    def missing(self) -> list[MissingInput]:
        """Return odometry, or poses, until they arrive, where positions matter."""
        if self._received or not self._robot.sensing.positions_matter:
            return []
        if isinstance(self._localisation, GivenPoses):
            return [MissingInput(
                'poses', self._localisation.topic, 'start the localisation, or remap pose to its '
                f'topic; its type is one of {", ".join(KINDS)}')]
        parameters = self._robot.parameters
        nor = '' if self._localisation is None else (
            f' (nor a transform from {parameters.base_frame} to {parameters.frame})')
        return [MissingInput(
            'odometry', self._node.resolve_topic_name('odom') + nor, 'start the driver or the '
            'simulator (of Gazebo: its bridge, too), or remap odom to the topic of its odometry '
            '(ros2 topic list -t)')]

    def _expect_odometry(self) -> None:
        """Report a failure where no odometry was received since the start."""
        timeout = self._robot.parameters.odometry_timeout
        if self._now() - self._begun < 0.5 * timeout:
            # The simulated clock has begun, far from 0, or has leapt.
            return
        self._deadline.cancel()
        for each in self.missing():
            self._host.failure = ParameterError(
                'odometry_timeout', problem=f': no {each.what} on {each.topic} within '
                f'{timeout:g} s; {each.remedy}')

    def has_odometry(self) -> bool:
        """Return whether the last odometry is recent."""
        age = self._now() - self._odometry_time
        return age <= self._robot.parameters.odometry_expiry

    def take_pose(self, pose: Pose) -> None:
        """Process a pose in the shared frame of a robot without odometry."""
        self._received = True
        self._robot.sensing.take_odometry(
            (*position(pose), height(pose)), self._now(), IDENTITY, heading(pose))

    def _odometry(self, message: Odometry) -> None:
        self._odometry_time = self._now()
        # Poses are the input that matters where they are given.
        self._received = self._received or not isinstance(self._localisation, GivenPoses)
        point, origin = message.pose.pose.position, None
        if frame_name(message.header.frame_id) == self._robot.parameters.frame:
            origin = IDENTITY
        elif self._localisation is not None:
            origin = self._localisation.origin(message)
            if origin is None:
                if isinstance(self._localisation, Transforms):
                    # The transform of base_frame may be known.
                    self._odometry_time = -math.inf
                self._robot.counts[ODOMETRY_WITHOUT_TRANSFORM] += 1
                return
        self._received = True
        turn = message.pose.pose.orientation
        needed = not isinstance(self._localisation, Transforms) or self._host.uses_heading
        yaw = yaw_of((turn.x, turn.y, turn.z, turn.w)) if needed else None
        now = self._now()
        counts = self._robot.sensing.take_odometry((point.x, point.y, point.z), now, origin, yaw)
        if counts and self._corrected is not None:
            self._corrected.publish_pose(message, origin, now)


class GivenPoses:
    """
    The poses of a robot on topic ``pose``, of whichever type its publisher has.

    A pose says where the frame of odometry is, by the odometry at its stamp. So poses may be rare,
    late, or interrupted. Without odometry a pose is passed on as it is.

    Poses in another frame, or without a valid orientation, are counted, and warned of.

    :ivar topic: its full name.
    """

    period = 0.5
    """The time between two looks for a publisher, which tells the type [s]."""

    def __init__(self, inputs: PoseTopics, host: 'Election') -> None:
        """
        Look for a publisher.

        :param inputs: takes the pose of a robot without odometry.
        """
        self._inputs, self._node, self._robot = inputs, host.node, host.robot
        self.topic = self._node.resolve_topic_name('pose')
        self._subscription: Any = None
        # A driver may send no stamps, so that time does not end what is remembered.
        self._odometry: deque[tuple[float, Pose]] = deque(maxlen=1000)
        """Stamps and poses by odometry, the last ones."""
        self._origin: Pose | None = None

    def look(self, now: float) -> None:
        """Subscribe once a publisher tells the type of the topic."""
        if self._subscription is not None:
            return
        for found in self._node.get_publishers_info_by_topic(self.topic):
            if found.topic_type not in KINDS:
                self._warn(f'{self.topic} is a {found.topic_type}, and poses are one of '
                           + ', '.join(KINDS))
                continue
            # A localisation may publish only when the robot moves, and keep the last pose.
            profile = STATE if found.qos_profile.durability == LATCHED else SENSOR
            self._subscription = subscribe(
                self._node, KINDS[found.topic_type], 'pose', self._receive, profile)
            return

    def origin(self, message: Odometry) -> Pose | None:
        """
        Return the pose of odometry's frame in the shared one, ``None`` if not known yet.

        The message is remembered for poses of the same time that arrive later.
        """
        pose = pose_of(message.pose.pose.position, message.pose.pose.orientation)
        if pose is not None:
            now = clock.of_stamp(message.header.stamp)
            while self._odometry and not 0.0 <= now - self._odometry[0][0] <= MEMORY:
                self._odometry.popleft()
            self._odometry.append((now, pose))
        return self._origin

    def _receive(self, message: Any) -> None:
        frame, shared = frame_name(message.header.frame_id), self._robot.parameters.frame
        if isinstance(message, TransformStamped):
            pose = pose_of(message.transform.translation, message.transform.rotation)
        else:
            inner = message.pose.pose if isinstance(
                message, PoseWithCovarianceStamped) else message.pose
            pose = pose_of(inner.position, inner.orientation)
        if pose is None or frame != shared:
            self._robot.counts[ODOMETRY_REJECTED] += 1
            self._warn(f'a pose on {self.topic} has no orientation, or is not finite'
                       if pose is None else f'poses on {self.topic} are in frame {frame!r}, and '
                       f'parameter frame is {shared!r}')
        elif self._odometry and self._inputs.has_odometry():
            before = self._at(clock.of_stamp(message.header.stamp))
            self._origin = np.asarray(pose @ np.linalg.inv(before))
        else:
            self._inputs.take_pose(pose)

    def _warn(self, text: str) -> None:
        self._node.get_logger().warning(text, throttle_duration_sec=10.0)

    def _at(self, stamp: float) -> Pose:
        """Return the pose by odometry at a time, the last one for a time of another clock."""
        before = [pose for time, pose in self._odometry if time <= stamp]
        is_late = self._odometry[-1][0] - MEMORY <= stamp <= self._odometry[-1][0]
        return before[-1] if is_late and before else self._odometry[-1][1]


class Transforms:
    """Looks the poses of frames up by tf2. Needs tf2_ros_py, which a full ROS 2 has."""

    period = 0.1
    """The time between two looks for the transform of a robot without odometry [s]."""

    def __init__(self, inputs: PoseTopics, host: 'Election') -> None:
        """
        Begin to listen to transforms. Parameters as of :class:`GivenPoses`.

        :raises ParameterError: if tf2_ros_py is not installed.
        """
        try:
            from tf2_ros import Buffer, TransformException, TransformListener
        except ImportError:
            raise ParameterError('pose_source', problem=": 'tf' needs the package tf2_ros_py, "
                                 'which is not installed; install it (apt install '
                                 f"ros-{os.environ.get('ROS_DISTRO', '<distro>')}-tf2-ros-py), or "
                                 "use 'odometry' with initial_pose") from None
        self._inputs, self._robot = inputs, host.robot
        self._failure = TransformException
        self._buffer = Buffer()
        self._listener = TransformListener(self._buffer, host.node)
        self._stamp: float | None = None

    def origin(self, message: Odometry) -> Pose | None:
        """Return the pose of odometry's frame in the shared one, ``None`` if not known yet."""
        return self._find(frame_name(message.header.frame_id))[0]

    def look(self, now: float) -> None:
        """Take the pose of a robot without odometry from a transform that is new."""
        if self._inputs.has_odometry():
            return
        pose, stamp = self._find(self._robot.parameters.base_frame)
        # All transforms on the way are static: they have no time.
        is_new = stamp == 0.0 or stamp != self._stamp
        self._stamp = stamp
        if pose is not None and is_new:
            self._inputs.take_pose(pose)
        elif self._robot.sensing.locate(now) is None and stamp is not None:
            # tf2 takes no transforms that are older than those that have stopped.
            self._buffer.clear()
            self._stamp = None

    def _find(self, frame: str) -> tuple[Pose | None, float | None]:
        """Return the last pose of a frame in the shared one, and its stamp [s]."""
        try:
            found = self._buffer.lookup_transform(self._robot.parameters.frame, frame, Time())
        except self._failure:
            return None, None
        return (pose_of(found.transform.translation, found.transform.rotation),
                clock.of_stamp(found.header.stamp))
