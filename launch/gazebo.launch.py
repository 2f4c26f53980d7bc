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
A swarm in Gazebo Sim: the world that holds the robots, the bridge, the robots' nodes.

Gazebo Harmonic, Ionic or Jetty by ros_gz. The world file and the bridge's YAML are written into
the folder of the launch's logs.
"""

from pathlib import Path
import sys

from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity
from launch.actions import AppendEnvironmentVariable, DeclareLaunchArgument, OpaqueFunction
from launch.conditions import IfCondition
from launch.substitutions import LaunchConfiguration
from leader_election.fleet.robot_list import format_ids, listing
from leader_election.gazebo.main import write
from leader_election.gazebo.plan import GazeboParameters, make_plan
from leader_election.launching.arguments import (
    check_known,
    declare,
    described,
    ELECTION,
    given,
    named,
    OF_A_SWARM,
    read,
    SHARE,
    switch,
    with_defaults,
)
from leader_election.launching.parameter_file import in_file
from leader_election.launching.processes import (
    bridge,
    check_installed,
    ours,
    OWN_TRANSFORMS,
    passing_on,
    refusing,
    run_folder,
    rviz,
    server,
    window,
)
from leader_election.launching.robot import check_scanner, MOTION, wandering
from leader_election.parameters import build, ParameterError, table
from leader_election.robot.parameters import ElectionParameters
from leader_election.swarm.parameters import MonitorParameters

GAZEBO = tuple(p.name for p in table(GazeboParameters))
OTHERS = OF_A_SWARM | {
    'headless': ('false', 'Whether there is no display: no window, and laser scanners are '
                          'rendered without one.'),
    'gui': ('true', 'Whether to open the window of Gazebo; it may be closed, the simulation goes '
                    'on.'),
    'use_sim_time': ('true', 'Whether all go by the time of Gazebo.'),
    'task': ('', 'Another name of tasks.'),
}


def arguments() -> list[DeclareLaunchArgument]:
    """Return all arguments; those of the nodes are described by the nodes' own declarations."""
    return declare(
        with_defaults(table(GazeboParameters))
        | described(named((ElectionParameters,), ELECTION))
        | with_defaults([MOTION]) | OTHERS)


def with_tasks(settings: dict[str, str]) -> dict[str, str]:
    """Return the arguments with the tasks under their one name."""
    if settings['task'] and settings['tasks']:
        raise ParameterError(f"parameter task: {settings['task']!r} is given, and tasks, which "
                             'means the same, too; give one of them')
    return settings | {'tasks': settings['task'] or settings['tasks']}


@refusing
def swarm(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    """Return what the arguments ask for; nothing is started unless all of it can be."""
    settings = with_tasks(context.launch_configurations)
    check_known(sys.argv, __file__, [each.name for each in arguments()])
    check_installed(settings['robots'])
    in_file(settings['params_file'])
    parameters = build(GazeboParameters, given(settings, GazeboParameters, GAZEBO))
    plan = make_plan(parameters)
    names = [robot.name for robot in plan.robots]
    check_scanner(settings, names, parameters.lidar)
    election = given(settings, ElectionParameters, ELECTION)
    sim_time = switch(settings, 'use_sim_time')
    headless = switch(settings, 'headless')
    share = read(SHARE, settings[SHARE.name])
    motion = wandering(settings, names, {
        'world': plan.arena, 'seed': parameters.seed, 'use_sim_time': sim_time},
        on_exit=passing_on)
    seen = switch(settings, 'gui') and not headless
    files = write(plan, run_folder())
    told = {'roster': listing(plan.robots), 'seed': parameters.seed, 'use_sim_time': sim_time}
    ids = tuple(robot.id for robot in plan.robots)
    return [
        # Where a user's own world looks for what it names.
        *([] if plan.arena else [AppendEnvironmentVariable(
            'GZ_SIM_RESOURCE_PATH', str(Path(parameters.world).resolve().parent))]),
        server(files['world'], headless),
        *([window()] if seen else []),
        bridge(files['bridge'], 'gazebo_bridge', sim_time, on_exit=passing_on),
        *(ours(settings, 'fleet', f'fleet_{ids[i]}',
               told | election | {'members': format_ids(ids[i:i + share])},
               remappings=OWN_TRANSFORMS, on_exit=passing_on)
          for i in range(0, len(ids), share)),
        *motion,
        ours(settings, 'monitor', 'monitor', given(settings, MonitorParameters, ELECTION) | {
            'use_sim_time': sim_time}, condition=IfCondition(LaunchConfiguration('monitor')),
            on_exit=passing_on),
        rviz(settings, sim_time),
    ]


def generate_launch_description() -> LaunchDescription:
    """Return what ``ros2 launch leader_election gazebo.launch.py`` runs."""
    return LaunchDescription([*arguments(), OpaqueFunction(function=swarm)])
