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
from itertools import product
import math
from pathlib import Path
import re
from typing import Any, NamedTuple

from leader_election.election.robot.metrics import METRICS
from leader_election.election.robot.parameters import ElectionParameters
from leader_election.localisation.parameters import GIVEN
from leader_election.parameters import (
    did_you_mean,
    format_ids,
    names_in,
    Parameter,
    ParameterError,
    table,
)
from leader_election.parameters.files import read_text, read_yaml
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


def short_hostname(hostname: str) -> str:
    """
    Return a hostname without its domain, in lower case.

    >>> short_hostname('TB4-07.local')
    'tb4-07'
    """
    return hostname.partition('.')[0].lower()


def _wrong(robot: FleetRobot, text: str) -> ParameterError:
    return ParameterError(f'robots.{robot.spec.name}: {text}')


def _check_hostnames(robots: Sequence[FleetRobot]) -> None:
    seen: dict[str, str] = {}
    for robot in robots:
        host = short_hostname(robot.hostname)
        other = seen.setdefault(host, robot.spec.name)
        if other != robot.spec.name:
            raise ParameterError(f'{other} and {robot.spec.name} both have hostname {host}; give '
                                 'each robot one of its own')


def _check_matching(robots: Sequence[FleetRobot], name: str) -> None:
    for robot in robots[1:]:
        first, other = (_value(each, name) for each in (robots[0], robot))
        if first != other:
            raise _wrong(robot, f'{name} is {other!r}, and {first!r} with {robots[0].spec.name}; '
                         f'such robots {MUST_MATCH[name]}: give all the same')


def _check_keys(robots: Sequence[FleetRobot]) -> None:
    """Check that all robots have a key file or none, except those with accept_unverified."""
    keyed, plain = ([robot for robot in robots
                     if bool(_value(robot, 'swarm_key_file')) == has_key]
                    for has_key in (True, False))
    for one, other in product(keyed, plain):
        if not (_value(one, 'accept_unverified') and _value(other, 'accept_unverified')):
            raise _wrong(other, f'swarm_key_file is not set, but with {one.spec.name} it is; such '
                         "robots drop each other's messages: set it for all, or "
                         'accept_unverified: true for all')


def _check_expiry(robots: Sequence[FleetRobot]) -> None:
    """Check that no robot forgets a neighbour between two of its messages."""
    if len(robots) < 2:
        return
    slowest = max(robots, key=lambda robot: float(_value(robot, 'round_period')))
    least = EXPIRY_ROUNDS * _value(slowest, 'round_period')
    for robot in robots:
        expiry = _value(robot, 'message_expiry')
        if expiry < least:
            raise _wrong(robot, f'message_expiry: {expiry:g} is not allowed; it takes at least '
                         f'{least:g} s, {EXPIRY_ROUNDS} times the greatest round_period, that of '
                         f'{slowest.spec.name}, or one message lost makes it not a neighbour')


def _check_initial_poses(robots: Sequence[FleetRobot]) -> None:
    """Check that no two robots have the same initial position, unless no robot has one set."""
    moved = [robot for robot in robots if _uses_initial_pose(robot)]
    if not any(robot.spec.pose != (0.0, 0.0, 0.0) for robot in moved):
        # All odometry is in the shared frame already, for example from motion capture.
        return
    at: dict[tuple[float, ...], str] = {}
    for robot in moved:
        x, y, _ = robot.spec.pose
        other = at.setdefault((x, y), robot.spec.name)
        if other != robot.spec.name:
            raise _wrong(robot, f'initial_pose is at {x:g}, {y:g}, where {other} starts, too; it '
                         'takes a place of its own, or pose_source: tf')


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
HOSTNAME = r'(?![0-9.]+$)[A-Za-z0-9][A-Za-z0-9_.-]*'
"""An address is none."""

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
        names = [robot.spec.name for robot in self.robots]
        if name in names:
            return self._taking_part(self.robots[names.index(name)])
        raise ParameterError('robot', problem=f': {name!r} is not in {self.source}; '
                             f'{did_you_mean(name, names)}there are: {", ".join(names)}')

    def of_host(self, hostname: str) -> FleetRobot:
        """
        Return the robot that runs on a computer.

        :param hostname: of the computer. The domain is ignored.
        :raises ParameterError: if there is none or it is not enabled.
        """
        for robot in self.robots:
            if short_hostname(robot.hostname) == short_hostname(hostname):
                return self._taking_part(robot)
        names = ', '.join(f'{robot.hostname} ({robot.spec.name})' for robot in self.robots)
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
        text = read_text(path)
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
        document = _mapping(WHOLE_FILE, read_yaml(text) or {})
    except ParameterError:
        raise
    except ValueError as error:
        raise ParameterError(str(error)) from None
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
    ids = format_ids(robot.spec.id for robot in robots)
    robots = tuple(robot._replace(parameters=robot.parameters | _rosters(robot, ids))
                   for robot in robots)
    _check_hostnames(robots)
    # Robots that are not enabled may be of any kind.
    enabled = [robot for robot in robots if robot.enabled]
    for name in MUST_MATCH:
        _check_matching(enabled, name)
    _check_keys(enabled)
    _check_expiry(enabled)
    _check_initial_poses(enabled)
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
    robot_id, start = replace(_ELECTION['robot_id'], name='id'), _ELECTION['initial_pose']
    identity = fleet_settings.check_value(place, robot_id, raw.get('id'))
    pose = fleet_settings.check_value(place, start, raw.get(start.name, start.default))
    hostname = raw.get('hostname', name)
    if not isinstance(hostname, str) or not re.fullmatch(HOSTNAME, hostname):
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
    planar = pose[0], pose[1], math.remainder(pose[-1], math.tau)
    return FleetRobot(
        robot_list.RobotSpec(name, identity, planar), hostname,
        fleet_settings.check_value(place, ENABLED, raw.get('enabled', True)),
        settled.parameters | {'robot_id': identity, 'initial_pose': pose}, *settled[1:])


def _section(document: Mapping[str, Any], name: str) -> dict[str, Any]:
    return _mapping(name, document.get(name) or {})


def _mapping(place: str, raw: Any) -> dict[str, Any]:
    """Return a value if it is a mapping whose keys, also of mappings in it, are names."""
    if not isinstance(raw, dict):
        raise ParameterError(place, raw, 'lines key: value', kind='')
    for key, value in raw.items():
        if not isinstance(key, str):
            raise ParameterError(place, problem=f': {key!r} is not allowed as a key; it '
                                 'takes a name; put it in quotes if it is meant as one', kind='')
        if isinstance(value, dict):
            _mapping(key if place == WHOLE_FILE else f'{place}.{key}', value)
    return raw
