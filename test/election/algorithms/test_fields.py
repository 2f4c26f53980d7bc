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

"""Type hints of a state, and when a change of state is news."""

from math import inf
from typing import NamedTuple

from leader_election.election.algorithms import BOUNDED, CLASSIC, Device, RECURSIVE
from leader_election.election.algorithms.fields import (
    change,
    Count,
    Field,
    fields_of,
    Hops,
    Id,
    Kept,
    Negated,
    PerLevel,
    Ticks,
    Unbounded,
)
from leader_election.election.algorithms.recursive import LEVELS
import pytest


class EachKind(NamedTuple):
    """One field of each kind."""

    count: Ticks
    value: float
    best: tuple[int, ...]
    level_distance: tuple[Unbounded, ...]
    distance: Unbounded
    leader: int


def start(device: Device) -> EachKind:
    return EachKind(0, device.strength, (-1, -1), (inf, inf), inf, device.id)


FIELDS = fields_of(EachKind, start(Device(3, 4.0)))
BEFORE = EachKind(7, 1.0, (5, -1), (2.0, inf), 2.0, 5)


def test_field_has_the_marks_of_its_type_hint():
    class Marked(NamedTuple):
        leader: int
        value: Negated[float]
        distance: float
        hops: Hops
        parent: Id
        number: Count
        secret: Kept[tuple[Id, ...]]
        levels: PerLevel[tuple[int, ...]]
        ticks: Ticks
        far_distance: tuple[Unbounded, ...]

    fields = fields_of(Marked, Marked(0, 0.0, 0.0, 0, -1, 0, (-1,), (0,), 0, (inf,)))
    assert [field.name for field in fields if field.is_distance] == ['distance', 'far_distance']
    assert fields == (
        Field('leader', int, None, infinite=False, ticks=False, least=0),
        Field('value', float, None, infinite=False, ticks=False, negated=True),
        Field('distance', float, None, infinite=False, ticks=False),
        Field('hops', int, None, infinite=False, ticks=False, hops=True, least=0),
        Field('parent', int, None, infinite=False, ticks=False, least=-1),
        Field('number', int, None, infinite=False, ticks=False, least=0),
        Field('secret', int, (-1,), infinite=False, ticks=False, kept=True, least=-1),
        Field('levels', int, (0,), infinite=False, ticks=False, per_level=True),
        Field('ticks', int, None, infinite=False, ticks=True),
        Field('far_distance', float, (inf,), infinite=True, ticks=False))


@pytest.mark.parametrize('hint', [str, list[int], tuple[int, int], tuple[str, ...], bool])
def test_type_hint_is_refused_when_unknown(hint):
    class Wrong(NamedTuple):
        leader: hint

    with pytest.raises(TypeError, match='field leader of a state cannot be'):
        fields_of(Wrong, Wrong(()))


@pytest.mark.parametrize('name, distance', [
    ('hops', 'distance'), ('lead_hops', 'lead_distance'), ('count', 'countdistance')])
def test_hops_are_refused_when_no_distance_belongs_to_them(name, distance):
    """Messages without hops are read by the distance to which hops belong."""
    wrong = NamedTuple('wrong', [('leader', int), (name, Hops)])
    with pytest.raises(TypeError, match=f'field {name} .* hops of {distance}, which the state'):
        fields_of(wrong, wrong(1, 0))


@pytest.mark.parametrize('difference, by', [
    ({}, 0.0),
    ({'count': 8}, 0.0),
    ({'distance': 2.25}, 0.25),
    ({'level_distance': (1.5, inf)}, 0.5),
    ({'level_distance': (1.5, inf), 'distance': 2.25, 'count': 8}, 0.5),
    ({'distance': inf}, inf),
    ({'level_distance': (2.0, 3.0)}, inf),
    ({'value': 1.001}, inf),
    ({'best': (5, 6)}, inf),
    ({'leader': 6}, inf),
])
def test_change_is_infinite_when_the_leader_changes(difference, by):
    assert change(FIELDS, BEFORE, BEFORE._replace(**difference)) == by


CANDIDACY, CHOICE = BOUNDED.state(-9.0, 2.0, 5, 3), CLASSIC.state(-9.0, 5, 2.0, 2.0, 5, 3, 3)
LEVELLED = RECURSIVE.start(Device(3, 4.0))._replace(best_hops=(3, 1, *[0] * (LEVELS - 2)))


@pytest.mark.parametrize('algorithm, before, difference, by', [
    *((BOUNDED, CANDIDACY, difference, by) for difference, by in (
        ({'hops': 4}, inf), ({'hops': 2}, 0.0), ({'hops': 3, 'distance': 2.25}, 0.25),
        ({'hops': 0, 'leader': 1}, inf))),
    (CLASSIC, CHOICE, {'lead_hops': 2, 'hops': 4}, inf),
    *((RECURSIVE, LEVELLED, {'best_hops': (*hops, *[0] * (LEVELS - 2))}, by)
      for hops, by in (((3, 1), 0.0), ((2, 1), 0.0), ((2, 2), inf)))])
def test_change_counts_only_additional_hops_of_any_field_and_level(
        algorithm, before, difference, by):
    assert change(algorithm.fields, before, before._replace(**difference)) == by
