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
The scene: the arena, and where each robot starts.

The world's process and the robots' processes each make it out of the same parameters, so that a
robot knows its initial pose without asking.
"""

from dataclasses import dataclass
import math

from leader_election.parameters import ParameterError
from leader_election.world.arena import load_arena
from leader_election.world.logs import Log, read_logs
from leader_election.world.parameters import SceneParameters
import numpy as np
from numpy.typing import NDArray
import shapely

_BATCHES = 20
"""After so many draws of a place for each robot there is no room for more."""
_WIDER = 0.01
"""By so much of the arena's reach a circle grows until there is room."""
_LOG_MARGIN = 0.5
"""Between the logged paths and the walls drawn round them [m]."""


@dataclass(frozen=True, eq=False)
class Scene:
    """Where everything is when the world starts, in the shared frame."""

    arena: shapely.Polygon
    """The inside of the outer walls [m]."""
    obstacles: tuple[shapely.Polygon, ...]
    ids: tuple[int, ...]
    """The robots' ids."""
    starts: tuple[tuple[float, float, float], ...]
    """``(x, y, yaw)`` of each robot [m, rad], in the order of the ids."""
    logs: tuple[Log, ...] = ()
    """The log of each robot, in the order of the ids, where logs are replayed."""

    def start_of(self, robot_id: int) -> tuple[float, float, float]:
        """Return ``(x, y, yaw)`` of one robot; an unknown id is a ``ValueError``."""
        return self.starts[self.ids.index(robot_id)]


def make_scene(parameters: SceneParameters) -> Scene:
    """
    Return the scene, the same for the same parameters in every process.

    :raises ParameterError: when the arena or a log is wrong, or the robots do not fit.

    >>> make_scene(SceneParameters(robots=3, world='empty', layout='grid')).starts
    ((-0.5, -0.5, 0.0), (0.5, -0.5, 0.0), (-0.5, 0.5, 0.0))
    """
    if parameters.logs:
        return _logged(parameters)
    arena, obstacles = load_arena(parameters.world)
    free = free_space(arena, obstacles, parameters.robot_radius)
    starts = _LAYOUTS[parameters.layout](free, parameters)
    if len(starts) < parameters.robots:
        raise ParameterError(
            f'parameter robots: {parameters.robots} do not fit into world {parameters.world} with '
            f'layout {parameters.layout}: only {len(starts)} found room')
    return Scene(arena, obstacles, _ids(parameters, len(starts)), starts)


def free_space(arena: shapely.Polygon, obstacles: tuple[shapely.Polygon, ...],
               robot_radius: float) -> shapely.Geometry:
    """Return where the centre of a robot may be, prepared for many questions."""
    free = arena.difference(shapely.union_all(obstacles)).buffer(-robot_radius)
    shapely.prepare(free)
    return free


def _ids(parameters: SceneParameters, robots: int) -> tuple[int, ...]:
    return tuple(range(parameters.first_id, parameters.first_id + robots))


def _anywhere(free: shapely.Geometry, parameters: SceneParameters,
              ) -> tuple[tuple[float, float, float], ...]:
    """Return poses that are uniform over free space, robots apart; too few where room is short."""
    if free.is_empty:
        return ()
    rng = np.random.default_rng([parameters.seed, 0])
    apart = 2 * parameters.robot_radius
    left, bottom, right, top = free.bounds
    starts: NDArray[np.float64] = np.empty((0, 3))
    for _ in range(_BATCHES):
        drawn = rng.uniform((left, bottom, -math.pi), (right, top, math.pi),
                            size=(max(parameters.robots, 1000), 3))
        drawn = drawn[shapely.contains_xy(free, drawn[:, 0], drawn[:, 1])]
        # Most of what is too near to the earlier ones is found at once; the rest one by one.
        near, _ = shapely.STRtree(shapely.points(starts[:, :2])).query(
            shapely.points(drawn[:, :2]), predicate='dwithin', distance=apart)
        for pose in np.delete(drawn, np.unique(near), axis=0):
            if np.all(np.hypot(*(starts[:, :2] - pose[:2]).T) >= apart):
                starts = np.vstack((starts, pose))
                if len(starts) == parameters.robots:
                    return _poses(starts)
    return _poses(starts)


def _lattice(free: shapely.Geometry, parameters: SceneParameters,
             ) -> tuple[tuple[float, float, float], ...]:
    """Return the lattice points in free space nearest to the centre, as a square, row by row."""
    side = math.ceil(math.sqrt(parameters.robots))
    # An odd square has a robot in its centre, an even one has not.
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


def _circle(free: shapely.Geometry, parameters: SceneParameters,
            ) -> tuple[tuple[float, float, float], ...]:
    """Return poses evenly on the smallest circle that has room for all; else the most it has."""
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
        radius += max(reach, spacing) * _WIDER
    return _poses(np.column_stack((most[:, :2], np.mod(most[:, 2] + math.pi, 2 * math.pi)
                                   - math.pi)))


def _logged(parameters: SceneParameters) -> Scene:
    logs = read_logs(parameters.logs)
    paths = shapely.MultiPoint(np.vstack([log.poses[:, :2] for log in logs]))
    arena = shapely.box(*paths.bounds).buffer(_LOG_MARGIN, join_style='mitre')
    starts = _poses(np.array([log.poses[0] for log in logs]))
    return Scene(arena, (), _ids(parameters, len(logs)), starts, logs)


_LAYOUTS = {'random': _anywhere, 'grid': _lattice, 'circle': _circle}
"""The layouts, as parameter layout names them."""


def _poses(array: NDArray[np.float64]) -> tuple[tuple[float, float, float], ...]:
    return tuple((x, y, yaw) for x, y, yaw in array.tolist())
