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

"""The processes that launch files start: each of ours, with what all of them are told."""

from collections.abc import Mapping
from typing import Any

from leader_election.launching.arguments import PACKAGE


def ours(settings: Mapping[str, str], executable: str, name: str, parameters: Mapping[str, Any],
         **options: Any) -> Any:
    """
    Return a process of an executable of this package.

    :param settings: the launch's: ``params_file`` and ``log_level``, and ``namespace`` where the
        launch has one.
    :param name: of its first node.
    :param options: for ``launch_ros.actions.Node``.
    """
    from launch_ros.actions import Node
    files = [settings['params_file']] if settings['params_file'] else []
    # Not by the argument name of Node: the parameters would then be for that one node alone, and
    # not for the robots that live in the same process.
    return Node(
        package=PACKAGE, executable=executable, namespace=settings.get('namespace', ''),
        parameters=[*files, dict(parameters)], output='screen', arguments=[
            '--ros-args', '-r', f'__node:={name}', '--log-level', settings['log_level']],
        # Many nodes take their time to say goodbye.
        sigterm_timeout='30',
        **options)


def rviz(settings: Mapping[str, str], sim_time: bool) -> Any:
    """Return RViz, where argument rviz asks for it."""
    from launch.conditions import IfCondition
    from launch.substitutions import LaunchConfiguration, PathJoinSubstitution
    from launch_ros.actions import Node
    from launch_ros.substitutions import FindPackageShare
    view = PathJoinSubstitution([FindPackageShare(PACKAGE), 'config', 'swarm.rviz'])
    return Node(
        package='rviz2', executable='rviz2', namespace=settings.get('namespace', ''),
        arguments=['-d', view], parameters=[{'use_sim_time': sim_time}],
        condition=IfCondition(LaunchConfiguration('rviz')))
