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

"""Whether what happens in a scenario fits the rest of it."""

from collections.abc import Sequence
from typing import Any

from leader_election.lab.events import ChangeStrength, Event, State
from leader_election.lab.parser import ScenarioError
from leader_election.lab.schema import Entrant, Group, Strength

LARGEST_WHOLE = 2**53
"""Up to here every whole number is a float as well."""


def check_events(events: Sequence[tuple[Event, Any]], duration: float, strength: Strength,
                 entrants: Sequence[Entrant], name: str) -> None:
    """Refuse what would never happen, or do nothing, or do something else than it says."""
    for event, parameters in events:
        if parameters.at > duration:
            raise ScenarioError(
                f'scenario {name}: events.at: {parameters.at:g} is not allowed; it takes up to '
                f'duration, which is {duration:g} s')
        if isinstance(parameters, ChangeStrength) and 'degree' in strength.cycle:
            raise ScenarioError(
                f'scenario {name}: events.kind: {event.name!r} is not allowed; it takes a '
                'strength.cycle without degree, which each round sets anew')
        if isinstance(parameters, State):
            for field, value in zip(parameters.fields, parameters.values):
                _check_field(field, value, entrants, name)


def check_groups(groups: Sequence[Group], entrants: Sequence[Entrant], name: str) -> None:
    """Refuse what groups are in regions where an algorithm has none."""
    for entrant in entrants:
        for group in groups:
            for key, value, default in (('role', group.role, Group.role),
                                        ('contributes', group.contributes, Group.contributes)):
                if entrant.regions is None and value != default:
                    raise ScenarioError(
                        f'scenario {name}: devices.{key}: is not allowed; it is for algorithms '
                        f'with regions, and {entrant.label} has none')


def _check_field(field: str, value: float, entrants: Sequence[Entrant], name: str) -> None:
    fields = [f for entrant in entrants for f in entrant.algorithm.fields]
    types = [f.type for f in fields if f.name == field]
    if not types:
        known = ', '.join(dict.fromkeys(f.name for f in fields))
        raise ScenarioError(f'scenario {name}: events.fields: {field!r} is not allowed; it takes '
                            f'some of {known}')
    if int in types and not (value.is_integer() and abs(value) <= LARGEST_WHOLE):
        raise ScenarioError(f'scenario {name}: events.values: {value!r} is not allowed; it takes '
                            f'a whole number for {field}, up to {LARGEST_WHOLE}')
