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

"""The leadership of a robot in an instance: the values of its topic, and events at changes."""

from collections.abc import Iterator, Mapping
import math
from typing import Any, NamedTuple

from leader_election.election.messages.wire import usual_namespace
from leader_election.election.part import Part
from leader_election.election.robot import diagnostics as vocabulary
from leader_election.election.robot.instance import Instance
from leader_election.election.robot.reasons import Change, NO_LEADER
from leader_election.election.robot.robot import Robot

LEADERSHIP = 'leadership'
INACTIVE = 'inactive'
"""The role of a robot that has stopped, or was deactivated."""


def text(instance: Instance) -> str:
    """Return the state of an instance in words."""
    if instance.leads:
        return 'leads'
    if instance.leader == NO_LEADER:
        return 'has no leader yet'
    return f'follows {instance.leader} at {instance.distance:.1f} m'


def values(robot: Robot, instance: Instance, namespace: str, sends_on: str,
           active: bool = True) -> dict[str, str]:
    """
    Return the values of an instance, all but the time since when its leader is the same.

    An unknown value is empty.

    :param namespace: of the robot.
    :param sends_on: the full name of the topic on which robots send.
    :param active: whether the robot takes part, otherwise it neither leads nor follows.
    """
    leader, leads = (instance.leader, instance.leads) if active else (NO_LEADER, False)
    named, hops = '', ''
    if leader != NO_LEADER:
        hops = str(getattr(instance.state, 'hops', ''))
        named = namespace if leads else (
            robot.leader_name(instance) or usual_namespace(sends_on, leader))
    return {
        vocabulary.ID: str(robot.parameters.robot_id),
        vocabulary.NAMESPACE: namespace,
        vocabulary.INSTANCE: instance.name,
        vocabulary.LEADER: str(leader),
        vocabulary.LEADER_NAMESPACE: named,
        vocabulary.IS_LEADER: str(leads).lower(),
        vocabulary.ROLE: instance.role if active else INACTIVE,
        vocabulary.DISTANCE: f'{instance.distance if active else math.inf:.3f}',
        vocabulary.HOPS: hops,
        vocabulary.TASKS: '',
        vocabulary.REASON: instance.watch.change.reason.value,
        vocabulary.BECAUSE: instance.watch.change.because,
    }


def part_values(instance: Instance, stamp: float, active: bool = True,
                now: float | None = None) -> dict[str, str]:
    """
    Return the values of an instance's parts.

    :param stamp: the time of the message, on the clock of which times are given [s].
    :param active: whether the robot takes part.
    :param now: the time on the robot's own clock, not before ``stamp``, by default that of the
        last round [s].
    """
    found: dict[str, str] = {}
    for part in instance.parts.values():
        found |= part.leadership(stamp, now, active)
    return found


class LeadershipStatus(NamedTuple):
    """The status of a robot in one instance, from which events are derived."""

    robot: int
    leader: int | None
    """``None``: it has found none yet."""
    leads: bool
    role: str
    strength: float
    located: bool
    parts: Mapping[str, tuple[Part, Any]] = {}
    """By the names of parts, each with its state."""
    change: Change = Change()
    """The last change of the leader."""


Event = dict[str, Any]
"""Its name, as ``event``, and what belongs to it."""


def status_of(robot: Robot, instance: Instance) -> LeadershipStatus:
    """Return the status of a robot in one of its instances."""
    leader = None if instance.leader == NO_LEADER else instance.leader
    return LeadershipStatus(
        robot.parameters.robot_id, leader, instance.leads, instance.role,
        instance.strength.announced, robot.position is not None,
        {name: (part, part.status()) for name, part in instance.parts.items()},
        instance.watch.change)


def events(before: LeadershipStatus | None, now: LeadershipStatus) -> list[Event]:
    """
    Return the events between two statuses, in the order in which they are logged.

    :param before: ``None``: the first status, all of which is an event.

    >>> from leader_election.election.robot.reasons import Reason
    >>> alone = LeadershipStatus(3, 3, True, 'leader', 1.0, True)
    >>> now = LeadershipStatus(3, 8, False, 'worker', 1.0, True, {}, Change(
    ...     8, 3, Reason.STRONGER, 8, 4.1, 4.5))
    >>> for event in events(alone, now): print(event)  # doctest: +NORMALIZE_WHITESPACE
    {'event': 'stepped_down'}
    {'event': 'leader_changed', 'leader': 8, 'before': 3, 'reason': 'stronger',
     'because': 'stronger, and within 4.5 m'}
    {'event': 'region_joined', 'leader': 8}
    {'event': 'role_changed', 'role': 'worker', 'before': 'leader'}
    """
    return [*_leader(before, now), *_self(before, now)]


def _leader(before: LeadershipStatus | None, now: LeadershipStatus) -> Iterator[Event]:
    led, leads = before is not None and before.leads, now.leads
    old, new = before.leader if before is not None else None, now.leader
    why = {'reason': now.change.reason.value, 'because': now.change.because}
    if led and not leads:
        yield {'event': 'stepped_down'}
    if old != new:
        if old is not None and old != now.robot:
            yield {'event': 'region_left', 'leader': old}
        if old is None:
            yield {'event': 'leader_gained', 'leader': new}
        elif new is None:
            yield {'event': 'leader_lost', 'leader': old, **why}
        else:
            yield {'event': 'leader_changed', 'leader': new, 'before': old, **why}
        if new is not None and new != now.robot:
            yield {'event': 'region_joined', 'leader': new}
    if leads and not led:
        yield {'event': 'became_leader'}


def _self(before: LeadershipStatus | None, now: LeadershipStatus) -> Iterator[Event]:
    if before is None:
        return
    for name, (part, status) in now.parts.items():
        yield from part.events(before.parts[name][1], status)
    if before.role != now.role:
        yield {'event': 'role_changed', 'role': now.role, 'before': before.role}
    if before.located != now.located:
        yield {'event': 'odometry_back' if now.located else 'odometry_lost'}
    if before.strength != now.strength:
        yield {'event': 'strength_changed', 'strength': now.strength, 'before': before.strength}
