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

"""The values of topic ``leadership``."""

from collections import Counter
from typing import Any

from election.robot.swarm import line, Swarm
from hypothesis import given, strategies
from leader_election.election.algorithms import Device, RECURSIVE
from leader_election.election.mandates.part import MandatesOfRobot
from leader_election.election.part import PartSetup
from leader_election.election.robot.diagnostics import (
    hardware_id,
    number,
    own_fields,
    parse_status,
    robot_statuses,
    Status,
    status_name,
)
from leader_election.election.robot.leadership import (
    events,
    LeadershipStatus,
    status_of,
    text,
    values,
)
from leader_election.election.robot.parameters import InstanceParameters
from leader_election.election.robot.reasons import Change, Reason
from leader_election.parameters import build
import pytest


def test_leadership_is_reported_for_leader_follower_and_robot_without_leader() -> None:
    """Robot 1 may only follow. It has no leader before it hears one, and after it has stopped."""
    swarm = Swarm(line(2), lambda i: {'role': 'worker'} if i == 1 else {}, radius=9.0)
    swarm.robots[2].name = '/alice'

    def of(i: int, active: bool = True) -> dict[str, str]:
        robot = swarm.robots[i]
        return values(robot, robot.main, f'/robot_{i}', '/neighbourhood',
                      **({} if active else {'active': False}))

    swarm.speak(1)
    assert text(swarm.robots[1].main) == 'has no leader yet'
    alone = of(1)
    assert (alone['leader'], alone['leader_namespace'], alone['is_leader'], alone['hops']) == (
        '-1', '', 'false', '')
    assert status_of(swarm.robots[1], swarm.robots[1].main).leader is None
    swarm.sweep(2)
    assert of(1) == {
        'id': '1', 'namespace': '/robot_1', 'instance': 'main', 'leader': '2',
        'leader_namespace': '/alice', 'is_leader': 'false', 'role': 'worker',
        'distance': '1.000', 'hops': '1', 'tasks': '', 'reason': 'first',
        'because': 'it had no leader'}
    assert (of(2)['is_leader'], of(2)['leader_namespace']) == ('true', '/robot_2')
    assert text(swarm.robots[1].main) == 'follows 2 at 1.0 m'
    assert text(swarm.robots[2].main) == 'leads'
    swarm.robots[2].name = ''
    swarm.sweep(1)
    swarm.sweep(1)
    assert of(1)['leader_namespace'] == '/robot_2'
    assert of(2, active=False) | {'id': '1', 'namespace': '/robot_1'} == alone | {
        'role': 'inactive'}


def test_hops_are_empty_when_the_algorithm_does_not_count_them() -> None:
    robot = Swarm(line(1), algorithm='colour').robots[1]
    assert robot.leads and values(robot, robot.main, '/robot_1', '/neighbourhood')['hops'] == ''


def test_status_has_leader_role_and_announced_strength() -> None:
    swarm = Swarm(line(2), lambda i: {'strength': float(i)}, radius=9.0)
    found = [status_of(robot, robot.main)._replace(change=Change())
             for robot in swarm.robots.values()]
    assert found == [LeadershipStatus(i, i, True, 'leader', float(i), False, {}) for i in (1, 2)]
    swarm.sweep(2)
    found = [status_of(robot, robot.main)._replace(change=Change())
             for robot in swarm.robots.values()]
    assert found == [LeadershipStatus(1, 2, False, 'worker', 1.0, True, {}),
                     LeadershipStatus(2, 2, True, 'leader', 2.0, True, {})]


# Events, told from two standings of a robot.

MANDATES = MandatesOfRobot(PartSetup(
    3, build(InstanceParameters, {'mandate': 3.0}), Counter(), {}, None, 1, None))


def acting(term: int | None) -> dict[str, Any]:
    """Return the parts of a robot that acts as a leader under a term, ``None`` if it does not."""
    return {'mandates': (MANDATES, term)}


ALONE = LeadershipStatus(3, 3, True, 'leader', 1.0, True, acting(None))
NONE = LeadershipStatus(3, None, False, 'candidate', 1.0, True, acting(None))
LED = LeadershipStatus(3, 8, False, 'worker', 1.0, True, acting(None))


def told(before, now):
    return [tuple(value for key, value in event.items() if key not in ('reason', 'because'))
            for event in events(before, now)]


