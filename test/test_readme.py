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

"""The commands of the README, line by line in one shell, among robots."""

import os
from pathlib import Path
import re
import subprocess

from leader_election.ros.nodes.robot_host import RobotHost
from leader_election.ros.nodes.swarm_world import SwarmWorld
import rclpy
from ros2_stand_in import put_on_path
from support import PATIENCE, spin_until

ROOT = Path(__file__).parents[1]
ELSEWHERE = {
    'make demo': 'test/ros/demo runs it',
    'make test': 'it runs this test',
    'source /opt/ros/': 'it needs an installed ROS 2, as rosdep and colcon do',
    'sudo apt update': 'it needs the network and rights',
    'rosdep install': 'it needs the network and rights',
    'colcon build': 'test/ros/test_ros2_commands.py runs it where colcon is',
    'ros2 launch leader_election swarm': 'test/ros/test_ros2_commands.py runs it; here a fleet',
    'ros2 launch leader_election gazebo': 'it needs Gazebo Sim',
    'ros2 launch leader_election spawn': 'it needs Gazebo Sim',
    'ros2 launch leader_election robot': 'test/launch reads it; it needs a driver',
    'ros2 topic echo /alice': 'it shows what the launch above starts, until Ctrl-C'}
"""The lines that cannot run here, by their beginning, and why."""


def lines() -> list[str]:
    """Return the lines of the README for a shell, without comments."""
    blocks = re.findall(r'```sh\n(.*?)```', (ROOT / 'README.md').read_text(), re.DOTALL)
    return [line.partition(' #')[0].rstrip() for block in blocks for line in block.splitlines()]


def test_commands_of_the_readme_run_in_one_shell(ros: None, tmp_path: Path) -> None:
    here = [line for line in lines() if not line.startswith(tuple(ELSEWHERE))]
    for begin in ELSEWHERE:
        assert any(line.startswith(begin) for line in lines()), f'{begin} is not in the README'
    environment = put_on_path(tmp_path) | {'HOME': str(tmp_path)}
    # The editor that the reader leaves again.
    (tmp_path / 'nano').write_text('#!/bin/sh\nexec test -s "$1"\n')
    (tmp_path / 'nano').chmod(0o755)
    common = ['--ros-args', '-p', 'robots:=4', '-p', 'world:=empty:8x8']
    rclpy.shutdown()
    rclpy.init(args=[*common, '-p', 'radius:=6.0'])
    host = RobotHost(['fleet', *common, '-p', 'radius:=6.0'])
    world = SwarmWorld(use_global_arguments=False, cli_args=[*common, '-p', 'motion:=levy'])
    script = '\n'.join(f"{line}\necho '{k} ended with' $?" for k, line in enumerate(here))
    output = tmp_path / 'output'
    with output.open('w') as file, subprocess.Popen(
            ['bash', '-c', script], cwd=ROOT, env=environment, stdout=file, stderr=file) as shell:
        spin_until([host, *host.robots, world], lambda: shell.poll() is not None, 2 * PATIENCE)
    told = output.read_text()
    ended = dict(re.findall(r'^(\d+) ended with (\d+)$', told, re.MULTILINE))
    statuses = {line: int(ended[str(k)]) for k, line in enumerate(here)}
    doctor = 'ros2 run leader_election swarm_doctor'
    assert {line for line, status in statuses.items() if status} == {doctor}, told
    assert re.search(r'^data: [1-4]$', told, re.MULTILINE), told
    # The warning that the comment names.
    assert 'robot_3: radius is 8 m, and 6 m with robot_1, robot_2, robot_4' in told
    assert os.path.samefile(tmp_path / 'swarm_ws/src/leader_election', ROOT)
    assert (tmp_path / 'swarm_ws/robots.yaml').exists()
