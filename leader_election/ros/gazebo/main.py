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

"""The command ``gazebo_world``: writes a swarm's world file and the bridge's configuration."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from shlex import quote

from leader_election.parameters import build, Parameter, ParameterError, table
from leader_election.parameters.command_line import (
    CommandLineParser,
    ExitStatus,
    how_to_run,
    print_error,
)
from leader_election.parameters.files import write_text
from leader_election.ros.gazebo.plan import (
    clock_bridge_yaml,
    GazeboParameters,
    Plan,
    plan_swarm,
)
from leader_election.simulation.odometry import PHYSICAL_WHEELS
from leader_election.swarm.fleet.robot_list import format_robot_list
import yaml


def options() -> CommandLineParser:
    """Return the parser of the command line: one option for each parameter, and one more."""
    parser = CommandLineParser(
        prog=how_to_run('gazebo_world'),
        description='Write a world file for Gazebo that holds a whole swarm, the '
        "YAML of the bridge to ROS, and the robots' list for fleet.")
    for p in table(GazeboParameters):
        text = f'{p.description} Takes {p.allowed()}; {p.default!r} unless given.'
        parser.add_argument(_option(p), metavar='VALUE', help=text.replace('%', '%%'))
    parser.add_argument('--output', default='.', metavar='FOLDER', type=Path,
                        help='Where to write the files; created if it does not exist.')
    return parser


def _option(p: Parameter) -> str:
    return '--' + p.name.replace('_', '-')


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
    nodes = {'/**': {'use_sim_time': True, 'roster': format_robot_list(plan.robots), **noise},
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
    chosen = vars(options().parse_args(arguments))
    try:
        values = {p.name: p.parse(chosen[p.name]) for p in table(GazeboParameters)
                  if chosen[p.name] is not None}
        plan = plan_swarm(build(GazeboParameters, values))
        # Each command is for a terminal of its own, which may be in another folder.
        files = write_files(plan, chosen['output'].absolute())
    except ParameterError as error:
        return print_error(error)
    print(f'{len(plan.robots)} robots in world {plan.world_name}: '
          + ', '.join(str(file) for file in files.values()))
    print('\n'.join(commands(plan, files)))
    return ExitStatus.OK
