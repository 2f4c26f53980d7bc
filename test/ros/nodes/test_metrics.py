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

"""Metrics of robots' nodes over real DDS."""


import pytest
from ros.nodes.bench import Bench, leaders, robot
from support import spin_until

pytestmark = pytest.mark.usefixtures('ros')


def test_predicted_metric_leaves_a_robot_that_drives_away() -> None:
    """Half a minute ahead 2 is 12 m farther, beyond the radius; it stops, and is led again."""
    robots = [robot(i, metric='look_ahead', look_ahead=30.0, radius=10.0, radius_hysteresis=0.0,
                    communication_range=100.0) for i in (1, 2)]
    bench = Bench({1: (0.0, 0.0), 2: (2.0, 0.0)})
    speed = [0.4]

    def drive() -> None:
        x, y = bench.places[2]
        bench.places[2] = x + 0.05 * speed[0], y
    bench.create_timer(0.05, drive)
    everyone = [bench, *robots]

    def ahead() -> float:
        return max((near.distance for near in robots[1].robot.neighbours), default=0.0)
    spin_until(everyone, lambda: leaders(robots) == [1, 2] and ahead() > 10.0)
    assert ahead() > bench.places[2][0] + 5.0
    speed[0] = 0.0
    spin_until(everyone, lambda: ahead() < bench.places[2][0] + 1.0)
    spin_until(everyone, lambda: len(set(leaders(robots))) == 1 or bench.places[2][0] > 10.0)
