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

"""Regions as polygons."""

from leader_election.robot.regions import outline
import pytest
from shapely import Point

TRIANGLE = [(0.0, 0.0), (4.0, 0.0), (0.0, 3.0), (1.0, 1.0)]


def test_outline():
    assert outline(TRIANGLE).area == 6.0
    assert len(outline(TRIANGLE).exterior.coords) == 4, 'the inner one is no corner'


@pytest.mark.parametrize('positions', [
    [(1.0, 1.0)], [(1.0, 1.0), (1.0, 1.0)], [(0.0, 0.0), (1.0, 1.0)],
    [(0.0, 0.0), (1.0, 1.0), (2.0, 2.0)]])
def test_no_area_without_a_margin(positions):
    assert outline(positions).is_empty
    wide = outline(positions, margin=0.5)
    assert all(wide.contains(Point(p)) for p in positions)
    assert wide.exterior.distance(Point(positions[0])) == pytest.approx(0.5, abs=0.05)
