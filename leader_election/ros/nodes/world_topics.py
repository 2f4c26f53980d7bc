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
What the embedded world publishes of each robot: odometry, transforms, scans, readings, sightings.

What is expensive to compute is published only on the topics that have a subscriber. Messages are
reused for all robots: creating one is expensive.
"""

from array import array
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from builtin_interfaces.msg import Time
from geometry_msgs.msg import Point, TransformStamped
from leader_election.localisation.sighting import ANTENNAS, TRIPLES
from leader_election.ros.nodes.qos import EVENTS
from leader_election.simulation import sensors
from leader_election.simulation.motion import Array, quaternions
from leader_election.simulation.odometry import OdometryCovariance
from leader_election.simulation.scene import Scene
from leader_election.simulation.world import World
from nav_msgs.msg import Odometry
import numpy as np
from rclpy.node import Node
from rclpy.publisher import Publisher
from sensor_msgs.msg import Imu, LaserScan
from std_msgs.msg import Bool, Float64, Float64MultiArray, MultiArrayDimension
from visualization_msgs.msg import Marker, MarkerArray

try:
    from tf2_msgs.msg import TFMessage
except ImportError:
    # Not on PyPI, but part of a full ROS.
    TFMessage = None

_IN_PLANE = [0, 1, 5, 6, 7, 11, 30, 31, 35]
"""The places of a covariance of x, y, yaw in one of six degrees of freedom. The others are 0."""
_FORWARD = [0, 35]
"""The places of the variances of linear and angular velocity."""
ODOM, BASE = 'odom', 'base_link'


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
        for each in self._fixed:
            each.header.stamp = stamp
        for row in wanted(self._publishers, silent):
            self._publishers[row].publish(TFMessage(
                transforms=[transform(stamp, poses[row]), *self._fixed]))


def transform(stamp: Time, pose: Array) -> TransformStamped:
    """Return the transform of a pose x, y, yaw [m, rad]."""
    made = TransformStamped(child_frame_id=BASE)
    made.header.stamp, made.header.frame_id = stamp, ODOM
    made.transform.translation.x, made.transform.translation.y = pose[:2].tolist()
    made.transform.rotation.z, made.transform.rotation.w = quaternions(pose[2:])[0].tolist()
    return made


class ScanPublisher:
    """Publishes ``robot_<id>/scan``, unless the rate [Hz] is 0."""

    def __init__(self, node: Node, world: World, rate: float) -> None:
        self._world, self._rate = world, sensors.RateLimiter(rate)
        self._publishers = robot_publishers(
            node, LaserScan, 'scan', world.scene.ids if rate else ())
        self._message = LaserScan(
            angle_min=0.0, angle_increment=world.lidar.increment,
            angle_max=world.lidar.increment * (sensors.SCAN_BEAMS - 1),
            scan_time=1.0 / rate if rate else 0.0,
            range_min=0.0, range_max=sensors.SCAN_RANGE)
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
        self._world, self._rate = world, sensors.RateLimiter(rate)
        self._publishers = robot_publishers(
            node, Float64, 'reading', world.scene.ids if rate else ())

    def publish(self, stamp: Time) -> None:
        """Publish readings if they are due at the world's time. They have no stamp."""
        if self._rate.due(self._world.time):
            values = sensors.field_values(self._world.peaks, self._world.poses).tolist()
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
        self._world, self._rate = world, sensors.RateLimiter(10.0)
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
        self._message = Float64MultiArray()
        self._message.layout.dim = [MultiArrayDimension(label='sightings'), MultiArrayDimension()]

    def publish(self, stamp: Time) -> None:
        """Publish the sightings since the last call, one message per robot, without a stamp."""
        if not self._publishers:
            return
        seen = self._world.sightings(wanted(self._publishers))
        seen = seen[np.argsort(seen[:, sensors.OBSERVER], kind='stable')]
        rows, begins = np.unique(seen[:, sensors.OBSERVER], return_index=True)
        first, second = self._message.layout.dim
        second.size = second.stride = seen.shape[1] - 1
        second.label = ','.join((*TRIPLES, *ANTENNAS)[:second.size])
        for row, found in zip(rows.tolist(), np.split(seen[:, 1:], begins[1:])):
            first.size, first.stride = len(found), found.size
            # An array is assigned much faster than a list.
            self._message.data = array('d', found.tobytes())
            self._publishers[int(row)].publish(self._message)


def odometry_in(frame: str) -> Odometry:
    """Return an empty message of odometry in a frame."""
    message = Odometry(child_frame_id=BASE)
    message.header.frame_id = frame
    return message


def send_odometry(publishers: Iterable[Publisher], message: Odometry, stamp: Time, poses: Array,
                  velocities: Array, silent: Collection[int] = (),
                  covariance: OdometryCovariance | None = None) -> None:
    """
    Publish one row of poses and velocities on each publisher.

    The message is reused for all: creating one is expensive.

    :param silent: the rows that are not published.
    :param covariance: ``None``: no errors, so covariances are 0.
    """
    message.header.stamp = stamp
    if covariance is not None:
        of_poses = covariance.poses.reshape(-1, 9)
    sideways = velocities[:, 2] if velocities.shape[1] == 3 else np.zeros(len(velocities))
    rows = np.column_stack((
        poses[:, :2], quaternions(poses[:, 2]), velocities[:, :2], sideways)).tolist()
    position, orientation = message.pose.pose.position, message.pose.pose.orientation
    for number, (publisher, row) in enumerate(zip(publishers, rows, strict=True)):
        if number in silent:
            continue
        position.x, position.y, orientation.z, orientation.w = row[:4]
        twist = message.twist.twist
        twist.linear.x, twist.angular.z, twist.linear.y = row[4:]
        if covariance is not None:
            message.pose.covariance[_IN_PLANE] = of_poses[number]
            message.twist.covariance[_FORWARD] = covariance.velocities[number]
        publisher.publish(message)


def markers(scene: Scene, peaks: Sequence[Sequence[tuple[float, float]]]) -> MarkerArray:
    """Return outlines, in the namespaces ``arena``, ``obstacles`` and ``peaks``."""
    array = MarkerArray()
    for namespace, outlines in (
            ('arena', [scene.arena.exterior.coords]),
            ('obstacles', [polygon.exterior.coords for polygon in scene.obstacles]),
            ('peaks', peaks)):
        for number, outline in enumerate(outlines):
            marker = Marker(ns=namespace, id=number, type=Marker.LINE_STRIP, action=Marker.ADD)
            marker.header.frame_id = 'map'
            marker.pose.orientation.w = 1.0
            marker.scale.x = 0.05
            marker.color.r = 0.9 if namespace == 'peaks' else 0.3
            marker.color.g = marker.color.b = 0.3
            marker.color.a = 1.0
            marker.points = [Point(x=x, y=y) for x, y in outline]
            array.markers.append(marker)
    return array
