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

"""The table of checks, and their findings."""

from dataclasses import replace
from graphlib import TopologicalSorter  # noqa: I201
import math  # noqa: I100, I201
from pathlib import Path
import re

from leader_election.election.mandates.part import OTHER_ROSTER, TOO_FEW
from leader_election.election.messages.wire import RejectReason
from leader_election.election.robot.parameters import ElectionParameters
from leader_election.swarm.doctor import communication, diagnoses
from leader_election.swarm.doctor.diagnoses import (
    CHECKS,
    choose,
    examine,
    EXPLANATIONS,
    separate,
    swarm_topics,
    text,
)
from leader_election.swarm.doctor.observations import (
    Endpoint,
    find_radio_topics,
    KnownRobot,
    Level,
    Observations,
    ODOMETRY,
    RobotReport,
)
import pytest
from swarm.doctor.scene import (
    AIR,
    healthy,
    IDS,
    NAMES,
    node,
    readings,
    rewired,
    said,
    saying,
    statuses,
    told,
    wiring,
    without,
)


def test_remedy_depends_on_the_description() -> None:
    for report, remedy in ((f'it {TOO_FEW} robots', 'Start the missing robots'),
                           (f'it {OTHER_ROSTER} version 2', 'Give it the roster'),
                           ('task count fails', 'Follow its text')):
        found, = examine(healthy(diagnostics=told('bob', *statuses('bob', 2, 1, report))))
        assert found.remedy.startswith(remedy)
    refused = next(check for check in CHECKS if check.name == 'refused')
    assert refused.remedies.keys() <= {reason.value for reason in RejectReason}


def test_readme_has_the_number_of_checks() -> None:
    text = (Path(__file__).parents[3] / 'README.md').read_text()
    assert set(re.findall(r'(\d+)\s+questions', text)) == {str(len(CHECKS))}


RED, BLUE = '/red/neighbourhood', '/blue/neighbourhood'


def swarm(space: str, frame: str = 'map') -> Observations:
    """Return observations of alice, bob and carol in a namespace."""
    names = [f'{space}/{name}' for name in NAMES]
    topic = f'/{space}/neighbourhood'
    return healthy(
        messages=sorted(heard._replace(topic=topic) for i in IDS.values()
                        for heard in said(i, frame=frame)),
        odometry={f'/{name}/odom': readings() for name in names},
        diagnostics=[report for name, i in zip(names, IDS.values())
                     for report in statuses(name, i)],
        endpoints=[endpoint for name in names for endpoint in wiring(name, topic)])


def both(one: Observations, other: Observations) -> Observations:
    return replace(
        one, messages=sorted([*one.messages, *other.messages]),
        odometry={**one.odometry, **other.odometry},
        diagnostics=[*one.diagnostics, *other.diagnostics],
        endpoints=[*one.endpoints, *other.endpoints])


def test_two_swarms_are_separated_by_topic() -> None:
    # Different frames in two swarms are no fault.
    red, blue = swarm('red'), swarm('blue', frame='hall')
    seen = both(red, blue)
    assert swarm_topics(seen) == {
        BLUE: ('blue/alice', 'blue/bob', 'blue/carol'), RED: ('red/alice', 'red/bob', 'red/carol')}
    assert examine(seen) == []
    text = diagnoses.text(seen, [])
    assert '        swarm on /blue/neighbourhood: blue/alice, blue/bob, blue/carol\n' in text


def test_fault_is_reported_in_its_swarm_only() -> None:
    blue = swarm('blue')
    blue = replace(blue, messages=[heard for heard in blue.messages if '"id":2,' not in heard[1]])
    seen = both(swarm('red'), blue)
    assert ('silent', ('blue/bob',)) in [(f.check, f.subjects) for f in examine(seen)]
    assert examine(choose(seen, [RED])) == []


def test_swarm_is_chosen_by_its_topic() -> None:
    seen = both(swarm('red'), swarm('blue'))
    chosen = choose(seen, [BLUE])
    assert len(chosen.messages) == 30 and chosen.other_swarms == (RED,)
    (finding,) = examine(choose(seen, ['/green/neighbourhood']))
    assert finding.check == 'found'
    assert 'there are robots on other topics: /blue/neighbourhood, /red/neigh' in finding.what
    # Expected robots of another topic are kept.
    assert choose(replace(seen, expected={'blue/bob': 2}), [RED]).robots == seen.robots


