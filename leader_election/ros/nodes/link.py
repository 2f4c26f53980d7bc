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
The node ``link``: carries the messages of robots between ROS domains, and nothing else.

Beside a robot it takes what the robot sends (``outgoing``, the robot's ``send_topic``) to the
links of other robots, and their messages to ``neighbourhood``. So each robot may have a domain,
a discovery server or a middleware of its own. Several robots behind one link hear each other.
"""

from collections import Counter
import secrets
from threading import Lock
import time
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from leader_election.election.messages.packets import packet, PacketReader, Peer
from leader_election.election.robot.diagnostics import LINK, status_name
from leader_election.ros.nodes import clock
from leader_election.ros.nodes.declare import declare_all
from leader_election.ros.nodes.process import run
from leader_election.ros.nodes.qos import EVENTS, NEIGHBOURHOOD, subscribe
from leader_election.swarm.fleet.transports import LinkParameters, TRANSPORTS
from leader_election.swarm.view.formatting import count
from rclpy.clock import Clock
from rclpy.clock_type import ClockType
from rclpy.node import Node
from std_msgs.msg import String

MOST_SHOWN = 32
"""The most other links in diagnostics, the last ones heard."""
QUIET = 10.0
"""The time without any other link after which that is a warning [s]."""


SENT, TOO_LONG, UNSENT, PEERS = 'sent', 'too_long', 'unsent', 'peers'
"""The keys of counters in diagnostics, beside those of packets."""


class Link(Node):
    """
    Carries the messages of the robots in this domain to other links, and theirs to here.

    :ivar message_room: the length of the longest message that it carries [bytes].
    """

    def __init__(self, **options: Any) -> None:
        """
        Declare the parameters, open the transport and subscribe.

        :param options: for ``rclpy.node.Node``.
        :raises ParameterError: for a wrong parameter.
        """
        super().__init__('link', **options)
        parameters = declare_all(self, LinkParameters).values
        self._start, self._number = secrets.randbits(64), 0
        self._lock = Lock()
        """Held to count: packets arrive in a thread of the transport."""
        self._reader = PacketReader(self._start, parameters.most_packets)
        self._counts = Counter({SENT: 0, TOO_LONG: 0, UNSENT: 0})
        self._problem = ''
        self._heard = time.monotonic()
        """When another link was heard, at first the start [s]."""
        self._here = self.create_publisher(String, 'neighbourhood', NEIGHBOURHOOD)
        kind = TRANSPORTS.get(parameters.kind)
        self.message_room = kind.room(parameters)
        self._transport = kind(parameters, self._take)
        subscribe(self, String, 'outgoing', self._send, NEIGHBOURHOOD)
        self._reports = self.create_publisher(DiagnosticArray, '/diagnostics', EVENTS)
        for period, act in (1.0, self._report), (5.0, self._tell):
            clock.create_timer(self, period, act, Clock(clock_type=ClockType.STEADY_TIME))

    def _send(self, message: String) -> None:
        # For further robots behind this link. The sender itself knows its echo.
        self._here.publish(message)
        length = len(message.data.encode())
        if length > self.message_room:
            self._counts[TOO_LONG] += 1
            self._say(f'a message of {length} bytes, at most {self.message_room} are allowed; set '
                      'the parameter message_length of the robot to that')
            return
        self._say(self._transport.send(packet(self._start, self._number, message.data)))
        self._number += 1
        self._counts[UNSENT if self._problem else SENT] += 1

    def _say(self, problem: str) -> None:
        """Log and keep the reason why a message is not sent, empty if it is."""
        if problem:
            self.get_logger().warning(
                f'a message was not sent: {problem}', throttle_duration_sec=QUIET)
        self._problem = problem

    def _take(self, data: bytes) -> None:
        with self._lock:
            message = self._reader.read(data, time.monotonic())
        if message is not None:
            self._here.publish(String(data=message))

    def _tell(self) -> None:
        """Tell the other links what was heard of them."""
        with self._lock:
            data = self._reader.report(self._number, time.monotonic(), QUIET, self.message_room)
        self._number += 1
        self._transport.send(data)

    def _report(self) -> None:
        now = time.monotonic()
        with self._lock:
            peers = self._reader.peers(now, QUIET)
            values = {**self._counts, **self._reader.counts, PEERS: len(peers),
                      **self._transport.counts(),
                      **{f'peer {start:016x}': _peer_text(peer)
                         for start, peer in [*peers.items()][-MOST_SHOWN:]}}
        self._heard = now if peers else self._heard
        problem = self._transport.problem or self._problem
        quiet = now - self._heard > QUIET
        text = problem or (f'no other link was heard for {now - self._heard:.0f} s' if quiet
                           else f'hears {count(len(peers), "link")}')
        message = DiagnosticArray(status=[DiagnosticStatus(
            level=DiagnosticStatus.WARN if problem or quiet else DiagnosticStatus.OK,
            name=status_name(self.get_namespace().strip('/') or self.get_name(), LINK),
            message=text, hardware_id=f'{LINK} {self._start:016x}',
            values=[KeyValue(key=key, value=str(value)) for key, value in values.items()])])
        message.header.stamp = self.get_clock().now().to_msg()
        self._reports.publish(message)

    def close(self) -> None:
        """Close the transport. Called before the node is destroyed."""
        self._transport.close()


def _peer_text(peer: Peer) -> str:
    heard, lost = peer.told
    robots = ', '.join(map(str, sorted(peer.robots)))
    told = '' if heard is None else f'; there {heard} heard, {lost} lost'
    return f'robots {robots}: {peer.heard} packets heard, {max(peer.lost, 0)} lost{told}'


def main() -> int:
    """Carry messages until the process is stopped, and return the exit status."""
    return run(lambda: [Link()])
