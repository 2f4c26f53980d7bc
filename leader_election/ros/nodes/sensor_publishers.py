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
Publishers of simulated robots: transforms, and the readings of their sensors.

What is expensive to compute is published only on the topics that have a subscriber. Messages are
reused for all robots: creating one is expensive.
"""

from array import array
from collections.abc import Collection, Sequence
from typing import Any

from builtin_interfaces.msg import Time
from geometry_msgs.msg import TransformStamped
from leader_election.ros.nodes.qos import EVENTS
from leader_election.simulation.motion import Array, quaternions
from leader_election.simulation.parameters import WorldParameters
from leader_election.simulation.sensors import OBSERVER, RateLimiter, SCAN_BEAMS, SCAN_RANGE
from leader_election.simulation.world import World
import numpy as np
from rclpy.node import Node
from rclpy.publisher import Publisher
from sensor_msgs.msg import Imu, LaserScan
from std_msgs.msg import Bool, Float64, Float64MultiArray, MultiArrayDimension

try:
    from tf2_msgs.msg import TFMessage
except ImportError:
    # Not on PyPI, but part of a full ROS.
    TFMessage = None

ODOM, BASE = 'odom', 'base_link'
SIGHTING_COLUMNS = 'id,range,bearing'
BUMPER_RATE = 10.0
"""The rate at which a bumper that touches something is published, besides its changes [Hz]."""


def robot_publishers(node: Node, kind: Any, topic: str, ids: Sequence[int]) -> list[Publisher]:
    """Return the publishers of ``robot_<id>/<topic>``."""
    return [node.create_publisher(kind, f'robot_{i}/{topic}', 10) for i in ids]


def wanted(publishers: Sequence[Publisher], silent: Collection[int] = ()) -> list[int]:
    """
    Return the rows of the publishers that have a subscriber.

    :param silent: rows that are left out.
    """
    return [row for row, publisher in enumerate(publishers)
            if row not in silent and publisher.get_subscription_count()]


class TransformPublisher:
    """
    Publishes the pose of each robot by odometry as a transform (REP 105).

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
        rows = wanted(self._publishers, silent)
        for row, message in zip(rows, transforms(stamp, poses[rows])):
            for each in self._fixed:
                each.header.stamp = stamp
            self._publishers[row].publish(TFMessage(transforms=[message, *self._fixed]))


def transforms(stamp: Time, poses: Array) -> list[TransformStamped]:
    """Return one transform for each pose."""
    found = []
    for (x, y), (z, w) in zip(poses[:, :2].tolist(), quaternions(poses[:, 2]).tolist()):
        made = TransformStamped(child_frame_id=BASE)
        made.header.stamp, made.header.frame_id = stamp, ODOM
        made.transform.translation.x, made.transform.translation.y = x, y
        made.transform.rotation.z, made.transform.rotation.w = z, w
        found.append(made)
    return found


class _Table:
    """A message with rows of numbers, whose columns are named in its layout."""

    def __init__(self, label: str, columns: str) -> None:
        width = columns.count(',') + 1
        self.message = Float64MultiArray()
        self.message.layout.dim = [
            MultiArrayDimension(label=label),
            MultiArrayDimension(label=columns, size=width, stride=width)]

    def filled(self, rows: Array) -> Float64MultiArray:
        """Return the message, with other rows. An array is assigned much faster than a list."""
        first = self.message.layout.dim[0]
        first.size, first.stride = len(rows), rows.size
        self.message.data = array('d', rows.tobytes())
        return self.message


class ScanPublisher:
    """Publishes ``robot_<id>/scan``, unless the rate [Hz] is 0."""

    def __init__(self, node: Node, world: World, rate: float) -> None:
        self._world, self._rate = world, RateLimiter(rate)
        self._publishers = robot_publishers(
            node, LaserScan, 'scan', world.scene.ids if rate else ())
        self._message = LaserScan(
            angle_min=0.0, angle_increment=world.lidar.increment,
            angle_max=world.lidar.increment * (SCAN_BEAMS - 1),
            scan_time=1.0 / rate if rate else 0.0,
            range_min=0.0, range_max=SCAN_RANGE)
        self._message.header.frame_id = BASE

    def publish(self, stamp: Time) -> None:
        """Publish scans if they are due at the world's time."""
        scanning = wanted(self._publishers) if self._rate.due(self._world.time) else []
        if not scanning:
            return
        self._message.header.stamp = stamp
        scans = self._world.lidar.scan(self._world.poses, scanning).astype(np.float32)
        for row, ranges in zip(scanning, scans):
            self._message.ranges = array('f', ranges.tobytes())
            self._publishers[row].publish(self._message)


