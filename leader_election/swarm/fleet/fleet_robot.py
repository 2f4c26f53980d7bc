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

"""A robot of a fleet file, and the rules for settings of all robots of a file together."""

from collections.abc import Sequence
import math
from typing import Any, NamedTuple

from leader_election.election.robot.metrics import METRICS
from leader_election.election.robot.parameters import ElectionParameters
from leader_election.parameters import ParameterError
from leader_election.swarm.fleet.fleet_settings import SHARED_TOPIC, TOPICS
from leader_election.swarm.fleet.robot_list import RobotSpec


class FleetRobot(NamedTuple):
    """A robot of a fleet file with all its settings, from defaults, type and robot."""

    spec: RobotSpec
    hostname: str
    """The hostname of its computer."""
    enabled: bool
    """Whether the robot takes part."""
    parameters: dict[str, Any]
    """Parameters of its node: ``robot_id``, ``initial_pose``, and others that are set."""
    topics: dict[str, str]
    """The topics of ``fleet_settings.TOPICS`` that are set."""
    driving: dict[str, Any]
    """The ``DrivingParameters`` that are set, for all tasks and nodes that drive it."""


MUST_MATCH = {SHARED_TOPIC: 'do not hear each other', 'frame': "drop each other's messages",
              'algorithm': "drop each other's messages"}
"""Settings that must be the same on all robots, and the consequence if they are not."""
EXPIRY_ROUNDS = 2
"""The least ``message_expiry`` in rounds of the sender: one message may be lost."""


def check_agreement(robots: Sequence[FleetRobot]) -> None:
    """
    Check settings across robots; for disabled robots only the hostnames.

    :param robots: all robots of a file.
    :raises ParameterError: for robots that cannot work together; the message names them.
    """
    _check_hostnames(robots)
    enabled = [robot for robot in robots if robot.enabled]
    for name in MUST_MATCH:
        _check_matching(enabled, name)
    _check_keys(enabled)
    _check_expiry(enabled)
    _check_initial_poses(enabled)


def short_hostname(hostname: str) -> str:
    """
    Return a hostname without its domain, in lower case.

    >>> short_hostname('TB4-07.local')
    'tb4-07'
    """
    return hostname.partition('.')[0].lower()


def _check_hostnames(robots: Sequence[FleetRobot]) -> None:
    seen: dict[str, FleetRobot] = {}
    for robot in robots:
        other = seen.setdefault(short_hostname(robot.hostname), robot)
        if other is not robot:
            same = other.hostname == robot.hostname
            raise ParameterError(
                f'{other.spec.name} and {robot.spec.name} both have hostname {robot.hostname}'
                + ('' if same else f', or {other.hostname}: the first part counts')
                + '; give each robot one of its own')


def _check_matching(robots: Sequence[FleetRobot], name: str) -> None:
    for robot in robots[1:]:
        first, other = (_value(each, name) for each in (robots[0], robot))
        if first != other:
            raise ParameterError(f'robots.{robot.spec.name}', problem=f': {name} is {other!r}, '
                                 f'and {first!r} with {robots[0].spec.name}; such robots '
                                 f'{MUST_MATCH[name]}: give all the same', kind='')


def _check_keys(robots: Sequence[FleetRobot]) -> None:
    """Check that all robots have a key file or none; exempt are those with accept_unverified."""
    strict = [robot for robot in robots if not _value(robot, 'accept_unverified')]
    for robot in robots:
        for other in strict:
            if bool(_value(robot, 'swarm_key_file')) != bool(_value(other, 'swarm_key_file')):
                one, another = sorted(
                    (robot, other), key=lambda each: not _value(each, 'swarm_key_file'))
                raise ParameterError(
                    f'robots.{another.spec.name}', problem=': swarm_key_file is not set, but with '
                    f"{one.spec.name} it is; such robots drop each other's messages: set it for "
                    'all, or accept_unverified: true for all', kind='')


def _check_expiry(robots: Sequence[FleetRobot]) -> None:
    """Check that no robot forgets a neighbour between two of its messages."""
    if len(robots) < 2:
        return
    slowest = max(robots, key=lambda robot: float(_value(robot, 'round_period')))
    period = _value(slowest, 'round_period')
    for robot in robots:
        expiry = _value(robot, 'message_expiry')
        if expiry < EXPIRY_ROUNDS * period:
            raise ParameterError(f'robots.{robot.spec.name}', problem=': message_expiry: '
                                 f'{expiry:g} is not allowed; it takes at least '
                                 f'{EXPIRY_ROUNDS * period:g} s, {EXPIRY_ROUNDS} times the '
                                 f'greatest round_period, that of {slowest.spec.name}, or one '
                                 'message lost makes it not a neighbour', kind='')


def _check_initial_poses(robots: Sequence[FleetRobot]) -> None:
    """Check that no two robots have the same initial position, unless no robot has one set."""
    moved = [robot for robot in robots if _uses_initial_pose(robot)]
    if not any(robot.spec.pose != (0.0, 0.0, 0.0) for robot in moved):
        # All odometry is in the shared frame already, for example from motion capture.
        return
    at: dict[tuple[float, float], str] = {}
    for robot in moved:
        x, y, _ = robot.spec.pose
        other = at.setdefault((x, y), robot.spec.name)
        if other != robot.spec.name:
            raise ParameterError(f'robots.{robot.spec.name}', problem=': initial_pose is at '
                                 f'{x:g}, {y:g}, where {other} starts, too; it takes a place of '
                                 'its own, or pose_source: tf', kind='')


def _uses_initial_pose(robot: FleetRobot) -> bool:
    needs = METRICS.get(_value(robot, 'metric')).needs_positions
    return (_value(robot, 'pose_source') != 'tf'
            and (needs or math.isfinite(_value(robot, 'communication_range'))))


def _value(robot: FleetRobot, name: str) -> Any:
    """Return a setting of a robot, the default if it is not set."""
    if name in TOPICS:
        return robot.topics.get(name, TOPICS[name])
    return robot.parameters.get(name, getattr(ElectionParameters, name))
