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

"""Motion of the robots: Levy walks, velocity commands, none, or the replay of logs; carrying."""

from collections.abc import Sequence
from dataclasses import replace
import math
from typing import Protocol

from leader_election.simulation.kinematics import Array, compose, move, relative
from leader_election.simulation.parameters import WorldParameters
from leader_election.simulation.robot_logs import first_time, RobotLog
import numpy as np
from numpy.typing import NDArray
import shapely

TURN_RATE = 1.5
"""Angular speed of Levy walks, and the limit for commands [rad/s]."""
LEVY_SCALE, LEVY_SHAPE = 1.0, 1.5
"""The shortest leg of a Levy walk [m], and the exponent of the Pareto distribution of legs."""
COMMAND_TIMEOUT = 0.5
"""The time for which a velocity command is valid [s]."""


class Motion(Protocol):
    """Moves all robots by one step."""

    def step(self, poses: Array, now: float, dt: float) -> tuple[Array, Array]:
        """
        Return the next poses, and the velocities as wheel encoders would measure them.

        :param poses: x, y, yaw at time ``now`` [m, rad], shape (n, 3).
        :param now: simulated time [s].
        :param dt: duration of the step [s].
        :return: poses at ``now + dt`` [m, rad], shape (n, 3), and velocities [m/s, rad/s], shape
            (n, 2), or (n, 3) with the sideways velocity [m/s].
        """


class VelocityController(Protocol):
    """Chooses the velocities of robots that drive freely."""

    def velocities(self, poses: Array, blocked: NDArray[np.bool_], now: float, dt: float) -> Array:
        """
        Return the velocities commanded for the next step [m/s, rad/s], shape (n, 2).

        :param poses: x, y, yaw at time ``now`` [m, rad], shape (n, 3).
        :param blocked: which robots were stopped by a wall or an obstacle in the last step, shape
            (n,).
        :param now: simulated time [s].
        :param dt: duration of the step [s].
        """

    def configure(self, parameters: WorldParameters) -> None:
        """Apply changed parameters, of which ``speed`` is dynamic."""


class DrivenMotion:
    """Robots that follow a controller through free space and are stopped at its border."""

    def __init__(self, controller: VelocityController, free: shapely.Geometry,
                 robots: int) -> None:
        """
        Start with no robot blocked.

        :param free: the region allowed for robot centres, prepared.
        :param robots: how many there are.
        """
        self._controller = controller
        self._free = free
        self._blocked = np.zeros(robots, dtype=bool)

    def step(self, poses: Array, now: float, dt: float) -> tuple[Array, Array]:
        """Drive for ``dt``, as :class:`Motion` says."""
        wanted = self._controller.velocities(poses, self._blocked, now, dt)
        poses, velocities, self._blocked = move(poses, wanted, dt, self._free)
        return poses, velocities


class LevyWalk:
    """
    Levy walks: turn to a uniformly drawn heading, then drive a leg of Pareto-distributed length.

    A new leg begins where the last one ended or was blocked.
    """

    def __init__(self, robots: int, parameters: WorldParameters, rng: np.random.Generator,
                 accuracy: float = 1e-9, settling: float = 0.0) -> None:
        """
        Start with no leg.

        :param robots: how many there are.
        :param parameters: ``speed``.
        :param rng: the source of headings and lengths.
        :param accuracy: the error of the heading within which a robot drives [rad].
        :param settling: the least time constant of turning [s], 0 for one step.
        """
        self.configure(parameters)
        self._rng = rng
        self._accuracy, self._settling = accuracy, settling
        self._heading = np.zeros(robots)
        self._left = np.zeros(robots)

    def configure(self, parameters: WorldParameters) -> None:
        """Apply changed parameters (:class:`VelocityController`)."""
        self._speed = parameters.speed

    def velocities(self, poses: Array, blocked: NDArray[np.bool_], now: float, dt: float) -> Array:
        """Continue the walk (:class:`VelocityController`)."""
        new = np.flatnonzero(blocked | (self._left < 1e-9))
        self._heading[new] = self._rng.uniform(-math.pi, math.pi, len(new))
        self._left[new] = LEVY_SCALE * (1 + self._rng.pareto(LEVY_SHAPE, len(new)))
        turn = np.remainder(self._heading - poses[:, 2] + math.pi, 2 * math.pi) - math.pi
        aligned = np.abs(turn) < self._accuracy
        forward = np.where(aligned, np.minimum(self._speed, self._left / dt), 0.0)
        self._left -= forward * dt
        turning = np.clip(turn / max(dt, self._settling), -TURN_RATE, TURN_RATE)
        return np.column_stack((forward, turning))


