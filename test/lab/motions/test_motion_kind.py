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

"""Devices at rest, and the replay of logs."""

from lab.motions.walks import begin, compiled_walk, step_lengths, walk
from leader_election.lab.motions import MOTIONS, REPLAY, STATIC
from leader_election.parameters import build, ParameterError, table
from leader_election.simulation.robot_logs import read_logs
import numpy as np
import pytest


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


def test_two_logs_by_hand(logs):
    """The earliest row of all is at time 0; between rows straight lines; then it stands."""
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


def test_a_log_is_required_for_each_device(logs):
    with pytest.raises(ParameterError, match='holds 2 logs, for 3 devices'):
        begin(REPLAY, {'logs': logs}, np.zeros((3, 2)))
