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

"""Files of ROS parameters: their sections, and what they set on a node."""

from collections.abc import Iterable, Iterator, Mapping
import re
from typing import Any

from leader_election.parameters import ParameterError
from leader_election.parameters.files import read_text, read_yaml


def flatten(raw: Mapping[str, Any]) -> dict[str, Any]:
    """
    Flatten nested mappings. Names of inner values are joined by dots.

    >>> flatten({'radius': 3, 'rescue': {'radius': 9, 'tasks': 'count'}})
    {'radius': 3, 'rescue.radius': 9, 'rescue.tasks': 'count'}
    """
    found: dict[str, Any] = {}
    for name, value in raw.items():
        if isinstance(value, Mapping):
            found |= flatten({f'{name}.{key}': inner for key, inner in value.items()})
        else:
            found[str(name)] = value
    return found


PARAMETERS_KEY = 'ros__parameters'
ALL_NODES = '/**'
"""The section for all nodes, which launch also uses for arguments."""


def global_parameters(path: str) -> dict[str, Any]:
    """
    Return the parameters that a file sets for all nodes, in section ``/**``.

    :raises ParameterError: as :func:`all_sections`.
    """
    return {name: value for place, parameters in all_sections(path)
            if place.strip('/') == ALL_NODES.strip('/') for name, value in parameters.items()}


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
    pattern = ''.join(names.get(part, '/' + re.escape(part)) for part in place.split('/') if part)
    return re.fullmatch(pattern, '/' + node.strip('/')) is not None


def own_names(path: str, node: str) -> set[str]:
    """
    Return the names of parameters that sections of a file other than ``/**`` set on a node.

    :param node: its name with its namespace.
    """
    return {name for place, parameters in all_sections(path)
            if place.strip('/') != ALL_NODES.strip('/') and section_applies(place, node)
            for name in flatten(parameters)}


def sections_of_others(path: str, node: str) -> list[str]:
    """Return the sections of a file that do not apply to a node."""
    return ['/' + place.strip('/') for place, _ in all_sections(path)
            if not section_applies(place, node)]


def all_sections(path: str) -> list[tuple[str, Mapping[str, Any]]]:
    """
    Return the sections of a file of ROS parameters, and their parameters.

    :param path: of the file, empty for none.
    :raises ParameterError: for an unreadable file, one that is not a parameter file, and one with
        a number that ROS would read as octal.
    """
    if not path:
        return []
    try:
        document = read_yaml(read_text(path))
        if not isinstance(document, Mapping):
            raise ValueError('it takes sections of nodes, such as /**: {ros__parameters: {...}}')
        return list(_sections('', document))
    except ValueError as error:
        raise ParameterError(
            f'parameter params_file: {path!r} is not a file of parameters: {error}') from None


def _sections(place: str, inside: Any) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield each section that has parameters, and these. Namespaces may be nested."""
    for name, value in inside.items() if isinstance(inside, Mapping) else ():
        if name == PARAMETERS_KEY and isinstance(value, Mapping):
            yield place, value
        elif isinstance(name, str):
            yield from _sections(f'{place}/{name}', value)
