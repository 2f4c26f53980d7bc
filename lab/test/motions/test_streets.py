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

"""Street maps, and devices that walk along streets."""

from hypothesis import given, settings
from hypothesis import strategies as st
from leader_election.parameters import build, ParameterError, table
from leader_election.simulation.robot_logs import read_logs
from leader_election_lab.motions import MOTIONS, REPLAY, STATIC, STREETS
from leader_election_lab.motions.streets import (
    largest_part,
    lengths,
    next_crossings,
    StreetMap,
    town,
)
from motions.test_walks import begin, compiled_walk, Dice, step_lengths, walk
import networkx as nx
import numpy as np
import pytest
import shapely


def make(crossings, streets):
    return StreetMap(np.array(crossings, float), np.array(streets, np.int32))


@given(st.integers(2, 6), st.integers(2, 6), st.floats(0, 0.4), st.floats(0, 0.8),
       st.integers(0, 999))
@settings(max_examples=50)
def test_table_gives_shortest_ways(columns, rows, irregularity, missing, seed):
    streets = town(columns, rows, 50.0, irregularity, missing, np.random.default_rng(seed))
    graph = nx.Graph()
    graph.add_weighted_edges_from(
        (a, b, far) for (a, b), far in zip(streets.street.tolist(), lengths(streets).tolist()))
    assert len(graph) == len(streets.crossing) and nx.is_connected(graph)
    table = next_crossings(streets)
    shortest = dict(nx.all_pairs_dijkstra_path_length(graph))
    for a in graph:
        for b in graph:
            at, far = a, 0.0
            while at != b:
                far += graph[at][table[at, b]]['weight']
                at = int(table[at, b])
            assert far == pytest.approx(shortest[a][b])


def test_town_has_the_crossings_and_streets_computed_by_hand():
    """Three by two crossings have 2 * 2 streets along and 3 across. None is missing."""
    streets = town(3, 2, 10.0, 0.0, 0.0, np.random.default_rng(0))
    assert streets.crossing.tolist() == [[0, 0], [10, 0], [20, 0], [0, 10], [10, 10], [20, 10]]
    assert len(streets.street) == 7
    assert np.all(lengths(streets) == 10.0)


def test_disconnected_crossings_are_left_out():
    """Crossings 0 - 3 and 1 - 2 - 4: the second part is the larger one."""
    part = largest_part(make([[0, 0], [1, 1], [2, 2], [3, 3], [4, 4]], [[0, 3], [1, 2], [2, 4]]))
    assert part.crossing.tolist() == [[1, 1], [2, 2], [4, 4]]
    assert part.street.tolist() == [[0, 1], [1, 2]]


SQUARE = {'columns': 2, 'rows': 2, 'block': 10.0}
"""Crossings 0 (0, 0), 1 (10, 0), 2 (0, 10), 3 (10, 10)."""


def test_walk_turns_corners_as_computed_by_hand():
    """From (4, 0) by crossing 1 to crossing 3 in strides of 4 m, and back to crossing 1."""
    state, position, _ = begin(STREETS, {**SQUARE, 'speed': 4.0}, [[4.0, 0.0]])
    state.ahead[0], state.goal[0] = 1, 3
    places = []
    for now in range(5):
        STREETS.step(state, 0, position, float(now), Dice(1))
        places.append(position[0].tolist())
    # 2 m to the corner and 2 m on; 10 m further the goal is reached, and the way back begun.
    assert places == [[8, 0], [10, 2], [10, 6], [10, 10], [10, 6]]


def test_next_goal_is_another_crossing():
    """The draw 1 is the second crossing other than 1, which is 2."""
    state, position, _ = begin(STREETS, {**SQUARE, 'speed': 4.0}, [[10.0, 0.0]])
    state.ahead[0] = state.goal[0] = 1
    STREETS.step(state, 0, position, 0.0, Dice(1))
    assert state.goal[0] == 2


def test_devices_begin_in_the_street_nearest_to_them():
    _, position, _ = begin(STREETS, SQUARE, [[4.0, 1.0], [9.5, 7.0], [-3.0, 12.0]])
    assert position.tolist() == [[4, 0], [10, 7], [0, 10]]


@given(speed=st.floats(0.0, 300), irregularity=st.floats(0, 0.4), missing=st.floats(0, 0.9),
       seed=st.integers(0, 99))
