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

"""Shortening of messages that would be longer than the limit."""

from collections import Counter
from collections.abc import Callable, Iterable
from functools import cache
from typing import NamedTuple

from leader_election.election.messages.codec import Message, NO_OTHERS, NO_PARTS, Parts, wire_part
from leader_election.election.messages.wire import NO_NAMES, Shortening


class Step(NamedTuple):
    """Shorten a message that is too long. Steps of lower rank are tried first."""

    rank: int
    counter: str
    change: Callable[[Message], Message]


def _in_part(name: str, shortening: Shortening) -> Callable[[Message], Message]:
    """Return a function that shortens a part in all instances of a message."""
    def shorter(parts: Parts) -> Parts:
        if name not in parts:
            return parts
        less = shortening.change(parts[name])
        others = {other: part for other, part in parts.items() if other != name}
        return (others if less is None else others | {name: less}) or NO_PARTS

    def change(message: Message) -> Message:
        return message._replace(parts=shorter(message.parts), others={
            other: each._replace(parts=shorter(each.parts))
            for other, each in message.others.items()})
    return change


OWN = (Step(2, 'names_left_out', lambda message: message._replace(names=NO_NAMES)),
       Step(6, 'instances_left_out', lambda message: message._replace(others=NO_OTHERS)))
"""The namespaces of robots, and all instances but the first."""


@cache
def steps(parts: frozenset[str]) -> tuple[Step, ...]:
    """
    Return the parts that may be left out, in their order. Elections come last.

    :param parts: the names of the parts that the robot sends.
    """
    found = [Step(each.rank, each.counter, _in_part(name, each))
             for name in parts for each in wire_part(name).shortenings
             for _ in range(each.repeats)]
    return tuple(sorted((*OWN, *found), key=lambda step: step.rank))


def counters(parts: Iterable[str]) -> tuple[str, ...]:
    """Return the counters of what is left out."""
    return tuple(dict.fromkeys(step.counter for step in steps(frozenset(parts))))


def shortened(message: Message, encode: Callable[[Message], str], room: int,
              counts: Counter[str]) -> tuple[str, Message]:
    """
    Return the payload of a message with as many of its parts as fit, and that message.

    :param room: the greatest length [characters].
    :param counts: the counters of what is left out.
    """
    payload = encode(message)
    if len(payload) > room:
        names = frozenset(message.parts).union(*(each.parts for each in message.others.values()))
        for step in steps(names):
            less = step.change(message)
            if less != message:
                counts[step.counter] += 1
                payload, message = encode(less), less
            if len(payload) <= room:
                break
    return payload, message
