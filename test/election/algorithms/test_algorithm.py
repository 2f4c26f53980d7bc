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

"""The registered algorithms, and what Algorithm does for all of them."""

from collections.abc import Callable
from dataclasses import replace
from functools import wraps
import math
from math import inf
import os
import random
from types import SimpleNamespace
from typing import Any, NamedTuple

from benchmarks.explicit_states import distances
from election.algorithms.networks import graphs
from election.algorithms.simulate import Network, shuffled
from hypothesis import given
from hypothesis import strategies as st
from leader_election.election.algorithms import (
    Algorithm,
    ALGORITHMS,
    BOUNDED,
    CLASSIC,
    Device,
    RECURSIVE,
)
from leader_election.election.algorithms.algorithm import (
    BARRED,
    change,
    Count,
    drawn,
    Field,
    fields_of,
    Hops,
    Id,
    Kept,
    Negated,
    PerLevel,
    reads_chance,
    Ticks,
    Unbounded,
    unseeded,
)
from leader_election.election.algorithms.bounded import Candidacy
from leader_election.election.algorithms.recursive import LEVELS
from leader_election.election.algorithms.replicated import ENTRIES
from leader_election.election.robot.parameters import ElectionParameters
from leader_election.election.robot.robot import Robot
from leader_election.parameters import build, ParameterError
import numpy as np
import pytest


class State(NamedTuple):
    """One number and one vector."""

    best: tuple[int, ...]
    distance: float
    leader: int


class States(NamedTuple):
    """The same, in columns."""

    best: list[tuple[int, ...]]
    distance: list[float]
    leader: list[int]


def arrays(device, state, neighbours, metric, parameters):
    """Return numbers and arrays of numpy."""
    return State(np.array(neighbours.best[0]), np.float64(len(metric)), device.id)


PLUG_IN = Algorithm('arrays', arrays, State, States, lambda device: State((-1, -1), 0, device.id),
                    lambda: None)


def test_compute_returns_plain_numbers_for_arrays():
    device = Device(5, 4.0)
    found = PLUG_IN.compute(device, PLUG_IN.start(device), [State((5, -1), 2.0, 5)], [1.0],
                            PLUG_IN.round_parameters({'radius': 9.0}))
    assert repr(found) == repr(State((5, -1), 1.0, 5))


def test_configure_is_refused_when_a_parameter_is_undeclared():
    wrong = replace(PLUG_IN, configure=lambda depth: None)
    with pytest.raises(ParameterError, match='^algorithm arrays: configure takes depth, which is '
                       'not declared; declare it in the parameters of the algorithm$'):
        wrong.round_parameters({'radius': 9.0})


@pytest.mark.parametrize('name', ALGORITHMS.names())
def test_algorithm_declares_the_required_fields(name):
    """Check the required fields, columns of the same names, and equal initial vectors."""
    algorithm = ALGORITHMS.get(name)
    fields = {field.name: field for field in algorithm.fields}
    assert fields['leader'].type is int and fields['leader'].padding is None
    assert fields['distance'].type is float and fields['distance'].padding is None
    assert algorithm.state._fields == algorithm.columns._fields == tuple(fields)
    for device in (Device(0, 0.0), Device(9, -7.5)):
        for field, value in zip(algorithm.fields, algorithm.start(device)):
            assert field.padding in (None, value)


@pytest.mark.parametrize('name, expected', [
    ('bounded', (-4.0, 0.0, 3, 0)),
    ('classic', (-4.0, 3, 0.0, 0.0, 3, 0, 0)),
    ('colour', (-4.0, 0.0, 3, 1, 0, 3, 3)),
    ('given', (inf, 3, 0)),
    ('resilient', (-4.0, 0.0, 3, 1.0, 0.0, 3, 3)),
    ('recursive', (-1, 4.0, (inf,) * LEVELS, (-1,) * LEVELS, (inf,) * LEVELS, 0.0, 3,
                   (0,) * LEVELS)),
    ('recursive-replicated', (0, 0, -1, (inf,) * ENTRIES, (-1,) * ENTRIES, (inf,) * LEVELS, 0.0, 3,
                              (0,) * LEVELS)),
])
def test_robot_leads_itself_or_nobody_at_its_start(name, expected):
    algorithm = ALGORITHMS.get(name)
    assert algorithm.start(Device(3, 4.0)) == algorithm.state(*expected)


def test_barred_robot_backs_nobody_at_its_start_in_classic():
    assert ALGORITHMS.get('classic').start(Device(3, BARRED)) == (inf, -1, inf, inf, 3, 0, 0)


@pytest.mark.parametrize('hops, rounds, expected', [(3, 2, 5), (3, 0, 3), (1, 1, 2), (0, 2, 0)])
def test_aged_adds_a_hop_per_round_except_to_the_leader(hops, rounds, expected):
    candidacy = Candidacy(-9.0, 2.0, 5, hops)
    assert BOUNDED.aged(candidacy, rounds) == candidacy._replace(hops=expected)
    levels = RECURSIVE.start(Device(3, 4.0))
    said = levels._replace(best_hops=(hops, *levels.best_hops[1:]))
    assert RECURSIVE.aged(said, rounds) == said._replace(
        best_hops=(expected, *levels.best_hops[1:]))


# Roles in every algorithm: a device that may not lead leads no other device if a candidate does.
#
# Devices that may not lead have the strength ``BARRED``. Where no candidate is in reach, such a
# device may be led by itself, or by another one of its kind: there is nobody else, and neither
# counts as a leader (``Instance.leads``). In ``classic`` it then has no leader, at any distance.

