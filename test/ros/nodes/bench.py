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

"""A bench for the tests of nodes: robots on one topic, a node that drives and receives them."""

from collections.abc import Callable, Sequence
import time
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from leader_election.election.algorithms import BOUNDED
from leader_election.election.messages.codec import codec_for, Message
from leader_election.election.part import Part
from leader_election.ros.nodes import clock
from leader_election.ros.nodes.election import ElectionNode
from leader_election.ros.nodes.qos import EVENTS, NEIGHBOURHOOD, SENSOR
from nav_msgs.msg import Odometry
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.parameter import Parameter
from std_msgs.msg import String

NEVER = 3600.0
"""A period longer than any test [s]."""


def robot(robot_id: int, air: str = '/neighbourhood', **parameters: Any) -> ElectionNode:
    """Return a robot in the namespace ``/r<id>`` that runs quick rounds."""
    values = {'robot_id': robot_id, 'strength': float(robot_id), 'round_period': 0.1,
              'message_expiry': max(0.5, 2.0 * parameters.get('round_period', 0.1)),
              'diagnostics_period': 0.1, **parameters}
    return ElectionNode(
        namespace=f'/r{robot_id}', use_global_arguments=False,
        cli_args=['--ros-args', '-r', f'neighbourhood:={air}'],
        parameter_overrides=[Parameter(name, value=value) for name, value in values.items()])


class Bench(Node):
    """
    Publishes the robots' odometry, sends messages as if it were robots, and receives all messages.

    :ivar places: where each robot's odometry says that it is [m]; published twenty times a second.
    :ivar others: strengths of robots that exist only as messages, sent as often, from (1, 0).
    """

    def __init__(self, places: dict[int, tuple[float, float]], frame: str = 'odom',
                 name: str = 'bench') -> None:
        super().__init__(name, use_global_arguments=False)
        self.places = dict(places)
        self.others: dict[int, float] = {}
        self.said: dict[int, Message] = {}
        self._frame = frame
        self._odometry = {
            i: self.create_publisher(Odometry, f'/r{i}/odom', SENSOR) for i in places}
        self.voice = self.create_publisher(String, '/neighbourhood', NEIGHBOURHOOD)
        self.create_subscription(String, '/neighbourhood', self._hear, NEIGHBOURHOOD)
        self.create_timer(0.05, self._drive)

    def _drive(self) -> None:
        for i, (x, y) in self.places.items():
            message = Odometry()
            message.header.frame_id = self._frame
            message.pose.pose.position.x, message.pose.pose.position.y = x, y
            self._odometry[i].publish(message)
        for i, strength in self.others.items():
            self.announce(i, (1.0, 0.0), strength)

    def _hear(self, message: String) -> None:
        heard = codec_for(BOUNDED).decode(message.data)
        if isinstance(heard, Message):
            self.said[heard.id] = heard

    def announce(self, sender: int, at: tuple[float, float], strength: float) -> None:
        """Send the message of a robot that leads itself."""
        self.voice.publish(String(data=codec_for(BOUNDED).encode(
            Message(sender, 'map', at, BOUNDED.state(-strength, 0.0, sender)))))

    def heard_by(self, robots: list[ElectionNode]) -> bool:
        """Return whether these robots are connected and know their positions."""
        return (self.voice.get_subscription_count() >= len(robots) + 1
                and all(r.robot.sensing.locate(clock.seconds(r.steady_clock)) for r in robots))


def collect(node: Node, kind: Any, topic: str, profile: Any) -> list[Any]:
    """Return a list that grows by what is published."""
    heard: list[Any] = []
    node.create_subscription(kind, topic, heard.append, profile)
    return heard


def acts(part: Part) -> bool:
    """Return whether a robot acts as a leader, by its part for mandates."""
    return part.leadership(0.0, None, True)['acting'] == 'true'


def leaders(robots: list[ElectionNode]) -> list[int]:
    """Return the leader of each robot."""
    return [r.robot.state.leader for r in robots]


class DiagnosticsReader(Bench):
    """
    A bench that reads the diagnostics of robot 1.

    :ivar last: the last status of the concern.
    """

    def __init__(self, concern: str) -> None:
        super().__init__({1: (0.0, 0.0)})
        self.last = DiagnosticStatus()
        self._name = f'r1: {concern}'
        self.create_subscription(DiagnosticArray, '/diagnostics', self._read, EVENTS)

    def _read(self, message: DiagnosticArray) -> None:
        # A change of the leader is published at once, as the election alone.
        self.last = next((s for s in message.status if s.name == self._name), self.last)

    def says(self, level: bytes, text: str) -> bool:
        return self.last.level == level and text in self.last.message

    @property
    def values(self) -> dict[str, str]:
        return {value.key: value.value for value in self.last.values}


def spin_singly(nodes: Sequence[Node], until: Callable[[], bool], deadline: float) -> None:
    """
    Spin nodes until a condition holds, by the executor of ``swarm_doctor``.

    The events executor of rclpy 7.1 does not report when a message was sent.
    """
    executor, end = SingleThreadedExecutor(), time.monotonic() + deadline
    for node in nodes:
        executor.add_node(node)
    while not until() and time.monotonic() < end:
        executor.spin_once(timeout_sec=0.1)
    executor.shutdown()
