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

"""Numbers as people write them, wherever one is declared; texts stay texts."""

from pathlib import Path
from typing import Any

from lab.small_scenario import load, TEXT
from leader_election.lab.commands import parse_setting
from leader_election.lab.experiment.scenario import ScenarioError
from leader_election.parameters import (
    as_number,
    as_whole_number,
    Parameter,
    ParameterError,
    strict_yaml,
)
from leader_election.parameters.values import id_ranges, within
from leader_election.swarm.fleet.fleet_file import read_fleet
from leader_election.swarm.fleet.robot_list import parse_robot_list
import pytest


@pytest.mark.parametrize(('text', 'number'), [
    ('1e1', 10.0), ('1E3', 1000.0), ('1e-3', 0.001), ('.5e2', 50.0), ('1.e1', 10.0),
    ('+2e1', 20.0), ('-2e+1', -20.0), ('1.5e+3', 1500.0), ('1_000', 1000), ('1_000.5', 1000.5),
    ('1_0e1', 100.0), ('1e06', 1e6), ('5', 5), ('0.5', 0.5)])
def test_number_is_read_in_each_notation(text: str, number: float) -> None:
    read = strict_yaml.read(f'value: {text}')['value']
    assert as_number(read) == number
    assert Parameter('radius', float, 1.0, '').check(read) == number


@pytest.mark.parametrize('text', [
    'e1', '1e', '1e1.5', '1e1m', 'x1e1', '.e1', '_1e1', '1e999', '0x1e1g', '"10"', '١e١'])
def test_text_is_refused_as_a_number(text: str) -> None:
    with pytest.raises(ParameterError, match='parameter radius: .* is not allowed; it takes a fi'):
        Parameter('radius', float, 1.0, '', upper=float('inf')).check(
            strict_yaml.read(f'value: {text}')['value'])


@pytest.mark.parametrize(('value', 'number'), [
    ('1e3', 1000), ('2.5e1', 25), ('1_0e1', 100), (7, 7)])
def test_integer_is_read_in_each_notation(value: Any, number: int) -> None:
    found = Parameter('count', int, 1, '').check(value)
    assert (found, type(found)) == (number, int) and as_whole_number(value) == number


@pytest.mark.parametrize('value', ['1e-3', '2.55e1', '1e400', 1000.0, '1000'])
def test_fraction_is_refused_as_an_integer(value: Any) -> None:
    with pytest.raises(ParameterError, match='it takes a whole number'):
        Parameter('count', int, 1, '').check(value)


def test_text_that_looks_like_a_number_stays_text() -> None:
    assert Parameter('frame', str, '', '').check('1e1') == '1e1'
    assert Parameter('frames', tuple[str, ...], (), '').check(['1e1']) == ('1e1',)
    assert Parameter('xs', tuple[float, ...], (), '').check(['1e1', 2]) == (10.0, 2.0)


def test_scenario_file_takes_any_notation_of_numbers(tmp_path: Path) -> None:
    usual = load(tmp_path, TEXT.replace('range: 40', 'range: 40, delay: [0, 0.5]')
                 + 'first_id: 100\nmotion: {kind: static, tick: 0.5}\nrounds: {period: 10}\n')
    text = (TEXT.replace('duration: 20', 'duration: 2e1').replace('radius: 30', 'radius: 3e1')
            .replace('count: 30', 'count: 3e1').replace('100]', '1E2]')
            .replace('range: 40', 'range: .4e2, delay: [0e0, 5e-1]')
            + 'first_id: 1e2\nmotion: {kind: static, tick: 5e-1}\nrounds: {period: 1e1}\n')
    written = load(tmp_path, text)
    for part in ('duration', 'entrants', 'groups', 'messages', 'first_id', 'tick', 'rounds'):
        assert getattr(written, part) == getattr(usual, part)


def test_varied_values_take_any_notation_of_numbers(tmp_path: Path) -> None:
    text = TEXT + 'vary: {algorithms.radius: [1e1, 2.5e1], size: [{devices.count: 1e1}]}\n'
    scenario = load(tmp_path, text)
    assert [values for values, _ in scenario.variants()] == [
        {'algorithms.radius': 10.0, 'size': 10.0}, {'algorithms.radius': 25.0, 'size': 10.0}]
    assert scenario.variants()[1][1].entrants[0].parameters.radius == 25.0
    with pytest.raises(ScenarioError, match='vary.algorithms.radius: 10.0 is there twice'):
        load(tmp_path, TEXT + 'vary: {algorithms.radius: [10, 1e1]}\n')


def test_numeric_label_and_title_are_texts(tmp_path: Path) -> None:
    scenario = load(tmp_path, TEXT.replace('title: Small', 'title: 1e1').replace(
        'wins: weakest', 'label: 1e2'))
    assert (scenario.title, scenario.entrants[0].label) == ('1e1', '1e2')


def test_command_settings_take_any_notation_of_numbers(tmp_path: Path) -> None:
    setting = parse_setting('algorithms.radius=2e1')
    assert load(tmp_path).replaced(dict([setting])).entrants[0].parameters.radius == 20.0


def test_fleet_file_and_robot_list_take_any_notation_of_numbers() -> None:
    fleet = read_fleet('robots: {a: {id: 1e1, radius: 7e0, initial_pose: [1e-1, 0, 0], '
                       'hostname: 1e1}}', 'mine.yaml')
    robot = fleet.robot('a')
    assert (robot.spec.id, robot.hostname, robot.parameters['radius']) == (10, '1e1', 7.0)
    [spec] = parse_robot_list('{name: a, id: 1e1, pose: {x: 5e-1}}')
    assert (spec.id, spec.pose) == (10, (0.5, 0.0, 0.0))


@pytest.mark.parametrize(('text', 'ranges'), [
    ('', ()), (' ', ()), ('3', ((3, 3),)), (' 9-10, 2 ', ((9, 10), (2, 2))), ('4-4', ((4, 4),))])
def test_ids_and_ranges_are_parsed(text: str, ranges: tuple[tuple[int, int], ...]) -> None:
    assert id_ranges(text, 'members') == ranges


@pytest.mark.parametrize('text', ['x', '3-1', '1,', '1-', '1-2-3', '-1', ',', '1;2'])
def test_malformed_ranges_are_refused_with_the_parameter(text: str) -> None:
    with pytest.raises(ParameterError, match='^parameter radio_groups: '):
        id_ranges(text, 'radio_groups')


def test_both_ends_of_a_range_belong_to_it() -> None:
    assert [robot for robot in range(9) if within(robot, ((2, 4), (7, 7)))] == [2, 3, 4, 7]
    assert not within(1, ())
