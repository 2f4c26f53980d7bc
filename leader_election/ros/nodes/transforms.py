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

"""The transforms of simulated robots, from odometry's frame to that of the robot (REP 105)."""

from collections.abc import Collection, Sequence

from builtin_interfaces.msg import Time
from geometry_msgs.msg import TransformStamped
from leader_election.ros.nodes.qos import EVENTS
from leader_election.simulation.kinematics import Array, quaternions
from rclpy.node import Node

try:
    from tf2_msgs.msg import TFMessage
except ImportError:
    # Not on PyPI, but part of a full ROS.
    TFMessage = None

ODOM, BASE = 'odom', 'base_link'


class TransformPublisher:
    """
    Publishes the pose of each robot by odometry as a transform, if there is a subscriber.

    Frame names are the same for all robots, so each has its own topic: ``robot_<id>/tf``.
    """

    def __init__(self, node: Node, robots: Sequence[str],
                 fixed: Sequence[TransformStamped] = ()) -> None:
        """
        Advertise the topics, where tf2_msgs is installed.

        :param robots: the namespaces of the robots, in the order of the rows of poses.
        :param fixed: transforms that are published beside each pose, with its stamp.
        """
        self._fixed = fixed
        self._publishers = [] if TFMessage is None else [
            node.create_publisher(TFMessage, f'{robot}/tf', EVENTS) for robot in robots]

    def publish(self, stamp: Time, poses: Array, silent: Collection[int] = ()) -> None:
        """
        Publish the transforms.

        :param poses: x, y, yaw by odometry [m, rad], shape (n, 3).
        :param silent: the rows that are not published.
        """
        wanted = [row for row, publisher in enumerate(self._publishers)
                  if row not in silent and publisher.get_subscription_count()]
        for row, message in zip(wanted, transforms(stamp, poses[wanted])):
            for each in self._fixed:
                each.header.stamp = stamp
            self._publishers[row].publish(TFMessage(transforms=[message, *self._fixed]))


def transforms(stamp: Time, poses: Array) -> list[TransformStamped]:
    """Return one transform for each pose."""
    found = []
    rows = [] if not len(poses) else zip(poses[:, :2].tolist(), quaternions(poses[:, 2]).tolist())
    for (x, y), (z, w) in rows:
        made = TransformStamped(child_frame_id=BASE)
        made.header.stamp, made.header.frame_id = stamp, ODOM
        made.transform.translation.x, made.transform.translation.y = x, y
        made.transform.rotation.z, made.transform.rotation.w = z, w
        found.append(made)
    return found
