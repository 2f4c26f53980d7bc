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

"""A robot whose odometry stays away from the start."""

import os
from pathlib import Path
import subprocess
import sys

from leader_election.election.robot.reception import ROUNDS
from leader_election.parameters import ParameterError
import pytest
from ros.nodes.bench import Bench, robot
from support import spin_until

TIMEOUT = 0.5
REASON = ('parameter odometry_timeout: no odometry on /alice/wheels within 0.5 s; start the '
          'driver, or remap odom to its topic (ros2 topic info -v /alice/wheels, ros2 topic list '
          '-t)')


pytestmark = pytest.mark.usefixtures('ros')


@pytest.mark.parametrize('executable', ['election_node', 'managed_election_node'])
def test_missing_odometry_ends_with_one_line_and_status_2(executable: str, tmp_path: Path) -> None:
    """The reason is in the log file, too."""
    ran = subprocess.run(
        [sys.executable, '-m', 'leader_election', executable, '--ros-args', '-r', '__ns:=/alice',
         '-r', 'odom:=wheels', '-p', 'robot_id:=1', '-p',
         f'odometry_timeout:={TIMEOUT}'], capture_output=True, text=True, timeout=60.0,
        env=os.environ | {'ROS_LOG_DIR': str(tmp_path)})
    lines = ran.stderr.splitlines()
    assert (ran.returncode, ran.stdout, lines[-1]) == (2, '', f'error: {REASON}')
    assert not any(line.startswith('error') for line in lines[:-1])
    (log,) = tmp_path.iterdir()
    assert f'[alice.election_node]: {REASON}' in log.read_text()


def lives(**parameters: object) -> None:
    """Hold that a robot goes on past its timeout."""
    one = robot(1, odometry_timeout=0.2, **parameters)
    # Rounds come ten a second.
    spin_until([*([Bench({1: (0.0, 0.0)})] if not parameters else []), one],
               lambda: one.robot.counts[ROUNDS] > 6 or one.failure is not None)
    if one.failure is not None:
        raise one.failure


def test_node_with_odometry_continues_after_the_timeout() -> None:
    lives()


def test_node_without_need_of_positions_continues_after_the_timeout() -> None:
    lives(metric='hops', communication_range=float('inf'))


def test_node_without_odometry_ends_after_the_timeout() -> None:
    with pytest.raises(ParameterError, match='no odometry on /r1/odom within 0.2 s'):
        lives(metric='hops')
