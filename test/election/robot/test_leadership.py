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


from diagnostic_msgs.msg import DiagnosticStatus, KeyValue
from election.robot.swarm import line, Swarm
from leader_election.election.algorithms import Device, RECURSIVE
from leader_election.election.robot.diagnostics import (
    hardware_id,
    leadership_text,
    leadership_values,
    number,
    own_fields,
    parse_status,
    robot_statuses,
    Status,
    status_name,
    status_of,
)
import pytest


def test_leadership_is_reported_for_leader_follower_and_robot_without_leader() -> None:
    """Robot 1 may only follow. It has no leader before it hears one, and after it has stopped."""
    swarm = Swarm(line(2), lambda i: {'role': 'worker'} if i == 1 else {}, radius=9.0)
    swarm.robots[2].name = '/alice'

    def of(i: int, active: bool = True) -> dict[str, str]:
        robot = swarm.robots[i]
        return leadership_values(robot, robot.main, f'/robot_{i}', '/neighbourhood',
                      **({} if active else {'active': False}))

    swarm.speak(1)
    assert leadership_text(swarm.robots[1].main) == 'has no leader yet'
    alone = of(1)
    assert (alone['leader'], alone['leader_namespace'], alone['is_leader'], alone['hops']) == (
        '-1', '', 'false', '')
    swarm.sweep(2)
    assert of(1) == {
        'id': '1', 'namespace': '/robot_1', 'instance': 'main', 'leader': '2',
        'leader_namespace': '/alice', 'is_leader': 'false', 'role': 'worker',
        'distance': '1.000', 'hops': '1', 'tasks': '', 'reason': 'first',
        'because': 'it had no leader'}
    assert (of(2)['is_leader'], of(2)['leader_namespace']) == ('true', '/robot_2')
    assert leadership_text(swarm.robots[1].main) == 'follows 2 at 1.0 m'
    assert leadership_text(swarm.robots[2].main) == 'leads'
    swarm.robots[2].name = ''
    swarm.sweep(1)
    swarm.sweep(1)
    assert of(1)['leader_namespace'] == '/robot_2'
    assert of(2, active=False) | {'id': '1', 'namespace': '/robot_1'} == alone | {
        'role': 'inactive'}


def test_hops_are_empty_when_the_algorithm_does_not_count_them() -> None:
    robot = Swarm(line(1), algorithm='colour').robots[1]
    values = leadership_values(robot, robot.main, '/robot_1', '/neighbourhood')
    assert robot.main.leads and values['hops'] == ''


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


def test_message_of_ros_is_a_status() -> None:
    message = DiagnosticStatus(name='r1: election', hardware_id='robot 1', level=b'\x02',
                               message='late', values=[KeyValue(key='radius', value='3.0')])
    assert status_of(message) == Status(
        'r1: election', 'robot 1', {'radius': '3.0'}, 2, 'late')


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
