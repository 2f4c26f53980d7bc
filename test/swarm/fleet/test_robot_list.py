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

"""Lists of robots and of ids as text."""

from hypothesis import given
from hypothesis import strategies as st
from leader_election.parameters import ParameterError
from leader_election.swarm.fleet.robot_list import (
    format_ids,
    format_robot_list,
    parse_ids,
    parse_robot_list,
    RobotSpec,
)
import pytest

NAMES = st.from_regex(r'[A-Za-z][A-Za-z0-9]{0,6}', fullmatch=True)
NUMBERS = st.floats(-1e6, 1e6)
ROBOTS = st.lists(
    st.builds(RobotSpec, NAMES, st.integers(0, 2**53 - 1), st.tuples(NUMBERS, NUMBERS, NUMBERS),
              st.just('')),
    min_size=1, max_size=8,
    unique_by=(lambda entry: entry.name, lambda entry: entry.id))


def test_robot_list_of_nav2_is_parsed() -> None:
    text = ("{name: 'robot1', pose: {x: 0.5, y: 0.5, yaw: 0}};"
            "{name: 'robot2', pose: {x: -0.5, y: -0.5, z: 0, roll: 0, pitch: 0.0, yaw: 1.5707}}")
    assert parse_robot_list(text) == (
        RobotSpec('robot1', 1, (0.5, 0.5, 0.0)), RobotSpec('robot2', 2, (-0.5, -0.5, 1.5707)))


def test_older_robot_list_of_nav2_is_parsed() -> None:
    text = 'robot1={x: 0.5, y: 0.5, yaw: 0}; robot2={x: -0.5}; '
    assert parse_robot_list(text) == (
        RobotSpec('robot1', 1, (0.5, 0.5, 0.0)), RobotSpec('robot2', 2, (-0.5, 0.0, 0.0)))


def test_a_name_may_be_a_yaml_keyword() -> None:
    robots = (RobotSpec('on', 1), RobotSpec('null', 2), RobotSpec('e5', 3))
    assert parse_robot_list(format_robot_list(robots)) == robots


def test_a_robot_without_id_gets_the_lowest_free_one() -> None:
    robots = parse_robot_list('{name: a};{name: b, id: 2};{name: c};{name: d, id: 1}')
    assert [(robot.name, robot.id) for robot in robots] == [('a', 3), ('b', 2), ('c', 4), ('d', 1)]


@given(ROBOTS)
def test_a_formatted_list_is_parsed_back(robots: list[RobotSpec]) -> None:
    assert parse_robot_list(format_robot_list(robots)) == tuple(robots)


@pytest.mark.parametrize(('text', 'line'), [
    ('', 'names no robot; it takes a number'),
    (';;', 'names no robot'),
    ('ten', "'ten' is not a robot; it takes a number, or a list such as"),
    ('[1, 2]', 'is not a robot'),
    ('{name: a', 'is not a robot'),
    ('a=', 'is not a robot'),
    ('{pose: {x: 1}}', 'has no name'),
    ('{name: a, colour: red}', 'unknown key colour'),
    ('{name: a, pose: {x: far}}', "x of a is 'far'; it takes a finite number"),
    ('{name: a, pose: {x: .nan}}', 'x of a is nan'),
    ('{name: a, pose: {x: true}}', 'x of a is True'),
    ('{name: a, pose: {x: 1, w: 0}}', 'unknown key w in the pose of a; known: x, y, yaw'),
    ('{name: a, pose: {x: 1' + 400 * '0' + '}}', 'x of a is 10+[.]{3}; it takes a finite number'),
    ('{name: a, id: 1' + 400 * '0' + '}', 'the id of a is 10+[.]{3}; it takes 0'),
    ('{name: ' + 2000 * '[', 'is not a robot'),
    ('{name: a, pose: {z: 2}}', 'robots stand on the ground'),
    ('{name: a, pose: [1, 2, 3]}', r'the pose of a is \[1, 2, 3\]'),
    ('{name: a, id: -1}', 'the id of a is -1'),
    ('{name: a, id: 1.5}', 'the id of a is 1.5'),
    ('{name: a, id: true}', 'the id of a is True'),
    ('{name: 3}', '3 is not a name for a robot'),
    ('a/b={x: 1}', "'a/b' is not a name for a robot"),
    ('a__b={x: 1}', 'single underscores'),
    ('{name: a};{name: a}', 'two robots are called a'),
    ('{name: a, id: 7};{name: b, id: 7}', 'a and b both have id 7'),
])
def test_wrong_list_is_refused_in_one_line(text: str, line: str) -> None:
    with pytest.raises(ParameterError, match=line) as caught:
        parse_robot_list(text)
    assert str(caught.value).startswith('parameter robots: ') and '\n' not in str(caught.value)


@given(st.text(max_size=40) | st.text('{}:;=, abx1.-[]"\'&*!', max_size=40))
def test_any_text_is_parsed_or_refused(text: str) -> None:
    try:
        assert parse_robot_list(text)
    except ParameterError:
        pass


KNOWN = tuple(range(1, 11))


@pytest.mark.parametrize(('text', 'ids'), [
    ('', KNOWN), ('3', (3,)), ('1-3', (1, 2, 3)), (' 9-10, 2 ', (2, 9, 10)),
    ('4,4,3-5', (3, 4, 5)),
])
def test_ids_and_ranges_are_parsed(text, ids):
    assert parse_ids(text, KNOWN) == ids


@pytest.mark.parametrize('text', ['x', '3-1', '1,', '1-2-3', '-1', '0', '11', '1-99999999999'])
def test_wrong_and_unknown_ids_are_refused(text):
    with pytest.raises(ParameterError, match='^parameter members: '):
        parse_ids(text, KNOWN)


@pytest.mark.parametrize('ids', [(1,), (1, 2, 3), (1, 3, 5, 6), (2, 4, 6, 8, 10)])
def test_formatted_ids_are_parsed_back(ids):
    assert parse_ids(format_ids(ids), KNOWN) == ids
