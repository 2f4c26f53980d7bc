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

"""The leadership of a robot in an instance: the values of its topic."""

import math

from leader_election.election.messages.wire import usual_namespace
from leader_election.election.robot import diagnostics as vocabulary
from leader_election.election.robot.instance import Instance
from leader_election.election.robot.reasons import NO_LEADER
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
