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

"""Checks of what all robots have to have in common: frame, algorithm, settings, key."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from leader_election.election.robot.codec import algorithm_of, Message
from leader_election.election.robot.diagnostics import (
    ACCEPT_UNVERIFIED,
    COMMUNICATION_RANGE,
    FEEDBACK_GAIN,
    KEYS_ACCEPTED,
    MESSAGE_EXPIRY,
    METRIC,
    number,
    RADIUS,
    RADIUS_HYSTERESIS,
    ROUND_PERIOD,
    SWARM_KEY,
)
from leader_election.election.robot.swarm_key import is_signed
from leader_election.swarm.doctor.observations import Level, listing, Observations, Symptom

EXPIRY_ROUNDS = 2
"""The least ``message_expiry`` in rounds of a sender: one message may be lost."""


class Setting(NamedTuple):
    """A parameter that should be the same on all robots."""

    name: str
    unit: str
    level: Level
    consequence: str


SETTINGS = (
    Setting(RADIUS, ' m', Level.WARN, 'a robot leaves leaders that its neighbours keep'),
    Setting(COMMUNICATION_RANGE, ' m', Level.WARN,
            'of two robots only one may have the other as a neighbour'),
    Setting(METRIC, '', Level.ERROR, 'their distances are not comparable'),
    Setting(RADIUS_HYSTERESIS, '', Level.NOTE, 'some robots change leaders earlier than others'),
)


def frames(swarm: Observations) -> Iterator[Symptom]:
    """Find robots in another frame than most."""
    yield from _differing('the frame', {
        robot: repr(message.frame) for robot_id, messages in swarm.sent.items()
        for _, message in messages for robot in swarm.names_of(robot_id)}, Level.ERROR)


def algorithms(swarm: Observations) -> Iterator[Symptom]:
    """Find robots with another algorithm than most."""
    yield from _differing('the algorithm', {
        robot: algorithm_of(heard.payload) for heard, message in swarm.decoded
        if isinstance(message, Message) for robot in swarm.names_of(message.id)}, Level.ERROR)


def settings(swarm: Observations) -> Iterator[Symptom]:
    """
    Find parameters that differ among robots, or from the fleet file.

    A value that the fleet file gives a robot is meant to be different.
    """
    for setting in SETTINGS:
        keys = {key for robot in swarm.robots for report in swarm.reports_of(robot)[-1:]
                for key in report.values if key.rpartition('.')[2] == setting.name}
        for key in sorted(keys):
            shown, unplanned = {}, {}
            for robot in swarm.robots:
                value = swarm.value(robot, key)
                gain = swarm.value(robot, key.removesuffix(setting.name) + FEEDBACK_GAIN)
                # With feedback each region has a radius of its own.
                if value is None or (setting.name == RADIUS and gain not in (None, '0')):
                    continue
                shown[robot] = value + setting.unit
                planned = swarm.planned.get(robot, {}).get(key)
                if planned is None:
                    unplanned[robot] = shown[robot]
                elif _text(planned) != value:
                    yield Symptom(setting.level, (robot,), f'{key} is {shown[robot]}, and '
                                  f'{_text(planned)}{setting.unit} in the fleet file')
            yield from _differing(key, unplanned, setting.level, setting.consequence)
    yield from _short_expiry(swarm)


def _text(value: object) -> str:
    """Return a parameter as diagnostics show it."""
    return f'{value:g}' if isinstance(value, float | int) else str(value)


def _differing(what: str, values: Mapping[str, str], level: Level,
               consequence: str = '') -> Iterator[Symptom]:
    """Find robots with another value than most; without a majority, all are named."""
    by_value: dict[str, list[str]] = {}
    for robot, value in sorted(values.items()):
        by_value.setdefault(value, []).append(robot)
    if len(by_value) < 2:
        return
    first, second, *_ = ranked = sorted(by_value, key=lambda value: -len(by_value[value]))
    end = f': {consequence}' if consequence else ''
    if len(by_value[first]) == len(by_value[second]):
        each = ', '.join(f'{value} with {listing(by_value[value])}' for value in ranked)
        yield Symptom(level, tuple(values), f'{what} is {each}{end}')
        return
    for value in ranked[1:]:
        yield Symptom(level, tuple(by_value[value]),
                      f'{what} is {value}, and {first} with {listing(by_value[first])}{end}')


def _short_expiry(swarm: Observations) -> Iterator[Symptom]:
    """Find robots that forget another one between two of its messages, or after one loss."""
    periods = {robot: period for robot in swarm.robots
               if (text := swarm.value(robot, ROUND_PERIOD)) is not None
               and (period := number({ROUND_PERIOD: text}, ROUND_PERIOD)) is not None}
    for robot in swarm.robots:
        slowest = max(periods.keys() - {robot}, key=lambda other: (periods[other], other),
                      default=None)
        expiry = swarm.setting(robot, MESSAGE_EXPIRY)
        if slowest is not None and expiry < EXPIRY_ROUNDS * periods[slowest]:
            yield Symptom(Level.WARN, (robot,), f'{MESSAGE_EXPIRY} is {expiry:g} s, less than '
                          f'{EXPIRY_ROUNDS} times the {ROUND_PERIOD} {periods[slowest]:g} s of '
                          f'{slowest}: it forgets {slowest} between messages',
                          f'Raise {MESSAGE_EXPIRY} of {robot}, or shorten {ROUND_PERIOD} of '
                          f'{slowest} (ros2 param set).')


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
