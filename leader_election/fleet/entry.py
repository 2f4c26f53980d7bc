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

"""One robot of a swarm, as everything that brings a swarm up is told of it."""

from collections.abc import Sequence
from typing import NamedTuple

from leader_election.parameters import ParameterError


class Entry(NamedTuple):
    """A robot, before it is started."""

    name: str
    """Its namespace, and its model's name in a simulator; unique."""
    id: int
    """Unique."""
    pose: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Where its odometry starts in the shared frame: x, y, yaw [m, rad]."""
    type: str = ''
    """What kind of robot it is, by name; empty: there is only one kind."""


def check_unique(entries: Sequence[Entry], parameter: str) -> None:
    """
    Refuse two robots of one name, or of one id.

    :param parameter: where they were given, for the message.
    :raises ParameterError: naming both.

    >>> check_unique([Entry('alice', 1), Entry('bob', 1)], 'robots')
    Traceback (most recent call last):
    ParameterError: ...
    """
    ids: dict[int, str] = {}
    names: set[str] = set()
    for entry in entries:
        if entry.name in names:
            raise ParameterError(f'parameter {parameter}: two robots are called {entry.name}; '
                                 'give each robot a name of its own')
        if entry.id in ids:
            raise ParameterError(f'parameter {parameter}: {ids[entry.id]} and {entry.name} both '
                                 f'have id {entry.id}; give each robot an id of its own')
        names.add(entry.name)
        ids[entry.id] = entry.name
