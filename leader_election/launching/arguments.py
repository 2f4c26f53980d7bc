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

"""The arguments of launch files, out of the declarations of the parameters that they set."""

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
import os
from pathlib import Path
from typing import Any

from leader_election.parameters import Parameter, ParameterError, strict_yaml, table

PACKAGE = 'leader_election'
COMMON = {
    'params_file': ('', 'A file of parameters for all nodes; what is given here goes before what '
                        'it says for all (/**), what it says of one node behind that before '
                        'both. Empty: none.'),
    'log_level': ('info', 'The least that is logged: debug, info, warn, error or fatal.'),
    'rviz': ('false', 'Whether to start RViz; the package rviz2 has to be installed.'),
}
"""Arguments that launch files have in common, each with its default and its description."""
SHARE = Parameter(
    'robots_per_process', int, 20, 'How many robots share one process.', lower=1, upper=10000)
OF_A_SWARM = COMMON | {
    SHARE.name: (str(SHARE.default), SHARE.description),
    'monitor': ('true', 'Whether to say how the swarm is, a line now and then.'),
}
"""Likewise, of those that start a whole swarm."""
ELECTION = ('radius', 'communication_range', 'algorithm', 'tasks', 'collection', 'connected')
"""What of a robot's parameters is an argument; all else is said by a file of parameters."""


def described(parameters: Iterable[Parameter]) -> dict[str, tuple[str, str]]:
    """
    Return arguments that set parameters of nodes, each with its default and its description.

    >>> described([Parameter('seed', int, 0, 'The same seed, the same run.')])['seed'][1][:45]
    'The same seed, the same run. Takes a whole nu'
    """
    return {
        p.name: ('', f'{p.description} Takes {p.allowed()}. Empty here: what the file of '
                     f'parameters says, or the default ({p.default!r}).') for p in parameters}


def with_defaults(parameters: Iterable[Parameter]) -> dict[str, tuple[str, str]]:
    """
    Return arguments that the launch file itself goes by, so that their defaults stand here.

    >>> with_defaults([Parameter('lidar', int, 0, 'Beams.', lower=0, upper=360)])
    {'lidar': ('0', 'Beams. Takes 0 to 360.')}
    """
    return {p.name: (_written(p), f'{p.description} Takes {p.allowed()}.') for p in parameters}


def _written(p: Parameter) -> str:
    """Return the default as :func:`read` reads it; what has to be given has none."""
    default = list(p.default) if isinstance(p.default, tuple) else p.default
    return '' if p.required else str(default)


def named(tables: Iterable[type], names: Iterable[str]) -> list[Parameter]:
    """Return the declarations of those names, in their order; of two tables the first counts."""
    found: dict[str, Parameter] = {}
    for each in tables:
        for p in table(each):
            found.setdefault(p.name, p)
    return [found[name] for name in names]


def declare(arguments: Mapping[str, tuple[str, str]]) -> list[Any]:
    """Return launch's declarations, out of each argument's default and description."""
    from launch.actions import DeclareLaunchArgument
    return [DeclareLaunchArgument(name, default_value=default, description=description)
            for name, (default, description) in arguments.items()]


def check_known(words: Sequence[str], file: str, known: Iterable[str]) -> None:
    """
    Refuse what a launch file has no argument for, which launch itself passes over.

    :param words: those of the command; where they do not name the file, another one includes it,
        maybe one of the same name, and they are that one's.
    :param file: the path of the launch file.
    :param known: its arguments.
    :raises ParameterError: naming the one that comes nearest, too.

    >>> command = ['ros2', 'launch', 'leader_election', 'my.launch.py', 'robot:=3']
    >>> check_known(command, 'launch/my.launch.py', ['robots'])
    Traceback (most recent call last):
    ParameterError: ...
    """
    known = list(known)
    for word in words[_behind(words, file):]:
        name, is_argument, _ = word.partition(':=')
        if is_argument and name not in known:
            like = get_close_matches(name, known, 1)
            raise ParameterError(
                f'parameter {name}: {Path(file).name} has no such argument'
                + ''.join(f' (did you mean {near}?)' for near in like)
                + '; --show-args lists all that it has')


def _behind(words: Sequence[str], file: str) -> int:
    """Return the index behind the word that names a launch file of ours, the end for none."""
    for i, word in enumerate(words):
        in_package = i > 0 and words[i - 1] == PACKAGE and word == Path(file).name
        if in_package or os.path.realpath(word) == os.path.realpath(file):
            return i + 1
    return len(words)


def given(settings: Mapping[str, str], parameters: type, names: Iterable[str]) -> dict[str, Any]:
    """Return those of the parameters that have a value here, checked."""
    wanted = set(names)
    return {p.name: read(p, settings[p.name]) for p in table(parameters)
            if p.name in wanted and settings.get(p.name)}


def read(p: Parameter, text: str) -> Any:
    """
    Return the value of an argument, checked.

    >>> read(Parameter('robots', int, 40, 'How many.'), '12')
    12
    """
    try:
        value = strict_yaml.read(text)
    except ValueError:
        value = text
    return p.check(text if p.type is str else value)


def switch(settings: Mapping[str, str], name: str) -> bool:
    """
    Return an argument that is true or false.

    >>> switch({'headless': 'true'}, 'headless')
    True
    """
    return bool(read(Parameter(name, bool, False, ''), settings[name]))
