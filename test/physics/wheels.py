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

"""Odometry as a robot makes it: from how far its wheels have turned, and from nothing else."""

import math

from leader_election.world.kinematics import advance, Array
from leader_election.world.robot_body import WHEEL_RADIUS, WHEEL_SEPARATION
import numpy as np


class Wheels:
    """
    Integrates the turning of the wheels of many robots, as if none of them ever slid.

    How far a wheel has turned is known to a whole turn only, as with an encoder: between two looks
    it may turn by less than half a turn.

    :ivar poses: x, y, yaw from where each robot started [m, rad], shape (n, 3).
    """

    def __init__(self, robots: int) -> None:
        self.poses: Array = np.zeros((robots, 3))
        self._before: Array = np.zeros((robots, 2))

    def turn(self, angles: Array) -> None:
        """
        Take in where the wheels are now.

        :param angles: of the left and the right one, forward [rad], shape (n, 2).

        >>> wheels = Wheels(1)
        >>> for angle in (3.0, 6.0, 2.5):
        ...     wheels.turn(np.array([[angle, angle]]))
        >>> round(float(wheels.poses[0, 0]) / WHEEL_RADIUS - 2 * math.pi, 9)
        2.5
        """
        turned = np.remainder(angles - self._before + math.pi, 2 * math.pi) - math.pi
        self._before = angles
        left, right = WHEEL_RADIUS * turned.T
        motion = np.column_stack(((left + right) / 2, (right - left) / WHEEL_SEPARATION))
        self.poses = advance(self.poses, motion, 1.0)
