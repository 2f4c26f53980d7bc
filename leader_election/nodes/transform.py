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

"""The transform from odometry's frame to the shared one, by tf2."""

from leader_election.parameters import ParameterError
from leader_election.robot.pose import from_quaternion, Pose
from rclpy.node import Node
from rclpy.time import Time


class Transform:
    """
    Looks the transform up; needs the package tf2_ros, which a full ROS 2 has.

    :raises ParameterError: where tf2_ros is not installed.
    """

    def __init__(self, node: Node, frame: str) -> None:
        try:
            from tf2_ros import Buffer, TransformException, TransformListener
        except ImportError:
            raise ParameterError(
                "parameter pose_source: 'tf' needs the package tf2_ros, which is not installed; "
                "install it or use 'odometry' with initial_pose") from None
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
        moved, turned = found.transform.translation, found.transform.rotation
        return from_quaternion((moved.x, moved.y, moved.z),
                               (turned.x, turned.y, turned.z, turned.w))
