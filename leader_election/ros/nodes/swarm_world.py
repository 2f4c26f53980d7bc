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

"""The node ``swarm_world``: the embedded world and its radio, in place of robots' drivers."""

from functools import partial
import sys
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from geometry_msgs.msg import Twist
from leader_election.election.messages import codec
from leader_election.ros.nodes import clock, process, world_topics
from leader_election.ros.nodes.declare import declare_all
from leader_election.ros.nodes.process import MissingInput
from leader_election.ros.nodes.qos import advertise, EVENTS, NEIGHBOURHOOD, STATE, subscribe
from leader_election.simulation import sensors
from leader_election.simulation.parameters import WorldParameters
from leader_election.simulation.world import World
from nav_msgs.msg import Odometry
from rclpy.clock import Clock
from rclpy.clock_type import ClockType
from rclpy.duration import Duration
from rclpy.node import Node
from rclpy.publisher import Publisher
from rclpy.time import Time
from rosgraph_msgs.msg import Clock as ClockMessage
from std_msgs.msg import String
from visualization_msgs.msg import MarkerArray


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
        self._arrival = clock.create_timer(node, 1.0, self._deliver, timers)
        self._arrival.cancel()
        self._diagnostics = node.create_publisher(DiagnosticArray, '/diagnostics', EVENTS)
        clock.create_timer(node, 1.0, self._diagnose, timers)

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


_MAX_CATCH_UP = 10
"""The greatest number of steps that a late world makes up for. Beyond it, it skips time."""
_MAX_CATCH_UP_OF_CLOCK = 2
"""The same with its own clock: on a machine that is too slow, simulated time slows down."""


class SwarmWorld(Node):
    """
    Advances the world by a clock and publishes its state.

    Topics of each robot: ``robot_<id>/odom``, relative to its start, with its covariance;
    ``robot_<id>/tf``, the same as a transform; ``robot_<id>/ground_truth``, in the shared frame;
    and, if their rates are not 0, ``robot_<id>/scan``, ``robot_<id>/reading`` and
    ``robot_<id>/measurements``; with physics ``mujoco`` ``robot_<id>/bumper`` and
    ``robot_<id>/imu``. Published once, latched: ``world``, the arena, its obstacles and the
    contours of a field's peaks. With radio ``relay`` its counters are on ``/diagnostics``.

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
        self._odom = world_topics.robot_publishers(self, Odometry, 'odom', ids)
        self._truth = world_topics.robot_publishers(self, Odometry, 'ground_truth', ids)
        self._transforms = world_topics.TransformPublisher(self, [f'robot_{i}' for i in ids])
        self._odom_message = world_topics.odometry_in(world_topics.ODOM)
        self._truth_message = world_topics.odometry_in('map')
        self._scene = advertise(self, MarkerArray, 'world', STATE)
        self._scene.publish(world_topics.markers(
            self.world.scene,
            sensors.contours(self.world.peaks if parameters.reading_rate else ())))
        self._sensors = (
            world_topics.ScanPublisher(self, self.world, parameters.scan_rate),
            world_topics.ReadingPublisher(self, self.world, parameters.reading_rate),
            world_topics.BodyPublisher(self, self.world),
            world_topics.SightingPublisher(self, self.world))
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
        clock.create_timer(self, period, self._tick, self._steady_clock)
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
            stamp = Time(nanoseconds=round(world.time * 1e9)).to_msg()
            self._clock_topic.publish(ClockMessage(clock=stamp))
        else:
            # The time at which the last step was due, by the shared clock.
            late = now - self._origin - self._taken * self._period
            stamp = (self.get_clock().now() - Duration(nanoseconds=late)).to_msg()
        world_topics.send_odometry(
            self._odom, self._odom_message, stamp, world.odometry, world.measured,
            world.odom_silent, None if world.covariance.exact else world.covariance)
        self._transforms.publish(stamp, world.odometry, world.odom_silent)
        world_topics.send_odometry(
            self._truth, self._truth_message, stamp, world.poses, world.velocities)
        for publisher in self._sensors:
            publisher.publish(stamp)


def main() -> int:
    """Run the embedded world until a signal, and return the exit status."""
    return process.run(lambda: [SwarmWorld()], sys.argv)
