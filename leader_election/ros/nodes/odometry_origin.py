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
The pose of odometry, and of its frame in the frame that the robots share.

A robot's own node has the latter as a parameter, or looks it up by tf2 (:class:`TransformOrigin`);
other nodes ask that node for its parameters (:class:`ParameterOrigin`).
"""

import math
import os
from typing import Any

from leader_election.election.robot.parameters import ElectionParameters
from leader_election.election.robot.pose import from_parameter, from_quaternion, Pose
from leader_election.parameters import ParameterError
from leader_election.ros.nodes import clock
from rcl_interfaces.msg import ParameterType
from rcl_interfaces.srv import GetParameters
from rclpy.clock import Clock
from rclpy.node import Node
from rclpy.time import Time

ROBOT_NODE = 'election_node'
"""The name of a robot's node."""
RETRY_AFTER = 1.0
"""The time after which a request is repeated: the node may have restarted [s]."""
MOST_PENDING = 100
"""The most unanswered requests: simulated time can advance faster than nodes answer."""
_REQUESTED = ('robot_id', 'frame', 'initial_pose')


def pose_of(message: Any) -> Pose | None:
    """Return the pose in a ``geometry_msgs/Pose``, ``None`` without a valid orientation."""
    point, turn = message.position, message.orientation
    return from_quaternion((point.x, point.y, point.z), (turn.x, turn.y, turn.z, turn.w))


class ParameterOrigin:
    """
    Requests a robot's id, frame and initial pose from the parameters of its node.

    :ivar id: the robot's; ``None`` until there is an answer.
    :ivar frame: the frame that the robots share.
    :ivar pose: the pose of odometry's frame in it; ``None`` until there is an answer.
    """

    def __init__(self, node: Node, steady_clock: Clock, prefix: str) -> None:
        """
        Create the client; :meth:`ask` makes the request.

        :param steady_clock: the clock for repeating a request.
        :param prefix: the start of the robot's topic names, empty or ending in a slash.
        """
        self.id: int | None = None
        self.frame = ElectionParameters.frame
        self.pose: Pose | None = None
        self._client = node.create_client(GetParameters, f'{prefix}{ROBOT_NODE}/get_parameters')
        self._steady_clock = steady_clock
        self._pending: list[Any] = []
        self._since = -math.inf

    def ask(self) -> None:
        """Make a request without an answer or a pending request; to be called repeatedly."""
        if self.id is None and not self._is_due() and self._client.service_is_ready():
            self._since = clock.seconds(self._steady_clock)
            self._drop(len(self._pending) + 1 - MOST_PENDING)
            request = self._client.call_async(GetParameters.Request(names=list(_REQUESTED)))
            self._pending.append(request)
            request.add_done_callback(self._take)

    def _is_due(self) -> bool:
        """Return whether an answer may still come before a request has to be repeated."""
        # After the clock has been set back the age of a request is not known.
        return bool(self._pending) and (
            0.0 <= clock.seconds(self._steady_clock) - self._since <= RETRY_AFTER)

    def _drop(self, count: int) -> None:
        """Forget a number of requests, the oldest first."""
        for request in self._pending[:max(count, 0)]:
            self._client.remove_pending_request(request)
            self._pending.remove(request)

    def _take(self, answer: Any) -> None:
        # An answer to any of the requests is accepted, even if late.
        self._drop(len(self._pending))
        values = answer.result().values
        if not values or any(value.type == ParameterType.PARAMETER_NOT_SET for value in values):
            return
        robot_id, frame, pose = values
        self.frame = frame.string_value
        self.pose = from_parameter(list(pose.double_array_value))
        self.id = robot_id.integer_value


class TransformOrigin:
    """
    Looks the pose of odometry's frame up by tf2; needs tf2_ros_py, which a full ROS 2 has.

    :raises ParameterError: where it is not installed.
    """

    def __init__(self, node: Node, frame: str) -> None:
        """:param frame: the frame that the robots share."""
        try:
            from tf2_ros import Buffer, TransformException, TransformListener
        except ImportError:
            raise ParameterError('pose_source', problem=": 'tf' needs the package tf2_ros_py, "
                                 'which is not installed; install it (apt install '
                                 f"ros-{os.environ.get('ROS_DISTRO', '<distro>')}-tf2-ros-py), or "
                                 "use 'odometry' with initial_pose") from None
        self._failure = TransformException
        self._frame = frame
        self._buffer = Buffer()
        self._listener = TransformListener(self._buffer, node)

    def origin(self, odometry_frame: str) -> Pose | None:
        """Return the pose of odometry's frame in the shared one, ``None`` if not known yet."""
        try:
            found = self._buffer.lookup_transform(self._frame, odometry_frame, Time())
        except self._failure:
            return None
        translation, rotation = found.transform.translation, found.transform.rotation
        return from_quaternion((translation.x, translation.y, translation.z),
                               (rotation.x, rotation.y, rotation.z, rotation.w))
