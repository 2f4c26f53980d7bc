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

"""What a swarm in Gazebo is made from."""

from collections.abc import Iterator, Sequence
import dataclasses
from dataclasses import dataclass
import math
import re
from typing import Any, NamedTuple

from leader_election.fleet.hosting import check_room, placed_robots
from leader_election.fleet.robot_list import check_name, Entry, listed_robots
from leader_election.gazebo.model import RADIUS, robot_sdf
from leader_election.gazebo.sdf import robot_colour
from leader_election.gazebo.simulator import (
    BARE,
    Extras,
    FEWEST_BEAMS,
    Lidar,
    Simulator,
    truth_topic,
)
from leader_election.gazebo.user_world import into_world, is_own, read_world, world_name
from leader_election.gazebo.world import STEP, WORLD_NAME, world_sdf
from leader_election.parameters import (
    build,
    Parameter,
    parameter,
    ParameterError,
    REQUIRED_INT,
    table,
)
from leader_election.robot.wire import MAX_ID
from leader_election.world.arena import load_arena
from leader_election.world.parameters import SceneParameters
from leader_election.world.scene import make_scene
import yaml

NOWHERE = 'none'
"""The world of one more robot where nobody knows it."""


def _as_in(parameters: type, name: str) -> Any:
    """Declare a parameter as it is declared there."""
    field = next(f for f in dataclasses.fields(parameters) if f.name == name)
    return dataclasses.field(default=field.default, metadata=field.metadata)


@dataclass(frozen=True)
class GazeboParameters:
    """The robots, the world that they are in, and what they have beside wheels."""

    robots: str = parameter(
        '30', "How many robots there are; or a list of them, as nav2 has it: '{name: robot_1, "
        "pose: {x: 0.5, y: 0.5, yaw: 0.0}}; {...}', each with an id if you like.", empty=False)
    first_id: int = _as_in(SceneParameters, 'first_id')
    seed: int = _as_in(SceneParameters, 'seed')
    layout: str = _as_in(SceneParameters, 'layout')
    spacing: float = _as_in(SceneParameters, 'spacing')
    world: str = parameter(
        'blocks', 'The arena: blocks, rooms, empty, or the path of a YAML file; or a world file '
        'of your own, .sdf or .world, where layouts place robots as if it were empty.',
        empty=False)
    lidar: int = parameter(
        0, f'The beams of a laser scanner on each robot, {FEWEST_BEAMS} at least; 0 for none. In '
        'Gazebo Sim scanners are rendered, which costs much.', lower=0, upper=3600)
    ground_truth: bool = parameter(
        False, 'Publish where each robot truly is, as topic ground_truth.')
    step: float = parameter(
        STEP, "A step of the simulator's physics.", unit='s', lower=1e-4, upper=0.02)


@dataclass(frozen=True)
class SpawnParameters:
    """One more robot, for a world that is running."""

    id: int = parameter(
        REQUIRED_INT, 'The number of the robot, unique in the swarm.', lower=0, upper=MAX_ID,
        required=True)
    name: str = parameter('', 'Its name and namespace. Empty: robot_ and its id.')
    x: float = parameter(
        math.nan, 'Where it starts.', unit='m', lower=-1e6, upper=1e6, required=True)
    y: float = parameter(
        math.nan, 'Where it starts.', unit='m', lower=-1e6, upper=1e6, required=True)
    yaw: float = parameter(0.0, 'Where it looks.', unit='rad', lower=-10.0, upper=10.0)
    world: str = parameter(
        'blocks', 'The arena, by which it wanders if it has no laser scanner; or the world file '
        f'of your own; {NOWHERE} where nobody knows it.', empty=False)
    world_name: str = parameter(
        '', f'The name of the world that is running. Empty: what the world file says, '
        f'{WORLD_NAME} in an arena, and where nobody knows it.')
    lidar: int = _as_in(GazeboParameters, 'lidar')
    ground_truth: bool = _as_in(GazeboParameters, 'ground_truth')


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


_FROM, _TO = 'GZ_TO_ROS', 'ROS_TO_GZ'


def bridge_yaml(robots: Sequence[Entry], world: str, extras: Extras = BARE,
                clock: bool = True) -> str:
    """
    Return the bridge's configuration.

    :param world: the world's name, which is in the topics of sensors.
    :param clock: once for all bridges of a world: of two clocks time would stutter.

    >>> print(bridge_yaml([], 'swarm'), end='')
    - ros_topic_name: /clock
      gz_topic_name: /clock
      ros_type_name: rosgraph_msgs/msg/Clock
      gz_type_name: gz.msgs.Clock
      direction: GZ_TO_ROS
      lazy: false
    """
    rows = [_row('/clock', '/clock', 'rosgraph_msgs/msg/Clock', 'Clock', _FROM)] if clock else []
    for robot in robots:
        rows += _of_robot(robot.name, world, extras)
    return str(yaml.safe_dump(rows, sort_keys=False))


def _of_robot(name: str, world: str, extras: Extras) -> Iterator[dict[str, Any]]:
    """Yield the rows of one robot; what perhaps nobody hears is carried when somebody does."""
    model = f'/model/{name}'
    yield _row(f'{name}/odom', f'{model}/odometry', 'nav_msgs/msg/Odometry', 'Odometry', _FROM)
    yield _row(f'{name}/cmd_vel', f'{model}/cmd_vel', 'geometry_msgs/msg/Twist', 'Twist', _TO)
    yield _row(f'{name}/tf', f'{model}/tf', 'tf2_msgs/msg/TFMessage', 'Pose_V', _FROM, lazy=True)
    if extras.lidar:
        scan = topic(f'/world/{world}{model}/link/base_link/sensor/lidar/scan')
        yield _row(f'{name}/scan', scan, 'sensor_msgs/msg/LaserScan', 'LaserScan', _FROM,
                   lazy=True)
    if extras.ground_truth:
        yield _row(f'{name}/ground_truth', truth_topic(name), 'nav_msgs/msg/Odometry',
                   'Odometry', _FROM, lazy=True)


def topic(text: str) -> str:
    """
    Return a topic of Gazebo Sim as its transport makes it out of a text: names may be any.

    >>> topic('/world/my @world/clock')
    '/world/my_world/clock'
    """
    return re.sub('@|~|//|:=', '', text.replace(' ', '_'))


def _row(ros: str, gazebo: str, ros_type: str, gazebo_type: str, direction: str,
         lazy: bool = False) -> dict[str, Any]:
    return {'ros_topic_name': ros, 'gz_topic_name': gazebo, 'ros_type_name': ros_type,
            'gz_type_name': f'gz.msgs.{gazebo_type}', 'direction': direction, 'lazy': lazy}
