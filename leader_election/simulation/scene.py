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
The scene: arena, walls as boxes, lines of sight, and the initial pose of each robot.

The world's process and the robots' processes each compute it from the same parameters, so that a
robot's initial pose need not be communicated.

An arena is a YAML file with ``size: [w, h]`` and ``obstacles:``, a list of polygons. All lengths
are in metres. The arena is centred on the origin. A polygon is a list of three or more points
``[x, y]``.

For simulators with contact physics walls and obstacles are boxes: they treat boxes exactly, but
divide extruded polygons into triangles, at which a round robot jitters. So an obstacle that is not
a rectangle collides as one box along each edge, just inside the polygon.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files
import math
import re
from typing import Any, NamedTuple

from leader_election.parameters import did_you_mean, ParameterError, shown
from leader_election.parameters.files import read_text, read_yaml
from leader_election.simulation.motion import Array
from leader_election.simulation.parameters import SceneParameters
from leader_election.simulation.robot_body import RADIUS
from leader_election.simulation.robot_logs import read_logs, RobotLog
import numpy as np
from numpy.typing import NDArray
import shapely
from shapely import affinity
from shapely.geometry.polygon import orient

_SIZED = r'(\w+):([0-9]+(?:\.[0-9]+)?)x([0-9]+(?:\.[0-9]+)?)'
"""The name of an arena, and the width and height to which it is stretched [m]."""
_SHIPPED = files('leader_election.simulation').joinpath('worlds')


class Arena(NamedTuple):
    """The static part of a world."""

    outline: shapely.Polygon
    """The inside of the outer walls [m]."""
    obstacles: tuple[shapely.Polygon, ...]


def shipped_worlds() -> tuple[str, ...]:
    """Return the names of the arenas included in the package, sorted."""
    return tuple(sorted(
        entry.name.removesuffix('.yaml') for entry in _SHIPPED.iterdir()
        if entry.name.endswith('.yaml')))


def load_arena(world: str) -> Arena:
    """
    Load an arena.

    :param world: the name of an arena included in the package, or the path of a YAML file.
        ``blocks:60x40`` is arena ``blocks``, stretched with its obstacles to 60 m by 40 m.
    :raises ParameterError: for a missing or wrong file. The message names file and key.

    >>> arena = load_arena('blocks')
    >>> arena.outline.bounds
    (-10.0, -7.0, 10.0, 7.0)
    >>> load_arena('blocks:10x14').outline.bounds
    (-5.0, -7.0, 5.0, 7.0)
    """
    sized = re.fullmatch(_SIZED, world)
    if sized is not None and sized[1] in shipped_worlds():
        return _stretched(load_arena(sized[1]), float(sized[2]), float(sized[3]))
    if world in shipped_worlds():
        text = _SHIPPED.joinpath(world + '.yaml').read_text(encoding='utf-8')
    else:
        try:
            text = read_text(world)
        except ValueError as error:
            hint = did_you_mean(world, shipped_worlds()).rstrip()
            raise ParameterError('world', problem=f': {world!r} is none of '
                                 f"{', '.join(shipped_worlds())} and not a file that can be read: "
                                 f"{error}{hint and '; ' + hint}") from error
    try:
        return _arena(read_yaml(text))
    except ValueError as error:
        raise ParameterError('world', problem=f': file {world}: {error}') from error


def _stretched(arena: Arena, width: float, height: float) -> Arena:
    if not (0.0 < width <= FARTHEST and 0.0 < height <= FARTHEST):
        raise ParameterError('world', f'{width:g}x{height:g}', f'more than 0 to {FARTHEST:g} m')
    left, bottom, right, top = arena.outline.bounds
    scale = width / (right - left), height / (top - bottom)
    return Arena(affinity.scale(arena.outline, *scale, origin=(0.0, 0.0)), tuple(
        affinity.scale(each, *scale, origin=(0.0, 0.0)) for each in arena.obstacles))


def _arena(document: Any) -> Arena:
    if not isinstance(document, dict):
        raise ValueError('expected the keys size and obstacles')
    for key in document:
        if key not in ('size', 'obstacles'):
            raise ValueError(f'unknown key {key}; known: size, obstacles')
    width, height = _pair('size', document.get('size'))
    if not (width > 0 and height > 0):
        raise ValueError(f'size: [{width:g}, {height:g}] is not greater than 0')
    outline = shapely.box(-width / 2, -height / 2, width / 2, height / 2)
    listed = document.get('obstacles') or []
    if not isinstance(listed, list):
        raise ValueError('obstacles: expected a list of polygons')
    return Arena(outline, tuple(
        _polygon(f'obstacles[{i}]', points) for i, points in enumerate(listed)))


