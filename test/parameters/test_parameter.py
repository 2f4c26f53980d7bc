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

"""Parameters: what each takes, and what people are told about the rest."""

from dataclasses import dataclass
import math
import re
from typing import Any

from leader_election.election.robot.parameters import ElectionParameters
from leader_election.parameters import (
    build,
    grouped,
    Parameter,
    parameter,
    ParameterError,
    REQUIRED_INT,
    table,
    to_yaml,
)
from leader_election.parameters.command_line import CommandLineParser, ExitStatus, print_error
from leader_election.simulation.parameters import WorldParameters
from leader_election.swarm.tracker import MonitorParameters
import pytest
import yaml

INFINITE = math.inf


@dataclass(frozen=True)
class Sample:
    """One parameter of each kind."""

    number: int = parameter(REQUIRED_INT, 'Must be given.', lower=0, upper=10, required=True)
    flag: bool = parameter(True, 'A switch.')
    reach: float = parameter(1.5, 'A length.', unit='m', lower=0.0, upper=INFINITE, dynamic=True)
    share: float = parameter(0.5, 'A fraction.', lower=0.0, upper=1.0)
    free: float = parameter(1e-6, 'Any.')
    name: str = parameter("it's", 'A text.')
    title: str = parameter('x', 'A text.', empty=False)
    colour: str = parameter('red', 'One of a few.', choices=lambda: ('red', 'blue'))
    pose: tuple[float, ...] = parameter((0.0, 1e-9, 2.0), 'Where.', unit='m', lengths=(3, 6))
    words: tuple[str, ...] = parameter(('a', 'b'), 'Texts.')


def given(**values: Any) -> Sample:
    return build(Sample, {'number': 1, **values})


@pytest.mark.parametrize('name, value, expected', [
    ('number', 0, 0), ('number', 10, 10), ('flag', False, False),
    ('reach', 2, 2.0), ('reach', 0.0, 0.0), ('reach', INFINITE, INFINITE),
    ('share', 1, 1.0), ('free', -1e300, -1e300), ('name', '', ''), ('colour', 'blue', 'blue'),
    ('pose', [1, 2.5, 3], (1.0, 2.5, 3.0)), ('pose', (1.0,) * 6, (1.0,) * 6),
    ('words', [], ()), ('words', ['x'], ('x',)),
])
def test_valid_values_are_taken_in_their_type(name, value, expected):
    taken = getattr(given(**{name: value}), name)
    assert taken == expected and type(taken) is type(expected)


@pytest.mark.parametrize('name, value, allowed', [
    ('number', 11, '0 to 10'), ('number', -2, '0 to 10'), ('number', 1.0, '0 to 10'),
    ('number', True, '0 to 10'), ('number', '1', '0 to 10'),
    ('flag', 1, 'true or false'), ('flag', 'true', 'true or false'),
    ('reach', -0.1, 'at least 0 m'), ('reach', -INFINITE, 'at least 0 m'),
    ('reach', math.nan, 'at least 0 m'), ('reach', '1', 'at least 0 m'),
    ('reach', True, 'at least 0 m'), ('share', 1.001, '0 to 1'), ('share', INFINITE, '0 to 1'),
    ('free', math.nan, 'a finite number'), ('free', INFINITE, 'a finite number'),
    ('name', 5, 'a string'), ('title', '', 'a string that is not empty'),
    ('number', -1, '0 to 10'),
    ('colour', 'green', 'one of red, blue'),
    ('pose', [1.0, 2.0], '3 or 6 finite numbers m'),
    ('pose', [1.0, 2.0, math.nan], '3 or 6 finite numbers m'),
    ('pose', [1.0, 2.0, 'x'], '3 or 6 finite numbers m'),
    ('pose', 'abc', '3 or 6 finite numbers m'),
    ('pose', {0, 1, 2}, '3 or 6 finite numbers m'),
    ('pose', {0: 0, 1: 1, 2: 2}, '3 or 6 finite numbers m'),
    ('pose', 1.0, '3 or 6 finite numbers m'), ('words', ['x', 1], 'a list of texts'),
])
def test_wrong_value_is_refused_with_name_value_and_range(name, value, allowed):
    with pytest.raises(ParameterError) as refused:
        given(**{name: value})
    assert str(refused.value) == (
        f'parameter {name}: {value!r} is not allowed; it takes {allowed}')


@pytest.mark.parametrize('name', ['number', 'reach', 'pose'])
def test_huge_numbers_are_refused(name):
    for value in (10 ** 400, 1 << 100000):
        with pytest.raises(ParameterError, match='is not allowed') as refused:
            given(**{name: [value, 0, 0] if name == 'pose' else value})
        assert len(str(refused.value)) < 200