@pytest.mark.parametrize('before, now, expected', [
    (None, ALONE, [('leader_gained', 3), ('became_leader',)]),
    (None, LED, [('leader_gained', 8), ('region_joined', 8)]),
    (None, NONE, []),
    (NONE, LED, [('leader_gained', 8), ('region_joined', 8),
                 ('role_changed', 'worker', 'candidate')]),
    (LED, LED._replace(leader=9), [('region_left', 8), ('leader_changed', 9, 8),
                                   ('region_joined', 9)]),
    (LED, ALONE, [('region_left', 8), ('leader_changed', 3, 8), ('became_leader',),
                  ('role_changed', 'leader', 'worker')]),
    (LED, NONE, [('region_left', 8), ('leader_lost', 8), ('role_changed', 'candidate', 'worker')]),
    (LED, LED._replace(located=False), [('odometry_lost',)]),
    (LED._replace(located=False), LED, [('odometry_back',)]),
    (LED, LED._replace(strength=2.0), [('strength_changed', 2.0, 1.0)]),
    (ALONE, ALONE._replace(parts=acting(17)), [('mandate_acquired', 17)]),
    (ALONE._replace(parts=acting(17)), ALONE._replace(parts=acting(23)), [
        ('mandate_lost', 17), ('mandate_acquired', 23)]),
    (ALONE._replace(parts=acting(17)), LED, [
        ('stepped_down',), ('leader_changed', 8, 3), ('region_joined', 8),
        ('mandate_lost', 17), ('role_changed', 'worker', 'leader')]),
    (LED, LED, []),
])
def test_change_of_status_gives_its_events(before, now, expected):
    assert told(before, now) == expected


def test_event_has_named_values():
    assert list(events(LED, LED._replace(strength=2.0))) == [
        {'event': 'strength_changed', 'strength': 2.0, 'before': 1.0}]
    assert {'event': 'leader_gained', 'leader': 8} in events(NONE, LED)
    lost = NONE._replace(change=Change(-1, 8, Reason.SILENT, 8, 3.0))
    assert {'event': 'leader_lost', 'leader': 8, 'reason': 'silent',
            'because': '8 has been silent for 3.0 s'} in events(LED, lost)
    assert list(events(ALONE._replace(parts=acting(17)), ALONE._replace(parts=acting(23)))) == [
        {'event': 'mandate_lost', 'term': 17}, {'event': 'mandate_acquired', 'term': 23}]


STANDINGS = strategies.builds(
    LeadershipStatus, strategies.just(3), strategies.none() | strategies.integers(0, 4),
    strategies.booleans(), strategies.sampled_from(('leader', 'worker')),
    strategies.floats(0.0, 2.0), strategies.booleans(), strategies.just({}),
    strategies.just(Change()))


@given(strategies.lists(STANDINGS, min_size=1, max_size=8))
def test_events_add_up_to_the_present_status(course):
    """The events alone determine the leader and the role."""
    region, leads, last = None, False, None
    for now in course:
        for event in events(last, now):
            if event['event'] == 'region_joined':
                region = event['leader']
            elif event['event'] == 'region_left':
                assert region == event['leader']
                region = None
            leads = {'became_leader': True, 'stepped_down': False}.get(event['event'], leads)
        last = now
        assert region == (now.leader if now.leader != now.robot else None)
        assert leads == now.leads


# The parsing of diagnostics, whatever is published on their topic.

def test_published_status_is_parsed_back() -> None:
    for name in ('site/robot_3', 'X: site/robot_X'):
        status = Status(status_name(name, 'regions'), hardware_id(3), {'members': '5'}, 1,
                        'task count fails')
        assert parse_status(status) == (
            name, 3, 'regions', 1, 'task count fails', {'members': '5'})


@pytest.mark.parametrize('name, hardware', [
    ('robot_3: election', ''), ('robot_3: election', 'robot -3'), ('robot_3', 'robot 3'),
    ('robot_3: election', 'robot ' + 5000 * '9'), ('robot_3: election', 'robot 3 '),
    ('motor: left', 'can0')])
def test_status_of_another_component_is_ignored(name: str, hardware: str) -> None:
    own = Status('r1: election', 'robot 1')
    assert [found.id for found in robot_statuses([Status(name, hardware), own])] == [1]


@pytest.mark.parametrize('text', ['', 'far', 'nan', 'inf', '-inf', '1e999'])
def test_non_finite_number_is_parsed_as_none(text: str) -> None:
    assert number({'radius': text}, 'radius') is None


def test_vector_has_no_padding_and_common_fields_are_left_out() -> None:
    start = RECURSIVE.start(Device(3, 2.0))
    fields = own_fields(RECURSIVE, start)
    assert not {'leader', 'distance', 'value'} & fields.keys()
    vectors = [field for field in RECURSIVE.fields if field.padding is not None]
    assert vectors and all(fields[field.name] == [] for field in vectors)
    for front in ((3,), (3, 4), (0, 3)):
        hops = front + start.best_hops[len(front):]
        assert own_fields(RECURSIVE, start._replace(best_hops=hops))['best_hops'] == [*front]
