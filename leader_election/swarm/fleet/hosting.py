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
The robots of a simulated swarm, and their assignment to processes.

The executable ``fleet`` (``leader_election.ros.nodes.robot_host``) hosts the nodes of many robots
in one process. It is not to be confused with the fleet file of this room, which describes physical
robots, each with a process of its own. Robots without a list are placed by the scene's layout.
"""

from collections.abc import Sequence
from dataclasses import dataclass
import random

from leader_election.parameters import parameter, ParameterError
from leader_election.simulation.motion import overlaps
from leader_election.simulation.parameters import SceneParameters
from leader_election.simulation.scene import Arena, free_space, make_scene, Scene
from leader_election.swarm.fleet.robot_list import parse_robot_list, RobotSpec
import numpy as np
import shapely


@dataclass(frozen=True)
class RobotHostParameters(SceneParameters):
    """Parameters of ``fleet``: the scene, as of the world, and the robots that it hosts."""

    roster: str = parameter(
        '', "All robots of the swarm by name: '{name: robot_1, id: 1, pose: {x: 0.5, y: 0.5, "
        "yaw: 0.0}}; {...}'. Empty: the robots of the scene.")
    members: str = parameter(
        '', "The ids of the robots that this process hosts, for example '1-20,25'. Empty: all.")
    strengths: str = parameter(
        'random', 'The strength of each robot: random from 0 to 1 by the seed, its id, or as set '
        'by parameters. Where the parameter strength of a robot is set, it takes precedence.',
        choices=lambda: ('random', 'id', 'parameters'))
    odom_topic: str = parameter(
        'odom', 'The topic of the odometry of each robot, in its namespace; {id} is replaced by '
        'its id.')
    measurements_topic: str = parameter(
        'measurements', 'The topic of the measurements of each robot, in its namespace; {id} is '
        'replaced by its id.')


def swarm_robots(parameters: RobotHostParameters) -> tuple[RobotSpec, ...]:
    """
    Return all robots of the swarm: those of the list, or those of the scene without a list.

    :param parameters: the list, or the parameters of the scene.
    :raises ParameterError: for a wrong list, a wrong scene, or robots that do not fit.
    """
    if parameters.roster:
        return parse_robot_list(parameters.roster, 'roster')
    return scene_robots(make_scene(parameters))


def strength(parameters: RobotHostParameters, robot: int) -> float | None:
    """
    Return the strength of a robot, the same in any process.

    :param parameters: the choice of strengths, and the seed.
    :param robot: its id.
    :return: ``None`` if it is set by parameters.
    """
    # A generator for each robot: the strength does not depend on the other robots of a process.
    if parameters.strengths == 'random':
        return random.Random(f'{parameters.seed}/{robot}').random()
    return float(robot) if parameters.strengths == 'id' else None


def scene_robots(scene: Scene) -> tuple[RobotSpec, ...]:
    """
    Return the robots of a scene. Their names are ``robot_<id>``.

    :param scene: with ids and initial poses.

    >>> from leader_election.simulation.parameters import SceneParameters
    >>> from leader_election.simulation.scene import make_scene
    >>> scene_robots(make_scene(SceneParameters(robots=1, world='empty', layout='grid')))
    (RobotSpec(name='robot_1', id=1, pose=(0.0, 0.0, 0.0), type=''),)
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