SETTINGS = {'radius': 3.0, 'ties': 'id', 'hop_limit': 20, 'replicates': 2,
            'replicate_period': 12, 'diameter_factor': 2.0, 'leaders': '0-9'}


@pytest.mark.parametrize('name', ALGORITHMS.names())
@given(graphs(most=8), st.data())
def test_only_candidates_lead_when_a_candidate_is_heard(name, graph, data):
    algorithm = ALGORITHMS.get(name)
    barred = data.draw(st.sets(st.sampled_from(sorted(graph))))
    strengths = {i: BARRED if i in barred else float(data.draw(st.integers(0, 3))) for i in graph}
    network = Network(algorithm, graph, strengths, algorithm.round_parameters(SETTINGS))
    sweep = shuffled(network, data.draw(st.integers(0, 2**32)))
    for _ in range(80):
        sweep()
    candidates = set(graph) - barred
    for i, state in network.states.items():
        if state.leader in barred and state.leader != i and name == 'classic':
            raise AssertionError(f'{i} is led by {state.leader}, which may not lead')
        if state.leader not in barred:
            continue
        if 'radius' not in algorithm.takes:
            assert not candidates, f'{i} is led by {state.leader}, though there are candidates'
            continue
        # The candidates that lead: no region of theirs may end within reach of this device.
        members = {j for j in graph if network.states[j].leader in candidates}
        for j, length in graph[i].items():
            if j in members:
                assert network.states[j].distance + length > SETTINGS['radius']
        assert all(far > SETTINGS['radius'] for j, far in distances(graph, {i}, {i} | (
            candidates - members)).items() if j in candidates - members)


# Type hints of a state, and when a change of state is news.

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


GENERATOR = np.random.default_rng(3)
FIRST_LINE = 1


def of_a_module() -> float:
    return random.random()


def of_numpy() -> float:
    return 1.0 + np.random.rand()


def imported_within() -> float:
    import random as dice
    return dice.random()


def by_a_generator() -> float:
    return GENERATOR.random()


HOLDER = SimpleNamespace(random=random.random)
COMPILED: Any = SimpleNamespace(py_func=of_a_module)


def of_an_object() -> float:
    return HOLDER.random()


def compiled() -> float:
    return COMPILED() + harmless()


def called() -> float:
    return math.sqrt(of_a_module())


def enclosing() -> Callable[[], float]:
    draw, dice = of_a_module, random.Random(3)

    def by_name() -> float:
        return draw() + dice.random()
    return by_name


@wraps(of_numpy)
def wrapped() -> float:
    return 0.0


@pytest.mark.parametrize('function, found', [
    (of_a_module, 'random.random'), (of_numpy, 'np.random.rand'), (imported_within, 'random'),
    (by_a_generator, 'GENERATOR'), (called, 'random.random'), (of_an_object, 'HOLDER.random'),
    (compiled, 'random.random'), (enclosing(), 'dice'), (wrapped, 'np.random.rand'),
    (SimpleNamespace(py_func=of_numpy), 'np.random.rand')],
    ids=lambda each: each if isinstance(each, str) else getattr(each, '__name__', 'compiled'))
def test_unseeded_chance_is_found_with_its_line(function: Any, found: str) -> None:
    place, _, name = unseeded(function).rpartition(': ')
    assert name == found
    line = int(place.rpartition('line ')[2])
    with open(__file__, encoding='utf-8') as source:
        assert found.rpartition('.')[2] in source.read().splitlines()[line - 1]


def harmless() -> float:
    return float(np.sqrt(2.0)) + math.pi + FIRST_LINE + len(os.sep) + missing()  # noqa: F821


def endless() -> str:
    import math as maths
    return 'random' if maths.pi > 3.0 else endless() + math.no_such  # type: ignore


@pytest.mark.parametrize('function', [harmless, endless, math.sqrt])
def test_other_names_are_no_chance(function: Callable[..., Any]) -> None:
    assert unseeded(function) == ''


def test_rounds_of_the_package_take_no_chance() -> None:
    assert [unseeded(ALGORITHMS.get(name).round) for name in ALGORITHMS.names()] == [
        ''] * len(ALGORITHMS.names())


def drawing(device: Any) -> float:
    return device.chance


def drawing_by_name(device: Any) -> float:
    return drawing(device)


def test_round_reads_chance_where_it_names_the_field() -> None:
    assert [reads_chance(each) for each in (drawing, drawing_by_name, harmless)] == [
        True, True, False]


class Drawn(NamedTuple):
    """A state that keeps the number of its round."""

    distance: float
    leader: int
    number: float


def draw_round(
        device: Device, state: Drawn, neighbours: Any, metric: Any, parameters: Any) -> Drawn:
    return Drawn(0.0, device.id, device.chance)


def test_robot_draws_by_its_id_and_the_number_of_the_round(
        monkeypatch: pytest.MonkeyPatch) -> None:
    made: Any = Algorithm('draw', draw_round, Drawn, Drawn, lambda device: Drawn(
        0.0, device.id, 0.0), lambda: ())
    monkeypatch.setattr(ALGORITHMS, '_entries', {**ALGORITHMS._entries, 'draw': made})
    robot, numbers = Robot(build(ElectionParameters, {'robot_id': 7, 'algorithm': 'draw'})), []
    for second in range(4):
        robot.round(float(second))
        numbers.append(robot.state.number)
    assert numbers == [drawn(0, 7, number) for number in range(4)]
