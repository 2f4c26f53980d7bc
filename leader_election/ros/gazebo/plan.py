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
A swarm in Gazebo: its parameters, robots and world file, and the configuration of the bridge.

The executable ``gazebo_world`` writes the files.

The bridge is ``ros_gz_bridge``, which connects topics of Gazebo Sim and of ROS. Topics of Gazebo
have the default names of its systems, which contain the model's name. Those of ROS are in the
robot's namespace, which is the same name. The clock has its own bridge, which runs first: Gazebo
announces all topics every second, and a process that starts while there are many may miss some.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
import math
from pathlib import Path
from shlex import quote
from typing import Any, NamedTuple

from leader_election.election.messages.wire import MAX_ID
from leader_election.parameters import (
    as_in,
    build,
    command_line,
    parameter,
    ParameterError,
    REQUIRED_INT,
    table,
)
from leader_election.parameters.files import write_text
from leader_election.ros.gazebo import world_file
from leader_election.ros.gazebo.world_file import Equipment
from leader_election.simulation.odometry import PHYSICAL_WHEELS
from leader_election.simulation.parameters import SceneParameters
from leader_election.simulation.robot_body import RADIUS, SCANNER_Z
from leader_election.simulation.scene import load_arena, make_scene
from leader_election.swarm.fleet import robot_list
from leader_election.swarm.fleet.robot_list import RobotSpec
import yaml


@dataclass(frozen=True)
class GazeboParameters(Equipment):
    """Parameters of a swarm in Gazebo: robots, their equipment, and the world."""

    robots: str = parameter(
        '30', "Number of robots, or a list of robots in the form of nav2: '{name: robot_1, "
        "pose: {x: 0.5, y: 0.5, yaw: 0.0}}; {...}', each optionally with an id.", empty=False)
    seed: int = as_in(SceneParameters, 'seed')
    layout: str = as_in(SceneParameters, 'layout')
    spacing: float = as_in(SceneParameters, 'spacing')
    world: str = parameter(
        'blocks', 'The arena: blocks, rooms, barriers, empty, or the path of a YAML file, or a '
        'world file of your own, .sdf or .world, in which layouts place robots as in arena empty.',
        empty=False)


@dataclass(frozen=True)
class SpawnParameters(Equipment):
    """Parameters of one robot that is added to a running world."""

    id: int = parameter(  # noqa: A003
        REQUIRED_INT, 'The id of the robot, unique in the swarm.', lower=0, upper=MAX_ID,
        required=True)
    name: str = parameter('', 'Its name and namespace. Empty: robot_ and its id.')
    x: float = parameter(
        math.nan, 'Initial x coordinate.', unit='m', lower=-1e6, upper=1e6, required=True)
    y: float = parameter(
        math.nan, 'Initial y coordinate.', unit='m', lower=-1e6, upper=1e6, required=True)
    yaw: float = parameter(0.0, 'Initial yaw.', unit='rad', lower=-10.0, upper=10.0)
    world: str = parameter(
        'blocks', 'The arena, which the robot uses to wander if it has no laser scanner; or the '
        'world file of your own.', empty=False)


class Plan(NamedTuple):
    """
    The data to start a swarm, or to add a robot to a running swarm.

    :ivar sdf: the text of the world file, or of the model of the robot that is added.
    :ivar bridge: the text of the configuration of the robots' bridge, YAML.
    :ivar arena: the arena, empty if it is not known.
    :ivar wander: the parameters of node ``wander`` that depend on the arena.
    :ivar odometry: the parameters of node ``gazebo_odometry``, empty if it is not needed.
    """

    robots: tuple[RobotSpec, ...]
    world_name: str
    sdf: str
    bridge: str
    arena: str
    wander: dict[str, Any]
    odometry: dict[str, Any]


def _plan(robots: tuple[RobotSpec, ...], world_name: str, sdf: str, arena: str,
          equipment: Equipment, seed: int) -> Plan:
    """Return a plan with what follows from robots, arena and equipment."""
    return Plan(
        robots, world_name, sdf, bridge_yaml(robots, equipment), arena,
        # Without a scanner and a map robots find walls by touch.
        {'world': arena} if arena or equipment.lidar else {'world': '', 'blind': True},
        {'robots': ','.join(robot.name for robot in robots), 'seed': seed,
         'odometry_drift': equipment.odometry_drift, 'ground_truth': equipment.ground_truth,
         'bumper': equipment.bumper, 'scanner_height': SCANNER_Z if equipment.lidar else 0.0,
         } if equipment.needs_odometry_node else {})