def _polygon(key: str, points: Any) -> shapely.Polygon:
    if not isinstance(points, list) or len(points) < 3:
        raise ValueError(f'{key}: expected a list of three or more points [x, y]')
    polygon = shapely.Polygon([_pair(f'{key}[{i}]', p) for i, p in enumerate(points)])
    if not polygon.is_valid or polygon.area == 0.0:
        raise ValueError(f'{key}: not a simple polygon: {shapely.is_valid_reason(polygon)}')
    return polygon


FARTHEST = 1e6
"""The greatest coordinate of an arena [m]."""


def _pair(key: str, value: Any) -> tuple[float, float]:
    if (isinstance(value, list) and len(value) == 2
            and all(type(x) in (int, float) and abs(x) <= FARTHEST for x in value)):
        return float(value[0]), float(value[1])
    raise ValueError(f'{key}: expected two finite numbers, not {shown(value)}')


WALL_HEIGHT = 0.5
"""The height of walls and obstacles [m]."""
WALL_THICKNESS = 0.1
"""The thickness of the outer walls, which are outside the arena [m]."""
EDGE_THICKNESS = 0.04
"""The thickness of the boxes along an obstacle's edges [m], far more than a robot's step."""


class Rectangle(NamedTuple):
    """A rectangle in the plane."""

    x: float
    """The x coordinate of its centre [m]."""
    y: float
    """The y coordinate of its centre [m]."""
    length: float
    """In the direction of its yaw [m]."""
    width: float
    """Perpendicular to that [m]."""
    yaw: float
    """[rad]."""


def outer_walls(outline: shapely.Polygon) -> tuple[Rectangle, ...]:
    """
    Return the walls round an arena, which overlap at the corners.

    :param outline: the inside of the walls [m].
    """
    return tuple(_edges(outline, -WALL_THICKNESS, beyond=WALL_THICKNESS))


def as_rectangle(polygon: shapely.Polygon) -> Rectangle | None:
    """
    Return a polygon as a rectangle, ``None`` if it is not one.

    :param polygon: [m].

    >>> as_rectangle(shapely.box(0.0, 0.0, 4.0, 2.0))
    Rectangle(x=2.0, y=1.0, length=4.0, width=2.0, yaw=0.0)
    """
    # Not shapely.orient_polygons, which needs 2.1: Ubuntu 24.04 has 2.0.3.
    corners = shapely.get_coordinates(orient(polygon.normalize()))
    box = shapely.minimum_rotated_rectangle(polygon)
    if len(corners) != 5 or box.area > polygon.area * (1 + 1e-6):
        return None
    (x0, y0), (x1, y1), (x2, y2) = corners[:3].tolist()
    return Rectangle((x0 + x2) / 2, (y0 + y2) / 2, math.hypot(x1 - x0, y1 - y0),
                     math.hypot(x2 - x1, y2 - y1), math.atan2(y1 - y0, x1 - x0))


def _edges(polygon: shapely.Polygon, thickness: float, beyond: float) -> Iterator[Rectangle]:
    """
    Yield one rectangle for each edge of a polygon.

    :param thickness: [m], to the left of the edge, which is inside, negative to the right.
    :param beyond: by how much it is longer than the edge, at each end [m].
    """
    # The first corner is repeated at the end of the coordinates.
    corners: Sequence[tuple[float, float]] = shapely.get_coordinates(orient(polygon)).tolist()
    for (x0, y0), (x1, y1) in zip(corners, corners[1:]):
        length, yaw = math.hypot(x1 - x0, y1 - y0), math.atan2(y1 - y0, x1 - x0)
        yield Rectangle((x0 + x1) / 2 - thickness / 2 * math.sin(yaw),
                        (y0 + y1) / 2 + thickness / 2 * math.cos(yaw),
                        length + 2 * beyond, abs(thickness), yaw)


def obstacle_rectangles(polygon: shapely.Polygon) -> tuple[Rectangle, ...]:
    """Return the rectangle that an obstacle is, or thin ones along its edges, inside it."""
    whole = as_rectangle(polygon)
    return tuple(_edges(polygon, EDGE_THICKNESS, beyond=0.0)) if whole is None else (whole,)


