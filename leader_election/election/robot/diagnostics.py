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

"""
Vocabulary of what robots publish: names and keys of a status, its parsing, and the leadership.

A robot publishes one ``diagnostic_msgs/msg/DiagnosticStatus`` per concern. Its name is
``<namespace>: <concern>``, its hardware id ``robot <id>``, its values are text. The publisher
(``nodes/robot_diagnostics.py``) and the readers (``doctor``, ``recording``) share these names.
"""

from collections.abc import Iterable, Iterator, Mapping
import math
import re
from typing import Any, NamedTuple, TYPE_CHECKING

from leader_election.election.algorithms import Algorithm
from leader_election.election.messages.codec import MAIN
from leader_election.election.messages.wire import usual_namespace
from leader_election.election.robot.reasons import NO_LEADER

if TYPE_CHECKING:
    from leader_election.election.robot.instance import Instance
    from leader_election.election.robot.robot import Robot

ELECTION, ODOMETRY, NEIGHBOURHOOD = 'election', 'odometry', 'neighbourhood'
REGIONS, KEY = 'regions', 'key'
LOCALISATION, LINK = 'localisation', 'link'
"""The concerns of a robot."""

LEADER, ROLE, DISTANCE, RADIUS, STRENGTH = 'leader', 'role', 'distance', 'radius', 'strength'
HOPS, HOP_LIMIT = 'hops', 'hop_limit'
RADIUS_HYSTERESIS, FEEDBACK_GAIN, METRIC = 'radius_hysteresis', 'feedback_gain', 'metric'
STRENGTH_LIMITS = 'strength_limits'
ODOMETRY_NEEDED, ODOMETRY_EXPIRY = 'odometry_needed', 'odometry_expiry'
COMMUNICATION_RANGE, MESSAGE_EXPIRY = 'communication_range', 'message_expiry'
NEIGHBOURS = 'neighbours'
ROUND_PERIOD = 'round_period'
LEADER_DOUBT = 'leader_doubt'
ID, NAMESPACE, INSTANCE = 'id', 'namespace', 'instance'
LEADER_NAMESPACE, IS_LEADER = 'leader_namespace', 'is_leader'
SINCE, TASKS = 'since', 'tasks'
REASON, BECAUSE, BEFORE, CANDIDACIES = 'reason', 'because', 'before', 'candidacies'
SWARM_KEY, KEYS_ACCEPTED, ACCEPT_UNVERIFIED = 'swarm_key', 'keys_accepted', 'accept_unverified'
"""Keys of values that more than one part of the package refers to."""
COMMON_FIELDS = ('value', 'distance', 'leader')
"""Fields of a state that are shown for every algorithm. All others are the algorithm's own."""
DUPLICATE_ID = 'another robot uses id'
"""Begins the message of a robot that receives messages with its own id from elsewhere."""
NO_MESSAGE = 'no message of another robot'
NO_POSITION_ANNOUNCED = 'no position is announced'
QOS_FAULT = 'whose profiles (QoS) offer less than is requested'
"""Parts of the messages of robots that receive nothing, or have no position."""

MAX_DIGITS = 18
"""The most digits of an id: below 2^63, and quick to parse for any published text."""
_HARDWARE_ID = re.compile(rf'robot (\d{{1,{MAX_DIGITS}}})')


class Status(NamedTuple):
    """A ``diagnostic_msgs/msg/DiagnosticStatus``, without its dependency on ROS."""

    name: str
    hardware_id: str
    values: Mapping[str, str] = {}
    level: int = 0
    """0: OK, 1: warning, 2: error."""
    message: str = ''


class RobotStatus(NamedTuple):
    """A status that a robot published about one of its concerns."""

    robot: str
    """Name of the robot: its namespace without the slashes at both ends."""
    id: int  # noqa: A003
    concern: str
    level: int
    message: str
    values: Mapping[str, str]


def status_of(message: Any) -> Status:
    """Return a ``DiagnosticStatus`` of ROS as a status."""
    return Status(
        message.name, message.hardware_id, {value.key: value.value for value in message.values},
        message.level[0], message.message)


def status_name(robot: str, concern: str) -> str:
    """
    Return the name of a status.

    >>> status_name('robot_3', ELECTION)
    'robot_3: election'
    """
    return f'{robot}: {concern}'


