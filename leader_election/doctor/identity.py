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

"""Checks of who is there, and of whether all mean the same by what they say."""

from collections import Counter
from collections.abc import Iterator
import math

from leader_election.doctor.observations import (
    algorithm_of,
    Level,
    listing,
    Observations,
    setting,
    Status,
    Symptom,
)
from leader_election.robot.codec import Message
from leader_election.robot.wire import RejectReason

ROUNDS = 2
"""Who was listened to for so many rounds should have been heard."""
JUMP = 0.2
"""A robot that is so far off, and back in the next message, is two [m]."""
JUMPS = 3
"""So often, since once may be a localisation that found itself."""


def found(seen: Observations) -> Iterator[Symptom]:
    """Find nobody there at all."""
    if not seen.robots and not seen.said:
        here = ', '.join(f'{name}={value}' for name, value in seen.environment.items())
        yield Symptom(Level.ERROR, (), f'no robot was found in {seen.seconds:.3g} s'
                   + (f' (here: {here})' if here else ''))


def missing(seen: Observations) -> Iterator[Symptom]:
    """Find those that should be there and are not, or are somebody else."""
    if not seen.robots and not seen.said:
        return
    for name, robot_id in seen.expected.items():
        if name not in seen.robots:
            yield Symptom(Level.ERROR, (name,), 'it was not found')
        elif robot_id is not None and seen.ids.get(name, robot_id) != robot_id:
            yield Symptom(Level.ERROR, (name,),
                       f'it goes by id {seen.ids[name]}, and should by {robot_id}')
    if seen.only_expected:
        for name in seen.robots:
            if name not in seen.expected:
                yield Symptom(Level.NOTE, (name,), 'it is there, but not in the fleet file')


def silent(seen: Observations) -> Iterator[Symptom]:
    """Find robots whose nodes are up and say nothing."""
    for name in seen.robots:
        if name not in seen.ids:
            yield Symptom(Level.ERROR, (name,), 'its node is up, but says nothing of itself')
        elif seen.ids[name] not in seen.said and _reason(seen, name) is None:
            period = setting(seen, name, 'round_period')
            if seen.seconds < ROUNDS * period:
                yield Symptom(
                    Level.NOTE,
                    (name,),
                    f'its rounds are {period:g} s apart, longer than '
                    f'was listened for; --seconds {ROUNDS * period:g} would do',
                )
            else:
                yield Symptom(Level.ERROR, (name,), f'no message of id {seen.ids[name]} was heard')


def _reason(seen: Observations, name: str) -> RejectReason | None:
    """Return why nothing of a robot could be read, ``None`` where nothing was heard."""
    own = f'"id":{seen.ids[name]},'
    return next(
        (r for h, r in seen.decoded if isinstance(r, RejectReason) and own in h.payload), None
    )


def names(seen: Observations) -> Iterator[Symptom]:
    """Find nodes of one name."""
    for node, count in Counter(endpoint.node for endpoint in seen.nodes).items():
        if count > 1:
            robot = next(e.robot for e in seen.nodes if e.node == node)
            yield Symptom(Level.ERROR, (robot,), f'{count} nodes are called {node}')


def ids(seen: Observations) -> Iterator[Symptom]:
    """Find robots that go by one id: by what they are called, what they say, where they are."""
    shared = {i for i, count in Counter(seen.ids.values()).items() if count > 1}
    for robot_id in sorted(shared):
        yield Symptom(Level.ERROR, seen.named(robot_id), f'they go by one id, {robot_id}')
    for robot_id in sorted({s.id for s in seen.diagnostics if _has_a_twin(s)} - shared):
        yield Symptom(Level.ERROR, seen.named(robot_id),
                   f'it hears another robot that goes by its id, {robot_id}')
        shared.add(robot_id)
    for robot_id, messages in seen.said.items():
        places = [message.position for _, message in messages if message.position is not None]
        returns = sum(
            math.dist(a, b) > JUMP and math.dist(a, c) < 0.5 * math.dist(a, b)
            for a, b, c in zip(places, places[1:], places[2:]))
        if returns >= JUMPS and robot_id not in shared:
            yield Symptom(Level.ERROR, seen.named(robot_id),
                       f'what comes from id {robot_id} is from two places in turn, '
                       f'{math.dist(places[-1], places[-2]):.1f} m apart')


def _has_a_twin(status: Status) -> bool:
    return status.level > 1 and 'another robot goes by id' in status.message


def frames(seen: Observations) -> Iterator[Symptom]:
    """Find several frames."""
    found_in: dict[str, list[str]] = {}
    for robot_id, messages in seen.said.items():
        for frame in sorted({message.frame for _, message in messages}):
            found_in.setdefault(frame, []).extend(seen.named(robot_id))
    if len(found_in) > 1:
        usual = max(found_in, key=lambda frame: len(found_in[frame]))
        for frame, robots in found_in.items():
            if frame != usual:
                yield Symptom(Level.ERROR, tuple(robots), f'the frame is {frame!r}, and {usual!r} '
                           f'with {listing(found_in[usual])}')


def algorithms(seen: Observations) -> Iterator[Symptom]:
    """Find several algorithms."""
    used: dict[str, set[str]] = {}
    for heard, message in seen.decoded:
        if isinstance(message, Message):
            used.setdefault(algorithm_of(heard.payload), set()).update(seen.named(message.id))
    if len(used) > 1:
        usual = max(used, key=lambda name: len(used[name]))
        for name, robots in used.items():
            if name != usual:
                yield Symptom(Level.ERROR, tuple(sorted(robots)), f'the algorithm is {name}, and '
                           f'{usual} with {listing(sorted(used[usual]))}')


def readable(seen: Observations) -> Iterator[Symptom]:
    """Find messages that nobody can read."""
    reasons = Counter(r for _, r in seen.decoded if isinstance(r, RejectReason))
    for reason, count in reasons.items():
        example = next(h for h, r in seen.decoded if r == reason)
        yield Symptom(Level.ERROR, (), f'{count} of {len(seen.messages)} messages cannot be read '
                   f'({reason.value}), for example on {example.topic}: {example.payload[:60]!r}')


def refused(seen: Observations) -> Iterator[Symptom]:
    """Find messages that robots drop, by their own counts."""
    by: dict[str, list[str]] = {}
    for robot in seen.robots:
        for reason in RejectReason:
            if reason != RejectReason.OWN_ID and seen.grown(robot, reason.value) > 0.0:
                by.setdefault(reason.value, []).append(robot)
    for name, robots in by.items():
        count = sum(seen.grown(robot, name) for robot in robots)
        yield Symptom(Level.WARN, tuple(robots), f'{count:g} messages, or parts of them, were '
                   f'dropped: {name}')


def own_words(seen: Observations) -> Iterator[Symptom]:
    """Find what robots themselves find wrong."""
    for robot in seen.robots:
        told = seen.told(robot)
        if told and told[-1].level > 0:
            yield Symptom(Level.ERROR if told[-1].level > 1 else Level.WARN, (robot,),
                       f'it says: {told[-1].message}')
