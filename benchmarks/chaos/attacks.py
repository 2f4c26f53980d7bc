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

"""The attacks of chaos: forged, replayed, malicious and useless messages."""

from collections.abc import Callable, Mapping
import json
import random
from typing import Any, NamedTuple

from leader_election.election.messages.codec import MAX_LENGTH, Position
from leader_election.ros.demo.faults import Attacker, forged, message_near, STRANGER
from rclpy.node import Node

LARGEST = 2**53 - 1
WEAK_IDS = 600


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


def _state(algorithm: str, *state: Any) -> Payload:
    """Return the payload of a message with the state of an algorithm."""
    return lambda number, target: message_near(target.place, a=algorithm, c=state)


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
    document = message_near(target.place, STRANGER + 1 + number % 20, c=[1e6, 0.0, STRANGER, 0],
                            i={f'instance_{i}': part for i in range(16)})
    return document[:-1] + ',"n":"' + 'x' * (MAX_LENGTH - len(document) - 7) + '"}'


def _weak(number: int, target: Target) -> str:
    """Return the message of one of many robots that are too weak to lead."""
    robot = 1000 + number % WEAK_IDS
    return message_near(target.place, robot, c=[1e6, 0.0, robot, 0])


def _garbage(number: int, target: Target) -> str:
    """Return a text that is not a message."""
    draw = target.draw
    valid = target.sent.get(target.robot, '{"v":1}')
    return draw.choice((
        '', 'null', '[' * 3000, '{"v":1,"id":' + '9' * 3000 + '}', 'x' * 100_000,
        message_near(target.place, c=[float('nan'), float('inf'), 1, 0]),
        message_near(target.place, c=None),
        message_near(target.place, c=[True, {}, []]), valid[:draw.randrange(len(valid) + 1)],
        ''.join(chr(draw.randrange(1, 0xD800)) for _ in range(200))))


def _decision(number: int, target: Target) -> str:
    """Return a decision that is expensive to follow: a patrol of many robots over a large area."""
    return message_near(
        target.place, c=[-1e8, 0.0, STRANGER, 0], t='patrol', r={'p': STRANGER},
        d=[{'area': [[0, 0, 4900, 0, 4900, 4900, 0, 4900]], 'ids': list(range(200))}])


ATTACKS: Mapping[str, Attack] = {
    'forged candidacies': Attack(5.0, 4, lambda number, target: forged(target.place)),
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


class ChaosAttacker(Attacker):
    """
    Attacks robots by the name of the attack.

    :ivar heard: the last message of each robot, for replays. The owner adds messages.
    :ivar dead: the killed robots. The owner sets this.
    """

    def __init__(self, node: Node, places: Mapping[int, Position], seed: int) -> None:
        """
        Create the publishers.

        :param seed: of random messages.
        """
        super().__init__(node, places)
        self.heard: dict[int, str] = {}
        self.dead: tuple[int, ...] = ()
        self._draw = random.Random(seed)

    def attack(self, name: str, robot: int) -> None:
        """Begin an attack of this name on a robot and the robots nearest to it."""
        attack = ATTACKS[name]
        target = Target(robot, self.places[robot], self.heard, self.dead, self._draw)
        self.begin(robot, lambda number: attack.payload(number, target), attack.rate,
                   attack.victims)
