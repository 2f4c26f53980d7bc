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
which breaks the radio, splits the swarm or silences odometry. An attacker sends forged, replayed,
malicious and useless messages.
"""

from collections.abc import Callable, Mapping
import json
import math
from pathlib import Path
import random
import shlex
from typing import Any, NamedTuple

from leader_election.election.messages.codec import MAX_LENGTH, Position
from leader_election.parameters.command_line import how_to_run
from leader_election.ros.demo.processes import argument, arguments, Processes
from leader_election.ros.nodes.declare import overrides
from leader_election.ros.nodes.qos import NEIGHBOURHOOD
from rcl_interfaces.srv import SetParameters
from rclpy.node import Node
from std_msgs.msg import String

WORLD = 'world'
LARGEST = 2**53 - 1
STRANGER = 900
"""The attacker's own id. No robot of the swarm has it."""
WEAK_IDS = 600
ATTACK_TICK = 0.02
"""The time between two bursts of an attack [s]."""


class Target(NamedTuple):
    """
    The knowledge of the attacker.

    :ivar robot: the robot near which the attacker is, at a place [m].
    :ivar sent: the last message of each robot.
    """

    robot: int
    place: Position
    sent: Mapping[int, str]
    dead: tuple[int, ...]
    draw: random.Random


Payload = Callable[[int, Target], str]
"""A function that returns a message, by its number and the target."""


class Attack(NamedTuple):
    """
    One kind of attack.

    :ivar rate: of messages [Hz].
    :ivar victims: the number of victims: the target, and the robots nearest to it.
    """

    rate: float
    victims: int
    payload: Payload


def _message(target: Target, robot: int = STRANGER, **more: Any) -> str:
    x, y = target.place
    return json.dumps({'v': 1, 'id': robot, 'frame': 'map', 'p': [x + 0.05, y], **more},
                      separators=(',', ':'))


def _state(algorithm: str, *state: Any) -> Payload:
    """Return the payload of a message with the state of an algorithm."""
    return lambda number, target: _message(target, a=algorithm, c=state)


def _away(number: int, target: Target) -> str:
    """Return a message with a robot's id from a place out of every robot's range."""
    document = json.loads(target.sent[target.draw.choice(sorted(target.sent))])
    x, y = target.place
    return json.dumps({**document, 'p': [x + 1000.0, y]}, separators=(',', ':'))


def _replayed(number: int, target: Target) -> str:
    """Return the last message of a dead robot, or of a living one if all live."""
    dead = [robot for robot in target.dead if robot in target.sent]
    return target.sent[target.draw.choice(sorted(dead or target.sent))]


def _flood(number: int, target: Target) -> str:
    """Return a legal message of the greatest length, with the greatest number of instances."""
    part = {'a': 'recursive', 'c': [9, 1.0, [float(number)] * 10, [1] * 10, [0.5] * 10, 0.0, 3,
                                    [0] * 10]}
    document = _message(target, STRANGER + 1 + number % 20, c=[1e6, 0.0, STRANGER, 0],
                        i={f'instance_{i}': part for i in range(16)})
    return document[:-1] + ',"n":"' + 'x' * (MAX_LENGTH - len(document) - 7) + '"}'


def _weak(number: int, target: Target) -> str:
    """Return the message of one of many robots that are too weak to lead."""
    robot = 1000 + number % WEAK_IDS
    return _message(target, robot, c=[1e6, 0.0, robot, 0])


def _garbage(number: int, target: Target) -> str:
    """Return a text that is not a message."""
    draw = target.draw
    valid = target.sent.get(target.robot, '{"v":1}')
    return draw.choice((
        '', 'null', '[' * 3000, '{"v":1,"id":' + '9' * 3000 + '}', 'x' * 100_000,
        _message(target, c=[float('nan'), float('inf'), 1, 0]), _message(target, c=None),
        _message(target, c=[True, {}, []]), valid[:draw.randrange(len(valid) + 1)],
        ''.join(chr(draw.randrange(1, 0xD800)) for _ in range(200))))


def _decision(number: int, target: Target) -> str:
    """Return a decision that is expensive to follow: a patrol of many robots over a large area."""
    return _message(
        target, c=[-1e8, 0.0, STRANGER, 0], t='patrol', r={'p': STRANGER},
        d=[{'area': [[0, 0, 4900, 0, 4900, 4900, 0, 4900]], 'ids': list(range(200))}])


