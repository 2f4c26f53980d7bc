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
The parameters and remappings of a robot's processes, and the nodes that drive it.

For a physical robot they come from its part of a fleet file and from arguments.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from leader_election.election.messages.codec import MAX_LENGTH
from leader_election.election.robot.parameters import ElectionParameters
from leader_election.parameters import build, Parameter, parameter_files, ParameterError, table
from leader_election.parameters.files import read_yaml
from leader_election.ros.launching import arguments
from leader_election.ros.launching.processes import package_node, shut_down_with_status, stop
from leader_election.swarm.fleet import fleet_settings
from leader_election.swarm.fleet.fleet_file import FleetRobot, load_fleet
from leader_election.swarm.fleet.transports import LinkParameters, TRANSPORTS

NODE_ARGUMENTS = ('robot_id', 'initial_pose', 'tasks', 'odometry_timeout', 'output_namespace')
"""Parameters of a robot's node that are arguments."""
ODOMETRY_TIMEOUT = 10.0
"""The default on hardware, where a driver that does not run should be noticed soon [s]."""
NODE_NAME = 'election_node'
TOPIC_NAMES = fleet_settings.TOPICS | {fleet_settings.SHARED_TOPIC: fleet_settings.SHARED_TOPIC}
"""The names of topics in nodes, by the keys of a fleet file."""


class RobotLaunch(NamedTuple):
    """
    The namespace, parameters and remappings of one robot's processes.

    :ivar parameters: of the robot's node.
    :ivar driving: further parameters of a node that drives the robot.
    :ivar link: the parameters of node ``link``, ``None`` for no such node.
    """

    namespace: str
    parameters: dict[str, Any]
    remappings: list[tuple[str, str]]
    driving: dict[str, Any]
    link: dict[str, Any] | None


def robot_launch(settings: Mapping[str, str], hostname: str) -> RobotLaunch:
    """
    Resolve the parameters and remappings of a physical robot.

    Arguments take precedence over the fleet file, and this over the parameter file.

    :param settings: the values of arguments as texts. An empty one is not given.
    :param hostname: of this computer, which selects the robot if no argument names it.
    :raises ParameterError: for a wrong argument, a wrong file, or a robot that is not in it.

    >>> robot_launch({'robot_id': '3', 'odom_topic': 'wheels'}, 'tb4-03')  # doctest: +ELLIPSIS
    RobotLaunch(namespace='robot_3', parameters={'robot_id': 3}, ...)
    """
    own = arguments.given_values(settings, ElectionParameters, NODE_ARGUMENTS)
    robot = _fleet_robot(settings, hostname)
    if robot is None and 'robot_id' not in own:
        required = next(p for p in table(ElectionParameters) if p.name == 'robot_id')
        raise ParameterError('robot_id', problem=f' is missing; it takes {required.allowed()}, or '
                             'give a fleet_file, which has it under the name of the robot')
    parameters = (robot.parameters if robot else {}) | own
    arguments.check_tasks(parameters)
    driving = robot.driving if robot else {}
    name = robot.spec.name if robot else f"robot_{parameters['robot_id']}"
    namespace = arguments.check_namespace(settings.get('namespace') or name)
    given = {name: fleet_settings.check_topic_name(settings[name], f'parameter {name}')
             for name in fleet_settings.TOPICS if settings.get(name)}
    if fleet_settings.SHARED_TOPIC in given:
        full = arguments.full_namespace(settings, namespace)
        given[fleet_settings.SHARED_TOPIC] = shared_topic(given[fleet_settings.SHARED_TOPIC], full)
    topics = fleet_settings.TOPICS | (robot.topics if robot else {}) | given
    return RobotLaunch(namespace, fleet_settings.task_parameters(driving, parameters) | parameters,
                       _remappings(topics),
                       {name: value for name, value in driving.items() if name != 'drive_by'},
                       _link(settings.get('link', ''), robot.link if robot else {}))


def _link(argument: str, of_file: dict[str, Any]) -> dict[str, Any] | None:
    """Return the parameters of node ``link``, by its argument and the fleet file."""
    if argument.startswith('{'):
        try:
            given = {'link': read_yaml(argument)}
        except ValueError as error:
            raise ParameterError('link', problem=f': {argument!r} is not YAML: {error}') from None
        layer = fleet_settings.SettingsLayer('arguments', given)
        return of_file | fleet_settings.merge_layers([layer]).link
    used = arguments.parse_bool({'link': argument}, 'link') if argument else of_file != {}
    return of_file if used else None


def message_length(path: str, node: str, given: Mapping[str, Any]) -> int:
    """
    Return the length of the longest message that fits into a packet of a link [characters].

    :param path: of a parameter file, empty for none.
    :param node: the link's name with its namespace.
    :param given: further parameters of the link, by name.

    >>> message_length('', '/alice/link', {'kind': 'serial', 'length': 250})
    228
    """
    [values] = parameter_files.effective_parameters(path, [node], given)
    parameters = build(LinkParameters, {p.name: values[p.name] for p in table(LinkParameters)
                                        if p.name in values})
    return min(TRANSPORTS.get(parameters.kind).room(parameters), MAX_LENGTH)


