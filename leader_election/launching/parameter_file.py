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

from collections.abc import Iterator, Mapping
from pathlib import Path
import re
from typing import Any

from leader_election.launching.arguments import in_file
import yaml

KEY = 'ros__parameters'


def says(path: str, name: str, node: str) -> bool:
    """
    Return whether a file sets a parameter of a node; an empty path says nothing.

    :param node: its name, with its namespace.
    :raises ParameterError: where it is no file of parameters.
    """
    in_file(path)
    return bool(path) and any(
        name in parameters and applies(place, node)
        for place, parameters in _sections('', yaml.safe_load(Path(path).read_text())))


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


def _sections(place: str, inside: Any) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield each place in a file that says something, and what; namespaces may be nested."""
    for name, value in inside.items() if isinstance(inside, Mapping) else ():
        if name == KEY and isinstance(value, Mapping):
            yield place, value
        elif isinstance(name, str):
            yield from _sections(f'{place}/{name}', value)
