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

"""The parts of patrolled territories, from what leaders say."""

from leader_election.swarm.snapshot import RobotView, Snapshot
from leader_election.swarm.view.frame import patrol_parts
import pytest
from shapely import Polygon
from swarm.view.example import PATROLLED


def told(decision, task='patrol'):
    views = (RobotView(1, None, -9.0, 0.0, 1, (task,), decision=decision),
             RobotView(2, None, -9.0, 1.0, 1, (task,), decision=decision))
    return patrol_parts(Snapshot(0.0, {view.id: view for view in views}))


def test_a_leaders_territory_is_split_among_its_members():
    # A square of 4 m and two robots: cut from north to south through the middle.
    found = told(PATROLLED)
    assert list(found) == [1]
    assert [Polygon(ring).bounds for ring in found[1]] == [
        pytest.approx((1, 1, 3, 5)), pytest.approx((3, 1, 5, 5))]


@pytest.mark.parametrize('decision', [
    '[null]', '[7]', '[[]]', '[{}]', '[{"area":[],"ids":[]}]', '[{"area":[],"ids":[1,2]}]',
    '[{"area":[[0,0,1]],"ids":[1]}]', '[{"area":[["x"]],"ids":[1]}]',
    '[{"area":[[0,0,1e300,0,1e300,1e300]],"ids":[1,2]}]', '[{"area":5,"ids":[1,2]}]',
    '[{"area":[[0,0,4,0,4,4]],"ids":7}]', '[{"area":[[0,0,4,0,4,4]],"ids":[' + '1,' * 999 + '1]}]',
])
def test_malformed_decision_is_not_drawn(decision):
    assert told(decision) == {1: ()}


def test_other_tasks_have_no_parts():
    assert told(PATROLLED, task='rally') == {} == told('')
