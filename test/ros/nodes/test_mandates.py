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

"""Mandates over a restart: numbers, what is kept in files; and settings that differ."""

from collections.abc import Sequence
import math
import os
from pathlib import Path
import stat
import time
from typing import Any

from election.robot.swarm import line, Swarm
from leader_election.election.mandates.parameters import Kept, NOTHING, RosterMark
from leader_election.ros.nodes.robot_diagnostics import statuses
from leader_election.ros.nodes.robot_topics import MandateFile
from leader_election.swarm.doctor.diagnoses import examine
from leader_election.swarm.fleet import key_file
import pytest
from ros.nodes import bench
from support import spin_until
from swarm.doctor import scene

pytestmark = pytest.mark.usefixtures('ros')


def test_robot_warns_when_grants_have_no_room() -> None:
    robots = Swarm(line(2), radius=9.0, mandate=5.0)
    robots.sweep()
    robots.robots[2].main.parts['mandates'].left_out = 7
    assert statuses(robots.robots[2], 'bob', robots.now)[0].message == (
        '7 members are under no mandate: the message with their grants would be too long')


def observed(robots: Swarm) -> Any:
    """Return the observations of robots 1 to 3 with their diagnostics."""
    reports = []
    for name, robot in zip(scene.NAMES, robots.robots.values()):
        told = statuses(robot, name, robots.now)
        worst = max(told, key=lambda status: status.level)
        values = {pair.key: pair.value for status in told for pair in status.values}
        reports += [report._replace(
            level=int.from_bytes(worst.level, 'little'), message=worst.message,
            values={**values, **report.values})
            for report in scene.statuses(name, robot.parameters.robot_id)]
    messages = [scene.HeardMessage(t + 0.1 * i, robots.said[i], scene.AIR, 0.001)
                for t in range(scene.SECONDS) for i in robots.robots]
    return scene.healthy(diagnostics=reports, messages=sorted(messages))


def test_doctor_names_robot_and_setting_when_mandates_differ() -> None:
    robots = Swarm(line(3), lambda i: {'roster': '1-2,3,9'} if i == 2 else {}, **{
        'radius': 9.0, 'mandate': 5.0, 'quorum': 'majority', 'roster': '1-3'})
    robots.sweep(4)
    causes = [finding for finding in examine(observed(robots)) if not finding.explained_by]
    assert [(found.check, found.subjects, found.what) for found in causes] == [
        ('settings', ('bob',), 'roster is 1-3,9, and 1-3 with alice, carol: these robots do not '
         'count the grants of each other')]
    assert {finding.check for finding in examine(observed(robots))} == {
        'settings', 'self_reported'}


def first_numbers(
        monkeypatch: pytest.MonkeyPatch, times: Sequence[float], **parameters: Any) -> list[int]:
    """Return the numbers of a robot that is started at some times of its wall clock [s]."""
    numbers = []
    for seconds in times:
        monkeypatch.setattr(time, 'time_ns', lambda seconds=seconds: int(seconds * 1e9))
        node = bench.robot(1, mandate=1.0, **parameters)
        numbers.append(node.robot.main.parts['mandates'].mandates.number)
        node.close()
        node.destroy_node()
    return numbers


def test_numbers_grow_over_a_restart_when_the_clock_was_never_set(
        monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = first_numbers(monkeypatch, (5.0, 6.0, 1.6e9, 1.9e9))
    assert numbers == sorted({*numbers})
    assert numbers[1] - numbers[0] >= 1000, 'leaders with short periods count on more slowly'


def test_numbers_grow_over_a_restart_when_a_robot_with_a_key_has_its_clock_set_back(
        monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    key_file.make_key(tmp_path / 'swarm.key')
    before, after = first_numbers(
        monkeypatch, (1.9e9, 1.6e9), swarm_key_file=str(tmp_path / 'swarm.key'))
    assert before < after


KEPT = Kept(3.06, RosterMark(4, 17), RosterMark(2, 9))


def test_file_holds_the_last_kept_values_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / 'state' / 'leader_election' / 'robot.json'
    file = MandateFile(path)
    assert file.kept == NOTHING and not file.fault and not path.exists()
    file.keep(Kept(5.0))
    file.keep(KEPT)
    assert MandateFile(path).kept == KEPT and path.read_text().count('\n') == 1
    assert [each.name for each in path.parent.iterdir()] == ['robot.json']


@pytest.mark.parametrize('text', [
    '', '{}', '7', '{"promise": NaN, "taken": [1, 2], "proven": [1, 2]}', '\xff', '[' * 999,
    '{"promise": 3.0, "taken": [1], "proven": [1, 2]}',
    '{"promise": 3.0, "taken": [1, 1e999], "proven": [1, 2]}',
    '{"promise": 1e308, "taken": [-1, 0], "proven": [-1, 0]}',
    '{"promise": 3.0, "taken": [-5, 1], "proven": [-1, 0]}',
    '{"promise": 3.0, "taken": [-1, 0], "proven": [99999999999999999999, 7]}'])
def test_robot_grants_nothing_when_its_file_is_damaged(text: str, tmp_path: Path) -> None:
    path = tmp_path / 'robot.json'
    path.write_text(text, encoding='utf-8')
    file = MandateFile(path)
    assert file.kept == Kept(math.inf) and 'grants nothing' in file.fault
    assert path.read_text(encoding='utf-8') == text


def test_fault_names_the_file_until_it_can_be_written(tmp_path: Path) -> None:
    path = tmp_path / 'state' / 'robot.json'
    file = MandateFile(path)
    path.parent.write_text('a file in place of a folder')
    assert not file.keep(KEPT) and str(path) in file.fault and 'grants nothing' in file.fault
    path.parent.unlink()
    assert file.keep(KEPT) and not file.fault and MandateFile(path).kept == KEPT


def test_promises_need_no_file_when_the_roster_has_no_version(tmp_path: Path) -> None:
    file = MandateFile(tmp_path / 'state' / 'robot.json')
    (tmp_path / 'state').write_text('a file in place of a folder')
    assert file.keep(Kept(5.0)) and 'forgets' in file.fault


def test_replaced_file_lasts_over_a_power_failure(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder is written to the disk after the file got its name."""
    path, written = tmp_path / 'robot.json', []
    monkeypatch.setattr(os, 'fsync', lambda file: written.append(
        (stat.S_ISDIR(os.fstat(file).st_mode), path.exists())))
    MandateFile(path).keep(KEPT)
    assert written == [(False, False), (True, True)]


def test_robot_does_not_act_with_another_roster_when_it_restarts() -> None:
    for roster, may_act in (('v1 3', True), ('v2 3', False), ('v1 3', True)):
        node = bench.robot(3, metric='hops', communication_range=float('inf'), mandate=0.5,
                     quorum='majority', roster=roster)
        part = node.robot.main.parts['mandates']
        if may_act:
            spin_until([node], lambda part=part: bench.acts(part))
        else:
            mandates = part.mandates
            spin_until([node], lambda m=mandates: m.time > m.silent_until + 0.5)
            assert not bench.acts(part)
            assert 'version 1, and its own has version 2' in part.warning(True, 0.0)
        node.close()
        node.destroy_node()
