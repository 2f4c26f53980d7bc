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

"""The radio of the embedded world on topics."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from leader_election.election.robot import codec
from leader_election.ros.nodes import clock
from leader_election.ros.nodes.qos import EVENTS, NEIGHBOURHOOD, subscribe
from leader_election.simulation.radio import (
    BUNDLE_PERIOD,
    Delivery,
    delivery,
    HEARD_TOPIC,
    pack,
    Radio,
    SENT_TOPIC,
    unpack,
)
from leader_election.simulation.world import World
from rclpy.clock import Clock
from rclpy.node import Node
from std_msgs.msg import String

DIAGNOSTICS_PERIOD = 1.0
"""The time between two messages on ``/diagnostics`` [s]."""


class RadioRelay:
    """
    Relays ``neighbourhood`` to ``robot_<id>/heard`` of the robots that receive a message.

    :ivar relayed: the number of messages sent by the radio.
    :ivar dropped: the number of messages without a sender in this world, which are not relayed.
    """

    def __init__(self, node: Node, world: World, swarm: int, namespace: str, timers: Clock,
                 time_factor: float, lean: bool = False) -> None:
        """
        Create the topics.

        :param node: that has them.
        :param world: whose robots send.
        :param swarm: the number of the radio in ``world.radios``.
        :param namespace: of the topics; empty: that of the node.
        :param timers: the clock of the timers.
        :param time_factor: seconds of simulated time per second of that clock.
        :param lean: whether one topic carries the messages of all receivers; messages are then
            collected for ``BUNDLE_PERIOD``, since each message on a topic wakes all processes.
        """
        self.relayed = self.dropped = 0
        self._node, self._world, self._swarm = node, world, swarm
        self._radio: Radio = world.radios[swarm]
        self._clock, self._time_factor = timers, time_factor
        prefix = f'{namespace}/' if namespace else ''
        self._name = f'{node.get_name()}: radio {namespace}'.rstrip()
        self._ids = world.scene.ids
        self._bundle = (
            node.create_publisher(String, prefix + HEARD_TOPIC, NEIGHBOURHOOD) if lean else None)
        self._heard = [] if lean else [
            node.create_publisher(String, f'{prefix}robot_{i}/heard', NEIGHBOURHOOD)
            for i in self._ids]
        topic, take = ((SENT_TOPIC, self._relay_bundle) if lean
                       else ('neighbourhood', self._relay))
        subscribe(node, String, prefix + topic, take, NEIGHBOURHOOD)
        self._arrival = node.create_timer(1.0, self._deliver, clock=timers)
        self._arrival.cancel()
        self._planned = 0.0
        """The time by the radio for which the timer is set [s]."""

    def _time(self) -> float:
        """Return the time by which the radio delays messages [s]."""
        return clock.seconds(self._clock) * self._time_factor

    def _relay_bundle(self, bundle: String) -> None:
        """Send the messages of a bundle by radio."""
        for payload in unpack(bundle.data):
            self._relay(String(data=payload))

    def _relay(self, message: String) -> None:
        """Send a message by radio to the robots that receive it."""
        sender, now = codec.sender(message.data), self._time()
        if sender is None or not self._world.send(sender, message, now, self._swarm):
            self.dropped += 1
            self._node.get_logger().warning(
                f'{self.dropped} messages dropped that name no sender of this world',
                throttle_duration_sec=10.0)
            return
        self.relayed += 1
        if self._bundle is None:
            self._deliver()
        elif self._planned > now + BUNDLE_PERIOD or self._arrival.is_canceled():
            self._set_timer(now)

    def _deliver(self) -> None:
        """Publish the messages that have arrived, and set the timer for the next arrival."""
        now = self._time()
        arrived = self._radio.arrived(now)
        if self._bundle is None:
            for each in arrived:
                self._heard[each.receiver].publish(each.message)
        else:
            for text in pack(self._by_message(arrived)):
                self._bundle.publish(String(data=text))
        self._arrival.cancel()
        self._set_timer(now)

    def _by_message(self, arrived: Iterable[Delivery]) -> Iterator[str]:
        """Yield each message once, with the ids of all that receive it now."""
        for _, copies in groupby(arrived, lambda copy: id(copy.message)):
            same = list(copies)
            yield delivery((self._ids[copy.receiver] for copy in same), same[0].message.data)

    def _set_timer(self, now: float) -> None:
        """Set the timer for the next arrival, if there is one; it is never set to a later time."""
        due = self._radio.next_arrival
        if due is None:
            return
        # By the planned time, since a steady flow of messages would put off a bundle for ever.
        planned = max(due, now + (BUNDLE_PERIOD if self._bundle is not None else 0.0))
        if planned < self._planned or self._arrival.is_canceled():
            self._planned = planned
            clock.restart(self._arrival, (planned - now) / self._time_factor)

    def status(self) -> DiagnosticStatus:
        """Return the counters."""
        values = {'relayed': self.relayed, 'dropped': self.dropped, **self._radio.counts,
                  'pending': self._radio.pending}
        return DiagnosticStatus(
            level=DiagnosticStatus.OK, name=self._name, message='relays',
            hardware_id=self._node.get_name(),
            values=[KeyValue(key=name, value=str(value)) for name, value in values.items()])


def relay_all(node: Node, world: World, namespaces: Sequence[str], timers: Clock,
              time_factor: float, lean: bool = False) -> list[RadioRelay]:
    """
    Relay the messages of all swarms, with counters on ``/diagnostics``.

    :param namespaces: of the swarms, one for each radio of the world; empty: one swarm, in the
        namespace of the node.
    :param node, world, timers, time_factor, lean: as :class:`RadioRelay` takes them.
    """
    relays = [RadioRelay(node, world, swarm, namespace, timers, time_factor, lean)
              for swarm, namespace in enumerate(namespaces or ('',))]
    publisher = node.create_publisher(DiagnosticArray, '/diagnostics', EVENTS)

    def diagnose() -> None:
        message = DiagnosticArray(status=[relay.status() for relay in relays])
        message.header.stamp = node.get_clock().now().to_msg()
        publisher.publish(message)

    node.create_timer(DIAGNOSTICS_PERIOD, diagnose, clock=timers)
    return relays