def plan_swarm(parameters: GazeboParameters) -> Plan:
    """
    Plan a swarm. Equal parameters give equal plans.

    :param parameters: of the swarm.
    :raises ParameterError: for wrong robots, a wrong world, or robots without free space.

    >>> plan_swarm(GazeboParameters(robots='2', layout='grid', world='empty')).robots[1].name
    'robot_2'
    """
    p = parameters
    robots = planned_robots(p)
    if world_file.is_user_world(p.world):
        world = world_file.read_world(p.world)
        return _plan(robots, world.name, world_file.add_robots(world, robots, p), '', p, p.seed)
    sdf = world_file.world_sdf(load_arena(p.world), robots, p)
    return _plan(robots, world_file.WORLD_NAME, sdf, p.world, p, p.seed)


def plan_spawn(parameters: SpawnParameters) -> Plan:
    """
    Plan the spawning of one robot.

    :param parameters: of the robot.
    :raises ParameterError: for a wrong name or world, and for a robot without free space.
    """
    p = parameters
    name = robot_list.check_robot_name(p.name or f'robot_{p.id}', 'name')
    robot = RobotSpec(name, p.id, (p.x, p.y, p.yaw))
    if world_file.is_user_world(p.world):
        arena, running = '', world_file.read_world(p.world).name
    else:
        arena, running = p.world, world_file.WORLD_NAME
        robot_list.check_free_space([robot], load_arena(arena), RADIUS, 'x, y')
    return _plan((robot,), running, world_file.robot_sdf(robot, p), arena, p, 0)


def planned_robots(parameters: GazeboParameters) -> tuple[RobotSpec, ...]:
    """
    Return the robots, listed, or placed by the layout as in the embedded world.

    :raises ParameterError: for a wrong list or number, and for robots without free space.
    """
    p = parameters
    arena = '' if world_file.is_user_world(p.world) else p.world
    try:
        count = int(p.robots)
    except ValueError:
        robots = robot_list.parse_robot_list(p.robots)
    else:
        robots = robot_list.scene_robots(make_scene(build(SceneParameters, {
            'robots': count, 'world': arena or 'empty', 'seed': p.seed, 'layout': p.layout,
            'spacing': p.spacing})))
    robot_list.check_free_space(robots, load_arena(arena) if arena else None, RADIUS)
    return robots


def clock_bridge_yaml() -> str:
    """
    Return the configuration of the bridge of the clock.

    Only one bridge of a world may have it: from two clocks time would jump back and forth.

    >>> print(clock_bridge_yaml(), end='')
    - ros_topic_name: /clock
      gz_topic_name: /clock
      ros_type_name: rosgraph_msgs/msg/Clock
      gz_type_name: gz.msgs.Clock
      direction: GZ_TO_ROS
      lazy: false
    """
    return _bridge([('/clock', '/clock', 'rosgraph_msgs/msg/Clock', 'Clock', False)])


def bridge_yaml(robots: Sequence[RobotSpec], equipment: Equipment) -> str:
    """
    Return the configuration of the robots' bridge.

    :param robots: whose topics it bridges.
    :param equipment: of each robot.
    """
    # Node gazebo_odometry takes wheel_odometry, and publishes odom and tf.
    rows = [
        (not equipment.needs_odometry_node, 'odom', 'odometry',
         'nav_msgs/msg/Odometry', 'Odometry', False),
        (equipment.needs_odometry_node, 'wheel_odometry', 'odometry',
         'nav_msgs/msg/Odometry', 'Odometry', False),
        (True, 'cmd_vel', 'cmd_vel', 'geometry_msgs/msg/Twist', 'Twist', False),
        (not equipment.needs_odometry_node, 'tf', 'tf', 'tf2_msgs/msg/TFMessage', 'Pose_V', True),
        (equipment.lidar, 'scan', 'scan', 'sensor_msgs/msg/LaserScan', 'LaserScan', True),
        (equipment.ground_truth, 'true_pose', 'pose',
         'geometry_msgs/msg/PoseStamped', 'Pose', False),
        (equipment.bumper, 'contacts', 'contacts',
         'ros_gz_interfaces/msg/Contacts', 'Contacts', False),
        (equipment.imu, 'imu', 'imu', 'sensor_msgs/msg/Imu', 'IMU', True)]
    return _bridge([(f'{robot.name}/{ros}', f'/model/{robot.name}/{gazebo}', *kinds)
                    for robot in robots for is_there, ros, gazebo, *kinds in rows if is_there])


