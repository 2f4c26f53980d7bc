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

"""The demonstration of a gate: short runs as a process, and what its checks find."""

import subprocess
import sys

from leader_election.ros.demo.gate_demo import gate_checks
from leader_election.ros.demo.main import parse
from leader_election.swarm.gate_log import Answer, GateLog
from PIL import Image
import pytest


def run(tmp_path, *arguments):
    return subprocess.run(
        [sys.executable, '-m', 'leader_election', 'demo', '--task', 'gate', '--robots', '3',
         '--duration', '6', '--world', 'empty', '--processes', '1', '--output',
         str(tmp_path / 'out'), *arguments],
        capture_output=True, text=True, timeout=240, stdin=subprocess.DEVNULL)


def test_one_leader_at_a_time_opens_the_gate(tmp_path):
    done = run(tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert 'two robots held it open at once never' in done.stdout
    assert ' of their time, under those of two leaders never' in done.stdout
    assert Image.open(tmp_path / 'out' / 'gate.png').width == 1800
    assert Image.open(tmp_path / 'out' / 'run.gif').n_frames > 3


def test_run_without_mandates_shows_what_goes_wrong(tmp_path):
    done = run(tmp_path, '--without-mandate')
    assert done.returncode == 0, done.stdout + done.stderr
    assert 'two robots held the gate open at once, for ' in done.stdout
    assert 'came after a later one of another robot, the oldest ' in done.stdout


def log_of(*answers):
    log = GateLog()
    for robot, term, given, received, obeyed in answers:
        log.add(Answer(robot, term, given, received, obeyed))
    return log


FIRST, SECOND = (9, 5, 0.0, 0.1, True), (8, 7, 6.0, 6.1, True)
LATE = (9, 5, 0.2, 6.4, False)


@pytest.mark.parametrize(('answers', 'holds'), [
    ((FIRST, SECOND, LATE), [True, True]),
    ((FIRST, SECOND), [False, True]),  # no old command came, so nothing was shown
    ((FIRST, SECOND, (*LATE[:4], True)), [False, True]),  # it was obeyed
    ((FIRST, (8, 5, 6.0, 6.1, True), (9, 5, 6.0, 6.2, True), LATE), [True, False]),  # one term
])
def test_checks_with_mandates_find_what_may_not_be(answers, holds):
    assert [check.holds for check in gate_checks(log_of(*answers), True, 0.0)] == holds


@pytest.mark.parametrize(('answers', 'holds'), [
    ((FIRST, SECOND), [False, False]),
    ((FIRST, SECOND, (*LATE[:4], True)), [True, True]),
    ((FIRST, SECOND, (9, 0, 6.2, 6.3, True)), [True, False]),
])
def test_a_run_without_mandates_has_to_show_both_faults(answers, holds):
    answers = [(robot, 0, *rest) for robot, _, *rest in answers]
    assert [check.holds for check in gate_checks(log_of(*answers), False, 0.0)] == holds


@pytest.mark.parametrize(('arguments', 'named'), [
    (['--without-mandate'], '--without-mandate: needs --task gate'),
    (['--task', 'gate', '--robots', '2'], '--robots: the gate takes 3 or more'),
    (['--mandate', '-1'], '--mandate'),
])
def test_wrong_options_end_with_status_2_and_name_the_option(arguments, named, capsys):
    with pytest.raises(SystemExit) as ended:
        parse(arguments)
    assert ended.value.code == 2
    assert named in capsys.readouterr().err.splitlines()[-1]
