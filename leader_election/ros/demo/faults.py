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
Faults in a swarm of real processes, and the command line that makes each.

Processes are killed, stopped and started again. Parameters of the world and of robots change,
which breaks the radio, splits the swarm or silences odometry. An attacker sends messages to a
robot and those round it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
import json
import math
from pathlib import Path
import shlex
import time
from typing import Any

from leader_election.election.messages.codec import Position
from leader_election.parameters.command_line import how_to_run
from leader_election.ros.demo.processes import argument, arguments, Processes
from leader_election.ros.nodes import clock
from leader_election.ros.nodes.declare import overrides
from leader_election.ros.nodes.qos import NEIGHBOURHOOD
from rcl_interfaces.srv import SetParameters
from rclpy.node import Node
from std_msgs.msg import String

WORLD = 'world'
STRANGER = 900
"""The attacker's own id. No robot of the swarm has it."""
ATTACK_TICK = 0.02
"""The time between two bursts of an attack [s]."""
PATIENCE = 2.0
"""The time after which a request without an answer is made again [s]: a node that was killed and
started again is discovered after its service, which seems to be there still."""


def message_near(place: Position, robot: int = STRANGER, **more: Any) -> str:
    """Return a message of a robot beside a place [m]."""
    x, y = place
    return json.dumps({'v': 1, 'id': robot, 'frame': 'map', 'p': [x + 0.05, y], **more},
                      separators=(',', ':'))


def forged(place: Position) -> str:
    """Return the candidacy of an invented leader that is stronger than all, beside a place [m]."""
    return message_near(place, c=[-1e9, 0, 99, 0])


class Attacker:
    """
    Sends messages to a robot and to the robots nearest to it.

    :ivar count: the number of messages sent so far.
    """

    def __init__(self, node: Node, places: Mapping[int, Position]) -> None:
        """
        Create the publishers.

        :param node: the node of the publishers.
        :param places: of all robots by id [m]. An attack stays where its target was at first.
        """
        self.count = 0
        self.places = places
        self._air = {robot: node.create_publisher(String, heard_topic(robot), NEIGHBOURHOOD)
                     for robot in places}
        self._payload: Callable[[int], str] | None = None
        self._victims: list[int] = []
        self._rate = self._due = 0.0
        self._number = 0
        clock.create_timer(node, ATTACK_TICK, self._burst, node.get_clock())

    def begin(self, robot: int, payload: Callable[[int], str], rate: float = 5.0,
              victims: int = 4) -> str:
        """
        Begin an attack on a robot and the robots nearest to it.

        :param payload: returns a message by its number.
        :param rate: of messages [Hz].
        :param victims: the number of victims: the robot, and those nearest to it.
        :return: the command line of an attack that repeats one message.
        """
        self._victims = sorted(self._air, key=lambda other: math.dist(
            self.places[robot], self.places[other]))[:victims]
        self._payload, self._rate, self._due = payload, rate, 0.0
        message = argument({'data': payload(1)})
        return (f'for robot in {" ".join(map(str, self._victims))}; do ros2 topic pub --rate '
                f'{rate:g} /{heard_topic("$robot")} std_msgs/msg/String '
                f'{shlex.quote(message)} & done; wait')

    def stop(self) -> None:
        """End the attack."""
        self._payload = None

    def _burst(self) -> None:
        if self._payload is None:
            return
        self._due += self._rate * ATTACK_TICK
        while self._due >= 1.0:
            self._due -= 1.0
            self._number += 1
            message = String(data=self._payload(self._number))
            for victim in self._victims:
                self._air[victim].publish(message)
            self.count += len(self._victims)


@dataclass(eq=False)
class _Request:
    """A request to a node, its answer, and the time when it was made the last time [s]."""

    node: str
    request: Any
    answer: Any = None
    made: float = -math.inf


class FaultySwarm(Processes):
    """
    The processes of a swarm, in which faults are made. Methods return the command lines of faults.

    :ivar errors: the refusals of requests.
    """

    def __init__(self, node: Node, folder: Path) -> None:
        """
        Start nothing yet.

        :param node: makes the requests.
        :param folder: for the logs of the processes.
        """
        super().__init__(folder)
        self.errors: list[str] = []
        self._node = node
        self._requests: list[_Request] = []
        self._clients: dict[str, Any] = {}

    def kill(self, name: str) -> str:
        """Kill a process, like a power failure. Requests to its nodes are dropped."""
        self._requests = [each for each in self._requests if each.node.split('/')[0] != name]
        return super().kill(name)

    def set(self, node: str, settings: Mapping[str, Any]) -> str:  # noqa: A003
        """Change parameters of a node as soon as it is discovered. Others stay unchanged."""
        if node not in self._clients:
            self._clients[node] = self._node.create_client(
                SetParameters, f'/{node}/set_parameters')
        self._requests.append(_Request(node, SetParameters.Request(parameters=[
            each.to_parameter_msg() for each in overrides(settings)])))
        self._ask()
        return '; '.join(set_command(node, *each) for each in settings.items())

    def check(self) -> None:
        """
        Check the processes and the answers to requests.

        :raises ProcessDied: if a process has ended unexpectedly.
        """
        super().check()
        for each in [each for each in self._requests if each.answer and each.answer.done()]:
            self._requests.remove(each)
            self.errors += [f'{each.node}: {result.reason}'
                            for result in each.answer.result().results if not result.successful]
        self._ask()

    def asked(self, node: str) -> bool:
        """Return whether a request to a node has no answer yet."""
        return any(each.node == node for each in self._requests)

    def _ask(self) -> None:
        """Make the first request to each node whose service has been discovered."""
        # A later one of the same parameter must not be overtaken by a repetition.
        for node, each in {each.node: each for each in reversed(self._requests)}.items():
            now, client = time.monotonic(), self._clients[node]
            if now - each.made > PATIENCE and client.service_is_ready():
                each.made, each.answer = now, client.call_async(each.request)


def heard_topic(robot: object) -> str:
    """Return the topic on which a robot hears others by the radio of the world."""
    return f'robot_{robot}/heard'


def set_command(node: str, name: str, value: Any) -> str:
    """
    Return the command line that changes a parameter.

    >>> print(set_command('world', 'radio_groups', '1-3'))
    ros2 param set /world radio_groups '"1-3"'
    """
    return f'ros2 param set /{node} {name} {shlex.quote(argument(value))}'


def start_commands(robots: str, executable: str, parameters: Mapping[str, Any]) -> str:
    """
    Return the command line that starts a process for each of some robots.

    :param robots: their ids, for a shell.
    :param parameters: of one, with ``{}`` for its id.

    >>> print(start_commands('1 2', 'fleet', {}))
    for robot in 1 2; do leader_election fleet --ros-args -r '__node:=robot_'$robot'' & done
    """
    options = shlex.join(arguments(parameters, {'__node': 'robot_{}'}))
    return f'for robot in {robots}; do {how_to_run(executable)} {options} & done'.replace(
        '{}', "'$robot'")
