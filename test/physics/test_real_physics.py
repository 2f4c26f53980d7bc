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

"""``make physics``: what is asked for wrongly, and how it ends."""

from collections.abc import Iterator
from contextlib import contextmanager
import os
from pathlib import Path
import signal
import subprocess
import sys

from benchmarks import real_physics
import pytest

ROOT = Path(__file__).parents[2]
ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def running(*arguments: str, **environment: str) -> Iterator['subprocess.Popen[str]']:
    path = os.pathsep.join([str(ROOT), str(ROOT / 'test'), *filter(None, sys.path)])
    process = subprocess.Popen(
        [sys.executable, '-m', 'benchmarks.real_physics', *arguments], text=True,
        env={**os.environ, 'PYTHONPATH': path, **environment}, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        # Whoever runs the tests may have it ignored, as a shell does of what is in its background.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))
    with process:
        try:
            yield process
        finally:
            process.kill()


@pytest.mark.parametrize(('arguments', 'stated'), [
    (('--world', 'nonsense'), "parameter world: 'nonsense' is none of"),
    (('--robots', '0'), 'parameter robots: 0 is not allowed'),
    (('--robots', '5000'), 'parameter robots: 5000 do not fit'),
    (('--seconds', '0'), 'parameter seconds: 0.0 is not allowed'),
    (('--pace', '0'), 'parameter pace: 0.0 is not allowed'),
    (('--seconds', 'nan'), 'parameter seconds: nan is not allowed'),
    (('--seed', '-1'), 'parameter seed: -1 is not allowed'),
    ((), 'Gazebo Classic 11 is not in ')])
def test_what_is_wrong_is_one_line_and_status_2_before_anything_is_started(
        arguments: tuple[str, ...], stated: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path))
    monkeypatch.setattr(sys, 'argv', ['real_physics', *arguments])
    handlers = {number: signal.getsignal(number) for number in ENDING}
    try:
        status = real_physics.main()
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
    out, error = capsys.readouterr()
    assert (status, out) == (2, '')
    assert error.startswith(f'error: {stated}') and error.count('\n') == 1


def test_a_process_with_a_wrong_option_prints_one_line(tmp_path: Path) -> None:
    with running('--robots', '0', XDG_CACHE_HOME=str(tmp_path)) as process:
        out, error = process.communicate()
    assert (process.returncode, out) == (2, '')
    assert error.startswith('error: parameter robots: 0 is not') and error.count('\n') == 1


@pytest.mark.gazebo
@pytest.mark.parametrize('number', ENDING)
def test_a_signal_ends_it_and_leaves_nothing_behind(
        number: signal.Signals, gazebo: Path, tmp_path: Path) -> None:
    with running('--robots', '2', TMPDIR=str(tmp_path)) as process:
        assert process.stdout is not None
        for _ in range(1200):
            if any(tmp_path.glob('gazebo-*/log')):
                break
            with pytest.raises(subprocess.TimeoutExpired):
                process.wait(timeout=0.05)
        process.send_signal(number)
        _, said = process.communicate(timeout=60)
    assert (process.returncode, said) == (128 + number, '')
    # The simulator's folder goes when the simulator has.
    assert list(tmp_path.iterdir()) == []
