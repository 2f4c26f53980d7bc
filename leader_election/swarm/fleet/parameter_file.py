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

"""A file of ROS parameters: its sections, and what they set on a node."""

from collections.abc import Iterable, Iterator, Mapping
import re
from typing import Any

from leader_election.parameters import ParameterError
from leader_election.parameters.files import LEADING_ZERO, read_text
from leader_election.swarm.fleet.fleet_settings import flatten
import yaml

PARAMETERS_KEY = 'ros__parameters'
ALL_NODES = '/**'
"""The section for all nodes, which launch also uses for arguments."""


def global_parameters(path: str) -> dict[str, Any]:
    """
    Return the parameters that a file sets for all nodes, in section ``/**``.

    :param path: of the file, empty for none.
    :raises ParameterError: for an unreadable file, and for one that is not a parameter file.
    """
    if not path:
        return {}
    try:
        sections = yaml.safe_load(read_text(path))
        return dict(sections.get(ALL_NODES, {}).get(PARAMETERS_KEY, {}))
    except (OSError, ValueError, ArithmeticError, AttributeError, LookupError, TypeError,
            RecursionError, yaml.YAMLError) as error:
        hint = '; a tab is not allowed, indent by spaces' if r"'\t'" in str(error) else ''
        raise ParameterError(f'parameter params_file: {path!r} is not a file of parameters: '
                             + ' '.join(str(error).split()) + hint) from None


def effective_parameters(path: str, nodes: Iterable[str],
                         given: Mapping[str, Any]) -> list[dict[str, Any]]:
    """
    Return the parameters that a file and the arguments of a launch set, for each node.

    ROS merges all values of one section, those of arguments last, and applies sections in the
    order in which the file first names them. So an argument, which belongs to ``/**``, does not
    take precedence over a section behind it.

    :param path: of the file, empty for none.
    :param nodes: their names with their namespaces.
    :param given: the values of arguments, by name.
    :raises ParameterError: for an unreadable file, and for one that is not a parameter file.

    >>> effective_parameters('', ['alice/election_node'], {'tasks': 'count'})
    [{'tasks': 'count'}]
    """
    places: dict[str, dict[str, Any]] = {}
    for place, parameters in [*all_sections(path), (ALL_NODES, given)]:
        places.setdefault(place.strip('/'), {}).update(flatten(parameters))
    return [{name: value for place, parameters in places.items() if section_applies(place, node)
             for name, value in parameters.items()} for node in nodes]


def section_applies(place: str, node: str) -> bool:
    """
    Return whether a section of a parameter file applies to a node.

    :param place: the name of the section, with wildcards.
    :param node: its name with its namespace.

    >>> [section_applies(place, 'alice/election_node') for place in (
    ...     '/**', '/alice/election_node', '/alice/*', '/**/election_node', '/bob/election_node')]
    [True, True, True, True, False]
    """
    names = {'**': '(/[^/]+)*', '*': '/[^/]+'}
    pattern = ''.join(names.get(part, '/' + re.escape(part))
                      for part in place.split('/') if part)
    return re.fullmatch(pattern, '/' + node.strip('/')) is not None


def own_names(path: str, node: str) -> set[str]:
    """
    Return the names of parameters that sections of a file other than ``/**`` set on a node.

    :param node: its name with its namespace.
    """
    return {name for place, parameters in all_sections(path)
            if place.strip('/') != ALL_NODES.strip('/') and section_applies(place, node)
            for name in flatten(parameters)}


class _Octal(str):
    """A whole number with a leading zero, as it is written."""


class _Loader(yaml.SafeLoader):
    """A loader that keeps octal numbers as they are written."""

    def construct_yaml_int(self, node: yaml.ScalarNode) -> Any:
        """Return a whole number."""
        if LEADING_ZERO.fullmatch(node.value):
            return _Octal(node.value)
        return super().construct_yaml_int(node)


_Loader.add_constructor('tag:yaml.org,2002:int', _Loader.construct_yaml_int)


def octal_numbers(path: str, node: str) -> dict[str, str]:
    """
    Return the parameters with a leading zero, which ROS reads as octal, by name.

    :param node: its name with its namespace.
    """
    global_parameters(path)
    return {name: octal for place, parameters in _sections('', yaml.load(read_text(path), _Loader))
            if section_applies(place, node) for name, value in flatten(parameters).items()
            for octal in (value if isinstance(value, list) else [value])
            if isinstance(octal, _Octal)}


def sections_of_others(path: str, node: str) -> list[str]:
    """Return the sections of a file that do not apply to a node."""
    return ['/' + place.strip('/') for place, _ in all_sections(path)
            if not section_applies(place, node)]


def all_sections(path: str) -> list[tuple[str, Mapping[str, Any]]]:
    """Return the sections of a file and their parameters, none for an empty path."""
    global_parameters(path)
    return list(_sections('', yaml.safe_load(read_text(path)))) if path else []


def _sections(place: str, inside: Any) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield each section that has parameters, and these. Namespaces may be nested."""
    for name, value in inside.items() if isinstance(inside, Mapping) else ():
        if name == PARAMETERS_KEY and isinstance(value, Mapping):
            yield place, value
        elif isinstance(name, str):
            yield from _sections(f'{place}/{name}', value)