def test_wrong_list_is_refused_with_its_element_type():
    for kind, allowed in ((tuple[float, ...], 'a list of finite numbers m'),
                          (tuple[int, ...], 'a list of whole numbers'),
                          (tuple[str, ...], 'a list of texts')):
        with pytest.raises(ParameterError, match=f'it takes {allowed}$'):
            Parameter('words', kind, (), 'Some.', unit='m').check([None])


def test_missing_parameter_is_refused():
    with pytest.raises(ParameterError, match='^parameter number is missing; it takes 0 to 10$'):
        build(Sample, {})


def test_unknown_parameter_is_refused():
    with pytest.raises(ParameterError, match='parameter colur; did you mean colour. known'):
        given(colur='red')


@pytest.mark.parametrize(('values', 'hint'), [
    ({'algorithm': 'boundd'}, 'did you mean bounded?'), ({'metric': 'rsi'}, 'did you mean rssi?'),
    ({'strength_source': 'batery'}, 'did you mean battery?')])
def test_the_most_similar_choice_is_named(values, hint):
    with pytest.raises(ParameterError) as refused:
        build(ElectionParameters, {'robot_id': 1, **values})
    assert f'is not allowed; {hint} it takes one of ' in str(refused.value)


def test_a_long_value_is_shortened():
    with pytest.raises(ParameterError) as refused:
        given(colour='x' * 10000)
    assert len(str(refused.value)) < 200


@pytest.mark.parametrize('parameters, required', [
    (Sample, {'number': 1}), (ElectionParameters, {'robot_id': 1})])
def test_yaml_holds_every_default(parameters, required):
    text = to_yaml(parameters, 'Title.')
    values = yaml.safe_load(text)['/**']['ros__parameters']
    assert set(values) | set(required) == {p.name for p in table(parameters)}
    assert not set(values) & set(required), 'what has to be given is a comment'
    assert build(parameters, {**values, **required}) == build(parameters, required)


@pytest.mark.parametrize('parameters', [ElectionParameters, WorldParameters])
def test_each_parameter_is_in_one_group(parameters):
    groups = grouped(parameters)
    names = [p.name for declared in groups.values() for p in declared]
    assert sorted(names) == sorted(p.name for p in table(parameters))
    assert '' not in groups


def test_a_file_begins_with_what_is_set_first():
    lines = [line.strip() for line in to_yaml(ElectionParameters, 'Title.').splitlines()]
    names = [line.partition(':')[0].removeprefix('# ') for line in lines
             if re.match(r'(# robot_id|[a-z_]+): ', line)]
    assert names[:5] == ['robot_id', 'radius', 'communication_range', 'algorithm', 'strength']
    assert lines.index('## What is set first') < lines.index('## Security')
    assert [p.name for p in grouped(MonitorParameters)['']][-1] == 'executor'


def test_yaml_explains():
    text = to_yaml(Sample, 'Title.')
    assert text.startswith('# Title.\n')
    assert '    # A length. Takes at least 0 m. May change at run time.\n    reach: 1.5\n' in text
    assert '    # Must be given. Takes 0 to 10.\n    # number: 1\n' in text
    assert max(map(len, to_yaml(ElectionParameters, 'Title.').splitlines())) < 100


# Exit statuses, error lines and the parser of options.

def test_error_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert print_error(ValueError('one\n  two')) == ExitStatus.USAGE == 2
    assert capsys.readouterr() == ('', 'error: one two\n')


def test_wrong_option_is_one_line_and_status_2(capsys: pytest.CaptureFixture[str]) -> None:
    parser = CommandLineParser(prog='leader_election lab')
    commands = parser.add_subparsers(dest='command', required=True)
    commands.add_parser('run').add_argument('--seeds', type=int)
    commands.add_parser('show').add_argument('what', choices=['colour', 'size'])
    for arguments, line in (
            (['show', 'color'], "argument what: 'color' is not allowed; did you mean colour? it "
             'takes one of colour, size; leader_election lab show'),
            (['rnu'], "argument command: 'rnu' is not allowed; did you mean run? it takes one of "
             'run, show; leader_election lab'),
            (['run', '--sede=3'],
             'there is no option --sede; did you mean --seeds?; leader_election lab run'),
            (['--nothing'], 'the following arguments are required: command; leader_election lab'),
            (['run', '--zzz'], 'there is no option --zzz; leader_election lab run'),
            (['--seed'], 'the following arguments are required: command; leader_election lab'),
            (['run', '--seeds', 'x'],
             "argument --seeds: invalid int value: 'x'; leader_election lab run")):
        with pytest.raises(SystemExit) as ended:
            parser.parse_args(arguments)
        assert ended.value.code == 2
        assert capsys.readouterr() == ('', f'error: {line} --help shows the usage\n')
