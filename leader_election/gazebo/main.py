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

"""The command ``gazebo_world``: writes a swarm's world file and the bridge's YAML."""

from collections.abc import Sequence
from pathlib import Path

from leader_election.command_line import CommandLineParser, ExitStatus, print_error
from leader_election.fleet.robot_list import listing
from leader_election.gazebo.plan import GazeboParameters, make_plan, Plan
from leader_election.gazebo.simulator import Simulator
from leader_election.parameters import build, Parameter, ParameterError, strict_yaml, table
import yaml


def options() -> CommandLineParser:
    """Return the command's options, one a parameter and two of its own."""
    parser = CommandLineParser(
        prog='leader_election gazebo_world',
        description='Write a world file for Gazebo that holds a whole swarm, the '
        "YAML of the bridge to ROS, and the robots' list for fleet.")
    for p in table(GazeboParameters):
        note = f'{p.description} Takes {p.allowed()}; {p.default!r} unless given.'
        parser.add_argument(_option(p), metavar='VALUE', help=note.replace('%', '%%'))
    parser.add_argument('--simulator', default=Simulator.GZ_SIM.value,
                        choices=[each.value for each in Simulator],
                        help='The simulator; %(default)s unless given.')
    parser.add_argument('--output', default='.', metavar='FOLDER', type=Path,
                        help='Where to write; made if it is not there.')
    return parser


def _option(p: Parameter) -> str:
    return '--' + p.name.replace('_', '-')


def write(plan: Plan, folder: Path) -> dict[str, Path]:
    """Write the files of a plan into a folder; return them by what they are."""
    texts = {'world': ('world.sdf', plan.world), 'bridge': ('bridge.yaml', plan.bridge),
             'roster': ('robots.yaml', _roster(plan))}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in texts.values():
            (folder / name).write_text(text, encoding='utf-8')
    except OSError as error:
        raise ParameterError(f'option --output: {error}') from None
    return {what: folder / name for what, (name, _) in texts.items()}


def _roster(plan: Plan) -> str:
    """Return the robots as a file of parameters for fleet."""
    return str(yaml.safe_dump(
        {'/**': {'ros__parameters': {'roster': listing(plan.robots)}}}, width=10**6))


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the files; return the exit status."""
    chosen = vars(options().parse_args(arguments))
    try:
        values = {p.name: _read(p, chosen[p.name]) for p in table(GazeboParameters)
                  if chosen[p.name] is not None}
        simulator = Simulator(chosen['simulator'])
        plan = make_plan(build(GazeboParameters, values), simulator)
        files = write(plan, chosen['output'])
    except ParameterError as error:
        return print_error(error)
    print(f'{len(plan.robots)} robots in world {plan.world_name}: '
          + ', '.join(str(file) for file in files.values()))
    if simulator is Simulator.GZ_SIM:
        print(f"gz sim -r {files['world']}\n"
              'ros2 run ros_gz_bridge parameter_bridge --ros-args -p '
              f"config_file:={files['bridge']}\n"
              f"ros2 run leader_election fleet --ros-args --params-file {files['roster']} "
              '-p use_sim_time:=true')
    return ExitStatus.OK


def _read(p: Parameter, text: str) -> object:
    try:
        value = strict_yaml.read(text)
    except ValueError:
        value = text
    return p.check(text if p.type is str else value)
