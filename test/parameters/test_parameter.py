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

from collections.abc import Mapping
from dataclasses import dataclass
import math
from typing import Any, ClassVar

from leader_election.election.robot.parameters import ElectionParameters
from leader_election.parameters import (
    build,
    grouped,
    id_ranges,
    Parameter,
    parameter,
    ParameterError,
    REQUIRED_INT,
    table,
    to_yaml,
)
from leader_election.parameters.command_line import CommandLineParser, ExitStatus, print_error
from leader_election.parameters.files import read_yaml
from leader_election.simulation.parameters import WorldParameters
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
def test_valid_value_is_converted_to_its_type(name, value, expected):
    taken = getattr(given(**{name: value}), name)
    assert taken == expected and type(taken) is type(expected)


@pytest.mark.parametrize('name, value, allowed', [
    ('number', 11, '0 to 10'), ('number', -2, '0 to 10'),
    ('number', 1.0, 'a whole number, 0 to 10'),
    ('number', True, '0 to 10'),
    ('flag', 1, 'true or false'), ('flag', 'true', 'true or false'),
    ('reach', -0.1, 'at least 0 m'), ('reach', math.nan, 'at least 0 m'),
    ('reach', '1', 'at least 0 m'), ('reach', True, 'at least 0 m'), ('share', 1.001, '0 to 1'),
    ('free', math.nan, 'a finite number'), ('free', INFINITE, 'a finite number'),
    ('name', 5, 'a string'), ('title', '', 'a string that is not empty'),
    ('colour', 'green', 'one of red, blue'),
    ('pose', [1.0, 2.0], '3 or 6 finite numbers m'),
    ('pose', [1.0, 2.0, math.nan], '3 or 6 finite numbers m'),
    ('pose', 'abc', '3 or 6 finite numbers m'),
    ('pose', {0, 1, 2}, '3 or 6 finite numbers m'),
    ('pose', 1.0, '3 or 6 finite numbers m'), ('words', ['x', 1], 'a list of texts'),
])
def test_value_is_refused_with_name_value_and_range_when_wrong(name, value, allowed):
    with pytest.raises(ParameterError) as refused:
        given(**{name: value})
    assert str(refused.value) == (
        f'parameter {name}: {value!r} is not allowed; it takes {allowed}')


@pytest.mark.parametrize('name', ['number', 'reach', 'pose'])
def test_number_is_refused_when_huge(name):
    value = 10 ** 400
    with pytest.raises(ParameterError, match='is not allowed') as refused:
        given(**{name: [value, 0, 0] if name == 'pose' else value})
    assert len(str(refused.value)) < 200


def test_list_is_refused_with_its_element_type_when_wrong():
    for kind, allowed in ((tuple[float, ...], 'a list of finite numbers m'),
                          (tuple[int, ...], 'a list of whole numbers'),
                          (tuple[str, ...], 'a list of texts')):
        with pytest.raises(ParameterError, match=f'it takes {allowed}$'):
            Parameter('words', kind, (), 'Some.', unit='m').check([None])


def test_parameter_is_refused_when_missing():
    with pytest.raises(ParameterError, match='^parameter number is missing; it takes 0 to 10$'):
        build(Sample, {})


def test_parameter_is_refused_when_unknown():
    with pytest.raises(ParameterError, match='parameter colur; did you mean colour. known'):
        given(colur='red')


def test_error_names_the_most_similar_choice():
    with pytest.raises(ParameterError, match='is not allowed; did you mean red. it takes one of '):
        given(colour='redd')


def test_error_shortens_a_long_value():
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
def test_parameter_is_in_one_group(parameters):
    groups = grouped(parameters)
    names = [p.name for declared in groups.values() for p in declared]
    assert sorted(names) == sorted(p.name for p in table(parameters))
    assert '' not in groups


def test_parameter_is_among_others_when_no_group_names_it():
    @dataclass(frozen=True)
    class Grouped(Sample):
        GROUPS: ClassVar[Mapping[str, str]] = {'First': 'reach'}

    groups = grouped(Grouped)
    assert list(groups) == ['First', 'Others']
    assert [p.name for p in groups['Others']] == ['number', *(
        p.name for p in table(Sample) if p.name not in ('number', 'reach'))]


def test_yaml_holds_descriptions_and_ranges():
    text = to_yaml(Sample, 'Title.')
    assert text.startswith('# Title.\n')
    assert '    # A length. Takes at least 0 m. May change at run time.\n    reach: 1.5\n' in text
    assert '    # Must be given. Takes 0 to 10.\n    # number: 1\n' in text
    assert max(map(len, to_yaml(ElectionParameters, 'Title.').splitlines())) < 100


# Exit statuses, error lines and the parser of options.

def test_error_has_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert print_error(ValueError('one\n  two')) == ExitStatus.USAGE == 2
    assert capsys.readouterr() == ('', 'error: one two\n')


