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
The fleet file: all robots of a physical swarm by name, their types, and common defaults.

All robots have the same file, and each uses its own part::

    defaults: {communication_range: 5.0, radius: 8.0, link: {kind: udp, port: 7447}}
    types:
      turtlebot4: {odom_topic: odom, radius: 6.0}
    robots:
      alice: {id: 1, type: turtlebot4, initial_pose: [0, 0, 0], hostname: tb4-07}
      bob: {id: 2, type: turtlebot4, initial_pose: [1, 0, 3.14], radius: 7.0}

Settings of a robot take precedence over those of its type, and these over the defaults. The form,
robots by name with types, is that of ``crazyflies.yaml`` in Crazyswarm2.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
import math
from pathlib import Path
import re
from typing import Any, NamedTuple

from leader_election.election.robot.metrics import METRICS
from leader_election.election.robot.parameters import ElectionParameters
from leader_election.localisation.parameters import GIVEN
from leader_election.parameters import (
    did_you_mean,
    files,
    names_in,
    Parameter,
    ParameterError,
    shown,
    table,
)
from leader_election.parameters.files import read_yaml
from leader_election.swarm.fleet import fleet_settings, robot_list
from leader_election.swarm.fleet.transports import LinkParameters


class FleetRobot(NamedTuple):
    """A robot of a fleet file with all its settings, from defaults, type and robot."""

    spec: robot_list.RobotSpec
    hostname: str
    enabled: bool
    parameters: dict[str, Any]
    """Parameters of its node: ``robot_id``, ``initial_pose``, and others that are set."""
    topics: dict[str, str]
    """The topics of ``fleet_settings.TOPICS`` that are set."""
    driving: dict[str, Any]
    """The ``DriverParameters`` that are set, for all tasks and nodes that drive it."""
    link: dict[str, Any]
    """The ``LinkParameters`` that are set, empty for no node ``link``."""


MUST_MATCH = {fleet_settings.SHARED_TOPIC: 'do not hear each other',
              fleet_settings.LINK: 'do not hear each other',
              'frame': "drop each other's messages", 'algorithm': "drop each other's messages",
              'mandate': 'may obey two leaders',
              'quorum': 'may have two leaders that act', 'roster': 'may have two that act'}
"""Settings that must be the same on all robots, and the consequence if they are not."""
EXPIRY_ROUNDS = 2
"""The least ``message_expiry`` in rounds of the sender, so that one message may be lost."""