@settings(max_examples=30)
def test_devices_stay_on_the_streets_and_within_the_speed(speed, irregularity, missing, seed):
    values = {'columns': 4, 'rows': 3, 'block': 50.0, 'speed': speed,
              'irregularity': irregularity, 'missing': missing}
    start = [[0.0, 0.0], [60.0, 20.0], [500.0, 500.0]]
    places = walk(STREETS, values, start, 30, seed)
    made = town(4, 3, 50.0, irregularity, missing, np.random.default_rng(seed))
    streets = shapely.MultiLineString(list(made.crossing[made.street]))
    rounding = 1e-9
    assert np.all(shapely.distance(streets, shapely.points(places)) <= rounding)
    assert np.all(step_lengths(places) <= speed * (1 + rounding) + rounding)
    assert np.array_equal(places, walk(STREETS, values, start, 30, seed))


def test_compiled_code_walks_identically():
    values = {'columns': 5, 'rows': 4, 'irregularity': 0.3, 'missing': 0.2, 'speed': 37.0}
    start = np.random.default_rng(1).uniform(0, 400, (20, 2))
    assert np.array_equal(
        compiled_walk(STREETS, values, start, 500), walk(STREETS, values, start, 500))


@pytest.mark.parametrize(('values', 'named'), [
    ({'columns': 100, 'rows': 21}, 'rows'),  # 2100 crossings
    ({'missing': 1.0}, 'missing'),
])
def test_invalid_parameters_are_refused(values, named):
    with pytest.raises(ParameterError, match=f'parameter {named}'):
        begin(STREETS, values, [[0.0, 0.0]])


# Devices at rest, and the replay of logs.

def test_each_kind_of_motion_has_its_own_type_of_state():
    states = [MOTIONS.get(name).state for name in MOTIONS.names()]
    assert len(set(states)) == len(states)


def test_every_parameter_is_described():
    for name in MOTIONS.names():
        for parameter in table(MOTIONS.get(name).parameters):
            assert parameter.description.endswith('.') and parameter.allowed()


START = [[1.0, 2.0], [3.0, 4.0]]


def test_static_devices_stay():
    assert np.all(walk(STATIC, {}, START, 5) == START)
    assert np.all(compiled_walk(STATIC, {}, START, 5) == START)
    assert STATIC.speed(STATIC.parameters()) == 0.0


@pytest.fixture
def logs(tmp_path):
    """Two robots: one from t = 10 to 12, by a corner; one at t = 11 alone."""
    (tmp_path / 'a.csv').write_text(
        't,v,omega,x,y,theta\n10,0,0,0,0,0\n11,0,0,2,0,0\n12,0,0,2,4,0\n')
    (tmp_path / 'b.csv').write_text('t,v,omega,x,y,theta\n11,0,0,7,8,0\n')
    return str(tmp_path)


def test_replay_follows_two_logs_as_computed_by_hand(logs):
    """The earliest row of all is at time 0; between rows straight lines. Then it stands."""
    places = walk(REPLAY, {'logs': logs}, [[9.0, 9.0], [9.0, 9.0]], 6, tick=0.5)
    assert places[:, 0].tolist() == [[0, 0], [1, 0], [2, 0], [2, 2], [2, 4], [2, 4], [2, 4]]
    assert np.all(places[:, 1] == [7, 8])
    assert REPLAY.speed(build(REPLAY.parameters, {'logs': logs})) == 4.0


def test_real_logs_are_interpolated():
    """Over all rows, five robots, as the reader of logs interpolates them."""
    start = np.zeros((5, 2))
    places = compiled_walk(REPLAY, {}, start, 500, tick=0.26)
    logs = read_logs('physics5')
    wanted = [[log.pose_at(0.26 * t)[:2] for log in logs] for t in range(501)]
    assert np.allclose(places, wanted, rtol=0, atol=1e-12)
    assert np.array_equal(places, walk(REPLAY, {}, start, 500, tick=0.26))
    assert np.all(step_lengths(places) <= REPLAY.speed(REPLAY.parameters()) * 0.26 * (1 + 1e-9))


def test_replay_is_refused_when_a_device_has_no_log(logs):
    with pytest.raises(ParameterError, match='holds 2 logs, for 3 devices'):
        begin(REPLAY, {'logs': logs}, np.zeros((3, 2)))
