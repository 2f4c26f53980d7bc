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
What a scenario varies: for each name the values that it has, and what each of them changes.

``messages.loss: [0, 0.2]`` is a dotted key and its values. Where several keys go together, a name
of one's own stands for them, whose values are those of the first key::

    users: [{devices.count: 100, measure.window: 5}, {devices.count: 300, measure.window: 8}]
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from leader_election.lab import parser
from leader_election.lab.parser import KEYS, ScenarioError

FIXED = ('title', 'source', 'algorithms.name', 'algorithms.label', 'events.kind')
"""What does not vary: it says what results are of."""


class Change(NamedTuple):
    """One of the values of what varies."""

    value: Any
    """What results call it."""
    keys: Mapping[str, Any]
    """The values of dotted keys that make a scenario this variant."""


def variations_of(raw: Mapping[str, Any], name: str) -> dict[str, list[Change]]:
    """
    Return what varies.

    :param name: of the scenario, for messages.
    """
    vary = parser.mapping_of(raw.get('vary'), name, 'vary')
    return {key: _changes(key, values, name) for key, values in vary.items()}


def _changes(key: Any, values: Any, name: str) -> list[Change]:
    together = isinstance(key, str) and '.' not in key and key not in (*KEYS, 'vary')
    if not together:
        _check(key, key, name)
    if not isinstance(values, list) or not values:
        raise ScenarioError(f'scenario {name}: vary.{key}: takes a list of values')
    changes: list[Change] = []
    for value in values:
        change = _several(key, value, name) if together else Change(value, {key: value})
        if change.value in [other.value for other in changes]:
            raise ScenarioError(f'scenario {name}: vary.{key}: {change.value!r} is there twice')
        changes.append(change)
    return changes


def _several(key: str, values: Any, name: str) -> Change:
    """Return the change of several keys at once."""
    if not isinstance(values, dict) or not values:
        raise ScenarioError(f'scenario {name}: vary: there is no {key} to change; a name for '
                            'several keys takes a list of these with their values')
    for dotted in values:
        _check(dotted, f'{key}.{dotted}', name)
    return Change(next(iter(values.values())), values)


def _check(key: Any, where: str, name: str) -> None:
    """Refuse a key that cannot vary."""
    if not isinstance(key, str) or key.split('.')[0] == 'vary':
        raise ScenarioError(f'scenario {name}: vary: there is no {key} to change')
    if key in FIXED:
        raise ScenarioError(f'scenario {name}: vary.{where}: is not allowed; all variants have '
                            'the same')
