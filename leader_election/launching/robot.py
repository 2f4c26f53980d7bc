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

from collections.abc import Iterable, Mapping, Sequence
import re
from typing import Any, NamedTuple

from leader_election.coordination.task import task_names
from leader_election.fleet.fleet_file import load_fleet
from leader_election.fleet.fleet_robot import FleetRobot
from leader_election.fleet.fleet_settings import check_topic, for_tasks, TOPIC, TOPICS
from leader_election.launching.arguments import given, read
from leader_election.launching.parameter_file import says, told
from leader_election.launching.processes import ours
from leader_election.parameters import Parameter, ParameterError, table
from leader_election.robot.parameters import ElectionParameters, names_in

OF_THE_NODE = ('robot_id', 'initial_pose', 'tasks', 'odometry_timeout')
"""The parameters of a robot's node that are arguments."""
ODOMETRY_TIMEOUT = 10.0
"""On hardware a driver that does not run is told soon [s]."""
TF = '/tf'
"""What tf2 calls the topic of transforms."""
NODE = 'election_node'
"""What a robot's node is called."""
NAMES = {'neighbourhood': 'neighbourhood', 'odom_topic': 'odom', 'scan_topic': 'scan',
         'cmd_vel_topic': 'cmd_vel', 'tf_topic': TF}
"""What nodes call the topics of a fleet file."""
STATIC = '_static'
"""What the topic of transforms that never change has behind that of all others."""


class OneRobot(NamedTuple):
    """What its processes are told."""

    namespace: str
    parameters: dict[str, Any]
    remappings: list[tuple[str, str]]
    driving: dict[str, Any]
    """What whatever drives it is told, beside."""


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
    _check_tasks(parameters)
    driving = part.driving if part else {}
    name = part.entry.name if part else f"robot_{parameters['robot_id']}"
    namespace = _namespace(settings.get('namespace') or name)
    if not says(settings.get('params_file', ''), 'odometry_timeout', f'{namespace}/{NODE}'):
        parameters = {'odometry_timeout': ODOMETRY_TIMEOUT} | parameters
    topics = TOPICS | (part.topics if part else {}) | {
        name: check_topic(name, settings[name], f'parameter {name}')
        for name in TOPICS if settings.get(name)}
    return OneRobot(namespace, for_tasks(driving, parameters) | parameters,
                    _remappings(topics), driving)


def _remappings(topics: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return what nodes call topics, and where they are; what transforms come on has two."""
    moved = [(NAMES[topic], place) for topic, place in topics.items() if place != TF]
    tf = topics['tf_topic']
    return moved + ([(TF + STATIC, tf + STATIC)] if tf != TF else [])


def _check_tasks(parameters: Mapping[str, Any]) -> None:
    """Refuse tasks that are not installed, which a fleet file may name for another robot."""
    known = task_names()
    for place in ('tasks', *(f'{name}.tasks' for name in names_in(
            parameters.get('instances', '')))):
        for name in names_in(parameters.get(place, '')):
            if name not in known and ':' not in name:
                raise ParameterError(f'parameter {place}: there is no task {name!r} on this '
                                     f'computer; there are: {", ".join(known)}, or module:Class')


def _namespace(text: str) -> str:
    """Return a namespace that ROS allows; / is that of a robot whose driver has none."""
    # It is written as the name of a topic is.
    if text != '/' and not re.fullmatch(TOPIC, text, re.ASCII):
        raise ParameterError(f'parameter namespace: {text!r} is not allowed; it takes a name of '
                             'letters, digits and _, the first no digit, several with / between '
                             'them, or / alone for none')
    return text


def _part(settings: Mapping[str, str], hostname: str) -> FleetRobot | None:
    name, path = settings.get('robot', ''), settings.get('fleet_file', '')
    if not path:
        if name:
            raise ParameterError(f'parameter robot: {name!r} is a name in a fleet file; it takes '
                                 'fleet_file, too')
        return None
    fleet = load_fleet(path)
    return fleet.robot(name) if name else fleet.of_host(hostname)


STANDING = ('count', 'field')
"""The tasks that drive nobody; of those that are not of this package it is taken that they do."""
BY_SCANS = ('patrol', 'rally')
"""The tasks that drive by a laser scanner, and stand where there is none."""
MOTION = Parameter(
    'motion', str, '', 'Who drives the robots: nobody (static), wander, a node that has them walk '
    'at random past walls and each other, or what you start yourself (none). Empty: wander, but '
    f'not those with tasks that drive by themselves, as all do but {" and ".join(STANDING)}.',
    choices=lambda: ('static', 'wander', 'none'))


def wandering(settings: Mapping[str, str], robots: Sequence[str], parameters: Mapping[str, Any],
              **options: Any) -> list[Any]:
    """
    Return the node that has robots wander, where argument motion wants it.

    :param robots: their namespaces.
    :param parameters: what it is told beside that; ``world``, where empty, means that they go by
        what their laser scanners show.
    :param options: for ``launch_ros.actions.Node``.
    """
    motion = read(MOTION, settings[MOTION.name]) if settings[MOTION.name] else ''
    driven = [robot for robot, tasks in zip(robots, tasks_of(settings, robots))
              if motion == 'wander' or not motion and set(tasks) <= set(STANDING)]
    if not driven:
        return []
    return [ours(settings, 'wander', 'wander' if len(robots) > 1 else f'wander_{robots[0]}',
                 {'robots': ','.join(driven), **parameters}, **options)]


def tasks_of(settings: Mapping[str, str], robots: Iterable[str]) -> list[list[str]]:
    """
    Return the tasks of each robot, by argument or by the file of parameters, in all instances.

    :param robots: their namespaces.

    >>> tasks_of({'tasks': 'count, patrol', 'params_file': ''}, ['robot_1'])
    [['count', 'patrol']]
    """
    argument = {'tasks': settings['tasks']} if settings['tasks'] else {}
    return [[name for place in _places(said) for name in names_in(str(said.get(place, '')))]
            for said in told(settings['params_file'], [f'{robot}/{NODE}' for robot in robots],
                             argument)]


def _places(said: Mapping[str, Any]) -> list[str]:
    """Return the parameters that name tasks of a robot that is told so."""
    return ['tasks', *(f'{name}.tasks' for name in names_in(str(said.get('instances', ''))))]


def check_scanner(settings: Mapping[str, str], robots: Sequence[str], beams: int) -> None:
    """
    Refuse tasks that would have robots stand for ever.

    :param robots: their namespaces.
    :param beams: of the laser scanner; 0 for none.
    :raises ParameterError: naming the tasks.
    """
    tasks = {name: None for names in tasks_of(settings, robots) for name in names}
    blind = [name for name in tasks if name in BY_SCANS]
    if blind and not beams:
        raise ParameterError(f'parameter lidar: 0 leaves robots blind, and {", ".join(blind)} '
                             'drives by a laser scanner; give lidar:=36, for example')
