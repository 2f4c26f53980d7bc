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
import json
from pathlib import Path
import re

from leader_election.parameters import ParameterError
from leader_election.swarm.doctor import command
from leader_election.swarm.doctor.diagnoses import (
    about,
    CHECKS,
    choose,
    examine,
    separate,
    swarm_topics,
)
from leader_election.swarm.doctor.observations import Neighbours, Observations
import pytest
from swarm.doctor.scene import (
    healthy,
    IDS,
    lean,
    NAMES,
    node,
    readings,
    said,
    statuses,
    told,
    wiring,
)


def test_checks_are_unique_with_question_meaning_and_remedy() -> None:
    assert len({check.name for check in CHECKS}) == len({check.look for check in CHECKS}) \
        == len(CHECKS)
    for check in CHECKS:
        assert check.question.endswith('?')
        assert check.meaning.endswith('.') and check.remedy.endswith('.')


def test_readme_has_the_number_of_checks() -> None:
    text = (Path(__file__).parents[3] / 'README.md').read_text()
    assert set(re.findall(r'(\d+)\s+questions', text)) == {str(len(CHECKS))}


def test_findings_about_one_robot_are_selected() -> None:
    warns = statuses('bob', 2, 1, 'task count fails: KeyError')
    found = examine(healthy(diagnostics=told('bob', *warns)))
    assert [f.check for f in about(found, 'bob')] == ['self_reported']
    assert about(found, 'alice') == []
    nobody = examine(Observations(10.0, 10.0, expected={'alice': None}))
    assert [f.check for f in about(nobody, 'alice')] == ['found']


def test_missing_fleet_file_is_refused_in_one_line() -> None:
    with pytest.raises(ParameterError) as refused:
        command.parse(['--fleet-file', 'nowhere.yaml'])
    error = str(refused.value)
    assert error.startswith("parameter fleet_file: 'nowhere.yaml' cannot be read")
    assert '\n' not in error


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
        neighbours={name: [Neighbours(0.2, tuple(j for j in IDS.values() if j != i))]
                    for name, i in zip(names, IDS.values())},
        endpoints=[endpoint for name in names for endpoint in wiring(name, topic)])


def both(one: Observations, other: Observations) -> Observations:
    return replace(
        one, messages=sorted([*one.messages, *other.messages]),
        odometry={**one.odometry, **other.odometry},
        diagnostics=[*one.diagnostics, *other.diagnostics],
        neighbours={**one.neighbours, **other.neighbours},
        endpoints=[*one.endpoints, *other.endpoints])


def test_two_swarms_are_separated_by_topic() -> None:
    seen = both(swarm('red'), swarm('blue'))
    assert swarm_topics(seen) == {
        BLUE: ('blue/alice', 'blue/bob', 'blue/carol'), RED: ('red/alice', 'red/bob', 'red/carol')}
    assert examine(seen) == []
    text = command.text(seen, [])
    assert '        swarm on /blue/neighbourhood: blue/alice, blue/bob, blue/carol\n' in text
    assert json.loads(command.document(seen, []))['swarms'][RED] == [
        'red/alice', 'red/bob', 'red/carol']


def test_two_lean_swarms_are_separated_by_topic() -> None:
    red, blue = (replace(one, odometry={}, endpoints=lean(one.endpoints, f'/{space}/fleet'))
                 for space, one in (('red', swarm('red')), ('blue', swarm('blue'))))
    seen = both(red, blue)
    assert swarm_topics(seen) == {
        BLUE: ('blue/alice', 'blue/bob', 'blue/carol'), RED: ('red/alice', 'red/bob', 'red/carol')}
    assert [f for f in examine(seen) if f.check in ('ids', 'places')] == []
    assert choose(seen, [BLUE]).robots == ['blue/alice', 'blue/bob', 'blue/carol']


def test_different_frames_in_two_swarms_are_no_fault() -> None:
    assert examine(both(swarm('red'), swarm('blue', frame='hall'))) == []


def test_fault_is_reported_in_its_swarm_only() -> None:
    blue = swarm('blue')
    blue = replace(blue, messages=[heard for heard in blue.messages if '"id":2,' not in heard[1]])
    seen = both(swarm('red'), blue)
    assert ('silent', ('blue/bob',)) in [(f.check, f.subjects) for f in examine(seen)]
    assert examine(choose(seen, [RED])) == []
    assert about(examine(seen), 'red/bob') == []


def test_swarm_is_chosen_by_its_topic() -> None:
    seen = both(swarm('red'), swarm('blue'))
    chosen = choose(seen, [BLUE])
    assert chosen.robots == ['blue/alice', 'blue/bob', 'blue/carol']
    assert len(chosen.messages) == 30 and chosen.other_swarms == (RED,)
    (finding,) = examine(choose(seen, ['/green/neighbourhood']))
    assert finding.check == 'found'
    assert 'there are robots on other topics: /blue/neighbourhood, /red/neigh' in finding.what


def test_robot_with_a_topic_not_remapped_is_no_swarm() -> None:
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


def test_robot_without_a_swarm_is_silent() -> None:
    alone = replace(swarm('green'), neighbours={}, messages=[], endpoints=[])
    seen = both(both(swarm('red'), swarm('blue')), alone)
    found = [(f.check, f.subjects) for f in examine(seen)]
    assert found == [('silent', (f'green/{name}',)) for name in NAMES]


def test_single_robot_on_its_topic_is_a_swarm() -> None:
    red = swarm('red')
    alone = both(red, replace(
        swarm('blue'), endpoints=wiring('blue/alice', BLUE), neighbours={},
        diagnostics=statuses('blue/alice', 1),
        messages=[heard._replace(topic=BLUE) for heard in said(1)]))
    assert 'ids' not in [finding.check for finding in examine(alone)]


def test_expected_robots_of_another_topic_are_kept() -> None:
    seen = replace(both(swarm('red'), swarm('blue')), expected={'blue/bob': 2})
    assert choose(seen, [RED]).robots == seen.robots
