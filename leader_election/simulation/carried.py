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

"""
The fault of a robot that is carried elsewhere, without a trace in its odometry.

The rest of the path of a replayed robot is moved rigidly, as if it had driven on from there.
"""

from collections.abc import Sequence
from dataclasses import replace

from leader_election.simulation.kinematics import Array, compose, relative
from leader_election.simulation.logs import RobotLog
from leader_election.simulation.motion import Motion
import numpy as np


def carried_log(log: RobotLog, at: float, by: Array) -> RobotLog:
    """
    Return the log of a robot that is carried.

    :param log: of the robot.
    :param at: when it is carried, the time of the log [s]; after the last row: never.
    :param by: how far it is moved: x, y in the shared frame and the turn [m, rad], shape (3,).

    >>> straight = RobotLog(np.array([0.0, 2.0]), np.zeros((2, 2)),
    ...                     np.array([[0.0, 0.0, 0.0], [2.0, 0.0, 0.0]]))
    >>> carried = carried_log(straight, 1.0, np.array([0.0, 5.0, np.pi / 2]))
    >>> [carried.pose_at(t).round(6).tolist() for t in (1.0, 2.0)]
    [[1.0, 5.0, 1.570796], [1.0, 6.0, 1.570796]]
    >>> carried.pose_at(0.999).round(6).tolist()
    [0.999, 0.0, 0.0]
    """
    if at > log.t[-1]:
        return log
    at = max(at, float(log.t[0]))
    before, after = log.t < at, log.t > at
    here = log.pose_at(at)[np.newaxis]
    path = relative(here, log.poses[after])
    last = log.velocities[log.t <= at][-1:]
    # At the time itself there are two rows, with the place before and the place after.
    return replace(
        log,
        t=np.concatenate((log.t[before], [np.nextafter(at, -np.inf), at], log.t[after])),
        velocities=np.vstack((log.velocities[before], last, last, log.velocities[after])),
        poses=np.vstack((log.poses[before], here, here + by, compose(here + by, path))))


class CarriedMotion:
    """Motion of robots, some of which are carried once; they drive on from their new place."""

    def __init__(self, motion: Motion, carried: Sequence[int], at: float, by: Array) -> None:
        """
        Wait for the time.

        :param motion: of all robots; it uses the poses in its arguments.
        :param carried: rows of the robots that are carried.
        :param at: when they are carried [s].
        :param by: as in :func:`carried_log`.
        """
        self._motion = motion
        self._carried = list(carried)
        self._at = at
        self._by = by

    def step(self, poses: Array, now: float, dt: float) -> tuple[Array, Array]:
        """Move all robots for ``dt``, as ``Motion`` says."""
        poses, velocities = self._motion.step(poses, now, dt)
        if self._carried and now + dt >= self._at:
            poses = poses.copy()
            poses[self._carried] += self._by
            self._carried = []
        return poses, velocities