def _bridge(rows: Sequence[Any]) -> str:
    """Return a configuration: topics and types in ROS and Gazebo, bridged on demand or always."""
    return str(yaml.safe_dump([
        {'ros_topic_name': ros, 'gz_topic_name': gazebo, 'ros_type_name': ros_type,
         'gz_type_name': f'gz.msgs.{gazebo_type}',
         'direction': 'ROS_TO_GZ' if gazebo_type == 'Twist' else 'GZ_TO_ROS', 'lazy': lazy}
        for ros, gazebo, ros_type, gazebo_type, lazy in rows], sort_keys=False))


def write_files(plan: Plan, folder: Path) -> dict[str, Path]:
    """
    Write the files of a plan.

    :param plan: of a swarm.
    :param folder: created if it does not exist.
    :return: the paths of the files ``world``, ``clock``, ``bridge`` and ``roster``.
    :raises ParameterError: if a file cannot be written.
    """
    texts = {'world': ('world.sdf', plan.sdf), 'clock': ('clock.yaml', clock_bridge_yaml()),
             'bridge': ('bridge.yaml', plan.bridge), 'roster': ('robots.yaml', _roster(plan))}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in texts.values():
            write_text(folder / name, text)
    except OSError as error:
        raise ParameterError(f'option --output: {error.filename or folder}: '
                             f'{error.strerror or error}') from None
    return {what: folder / name for what, (name, _) in texts.items()}


def _roster(plan: Plan) -> str:
    """Return the parameters of fleet, gazebo_odometry and wander as a parameter file."""
    noise = {} if plan.odometry.get('odometry_drift') else PHYSICAL_WHEELS
    roster = robot_list.format_robot_list(plan.robots)
    nodes = {'/**': {'use_sim_time': True, 'roster': roster, **noise},
             'gazebo_odometry': plan.odometry,
             'wander': {'robots': ','.join(robot.name for robot in plan.robots), **plan.wander}}
    return str(yaml.safe_dump(
        {name: {'ros__parameters': values} for name, values in nodes.items() if values},
        width=10**6, sort_keys=False))


def commands(plan: Plan, files: Mapping[str, Path]) -> list[str]:
    """
    Return the commands that start the swarm in Gazebo Sim, each in a terminal of its own.

    :param plan: of the swarm.
    :param files: as of :func:`write_files`.
    """
    def bridge(name: str) -> str:
        return (f'ros2 run ros_gz_bridge parameter_bridge --ros-args -r __node:={name} -p '
                f'config_file:={quote(str(files[name]))}')

    nodes = ['fleet', *(['gazebo_odometry'] if plan.odometry else []), 'wander']
    return [
        f"gz sim -r {quote(str(files['world']))}", bridge('clock'),
        f"ros2 run leader_election await_clock && {bridge('bridge')}",
        *(f'ros2 run leader_election {node} --ros-args --params-file '
          f"{quote(str(files['roster']))}" for node in nodes)]


def main(arguments: Sequence[str] | None = None) -> int:
    """
    Write the files that the command line asks for.

    :param arguments: of the command line, by default those of this process.
    :return: the exit status.
    """
    parser = command_line.CommandLineParser(
        prog=command_line.how_to_run('gazebo_world'),
        description='Write a world file for Gazebo that holds a whole swarm, the '
        "YAML of the bridge to ROS, and the robots' list for fleet.")
    for p in table(GazeboParameters):
        text = f'{p.description} Takes {p.allowed()}; {p.default!r} unless given.'
        parser.add_argument(f'--{p.name.replace("_", "-")}', metavar='VALUE',
                            help=text.replace('%', '%%'))
    parser.add_argument('--output', default='.', metavar='FOLDER', type=Path,
                        help='Where to write the files; created if it does not exist.')
    chosen = vars(parser.parse_args(arguments))
    try:
        values = {p.name: p.parse(chosen[p.name]) for p in table(GazeboParameters)
                  if chosen[p.name] is not None}
        plan = plan_swarm(build(GazeboParameters, values))
        # Each command is for a terminal of its own, which may be in another folder.
        files = write_files(plan, chosen['output'].absolute())
    except ParameterError as error:
        return command_line.print_error(error)
    print(f'{len(plan.robots)} robots in world {plan.world_name}: '
          + ', '.join(str(file) for file in files.values()))
    print('\n'.join(commands(plan, files)))
    return command_line.ExitStatus.OK
