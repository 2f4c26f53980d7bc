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
"""What robots with a quorum keep in files over a restart."""

import math
import os
from pathlib import Path
import stat

from leader_election.election.mandates.parameters import Kept, NOTHING, RosterMark
from leader_election.ros.nodes.mandate_files import MandateFile
import pytest
from ros.nodes.bench import acts, robot
from support import spin_until

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
    '', '{}', '7', '{"promise": 3', '{"promise": NaN, "taken": [1, 2], "proven": [1, 2]}',
    '{"promise": 3.0, "taken": [1], "proven": [1, 2]}', '\xff', '[' * 999,
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


@pytest.mark.usefixtures('ros')
def test_robot_does_not_act_with_another_roster_when_it_restarts() -> None:
    for roster, may_act in (('v1 3', True), ('v2 3', False), ('v1 3', True)):
        node = robot(3, metric='hops', communication_range=float('inf'), mandate=0.5,
                     quorum='majority', roster=roster)
        part = node.robot.main.parts['mandates']
        if may_act:
            spin_until([node], lambda part=part: acts(part))
        else:
            mandates = part.mandates
            spin_until([node], lambda m=mandates: m.time > m.silent_until + 0.5)
            assert not acts(part)
            assert 'version 1, and its own has version 2' in part.warning(True, 0.0)
        node.close()
        node.destroy_node()
