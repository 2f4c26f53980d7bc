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

"""Odometry out of wheels' angles, by hand."""

import math

from leader_election.world.robot_body import WHEEL_RADIUS, WHEEL_SEPARATION
import numpy as np
from physics.wheels import Wheels
import pytest


def test_straight_on_the_spot_and_round_one_wheel() -> None:
    wheels = Wheels(3)
    quarter = math.pi / 2 * WHEEL_SEPARATION / WHEEL_RADIUS
    steps = 8
    for k in range(1, steps + 1):
        wheels.turn(np.array([[k, k], [-k * quarter / 2 / steps, k * quarter / 2 / steps],
                              [0.0, k * quarter / steps]]))
    # Forward; a quarter to the left; a quarter round the left wheel, which is at y = half.
    half = WHEEL_SEPARATION / 2
    assert wheels.poses == pytest.approx(np.array([
        [steps * WHEEL_RADIUS, 0.0, 0.0], [0.0, 0.0, math.pi / 2], [half, half, math.pi / 2]]))


def test_angles_may_come_as_remainders_of_whole_turns() -> None:
    far, near = Wheels(1), Wheels(1)
    for angle in np.arange(0.0, 40.0, 1.5):
        far.turn(np.array([[angle, 2 * angle]]))
        near.turn(np.remainder([[angle, 2 * angle]], 2 * math.pi))
    assert near.poses == pytest.approx(far.poses)