def test_robot_alone_on_its_own_topic_is_not_a_swarm_when_not_remapped() -> None:
    """It is a fault of the robot, which hears nobody."""
    own = '/bob/neighbourhood'
    seen = healthy(
        messages=[heard._replace(topic=own) if '"id":2,' in heard.payload else heard
                  for heard in healthy().messages],
        endpoints=[e for name in NAMES for e in wiring(name, own if name == 'bob' else
                                                       '/neighbourhood')])
    assert node('bob') in {e.node for e in seen.nodes}
    assert list(separate(seen)) == ['/neighbourhood']
    (finding,) = examine(seen)
    assert (finding.check, finding.subjects) == ('shared_topic', ('bob',))


def test_chosen_swarm_leaves_out_robots_of_other_namespaces() -> None:
    red = swarm('red')
    seen = both(red, healthy(
        messages=[heard._replace(topic=f'/{name}/neighbourhood')
                  for name, i in IDS.items() for heard in said(i)],
        endpoints=[e for name in NAMES for e in wiring(name, f'/{name}/neighbourhood')]))
    chosen = choose(seen, [RED])
    assert chosen.robots == red.robots and len(chosen.messages) == 30
    assert examine(chosen) == []
    # One of its own namespace that talks to itself belongs to it.
    lost = wiring('red/dave', '/red/dave/neighbourhood')
    assert 'red/dave' in choose(replace(seen, endpoints=[*seen.endpoints, *lost]), [RED]).robots


# Results derived from observations: topics between robots, settings, increases.

STRING = 'std_msgs/msg/String'


def test_radio_topics_are_published_and_received_by_robots() -> None:
    assert find_radio_topics(healthy()) == {AIR}
    assert find_radio_topics(healthy(radio_topics=['/air'])) == {AIR, '/air'}
    role = Endpoint('/bob/role', STRING, True, node('bob'))
    relay = [Endpoint('/chatter', STRING, writes, '/relay') for writes in (True, False)]
    endpoints = [*rewired('bob', *wiring('bob', radio_topic='/bob/air')), role, *relay]
    assert find_radio_topics(healthy(endpoints=endpoints)) == {AIR, '/bob/air'}


def test_topic_of_a_task_is_no_radio_topic() -> None:
    """Texts of a user's task are no messages between robots, and need no other subscriber."""
    def team(**of_it: bool) -> list[Endpoint]:
        return [Endpoint('/bob/team', STRING, writes, node('bob'), **of_it)
                for writes in (True, False)]

    away = rewired('bob', *wiring('bob', radio_topic='/bob/air'))
    swarm = healthy(endpoints=[*away, *team()], radio_topics=['/bob/air'])
    assert find_radio_topics(swarm) == {AIR, '/bob/air'}
    assert '/bob/team' not in str(list(communication.shared_topic(swarm)))
    # Where the air is not known, by what it offers.
    for of_it in ({'reliable': True}, {'latched': True}):
        assert find_radio_topics(healthy(endpoints=[*away, *team(**of_it)])) == {AIR, '/bob/air'}


def test_setting_is_the_published_one_or_the_default() -> None:
    for values, expiry in (({'message_expiry': '7'}, 7.0), ({'message_expiry': 'inf'}, math.inf),
                           ({'message_expiry': 'soon'}, ElectionParameters.message_expiry)):
        swarm = healthy(diagnostics=saying(**values))
        assert swarm.setting('bob', 'message_expiry') == expiry
    assert swarm.setting('nobody', 'round_period') == ElectionParameters.round_period


def test_increase_of_a_restarted_counter_is_zero() -> None:
    swarm = healthy()
    assert (swarm.increase('bob', 'rounds'), swarm.increase('bob', 'messages_heard')) == (9, 18)
    assert swarm.increase('bob', 'unknown') == swarm.increase('nobody', 'rounds') == 0.0
    assert healthy(diagnostics=swarm.diagnostics[::-1]).increase('bob', 'rounds') == 0.0


def test_robot_with_an_output_namespace_is_found_by_its_node() -> None:
    own = '/alice/election_node'
    outputs = [Endpoint(f'/alice/election{place}/is_leader', 'std_msgs/msg/Bool', True, own)
               for place in ('', '/rescue')]
    seen = Observations(1.0, endpoints=outputs)
    assert (seen.robots, seen.nodes) == (['alice'], outputs[:1])


# The report of the doctor, and causes before symptoms in it.


def test_healthy_swarm_has_no_findings():
    swarm = healthy()
    assert swarm.robots == list(NAMES) and len(swarm.sent) == 3
    assert examine(swarm) == []
    lines = diagnoses.text(swarm, []).splitlines()
    assert lines[0] == ('swarm_doctor listened for 10 s: 3 robots (alice, bob, carol), '
                        '30 messages from 3 ids')
    assert len(lines) == len(CHECKS) + 2 and all('  ok ' in line for line in lines[1:-1])
    assert lines[-1] == 'swarm_doctor: all is well' and diagnoses.status([]) == 0


