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

"""Checks of the swarm key: signed and unsigned messages, different keys, accepted messages."""

from collections.abc import Iterator

from leader_election.election.robot.diagnostics import ACCEPT_UNVERIFIED, KEYS_ACCEPTED, SWARM_KEY
from leader_election.election.robot.swarm_key import is_signed
from leader_election.swarm.doctor.observations import Level, listing, Observations, Symptom


def keys(swarm: Observations) -> Iterator[Symptom]:
    """Find robots with and without a key, with different keys, and ids that are used by others."""
    yield from _mixture(swarm)
    yield from _different(swarm)
    lenient = [robot for robot in swarm.robots
               if swarm.value(robot, ACCEPT_UNVERIFIED) == str(True)]
    if lenient:
        yield Symptom(Level.NOTE, tuple(lenient),
                      'unsigned messages are believed, too: accept_unverified')


def _mixture(swarm: Observations) -> Iterator[Symptom]:
    signed, unsigned = set[int](), set[int]()
    for robot_id, messages in swarm.sent.items():
        for heard, _ in messages:
            (signed if is_signed(heard.payload) else unsigned).add(robot_id)
    for robot_id in sorted(signed & unsigned):
        yield Symptom(Level.WARN, swarm.names_of(robot_id),
                      f'some messages of id {robot_id} are signed and some are not: another '
                      'sender uses its id, or it was given its key while this listened')
    # Robots of the rarer of the two kinds.
    few, many = sorted((unsigned - signed, signed), key=len)
    if few:
        does, others = (('signed', 'not') if few <= signed else ('not signed', 'signed'))
        if many:
            yield Symptom(
                Level.ERROR, tuple(name for i in sorted(few) for name in swarm.names_of(i)),
                f'its messages are {does}; those of '
                f'{listing([name for i in sorted(many) for name in swarm.names_of(i)])} are '
                f'{others}')


def _different(swarm: Observations) -> Iterator[Symptom]:
    """Find robots that do not accept the key that most sign with."""
    signs = {robot: key for robot in swarm.robots
             if (key := swarm.value(robot, SWARM_KEY)) is not None}
    by_key: dict[str, list[str]] = {}
    for robot, key in signs.items():
        by_key.setdefault(str(key), []).append(robot)
    if len(by_key) < 2:
        return
    usual = max(by_key, key=lambda key: len(by_key[key]))
    refusing = tuple(robot for robot in signs
                     if usual not in (swarm.value(robot, KEYS_ACCEPTED) or '').split(', '))
    if refusing:
        yield Symptom(Level.ERROR, refusing, f'it does not accept the key {usual} that '
                      f'{listing(by_key[usual])} {"sign" if len(by_key[usual]) > 1 else "signs"} '
                      'with')
    else:
        told = ', '.join(f'{listing(robots)} with {key}' for key, robots in by_key.items())
        yield Symptom(Level.NOTE, (), f'the key is being changed: {told}')