class ReadingPublisher:
    """Publishes ``robot_<id>/reading``, of scalar sensors, unless the rate [Hz] is 0."""

    def __init__(self, node: Node, world: World, rate: float) -> None:
        self._world, self._rate = world, RateLimiter(rate)
        self._publishers = robot_publishers(
            node, Float64, 'reading', world.scene.ids if rate else ())

    def publish(self, stamp: Time) -> None:
        """Publish readings if they are due at the world's time. They have no stamp."""
        if self._rate.due(self._world.time):
            values = self._world.field.value(self._world.poses).tolist()
            for publisher, value in zip(self._publishers, values):
                publisher.publish(Float64(data=value))


class BodyPublisher:
    """
    Publishes ``robot_<id>/bumper`` and ``robot_<id>/imu``, of robots with contact physics.

    A bumper is published on each change, and again and again while it is touched. An IMU has
    no errors, includes gravity, and does not estimate the orientation.
    """

    def __init__(self, node: Node, world: World) -> None:
        ids = world.scene.ids if world.physics else ()
        self._world, self._rate = world, RateLimiter(BUMPER_RATE)
        self._touched = [False] * len(ids)
        self._bumpers = robot_publishers(node, Bool, 'bumper', ids)
        self._imus = robot_publishers(node, Imu, 'imu', ids)
        self._message = Imu()
        self._message.header.frame_id = BASE
        # The convention for a sensor that does not measure the orientation.
        self._message.orientation_covariance[0] = -1.0

    def publish(self, stamp: Time) -> None:
        """
        Publish the contacts and the mean motion of the last step.

        :param stamp: the time at its end.
        """
        physics = self._world.physics
        if physics is None:
            return
        touching, due = physics.touching.tolist(), self._rate.due(self._world.time)
        for publisher, before, now in zip(self._bumpers, self._touched, touching):
            if now != before or (now and due):
                publisher.publish(Bool(data=now))
        self._touched = touching
        message = self._message
        message.header.stamp = stamp
        rows = np.hstack((physics.turn_rates, physics.accelerations)).tolist()
        turn, acceleration = message.angular_velocity, message.linear_acceleration
        for row in wanted(self._imus):
            turn.x, turn.y, turn.z, acceleration.x, acceleration.y, acceleration.z = rows[row]
            self._imus[row].publish(message)


class SightingPublisher:
    """Publishes ``robot_<id>/measurements``: sightings of other robots and of landmarks."""

    def __init__(self, node: Node, world: World) -> None:
        self._world = world
        self._publishers = robot_publishers(
            node, Float64MultiArray, 'measurements',
            world.scene.ids if world.sighting_sensors else ())
        self._table = _Table('sightings', SIGHTING_COLUMNS)

    def publish(self, stamp: Time) -> None:
        """Publish the sightings since the last call, one message per robot, without a stamp."""
        if not self._publishers:
            return
        seen = self._world.sightings(wanted(self._publishers))
        seen = seen[np.argsort(seen[:, OBSERVER], kind='stable')]
        rows, begins = np.unique(seen[:, OBSERVER], return_index=True)
        for row, sightings in zip(rows.tolist(), np.split(seen, begins[1:])):
            self._publishers[int(row)].publish(self._table.filled(sightings[:, 1:]))


SensorPublisher = ScanPublisher | ReadingPublisher | BodyPublisher | SightingPublisher


def sensor_publishers(node: Node, world: World,
                      parameters: WorldParameters) -> list[SensorPublisher]:
    """
    Return the publishers of the sensors of robots, each with ``publish(stamp)`` after a step.

    :param node: that publishes.
    :param world: whose robots have the sensors.
    :param parameters: of the world.
    """
    return [ScanPublisher(node, world, parameters.scan_rate),
            ReadingPublisher(node, world, parameters.reading_rate),
            BodyPublisher(node, world), SightingPublisher(node, world)]
