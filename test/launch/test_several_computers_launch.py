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

"""``swarm.launch.py`` on several computers, by a launch on each."""

import os
from pathlib import Path
import sys

from launched import FILES, install, SERVICE
import pytest
from several_computers import led_by, MEMBERS, RIGHT, swarm, WORLD

pytest.importorskip('launch_ros', reason='launch_ros is not importable: it is not on PyPI, '
                                         'only in a full ROS 2')


def test_robots_on_two_computers_elect_with_the_world_on_a_third(tmp_path: Path) -> None:
    prefix, file = tmp_path / 'prefix', tmp_path / 'seed.yaml'
    install(prefix)
    file.write_text('/**:\n  ros__parameters:\n    seed: 44\n    layout: grid\n')
    paths = os.pathsep.join([str(FILES.parent), *filter(None, [os.environ.get('PYTHONPATH')])])
    common = ['robots:=8', 'world:=empty', 'radius:=30.0', 'communication_range:=30.0',
              f'params_file:={file}', 'monitor:=false']
    with swarm('fastdds_discovery_server', tmp_path) as run:
        run.serve()

        def launch(host: str, *arguments: str) -> None:
            run.start(host, f'launch_{host}', 'env', f'PYTHONPATH={paths}',
                      f'AMENT_PREFIX_PATH={prefix}{os.pathsep}{os.environ["AMENT_PREFIX_PATH"]}',
                      f'ROS_LOG_DIR={tmp_path / "log"}', sys.executable, '-c', SERVICE,
                      str(FILES / 'swarm.launch.py'), *common, *arguments)
        launch(WORLD, 'members:=none')
        run.watch(WORLD)
        for host, members in MEMBERS.items():
            launch(host, f'members:={members}', 'swarm_world:=false')
        run.until(led_by(8, range(1, 9)))
        run.network.connect(RIGHT, False)
        run.until(led_by(4, range(1, 5)))
        run.network.connect(RIGHT, True)
        run.until(led_by(8, range(1, 9)))