def check_agreement(robots: Sequence[FleetRobot]) -> None:
    """
    Check settings across robots; for disabled robots only the hostnames.

    :param robots: all robots of a file.
    :raises ParameterError: for robots that cannot work together. The message names them.
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
    """Check that all robots have a key file or none, except those with accept_unverified."""
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
    return (_value(robot, 'pose_source') not in GIVEN
            and (needs or math.isfinite(_value(robot, 'communication_range'))))


def _value(robot: FleetRobot, name: str) -> Any:
    """Return a setting of a robot, the default if it is not set; of a link its kind."""
    if name in fleet_settings.TOPICS:
        return robot.topics.get(name, fleet_settings.TOPICS[name])
    if name == fleet_settings.LINK:
        return robot.link.get('kind', LinkParameters.kind) if robot.link else 'none'
    return robot.parameters.get(name, getattr(ElectionParameters, name))


WHOLE_FILE = 'the file'
SECTIONS = ('defaults', 'types', 'robots')
ENABLED = Parameter('enabled', bool, True, 'Whether the robot takes part.')
HOSTNAME = r'[A-Za-z0-9][A-Za-z0-9_.-]*'
ADDRESS = r'[0-9.]+'

_ELECTION = {p.name: p for p in table(ElectionParameters)}


class Fleet(NamedTuple):
    """All robots of a fleet file, in its order."""

    source: str
    """The path of the file, for messages."""
    robots: tuple[FleetRobot, ...]

    def robot(self, name: str) -> FleetRobot:
        """
        Return the robot of a name.

        :raises ParameterError: if there is none or it is not enabled.
        """
        for robot in self.robots:
            if robot.spec.name == name:
                return self._taking_part(robot)
        names = ', '.join(robot.spec.name for robot in self.robots)
        hint = did_you_mean(name, [robot.spec.name for robot in self.robots])
        raise ParameterError('robot', problem=f': {name!r} is not in {self.source}; {hint}there '
                             f'are: {names}')

    def of_host(self, hostname: str) -> FleetRobot:
        """
        Return the robot that runs on a computer.

        :param hostname: of the computer. The domain is ignored.
        :raises ParameterError: if there is none or it is not enabled.
        """
        for robot in self.robots:
            if short_hostname(robot.hostname) == short_hostname(hostname):
                return self._taking_part(robot)
        names = ', '.join(
            f'{robot.hostname} ({robot.spec.name})' for robot in self.robots)
        raise ParameterError('robot', problem=f': no robot of {self.source} has the hostname '
                             f'{hostname!r}; say which by robot:=NAME, or give it a line '
                             f'hostname: {short_hostname(hostname)}; there are: {names}')

    def _taking_part(self, robot: FleetRobot) -> FleetRobot:
        if not robot.enabled:
            raise ParameterError('robot', problem=f': {robot.spec.name} is not enabled in '
                                 f'{self.source}; it takes enabled: true')
        return robot


def load_fleet(path: str | Path) -> Fleet:
    """
    Load a fleet file.

    :param path: of the file; ``~`` is expanded.
    :raises ParameterError: for a file that is unreadable or wrong (:func:`read_fleet`).
    """
    try:
        text = files.read_text(path)
    except ValueError as error:
        raise ParameterError(f'parameter fleet_file: {str(path)!r} cannot be read: {error}'
                             ) from None
    return read_fleet(text, str(path))


def read_fleet(text: str, source: str) -> Fleet:
    """
    Parse the text of a fleet file.

    :param text: of the file, YAML.
    :param source: the path of the file, for messages.
    :raises ParameterError: for a wrong text. The message names file, place, value and what is
        allowed.

    >>> fleet = read_fleet('robots: {alice: {id: 1}, bob: {id: 2, radius: 7}}', 'mine.yaml')
    >>> fleet.robot('bob').parameters
    {'radius': 7.0, 'robot_id': 2, 'initial_pose': (0.0, 0.0, 0.0)}
    """
    try:
        return Fleet(source, _robots(_document(text)))
    except ParameterError as error:
        # Two robots alike are not an error of one parameter of the file.
        alike = error.kind == 'parameter'
        problem = ' '.join((error.problem.removeprefix(': ') if alike else str(error)).split())
        raise ParameterError('fleet_file', problem=f': {source}: {problem}') from None


def _document(text: str) -> dict[str, Any]:
    try:
        raw = read_yaml(text)
    except (ValueError, TypeError, OverflowError) as error:
        raise ParameterError(str(error)) from None
    document = _mapping(WHOLE_FILE, {} if raw is None else raw)
    for name in document:
        if name not in SECTIONS:
            raise fleet_settings.unknown_key(WHOLE_FILE, name, SECTIONS, ', '.join(SECTIONS))
    return document


def _robots(document: Mapping[str, Any]) -> tuple[FleetRobot, ...]:
    defaults = fleet_settings.SettingsLayer('defaults', _section(document, 'defaults'))
    types = {name: fleet_settings.SettingsLayer(f'types.{name}', _mapping(f'types.{name}', raw))
             for name, raw in _section(document, 'types').items()}
    robots = tuple(_robot(name, _mapping(f'robots.{name}', raw), types, defaults)
                   for name, raw in _section(document, 'robots').items())
    if not robots:
        raise ParameterError('there are no robots; it takes one or more under robots:, for '
                             'example alice: {id: 1, initial_pose: [0, 0, 0]}')
    robot_list.check_unique([robot.spec for robot in robots], 'robots')
    ids = robot_list.format_ids(tuple(robot.spec.id for robot in robots))
    robots = tuple(robot._replace(parameters=robot.parameters | _rosters(robot, ids))
                   for robot in robots)
    check_agreement(robots)
    return robots


def _rosters(robot: FleetRobot, ids: str) -> dict[str, str]:
    """Return a roster of these ids for each instance with a quorum that has none."""
    given = robot.parameters
    starts = ('', *(f'{name}.' for name in names_in(given.get('instances', ''))))
    return {f'{start}roster': ids for start in starts
            if given.get(f'{start}quorum') == 'majority' and not given.get(f'{start}roster')}


def _robot(name: str, raw: Mapping[str, Any], types: Mapping[str, fleet_settings.SettingsLayer],
           defaults: fleet_settings.SettingsLayer) -> FleetRobot:
    place = f'robots.{name}'
    if not robot_list.is_robot_name(name):
        raise ParameterError(place, problem=': a robot takes a name of letters, digits and single '
                             '_, the first a letter, since it is its namespace', kind='')
    kind = raw.get('type', '')
    if 'type' in raw and kind not in [*types]:
        raise ParameterError(f'{place}.type', kind, 'one of the types of the file: '
                             f"{', '.join(types) or 'there are none'}", kind='')
    identity = fleet_settings.check_value(
        place, replace(_ELECTION['robot_id'], name='id'), raw.get('id'))
    pose = fleet_settings.check_value(place, _ELECTION['initial_pose'],
                                      raw.get('initial_pose', _ELECTION['initial_pose'].default))
    hostname = raw.get('hostname', name)
    if (not isinstance(hostname, str) or not re.fullmatch(HOSTNAME, hostname)
            or re.fullmatch(ADDRESS, hostname)):
        raise ParameterError(f'{place}.hostname', hostname, 'what the command hostname says on '
                             'that robot', kind='')
    own = fleet_settings.SettingsLayer(place, {
        key: value for key, value in raw.items() if key not in fleet_settings.ROBOT_KEYS})
    try:
        settled = fleet_settings.merge_layers([own, *([types[kind]] if kind else []), defaults])
    except ParameterError as error:
        if error.kind != 'parameter':  # It names its place in the file already.
            raise
        raise error.named(f'{place}: {error.name}', kind='') from None
    return FleetRobot(
        robot_list.RobotSpec(name, identity, _planar_pose(pose), kind), hostname,
        fleet_settings.check_value(place, ENABLED, raw.get('enabled', True)),
        settled.parameters | {'robot_id': identity, 'initial_pose': pose},
        settled.topics, settled.driving, settled.link)


def _planar_pose(pose: tuple[float, ...]) -> tuple[float, float, float]:
    """Return x, y, yaw of a pose with three or six coordinates. Yaw is wrapped [m, rad]."""
    x, y, yaw = pose[0], pose[1], pose[-1]
    return x, y, math.remainder(yaw, math.tau)


def _section(document: Mapping[str, Any], name: str) -> dict[str, Any]:
    raw = document.get(name)
    return _mapping(name, {} if raw is None else raw)


def _mapping(place: str, raw: Any) -> dict[str, Any]:
    """Return a value if it is a mapping whose keys, also of mappings in it, are names."""
    if not isinstance(raw, dict):
        raise ParameterError(place, raw, 'lines key: value', kind='')
    for key, value in raw.items():
        if not isinstance(key, str):
            raise ParameterError(place, problem=f': {shown(key)} is not allowed as a key; it '
                                 'takes a name; put it in quotes if it is meant as one', kind='')
        if isinstance(value, dict):
            _mapping(key if place == WHOLE_FILE else f'{place}.{key}', value)
    return raw
