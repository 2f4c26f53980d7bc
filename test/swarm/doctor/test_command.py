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

"""The report of the doctor, and causes before symptoms in it."""

from graphlib import TopologicalSorter
import json  # noqa: I100, I201

from leader_election.swarm.doctor import command
from leader_election.swarm.doctor.command import text
from leader_election.swarm.doctor.diagnoses import CHECKS, examine, EXPLANATIONS
from leader_election.swarm.doctor.observations import (
    Endpoint,
    Level,
    Observations,
    ODOMETRY,
    RobotReport,
)
import pytest
from swarm.doctor.scene import (
    healthy,
    NAMES,
    rewired,
    said,
    saying,
    statuses,
    told,
    wiring,
    without,
)


def test_healthy_swarm_is_well_in_all_checks():
    swarm = healthy()
    assert swarm.robots == list(NAMES) and len(swarm.sent) == 3
    assert examine(swarm) == []
    lines = command.text(swarm, []).splitlines()
    assert lines[0] == ('swarm_doctor listened for 10 s: 3 robots (alice, bob, carol), '
                        '30 messages from 3 ids')
    assert len(lines) == len(CHECKS) + 2 and all('  ok ' in line for line in lines[1:-1])
    assert lines[-1] == 'swarm_doctor: all is well' and command.status([]) == 0


def test_finding_is_printed_with_its_remedy():
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


def test_no_check_is_ok_without_robots():
    nobody = Observations(10.0, 10.0)
    assert '  ok ' not in command.text(nobody, examine(nobody))


def test_notes_alone_end_with_status_0():
    swarm = healthy(expected={'alice': 1, 'bob': 2}, only_expected=True)
    found = examine(swarm)
    assert [f.level for f in found] == [Level.NOTE] and command.status(found) == 0
    assert '  note  missing: ' in command.text(swarm, found)


def test_options_select_the_expected_robots(tmp_path):
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
def test_wrong_options_are_refused_in_one_line(arguments, line, capsys):
    with pytest.raises(SystemExit) as ended:
        command.parse(arguments)
    error = capsys.readouterr().err
    assert ended.value.code == 2
    assert error.startswith(f'error: {line}') and error.count('\n') == 1


def test_explanations_are_of_checks_and_have_no_cycle():
    names = {check.name for check in CHECKS}
    graph = TopologicalSorter[str]()
    for row in EXPLANATIONS:
        assert {row.cause, row.effect} <= names
        graph.add(row.effect, row.cause)
    graph.prepare()


def bob(level: int, message: str, **counters: int) -> list[RobotReport]:
    return told('bob', *statuses('bob', 2, level, message, **counters))


def without_odometry() -> list[Endpoint]:
    return rewired('bob', *(e for e in wiring('bob') if e.node != '/bob/driver'))


@pytest.mark.parametrize('changes, cause, effects', [
    ({'diagnostics': bob(2, 'another robot uses id 2: give each its own robot_id')},
     'ids', {'self_reported'}),
    ({'diagnostics': bob(1, 'no odometry yet: no position is announced'),
      'odometry': {}, 'endpoints': without_odometry()}, 'odometry', {'self_reported'}),
    ({'diagnostics': bob(1, 'neighbours: 0; no message of another robot for 12 s',
                         messages_heard=0),
      'endpoints': rewired('bob', *wiring('bob', '/bob/neighbourhood')), 'messages': without(2)},
     'shared_topic', {'self_reported', 'reception'}),
    ({'diagnostics': bob(1, 'no odometry yet: no position is announced'),
      'endpoints': rewired('bob', *(
          e if e.publishes or e.type != ODOMETRY else e._replace(latched=True)
          for e in wiring('bob')))}, 'profiles', {'self_reported'})])
def test_one_fault_is_reported_as_one_cause_with_its_effects(changes, cause, effects):
    found = [f for f in examine(healthy(**changes)) if (f.check, f.subjects) != (
        'silent', ('bob',)) and 'bob' in f.subjects]
    assert [f.check for f in found if not f.explained_by] == [cause]
    assert {f.check for f in found if f.explained_by == cause} == effects


def test_fault_of_another_robot_explains_nothing():
    found = examine(healthy(endpoints=without_odometry(), odometry={
        topic: heard for topic, heard in healthy().odometry.items() if 'bob' not in topic},
        diagnostics=[*statuses('alice', 1, 1, 'odometry is 3.0 s old: no position is announced'),
                     *statuses('bob', 2), *statuses('carol', 3)]))
    assert [(f.check, f.subjects, f.explained_by) for f in found] == [
        ('self_reported', ('alice',), ''), ('odometry', ('bob',), '')]


def test_text_for_three_hundred_robots_fits_a_screen():
    many = [report for i in range(300) for report in statuses(
        f'r{i}', i, 1, f'task count fails: {i}')]
    same = [report for i in range(300) for report in statuses(f'r{i}', i, 1, 'task count fails')]
    for diagnostics in (many, same, saying(radius='3')):
        swarm = healthy(diagnostics=diagnostics)
        for columns in (80, 120):
            lines = text(swarm, examine(swarm), columns).splitlines()
            assert len(lines) < 40 and max(map(len, lines)) <= columns


def test_errors_come_before_warnings():
    swarm = healthy(diagnostics=bob(1, 'task count fails: KeyError'),
                    endpoints=rewired('bob', *wiring('bob', '/bob/neighbourhood')))
    found = examine(swarm)
    assert [f.check for f in found] == ['self_reported', 'shared_topic']
    report = text(swarm, found)
    assert report.index('ERROR shared_topic') < report.index('WARN  self_reported')
