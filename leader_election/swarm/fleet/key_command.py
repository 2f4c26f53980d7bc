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

"""
The command ``swarm_key``: the key of a swarm, and the roster of its robots.

Beside a roster lie the owner's private key, ``<roster>.owner``, and an identity file for each
robot, ``<roster>.<id>.key``.
"""

import argparse
from collections.abc import Sequence
from datetime import datetime, timezone
from pathlib import Path
import secrets
import time
from typing import Any

from leader_election.election.identity.roster import (
    ENDLESS,
    identity_text,
    IdentityKeys,
    MOST_ID,
    MOST_STRENGTH,
    public_key,
    Record,
    Roster,
    roster_text,
    sign_record,
    told,
)
from leader_election.election.messages import swarm_key
from leader_election.parameters import ParameterError
from leader_election.parameters.command_line import CommandLineParser, ExitStatus, print_error
from leader_election.swarm.fleet import key_file

ENROL, RENEW, REVOKE = 'enrol', 'renew', 'revoke'


def change(path: Path, step: str, robots: Sequence[int], grants: dict[str, Any]) -> Roster:
    """
    Sign new records of robots in a roster, which is made if there is none; return it.

    :param step: ``enrol``: with a new key, in a new identity file; ``renew``; ``revoke``.
    :param grants: the fields of records that are given.
    :raises ParameterError: if a robot or a file does not allow it, or cannot be written.
    """
    owner_file = path.with_name(f'{path.name}.owner')
    if path.expanduser().exists() or step != ENROL:
        roster: Roster = key_file.read_file(path, key_file.ROSTER)
        owner = key_file.read_keys(owner_file)[0]
    else:
        owner = key_file.make_key(owner_file)[0]
        roster = Roster(public_key(owner))
    if public_key(owner) != roster.owner:
        raise ParameterError(f'{str(owner_file)!r} is not the key of the owner of {str(path)!r}')
    for robot in robots:
        signed = roster.records.get(robot)
        record, version = None if signed is None else signed.record, time.time_ns() // 10**6
        if record is not None:
            version = max(version, record.version + 1)
        if step == ENROL and (record is None or record.revoked):
            seed = secrets.token_bytes(32)
            key_file.replace(path.with_name(f'{path.name}.{robot}.key'),
                             identity_text(IdentityKeys(robot, seed, roster.owner)))
            record = Record(robot, public_key(seed), MOST_STRENGTH, True, ENDLESS, version)
        elif step == ENROL or record is None or record.revoked and step == RENEW:
            state = 'enrolled already: --renew' if step == ENROL else (
                'not enrolled: --enrol' if record is None else 'revoked: --enrol')
            raise ParameterError(f'robot {robot} of {str(path)!r} is {state}')
        roster.take(sign_record(
            record._replace(version=version, revoked=step == REVOKE, **grants), owner))
    key_file.replace(path, roster_text(roster), key_file.PUBLIC)
    return roster


DESCRIPTION = """
Make a file with a new key for a swarm (parameter swarm_key_file of each robot). Its owner alone
can read it, and no file is overwritten. The key of a running swarm is changed in three steps, and
after each the file is copied to all robots: --next, --switch, --finish. Keys are shown by their
fingerprints, as in /diagnostics. --enrol, --renew, --revoke and --roster are of a roster
(parameter roster_file), which says what each robot may claim.
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
ROSTER_STEPS = {
    ENROL: 'copy {0}.<id>.key to its robot (parameter identity_file) and delete it here, and {0} '
           'to all robots (roster_file); {0}.owner stays here',
    RENEW: 'copy the file to one robot: they pass it on',
    REVOKE: 'copy the file to one robot: they pass it on',
}
"""The next step after each option."""


def _end(text: str) -> int:
    end = datetime.fromisoformat(text)
    return int((end if end.tzinfo else end.replace(tzinfo=timezone.utc)).timestamp())


def options() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = CommandLineParser(prog='leader_election swarm_key', description=DESCRIPTION)
    parser.add_argument('file', metavar='FILE', type=Path, help='the key file, or the roster')
    step = parser.add_mutually_exclusive_group()
    for name, text in (
            ('next', 'add the next key, which is accepted from then on'),
            ('switch', 'sign with the next key, and still accept the previous one'),
            ('finish', 'accept the key that signs alone'),
            ('show', 'show the fingerprints of the keys'),
            ('roster', 'show what a roster grants')):
        step.add_argument(f'--{name}', dest='step', action='store_const', const=name, help=text)
    for name, text in (
            (ENROL, 'add robots, each with a new key; the first time, make the roster'),
            (RENEW, 'change what robots are granted'), (REVOKE, 'let robots take part no more')):
        step.add_argument(f'--{name}', metavar='ID', nargs='+', type=int, help=text)
    parser.add_argument('--strength', type=float, help='the greatest that they may claim')
    parser.add_argument('--leads', choices=('yes', 'no'), help='whether they may lead')
    parser.add_argument('--until', type=_end, metavar='DATE',
                        help='the end of the grant (2027-01-31, UTC)')
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """
    Execute the command line.

    :param arguments: of the command line, by default those of this process.
    :return: the exit status.
    """
    parser = options()
    chosen = parser.parse_args(arguments)
    step, robots = next(((step, getattr(chosen, step)) for step in ROSTER_STEPS
                         if getattr(chosen, step)), (chosen.step, []))
    leads = None if chosen.leads is None else chosen.leads == 'yes'
    grants = {name: value for name, value in (
        ('strength', chosen.strength), ('leads', leads), ('until', chosen.until))
        if value is not None}
    if grants and step not in (ENROL, RENEW):
        parser.error('--strength, --leads and --until take --enrol or --renew')
    if not all(0 <= robot <= MOST_ID for robot in robots) or not (
            abs(grants.get('strength', 0.0)) <= MOST_STRENGTH) or not (
            0 <= grants.get('until', 0) <= ENDLESS):
        parser.error('an id, the strength or the date is out of range')
    try:
        if step in ROSTER_STEPS or step == 'roster':
            roster = (change(chosen.file, step, robots, grants) if robots
                      else key_file.read_file(chosen.file, key_file.ROSTER))
            for robot in sorted(robots or roster.records):
                print(f'{robot}: {told(roster.records[robot].record)}')
            then = ROSTER_STEPS.get(step, '').format(chosen.file)
        else:
            act, then = STEPS[step]
            for role, key in zip(('signs', 'accepted'), act(chosen.file)):
                print(f'{swarm_key.fingerprint(key)}  {role}')
    except ParameterError as error:
        return print_error(error)
    if then:
        print(f'{chosen.file}: {then}')
    return ExitStatus.OK
