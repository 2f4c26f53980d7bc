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

"""Motion of the robots: poses, Levy walks, velocity commands, none."""

import math
from typing import Protocol

from leader_election.simulation.parameters import WorldParameters
import numpy as np
from numpy.typing import NDArray
import shapely

Array = NDArray[np.float64]
"""
Poses have shape (n, 3): x, y, yaw [m, rad]; velocities (n, 2): linear, angular [m/s, rad/s].

Velocities of omnidirectional robots have shape (n, 3): the third is sideways, to the left [m/s].
"""


def advance(poses: Array, velocities: Array, dt: float) -> Array:
    """
    Integrate the motion exactly, along circular arcs of constant velocity.

    :param poses: x, y, yaw [m, rad], shape (n, 3).
    :param velocities: linear and angular velocity [m/s, rad/s], shape (n, 2), or (n, 3) with the
        sideways velocity [m/s].
    :param dt: duration [s].
    :return: the poses after ``dt``, shape (n, 3). Yaw is not wrapped.

    >>> quarter = advance(np.zeros((1, 3)), np.array([[np.pi / 2, np.pi / 2]]), 1.0)
    >>> quarter.round(6).tolist()
    [[1.0, 1.0, 1.570796]]
    """
    half = velocities[:, 1] * dt / 2
    # The chord of the arc has length v dt sin(half) / half and points half the turn ahead. sinc
    # has no singularity at 0, where the robot drives straight.
    chord = velocities[:, 0] * dt * np.sinc(half / np.pi)
    along = poses[:, 2] + half
    cos, sin = np.cos(along), np.sin(along)
    ahead = poses + np.column_stack((chord * cos, chord * sin, 2 * half))
    if velocities.shape[1] == 3:
        chord = velocities[:, 2] * dt * np.sinc(half / np.pi)
        ahead[:, :2] += np.column_stack((-chord * sin, chord * cos))
    return ahead


def planar_velocities_between(before: Array, after: Array, dt: float | Array) -> Array:
    """
    Return the constant velocities between two moments (inverse of :func:`advance`).

    :param before: x, y, yaw [m, rad], shape (n, 3).
    :param after: the same, ``dt`` later, less than half a turn away.
    :param dt: duration [s], positive, one for all or shape (n,).
    :return: linear, angular and sideways velocity [m/s, rad/s, m/s], shape (n, 3).

    >>> there = advance(np.zeros((1, 3)), np.array([[-0.5, 2.0, 0.25]]), 0.1)
    >>> planar_velocities_between(np.zeros((1, 3)), there, 0.1).round(6).tolist()
    [[-0.5, 2.0, 0.25]]
    """
    turn = (after[:, 2] - before[:, 2] + np.pi) % (2 * np.pi) - np.pi
    along = before[:, 2] + turn / 2
    cos, sin = np.cos(along), np.sin(along)
    x, y = (after[:, :2] - before[:, :2]).T
    bend = np.sinc(turn / 2 / np.pi)
    moved = np.column_stack(((x * cos + y * sin) / bend, turn, (y * cos - x * sin) / bend))
    return moved / np.reshape(dt, (-1, 1))


def velocities_between(before: Array, after: Array, dt: float) -> Array:
    """
    Return the constant velocities of unicycles, as :func:`planar_velocities_between` does.

    Sideways motion off the arcs is left out.

    :return: linear and angular velocity [m/s, rad/s], shape (n, 2).
    """
    return planar_velocities_between(before, after, dt)[:, :2]


def relative(origin: Array, poses: Array) -> Array:
    """
    Transform poses into the frames given by other poses, row by row.

    :param origin: the frames' poses [m, rad], shape (n, 3).
    :param poses: the poses to transform [m, rad], shape (n, 3).
    :return: each pose in its frame [m, rad], shape (n, 3).

    >>> facing_left = np.array([[1.0, 0.0, np.pi / 2]])
    >>> relative(facing_left, np.array([[1.0, 2.0, np.pi / 2]])).round(6).tolist()
    [[2.0, 0.0, 0.0]]
    """
    cos, sin = np.cos(origin[:, 2]), np.sin(origin[:, 2])
    x, y, turn = (poses - origin).T
    return np.column_stack((cos * x + sin * y, cos * y - sin * x, turn))


