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
Lists of robots, and of robot ids, as text; and the robots that one computer hosts.

A list of robots has the form that launch files of nav2 take for several robots, separated by
semicolons: ``{name: robot1, pose: {x: 0.5, y: 0.5, yaw: 0}}; {...}``. The key ``id`` is an
addition.

The executable ``fleet`` (``leader_election.ros.nodes.robot_host``) hosts the nodes of many robots
in one process. It is not to be confused with the fleet file of this room, which describes physical
robots, each with a process of its own. Robots without a list are placed by the scene's layout.
"""

from collections.abc import Sequence
from dataclasses import dataclass
import math
import random
import re
from typing import Any, NamedTuple

from leader_election.election.messages.wire import MAX_ID
from leader_election.parameters import (
    build,
    format_ids,
    id_ranges,
    Parameter,
    parameter,
    ParameterError,
)
from leader_election.parameters.files import read_yaml
from leader_election.simulation.motion import overlaps
from leader_election.simulation.parameters import SceneParameters
from leader_election.simulation.scene import Arena, free_space, Scene
import numpy as np
import shapely
import yaml


class RobotSpec(NamedTuple):
    """The identity of a robot before its start, and its initial pose."""

    name: str
    """The robot's namespace, and the name of its model in a simulator; unique."""
    id: int  # noqa: A003
    """Unique."""
    pose: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """The origin of its odometry in the shared frame: x, y, yaw [m, rad]."""


def check_unique(robots: Sequence[RobotSpec], parameter: str) -> None:
    """
    Check that names and ids are unique.

    :param robots: to be compared.
    :param parameter: from which the robots come, for the message.
    :raises ParameterError: for two robots with the same name or id. The message names both.

    >>> check_unique([RobotSpec('alice', 1), RobotSpec('bob', 1)], 'robots')
    Traceback (most recent call last):
    ParameterError: ...
    """
    ids: dict[int, str] = {}
    names: set[str] = set()
    for robot in robots:
        if robot.name in names:
            raise ParameterError(parameter, problem=f': two robots are called {robot.name}; give '
                                 'each robot a name of its own')
        if robot.id in ids:
            raise ParameterError(parameter, problem=f': {ids[robot.id]} and {robot.name} both '
                                 f'have id {robot.id}; give each robot an id of its own')
        names.add(robot.name)
        ids[robot.id] = robot.name


_NAME = re.compile(r'(?!.*__)[A-Za-z]\w*', re.ASCII)
"""Texts that are valid both as a ROS namespace and as the name of a model."""
_ID = Parameter('id', int, 0, 'Its id.', lower=0, upper=MAX_ID)
_EXAMPLE = '{name: robot_1, pose: {x: 0.5, y: 0.5, yaw: 0.0}}; {name: robot_2, ...}'


def parse_robot_list(text: str, parameter: str = 'robots') -> tuple[RobotSpec, ...]:
    """
    Parse a list of robots.

    Missing coordinates are 0. A robot without ``id`` gets the lowest free one, from 1 on.

    :param text: the list.
    :param parameter: the source of the text, for messages.
    :raises ParameterError: for a text of another form, and for robots with the same name or id.

    >>> [tuple(r[:3]) for r in parse_robot_list('{name: a, pose: {x: 0.5}}; {name: b, id: 1}')]
    [('a', 2, (0.5, 0.0, 0.0)), ('b', 1, (0.0, 0.0, 0.0))]
    """
    parts = [part.strip() for part in text.split(';')]
    parsed = [_parse_robot(part, parameter) for part in parts if part]
    if not parsed:
        raise ParameterError(parameter, problem=f': {text!r} names no robot; it takes a number, '
                             f'or a list such as {_EXAMPLE}')
    taken = {number for _, number, _ in parsed if number is not None}
    free = (number for number in range(1, MAX_ID) if number not in taken)
    robots = tuple(RobotSpec(name, next(free) if number is None else number, pose)
                   for name, number, pose in parsed)
    check_unique(robots, parameter)
    return robots


def format_robot_list(robots: Sequence[RobotSpec]) -> str:
    """
    Format robots as a text that :func:`parse_robot_list` parses.

    >>> format_robot_list([RobotSpec('a', 2, (0.5, 0.0, 1.0))])
    '{name: a, id: 2, pose: {x: 0.5, y: 0.0, yaw: 1.0}}'
    """
    return '; '.join(yaml.safe_dump(
        {'name': robot.name, 'id': robot.id, 'pose': dict(zip(('x', 'y', 'yaw'), robot.pose))},
        default_flow_style=True, sort_keys=False, width=math.inf).strip() for robot in robots)


def is_robot_name(text: str) -> bool:
    """
    Return whether a text is valid as the name of a robot.

    >>> is_robot_name('robot_1'), is_robot_name('1'), is_robot_name('robot__1')
    (True, False, False)
    """
    return _NAME.fullmatch(text) is not None


def check_robot_name(name: Any, parameter: str) -> str:
    """
    Return a robot's name if it is valid.

    :param name: any value.
    :param parameter: from which it comes, for the message.
    :raises ParameterError: for a value that is not valid as a namespace.
    """
    if isinstance(name, str) and is_robot_name(name):
        return name
    raise ParameterError(parameter, problem=f': {name!r} is not a name for a robot, which is its '
                         'namespace, too; use letters, digits and single underscores, a letter '
                         'first')


