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

from launch import LaunchContext, LaunchDescription
from launch.actions import DeclareLaunchArgument, OpaqueFunction, Shutdown
from launch.conditions import IfCondition
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import Node
from launch_ros.substitutions import FindPackageShare
from leader_election.launching.arguments import (
    COMMON,
    declare,
    described,
    given,
    in_file,
    named,
    read,
    switch,
)
from leader_election.launching.refusal import refusing
from leader_election.parameters import build, Parameter, table
from leader_election.robot.ids import format_ids
from leader_election.robot.parameters import ElectionParameters
from leader_election.swarm.parameters import MonitorParameters
from leader_election.world.parameters import SceneParameters, WorldParameters
from leader_election.world.scene import make_scene

PACKAGE = 'leader_election'
RVIZ = PathJoinSubstitution([FindPackageShare(PACKAGE), 'config', 'swarm.rviz'])
SCENE = ('robots', 'seed', 'world', 'logs', 'radio')
WORLD = ('motion', 'scan_rate', 'reading_rate', 'real_time_factor')
ELECTION = ('radius', 'communication_range', 'algorithm', 'tasks', 'collection', 'connected')
SHARE = Parameter(
    'robots_per_process', int, 20, 'How many robots share one process.', lower=1, upper=10000)
OTHERS = {
    SHARE.name: (str(SHARE.default), SHARE.description),
    'monitor': ('true', 'Whether to say how the swarm is, a line now and then.'),
    'use_sim_time': ('false', 'Whether all go by the time of the world, which then publishes '
                              '/clock. real_time_factor needs it.'),
    **COMMON,
    'params_file': ('', 'A file of parameters for all nodes; what is given here goes before it. '
                        'What says where robots start stands under /**. Empty: none.'),
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
    files = [settings['params_file']] if settings['params_file'] else []
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

    def node(executable: str, parameters: dict, name: str, **options: object) -> Node:
        # Not by the argument name of Node: the parameters would then be for that one node alone,
        # and not for the robots that live in the same process.
        return Node(
            package=PACKAGE, executable=executable, namespace=settings['namespace'],
            parameters=[*files, parameters], output='screen', arguments=[
                '--ros-args', '-r', f'__node:={name}', '--log-level', settings['log_level']],
            # Many nodes take their time to say goodbye.
            sigterm_timeout='30',
            **options)

    ids = make_scene(build(SceneParameters, {
        p.name: filed[p.name] for p in table(SceneParameters) if p.name in filed} | scene)).ids
    share = read(SHARE, settings[SHARE.name])
    fleets = [
        node('fleet', scene | election | {
            'members': format_ids(ids[i:i + share]), 'use_sim_time': sim_time},
            name=f'fleet_{ids[i]}')
        for i in range(0, len(ids), share)]
    return [
        # Without the world, or with one that was told nonsense, there is nothing to run.
        node('swarm_world', world | {'publish_clock': sim_time}, name='swarm_world',
             on_exit=Shutdown()),
        *fleets,
        node('monitor', given(settings, MonitorParameters, ELECTION) | {
            'use_sim_time': sim_time}, name='monitor',
             condition=IfCondition(LaunchConfiguration('monitor'))),
        Node(package='rviz2', executable='rviz2', namespace=settings['namespace'],
             arguments=['-d', RVIZ],
             parameters=[{'use_sim_time': sim_time}],
             condition=IfCondition(LaunchConfiguration('rviz'))),
    ]


def generate_launch_description() -> LaunchDescription:
    """Return what ``ros2 launch leader_election swarm.launch.py`` runs."""
    return LaunchDescription([*arguments(), OpaqueFunction(function=nodes)])
