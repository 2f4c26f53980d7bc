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

"""When a run stops, by hand."""

from leader_election_lab.simulation.build import timetable
from leader_election_lab.topologies.contacts import changes
import numpy as np
import pytest
from simulations import line


def test_timetable_has_start_and_end_when_nothing_changes() -> None:
    assert timetable(line(duration=10), None, True).stops() == [0.0, 10.0]
    # The last sample is at three times 0.1 s, which is more than 0.3 s.
    last = 3 * 0.1
    assert timetable(line(duration=0.3, measure={'interval': 0.1}), None, True).end == last > 0.3


def test_changes_of_each_kind_have_their_times() -> None:
    scenario = line(
        duration=10, strength={'cycle': ['id', 'random'], 'every': 5},
        localisation={'model': 'cooperative', 'interval': 4},
        events=[{'kind': 'die', 'at': 3, 'first': 1}, {'kind': 'join', 'at': 10, 'first': 1}])
    found = timetable(scenario, None, False, [7.5])
    # Strengths do not change at the end any more.
    assert (found.strengths, found.errors) == ({5.0}, {4.0, 8.0})
    assert found.senses == {0.0, 3.0, 5.0, 7.5, 10.0}
    assert found.stops() == [0.0, 3.0, 4.0, 5.0, 7.5, 8.0, 10.0]


@pytest.mark.parametrize(('moving', 'strength', 'times'), [
    (True, 'id', {4.0, 8.0}), (False, 'id', set()), (False, 'data_rate', {4.0, 8.0})])
def test_readings_change_where_devices_move_or_strengths_are_computed(
        moving: bool, strength: str, times: set[float]) -> None:
    scenario = line(
        duration=10, strength={'cycle': [strength]}, sensor={'period': 4},
        messages={'range': 10, 'metric': 'sensor_difference'})
    assert timetable(scenario, None, moving).senses == {0.0, 10.0, *times}


def test_timetable_has_the_changes_of_contacts_until_the_end() -> None:
    scenario = line(duration=3)
    contacts = changes(np.array([0.5, 2.0, 3.5]), np.array([[0, 1]] * 3, np.int32),
                       np.array([True, False, True]))
    assert timetable(scenario, contacts, True).links == {0.0, 0.5, 2.0}