@dataclass(frozen=True)
class _Pose:
    """A pose in nav2, of a robot that stands on the ground."""

    x: float = parameter(0.0, 'The position.', unit='m')
    y: float = parameter(0.0, 'The position.', unit='m')
    yaw: float = parameter(0.0, 'The heading.', unit='rad')
    z: float = parameter(0.0, 'On the ground.', lower=0.0, upper=0.0)
    roll: float = parameter(0.0, 'Upright.', lower=0.0, upper=0.0)
    pitch: float = parameter(0.0, 'Upright.', lower=0.0, upper=0.0)


def _parse_robot(part: str, parameter: str) -> tuple[str, int | None, tuple[float, float, float]]:
    """Return the name, the id or ``None``, and the pose of one part of a list."""
    try:
        known = read_yaml(part)
    except ValueError:
        known = None
    if (not isinstance(known, dict) or not known.keys() <= {'name', 'id', 'pose'}
            or not isinstance(known.get('pose', {}), dict)):
        raise ParameterError(parameter, part, f'a number, or a list such as {_EXAMPLE}')
    name = check_robot_name(known.get('name'), parameter)
    try:
        pose = build(_Pose, known.get('pose', {}))
        return name, _ID.check(known['id']) if 'id' in known else None, (pose.x, pose.y, pose.yaw)
    except ParameterError as error:
        raise ParameterError(parameter, problem=f': {name}: {error}') from None


def parse_ids(text: str, known: tuple[int, ...]) -> tuple[int, ...]:
    """
    Parse ids and ranges of ids. An empty text stands for all known ids.

    :param text: for example ``1-20,25``.
    :param known: all ids that exist, ascending.
    :return: the ids that the text names, ascending.
    :raises ParameterError: for a text of another form, and for unknown ids.

    >>> parse_ids('1-3,5', (1, 2, 3, 4, 5))
    (1, 2, 3, 5)
    >>> parse_ids('', (7, 8))
    (7, 8)
    """
    if not text.strip():
        return known
    ids: set[int] = set()
    for run in id_ranges(text, 'members'):
        for end in run:
            if end not in known:
                raise ParameterError('members', problem=f': no robot {end}; the robots are '
                                     f'{format_ids(known)}')
        ids.update(i for i in known if run[0] <= i <= run[1])
    return tuple(sorted(ids))


@dataclass(frozen=True)
class RobotHostParameters(SceneParameters):
    """Parameters of ``fleet``: the scene, as of the world, and the robots that it hosts."""

    roster: str = parameter(
        '', "All robots of the swarm by name: '{name: robot_1, id: 1, pose: {x: 0.5, y: 0.5, "
        "yaw: 0.0}}; {...}'. Empty: the robots of the scene.")
    members: str = parameter(
        '', "The ids of the robots that this process hosts, for example '1-20,25'. Empty: all.")
    odom_topic: str = parameter(
        'odom', 'The topic of the odometry of each robot, in its namespace; {id} is replaced by '
        'its id.')
    measurements_topic: str = parameter(
        'measurements', 'The topic of the measurements of each robot, in its namespace; {id} is '
        'replaced by its id.')


def strength(seed: int, robot: int) -> float:
    """Return the default strength of a robot by its id, 0 to 1, the same in any process."""
    # A generator for each robot: the strength does not depend on the other robots of a process.
    return random.Random(f'{seed}/{robot}').random()


def scene_robots(scene: Scene) -> tuple[RobotSpec, ...]:
    """
    Return the robots of a scene. Their names are ``robot_<id>``.

    :param scene: with ids and initial poses.

    >>> from leader_election.simulation.parameters import SceneParameters
    >>> from leader_election.simulation.scene import make_scene
    >>> scene_robots(make_scene(SceneParameters(robots=1, world='empty', layout='grid')))
    (RobotSpec(name='robot_1', id=1, pose=(0.0, 0.0, 0.0)),)
    """
    return tuple(RobotSpec(f'robot_{robot}', robot, start)
                 for robot, start in zip(scene.ids, scene.starts))


def check_free_space(robots: Sequence[RobotSpec], arena: Arena | None, robot_radius: float,
                     parameter: str = 'robots') -> None:
    """
    Check that initial poses are in free space and that robots do not overlap.

    :param robots: with their initial poses.
    :param arena: ``None`` if it is not known.
    :param robot_radius: [m].
    :param parameter: from which the poses come, for the message.
    :raises ParameterError: for a robot in an obstacle, outside the arena, or within another one.
        The message names the first such robot.
    """
    places = np.array([robot.pose[:2] for robot in robots])
    if arena is not None:
        free = free_space(arena.outline, arena.obstacles, robot_radius)
        for robot, inside in zip(robots, shapely.contains_xy(free, *places.T)):
            if not inside:
                raise ParameterError(parameter, problem=f': there is no room for {robot.name} at '
                                     f'({robot.pose[0]:g}, {robot.pose[1]:g}): an obstacle is '
                                     'there, or no floor; give it another pose, or another world')
    # Robots that touch do not overlap, in spite of rounding.
    for one, other in overlaps(places, robot_radius - 5e-10):
        raise ParameterError(parameter, problem=f': {robots[one].name} and {robots[other].name} '
                             'would start within each other; leave '
                             f'{2 * robot_radius:g} m between them')