def test_finding_is_printed_with_its_remedy():
    swarm = healthy(messages=without(2) + said(2, frame='odom'))
    found = examine(swarm)
    assert [(f.check, f.level, f.subjects) for f in found] == [('frames', Level.ERROR, ('bob',))]
    text = diagnoses.text(swarm, found)
    assert "        bob: the frame is 'odom', and 'map' with alice, carol\n" \
           '        What to do: Set parameter frame to one value on all robots.\n' in text
    assert '  ERROR frames: ' in text
    assert text.endswith('swarm_doctor: errors: 1, warnings: 0, notes: 0\n')
    assert max(map(len, text.splitlines())) < 100
    assert diagnoses.status(found) == 1


def test_status_is_0_when_all_findings_are_notes():
    swarm = healthy(diagnostics=[
        report._replace(values={**report.values, 'radius_hysteresis': str(report.id > 2)})
        for report in healthy().diagnostics])
    found = examine(swarm)
    assert [f.level for f in found] == [Level.NOTE] and diagnoses.status(found) == 0
    assert '  note  settings: ' in diagnoses.text(swarm, found)
    nobody = Observations(10.0, 10.0)
    assert '  ok ' not in diagnoses.text(nobody, examine(nobody)), 'no check is without robots'


def test_options_select_the_expected_robots(tmp_path):
    plain = diagnoses.parse([])
    assert (plain.seconds, plain.expected) == (10.0, {})
    fleet = tmp_path / 'fleet.yaml'
    fleet.write_text('robots: {alice: {id: 1}, bob: {id: 2}, eve: {id: 3, enabled: false}}')
    assert diagnoses.parse(['--fleet-file', str(fleet)]).expected == {'alice': 1, 'bob': 2}


@pytest.mark.parametrize('arguments, line', [
    (['--seconds', '0'], "argument --seconds: '0' is not allowed; it takes 1 to 3600 s; "
     'leader_election swarm_doctor --help shows the usage'),
    (['--seconds', 'nan'], "argument --seconds: 'nan' is not allowed")])
def test_wrong_options_are_refused_in_one_line(arguments, line, capsys):
    with pytest.raises(SystemExit) as ended:
        diagnoses.parse(arguments)
    error = capsys.readouterr().err
    assert ended.value.code == 2
    assert error.startswith(f'error: {line}') and error.count('\n') == 1


def test_explanations_are_of_checks_and_have_no_cycle():
    names = {check.name for check in CHECKS}
    graph = TopologicalSorter[str]()
    for row in EXPLANATIONS:
        assert {*row.causes, *row.effects} <= names
        for effect in row.effects:
            graph.add(effect, *row.causes)
    graph.prepare()


def test_texts_of_explanations_are_those_of_findings():
    package = Path(diagnoses.__file__).parents[2]
    sources = ''.join(file.read_text() for room in ('swarm/doctor', 'election')
                      for file in (package / room).rglob('*.py'))
    for row in EXPLANATIONS:
        assert all(text in sources for text in (*row.texts, row.cause_text)), row


def bob(level: int, message: str, **counters: int) -> list[RobotReport]:
    return told('bob', *statuses('bob', 2, level, message, **counters))


def without_odometry() -> list[Endpoint]:
    return rewired('bob', *(e for e in wiring('bob') if e.node != '/bob/driver'))


def deaf_bob() -> list[RobotReport]:
    return [s._replace(values={**s.values, 'neighbours': str(int(s.robot != 'bob'))})
            for s in told('bob', *statuses('bob', 2, rejected_frame=1))]


@pytest.mark.parametrize('changes, cause, effects', [
    ({'messages': without(2) + said(2, frame='odom', x=30.0), 'diagnostics': deaf_bob()},
     'frames', {'refused', 'reception'}),
    ({'expected': IDS, 'messages': without(2), 'endpoints': rewired('bob'),
      'diagnostics': told('bob'), 'known': [KnownRobot(AIR, 2, 'bob')]}, 'missing', {'silent'}),
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
    found = [f for f in examine(healthy(**changes)) if 'bob' in f.subjects and not (
        f.check == 'silent' and 'no message of id' in f.what)]
    assert [f.check for f in found if not f.explained_by] == [cause]
    assert {f.check for f in found if f.explained_by == cause} == effects


def test_finding_stays_unexplained_when_the_fault_is_of_another_robot():
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
    for diagnostics in (many, same):
        swarm = healthy(diagnostics=diagnostics)
        lines = text(swarm, examine(swarm), 80).splitlines()
        assert len(lines) < 40 and max(map(len, lines)) <= 80