def test_command_ends_with_one_line_and_status_2_when_an_option_is_wrong(
        capsys: pytest.CaptureFixture[str]) -> None:
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


# Numbers as people write them, wherever one is declared. Texts stay texts.

@pytest.mark.parametrize(('text', 'number'), [
    ('1e1', 10.0), ('1E3', 1000.0), ('1e-3', 0.001), ('.5e2', 50.0), ('1.e1', 10.0),
    ('+2e1', 20.0), ('-2e+1', -20.0), ('1.5e+3', 1500.0), ('1_000', 1000), ('1_000.5', 1000.5),
    ('1_0e1', 100.0), ('1e06', 1e6), ('5', 5), ('0.5', 0.5)])
def test_number_is_read_in_each_notation(text: str, number: float) -> None:
    read = read_yaml(f'value: {text}')['value']
    assert read == number
    assert Parameter('radius', float, 1.0, '').check(read) == number


@pytest.mark.parametrize('text', [
    'e1', '1e', '1e1.5', '1e1m', 'x1e1', '.e1', '_1e1', '0x1e1g', '"10"', '١e١'])
def test_text_is_refused_when_a_number_is_expected(text: str) -> None:
    with pytest.raises(ParameterError, match='parameter radius: .* is not allowed; it takes a fi'):
        Parameter('radius', float, 1.0, '', upper=float('inf')).check(
            read_yaml(f'value: {text}')['value'])


@pytest.mark.parametrize(('text', 'reason'), [
    ('010', "010 is not allowed in line 2: .* octal in YAML; write 10, or '010' in quotes"),
    ('-08', "-08 is not allowed in line 2: .* octal in YAML; write -8, or '-08' in quotes"),
    ('1:30', "1:30 is not allowed in line 2: .* to the base 60; write '1:30' in quotes"),
    ('1:30.5', '1:30.5 is not allowed'), ('\tx', 'has a tab in line 2; YAML takes spaces')])
def test_text_is_refused_when_yaml_takes_it_for_another_number(text: str, reason: str) -> None:
    for place in (f'\n- {text}', f'\n{{{text}: 1}}'):
        with pytest.raises(ValueError, match=f'^{reason}'):
            read_yaml(place)
    assert read_yaml(f'- "{text}"\n- 00:11:22\n- 0.5\n- 0')[1:] == ['00:11:22', 0.5, 0]


@pytest.mark.parametrize('text', ['!!int "010"', "!!int '-010'", '!!float "1:30"'])
def test_quoted_number_is_refused_when_its_tag_makes_it_octal_or_sexagesimal(text: str) -> None:
    with pytest.raises(ValueError, match='is not allowed in line 1: '):
        read_yaml(f'- {text}')


@pytest.mark.parametrize('start', ['[', '{a: '])
def test_text_is_refused_before_its_end_when_it_is_nested_too_deeply(start: str) -> None:
    # The per cent sign is not YAML.
    with pytest.raises(ValueError, match='^is nested more than 20 levels deep$'):
        read_yaml(3000 * start + '%')


@pytest.mark.parametrize(('text', 'number'), [
    ('1e3', 1000), ('2.5e1', 25), ('1_0e1', 100), ('7', 7)])
def test_integer_is_read_in_each_notation(text: str, number: int) -> None:
    found = Parameter('count', int, 1, '').parse(text)
    assert (found, type(found)) == (number, int)


@pytest.mark.parametrize('text', ['1e-3', '2.55e1', '1e400', '1000.0', '"1000"'])
def test_fraction_is_refused_when_an_integer_is_expected(text: str) -> None:
    with pytest.raises(ParameterError, match='it takes a whole number'):
        Parameter('count', int, 1, '').parse(text)


def test_quoted_text_that_looks_like_a_number_stays_text() -> None:
    assert Parameter('frame', str, '', '').parse('1e1') == '1e1'
    assert Parameter('frames', tuple[str, ...], (), '').parse('["1e1"]') == ('1e1',)
    assert Parameter('xs', tuple[float, ...], (), '').parse('[1e1, 2]') == (10.0, 2.0)


@pytest.mark.parametrize(('text', 'ranges'), [
    ('', ()), (' ', ()), ('3', ((3, 3),)), (' 9-10, 2 ', ((9, 10), (2, 2))), ('4-4', ((4, 4),))])
def test_ids_and_ranges_are_parsed(text: str, ranges: tuple[tuple[int, int], ...]) -> None:
    assert id_ranges(text, 'members') == ranges


@pytest.mark.parametrize('text', ['x', '3-1', '1,', '1-', '1-2-3', '-1', ',', '1;2', '9' * 5000])
def test_range_is_refused_with_its_parameter_when_malformed(text: str) -> None:
    with pytest.raises(ParameterError, match='^parameter radio_groups: '):
        id_ranges(text, 'radio_groups')
