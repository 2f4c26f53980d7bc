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

"""Poses on a topic: of motion capture, a localisation such as AMCL, or an autopilot."""

from collections import deque
from collections.abc import Callable
from typing import Any

from geometry_msgs.msg import PoseStamped, PoseWithCovarianceStamped, TransformStamped
from leader_election.localisation.poses import from_quaternion, Pose
from leader_election.parameters import frame_name
from leader_election.ros.nodes import clock
from leader_election.ros.nodes.qos import LATCHED, SENSOR, STATE, subscribe
from nav_msgs.msg import Odometry
import numpy as np
from rclpy.node import Node

TOPIC = 'pose'
KINDS = {f'geometry_msgs/msg/{kind.__name__}': kind
         for kind in (PoseStamped, PoseWithCovarianceStamped, TransformStamped)}
"""The types that the topic may have."""
LOOK_PERIOD = 0.5
"""The time between two looks for a publisher, which tells the type [s]."""
WARNING_PERIOD = 10.0
"""The least time between two warnings of poses [s]."""
MEMORY = 5.0
"""The greatest age of a pose that is late, by its stamp [s]."""
MOST_REMEMBERED = 1000
"""The most messages of odometry that are remembered."""


class GivenPoses:
    """
    The poses of a robot on topic ``pose``, of whichever type its publisher has.

    A pose says where the frame of odometry is, by the odometry at its stamp. So poses may be rare,
    late, or interrupted. Without odometry a pose is passed on as it is.

    Poses in another frame, or without a valid orientation, are counted, and warned of.

    :ivar topic: its full name.
    :ivar origin: the pose of odometry's frame in the shared one, ``None`` if not known yet.
    """

    def __init__(self, node: Node, frame: str, take: Callable[[Pose], None],
                 has_odometry: Callable[[], bool], refuse: Callable[[], None]) -> None:
        """
        Look for a publisher with :meth:`look`.

        :param frame: the frame that the robots share.
        :param take: called with a pose of a robot without odometry.
        :param has_odometry: returns whether odometry arrives.
        :param refuse: counts a refused pose.
        """
        self._node, self._frame, self._take = node, frame, take
        self.topic = node.resolve_topic_name(TOPIC)
        self._has_odometry, self._refuse = has_odometry, refuse
        self._subscription: Any = None
        # A driver may send no stamps.
        self._odometry: deque[tuple[float, Pose]] = deque(maxlen=MOST_REMEMBERED)
        """Stamps and poses by odometry, the last ones."""
        self.origin: Pose | None = None

    def look(self) -> None:
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
                self._node, KINDS[found.topic_type], TOPIC, self._receive, profile)
            return

    def note(self, message: Odometry) -> None:
        """Remember odometry for poses of the same time that arrive later."""
        pose = _pose(message.pose.pose.position, message.pose.pose.orientation)
        if pose is None:
            return
        now = clock.of_stamp(message.header.stamp)
        while self._odometry and not 0.0 <= now - self._odometry[0][0] <= MEMORY:
            self._odometry.popleft()
        self._odometry.append((now, pose))

    def _receive(self, message: Any) -> None:
        frame = frame_name(message.header.frame_id)
        if isinstance(message, TransformStamped):
            pose = _pose(message.transform.translation, message.transform.rotation)
        else:
            inner = message.pose.pose if isinstance(
                message, PoseWithCovarianceStamped) else message.pose
            pose = _pose(inner.position, inner.orientation)
        if pose is None or frame != self._frame:
            self._refuse()
            self._warn(f'a pose on {self.topic} has no orientation, or is not finite'
                       if pose is None else f'poses on {self.topic} are in frame {frame!r}, and '
                       f'parameter frame is {self._frame!r}')
        elif self._odometry and self._has_odometry():
            before = self._at(clock.of_stamp(message.header.stamp))
            self.origin = np.asarray(pose @ np.linalg.inv(before))
        else:
            self._take(pose)

    def _warn(self, text: str) -> None:
        self._node.get_logger().warning(text, throttle_duration_sec=WARNING_PERIOD)

    def _at(self, stamp: float) -> Pose:
        """Return the pose by odometry at a time, the last one for a time of another clock."""
        before = [pose for time, pose in self._odometry if time <= stamp]
        is_late = self._odometry[-1][0] - MEMORY <= stamp <= self._odometry[-1][0]
        return before[-1] if is_late and before else self._odometry[-1][1]


def _pose(place: Any, turn: Any) -> Pose | None:
    return from_quaternion((place.x, place.y, place.z), (turn.x, turn.y, turn.z, turn.w))
