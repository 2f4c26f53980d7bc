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
    PerLevel,
    Ticks,
    Unbounded,
)
import pytest


class State(NamedTuple):
    """One field of each kind."""

    count: Ticks
    value: float
    best: tuple[int, ...]
    level_distance: tuple[Unbounded, ...]
    distance: Unbounded
    leader: int


class States(NamedTuple):
    """The same, in columns."""

    count: list[int]
    value: list[float]
    best: list[tuple[int, ...]]
    level_distance: list[tuple[float, ...]]
    distance: list[float]
    leader: list[int]


def start(device: Device) -> State:
    return State(0, device.strength, (-1, -1), (inf, inf), inf, device.id)


FIELDS = fields_of(State, start(Device(3, 4.0)))
BEFORE = State(7, 1.0, (5, -1), (2.0, inf), 2.0, 5)


def test_fields_of_describes_each_type_hint():
    assert FIELDS == (
        Field('count', int, None, infinite=False, ticks=True),
        Field('value', float, None, infinite=False, ticks=False),
        Field('best', int, (-1, -1), infinite=False, ticks=False),
        Field('level_distance', float, (inf, inf), infinite=True, ticks=False),
        Field('distance', float, None, infinite=True, ticks=False),
        Field('leader', int, None, infinite=False, ticks=False, least=0))
    assert [field.name for field in FIELDS if field.is_distance] == ['level_distance', 'distance']


def test_fields_of_reads_all_marks():
    class Marked(NamedTuple):
        distance: float
        hops: Hops
        parent: Id
        number: Count
        secret: Kept[tuple[Id, ...]]
        levels: PerLevel[tuple[int, ...]]

    assert fields_of(Marked, Marked(0.0, 0, -1, 0, (-1,), (0,))) == (
        Field('distance', float, None, infinite=False, ticks=False),
        Field('hops', int, None, infinite=False, ticks=False, hops=True, least=0),
        Field('parent', int, None, infinite=False, ticks=False, least=-1),
        Field('number', int, None, infinite=False, ticks=False, least=0),
        Field('secret', int, (-1,), infinite=False, ticks=False, kept=True, least=-1),
        Field('levels', int, (0,), infinite=False, ticks=False, per_level=True))


@pytest.mark.parametrize('hint', [str, list[int], tuple[int, int], tuple[str, ...], bool])
def test_unknown_type_hint_is_refused(hint):
    class Wrong(NamedTuple):
        leader: hint

    with pytest.raises(TypeError, match='field leader of a state cannot be'):
        fields_of(Wrong, Wrong(()))


@pytest.mark.parametrize('name, distance', [
    ('hops', 'distance'), ('lead_hops', 'lead_distance'), ('count', 'countdistance')])
def test_hops_without_their_distance_are_refused(name, distance):
    """Messages without them are read by that distance."""
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
def test_change_is_the_distance_moved_or_infinite(difference, by):
    assert change(FIELDS, BEFORE, BEFORE._replace(**difference)) == by


@pytest.mark.parametrize('hops, by', [
    ({'hops': 4}, inf), ({'hops': 2}, 0.0), ({'hops': 3, 'distance': 2.25}, 0.25),
    ({'hops': 0, 'leader': 1}, inf)])
def test_change_counts_more_hops_but_not_fewer(hops, by):
    before = BOUNDED.state(-9.0, 2.0, 5, 3)
    assert change(BOUNDED.fields, before, before._replace(**hops)) == by


def test_change_continues_behind_fewer_hops():
    before = CLASSIC.state(-9.0, 5, 2.0, 2.0, 5, lead_hops=3, hops=3)
    assert change(CLASSIC.fields, before, before._replace(lead_hops=2, hops=4)) == inf


@pytest.mark.parametrize('best_hops, by', [((3, 1), 0.0), ((2, 1), 0.0), ((2, 2), inf)])
def test_change_counts_more_hops_at_any_level(best_hops, by):
    started = RECURSIVE.start(Device(3, 4.0))
    before = started._replace(best_hops=(3, 1, *started.best_hops[2:]))
    after = before._replace(best_hops=(*best_hops, *started.best_hops[2:]))
    assert change(RECURSIVE.fields, before, after) == by