def hardware_id(robot_id: int) -> str:
    """
    Return the hardware id of a robot's statuses.

    >>> hardware_id(3)
    'robot 3'
    """
    return f'robot {robot_id}'


def key_of(name: str, instance: str = MAIN) -> str:
    """
    Return the key of a value of an instance. It contains the names of further instances only.

    >>> key_of(RADIUS), key_of(RADIUS, 'rescue')
    ('radius', 'rescue.radius')
    """
    return name if instance == MAIN else f'{instance}.{name}'


def list_text(numbers: Iterable[float]) -> str:
    """
    Return numbers as a value of diagnostics.

    >>> list_text((0.0, 1.5, math.inf))
    '[0, 1.5, inf]'
    """
    return '[' + ', '.join(f'{number:g}' for number in numbers) + ']'


def parse_status(status: Status) -> RobotStatus | None:
    """
    Return the parts of a status, ``None`` for one that no robot of this package published.

    >>> parse_status(Status('/tb3_0: election', 'robot 7', {'radius': '6'}))[:3]
    ('tb3_0', 7, 'election')
    >>> parse_status(Status('camera: lens', 'usb 1')), parse_status(Status('camera', 'robot 1'))
    (None, None)
    """
    found = _HARDWARE_ID.fullmatch(status.hardware_id)
    robot, colon, concern = status.name.rpartition(': ')
    if not found or not colon:
        return None
    return RobotStatus(robot=robot.strip('/'), id=int(found[1]), concern=concern,
                       level=status.level, message=status.message, values=status.values)


def robot_statuses(statuses: Iterable[Status]) -> Iterator[RobotStatus]:
    """Yield the statuses of robots among those of one message, in their order."""
    yield from filter(None, map(parse_status, statuses))


def number(values: Mapping[str, str], key: str, finite: bool = True) -> float | None:
    """
    Return a value as a number, ``None`` if it is missing or not a number.

    :param finite: whether values that are not finite count as missing. Parameters may be infinite.

    >>> number({'radius': '6'}, 'radius'), number({'radius': 'nan'}, 'radius'), number({}, 'x')
    (6.0, None, None)
    >>> number({'communication_range': 'inf'}, 'communication_range', finite=False)
    inf
    """
    try:
        found = float(values[key])
    except (KeyError, ValueError):
        return None
    return found if math.isfinite(found) or not finite else None


def own_fields(algorithm: Algorithm, state: Any) -> dict[str, Any]:
    """
    Return the fields of a state that only its algorithm has, by name.

    They are read off ``Algorithm.fields``. Vectors are lists, without the padding at their end,
    as on the wire.

    :param state: a named tuple of the algorithm: a robot's own state, or a message's export.

    >>> from leader_election.election.algorithms import BOUNDED, RESILIENT, Device
    >>> own_fields(BOUNDED, BOUNDED.start(Device(3, 1.0)))
    {}
    >>> own_fields(RESILIENT, RESILIENT.start(Device(3, 1.0)))
    {'radius': 1.0, 'diameter': 0.0, 'id': 3, 'source': 3}
    """
    return {field.name: field.trimmed(getattr(state, field.name)) for field in algorithm.fields
            if field.name not in COMMON_FIELDS and (field.name, field.hops) != (HOPS, True)}


LEADERSHIP = 'leadership'
INACTIVE = 'inactive'
"""The role of a robot that has stopped, or was deactivated."""


def leadership_text(instance: 'Instance') -> str:
    """Return the state of an instance in words."""
    if instance.leads:
        return 'leads'
    if instance.leader == NO_LEADER:
        return 'has no leader yet'
    return f'follows {instance.leader} at {instance.distance:.1f} m'


def leadership_values(robot: 'Robot', instance: 'Instance', namespace: str, sends_on: str,
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
        ID: str(robot.parameters.robot_id),
        NAMESPACE: namespace,
        INSTANCE: instance.name,
        LEADER: str(leader),
        LEADER_NAMESPACE: named,
        IS_LEADER: str(leads).lower(),
        ROLE: instance.role if active else INACTIVE,
        DISTANCE: f'{instance.distance if active else math.inf:.3f}',
        HOPS: hops,
        TASKS: '',
        REASON: instance.watch.change.reason.value,
        BECAUSE: instance.watch.change.because,
    }


def part_values(instance: 'Instance', stamp: float, active: bool = True,
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
