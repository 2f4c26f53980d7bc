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

"""The swarm time of a robot over restarts, and attacks with recordings from before them."""

import os
from pathlib import Path

from election.robot.swarm import Swarm
from leader_election.election.robot.swarm_key import ahead, RING
from leader_election.swarm.fleet import key_file
from leader_election.swarm.fleet.swarm_time_file import RESERVED, SwarmTimeFile
import pytest

NOW = 1_790_000_000_000
"""A wall clock [ms]."""
WINDOW = 5.0
AHEAD = RESERVED + 2000


@pytest.fixture
def key(tmp_path: Path) -> str:
    """Return the path of a key file made a minute ago."""
    key_file.make_key(tmp_path / 'swarm.key')
    os.utime(tmp_path / 'swarm.key', (NOW / 1e3 - 60.0,) * 2)
    return str(tmp_path / 'swarm.key')


def kept(key: str, robot_id: int = 1) -> int:
    return int(Path(f'{key}.{robot_id}.time').read_text())


def test_first_start_is_by_the_wall_clock(key: str) -> None:
    file = SwarmTimeFile(key, 1)
    assert file.start(NOW, WINDOW) == NOW
    assert kept(key) == NOW + AHEAD
    assert file.fault == file.doubt == ''


@pytest.mark.parametrize('wall', [0, NOW, NOW + AHEAD + 4999])
def test_restart_is_later_than_all_that_was_accepted(key: str, wall: int) -> None:
    SwarmTimeFile(key, 1).start(NOW, WINDOW)
    assert SwarmTimeFile(key, 1).start(wall, WINDOW) == NOW + AHEAD + 5001
    assert SwarmTimeFile(key, 2).start(wall, WINDOW) == wall, 'each robot has its own'


def test_restart_with_a_later_clock_is_no_leap(key: str) -> None:
    SwarmTimeFile(key, 1).start(NOW, WINDOW)
    assert SwarmTimeFile(key, 1).start(NOW + 60_000, WINDOW) == NOW + 60_000


def test_file_is_written_seldom_and_before_its_time_is_passed(key: str) -> None:
    file, written = SwarmTimeFile(key, 1), set()
    file.start(NOW, WINDOW)
    for second in range(300):
        file.keep(NOW + 1000 * second)
        written.add(kept(key))
        assert kept(key) > NOW + 1000 * (second + 1)
    assert len(written) <= 300 // 15


def test_leap_of_the_swarm_time_is_kept_also_over_the_end_of_the_ring(key: str) -> None:
    file = SwarmTimeFile(key, 1)
    file.start(NOW, WINDOW)
    for leap in (NOW + 10**9, RING - 5, 10):
        file.keep(leap)
        assert ahead(kept(key), leap) > 0


@pytest.mark.parametrize('text', ['', 'tomorrow', '-5', '9' * 30, '١٢٣'])
def test_other_text_is_no_time_and_is_replaced(key: str, text: str) -> None:
    Path(f'{key}.1.time').write_text(text)
    assert SwarmTimeFile(key, 1).start(NOW, WINDOW) == NOW
    assert kept(key) == NOW + AHEAD


def test_clock_behind_the_key_without_a_kept_time_is_doubted(key: str) -> None:
    file = SwarmTimeFile(key, 1)
    assert file.start(0, WINDOW) == 0
    assert 'recorded messages may be believed; set the clock' in file.doubt
    assert SwarmTimeFile(key, 1).doubt == '', 'from now on a time is kept'


def test_folder_that_cannot_be_written_is_a_fault_with_a_remedy(key: str) -> None:
    Path(f'{key}.1.time').mkdir()
    file = SwarmTimeFile(key, 1)
    assert file.start(NOW, WINDOW) == NOW
    assert 'cannot be kept' in file.fault and 'let the user of the robot write' in file.fault
    assert not list(Path(key).parent.glob('.*.time'))


@pytest.mark.parametrize('keeps', [True, False])
def test_recorded_dead_leader_after_a_power_cycle_without_clocks(key: str, keeps: bool) -> None:
    """All robots go off, the leader is removed, the others start at 1970; a listener plays it."""
    keys, files = key_file.read_keys(key), {i: SwarmTimeFile(key, i) for i in (1, 2, 3, 9)}

    def swarm(ids: tuple[int, ...], wall: int) -> Swarm:
        starts = {i: SwarmTimeFile(key, i).start(wall, WINDOW) if keeps else wall for i in ids}
        made = Swarm({i: (0.1 * i, 0.0) for i in ids}, lambda i: {'strength': float(i)},
                     keys=keys, start=wall)
        for i, robot in made.robots.items():
            robot.authentication.time = type(robot.authentication.time)(starts[i])
        return made

    before, recording = swarm((1, 2, 3, 9), NOW), []
    for _ in range(300):
        before.now += 1.0
        before.sweep()
        recording.append(before.said[9])
        for i, robot in before.robots.items():
            if keeps:
                files[i].keep(robot.authentication.time.read(before.now))
    assert [robot.state.leader for robot in before.robots.values()] == [9] * 4
    after, followed = swarm((1, 2, 3), 0), 0
    for payload in recording:
        after.now += 1.0
        after.tell(9, payload)
        after.sweep()
        followed += any(robot.state.leader == 9 for robot in after.robots.values())
    assert followed == 0 if keeps else followed > 200
