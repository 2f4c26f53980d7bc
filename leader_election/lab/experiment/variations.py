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

"""The variations of a scenario: dotted keys, their values, and the change of a key."""

from collections.abc import Mapping, Sequence
import copy
from typing import Any, NamedTuple

from leader_election.election.algorithms import ALGORITHMS
from leader_election.lab.experiment.parser import as_mapping, KEYS, ScenarioError
from leader_election.parameters import as_number

FIXED_KEYS = ('title', 'source', 'algorithms.name', 'algorithms.label', 'events.kind')
"""Keys that cannot vary: they identify the results."""
ALGORITHMS_KEY = 'algorithms'


class Change(NamedTuple):
    """One of the values of a dimension that varies."""

    value: Any
    """The coordinate of this value in the results."""
    keys: Mapping[str, Any]
    """The values of dotted keys that turn the scenario into this variant."""


def replace_value(raw: Any, keys: Sequence[str], value: Any, name: str, dotted: str) -> None:
    """
    Replace a value of a raw scenario in place, in every entry of a list that has the key.

    In ``algorithms``, ``<label>.<key>`` is the key of one entry, and a parameter that no entry
    gives applies to all algorithms that take it.

    :param keys: the parts of the dotted key.
    :param dotted: the whole key, for error texts.
    """
    first, *rest = keys
    if first == ALGORITHMS_KEY and rest and isinstance(raw, dict) and isinstance(
            raw.get(first), list):
        _replace_of_algorithms(raw[first], rest, value, name, dotted)
        return
    places = [raw] if isinstance(raw, dict) else [
        entry for entry in raw if isinstance(entry, dict) and first in entry] \
        if isinstance(raw, list) else []
    if not places:
        raise ScenarioError(f'scenario {name}: there is no {dotted} to change')
    for place in places:
        if rest:
            replace_value(place.setdefault(first, {}), rest, value, name, dotted)
        else:
            place[first] = copy.deepcopy(value)


def _replace_of_algorithms(entries: Sequence[Any], keys: Sequence[str], value: Any, name: str,
                           dotted: str) -> None:
    """
    Replace a value of algorithms in place.

    The key is one of the entries' keys; or a label and a key of that entry; or a parameter that no
    entry gives, which is then set for all algorithms that take it.
    """
    first = keys[0]
    if any(isinstance(entry, dict) and first in entry for entry in entries):
        replace_value(entries, keys, value, name, dotted)
        return
    labels = {label_of(entry): entry for entry in entries if isinstance(entry, dict)}
    for length in range(len(keys) - 1, 0, -1):  # A label may have dots in it.
        entry = labels.get('.'.join(keys[:length]))
        if entry is not None:
            own = keys[length:]
            if f'{ALGORITHMS_KEY}.{".".join(own)}' in FIXED_KEYS:
                raise ScenarioError(f'scenario {name}: {dotted}: is not allowed; all variants '
                                    'have the same')
            if len(own) > 1 and own[0] not in entry:
                break
            replace_value(entry, own, value, name, dotted)
            return
    taking = [entry for entry in labels.values()
              if len(keys) == 1 and first in parameters_of(entry)]
    if not taking:
        known = dict.fromkeys(key for entry in labels.values() for key in parameters_of(entry))
        raise ScenarioError(
            f'scenario {name}: there is no {dotted} to change; {ALGORITHMS_KEY}. takes one of '
            f'{", ".join(known) or "none"}, or a label and one of its keys, of '
            f'{", ".join(map(str, labels))}')
    for entry in taking:
        entry[first] = copy.deepcopy(value)


def label_of(entry: Mapping[str, Any]) -> Any:
    """Return the label of an entry of ``algorithms``, as read."""
    return entry.get('label', entry.get('name'))


def parameters_of(entry: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the parameters that the algorithm of an entry takes; none for an unknown one."""
    kind = entry.get('name')
    return ALGORITHMS.get(kind).takes if kind in ALGORITHMS.names() else ()


def parse_variations(raw: Mapping[str, Any], name: str) -> dict[str, list[Change]]:
    """
    Return the dimensions that a scenario varies, each with its values.

    ``messages.loss: [0, 0.2]`` is a dotted key and its values. Where several keys change
    together, a name of the user's own is the dimension, with the values of the first key::

        users: [{devices.count: 100, measure.window: 5}, {devices.count: 300, measure.window: 8}]
    """
    vary = as_mapping(raw.get('vary'), name, 'vary')
    return {key: _parse_changes(key, values, name) for key, values in vary.items()}


def _parse_changes(key: Any, values: Any, name: str) -> list[Change]:
    together = isinstance(key, str) and '.' not in key and key not in (*KEYS, 'vary')
    if not together:
        _check_key(key, key, name)
    if not isinstance(values, list) or not values:
        raise ScenarioError(f'scenario {name}: vary.{key}: takes a list of values')
    changes: list[Change] = []
    for value in values:
        change = _parse_joint_change(key, value, name) if together \
            else Change(as_number(value), {key: value})
        if change.value in [other.value for other in changes]:
            raise ScenarioError(f'scenario {name}: vary.{key}: {change.value!r} is there twice')
        changes.append(change)
    return changes


def _parse_joint_change(key: str, values: Any, name: str) -> Change:
    """Return the change of several keys together."""
    if not isinstance(values, dict) or not values:
        raise ScenarioError(f'scenario {name}: vary: there is no {key} to change; a name for '
                            'several keys takes a list of these with their values')
    for dotted in values:
        _check_key(dotted, f'{key}.{dotted}', name)
    return Change(as_number(next(iter(values.values()))), values)


def _check_key(key: Any, where: str, name: str) -> None:
    """Raise a :class:`ScenarioError` for a key that cannot vary."""
    if not isinstance(key, str) or key.split('.')[0] == 'vary':
        raise ScenarioError(f'scenario {name}: vary: there is no {key} to change')
    if key in FIXED_KEYS:
        raise ScenarioError(f'scenario {name}: vary.{where}: is not allowed; all variants have '
                            'the same')
