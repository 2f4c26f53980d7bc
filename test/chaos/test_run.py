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

"""A short run: real nodes, killed, stopped, split, attacked, and whole again at the end."""

from pathlib import Path
import subprocess
import sys

from benchmarks.chaos.__main__ import main
import pytest

ROOT = Path(__file__).parents[2]
SECONDS = 30.0
"""A kill, a leap of the clock and an attack, by the seed; ``make chaos`` makes all faults."""


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, '-m', 'benchmarks.chaos', *arguments], cwd=ROOT,
                          capture_output=True, text=True, timeout=600)


@pytest.mark.parametrize(('arguments', 'rows', 'checks'), [
    (f'--robots 8 --seconds {SECONDS:g} --seed 2', ('| kill |', '| attack over: '), 8),
    ('--robots 6 --seconds 1 --seed 14 --mandate 1.5', ('| kill |', ' commands under '), 10)],
    ids=['half a minute of faults', 'the leader with a mandate is killed'])
def test_swarm_passes(arguments: str, rows: tuple[str, str], checks: int, tmp_path: Path) -> None:
    done = run(*arguments.split(), '--output', str(tmp_path))
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert lines[-1] == 'chaos: everything held'
    assert all(row in done.stdout for row in rows)
    assert len([line for line in lines if line.startswith('  ok    ')]) == checks
    assert (tmp_path / 'timeline.png').stat().st_size > 10_000


@pytest.mark.parametrize('wrong', [('--robots', '3'), ('--seconds', '0'), ('--seed', '-1'),
                                   ('--schedule', 'never')])
def test_a_wrong_option_is_one_line(
        wrong: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(wrong)
    out, error = capsys.readouterr()
    assert (ended.value.code, out, len(error.splitlines())) == (2, '', 1)