ATTACKS: Mapping[str, Attack] = {
    # Of an invented leader that is stronger than all.
    'forged candidacies': Attack(
        5.0, 4, lambda number, target: _message(target, c=[-1e9, 0, 99, 0])),
    'a clock at its end': Attack(5.0, 4, _state(
        'recursive-replicated', LARGEST, 0, -1, [], [], [], 0.0, 3, [])),
    'the largest radius': Attack(5.0, 4, _state(
        'resilient', -1e9, 0.0, 99, LARGEST, 0.0, 99, 99)),
    'negative ids': Attack(5.0, 4, _state(
        'recursive', 0, 1e9, [1e9], [-4], [0.0], 0.0, 3, [0])),
    "robots' ids from far away": Attack(10.0, 4, _away),
    'replayed messages': Attack(2.0, 8, _replayed),
    'a flood of long messages': Attack(1000.0, 1, _flood),
    'many weak robots': Attack(300.0, 4, _weak),
    'garbage': Attack(200.0, 4, _garbage),
    'decisions dear to follow': Attack(5.0, 4, _decision),
}


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
        self._attack: tuple[Attack, Target, list[int]] | None = None
        self._due = 0.0
        self._number = 0
        node.create_timer(ATTACK_TICK, self._burst)

    def begin(self, name: str, robot: int) -> str:
        """
        Begin an attack of this name on a robot and the robots nearest to it.

        :return: the command line of an attack that repeats one message.
        """
        here, attack = self._places[robot], ATTACKS[name]
        target = Target(robot, here, self.heard, self.dead, self._draw)
        victims = sorted(self._air, key=lambda other: math.dist(
            here, self._places[other]))[:attack.victims]
        self._due, self._attack = 0.0, (attack, target, victims)
        message = argument({'data': attack.payload(1, target)})
        return (f'for robot in {" ".join(map(str, victims))}; do ros2 topic pub --rate '
                f'{attack.rate:g} /{heard_topic("$robot")} std_msgs/msg/String '
                f'{shlex.quote(message)} & done; wait')

    def stop(self) -> None:
        """End the attack."""
        self._attack = None

    def _burst(self) -> None:
        if self._attack is None:
            return
        attack, target, victims = self._attack
        self._due += attack.rate * ATTACK_TICK
        while self._due >= 1.0:
            self._due -= 1.0
            self._number += 1
            message = String(data=attack.payload(self._number, target))
            for victim in victims:
                self._air[victim].publish(message)
            self.count += len(victims)


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
        self._requests: list[tuple[str, Any]] = []
        self._answers: list[tuple[str, Any]] = []
        self._clients: dict[str, Any] = {}

    def kill(self, name: str) -> str:
        """Kill a process, like a power failure. Requests to its nodes are dropped."""
        self._requests = [each for each in self._requests if each[0].split('/')[0] != name]
        return super().kill(name)

    def set(self, node: str, settings: Mapping[str, Any]) -> str:  # noqa: A003
        """Change parameters of a node as soon as it is discovered. Others stay unchanged."""
        if node not in self._clients:
            self._clients[node] = self._node.create_client(
                SetParameters, f'/{node}/set_parameters')
        self._requests.append((node, SetParameters.Request(parameters=[
            each.to_parameter_msg() for each in overrides(settings)])))
        self._ask()
        return '; '.join(set_command(node, *each) for each in settings.items())

    def check(self) -> None:
        """
        Check the processes and the answers to requests.

        :raises ProcessDied: if a process has ended unexpectedly.
        """
        super().check()
        self._ask()
        for node, answer in [each for each in self._answers if each[1].done()]:
            self._answers.remove((node, answer))
            self.errors += [f'{node}: {result.reason}' for result in answer.result().results
                            if not result.successful]

    def asked(self, node: str) -> bool:
        """Return whether a request to a node has no answer yet."""
        return any(each[0] == node for each in (*self._requests, *self._answers))

    def _ask(self) -> None:
        """Make the requests whose services have been discovered."""
        for node, request in [*self._requests]:
            if self._clients[node].service_is_ready():
                self._requests.remove((node, request))
                self._answers.append((node, self._clients[node].call_async(request)))


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
