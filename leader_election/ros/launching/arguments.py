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
Arguments of launch files, derived from the declarations of the parameters that they set.

They, and the rest of a launch, are checked before any process is started. An error during the
actions of a launch file comes too late: launch (3.4) then forgets the processes that run already,
and ends without stopping them.
"""

from collections.abc import Iterable, Mapping, Sequence
import os
from pathlib import Path
import re
from typing import Any

from leader_election.election.regions.task import task_names
from leader_election.election.robot.parameters import built, ElectionParameters, InstanceParameters
from leader_election.parameters import (
    build,
    did_you_mean,
    names_in,
    Parameter,
    parameter_files,
    ParameterError,
    table,
)
from leader_election.swarm.fleet import fleet_settings
from leader_election.swarm.fleet.key_file import read_keys

PACKAGE = 'leader_election'
LOG_LEVEL = Parameter('log_level', str, 'info', 'The least severity that is logged.',
                      choices=lambda: ('debug', 'info', 'warn', 'error', 'fatal'))
COMMON_ARGUMENTS = {
    'params_file': ('', 'A parameter file for all nodes. Arguments take precedence over its '
                        'section for all nodes (/**); sections for single nodes behind that '
                        'take precedence over both. Empty: none.'),
    LOG_LEVEL.name: ('info', f'{LOG_LEVEL.description} Takes {LOG_LEVEL.allowed()}.'),
    'rviz': ('false', 'Whether to start RViz; the package rviz2 must be installed.'),
}
"""Arguments of all launch files, each with its default and description."""
ROBOTS_PER_PROCESS = Parameter(
    'robots_per_process', int, 20, 'Number of robots in one process.', lower=1, upper=10000)
EMPTY = ' Empty: as in the parameter file or a launch file that includes this one, or {}.'
"""The end of the description of an argument that overrides nothing unless it is given."""
SWARM_ARGUMENTS = COMMON_ARGUMENTS | {
    ROBOTS_PER_PROCESS.name: (str(ROBOTS_PER_PROCESS.default), ROBOTS_PER_PROCESS.description),
    'monitor': ('true', 'Whether to print the state of the swarm, a line every few seconds.'),
    'web': ('false', 'Whether to show the swarm in a browser; the address is printed.'),
}
"""Arguments of launch files that start a whole swarm, each with its default and description."""
ELECTION_ARGUMENTS = (
    'radius', 'communication_range', 'algorithm', 'tasks', 'collection', 'connected', 'mandate')
"""Parameters of robots that are arguments. All others are set by a parameter file."""


def optional_arguments(parameters: Iterable[Parameter]) -> dict[str, tuple[str, str]]:
    """
    Return arguments for parameters that a parameter file may set instead.

    :param parameters: in the order of the arguments.
    :return: an empty default and the description, by name.

    >>> arguments = optional_arguments([Parameter('seed', int, 0, 'The same seed, the same run.')])
    >>> arguments['seed'][1][:45]
    'The same seed, the same run. Takes a whole nu'
    """
    return {
        p.name: ('', f'{p.description} Takes {p.allowed()}. Empty: as in the parameter file, or '
                     f'the default ({p.default!r}).') for p in parameters}


def arguments_with_defaults(parameters: Iterable[Parameter]) -> dict[str, tuple[str, str]]:
    """
    Return arguments that the launch file itself uses, with their own defaults.

    :param parameters: in the order of the arguments.
    :return: the default as a text and the description, by name.

    >>> arguments_with_defaults([Parameter('lidar', int, 0, 'Beams.', lower=0, upper=360)])
    {'lidar': ('0', 'Beams. Takes 0 to 360.')}
    """
    return {p.name: ('' if p.required else str(p.default),
                     f'{p.description} Takes {p.allowed()}.') for p in parameters}


def select_parameters(tables: Sequence[type], names: Iterable[str]) -> list[Parameter]:
    """
    Return declarations of parameters by their names, in the order of the names.

    :param tables: of which the first with a name counts.
    :param names: each in one of the tables.
    """
    found = {p.name: p for each in reversed(tables) for p in table(each)}
    return [found[name] for name in names]


def declare_arguments(arguments: Mapping[str, tuple[str, str]]) -> list[Any]:
    """
    Return the ``DeclareLaunchArgument`` actions of arguments.

    :param arguments: defaults and descriptions, by name.
    """
    from launch.actions import DeclareLaunchArgument
    return [DeclareLaunchArgument(name, default_value=default, description=description)
            for name, (default, description) in arguments.items()]


def check_argument_names(words: Sequence[str], file: str, known: Iterable[str]) -> None:
    """
    Check for arguments that a launch file does not have, which launch itself ignores.

    :param words: of the command line. If they do not name the file, another launch file, perhaps
        of the same name, includes it, and the arguments are for that one.
    :param file: the path of the launch file.
    :param known: its arguments.
    :raises ParameterError: for an unknown argument. The message names the most similar one.

    >>> command = ['ros2', 'launch', 'leader_election', 'my.launch.py', 'robot:=3']
    >>> check_argument_names(command, 'launch/my.launch.py', ['robots'])
    Traceback (most recent call last):
    ParameterError: ...
    """
    known = list(known)
    after = next((i + 1 for i, word in enumerate(words) if (
        word == Path(file).name and words[i - 1] == PACKAGE
        or os.path.realpath(word) == os.path.realpath(file))), len(words))
    for word in words[after:]:
        name, is_argument, _ = word.partition(':=')
        if is_argument and name not in known:
            hint = (f'{name} is a parameter: set it in the fleet file or in params_file; '
                    if any(p.name == name for p in table(ElectionParameters))
                    else did_you_mean(name, known))
            raise ParameterError(name, problem=f': {Path(file).name} has no such argument; '
                                 f'{hint}--show-args lists all that it has')


def given_values(settings: Mapping[str, str], parameters: type,
                 names: Iterable[str] | None = None, prefix: str = '') -> dict[str, Any]:
    """
    Return the checked values of arguments that are given.

    :param settings: the values of arguments as texts. An empty one is not given.
    :param parameters: the table that declares them.
    :param names: of the parameters that are arguments, ``None`` for all.
    :param prefix: of their names.
    :raises ParameterError: for a wrong value.
    """
    wanted = None if names is None else set(names)
    return {p.name: p.parse(settings[p.name]) for p in table(parameters, prefix)
            if (wanted is None or p.name in wanted) and settings.get(p.name)}


def parse_bool(settings: Mapping[str, str], name: str) -> bool:
    """
    Return the value of a Boolean argument.

    :raises ParameterError: for another value than true or false.

    >>> parse_bool({'headless': 'true'}, 'headless')
    True
    """
    return bool(Parameter(name, bool, False, '').parse(settings[name]))


def enclosing_parameters(settings: Mapping[str, Any]) -> dict[str, Any]:
    """
    Return the parameters that a launch file sets which includes this one, for all nodes.

    :param settings: the configurations of the launch, with those of ``SetParameter`` and
        ``SetParametersFromFile``.
    """
    found: dict[str, Any] = {}
    for each in settings.get('global_params', ()):
        if isinstance(each, tuple):
            found |= [each]
        else:
            for _, parameters in parameter_files.all_sections(each):
                found |= parameters
    return found


def sim_time(settings: Mapping[str, Any], default: bool) -> bool:
    """
    Return whether the nodes of a launch use simulated time.

    :param settings: the configurations of the launch. Argument ``use_sim_time`` takes precedence
        over ``params_file``, and this over a launch file that includes this one.
    :param default: without any of these.
    :raises ParameterError: for another value than true or false.
    """
    name = 'use_sim_time'
    of_file = parameter_files.global_parameters(settings['params_file'])
    found = settings[name] or {**enclosing_parameters(settings), **of_file}.get(name, default)
    return bool(Parameter(name, bool, False, '').parse(str(found)))


def noise_of_odometry(path: str, given: Mapping[str, Any],
                      noise: Mapping[str, float]) -> Mapping[str, float]:
    """
    Return the noise of a simulator's odometry, for robots that have no other sensor.

    :param path: of the parameter file, empty for none.
    :param given: the values of arguments, by name.
    :param noise: parameters of robots, by name.
    :return: none of them where the file or an argument sets one of them, or ``pose_source``.
    :raises ParameterError: for an unreadable file, and for one that is not a parameter file.

    >>> noise_of_odometry('', {'pose_source': 'cooperative'}, {'odometry_noise_turn': 0.0})
    {}
    """
    places = [given, *(parameters for _, parameters in parameter_files.all_sections(path))]
    return {} if any({'pose_source', *noise} & set(place) for place in places) else noise


def check_namespace(text: str) -> str:
    """
    Return a valid namespace; / is for a driver without a namespace, an empty one is not given.

    :raises ParameterError: for another one.
    """
    # Namespaces have the syntax of topic names.
    if text not in ('', '/') and not re.fullmatch(fleet_settings.TOPIC, text, re.ASCII):
        raise ParameterError('namespace', text, 'a name of letters, digits and single _, the '
                             'first no digit, several with / between them, or / alone for none')
    return text


def full_namespace(settings: Mapping[str, str], namespace: str) -> str:
    """
    Return a namespace below the one that an including launch file has pushed.

    :param settings: the values of arguments, among which launch_ros keeps the pushed one.
    :param namespace: an absolute one stays as it is.

    >>> full_namespace({'ros_namespace': '/red'}, 'alice'), full_namespace({}, 'alice')
    ('/red/alice', '/alice')
    >>> full_namespace({'ros_namespace': '/red'}, '/bob'), full_namespace({}, '')
    ('/bob', '/')
    """
    if namespace.startswith('/'):
        return namespace
    pushed = settings.get('ros_namespace', '').strip('/')
    return '/' + '/'.join(part for part in (pushed, namespace) if part)


def configured_tasks(parameters: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """
    Return the tasks of a robot, by the parameters that list them: one for each instance.

    :param parameters: of the robot, by name.

    >>> configured_tasks({'tasks': 'count, patrol', 'instances': 'near'})
    {'tasks': ('count', 'patrol'), 'near.tasks': ()}
    """
    instances = names_in(str(parameters.get('instances', '')))
    return {place: names_in(str(parameters.get(place, '')))
            for place in ('tasks', *(f'{name}.tasks' for name in instances))}


def check_tasks(parameters: Mapping[str, Any]) -> None:
    """
    Check that tasks are installed on this computer.

    :param parameters: of a robot, by name.
    :raises ParameterError: for a task that is not. The message names those that are.
    """
    known = task_names()
    for place, names in configured_tasks(parameters).items():
        for name in names:
            if name not in known and ':' not in name:
                raise ParameterError(place, problem=f': there is no task {name!r} on this '
                                     f"computer; there are: {', '.join(known)}, or module:Class")


def check_parameters(path: str, tables: Mapping[str, type], given: Mapping[str, Any]) -> None:
    """
    Check the parameters of nodes, from a parameter file and arguments together.

    :param path: of the file, empty for none.
    :param tables: the declarations of each node's parameters, by its name with its namespace.
    :param given: the values of arguments, by name.
    :raises ParameterError: for the first wrong value, for values that contradict each other, and
        for an unusable key file of a robot.
    """
    checked: list[tuple[type, dict[str, Any]]] = []
    found = parameter_files.effective_parameters(path, tables, given)
    for (node, kind), values in zip(tables.items(), found, strict=True):
        if (kind, values) in checked:
            continue
        checked.append((kind, values))
        try:
            _check_node(kind, values)
        except ParameterError as error:
            place = f' (node {node}, with {path})' if path else ''
            raise ParameterError(f'{error}{place}') from None


def _check_node(kind: type, values: Mapping[str, Any]) -> None:
    if kind is not ElectionParameters:
        build(kind, {p.name: values[p.name] for p in table(kind) if p.name in values})
        return
    # A launch file sets the id of each robot.
    parameters = built(ElectionParameters, {'robot_id': 0, **values})
    for name in names_in(parameters.instances):
        built(InstanceParameters, values, f'{name}.')
    check_tasks(values)
    if parameters.swarm_key_file:
        read_keys(parameters.swarm_key_file)


def refuse_quorum(path: str, node: str) -> None:
    """
    Check that a robot which joins a running swarm takes no quorum: its roster lacks the robot.

    :param path: of a parameter file, empty for none.
    :param node: its name with its namespace.
    :raises ParameterError: if it takes one.
    """
    if parameter_files.effective_parameters(path, [node], {})[0].get('quorum') == 'majority':
        raise ParameterError('quorum', problem=f': majority is not allowed in {path}; the roster '
                             'of the running swarm lacks this robot: start all robots at once')


def check_installed(package: str, executable: str, instead: str) -> None:
    """
    Check that a package of ROS has an executable here.

    :param instead: the remedy if it is missing, for the message.
    :raises ParameterError: if it is missing.
    """
    from ament_index_python.packages import get_package_prefix, PackageNotFoundError
    try:
        path = os.path.join(get_package_prefix(package), 'lib', package, executable)
    except PackageNotFoundError:
        raise ParameterError(f'package {package} is not installed; {instead}') from None
    if not os.access(path, os.X_OK):
        raise ParameterError(f'package {package} has no executable {executable}; {instead}')


def check_programs(actions: Iterable[Any]) -> None:
    """
    Check that the executables of nodes are installed.

    :param actions: other kinds of actions are ignored.
    :raises ParameterError: for the first missing one.
    """
    for action in actions:
        package, executable = (getattr(action, name, None)
                               for name in ('node_package', 'node_executable'))
        if isinstance(package, str) and isinstance(executable, str):
            check_installed(package, executable, 'install it, or build the workspace again and '
                                                 'source it')
