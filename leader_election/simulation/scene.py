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
The scene: the arena, and the initial pose of each robot.

The world's process and the robots' processes each compute it from the same parameters, so that a
robot's initial pose need not be communicated.
"""

from dataclasses import dataclass
import math

from leader_election.parameters import ParameterError
from leader_election.simulation.arena import load_arena
from leader_election.simulation.parameters import SceneParameters
from leader_election.simulation.robot_logs import read_logs, RobotLog
import numpy as np
from numpy.typing import NDArray
import shapely

_MAX_BATCHES = 20
"""Batches of random positions that are drawn before the arena counts as full."""
_CIRCLE_GROWTH = 0.01
"""The step by which the circle grows until all robots fit, as a share of the arena's extent."""
_LOG_MARGIN = 0.5
"""The distance between logged paths and the walls round them [m]."""


@dataclass(frozen=True, eq=False)
class Scene:
    """Arena, obstacles and robots at time 0, in the shared frame."""

    arena: shapely.Polygon
    """The inside of the outer walls [m]."""
    obstacles: tuple[shapely.Polygon, ...]
    ids: tuple[int, ...]
    """The robots' ids."""
    starts: tuple[tuple[float, float, float], ...]
    """``(x, y, yaw)`` of each robot [m, rad], in the order of the ids."""
    logs: tuple[RobotLog, ...] = ()
    """The log of each robot, in the order of the ids, where logs are replayed."""


def make_scene(parameters: SceneParameters) -> Scene:
    """
    Build the scene; equal parameters give equal scenes in every process.

    :param parameters: number of robots, arena, layout, seed, or the logs to replay.
    :raises ParameterError: for a wrong arena or log, and for robots that do not fit.

    >>> make_scene(SceneParameters(robots=3, world='empty', layout='grid')).starts
    ((-0.5, -0.5, 0.0), (0.5, -0.5, 0.0), (-0.5, 0.5, 0.0))
    """
    if parameters.logs:
        return _scene_of_logs(parameters)
    arena, obstacles = load_arena(parameters.world)
    free = free_space(arena, obstacles, parameters.robot_radius)
    starts = _LAYOUTS[parameters.layout](free, parameters)
    if len(starts) < parameters.robots:
        raise ParameterError('robots', problem=f': {parameters.robots} do not fit into world '
                             f'{parameters.world} with layout {parameters.layout}: only '
                             f'{len(starts)} found room')
    return Scene(arena=arena, obstacles=obstacles, ids=_ids(parameters, len(starts)),
                 starts=starts)


def free_space(arena: shapely.Polygon, obstacles: tuple[shapely.Polygon, ...],
               robot_radius: float) -> shapely.Geometry:
    """
    Return the region allowed for robot centres, prepared for many queries.

    :param arena: the inside of the outer walls [m].
    :param obstacles: [m].
    :param robot_radius: the least distance from a centre to walls and obstacles [m].
    """
    free = arena.difference(shapely.union_all(obstacles)).buffer(-robot_radius)
    shapely.prepare(free)
    return free


def _ids(parameters: SceneParameters, robots: int) -> tuple[int, ...]:
    return tuple(range(parameters.first_id, parameters.first_id + robots))


def _random_starts(free: shapely.Geometry, parameters: SceneParameters,
                   ) -> tuple[tuple[float, float, float], ...]:
    """Return random poses, uniform over free space, without overlaps; too few if it is full."""
    if free.is_empty:
        return ()
    rng = np.random.default_rng([parameters.seed, 0])
    apart = 2 * parameters.robot_radius
    left, bottom, right, top = free.bounds
    starts: NDArray[np.float64] = np.empty((0, 3))
    for _ in range(_MAX_BATCHES):
        drawn = rng.uniform((left, bottom, -math.pi), (right, top, math.pi),
                            size=(max(parameters.robots, 1000), 3))
        drawn = drawn[shapely.contains_xy(free, drawn[:, 0], drawn[:, 1])]
        # A spatial index removes all positions too near to earlier robots; the remaining ones may
        # be too near to each other, and are tested one by one.
        near, _ = shapely.STRtree(shapely.points(starts[:, :2])).query(
            shapely.points(drawn[:, :2]), predicate='dwithin', distance=apart)
        for pose in np.delete(drawn, np.unique(near), axis=0):
            if np.all(np.hypot(*(starts[:, :2] - pose[:2]).T) >= apart):
                starts = np.vstack((starts, pose))
                if len(starts) == parameters.robots:
                    return _poses(starts)
    return _poses(starts)


def _grid_starts(free: shapely.Geometry, parameters: SceneParameters,
                 ) -> tuple[tuple[float, float, float], ...]:
    """Return the points of a square grid in free space nearest to the centre, row by row."""
    side = math.ceil(math.sqrt(parameters.robots))
    # A square with an odd side has a robot in its centre, one with an even side has not.
    shift = 0.0 if side % 2 else 0.5
    reach = 0 if free.is_empty else math.ceil(
        min(np.abs(free.bounds).max() / parameters.spacing, parameters.robots)) + 1
    line = np.arange(-reach, reach) + shift
    x, y = (axis.ravel() for axis in np.meshgrid(line, line))
    inside = shapely.contains_xy(free, x * parameters.spacing, y * parameters.spacing)
    x, y = x[inside], y[inside]
    ring = np.maximum(np.abs(x), np.abs(y))
    nearest = np.sort(np.argsort(ring, kind='stable')[:parameters.robots])
    return _poses(np.column_stack((x, y, np.zeros_like(x)))[nearest]
                  * (parameters.spacing, parameters.spacing, 1.0))


def _circle_starts(free: shapely.Geometry, parameters: SceneParameters,
                   ) -> tuple[tuple[float, float, float], ...]:
    """Return poses evenly on the smallest circle on which all fit, or the most that fit on any."""
    robots, spacing = parameters.robots, parameters.spacing
    yaw = 2 * math.pi * np.arange(robots) / robots
    radius = spacing / (2 * math.sin(math.pi / robots)) if robots > 1 else 0.0
    reach = 0.0 if free.is_empty else float(np.abs(free.bounds).max())
    most = np.empty((0, 3))
    while radius <= reach:
        ring = np.column_stack((radius * np.cos(yaw), radius * np.sin(yaw), yaw))
        found = ring[shapely.contains_xy(free, ring[:, 0], ring[:, 1])]
        most = max(most, found, key=len)
        if len(most) == robots:
            break
        radius += max(reach, spacing) * _CIRCLE_GROWTH
    return _poses(np.column_stack((most[:, :2], np.mod(most[:, 2] + math.pi, 2 * math.pi)
                                   - math.pi)))


def _scene_of_logs(parameters: SceneParameters) -> Scene:
    logs = read_logs(parameters.logs)
    paths = shapely.MultiPoint(np.vstack([log.poses[:, :2] for log in logs]))
    arena = shapely.box(*paths.bounds).buffer(_LOG_MARGIN, join_style='mitre')
    starts = _poses(np.array([log.poses[0] for log in logs]))
    return Scene(arena=arena, obstacles=(), ids=_ids(parameters, len(logs)), starts=starts,
                 logs=logs)


_LAYOUTS = {'random': _random_starts, 'grid': _grid_starts, 'circle': _circle_starts}
"""The functions that place robots, by the value of parameter ``layout``."""


def _poses(array: NDArray[np.float64]) -> tuple[tuple[float, float, float], ...]:
    return tuple((x, y, yaw) for x, y, yaw in array.tolist())
