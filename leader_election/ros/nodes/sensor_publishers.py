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

"""Publishers of simulated robots' sensors: bundled odometry, scans, readings, bumpers, IMUs."""

from array import array
from collections.abc import Sequence

from builtin_interfaces.msg import Time
from leader_election.simulation.parameters import WorldParameters
from leader_election.simulation.radio import COLUMNS, ODOMETRY_TOPIC, OdometryBundle
from leader_election.simulation.sensors import RateLimiter
from leader_election.simulation.world import World
import numpy as np
from rclpy.node import Node
from sensor_msgs.msg import Imu, LaserScan
from std_msgs.msg import Bool, Float64, Float64MultiArray, MultiArrayDimension

BUMPER_RATE = 10.0
"""The rate at which a bumper that touches something is published, besides its changes [Hz]."""


class OdometryPublisher:
    """Publishes the odometry of many robots in one message."""

    def __init__(self, node: Node, world: World, namespaces: Sequence[str]) -> None:
        """
        Create a publisher for each swarm.

        :param node: that publishes.
        :param world: whose robots have the odometry.
        :param namespaces: of the swarms; empty: one, in the namespace of the node.
        """
        self._world = world
        self._bundle = OdometryBundle(world.scene.ids)
        self._publishers = [
            node.create_publisher(Float64MultiArray, prefix + ODOMETRY_TOPIC, 10)
            for prefix in ([f'{space}/' for space in namespaces] or [''])]
        self._message = Float64MultiArray()
        width = len(COLUMNS)
        self._message.layout.dim = [
            MultiArrayDimension(label='odometry'),
            MultiArrayDimension(label=','.join(COLUMNS), size=width, stride=width)]

    def publish(self, elapsed: float) -> None:
        """
        Publish the odometry at the world's time.

        :param elapsed: the time since the start by the clock that steps the world [s]: robots
            that stand still are sent in time also where the world is late and skips time.
        """
        world = self._world
        rows = self._bundle.rows(world.odometry, world.measured, elapsed, world.odom_silent)
        if not len(rows):
            return
        first = self._message.layout.dim[0]
        first.size, first.stride = len(rows), rows.size
        self._message.data = array('d', rows.tobytes())
        for publisher in self._publishers:
            publisher.publish(self._message)


class ScanPublisher:
    """Publishes ``robot_<id>/scan``; only scans with a subscriber are computed."""

    def __init__(self, node: Node, world: World, parameters: WorldParameters) -> None:
        """
        Create the publishers, unless ``scan_rate`` is 0.

        :param node: that publishes.
        :param world: whose robots scan.
        :param parameters: the rate, range and number of beams.
        """
        rate = parameters.scan_rate
        self._world = world
        self._rate = RateLimiter(rate)
        self._publishers = [node.create_publisher(LaserScan, f'robot_{i}/scan', 10)
                            for i in world.scene.ids] if rate else []
        self._message = LaserScan(
            angle_min=0.0, angle_increment=world.lidar.increment,
            angle_max=world.lidar.increment * (parameters.scan_beams - 1),
            scan_time=1.0 / rate if rate else 0.0,
            range_min=0.0, range_max=parameters.scan_range)
        self._message.header.frame_id = 'base_link'

    def publish(self, stamp: Time) -> None:
        """
        Publish scans if they are due at the world's time.

        :param stamp: the time of the scans.
        """
        if not self._rate.due(self._world.time):
            return
        scanning = [row for row, publisher in enumerate(self._publishers)
                    if publisher.get_subscription_count() > 0]
        if not scanning:
            return
        # One message for all robots: creating messages is expensive. An array is assigned much
        # faster than a list, whose elements rclpy would check one by one.
        self._message.header.stamp = stamp
        scans = self._world.lidar.scan(self._world.poses, scanning).astype(np.float32)
        for row, ranges in zip(scanning, scans):
            self._message.ranges = array('f', ranges.tobytes())
            self._publishers[row].publish(self._message)


class ReadingPublisher:
    """Publishes ``robot_<id>/reading``, the readings of scalar sensors."""

    def __init__(self, node: Node, world: World, parameters: WorldParameters) -> None:
        """
        Create the publishers, unless ``reading_rate`` is 0.

        :param node: that publishes.
        :param world: whose robots have the sensors.
        :param parameters: the rate.
        """
        self._world = world
        self._rate = RateLimiter(parameters.reading_rate)
        self._publishers = [node.create_publisher(Float64, f'robot_{i}/reading', 10)
                            for i in world.scene.ids] if parameters.reading_rate else []

    def publish(self, stamp: Time) -> None:
        """
        Publish readings if they are due at the world's time.

        :param stamp: unused, since ``std_msgs/Float64`` has no stamp.
        """
        if self._rate.due(self._world.time):
            values = self._world.field.read(self._world.poses).tolist()
            for publisher, value in zip(self._publishers, values):
                publisher.publish(Float64(data=value))


class BodyPublisher:
    """
    Publishes ``robot_<id>/bumper`` and ``robot_<id>/imu``, of robots with contact physics.

    A bumper is published on each change, and again and again while it is touched. An IMU has
    no errors, includes gravity, and does not estimate the orientation.
    """

    def __init__(self, node: Node, world: World, parameters: WorldParameters) -> None:
        """
        Create the publishers, with physics ``mujoco``.

        :param node: that publishes.
        :param world: whose robots touch things.
        :param parameters: unused.
        """
        self._world = world
        self._rate = RateLimiter(BUMPER_RATE)
        ids = world.scene.ids if world.physics else ()
        self._touched = [False] * len(ids)
        self._bumpers = [node.create_publisher(Bool, f'robot_{i}/bumper', 10) for i in ids]
        self._imus = [node.create_publisher(Imu, f'robot_{i}/imu', 10) for i in ids]
        self._message = Imu()
        self._message.header.frame_id = 'base_link'
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
        for publisher, row in zip(self._imus, rows):
            if publisher.get_subscription_count() > 0:
                turn.x, turn.y, turn.z, acceleration.x, acceleration.y, acceleration.z = row
                publisher.publish(message)
