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

"""The key file and the swarm time beside it, over changes and restarts."""

import os
from pathlib import Path
import re

from election.robot.swarm import Swarm
from leader_election.election.messages.swarm_key import fingerprint
from leader_election.parameters import ParameterError
from leader_election.swarm.fleet import key_file
from leader_election.swarm.fleet.key_file import KeyFile, main, read_keys, RESERVED, SwarmTimeFile
import pytest

KEY = 'ab' * 32


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return the path of a key file that is not there yet, with a space in it."""
    (tmp_path / 'my keys').mkdir()
    return tmp_path / 'my keys' / 'swarm.key'


def written(path: Path, text: str, mode: int = 0o600) -> Path:
    """Write a file as a whole, as an update of it should."""
    new = path.with_suffix('.new')
    new.write_text(text)
    new.chmod(mode)
    return new.replace(path)


def refused(path: Path) -> str:
    """Return the one-line reason for refusing a file, which names parameter and file."""
    with pytest.raises(ParameterError) as raised:
        read_keys(path)
    error = str(raised.value)
    start = f'parameter swarm_key_file: {str(path)!r} '
    assert error.startswith(start) and '\n' not in error and 'ab' * 8 not in error
    return error.removeprefix(start)


def test_made_key_is_readable_by_its_owner_only(path, capsys):
    before = os.umask(0)
    try:
        assert main([str(path)]) == 0
    finally:
        os.umask(before)
    assert path.stat().st_mode & 0o777 == 0o600
    (key,) = read_keys(path)
    out = capsys.readouterr().out
    assert f'{fingerprint(key)}  signs' in out and key.hex() not in out


@pytest.mark.parametrize('mode', [0o640, 0o604, 0o610])
def test_key_file_open_to_others_is_refused_with_the_remedy(path, mode):
    error = refused(written(path, KEY, mode))
    assert error == (f'is open to others than its owner (mode {mode:04o}); correct it by: '
                     f"chmod 600 '{path}'")
    assert os.system(error.partition('correct it by: ')[2]) == 0
    assert read_keys(path) == (bytes.fromhex(KEY),)


def test_unreadable_file_is_refused(path):
    assert refused(path) == 'cannot be read: No such file or directory; swarm_key makes a key file'
    assert 'is not a file' in refused(path.parent)
    os.mkfifo(path, 0o600)
    assert 'is not a file' in refused(path)
    path.unlink()
    path.write_bytes(b'\xff' * 64)
    path.chmod(0o600)
    assert 'is not a key file' in refused(path)
    assert 'embedded null' in refused(Path('a\0b'))


def test_key_file_expands_the_home_in_its_path(path, monkeypatch):
    monkeypatch.setenv('HOME', str(path.parent))
    written(path, KEY)
    assert read_keys('~/swarm.key') == (bytes.fromhex(KEY),)
    file = KeyFile('~/swarm.key')
    assert len(file.content) == 1 and not file.changed()


def test_existing_key_is_not_overwritten(path, capsys):
    written(path, KEY)
    assert main([str(path)]) == 2
    error = capsys.readouterr().err
    assert re.fullmatch(
        r"error: .*swarm.key' exists, and no key is overwritten; --next .*\n", error)
    assert read_keys(path) == (bytes.fromhex(KEY),)


def test_key_changes_in_three_steps(path, capsys):
    assert main([str(path)]) == 0
    (old,) = read_keys(path)
    for step in ('--switch', '--finish'):
        assert main([str(path), step]) == 2
        assert '--next adds the next one' in capsys.readouterr().err
    assert main([str(path), '--next']) == 0
    assert main([str(path), '--next']) == 2
    first, new = read_keys(path)
    assert first == old != new
    assert main([str(path), '--switch']) == 0 and read_keys(path) == (new, old)
    capsys.readouterr()
    assert main([str(path), '--show']) == 0
    assert capsys.readouterr().out == f'{fingerprint(new)}  signs\n{fingerprint(old)}  accepted\n'
    assert main([str(path), '--finish']) == 0 and read_keys(path) == (new,)
    assert path.stat().st_mode & 0o777 == 0o600
    assert [file.name for file in path.parent.iterdir()] == [path.name], 'nothing is left behind'


def test_unwritable_folder_is_refused(path, capsys):
    assert main([str(path / 'below')]) == 2
    assert main(['/proc/swarm.key']) == 2
    assert capsys.readouterr().err.count('cannot be written') == 2
    with pytest.raises(SystemExit) as ended:
        main([str(path), '--next', '--finish'])
    assert ended.value.code == 2


def test_key_file_is_read_again_when_it_changes_and_its_key_stays_when_it_is_invalid(path):
    assert KeyFile('').content == () and not KeyFile('').changed(), 'without a file'
    written(path, KEY)
    file = KeyFile(str(path))
    assert not file.changed()
    for spoil, error in ((lambda: written(path, 'half'), 'line 1 has 4 characters'),
                         (path.unlink, 'No such file'),
                         (lambda: written(path, KEY, 0o644), 'chmod 600')):
        spoil()
        assert file.changed() and error in file.error and not file.changed()
        assert file.content == (bytes.fromhex(KEY),)
    path.chmod(0o600)
    assert file.changed() and file.error == '' and not file.changed()
    written(path, KEY + '\n' + 'cd' * 32)
    assert file.changed() and len(file.content) == 2 and not file.changed()


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


def test_swarm_time_starts_at_the_wall_clock_when_none_was_kept(key):
    file = SwarmTimeFile(key, 1)
    assert file.start(NOW, WINDOW) == NOW
    assert kept(key) == NOW + AHEAD
    assert file.fault == file.doubt == ''


@pytest.mark.parametrize(('wall', 'start'), [
    *((wall, NOW + AHEAD + 5001) for wall in (0, NOW, NOW + AHEAD + 4999)),
    # A later clock is no leap.
    (NOW + 60_000, NOW + 60_000)])
def test_swarm_time_restarts_after_all_accepted_messages(key, wall, start):
    SwarmTimeFile(key, 1).start(NOW, WINDOW)
    assert SwarmTimeFile(key, 1).start(wall, WINDOW) == start
    assert SwarmTimeFile(key, 2).start(wall, WINDOW) == wall, 'each robot has its own'


def test_swarm_time_file_is_written_before_its_time_passes(key):
    file, written = SwarmTimeFile(key, 1), set()
    file.start(NOW, WINDOW)
    for second in range(300):
        file.keep(NOW + 1000 * second)
        written.add(kept(key))
        assert kept(key) > NOW + 1000 * (second + 1)
    assert len(written) <= 300 // 15


@pytest.mark.parametrize('text', ['', '-5', '9' * 30, '١٢٣'])
def test_swarm_time_file_is_replaced_when_its_text_is_no_time(key, text):
    Path(f'{key}.1.time').write_text(text)
    assert SwarmTimeFile(key, 1).start(NOW, WINDOW) == NOW
    assert kept(key) == NOW + AHEAD


def test_swarm_time_is_doubted_when_the_clock_is_behind_the_key(key):
    file = SwarmTimeFile(key, 1)
    assert file.start(0, WINDOW) == 0
    assert 'recorded messages may be believed; set the clock' in file.doubt
    assert SwarmTimeFile(key, 1).doubt == '', 'from now on a time is kept'


def test_swarm_time_reports_a_fault_when_its_folder_is_read_only(key):
    Path(f'{key}.1.time').mkdir()
    file = SwarmTimeFile(key, 1)
    assert file.start(NOW, WINDOW) == NOW
    assert 'cannot be kept' in file.fault and 'let the user of the robot write' in file.fault
    assert not list(Path(key).parent.glob('.*.time'))


@pytest.mark.parametrize('keeps', [True, False])
def test_replayed_dead_leader_is_rejected_after_a_power_cycle(key, keeps):
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
