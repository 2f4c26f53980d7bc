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

"""One robot of a fleet file."""

from collections.abc import Sequence
import math
from typing import Any, NamedTuple

from leader_election.fleet.fleet_settings import SHARED, TOPICS
from leader_election.fleet.robot_list import Entry
from leader_election.parameters import ParameterError
from leader_election.robot.metrics import METRICS
from leader_election.robot.parameters import ElectionParameters


class FleetRobot(NamedTuple):
    """All that concerns it put together."""

    entry: Entry
    hostname: str
    """Of the computer that it runs on."""
    enabled: bool
    parameters: dict[str, Any]
    """Of its node, ``robot_id`` and ``initial_pose`` among them; the rest only where set."""
    topics: dict[str, str]
    """Those of ``fleet_settings.TOPICS`` that are set."""
    driving: dict[str, Any]
    """What holds for whatever drives it, where set."""


ALIKE = {SHARED: 'do not hear each other', 'frame': "drop each other's messages",
         'algorithm': "drop each other's messages"}
"""What is the same on all robots, and what comes of it where it is not."""
LOST = 2
"""A message counts for as many rounds of its sender, so that one may be lost."""


def check_agreement(robots: Sequence[FleetRobot]) -> None:
    """
    Refuse robots that do not go together; those that are not enabled matter for hostnames only.

    :raises ParameterError: naming two.
    """
    _check_hostnames(robots)
    enabled = [robot for robot in robots if robot.enabled]
    for name in ALIKE:
        _check_alike(enabled, name)
    _check_expiry(enabled)
    _check_places(enabled)


def first_part(hostname: str) -> str:
    """
    Return a computer's name without its domain, in small letters.

    >>> first_part('TB4-07.local')
    'tb4-07'
    """
    return hostname.partition('.')[0].lower()


def _check_hostnames(robots: Sequence[FleetRobot]) -> None:
    seen: dict[str, FleetRobot] = {}
    for robot in robots:
        other = seen.setdefault(first_part(robot.hostname), robot)
        if other is not robot:
            same = other.hostname == robot.hostname
            raise ParameterError(
                f'{other.entry.name} and {robot.entry.name} both have hostname {robot.hostname}'
                + ('' if same else f', or {other.hostname}: the first part counts')
                + '; give each robot one of its own')


def _check_alike(robots: Sequence[FleetRobot], name: str) -> None:
    for robot in robots[1:]:
        first, other = (_value(each, name) for each in (robots[0], robot))
        if first != other:
            raise ParameterError(
                f'robots.{robot.entry.name}: {name} is {other!r}, and {first!r} with '
                f'{robots[0].entry.name}; such robots {ALIKE[name]}: give all the same')


def _check_expiry(robots: Sequence[FleetRobot]) -> None:
    """Refuse robots that would give up others between two messages of theirs."""
    if len(robots) < 2:
        return
    slowest = max(robots, key=lambda robot: float(_value(robot, 'round_period')))
    period = _value(slowest, 'round_period')
    for robot in robots:
        expiry = _value(robot, 'message_expiry')
        if expiry < LOST * period:
            raise ParameterError(
                f'robots.{robot.entry.name}: message_expiry: {expiry:g} is not allowed; it takes '
                f'at least {LOST * period:g} s, {LOST} times the greatest round_period, that of '
                f'{slowest.entry.name}, or one message lost makes it no neighbour')


def _check_places(robots: Sequence[FleetRobot]) -> None:
    """Refuse two that start at one place, unless none says where it starts."""
    moved = [robot for robot in robots if _starts_at_its_pose(robot)]
    if not any(robot.entry.pose != (0.0, 0.0, 0.0) for robot in moved):
        # Their odometry is in the shared frame already, as motion capture says it.
        return
    at: dict[tuple[float, float], str] = {}
    for robot in moved:
        x, y, _ = robot.entry.pose
        other = at.setdefault((x, y), robot.entry.name)
        if other != robot.entry.name:
            raise ParameterError(
                f'robots.{robot.entry.name}: initial_pose is at {x:g}, {y:g}, where {other} '
                'starts, too; it takes a place of its own, or pose_source: tf')


def _starts_at_its_pose(robot: FleetRobot) -> bool:
    needs = METRICS.get(_value(robot, 'metric')).needs_positions
    return (_value(robot, 'pose_source') == 'odometry'
            and (needs or math.isfinite(_value(robot, 'communication_range'))))


def _value(robot: FleetRobot, name: str) -> Any:
    """Return what holds for a robot, by default where nothing is set."""
    if name in TOPICS:
        return robot.topics.get(name, TOPICS[name])
    return robot.parameters.get(name, getattr(ElectionParameters, name))
