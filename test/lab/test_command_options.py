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

"""The options of the command ``lab``."""

from leader_election.lab.commands import parse_options, parse_seeds
import pytest


def test_seeds_up_to_the_most() -> None:
    assert parse_seeds('1') == range(1) and parse_seeds('1000000') == range(1_000_000)
    assert parse_seeds('7-7') == range(7, 8) and parse_seeds('1-1000000') == range(1, 1_000_001)
    assert parse_seeds('2147483647-2147483648') == range(2**31 - 1, 2**31 + 1)


def test_numbers_of_at_least_one() -> None:
    assert parse_options(['run', 'x', '--workers', '1']).workers == 1
    assert parse_options(['reproduce', '--seeds', '1000000']).seeds == 1_000_000
    assert parse_options(['study']).seeds == 100
    assert parse_options(['study', '--seeds', '1']).seeds == 1


@pytest.mark.parametrize(('arguments', 'message'), [
    (['run', 'x', '--seeds', '0'], "'0' is not allowed; it takes a number of at least 1"),
    (['run', 'x', '--seeds', '5-4'], "'5-4' is not allowed"),
    (['run', 'x', '--seeds', 'few'], "'few' is not allowed"),
    (['run', 'x', '--set', 'messages.loss'], 'it takes KEY=VALUE'),
    (['run', 'x', '--set', 'a=[1'], 'it takes KEY=VALUE'),
    (['run', 'x', '--workers', '0'], "'0' is not allowed; it takes a whole number from 1 to "),
    (['reproduce', '--seeds', '-3'], "'-3' is not allowed; it takes a whole number from 1 to "),
    (['run', 'x', '--workers', 'x'], "'x' is not allowed; it takes a whole number from 1 to "),
    (['run', 'x', '--workers', '1000001'], "'1000001' is not allowed; it takes a whole number"),
    (['reproduce', '--seeds', '1.5'], "'1.5' is not allowed; it takes a whole number from 1 to "),
    (['reproduce', '--seeds', '9' * 5000], 'is not allowed; it takes a whole number from 1 to '),
    (['run', 'x', '--seeds', '1000001'], 'up to 1000000 of them, and none above 2147483648'),
    (['run', 'x', '--seeds', '0-1000000'], "'0-1000000' is not allowed"),
    (['run', 'x', '--seeds', '5-2147483649'], "'5-2147483649' is not allowed"),
    (['run', 'x', '--seeds', '2147483649-2147483649'], 'is not allowed; it takes a number of '),
    (['run', 'x', '--seeds', '9' * 5000], 'is not allowed; it takes a number of at least 1'),
    (['run', 'x', '--seeds=-1'], "'-1' is not allowed; it takes a number of at least 1"),
    (['run', 'x', '--set', 'a={b: 1, b: 2}'], 'it takes KEY=VALUE'),
    (['run', 'x', '--set', 'a=' + '[' * 500], 'it takes KEY=VALUE'),
    (['run', 'x', '--set', 'a=2026-99-99'], 'it takes KEY=VALUE'),
    (['run', 'x', '--until-width', '0'], "'0' is not allowed; it takes a number greater than 0"),
    (['run', 'x', '--until-width', 'x%'], "'x%' is not allowed; it takes a number greater than"),
    (['run'], 'SCENARIO'),
    ([], 'COMMAND'),
])
def test_wrong_options_are_errors(
        arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        parse_options(arguments)
    assert ended.value.code == 2
    assert message in capsys.readouterr().err.splitlines()[-1]
