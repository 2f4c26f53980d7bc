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

"""The messages of an attacker: forged, replayed, malicious and useless ones."""

from collections.abc import Callable, Mapping
import json
import random
from typing import Any, NamedTuple

from leader_election.election.messages.codec import MAX_LENGTH, Position

LARGEST = 2**53 - 1
STRANGER = 900
"""The attacker's own id. No robot of the swarm has it."""
WEAK_IDS = 600


class Target(NamedTuple):
    """The knowledge of the attacker."""

    robot: int
    """The robot near which the attacker is."""
    place: Position
    """Where that robot is [m]."""
    sent: Mapping[int, str]
    """The last message of each robot."""
    dead: tuple[int, ...]
    draw: random.Random


class Attack(NamedTuple):
    """One kind of attack."""

    rate: float
    victims: int
    """The number of victims: the target, and the robots nearest to it."""
    payload: Callable[[int, Target], str]
    """A function that returns a message, by its number and the target."""


def _message(target: Target, robot: int = STRANGER, **more: Any) -> str:
    x, y = target.place
    return json.dumps({'v': 1, 'id': robot, 'frame': 'map', 'p': [x + 0.05, y], **more},
                      separators=(',', ':'))


def _forged(number: int, target: Target) -> str:
    """Return the candidacy of an invented leader that is stronger than all."""
    return _message(target, c=[-1e9, 0, 99, 0])


def _clock(number: int, target: Target) -> str:
    """Return a message of ``recursive-replicated`` whose clock is at its end."""
    return _message(target, a='recursive-replicated', c=[LARGEST, 0, -1, [], [], [], 0.0, 3, []])


def _radius(number: int, target: Target) -> str:
    """Return a message of ``resilient`` with the largest radius."""
    return _message(target, a='resilient', c=[-1e9, 0.0, 99, LARGEST, 0.0, 99, 99])


def _negative(number: int, target: Target) -> str:
    """Return a message of ``recursive`` whose best device has a negative id."""
    return _message(target, a='recursive', c=[0, 1e9, [1e9], [-4], [0.0], 0.0, 3, [0]])


def _away(number: int, target: Target) -> str:
    """Return a message with a robot's id from a place out of every robot's range."""
    other = target.draw.choice(sorted(target.sent))
    document = json.loads(target.sent[other])
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
    filled = document[:-1] + ',"n":"' + 'x' * (MAX_LENGTH - len(document) - 7) + '"}'
    return filled if len(filled) <= MAX_LENGTH else document


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
    side = 4900.0
    return _message(
        target, c=[-1e8, 0.0, STRANGER, 0], t='patrol', r={'p': STRANGER},
        d=[{'area': [[0, 0, side, 0, side, side, 0, side]], 'ids': list(range(200))}])


ATTACKS: Mapping[str, Attack] = {
    'forged candidacies': Attack(5.0, 4, _forged),
    'a clock at its end': Attack(5.0, 4, _clock),
    'the largest radius': Attack(5.0, 4, _radius),
    'negative ids': Attack(5.0, 4, _negative),
    "robots' ids from far away": Attack(10.0, 4, _away),
    'replayed messages': Attack(2.0, 8, _replayed),
    'a flood of long messages': Attack(1000.0, 1, _flood),
    'many weak robots': Attack(300.0, 4, _weak),
    'garbage': Attack(200.0, 4, _garbage),
    'decisions dear to follow': Attack(5.0, 4, _decision),
}
