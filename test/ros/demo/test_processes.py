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

"""Processes of a demonstration: started, paused, killed, stopped; its domain and folder."""

import os
from pathlib import Path
import socket
import subprocess
import sys

from leader_election.parameters import ParameterError
from leader_election.ros.demo.processes import (
    own_domain,
    own_folder,
    own_place,
    ProcessDied,
    Processes,
)
import pytest
from rclpy.node import Node
from support import spin_until

WORLD = {'robots': 1, 'world': 'empty'}


def state(pid: int) -> str:
    """Return the state of a process: T is stopped by a signal."""
    return Path(f'/proc/{pid}/stat').read_text().rpartition(')')[2].split()[0]


def test_paused_process_continues_or_ends_cleanly(ros, tmp_path):
    node = Node('bench')
    with Processes(tmp_path) as processes:
        assert 'swarm_world' in processes.run('world', 'swarm_world', WORLD)
        pid = processes.pids['world']
        spin_until([node], lambda: node.count_publishers('/robot_1/odom') == 1, 60.0)
        processes.pause('world')
        spin_until([node], lambda: state(pid) == 'T')
        processes.go_on('world')
        spin_until([node], lambda: state(pid) != 'T')
        processes.check()
        processes.pause('world')
        assert processes.stop() == {'world': 0}


def test_ended_process_is_reported_with_its_last_line(ros, tmp_path):
    node = Node('bench')
    with Processes(tmp_path) as processes:
        processes.run('world', 'swarm_world', {**WORLD, 'radio_loss': 2.0})
        with pytest.raises(ProcessDied, match='^world ended with status 2: error: parameter'):
            spin_until([node], lambda: processes.check() is not None, 60.0)
        assert processes.stop() == {'world': 2}


RESERVE = """
from leader_election.ros.demo import processes
# Workers of pytest use those below 100.
processes.DOMAINS = (100, 101)
print(*sorted(processes.own_domain() or 0 for _ in range(3)))
"""


def test_domain_in_use_is_not_chosen_and_another_is_reserved_until_the_end():
    def reserved() -> str:
        return subprocess.run([sys.executable, '-c', RESERVE], capture_output=True, text=True,
                              env=os.environ | {'ROS_DOMAIN_ID': ''}, timeout=60).stdout.strip()

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
        taken.bind(('', 7400 + 250 * 101))
        assert reserved() == '0 0 100'
    assert reserved() == '0 100 101'


def test_domain_of_the_user_stays(monkeypatch):
    monkeypatch.setenv('ROS_DOMAIN_ID', '5')
    assert own_domain() is None


def test_files_of_an_earlier_run_are_removed_and_no_others(tmp_path):
    earlier = [tmp_path / 'gate.png', tmp_path / 'log' / 'fleet_3.log']
    (tmp_path / 'log').mkdir()
    for file in (*earlier, tmp_path / 'mine.png'):
        file.write_text('')
    assert own_folder(tmp_path) == tmp_path and not any(file.exists() for file in earlier)
    assert (tmp_path / 'mine.png').exists()
    assert own_folder(tmp_path) == tmp_path.with_name(f'{tmp_path.name}_2')


def test_folder_is_refused_when_it_cannot_be_made(tmp_path):
    (tmp_path / 'out').write_text('a file')
    with pytest.raises(ParameterError, match='^argument --output: .*out/below'):
        own_place(tmp_path / 'out' / 'below')
