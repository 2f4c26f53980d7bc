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

"""How near robots are to each other."""

import math

from hypothesis import given
from hypothesis import strategies as st
from leader_election.world.contact import least_distance, overlaps
from leader_election.world.parameters import WorldParameters
from leader_election.world.world import World
import numpy as np

places = st.lists(st.tuples(st.integers(-4, 4), st.integers(-4, 4)), max_size=12)


def test_one_robot_alone_is_infinitely_far_from_the_others() -> None:
    assert least_distance(np.zeros((1, 3))) == least_distance(np.zeros((0, 3))) == math.inf
    assert overlaps(np.zeros((1, 3)), 1.0) == []


def test_robots_at_the_same_place_overlap_and_who_touch_do_not() -> None:
    # 0 and 2 are at the same place; 1 is 2 m away, which is two radii of 1 m.
    poses = np.array([[0.0, 0.0, 1.0], [2.0, 0.0, 0.0], [0.0, 0.0, 2.0]])
    assert least_distance(poses) == 0.0
    assert overlaps(poses, 1.0) == [(0, 2)]
    assert overlaps(poses, 1.001) == [(0, 1), (0, 2), (1, 2)]


@given(places)
def test_as_when_all_pairs_are_compared(listed: list[tuple[int, int]]) -> None:
    positions = np.array(listed, dtype=float).reshape(-1, 2)
    apart = {(i, j): math.dist(listed[i], listed[j])
             for i in range(len(listed)) for j in range(i + 1, len(listed))}
    assert least_distance(positions) == min(apart.values(), default=math.inf)
    assert overlaps(positions, 1.0) == [pair for pair in apart if apart[pair] < 2.0]


def test_the_world_tells_how_near_its_robots_are() -> None:
    parameters = WorldParameters(robots=9, world='empty', layout='grid', spacing=1.5)
    assert World(parameters).closest == 1.5
