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

"""A simulated swarm: the embedded world, the robots in a few processes, and the monitor."""

import sys

from launch import LaunchContext, LaunchDescription
from launch.actions import DeclareLaunchArgument, OpaqueFunction
from launch.conditions import IfCondition
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from leader_election.fleet.robot_list import format_ids
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
)
from leader_election.launching.parameter_file import in_file
from leader_election.launching.processes import ours, passing_on, refusing, rviz
from leader_election.parameters import build, table
from leader_election.robot.parameters import ElectionParameters
from leader_election.swarm.parameters import MonitorParameters
from leader_election.world.parameters import SceneParameters, WorldParameters
from leader_election.world.scene import make_scene

SCENE = ('robots', 'seed', 'world', 'logs', 'radio')
WORLD = ('motion', 'scan_rate', 'reading_rate', 'real_time_factor')
OTHERS = OF_A_SWARM | {
    'use_sim_time': ('false', 'Whether all go by the time of the world, which then publishes '
                              '/clock. real_time_factor needs it.'),
    'params_file': ('', OF_A_SWARM['params_file'][1]
                    + ' What says where robots start stands under /**.'),
    'namespace': ('', 'The namespace of the whole swarm.'),
}


def arguments() -> list[DeclareLaunchArgument]:
    """Return all arguments; those of the nodes are described by the nodes' own declarations."""
    return declare(described(
        named((WorldParameters, ElectionParameters), (*SCENE, *WORLD, *ELECTION))) | OTHERS)


@refusing
def nodes(context: LaunchContext) -> list[Node]:
    """Return the nodes that the arguments ask for."""
    settings = context.launch_configurations
    check_known(sys.argv, __file__, [each.name for each in arguments()])
    filed = in_file(settings['params_file'])
    scene = given(settings, SceneParameters, SCENE)
    election = given(settings, ElectionParameters, ELECTION)
    world = scene | given(settings, WorldParameters, WORLD)
    sim_time = switch(settings, 'use_sim_time')
    # The world's radio reaches as far as the robots believe.
    reach = election.get('communication_range', filed.get(
        'radio_range', filed.get('communication_range')))
    if reach is not None:
        world['radio_range'] = reach

    ids = make_scene(build(SceneParameters, {
        p.name: filed[p.name] for p in table(SceneParameters) if p.name in filed} | scene)).ids
    share = read(SHARE, settings[SHARE.name])
    fleets = [
        ours(settings, 'fleet', f'fleet_{ids[i]}', scene | election | {
            'members': format_ids(ids[i:i + share]), 'use_sim_time': sim_time},
            on_exit=passing_on)
        for i in range(0, len(ids), share)]
    return [
        # Where one of them has ended, or was told nonsense, the rest is nothing to run.
        ours(settings, 'swarm_world', 'swarm_world', world | {'publish_clock': sim_time},
             on_exit=passing_on),
        *fleets,
        ours(settings, 'monitor', 'monitor', given(settings, MonitorParameters, ELECTION) | {
            'use_sim_time': sim_time}, condition=IfCondition(LaunchConfiguration('monitor')),
            on_exit=passing_on),
        rviz(settings, sim_time),
    ]


def generate_launch_description() -> LaunchDescription:
    """Return what ``ros2 launch leader_election swarm.launch.py`` runs."""
    return LaunchDescription([*arguments(), OpaqueFunction(function=nodes)])
