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

"""What a file of parameters says to which node."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
import re
from typing import Any

from leader_election.fleet.fleet_settings import flat
from leader_election.parameters import ParameterError
import yaml

KEY = 'ros__parameters'
ALL = '/**'
"""The place of what is said to all nodes, as a launch says its arguments."""


def in_file(path: str) -> dict[str, Any]:
    """Return what a file of parameters says to all nodes alike; an empty path says nothing."""
    if not path:
        return {}
    try:
        sections = yaml.safe_load(Path(path).read_text())
        return dict(sections.get('/**', {}).get('ros__parameters', {}))
    except (OSError, ValueError, AttributeError, TypeError, RecursionError,
            yaml.YAMLError) as error:
        raise ParameterError(f'parameter params_file: {path!r} is no file of parameters: '
                             + ' '.join(str(error).split())) from None


def says(path: str, name: str, node: str) -> bool:
    """
    Return whether a file sets a parameter of a node; an empty path says nothing.

    :param node: its name, with its namespace.
    :raises ParameterError: where it is no file of parameters.
    """
    return any(name in parameters and applies(place, node)
               for place, parameters in _all_sections(path))


def told(path: str, nodes: Iterable[str], given: Mapping[str, Any]) -> list[dict[str, Any]]:
    """
    Return the parameters that a file and the arguments of a launch set, of each node.

    ROS puts what is said of one place together, the arguments last, and of several places goes by
    the one that the file names last: an argument does not go before a section behind ``/**``.

    :param path: empty for no file.
    :param nodes: their names, with their namespaces.
    :raises ParameterError: where it is no file of parameters.

    >>> told('', ['alice/election_node'], {'tasks': 'count'})
    [{'tasks': 'count'}]
    """
    places: dict[str, dict[str, Any]] = {}
    for place, parameters in [*_all_sections(path), (ALL, given)]:
        places.setdefault(place.strip('/'), {}).update(flat(parameters))
    return [{name: value for place, parameters in places.items() if applies(place, node)
             for name, value in parameters.items()} for node in nodes]


def applies(place: str, node: str) -> bool:
    """
    Return whether what is said of a place in a file of parameters holds for a node.

    >>> [applies(place, 'alice/election_node') for place in (
    ...     '/**', '/alice/election_node', '/alice/*', '/**/election_node', '/bob/election_node')]
    [True, True, True, True, False]
    """
    names = {'**': '(/[^/]+)*', '*': '/[^/]+'}
    pattern = ''.join(names.get(part, '/' + re.escape(part))
                      for part in place.split('/') if part)
    return re.fullmatch(pattern, '/' + node.strip('/')) is not None


def _all_sections(path: str) -> list[tuple[str, Mapping[str, Any]]]:
    """Return the places and what is said of them, none for an empty path."""
    in_file(path)
    return list(_sections('', yaml.safe_load(Path(path).read_text()))) if path else []


def _sections(place: str, inside: Any) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield each place in a file that says something, and what; namespaces may be nested."""
    for name, value in inside.items() if isinstance(inside, Mapping) else ():
        if name == KEY and isinstance(value, Mapping):
            yield place, value
        elif isinstance(name, str):
            yield from _sections(f'{place}/{name}', value)
