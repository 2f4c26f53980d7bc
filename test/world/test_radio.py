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

"""Who hears whom."""

import math

from leader_election.world.parameters import WorldParameters
from leader_election.world.radio import Radio
import numpy as np
import pytest
import shapely

LINE = np.array([[0.0, 0.0], [2.0, 0.0], [4.0, 0.0], [0.0, 3.0]])
WALL = (shapely.box(0.9, -1.0, 1.1, 1.0),)


def radio(**settings: object) -> Radio:
    parameters = WorldParameters(**settings)  # type: ignore[arg-type]
    return Radio(WALL, parameters, np.random.default_rng(1))


@pytest.mark.parametrize(('reach', 'hearers'), [
    (1.99, []), (2.0, [1]), (3.0, [1, 3]), (math.inf, [1, 2, 3])])
def test_range_is_inclusive_and_nobody_hears_itself(reach: float, hearers: list[int]) -> None:
    assert radio(radio_range=reach).hearers(0, LINE).tolist() == hearers


def test_obstacles_block_the_line_of_sight_only_if_asked() -> None:
    assert radio(radio_range=10.0).hearers(0, LINE).tolist() == [1, 2, 3]
    assert radio(radio_range=10.0, line_of_sight=True).hearers(0, LINE).tolist() == [3]
    assert radio(radio_range=10.0, line_of_sight=True).hearers(1, LINE).tolist() == [2, 3]


def test_loss_is_drawn_for_each_hearer() -> None:
    crowd = np.zeros((1001, 2))
    heard = [len(radio(radio_loss=p).hearers(0, crowd)) for p in (0.0, 0.3, 1.0)]
    assert heard[0] == 1000
    assert 630 < heard[1] < 770
    assert heard[2] == 0
