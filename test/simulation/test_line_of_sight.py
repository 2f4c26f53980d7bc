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

"""Lines of sight through obstacles."""

from leader_election.simulation.line_of_sight import LineOfSight
import numpy as np
import shapely

WALL = shapely.box(1.0, -1.0, 2.0, 1.0)


def test_line_of_sight_takes_pairs_or_one_place_for_all() -> None:
    sight = LineOfSight([WALL])
    there = np.array([[3.0, 0.0], [0.5, 0.0], [0.0, 5.0]])
    assert sight.clear(np.zeros(2), there).tolist() == [False, True, True]
    assert sight.clear(there[[0, 0, 0]], there).tolist() == [True, False, True]
    assert sight.clear(np.zeros(2), np.empty((0, 2))).tolist() == []


def test_touching_an_obstacle_blocks_the_line_of_sight() -> None:
    there = np.array([[3.0, 1.0]])
    assert LineOfSight([WALL]).clear(np.array([0.0, 1.0]), there).tolist() == [False]
    assert LineOfSight([]).clear(np.zeros(2), there).tolist() == [True]