class LineOfSight:
    """Obstacles, prepared for many queries."""

    def __init__(self, obstacles: Sequence[shapely.Polygon]) -> None:
        """
        Prepare the obstacles.

        :param obstacles: [m]. A line that touches one is blocked.
        """
        self._obstacles = shapely.union_all(list(obstacles))
        shapely.prepare(self._obstacles)

    def clear(self, here: Array, there: Array) -> NDArray[np.bool_]:
        """
        Return which pairs of places see each other.

        :param here, there: x, y [m], shapes (m, 2), or (2,) for the same place in all pairs.
        :return: shape (m,).

        >>> wall = LineOfSight([shapely.box(1.0, -1.0, 2.0, 1.0)])
        >>> wall.clear(np.zeros(2), np.array([[3.0, 0.0], [0.0, 3.0]])).tolist()
        [False, True]
        """
        rays = np.stack(np.broadcast_arrays(here, there), axis=-2)
        return np.asarray(~shapely.intersects(self._obstacles, shapely.linestrings(rays)))


Poses = tuple[tuple[float, float, float], ...]
"""x, y, yaw of each robot [m, rad]."""
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
    starts: Poses
    """``(x, y, yaw)`` of each robot [m, rad], in the order of the ids."""
    logs: tuple[RobotLog, ...] = ()
    """The log of each robot, in the order of the ids, where logs are replayed."""


def make_scene(parameters: SceneParameters) -> Scene:
    """
    Build the scene. Equal parameters give equal scenes in every process.

    :param parameters: number of robots, arena, layout, seed, or the logs to replay.
    :raises ParameterError: for a wrong arena or log, and for robots that do not fit.

    >>> make_scene(SceneParameters(robots=3, world='empty', layout='grid')).starts
    ((-0.5, -0.5, 0.0), (0.5, -0.5, 0.0), (-0.5, 0.5, 0.0))
    """
    if parameters.logs:
        return _scene_of_logs(parameters)
    arena, obstacles = load_arena(parameters.world)
    free = free_space(arena, obstacles, RADIUS)
    starts = _LAYOUTS[parameters.layout](free, parameters)
    if len(starts) < parameters.robots:
        raise ParameterError('robots', problem=f': {parameters.robots} do not fit into world '
                             f'{parameters.world} with layout {parameters.layout}: only '
                             f'{len(starts)} found room')
    return Scene(arena=arena, obstacles=obstacles, ids=tuple(range(1, len(starts) + 1)),
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


def _random_starts(free: shapely.Geometry, parameters: SceneParameters) -> Poses:
    """Return random poses, uniform over free space, without overlaps. Too few if it is full."""
    if free.is_empty:
        return ()
    rng = np.random.default_rng([parameters.seed, 0])
    apart = 2 * RADIUS
    left, bottom, right, top = free.bounds
    starts: NDArray[np.float64] = np.empty((0, 3))
    for _ in range(_MAX_BATCHES):
        drawn = rng.uniform((left, bottom, -math.pi), (right, top, math.pi),
                            size=(max(parameters.robots, 1000), 3))
        drawn = drawn[shapely.contains_xy(free, drawn[:, 0], drawn[:, 1])]
        # A spatial index removes all positions too near to earlier robots. The remaining ones may
        # be too near to each other, and are tested one by one.
        near, _ = shapely.STRtree(shapely.points(starts[:, :2])).query(
            shapely.points(drawn[:, :2]), predicate='dwithin', distance=apart)
        for pose in np.delete(drawn, np.unique(near), axis=0):
            if np.all(np.hypot(*(starts[:, :2] - pose[:2]).T) >= apart):
                starts = np.vstack((starts, pose))
                if len(starts) == parameters.robots:
                    return _poses(starts)
    return _poses(starts)


def _grid_starts(free: shapely.Geometry, parameters: SceneParameters) -> Poses:
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


def _circle_starts(free: shapely.Geometry, parameters: SceneParameters) -> Poses:
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
    return Scene(arena=arena, obstacles=(), ids=tuple(range(1, len(logs) + 1)), starts=starts,
                 logs=logs)


_LAYOUTS = {'random': _random_starts, 'grid': _grid_starts, 'circle': _circle_starts}
"""The functions that place robots, by the value of parameter ``layout``."""


def _poses(array: Array) -> Poses:
    return tuple((x, y, yaw) for x, y, yaw in array.tolist())
