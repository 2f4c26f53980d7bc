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
which breaks the radio, splits the swarm or silences odometry. An attacker sends messages.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
import math
from pathlib import Path
import random
import shlex
from typing import Any

from leader_election.election.messages.codec import Position
from leader_election.parameters.command_line import how_to_run
from leader_election.ros.demo.attacks import Attack, ATTACKS, Target
from leader_election.ros.demo.processes import argument, arguments, Processes
from leader_election.ros.nodes.declare import overrides
from leader_election.ros.nodes.qos import NEIGHBOURHOOD
from rcl_interfaces.srv import SetParameters
from rclpy.node import Node
from std_msgs.msg import String

WORLD = 'world'
ATTACK_TICK = 0.02
"""The time between two bursts of an attack [s]."""


class Attacker:
    """
    Sends the messages of an attack to a robot and to the robots nearest to it.

    :ivar heard: the last message of each robot, for replays. The owner adds messages.
    :ivar dead: the killed robots. The owner sets this.
    :ivar count: the number of messages sent so far.
    """

    def __init__(self, node: Node, places: Mapping[int, Position], seed: int) -> None:
        """
        Create the publishers.

        :param node: the node of the publishers.
        :param places: of all robots by id [m]. An attack stays where its target was at first.
        :param seed: of random messages.
        """
        self.heard: dict[int, str] = {}
        self.dead: tuple[int, ...] = ()
        self.count = 0
        self._places = places
        self._draw = random.Random(seed)
        self._air = {robot: node.create_publisher(String, heard_topic(robot), NEIGHBOURHOOD)
                     for robot in places}
        self._attack: tuple[Attack, Target, tuple[int, ...]] | None = None
        self._due = 0.0
        self._number = 0
        node.create_timer(ATTACK_TICK, self._burst)

    def begin(self, name: str, robot: int) -> None:
        """Begin an attack of this name on a robot and the robots nearest to it."""
        self._due = 0.0
        self._attack = (ATTACKS[name], self._target(robot), self._victims(name, robot))

    def stop(self) -> None:
        """End the attack."""
        self._attack = None

    def command(self, name: str, robot: int) -> str:
        """Return the command line of an attack that repeats one message."""
        attack = ATTACKS[name]
        message = argument({'data': attack.payload(1, self._target(robot))})
        victims = ' '.join(map(str, self._victims(name, robot)))
        return (f'for robot in {victims}; do ros2 topic pub --rate {attack.rate:g} '
                f'/{heard_topic("$robot")} std_msgs/msg/String {shlex.quote(message)} & '
                'done; wait')

    def _victims(self, name: str, robot: int) -> tuple[int, ...]:
        here = self._places[robot]
        return tuple(sorted(self._air, key=lambda other: math.dist(
            here, self._places[other]))[:ATTACKS[name].victims])

    def _target(self, robot: int) -> Target:
        return Target(robot, self._places[robot], self.heard, self.dead, self._draw)

    def _burst(self) -> None:
        if self._attack is None:
            return
        attack, target, victims = self._attack
        self._due += attack.rate * ATTACK_TICK
        while self._due >= 1.0:
            self._due -= 1.0
            self._number += 1
            self.send(attack.payload(self._number, target), victims)

    def send(self, payload: str, victims: Sequence[int]) -> None:
        """Send a message to robots."""
        for victim in victims:
            self._air[victim].publish(String(data=payload))
        self.count += len(victims)


