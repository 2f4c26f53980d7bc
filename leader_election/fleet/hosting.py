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

"""Robots out of a scene: those that nobody listed by name, placed by a layout."""

from collections.abc import Sequence
from dataclasses import dataclass
import random

from leader_election.fleet.robot_list import Entry, listed_robots
from leader_election.parameters import parameter, ParameterError, ProcessParameters
from leader_election.world.arena import Arena
from leader_election.world.parameters import SceneParameters
from leader_election.world.scene import free_space, make_scene, Scene
import numpy as np
import shapely


@dataclass(frozen=True)
class RobotHostParameters(SceneParameters, ProcessParameters):
    """Which robots this process hosts; the scene is the world's."""

    roster: str = parameter(
        '', "The robots of the swarm by name: '{name: robot_1, id: 1, pose: {x: 0.5, y: 0.5, "
        "yaw: 0.0}}; {...}'. Empty: those of the scene.")
    members: str = parameter(
        '', "The robots that this process hosts, for example '1-20,25'; empty: all there are.")
    strengths: str = parameter(
        'random', 'The strength of each robot: drawn by the seed from 0 to 1, its id, or what '
        'the parameters say.', choices=lambda: ('random', 'id', 'parameters'))
    odom_topic: str = parameter(
        'odom', 'Where a robot has its odometry from, in its namespace; {id} stands for its id.')


def roster_of(parameters: RobotHostParameters) -> tuple[Entry, ...]:
    """Return the robots of the whole swarm: those listed, or else those of the scene."""
    if parameters.roster:
        return listed_robots(parameters.roster, 'roster')
    return placed_robots(make_scene(parameters))


def strength(parameters: RobotHostParameters, robot: int) -> float | None:
    """Return the strength of a robot, the same in whichever process it lives."""
    if parameters.strengths == 'random':
        return random.Random(f'{parameters.seed}/{robot}').random()
    return float(robot) if parameters.strengths == 'id' else None


def placed_robots(scene: Scene) -> tuple[Entry, ...]:
    """
    Return the robots of a scene; each is called after its id.

    >>> from leader_election.world.parameters import SceneParameters
    >>> from leader_election.world.scene import make_scene
    >>> placed_robots(make_scene(SceneParameters(robots=1, world='empty', layout='grid')))
    (Entry(name='robot_1', id=1, pose=(0.0, 0.0, 0.0), type=''),)
    """
    return tuple(Entry(f'robot_{robot}', robot, start)
                 for robot, start in zip(scene.ids, scene.starts))


def check_room(entries: Sequence[Entry], arena: Arena | None, robot_radius: float,
               parameter: str = 'robots') -> None:
    """
    Refuse robots that would start within an obstacle, outside the arena or within each other.

    :param arena: ``None`` where nobody knows it.
    :param robot_radius: [m].
    :raises ParameterError: naming the first such robot.
    """
    places = np.array([entry.pose[:2] for entry in entries])
    if arena is not None:
        free = free_space(arena.outline, arena.obstacles, robot_radius)
        for entry, inside in zip(entries, shapely.contains_xy(free, *places.T)):
            if not inside:
                raise ParameterError(
                    f'parameter {parameter}: there is no room for {entry.name} at '
                    f'({entry.pose[0]:g}, {entry.pose[1]:g}): an obstacle is there, or no floor; '
                    'give it another pose, or another world')
    points = shapely.points(places)
    pairs = shapely.STRtree(points).query(points, predicate='dwithin', distance=2 * robot_radius)
    for one, other in pairs.T.tolist():
        # Touching is not overlapping; what rounding makes of it is neither.
        if one < other and np.hypot(*(places[one] - places[other])) < 2 * robot_radius - 1e-9:
            raise ParameterError(
                f'parameter {parameter}: {entries[one].name} and {entries[other].name} would '
                f'start within each other; leave {2 * robot_radius:g} m between them')
