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

"""Checks of whether robots hear each other."""

from collections.abc import Iterator
from itertools import combinations, product

from leader_election.doctor.observations import (
    Endpoint,
    find_radio_topics,
    Level,
    listing,
    Observations,
    setting,
    Symptom,
)
from leader_election.robot.parameters import ElectionParameters
from leader_election.robot.robot import HEARD, ROUNDS

LOSS = 0.2
"""So great a share of messages may be lost."""
NEAR = 0.8
"""So much of the way that others hear each other over is near enough to be heard."""
FEW = 5
"""Of fewer rounds nothing is said."""


def one_air(seen: Observations) -> Iterator[Symptom]:
    """Find robots that speak where nobody else listens."""
    nodes = {endpoint.node for endpoint in seen.nodes}
    if len(nodes) < 2:
        return
    topics = find_radio_topics(seen)
    for endpoint in sorted(set(seen.endpoints)):
        if (endpoint.writes and endpoint.node in nodes and endpoint.topic in topics
                and not any(r.node != endpoint.node for r in seen.readers(endpoint.topic))):
            yield Symptom(Level.ERROR, (endpoint.robot,),
                       f'it speaks on {endpoint.topic}, where nobody else listens')


def profiles(seen: Observations) -> Iterator[Symptom]:
    """Find publishers and subscriptions of one topic that do not go together."""
    nodes = {endpoint.node for endpoint in seen.nodes}
    for topic in sorted({e.topic for e in seen.endpoints if e.node in nodes}):
        writers, readers = seen.writers(topic), seen.readers(topic)
        types = sorted({e.type for e in writers + readers})
        if len(types) > 1:
            yield Symptom(Level.ERROR, _robots(writers + readers, nodes),
                       f'{topic} has several types: {listing(types)}')
        by: dict[str, list[tuple[Endpoint, Endpoint]]] = {}
        for writer, reader in product(writers, readers):
            for fault in _faults(writer, reader):
                by.setdefault(fault, []).append((writer, reader))
        for fault, pairs in by.items():
            deaf = sorted({reader.node for _, reader in pairs})
            from_whom = sorted({writer.node for writer, _ in pairs})
            level = Level.ERROR if nodes.intersection(deaf) else Level.WARN
            yield Symptom(level, _robots([e for pair in pairs for e in pair], nodes),
                       f'{topic}: {listing(deaf)} cannot hear {listing(from_whom)}: {fault}')


def _robots(endpoints: list[Endpoint], nodes: set[str]) -> tuple[str, ...]:
    return tuple(sorted({e.robot for e in endpoints if e.node in nodes}))


def _faults(writer: Endpoint, reader: Endpoint) -> Iterator[str]:
    """Yield why a reader gets nothing of a writer: it asks for more than is offered."""
    if reader.reliable and not writer.reliable:
        yield 'reliability: best effort is offered, reliable asked for'
    if reader.latched and not writer.latched:
        yield 'durability: volatile is offered, transient local asked for'
    if reader.deadline < writer.deadline:
        yield (f'deadline: {writer.deadline:g} s is offered, {reader.deadline:g} s asked for')


def deaf(seen: Observations) -> Iterator[Symptom]:
    """Find robots that hear nobody while others speak near them."""
    reach = NEAR * _reach(seen)
    for robot in seen.robots:
        told = seen.told(robot)
        if len(told) < 2:
            continue
        begin, end = told[0].received, told[-1].received
        others = sum(begin <= heard.received <= end
                     for robot_id, messages in seen.said.items()
                     if robot_id != seen.ids[robot]
                     and seen.apart(robot_id, seen.ids[robot]) <= reach
                     for heard, _ in messages)
        if others >= FEW and HEARD in told[-1].values and seen.grown(robot, HEARD) == 0.0:
            yield Symptom(Level.ERROR, (robot,), f'it heard nothing, while others near it '
                       f'said {others} messages that arrived here')


def _reach(seen: Observations) -> float:
    """Return how far apart neighbours are that hear each other [m]."""
    found = [seen.apart(seen.ids[robot], other)
             for robot, history in seen.neighbours.items() if robot in seen.ids
             for other in history[-1].ids if other in seen.said]
    return max(found, default=ElectionParameters.communication_range)


def one_way(seen: Observations) -> Iterator[Symptom]:
    """Find pairs of which one hears the other, but is not heard."""
    for one, other in combinations(sorted(seen.ids.keys() & seen.neighbours.keys()), 2):
        for hears, mute in ((one, other), (other, one)):
            if (all(seen.ids[mute] in ids for ids in _lately(seen, hears))
                    and not any(seen.ids[hears] in ids for ids in _lately(seen, mute))):
                ranges = [_range(seen, robot) for robot in (hears, mute)]
                why = (f' (communication_range {ranges[0]} and {ranges[1]} m)'
                       if None not in ranges and ranges[0] != ranges[1] else '')
                yield Symptom(Level.WARN, (hears, mute),
                           f'{hears} has {mute} as a neighbour, {mute} not {hears}{why}')


def _range(seen: Observations, robot: str) -> str | None:
    return seen.told(robot)[-1].values.get('communication_range')


def _lately(seen: Observations, robot: str) -> list[tuple[int, ...]]:
    """Return all sets of neighbours that a robot had in the second half of the time."""
    half = seen.end - 0.5 * seen.seconds
    history = seen.neighbours[robot]
    before = [ids for received, ids in history if received <= half]
    return before[-1:] + [ids for received, ids in history if received > half]


def loss(seen: Observations) -> Iterator[Symptom]:
    """Find robots of which few messages arrive, or none for long."""
    paused: dict[str, tuple[float, float]] = {}
    lost: dict[str, tuple[float, int]] = {}
    for robot_id, messages in seen.said.items():
        times = [heard.received for heard, _ in messages]
        longest = max(b - a for a, b in zip(times, [*times[1:], seen.end]))
        expiry = _least_expiry(seen, robot_id)
        if longest > expiry:
            paused |= dict.fromkeys(seen.named(robot_id), (longest, expiry))
        for robot in seen.named(robot_id)[:1]:
            sent, arrived = _share(seen, robot, times)
            # One may be on its way at either end.
            if sent >= FEW and arrived + 1 < (1.0 - LOSS) * sent:
                lost[robot] = sent, arrived
    if paused:
        longest, expiry = max(paused.values())
        yield Symptom(Level.WARN, tuple(paused), f'nothing was heard for {longest:.1f} s; by '
                   f'message_expiry a robot is given up after {expiry:g} s')
    if lost:
        sent, arrived = (sum(column) for column in zip(*lost.values()))
        yield Symptom(
            Level.WARN,
            tuple(lost),
            f'of {sent:g} messages sent {arrived:g} arrived here, '
            f'{1.0 - arrived / sent:.0%} were lost',
        )


def _least_expiry(seen: Observations, robot_id: int) -> float:
    """Return after what silence the first of the others gives a robot up [s]."""
    others = [setting(seen, robot, 'message_expiry')
              for robot, own in seen.ids.items() if own != robot_id]
    return min(others, default=ElectionParameters.message_expiry)


def _share(seen: Observations, robot: str, times: list[float]) -> tuple[float, int]:
    """Return how many messages a robot sent by its own count, and how many of them arrived."""
    told = [status for status in seen.told(robot) if ROUNDS in status.values]
    if len(told) < 2:
        return 0.0, 0
    arrived = sum(told[0].received < time <= told[-1].received for time in times)
    return seen.grown(robot, ROUNDS), arrived
