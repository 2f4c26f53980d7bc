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

"""Arguments of launch files, derived from the declarations of the parameters that they set."""

from collections.abc import Iterable, Mapping, Sequence
import os
from pathlib import Path
from typing import Any

from leader_election.election.robot.parameters import ElectionParameters
from leader_election.parameters import did_you_mean, Parameter, ParameterError, table

PACKAGE = 'leader_election'
COMMON_ARGUMENTS = {
    'params_file': ('', 'A parameter file for all nodes. Arguments take precedence over its '
                        'section for all nodes (/**); sections for single nodes behind that '
                        'take precedence over both. Empty: none.'),
    'log_level': ('info', 'The least severity that is logged: debug, info, warn, error or fatal.'),
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
    return {p.name: (_default_text(p), f'{p.description} Takes {p.allowed()}.')
            for p in parameters}


def _default_text(p: Parameter) -> str:
    """Return the default as :meth:`.Parameter.parse` takes it, empty if it is required."""
    default = list(p.default) if isinstance(p.default, tuple) else p.default
    return '' if p.required else str(default)


def select_parameters(tables: Iterable[type], names: Iterable[str]) -> list[Parameter]:
    """
    Return declarations of parameters by their names, in the order of the names.

    :param tables: of which the first with a name counts.
    :param names: each in one of the tables.
    """
    found: dict[str, Parameter] = {}
    for each in tables:
        for p in table(each):
            found.setdefault(p.name, p)
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
    for word in words[_index_after_file(words, file):]:
        name, is_argument, _ = word.partition(':=')
        if is_argument and name not in known:
            hint = (f'{name} is a parameter: set it in the fleet file or in params_file; '
                    if any(p.name == name for p in table(ElectionParameters))
                    else did_you_mean(name, known))
            raise ParameterError(name, problem=f': {Path(file).name} has no such argument; '
                                 f'{hint}--show-args lists all that it has')


def _index_after_file(words: Sequence[str], file: str) -> int:
    """Return the index after the word that names the launch file, or the end if none does."""
    for i, word in enumerate(words):
        in_package = i > 0 and words[i - 1] == PACKAGE and word == Path(file).name
        if in_package or os.path.realpath(word) == os.path.realpath(file):
            return i + 1
    return len(words)


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
