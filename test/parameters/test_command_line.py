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

"""Exit statuses, error lines and the parser of options."""

from leader_election.parameters.command_line import CommandLineParser, ExitStatus, print_error
import pytest


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