class VelocityCommands:
    """The last velocity command of each robot. Robots stand still without a recent one."""

    def __init__(self, robots: int, parameters: WorldParameters) -> None:
        """
        Start with no commands.

        :param robots: how many there are.
        :param parameters: ``speed``.
        """
        self.configure(parameters)
        self._velocities = np.zeros((robots, 2))
        self._since = np.full(robots, -math.inf)

    def configure(self, parameters: WorldParameters) -> None:
        """Apply changed parameters (:class:`VelocityController`)."""
        self._limits = (parameters.speed, TURN_RATE)

    def command(self, robot: int, linear: float, angular: float, now: float) -> None:
        """
        Set the velocity of a robot, clipped to the limits. Values that are not finite are ignored.

        :param robot: its row.
        :param linear: [m/s].
        :param angular: [rad/s].
        :param now: simulated time [s].
        """
        if math.isfinite(linear) and math.isfinite(angular):
            self._velocities[robot] = np.clip(
                (linear, angular), np.negative(self._limits), self._limits)
            self._since[robot] = now

    @property
    def any_received(self) -> bool:
        """Return whether any robot has ever received a command."""
        return bool(np.isfinite(self._since).any())

    def velocities(self, poses: Array, blocked: NDArray[np.bool_], now: float, dt: float) -> Array:
        """Return the commands that have not timed out (:class:`VelocityController`)."""
        valid = now - self._since < COMMAND_TIMEOUT
        return self._velocities * valid[:, np.newaxis]


class StaticMotion:
    """Robots that do not move."""

    def step(self, poses: Array, now: float, dt: float) -> tuple[Array, Array]:
        """Leave the poses as they are (:class:`Motion`)."""
        return poses, np.zeros((len(poses), 2))


class ReplayMotion:
    """Replay of logs, from the earliest row of all logs to the last. Then robots stand still."""

    def __init__(self, logs: Sequence[RobotLog]) -> None:
        """
        Find the common beginning of the logs.

        :param logs: one for each robot, at least one.
        """
        self._logs = logs
        self._first = first_time(logs)
        self.duration = float(max(log.t[-1] for log in logs) - self._first)
        """Time from the first row to the last [s]."""
        sideways = any(log.velocities[:, 2].any() for log in logs)
        self._columns = 3 if sideways else 2

    def carry(self, rows: Sequence[int], at: float, by: Array) -> None:
        """Carry robots, as :class:`CarriedMotion` does."""
        self._logs = [carried_log(log, self._first + at, by) if row in rows else log
                      for row, log in enumerate(self._logs)]

    def step(self, poses: Array, now: float, dt: float) -> tuple[Array, Array]:
        """Return the logged poses and the reported velocities (:class:`Motion`)."""
        t = self._first + now
        velocities = np.array(
            [(log.travelled_at(t + dt) - log.travelled_at(t)) / dt for log in self._logs])
        return np.array([log.pose_at(t + dt) for log in self._logs]), velocities[:, :self._columns]


def carried_log(log: RobotLog, at: float, by: Array) -> RobotLog:
    """
    Return the log of a robot that is carried.

    :param log: of the robot.
    :param at: when it is carried, the time of the log [s]. A time after the last row means never.
    :param by: how far it is moved: x, y in the shared frame and the turn [m, rad], shape (3,).

    >>> straight = RobotLog(np.array([0.0, 2.0]), np.zeros((2, 3)),
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
    """Motion of robots that may be carried. They drive on from their new place."""

    def __init__(self, motion: Motion) -> None:
        """
        Carry none.

        :param motion: of all robots. It uses the poses in its arguments.
        """
        self._motion = motion
        self._planned: list[tuple[list[int], float, Array]] = []

    def carry(self, rows: Sequence[int], at: float, by: Array) -> None:
        """
        Carry robots once.

        :param rows: of these robots.
        :param at: when [s], at once if it is over.
        :param by: as in :func:`carried_log`.
        """
        self._planned.append((list(rows), at, by))

    def step(self, poses: Array, now: float, dt: float) -> tuple[Array, Array]:
        """Move all robots for ``dt``, as ``Motion`` says."""
        poses, velocities = self._motion.step(poses, now, dt)
        for rows, at, by in self._planned:
            if now + dt >= at:
                poses = poses.copy()
                poses[rows] += by
        self._planned = [each for each in self._planned if now + dt < each[1]]
        return poses, velocities
