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

"""The command ``swarm_key``: makes the key of a swarm, and changes it."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from leader_election.election.messages import swarm_key
from leader_election.parameters import ParameterError
from leader_election.parameters.command_line import CommandLineParser, ExitStatus, print_error
from leader_election.swarm.fleet import key_file

DESCRIPTION = """
Make a file with a new key for a swarm (parameter swarm_key_file of each robot). Its owner alone
can read it, and no file is overwritten. The key of a running swarm is changed in three steps, and
after each the file is copied to all robots: --next, --switch, --finish. Keys are shown by their
fingerprints, as in /diagnostics.
"""
STEPS = {
    None: (key_file.make_key, 'copy the file to each robot (scp -p), and give it the parameter '
           'swarm_key_file'),
    'next': (key_file.add_next, 'copy the file to all robots, then: swarm_key --switch'),
    'switch': (key_file.switch, 'copy the file to all robots, then: swarm_key --finish'),
    'finish': (key_file.finish, 'copy the file to all robots; the other key is worthless then'),
    'show': (key_file.read_keys, ''),
}
"""The function of each option, and the next step."""


def options() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = CommandLineParser(prog='leader_election swarm_key', description=DESCRIPTION)
    parser.add_argument('file', metavar='FILE', type=Path, help='the key file')
    step = parser.add_mutually_exclusive_group()
    for name, text in (
            ('next', 'add the next key, which is accepted from then on'),
            ('switch', 'sign with the next key, and still accept the previous one'),
            ('finish', 'accept the key that signs alone'),
            ('show', 'show the fingerprints of the keys')):
        step.add_argument(f'--{name}', dest='step', action='store_const', const=name, help=text)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """
    Execute the command line.

    :param arguments: of the command line, by default those of this process.
    :return: the exit status.
    """
    chosen = options().parse_args(arguments)
    act, then = STEPS[chosen.step]
    try:
        for role, key in zip(('signs', 'accepted'), act(chosen.file)):
            print(f'{swarm_key.fingerprint(key)}  {role}')
    except ParameterError as error:
        return print_error(error)
    if then:
        print(f'{chosen.file}: {then}')
    return ExitStatus.OK
