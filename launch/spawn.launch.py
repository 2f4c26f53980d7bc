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

"""One more robot for a swarm in Gazebo Sim that is running: its model, its bridge, its node."""

import sys

from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity
from launch.actions import DeclareLaunchArgument, OpaqueFunction
from leader_election.fleet.robot_list import listing
from leader_election.gazebo.plan import make_arrival, SpawnParameters
from leader_election.launching.arguments import (
    check_known,
    COMMON,
    declare,
    described,
    ELECTION,
    given,
    named,
    switch,
    with_defaults,
)
from leader_election.launching.parameter_file import in_file
from leader_election.launching.processes import (
    after,
    bridge,
    check_installed,
    ours,
    OWN_TRANSFORMS,
    passing_on,
    refusing,
    run_folder,
    spawn,
)
from leader_election.launching.robot import check_scanner, MOTION, wandering
from leader_election.parameters import build, table
from leader_election.robot.parameters import ElectionParameters

SPAWN = tuple(p.name for p in table(SpawnParameters))
OTHERS = {name: COMMON[name] for name in ('params_file', 'log_level')} | {
    'use_sim_time': ('true', 'Whether to go by the time of Gazebo.'),
}


def arguments() -> list[DeclareLaunchArgument]:
    """Return all arguments; those of the node are described by the node's own declarations."""
    return declare(
        with_defaults(table(SpawnParameters))
        | described(named((ElectionParameters,), ELECTION))
        | with_defaults([MOTION]) | OTHERS)


@refusing
def robot(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    """Return what the arguments ask for."""
    settings = context.launch_configurations
    check_known(sys.argv, __file__, [each.name for each in arguments()])
    check_installed('30')
    in_file(settings['params_file'])
    parameters = build(SpawnParameters, given(settings, SpawnParameters, SPAWN))
    arrival = make_arrival(parameters)
    robot = arrival.robot
    check_scanner(settings, [robot.name], parameters.lidar)
    sim_time = switch(settings, 'use_sim_time')
    motion = wandering(settings, [robot.name], {
        'world': arrival.arena, 'use_sim_time': sim_time}, on_exit=passing_on)
    election = given(settings, ElectionParameters, ELECTION)
    folder = run_folder()
    folder.mkdir(parents=True, exist_ok=True)
    model, config = folder / f'{robot.name}.sdf', folder / f'{robot.name}_bridge.yaml'
    model.write_text(arrival.model)
    config.write_text(arrival.bridge)
    return after(
        spawn(arrival.world_name, robot.name, model, robot.pose), [
            bridge(config, f'{robot.name}_bridge', sim_time, on_exit=passing_on),
            ours(settings, 'fleet', f'fleet_{robot.id}',
                 {'roster': listing([robot]), 'use_sim_time': sim_time} | election,
                 remappings=OWN_TRANSFORMS, on_exit=passing_on),
            *motion],
        f'{robot.name} was not put into world {arrival.world_name}; is a world of that name '
        'running, and no robot of that name in it?')


def generate_launch_description() -> LaunchDescription:
    """Return what ``ros2 launch leader_election spawn.launch.py id:=...`` runs."""
    return LaunchDescription([*arguments(), OpaqueFunction(function=robot)])
