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

"""Parameters that a node does not have: refused, or warned of, with the one that is meant."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from difflib import get_close_matches
from itertools import pairwise
import re
import sys
from typing import Any

from leader_election.election.robot.parameters import further_names, refuse_unchosen
from leader_election.parameters import did_you_mean, names_in, ParameterError, table
from leader_election.parameters.files import LEADING_ZERO
from leader_election.swarm.fleet.fleet_settings import (
    all_sections,
    flatten,
    octal_numbers,
    own_names,
    sections_of_others,
)
from rcl_interfaces.msg import SetParametersResult
from rclpy.exceptions import ParameterNotDeclaredException
from rclpy.node import Node
import rclpy.parameter

_OF_RCLPY = re.compile(r'use_sim_time|start_type_description_service|qos_overrides\..*')


def refuse_unknown(node: Node, *sets: type, of_robot: bool = False) -> None:
    """
    Refuse parameters that are given to a node and that it does not have.

    Several nodes may share a file with a section for all, ``/**``: there, and where a launch file
    sets a parameter for all nodes, an unknown name is a warning, and none if another node of this
    package has it.

    :param sets: the dataclasses of the node's parameters.
    :param of_robot: whether it is a robot's node, which also has the parameters of instances,
        tasks and plug-ins.
    :raises ParameterError: for the first one of the node's own section, or of its own arguments if
        it resembles a known name. The text names that.
    """
    known = {p.name for each in sets for p in table(each)}
    _name_similar_at_run_time(node, known)
    # rclpy has no public method for what is given beyond what is declared.
    given = {name: each.value for name, each in getattr(node, '_parameter_overrides', {}).items()}
    _refuse_octal(node, known, given)
    unknown = [name for name in given if name not in known and not _OF_RCLPY.fullmatch(name)]
    if not unknown:
        return
    if of_robot:
        for prefix in ('', *(f'{name}.' for name in names_in(str(given.get('instances', ''))))):
            refuse_unchosen(given, prefix)
    from leader_election.config import FILES
    further = set(further_names(given))
    known |= further if of_robot else set()
    elsewhere = further.union(p.name for each, _ in FILES.values() for p in table(each))
    alone, files = set(_set_alone(sys.argv)), _parameter_files(sys.argv)
    in_files = {name for path in files for _, section in all_sections(path)
                for name in flatten(section)}
    own = {name for path in files for name in own_names(path, node.get_fully_qualified_name())}
    for name in unknown:
        if name in known or name in elsewhere and name not in alone | own:
            continue
        hint = _HINTS.get(name) or did_you_mean(name, known).rstrip()
        text = f'parameter {name} is not known' + (f'; {hint}' if hint else '')
        if name in own or name not in alone | in_files or (
                name in alone and _resembles(name, known)):
            raise ParameterError(text if hint else f'{text}; --help lists those of this node; '
                                 'in a file, /** stands for all nodes')
        node.get_logger().warning(f'{text}; it is passed over')


MOST_SECTIONS = 5
"""The most sections of a file that an error lists."""
_HINTS = {
    'initial_position': 'did you mean initial_pose?',
    'namespace': 'give a namespace by -r __ns:=/NAME, or the launch argument namespace',
}
"""What is meant by names that resemble others more."""
_TYPO = 0.8
"""The least likeness of a misspelt name to the right one, above that to another package's."""


def _refuse_octal(node: Node, known: Collection[str], given: Mapping[str, Any]) -> None:
    """Refuse numbers with a leading zero, which ROS reads as octal: 010 is 8."""
    octal = {name: number for path in _parameter_files(sys.argv) for name, number in octal_numbers(
        path, node.get_fully_qualified_name()).items()}
    octal |= {name: text for name, text in _set_alone(sys.argv).items()
              if LEADING_ZERO.fullmatch(text)}
    names = {*known, *further_names(given)} if octal else set()
    for name, text in octal.items():
        if name in names:
            raise ParameterError(name, problem=f': {text} is not allowed: a number with a leading '
                                 'zero is octal in YAML; write it without')


def _resembles(name: str, known: Iterable[str]) -> bool:
    return name in _HINTS or bool(get_close_matches(name, list(known), 1, _TYPO))


def _name_similar_at_run_time(node: Node, known: Collection[str]) -> None:
    """Let the answer to a change of an unknown parameter, ``ros2 param set``, name a known one."""
    change = node.set_parameters_atomically

    def change_known(parameters: list[rclpy.parameter.Parameter]) -> SetParametersResult:
        try:
            return change(parameters)
        except ParameterNotDeclaredException:
            names = {*known, *(name for name in node._parameters)}
            unknown = next(each.name for each in parameters if each.name not in node._parameters)
            return SetParametersResult(successful=False, reason=(
                f'parameter {unknown} is not known; '
                + (did_you_mean(unknown, names).rstrip() or 'ros2 param list lists all')))

    node.set_parameters_atomically = change_known  # type: ignore[assignment, method-assign]


def _parameter_files(arguments: Sequence[str]) -> list[str]:
    """
    Return the parameter files of a command line.

    >>> _parameter_files(['--ros-args', '--params-file', 'a.yaml', '-p', 'radius:=3.0'])
    ['a.yaml']
    """
    return [word for option, word in pairwise(arguments) if option == '--params-file']


def _set_alone(arguments: Sequence[str]) -> dict[str, str]:
    """
    Return the parameters that a command line sets one by one, not by a file: texts by name.

    >>> _set_alone(['--ros-args', '-p', 'radius:=3.0', '-p', 'fleet:seed:=2'])
    {'radius': '3.0', 'seed': '2'}
    """
    return {word.partition(':=')[0].rpartition(':')[2]: word.partition(':=')[2]
            for option, word in pairwise(arguments) if option in ('-p', '--param')}


def other_sections(node: str) -> str:
    """Return the end of a text on a missing parameter: the nodes that the files are for."""
    sections = {path: sections_of_others(path, node) for path in _parameter_files(sys.argv)}
    found = [f'{path} has sections for {", ".join(others[:MOST_SECTIONS])}'
             for path, others in sections.items() if others]
    return f'; this node is {node}, and {"; ".join(found)}' if found else ''
