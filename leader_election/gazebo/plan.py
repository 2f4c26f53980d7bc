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

"""All that is made for a swarm in Gazebo: the robots, the world file, the bridge's YAML."""

from typing import NamedTuple

from leader_election.fleet.entry import Entry
from leader_election.fleet.placing import check_room, placed_robots
from leader_election.fleet.robot_list import check_name, listed_robots
from leader_election.gazebo.bridge import bridge_yaml
from leader_election.gazebo.colours import robot_colour
from leader_election.gazebo.model import RADIUS, robot_sdf
from leader_election.gazebo.parameters import GazeboParameters, NOWHERE, SpawnParameters
from leader_election.gazebo.simulator import Extras, FEWEST_BEAMS, Lidar, Simulator
from leader_election.gazebo.user_world import into_world, is_own, read_world, world_name
from leader_election.gazebo.world import WORLD_NAME, world_sdf
from leader_election.parameters import build, Parameter, ParameterError, table
from leader_election.world.arena import load_arena
from leader_election.world.parameters import SceneParameters
from leader_election.world.scene import make_scene


class Plan(NamedTuple):
    """What is to be started."""

    robots: tuple[Entry, ...]
    world_name: str
    world: str
    """The world file's text."""
    bridge: str
    """The text of the bridge's YAML."""
    arena: str
    """The arena, as nodes are told of it; empty where nobody knows it."""


def make_plan(parameters: GazeboParameters, simulator: Simulator = Simulator.GZ_SIM) -> Plan:
    """
    Return the plan, the same for the same parameters.

    :raises ParameterError: for robots, or a world, that are none, or do not go together.

    >>> make_plan(GazeboParameters(robots='2', layout='grid', world='empty')).robots[1].name
    'robot_2'
    """
    robots = roster_of(parameters)
    extras = extras_of(parameters)
    if is_own(parameters.world):
        name, world = into_world(
            parameters.world, read_world(parameters.world), robots, simulator, extras)
    else:
        name = WORLD_NAME
        world = world_sdf(
            load_arena(parameters.world), robots, simulator, extras, parameters.step)
    return Plan(robots, name, world, bridge_yaml(robots, name, extras),
                _known(parameters.world))


def _known(world: str) -> str:
    """Return the arena; empty where nobody knows it, as in a world of the user's own."""
    return '' if is_own(world) else world


class Arrival(NamedTuple):
    """One more robot."""

    robot: Entry
    model: str
    """The text of the file that holds it."""
    bridge: str
    """The text of its own bridge's YAML; the clock is bridged already."""
    world_name: str
    arena: str
    """The arena, as its nodes are told of it; empty where nobody knows it."""


def make_arrival(parameters: SpawnParameters, simulator: Simulator = Simulator.GZ_SIM) -> Arrival:
    """
    Return one more robot for a world that is running.

    :raises ParameterError: for a name, or a world, that is none, and where there is no room.
    """
    p = parameters
    name = check_name(p.name or f'robot_{p.id}', 'name')
    robot = Entry(name, p.id, (p.x, p.y, p.yaw))
    arena = '' if p.world == NOWHERE else _known(p.world)
    if arena:
        check_room([robot], load_arena(arena), RADIUS, 'x, y')
    own_name = world_name(p.world) if is_own(p.world) else WORLD_NAME
    running = p.world_name or own_name
    extras = extras_of(p)
    return Arrival(robot, robot_sdf(name, robot.pose, robot_colour(p.id), simulator, extras),
                   bridge_yaml([robot], running, extras, clock=False), running, arena)


def extras_of(parameters: GazeboParameters | SpawnParameters) -> Extras:
    """
    Return what each robot has beside wheels.

    :raises ParameterError: for a scanner of so few beams that robots would drive between them.
    """
    if 0 < parameters.lidar < FEWEST_BEAMS:
        raise ParameterError(f'parameter lidar: {parameters.lidar} is not allowed; it takes 0, or '
                             f'at least {FEWEST_BEAMS} beams')
    lidar = Lidar(parameters.lidar) if parameters.lidar else None
    return Extras(lidar, parameters.ground_truth)


def roster_of(parameters: GazeboParameters) -> tuple[Entry, ...]:
    """Return the robots, by name or by number; all have room."""
    arena = _known(parameters.world)
    try:
        count = int(parameters.robots)
    except ValueError:
        robots = listed_robots(parameters.robots)
    else:
        robots = _placed(count, parameters, arena or 'empty')
    check_room(robots, load_arena(arena) if arena else None, RADIUS)
    return robots


def _placed(count: int, parameters: GazeboParameters, arena: str) -> tuple[Entry, ...]:
    """Return so many robots, placed as in the embedded world."""
    _HOW_MANY.check(count)
    shared = {p.name for p in table(SceneParameters)} & {p.name for p in table(GazeboParameters)}
    return placed_robots(make_scene(build(SceneParameters, {
        name: getattr(parameters, name) for name in shared} | {
            'robots': count, 'robot_radius': RADIUS, 'world': arena})))


_HOW_MANY: Parameter = next(p for p in table(SceneParameters) if p.name == 'robots')