def shared_topic(text: str, namespace: str) -> str:
    """
    Return the full name of the topic that all robots share.

    :param text: a relative one is in the namespace of the swarm, the parent of the robot's.
    :param namespace: the robot's full one.

    >>> shared_topic('neighbourhood', '/red/alice'), shared_topic('air', '/alice')
    ('/red/neighbourhood', '/air')
    >>> shared_topic('/air', '/red/alice')
    '/air'
    """
    return text if text.startswith('/') else f'{swarm_namespace(namespace).rstrip("/")}/{text}'


def swarm_namespace(namespace: str) -> str:
    """Return the parent of a robot's full namespace, which is that of the swarm."""
    return namespace.rpartition('/')[0] or '/'


def _remappings(topics: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return the remappings of topics. Transforms have two, of which one is static."""
    moved = [(TOPIC_NAMES[topic], place) for topic, place in topics.items()
             if TOPIC_NAMES[topic] != place]
    return moved + [(f'{name}_static', f'{place}_static') for name, place in moved
                    if name == TOPIC_NAMES['tf_topic']]


def _fleet_robot(settings: Mapping[str, str], hostname: str) -> FleetRobot | None:
    name, path = settings.get('robot', ''), settings.get('fleet_file', '')
    if not path:
        if name:
            raise ParameterError('robot', problem=f': {name!r} is a name in a fleet file; it '
                                 'takes fleet_file, too')
        return None
    fleet = load_fleet(path)
    return fleet.robot(name) if name else fleet.of_host(hostname)


RESPAWN_DELAY = Parameter(
    'respawn_delay', float, 5.0, 'With respawn: the time before a node is started again.',
    unit='s', lower=0.0, upper=3600.0)


def at_its_end(settings: Mapping[str, str], companions: Sequence[Any] = ()) -> dict[str, Any]:
    """
    Return the launch options that define what follows the end of a robot's node.

    :param settings: the values of arguments: ``required``, ``respawn``, ``respawn_delay``.
    :param companions: the actions of processes that end with it, if it is neither required nor
        started again: nodes must not drive the robot without it.
    :raises ParameterError: for a wrong value.
    """
    required = arguments.parse_bool(settings, 'required')
    delay = RESPAWN_DELAY.parse(settings[RESPAWN_DELAY.name])
    if arguments.parse_bool(settings, 'respawn'):
        return {'respawn': True, 'respawn_delay': delay}
    return {'on_exit': shut_down_with_status if required else stop(companions) or None}


STATIONARY_TASKS = ('count', 'field')
"""Tasks that do not drive robots. Tasks of other packages are assumed to drive."""
SCAN_TASKS = ('dispatch', 'patrol', 'rally')
"""Tasks that need a laser scanner to drive."""
MOTION = Parameter(
    'motion', str, '', 'What drives the robots: nothing (static), node wander, which drives them '
    'at random past walls and each other (wander), or what you start yourself (none). Empty: '
    'wander, except for robots with tasks that drive, which are all but '
    f'{" and ".join(STATIONARY_TASKS)}.', choices=lambda: ('static', 'wander', 'none'))


def wander_nodes(settings: Mapping[str, str], robots: Sequence[str], parameters: Mapping[str, Any],
                 defaults: Mapping[str, Any]) -> list[Any]:
    """
    Return the process of node ``wander`` if argument ``motion`` requests it, in a list.

    :param settings: the values of arguments.
    :param robots: their namespaces.
    :param parameters: further parameters of the node; without ``world`` it uses laser scanners
        only.
    :param defaults: of the node, which other sources take precedence over.
    """
    motion = MOTION.parse(settings[MOTION.name]) if settings[MOTION.name] else ''
    driven = [robot for robot, tasks in zip(robots, tasks_of_robots(settings, robots))
              if motion == 'wander' or not motion and set(tasks) <= set(STATIONARY_TASKS)]
    if not driven:
        return []
    name = 'wander' if len(robots) > 1 else f'wander_{robots[0]}'
    return [package_node(settings, 'wander', name, {'robots': ','.join(driven), **parameters},
                         defaults, on_exit=shut_down_with_status)]


def tasks_of_robots(settings: Mapping[str, str], robots: Iterable[str]) -> list[list[str]]:
    """
    Return the tasks of each robot in all its instances, from arguments and parameter file.

    :param settings: the values of arguments: ``tasks`` and ``params_file``.
    :param robots: their namespaces.

    >>> tasks_of_robots({'tasks': 'count, patrol', 'params_file': ''}, ['robot_1'])
    [['count', 'patrol']]
    """
    argument = {'tasks': settings['tasks']} if settings['tasks'] else {}
    nodes = [f'{robot}/{NODE_NAME}' for robot in robots]
    return [[task for names in arguments.configured_tasks(values).values() for task in names]
            for values in parameter_files.effective_parameters(
                settings['params_file'], nodes, argument)]


def check_scanner(settings: Mapping[str, str], robots: Sequence[str], beams: int) -> None:
    """
    Check that robots whose tasks need a laser scanner have one.

    :param settings: the values of arguments: ``tasks`` and ``params_file``.
    :param robots: their namespaces.
    :param beams: of the laser scanner, 0 for none.
    :raises ParameterError: if they have none. The message names the tasks.
    """
    tasks = {name: None for names in tasks_of_robots(settings, robots) for name in names}
    blind = [name for name in tasks if name in SCAN_TASKS]
    if blind and not beams:
        raise ParameterError('lidar', problem=f": 0 leaves robots blind, and {', '.join(blind)} "
                             'drives by a laser scanner; give lidar:=36, for example')