class FaultySwarm:
    """
    The processes of a swarm, in which faults are made. Methods return the command lines of faults.

    :ivar processes: run with these names, and ``_2`` and so on if they were started again.
    :ivar pids: the ids of the processes that were not killed, by name.
    :ivar labels: the names in ``processes``, by name.
    :ivar errors: the refusals of requests.
    """

    def __init__(self, node: Node, folder: Path) -> None:
        """
        Start nothing yet.

        :param node: makes the requests.
        :param folder: for the logs of the processes.
        """
        self.processes = Processes(folder)
        self.pids: dict[str, int] = {}
        self.labels: dict[str, str] = {}
        self.errors: list[str] = []
        self._node = node
        self._starts: Counter[str] = Counter()
        self._requests: list[tuple[str, Any, Any]] = []
        self._answers: list[tuple[str, Any]] = []
        self._clients: dict[str, Any] = {}

    def run(self, name: str, executable: str, parameters: Mapping[str, Any]) -> str:
        """
        Start a process, perhaps again, and return the command line that does it.

        :param executable, parameters: as of :meth:`.Processes.start`.
        """
        if name in self.pids:
            raise ValueError(f'{name} runs already')
        self._starts[name] += 1
        again = f'_{self._starts[name]}' if self._starts[name] > 1 else ''
        self.labels[name] = name + again
        self.pids[name] = self.processes.start(
            name + again, executable, dict(parameters), {'__node': name})
        return start_command(name, executable, parameters)

    def kill(self, name: str) -> str:
        """Kill a process, like a power failure. Requests to its nodes are dropped."""
        self.processes.kill(self.labels[name])
        self._requests = [each for each in self._requests if each[0].split('/')[0] != name]
        return f'kill -KILL {self.pids.pop(name)}'

    def pause(self, name: str) -> str:
        """Stop a process until :meth:`go_on`."""
        self.processes.pause(self.labels[name])
        return f'kill -STOP {self.pids[name]}'

    def go_on(self, name: str) -> str:
        """Resume a stopped process."""
        self.processes.go_on(self.labels[name])
        return f'kill -CONT {self.pids[name]}'

    def set(self, node: str, settings: Mapping[str, Any]) -> str:  # noqa: A003
        """Change parameters of a node as soon as it is discovered. Others stay unchanged."""
        self._requests.append((node, self._client(node), SetParameters.Request(parameters=[
            each.to_parameter_msg() for each in overrides(settings)])))
        self._ask()
        return '; '.join(set_command(node, *each) for each in settings.items())

    def check(self) -> None:
        """
        Check the processes and the answers to requests.

        :raises ProcessDied: if a process has ended unexpectedly.
        """
        self.processes.check()
        self._ask()
        for node, answer in [each for each in self._answers if each[1].done()]:
            self._answers.remove((node, answer))
            self.errors += [f'{node}: {result.reason}' for result in answer.result().results
                            if not result.successful]

    def asked(self, node: str) -> bool:
        """Return whether a request to a node has no answer yet."""
        return any(each[0] == node for each in (*self._requests, *self._answers))

    def can_change(self, node: str) -> bool:
        """Return whether a node accepts changes of its parameters."""
        return bool(self._client(node).service_is_ready())

    def _ask(self) -> None:
        """Make the requests whose services have been discovered."""
        for each in [each for each in self._requests if each[1].service_is_ready()]:
            self._requests.remove(each)
            node, client, request = each
            self._answers.append((node, client.call_async(request)))

    def _client(self, node: str) -> Any:
        if node not in self._clients:
            self._clients[node] = self._node.create_client(
                SetParameters, f'/{node}/set_parameters')
        return self._clients[node]


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


def start_command(name: str, executable: str, parameters: Mapping[str, Any]) -> str:
    """Return the command line that starts a process."""
    options = shlex.join(arguments(parameters, {'__node': name}))
    return f'{how_to_run(executable)} {options}'


def start_commands(robots: str, executable: str, parameters: Mapping[str, Any]) -> str:
    """
    Return the command line that starts a process for each of some robots.

    :param robots: their ids, for a shell.
    :param parameters: of one, with ``{}`` for its id.

    >>> print(start_commands('1 2', 'fleet', {}))
    for robot in 1 2; do leader_election fleet --ros-args -r '__node:=robot_'$robot'' & done
    """
    one = start_command('robot_{}', executable, parameters)
    return f'for robot in {robots}; do {one} & done'.replace('{}', "'$robot'")