def compose(origin: Array, poses: Array) -> Array:
    """
    Transform poses out of the frames given by other poses (inverse of :func:`relative`).

    :param origin: the frames' poses [m, rad], shape (n, 3), or (1, 3) for one frame.
    :param poses: each pose in its frame [m, rad], shape (n, 3).
    :return: the poses in the frame of the origins [m, rad], shape (n, 3).

    >>> facing_left = np.array([[1.0, 0.0, np.pi / 2]])
    >>> compose(facing_left, np.array([[2.0, 0.0, 0.0]])).round(6).tolist()
    [[1.0, 2.0, 1.570796]]
    """
    cos, sin = np.cos(origin[:, 2]), np.sin(origin[:, 2])
    x, y, turn = poses.T
    return origin + np.column_stack((cos * x - sin * y, sin * x + cos * y, turn))


def move(poses: Array, velocities: Array, dt: float, free: shapely.Geometry,
         ) -> tuple[Array, Array, NDArray[np.bool_]]:
    """
    Move robots through free space for one step. A robot whose path leaves it turns on the spot.

    :param poses: x, y, yaw [m, rad], shape (n, 3).
    :param velocities: commanded linear and angular velocity [m/s, rad/s], shape (n, 2).
    :param dt: duration of the step [s].
    :param free: the region allowed for robot centres, prepared.
    :return: the new poses, the velocities that were really driven, and which robots were blocked,
        shapes (n, 3), (n, 2) and (n,).
    """
    ahead = advance(poses, velocities, dt)
    # Only robots that translate are tested: the geometric query is the expensive part.
    blocked = np.any(ahead[:, :2] != poses[:, :2], axis=1)
    paths = np.stack((poses[blocked, :2], ahead[blocked, :2]), axis=1)
    blocked[blocked] = ~shapely.covers(free, shapely.linestrings(paths))
    allowed = velocities.copy()
    allowed[blocked, 0] = 0.0
    ahead[blocked, :2] = poses[blocked, :2]
    return ahead, allowed, blocked


def least_distance(positions: Array) -> float:
    """
    Return the least distance between the centres of two robots.

    :param positions: x, y (further columns are ignored) [m], shape (n, 2 or more).
    :return: [m], infinity with fewer than two robots.

    >>> least_distance(np.array([[0.0, 0.0], [9.0, 0.0], [3.0, 4.0]]))
    5.0
    """
    return min((float(np.hypot(*(positions[i + 1:, :2] - here).T).min())
                for i, here in enumerate(positions[:-1, :2])), default=math.inf)


def overlaps(positions: Array, robot_radius: float) -> list[tuple[int, int]]:
    """
    Return the pairs of robots that overlap. Robots are discs, and touching is not overlapping.

    :param positions: x, y (further columns are ignored) [m], shape (n, 2 or more).
    :param robot_radius: [m].
    :return: pairs of row indices, the lower one first, in ascending order.

    >>> overlaps(np.array([[0.0, 0.0], [9.0, 0.0], [0.5, 0.0], [8.8, 0.0]]), 0.25)
    [(1, 3)]
    """
    points = shapely.points(positions[:, :2])
    first, second = shapely.STRtree(points).query(
        points, predicate='dwithin', distance=2 * robot_radius)
    apart = np.hypot(*(positions[first, :2] - positions[second, :2]).T)
    # dwithin includes touching robots and reports each pair twice.
    hit = (first < second) & (apart < 2 * robot_radius)
    return sorted(zip(first[hit].tolist(), second[hit].tolist()))


def quaternions(yaws: Array) -> Array:
    """
    Return the z and w components of quaternions of rotations about the vertical.

    :param yaws: [rad], shape (n,).
    :return: shape (n, 2).

    >>> quaternions(np.array([0.0, np.pi])).round(6).tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """
    return np.column_stack((np.sin(yaws / 2), np.cos(yaws / 2)))


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
