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

"""Programs of rounds."""

import math
from typing import Any

from leader_election.election.robot.parameters import ElectionParameters
from leader_election.election.robot.robot import Robot
from leader_election.election.robot.schedulers import (
    Scheduler,
    STEADY,
    STRIDE,
    StrideParameters,
)
from leader_election.election.robot.strength import RobotKnowledge
from leader_election.swarm.simulated_swarm import SimulatedSwarm
import pytest


def at(speed: float) -> RobotKnowledge:
    return RobotKnowledge(1, 2, 1.0, 0.0, 0.0, 9.0, 1, 0.0, math.nan, speed)


@pytest.mark.parametrize(('speed', 'period'), [
    (0.0, 2.0), (0.1, 2.0), (0.25, 1.0), (0.5, 0.5), (100.0, 0.1), (math.nan, 2.0)])
def test_stride_by_hand(speed: float, period: float) -> None:
    """A round each 0.25 m, at least each 2 s and at most each 0.1 s."""
    assert STRIDE.period(at(speed), StrideParameters(0.25), 2.0) == period
    assert STEADY.period(at(speed), None, 2.0) == 2.0


@pytest.mark.parametrize('wait', [
    lambda known, parameters: 1 / 0, lambda known, parameters: 'soon',
    lambda known, parameters: math.nan])
def test_a_program_that_fails_leaves_the_round_period(wait: Any) -> None:
    assert Scheduler('bad', wait).period(at(1.0), None, 3.0) == 3.0


def test_a_moving_robot_runs_more_rounds() -> None:
    """Robot 1 stands; robot 2 moves at 0.5 m/s by its odometry: a round each 0.5 s, not each 2."""
    robots = {i: Robot(ElectionParameters(
        robot_id=i, scheduler='stride', round_period=2.0, message_expiry=5.0,
        schedule='periodic', radius=50.0, communication_range=50.0)) for i in (1, 2)}
    swarm = SimulatedSwarm(robots, lambda sender: [3 - sender])
    rounds = {1: 0, 2: 0}

    def count(robot: int) -> None:
        rounds[robot] += 1

    for step in range(400):
        for i, robot in robots.items():
            robot.sensing.take_odometry((0.05 * step * (i - 1), float(i), 0.0), swarm.now, yaw=0.0)
        swarm.run(0.1, each=count)
    assert 19 <= rounds[1] <= 21 and 75 <= rounds[2] <= 80
    assert {robot.main.state.leader for robot in robots.values()} == {1}
