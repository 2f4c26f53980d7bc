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
The node ``swarm_world``: the embedded world and its radio, in place of robots' drivers.

What is expensive to compute is published only on the topics that have a subscriber. Messages are
reused for all robots: creating one is expensive.
"""

from array import array
from collections.abc import Collection, Iterable, Sequence
from functools import partial
import sys
from typing import Any

from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from geometry_msgs.msg import Point, TransformStamped, Twist
from leader_election.election.messages import codec
from leader_election.ros.nodes import clock, process
from leader_election.ros.nodes.declare import declare_all
from leader_election.ros.nodes.process import MissingInput
from leader_election.ros.nodes.qos import advertise, EVENTS, NEIGHBOURHOOD, STATE, subscribe
from leader_election.simulation import sensors
from leader_election.simulation.motion import Array, quaternions
from leader_election.simulation.odometry import OdometryCovariance
from leader_election.simulation.parameters import WorldParameters
from leader_election.simulation.scene import Scene
from leader_election.simulation.world import World
from nav_msgs.msg import Odometry
import numpy as np
from rclpy.clock import Clock
from rclpy.clock_type import ClockType
from rclpy.node import Node
from rclpy.publisher import Publisher
from rosgraph_msgs.msg import Clock as ClockMessage
from sensor_msgs.msg import Imu, LaserScan
from std_msgs.msg import Bool, Float64, Float64MultiArray, MultiArrayDimension, String
from visualization_msgs.msg import Marker, MarkerArray

try:
    from tf2_msgs.msg import TFMessage
except ImportError:
    # Not on PyPI, but part of a full ROS.
    TFMessage = None


class RadioRelay:
    """
    Relays ``neighbourhood`` to ``robot_<id>/heard`` of the robots that receive a message.

    :ivar relayed: the number of messages sent by the radio.
    :ivar dropped: the number of messages without a sender in this world, which are not relayed.
    """

    def __init__(self, node: Node, world: World, timers: Clock, time_factor: float) -> None:
        """
        Create the topics. Counters are published on ``/diagnostics``.

        :param node: that has them.
        :param world: whose robots send.
        :param timers: the clock of the timers.
        :param time_factor: seconds of simulated time per second of that clock.
        """
        self.relayed = self.dropped = 0
        self._node, self._world, self._radio = node, world, world.radio
        self._clock, self._time_factor = timers, time_factor
        self._heard = [node.create_publisher(String, f'robot_{i}/heard', NEIGHBOURHOOD)
                       for i in world.scene.ids]
        subscribe(node, String, 'neighbourhood', self._relay, NEIGHBOURHOOD)
        self._arrival = node.create_timer(1.0, self._deliver, clock=timers)
        self._arrival.cancel()
        self._diagnostics = node.create_publisher(DiagnosticArray, '/diagnostics', EVENTS)
        node.create_timer(1.0, self._diagnose, clock=timers)

    def _time(self) -> float:
        """Return the time by which the radio delays messages [s]."""
        return clock.seconds(self._clock) * self._time_factor

    def _relay(self, message: String) -> None:
        """Send a message by radio to the robots that receive it."""
        sender, now = codec.sender_at_start(message.data), self._time()
        if sender is None or not self._world.send(sender, message, now):
            self.dropped += 1
            self._node.get_logger().warning(
                f'{self.dropped} messages dropped that name no sender of this world',
                throttle_duration_sec=10.0)
            return
        self.relayed += 1
        self._deliver()

    def _deliver(self) -> None:
        """Publish the messages that have arrived, and set the timer for the next arrival."""
        now = self._time()
        for each in self._radio.arrived(now):
            self._heard[each.receiver].publish(each.message)
        self._arrival.cancel()
        due = self._radio.next_arrival
        if due is not None:
            clock.restart(self._arrival, (due - now) / self._time_factor)

    def _diagnose(self) -> None:
        """Publish the counters."""
        values = {'relayed': self.relayed, 'dropped': self.dropped, **self._radio.counts,
                  'pending': self._radio.pending}
        name = self._node.get_name()
        message = DiagnosticArray(status=[DiagnosticStatus(
            level=DiagnosticStatus.OK, name=f'{name}: radio', message='relays', hardware_id=name,
            values=[KeyValue(key=key, value=str(value)) for key, value in values.items()])])
        message.header.stamp = self._node.get_clock().now().to_msg()
        self._diagnostics.publish(message)


ODOM, BASE = 'odom', 'base_link'
SIGHTING_COLUMNS = 'id,range,bearing'


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
        width = SIGHTING_COLUMNS.count(',') + 1
        self._message = Float64MultiArray()
        self._message.layout.dim = [
            MultiArrayDimension(label='sightings'),
            MultiArrayDimension(label=SIGHTING_COLUMNS, size=width, stride=width)]

    def publish(self, stamp: Time) -> None:
        """Publish the sightings since the last call, one message per robot, without a stamp."""
        if not self._publishers:
            return
        seen = self._world.sightings(wanted(self._publishers))
        seen = seen[np.argsort(seen[:, sensors.OBSERVER], kind='stable')]
        rows, begins = np.unique(seen[:, sensors.OBSERVER], return_index=True)
        first = self._message.layout.dim[0]
        for row, found in zip(rows.tolist(), np.split(seen[:, 1:], begins[1:])):
            first.size, first.stride = len(found), found.size
            # An array is assigned much faster than a list.
            self._message.data = array('d', found.tobytes())
            self._publishers[int(row)].publish(self._message)


_MAX_CATCH_UP = 10
"""The greatest number of steps that a late world makes up for. Beyond it, it skips time."""
_MAX_CATCH_UP_OF_CLOCK = 2
"""The same with its own clock: on a machine that is too slow, simulated time slows down."""
_IN_PLANE = [0, 1, 5, 6, 7, 11, 30, 31, 35]
"""The places of a covariance of x, y, yaw in one of six degrees of freedom. The others are 0."""
_FORWARD = [0, 35]
"""The places of the variances of linear and angular velocity."""


class SwarmWorld(Node):
    """
    Advances the world by a clock and publishes its state.

    Topics of each robot: ``robot_<id>/odom``, relative to its start, with its covariance;
    ``robot_<id>/tf``, the same as a transform; ``robot_<id>/ground_truth``, in the shared frame;
    and, if their rates are not 0, ``robot_<id>/scan``, ``robot_<id>/reading`` and
    ``robot_<id>/measurements``; with physics ``mujoco`` ``robot_<id>/bumper`` and
    ``robot_<id>/imu``. Published once, latched: ``world``, the arena, its obstacles and the
    sensors.contours of a field's peaks. With radio ``relay`` its counters are on ``/diagnostics``.

    :ivar world: the simulation.
    :ivar relay: relays the messages of robots, with radio ``relay``, otherwise ``None``.
    """

    def __init__(self, **options: Any) -> None:
        """
        Declare the parameters and build the world.

        :param options: for ``rclpy.node.Node``.
        :raises ParameterError: for a wrong parameter, arena or log.
        """
        super().__init__('swarm_world', **options)
        declared = declare_all(self, WorldParameters)
        parameters = declared.values
        self.world = World(parameters)
        declared.changed = self.world.configure
        ids = self.world.scene.ids
        self._odom = robot_publishers(self, Odometry, 'odom', ids)
        self._truth = robot_publishers(self, Odometry, 'ground_truth', ids)
        self._transforms = TransformPublisher(self, [f'robot_{i}' for i in ids])
        self._odom_message = odometry_in(ODOM)
        self._truth_message = odometry_in('map')
        self._scene = advertise(self, MarkerArray, 'world', STATE)
        self._scene.publish(_markers(
            self.world.scene,
            sensors.contours(self.world.peaks if parameters.reading_rate else ())))
        self._sensors = (
            ScanPublisher(self, self.world, parameters.scan_rate),
            ReadingPublisher(self, self.world, parameters.reading_rate),
            BodyPublisher(self, self.world), SightingPublisher(self, self.world))
        for row, robot_id in enumerate(ids if self.world.commands else ()):
            self.create_subscription(
                Twist, f'robot_{robot_id}/cmd_vel', partial(self._command, row), 10)
        self._clock_topic: Publisher | None = None
        self._listeners = parameters.clock_listeners
        self._steady_clock = clock.steady_clock(self)
        if parameters.publish_clock:
            self._clock_topic = self.create_publisher(ClockMessage, '/clock', 10)
            self._steady_clock = Clock(clock_type=ClockType.STEADY_TIME)
        period = self.world.dt / parameters.real_time_factor
        self._period = round(period * 1e9)
        self._origin = self._steady_clock.now().nanoseconds
        self._taken = 0
        self._end_logged = False
        self.create_timer(period, self._tick, clock=self._steady_clock)
        self.relay = (
            RadioRelay(self, self.world, self._steady_clock, parameters.real_time_factor)
            if parameters.radio == 'relay' else None)

    def _command(self, row: int, message: Twist) -> None:
        assert self.world.commands is not None
        self.world.commands.command(row, message.linear.x, message.angular.z, self.world.time)

    def _tick(self) -> None:
        """Take all steps that are due. Their length is constant, even if the timer is late."""
        now = self._steady_clock.now().nanoseconds
        topic = self._clock_topic
        if topic is not None and topic.get_subscription_count() < self._listeners:
            # Subscribers of /clock are missing: the world must not start yet.
            self._origin = now
            return
        self._listeners = 0
        due = round((now - self._origin) / self._period) - self._taken
        most = _MAX_CATCH_UP if topic is None else _MAX_CATCH_UP_OF_CLOCK
        if not 0 <= due <= most:
            # The clock has jumped, or this machine is too slow: continue from the present.
            self._origin, self._taken, due = now - self._period, 0, 1
        for _ in range(due):
            self.world.step()
        self._taken += due
        if due:
            self._publish(now)
        if self.world.ended and not self._end_logged:
            self._end_logged = True
            self.get_logger().info('The logs are over; the robots stay where they are.')

    def missing(self) -> list[MissingInput]:
        """Return the missing inputs of the world: commands to robots."""
        if self.world.commands is None or self.world.commands.any_received:
            return []
        topic = self.resolve_topic_name(f'robot_{self.world.scene.ids[0]}/cmd_vel')
        return [MissingInput(
            'commands', topic, 'the robots of the world all stand; start what drives them '
            '(wander, a task that drives), or take motion levy')]

    def _publish(self, now: int) -> None:
        world = self.world
        if self._clock_topic is not None:
            stamp = _time(round(world.time * 1e9))
            self._clock_topic.publish(ClockMessage(clock=stamp))
        else:
            # The time at which the last step was due, by the shared clock.
            late = now - self._origin - self._taken * self._period
            stamp = _time(self.get_clock().now().nanoseconds - late)
        send_odometry(
            self._odom, self._odom_message, stamp, world.odometry, world.measured,
            world.odom_silent, None if world.covariance.exact else world.covariance)
        self._transforms.publish(stamp, world.odometry, world.odom_silent)
        send_odometry(self._truth, self._truth_message, stamp, world.poses, world.velocities)
        for publisher in self._sensors:
            publisher.publish(stamp)


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


def _time(nanoseconds: int) -> Time:
    return Time(sec=nanoseconds // 10**9, nanosec=nanoseconds % 10**9)


def _markers(scene: Scene, peaks: Sequence[Sequence[tuple[float, float]]]) -> MarkerArray:
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


def main() -> int:
    """Run the embedded world until a signal, and return the exit status."""
    return process.run(lambda: [SwarmWorld()], sys.argv)
