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

"""A swarm compared with the truth."""

import math

from benchmarks.swarm_watch import right_leaders, Rules, Watch
import pytest


def test_leaders_equal_the_computed_partition() -> None:
    # 3 hears 2, which hears 1; 3 reaches 1 by way of 2 only within a radius of 6.
    line = {1: (0.0, 0.0), 2: (3.0, 0.0), 3: (6.0, 0.0)}
    assert right_leaders(line, Rules(6.0, 4.0), {}) == {1: 3, 2: 3, 3: 3}
    assert right_leaders(line, Rules(5.9, 4.0), {}) == {1: 1, 2: 3, 3: 3}
    assert right_leaders(line, Rules(9.0, 2.9), {}) == {1: 1, 2: 2, 3: 3}
    # With hysteresis a robot keeps its leader up to the whole radius, and adopts none there.
    assert right_leaders(line, Rules(6.0, 4.0, 0.25), {})[1] == 1
    assert right_leaders(line, Rules(6.0, 4.0, 0.25), {1: 3})[1] == 3


def message(robot: int, x: float, leader: int, distance: float) -> str:
    return (f'{{"v":1,"id":{robot},"frame":"map","p":[{x},0.0],'
            f'"c":[{-leader}.0,{distance},{leader}]}}')


def test_figures_count_wrong_leaders_wrong_positions_and_changes() -> None:
    watch = Watch(Rules(6.0, 4.0))
    for now, follows in ((1.0, 2), (2.0, 2), (3.0, 1), (4.0, 2)):
        watch.hear(message(1, 0.5, follows, 3.0 * (follows == 2)), now)
        watch.hear(message(2, 3.0, 2, 0.0), now)
        watch.look(now, {1: (0.0, 0.0), 2: (3.0, 0.0)})
    figures = watch.figures()
    assert (figures.robots, figures.partitions) == (7 / 8, 3 / 4)
    assert (figures.error, figures.worst, figures.end) == pytest.approx((0.25, 0.5, 0.25))
    assert figures.neighbours == pytest.approx(0.5)
    assert figures.changes == 2 / 2 / (3.0 / 60.0)
    assert watch.figures(0.0, 2.5).robots == 1.0 and math.isnan(watch.figures(9.0).robots)


def test_samples_count_from_the_first_partition_on() -> None:
    watch = Watch(Rules(6.0, 4.0))
    watch.hear(message(1, 0.0, 2, 3.0), 1.0)
    watch.look(1.0, {1: (0.0, 0.0), 2: (3.0, 0.0)})
    assert watch.partitioned == math.inf and math.isnan(watch.figures().robots)
