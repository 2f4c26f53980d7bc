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

"""How robots move: what drives them, and the replay of logs."""

from collections.abc import Sequence
import math
from typing import Protocol

from leader_election.world.kinematics import Array, move
from leader_election.world.logs import Log
from leader_election.world.parameters import WorldParameters
import numpy as np
from numpy.typing import NDArray
import shapely


class Motion(Protocol):
    """What moves the robots from one time to the next."""

    def step(self, poses: Array, now: float, dt: float) -> tuple[Array, Array]:
        """Return the poses at ``now + dt`` [s], and the velocities as robots' wheels turned."""


class Driver(Protocol):
    """What decides on the velocities of robots that drive freely."""

    def velocities(self, poses: Array, blocked: NDArray[np.bool_], now: float, dt: float) -> Array:
        """
        Return the velocities wanted for the next step, shape (n, 2) [m/s, rad/s].

        :param blocked: who was stopped by a wall or an obstacle in the last step.
        """


class Driven:
    """Robots that drive through free space and are stopped at its border."""

    def __init__(self, driver: Driver, free: shapely.Geometry, robots: int) -> None:
        self._driver = driver
        self._free = free
        self._blocked = np.zeros(robots, dtype=bool)

    def step(self, poses: Array, now: float, dt: float) -> tuple[Array, Array]:
        """Drive for one step (:class:`Motion`)."""
        wanted = self._driver.velocities(poses, self._blocked, now, dt)
        poses, velocities, self._blocked = move(poses, wanted, dt, self._free)
        return poses, velocities


class Levy:
    """
    Levy walks: turn to a uniformly drawn direction, then drive a leg.

    The length of a leg is drawn from a Pareto distribution. A new one begins where the last one
    ended, or was stopped.
    """

    def __init__(self, robots: int, parameters: WorldParameters, rng: np.random.Generator) -> None:
        self._parameters = parameters
        self._rng = rng
        self._heading = np.zeros(robots)
        self._left = np.zeros(robots)

    def velocities(self, poses: Array, blocked: NDArray[np.bool_], now: float, dt: float) -> Array:
        """Walk on (:class:`Driver`)."""
        p = self._parameters
        new = np.flatnonzero(blocked | (self._left < 1e-9))
        self._heading[new] = self._rng.uniform(-math.pi, math.pi, len(new))
        self._left[new] = p.levy_scale * (1 + self._rng.pareto(p.levy_shape, len(new)))
        turn = np.remainder(self._heading - poses[:, 2] + math.pi, 2 * math.pi) - math.pi
        forward = np.where(np.abs(turn) < 1e-9, np.minimum(p.speed, self._left / dt), 0.0)
        self._left -= forward * dt
        return np.column_stack((forward, np.clip(turn / dt, -p.turn_rate, p.turn_rate)))


class Commands:
    """The last velocity that each robot was told from outside; it stands still at first."""

    def __init__(self, robots: int, parameters: WorldParameters) -> None:
        self._limits = (parameters.speed, parameters.turn_rate)
        self._timeout = parameters.command_timeout
        self._velocities = np.zeros((robots, 2))
        self._since = np.full(robots, -math.inf)

    def command(self, robot: int, forward: float, turning: float, now: float) -> None:
        """
        Tell a robot, by its place in the order, a velocity [m/s, rad/s], limited to the greatest.

        What is not finite is passed over.
        """
        if math.isfinite(forward) and math.isfinite(turning):
            self._velocities[robot] = np.clip(
                (forward, turning), np.negative(self._limits), self._limits)
            self._since[robot] = now

    def velocities(self, poses: Array, blocked: NDArray[np.bool_], now: float, dt: float) -> Array:
        """Obey (:class:`Driver`)."""
        valid = now - self._since < self._timeout
        return self._velocities * valid[:, np.newaxis]


class Static:
    """Robots that stay where they are."""

    def step(self, poses: Array, now: float, dt: float) -> tuple[Array, Array]:
        """Stay (:class:`Motion`)."""
        return poses, np.zeros((len(poses), 2))


class Replay:
    """Robots that do what logs say, from the earliest row of all to the last, then stand still."""

    def __init__(self, logs: Sequence[Log]) -> None:
        self._logs = logs
        self._first = min(log.t[0] for log in logs)
        self.duration = float(max(log.t[-1] for log in logs) - self._first)
        """Time from the first row to the last [s]."""

    def step(self, poses: Array, now: float, dt: float) -> tuple[Array, Array]:
        """Go to the poses of the next step (:class:`Motion`); velocities are the reported ones."""
        t = self._first + now
        velocities = [(log.travelled_at(t + dt) - log.travelled_at(t)) / dt for log in self._logs]
        return np.array([log.pose_at(t + dt) for log in self._logs]), np.array(velocities)
