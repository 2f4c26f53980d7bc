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

"""What one physical robot is started with: its part of a fleet file, and what goes before that."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from leader_election.launching.arguments import given, in_file
from leader_election.parameters import ParameterError, table
from leader_election.robot.parameters import ElectionParameters
from leader_election.roster.fleet_file import FleetRobot, load_fleet
from leader_election.roster.fleet_settings import check_topic, TOPICS

OF_THE_NODE = ('robot_id', 'initial_pose', 'tasks', 'odometry_timeout')
"""The parameters of a robot's node that are arguments."""
ODOMETRY_TIMEOUT = 10.0
"""On hardware a driver that does not run is told soon [s]."""
NAMES = {'neighbourhood': 'neighbourhood', 'odom_topic': 'odom', 'scan_topic': 'scan',
         'cmd_vel_topic': 'cmd_vel'}
"""What nodes call the topics of a fleet file."""


class OneRobot(NamedTuple):
    """What its processes are told."""

    namespace: str
    parameters: dict[str, Any]
    remappings: list[tuple[str, str]]


def one_robot(settings: Mapping[str, str], hostname: str) -> OneRobot:
    """
    Return what a robot is told: an argument goes before the fleet file, that before params_file.

    :param settings: the arguments as texts; an empty one is not given.
    :param hostname: of this computer, by which a robot that is not named is found.
    :raises ParameterError: for a wrong argument, a wrong file, or a robot that is not in it.

    >>> one_robot({'robot_id': '3', 'odom_topic': 'wheels'}, 'tb4-03')  # doctest: +ELLIPSIS
    OneRobot(namespace='robot_3', parameters={'odometry_timeout': 10.0, 'robot_id': 3}, ...)
    """
    arguments = given(settings, ElectionParameters, OF_THE_NODE)
    part = _part(settings, hostname)
    if part is None and 'robot_id' not in arguments:
        required = next(p for p in table(ElectionParameters) if p.name == 'robot_id')
        raise ParameterError(f'parameter robot_id is missing; it takes {required.allowed()}, or '
                             'give a fleet_file, which knows it by the name of the robot')
    parameters = (part.parameters if part else {}) | arguments
    if 'odometry_timeout' not in in_file(settings.get('params_file', '')):
        parameters = {'odometry_timeout': ODOMETRY_TIMEOUT} | parameters
    topics = TOPICS | (part.topics if part else {}) | {
        name: check_topic(f'parameter {name}', settings[name])
        for name in TOPICS if settings.get(name)}
    name = part.entry.name if part else f"robot_{parameters['robot_id']}"
    return OneRobot(settings.get('namespace') or name, parameters,
                    [(NAMES[topic], place) for topic, place in topics.items()])


def _part(settings: Mapping[str, str], hostname: str) -> FleetRobot | None:
    name, path = settings.get('robot', ''), settings.get('fleet_file', '')
    if not path:
        if name:
            raise ParameterError(f'parameter robot: {name!r} is a name in a fleet file; it takes '
                                 'fleet_file, too')
        return None
    fleet = load_fleet(path)
    return fleet.robot(name) if name else fleet.of_host(hostname)
