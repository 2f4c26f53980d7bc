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

"""The reports of the doctor, as text and as JSON, and its command line."""

import json
from pathlib import Path

from leader_election.swarm.doctor import command
from leader_election.swarm.doctor.diagnoses import CHECKS, examine
from leader_election.swarm.doctor.observations import Level, Observations
import pytest
from swarm.doctor.scene import healthy, NAMES, said, without


def test_healthy_swarm_is_well_in_all_checks() -> None:
    swarm = healthy()
    assert swarm.robots == list(NAMES) and len(swarm.sent) == 3
    assert examine(swarm) == []
    lines = command.text(swarm, []).splitlines()
    assert lines[0] == ('swarm_doctor listened for 10 s: 3 robots (alice, bob, carol), '
                        '30 messages from 3 ids')
    assert len(lines) == len(CHECKS) + 2 and all('  ok ' in line for line in lines[1:-1])
    assert lines[-1] == 'swarm_doctor: all is well' and command.status([]) == 0


def test_finding_is_printed_with_its_remedy() -> None:
    swarm = healthy(messages=without(2) + said(2, frame='odom'))
    found = examine(swarm)
    assert [(f.check, f.level, f.subjects) for f in found] == [('frames', Level.ERROR, ('bob',))]
    text = command.text(swarm, found)
    assert "        bob: the frame is 'odom', and 'map' with alice, carol\n" \
           '        What to do: Set parameter frame to one value on all robots.\n' in text
    assert '  ERROR frames: ' in text
    assert text.endswith('swarm_doctor: errors: 1, warnings: 0, notes: 0\n')
    assert max(map(len, text.splitlines())) < 100
    document = json.loads(command.document(swarm, found))
    assert document['status'] == command.status(found) == 1
    assert document['ids'] == {'alice': 1, 'bob': 2, 'carol': 3}
    assert document['findings'] == [{
        'check': 'frames', 'level': 'error', 'robots': ['bob'],
        'what': "the frame is 'odom', and 'map' with alice, carol",
        'remedy': 'Set parameter frame to one value on all robots.', 'explained_by': None}]


def test_no_check_is_ok_without_robots() -> None:
    nobody = Observations(10.0, 10.0)
    assert '  ok ' not in command.text(nobody, examine(nobody))


def test_notes_alone_end_with_status_0() -> None:
    swarm = healthy(expected={'alice': 1, 'bob': 2}, only_expected=True)
    found = examine(swarm)
    assert [f.level for f in found] == [Level.NOTE] and command.status(found) == 0
    assert '  note  missing: ' in command.text(swarm, found)


def test_options_select_the_expected_robots(tmp_path: Path) -> None:
    plain = command.parse([])
    assert (plain.seconds, plain.expected, plain.json) == (10.0, {}, False)
    assert command.parse(['--robot', '/bob']).expected == {'bob': None}
    fleet = tmp_path / 'fleet.yaml'
    fleet.write_text('robots: {alice: {id: 1}, bob: {id: 2}, eve: {id: 3, enabled: false}}')
    assert command.parse(['--fleet-file', str(fleet)]).expected == {'alice': 1, 'bob': 2}
    assert command.parse(['--fleet-file', str(fleet), '--robot', 'bob']).expected == {'bob': 2}


@pytest.mark.parametrize('arguments, line', [
    (['--seconds', '0'], "argument --seconds: '0' is not allowed; it takes 1 to 3600 s; "
     'leader_election swarm_doctor --help shows the usage'),
    (['--seconds', 'nan'], "argument --seconds: 'nan' is not allowed"),
    (['--cure'], 'there is no option --cure'),
])
def test_wrong_options_are_refused_in_one_line(
        arguments: list[str], line: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        command.parse(arguments)
    error = capsys.readouterr().err
    assert ended.value.code == 2
    assert error.startswith(f'error: {line}') and error.count('\n') == 1
