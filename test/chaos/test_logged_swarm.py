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

"""Robots without ROS hear each other by the radio of their world."""

from benchmarks.logged_swarm import LoggedSwarm
from leader_election.election.robot.reception import HEARD, ROUNDS
import pytest

CORNER = {'robots': 3, 'world': 'empty', 'layout': 'grid', 'spacing': 2.0}
"""Robots 2 and 3 are 2 m from robot 1, and 2.8 m from each other."""


@pytest.mark.parametrize(('radio', 'hears'), [
    ({}, {1: (2, 3), 2: (1, 3), 3: (1, 2)}),
    ({'radio': 'relay', 'radio_range': 2.5}, {1: (2, 3), 2: (1,), 3: (1,)}),
    ({'radio_loss': 1.0}, {1: (), 2: (), 3: ()})])
def test_robots_hear_those_within_the_range_of_the_radio(radio, hears):
    swarm = LoggedSwarm({**CORNER, **radio}, schedule='periodic', round_phase=0.0)
    swarm.run(5.1)
    robots = swarm.robots
    assert robots[1].counts[ROUNDS] > 3
    for robot, others in hears.items():
        assert robots[robot].counts[HEARD] == sum(
            robots[other].counts[ROUNDS] for other in others)
