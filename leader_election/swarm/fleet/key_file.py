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
The files with keys, the command ``swarm_key`` that makes them, and a robot's swarm time.

The key file holds one key per line, as 64 hexadecimal digits: the first signs, a second one is
accepted beside it while the key is changed. Lines that begin with ``#`` are comments.

A robot keeps the swarm time over restarts in the file ``<key file>.<robot_id>.time``. A robot
whose clock is lost with its power would otherwise accept messages that an attacker recorded
before. The kept time is an upper bound until the next write. The robot starts at the kept time
plus the window of replays, so that it accepts no message twice. A start after a rare write leaps
ahead, and the other robots follow.
"""

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
import secrets
import shlex
import stat
from typing import NamedTuple

from leader_election.election.messages import swarm_key
from leader_election.election.messages.swarm_key import ahead, RING
from leader_election.parameters import ParameterError
from leader_election.parameters.command_line import CommandLineParser, how_to_run, print_error
from leader_election.parameters.files import expanded, write_durably

RESERVED = 30_000
"""Time between two writes: the lead of the kept time over the swarm time [ms]."""
_MOST_DIGITS = 32


class SwarmTimeFile:
    """
    Keeps the swarm time of one robot in a file.

    :ivar fault: the reason why it is not kept, empty if it is.
    :ivar doubt: the reason why replays may be believed after this start, empty if none is known.
    """

    def __init__(self, key_file: str, robot_id: int, period: float = 1.0) -> None:
        """
        Read the file.

        :param key_file: the path of the robot's key file, which exists.
        :param robot_id: robots that share a key file each have a time of their own.
        :param period: between two calls of :meth:`keep` [s].
        """
        key = Path(key_file).expanduser()
        self._path = key.with_name(f'{key.name}.{robot_id}.time')
        self.fault = self.doubt = ''
        # Written early enough, even when a call is late.
        self._lead = int(2e3 * period)
        self._kept = self._read()
        self._key_date = int(key.stat().st_mtime * 1e3)

    def _read(self) -> int | None:
        try:
            with self._path.open(encoding='ascii', errors='replace') as file:
                text = file.read(_MOST_DIGITS)
        except OSError:
            return None
        return int(text) if text.strip().isdecimal() and int(text) < RING else None

    def start(self, wall: int, window: float) -> int:
        """
        Return the swarm time to start with, and keep it [ms].

        :param wall: the wall clock [ms since 1970].
        :param window: of replays [s].
        """
        start = wall
        if self._kept is not None:
            passed = (self._kept + int(window * 1e3) + 1) % RING
            start = passed if ahead(passed, wall) > 0 else wall
        elif wall < self._key_date:
            self.doubt = ('the clock is behind the date of the key file, and no swarm time was '
                          'kept: recorded messages may be believed; set the clock, then restart')
        self.keep(start)
        return start

    def keep(self, swarm_time: int) -> None:
        """
        Write the file if the swarm time is about to pass the kept one.

        :param swarm_time: of the robot now [ms].
        """
        if self._kept is not None and ahead(self._kept, swarm_time) > self._lead:
            return
        kept = (swarm_time + RESERVED + self._lead) % RING
        try:
            write_durably(self._path, f'{kept}\n')
            self.fault = ''
        except OSError as error:
            self.fault = (f'the swarm time cannot be kept in {str(self._path)!r}: '
                          f'{error.strerror}; let the user of the robot write to this folder')
        self._kept = kept


MOST_BYTES = 2**20
"""The longest file that is read, comments included."""


def read_keys(path: str | Path) -> swarm_key.Keys:
    """
    Return the keys in a key file.

    :param path: of the file; ``~`` is expanded.
    :raises ParameterError: for a file that cannot be read, that others can read, or without a
        key; one line, with the remedy.
    """
    try:
        file = Path(path).expanduser()
        status = file.stat()
        if not stat.S_ISREG(status.st_mode):
            raise _wrong(path, 'is not a file; swarm_key makes a key file')
        mode = stat.S_IMODE(status.st_mode)
        if mode & 0o077:
            raise _wrong(path, f'is open to others than its owner (mode {mode:04o}); correct it '
                         f'by: chmod 600 {shlex.quote(str(file))}')
        with file.open('rb') as opened:
            text = opened.read(MOST_BYTES).decode('utf-8-sig')
        return swarm_key.parse_keys(text)
    except ParameterError:
        raise
    except (OSError, RuntimeError) as error:
        reason = getattr(error, 'strerror', None) or error
        raise _wrong(path, f'cannot be read: {reason}; swarm_key makes a key file') from None
    except ValueError as error:
        raise _wrong(path, f'is not a key file: {error}; swarm_key makes one') from None


def _wrong(path: str | Path, what: str) -> ParameterError:
    return ParameterError('swarm_key_file', problem=f': {str(path)!r} {what}')


class KeyFile:
    """
    The key file of a robot, which may change.

    :ivar content: the keys that were read last. They stay in use when the file becomes invalid.
    :ivar error: the present error of the file, empty for none.
    """

    def __init__(self, path: str) -> None:
        """
        Read the file.

        :param path: of the file, empty if the robot has none.
        :raises ParameterError: as :func:`read_keys`.
        """
        self._path = path
        self.content = read_keys(path) if path else swarm_key.NO_KEYS
        self.error = ''

    def changed(self) -> bool:
        """Read the file again, and return whether content or error have changed."""
        before = (self.content, self.error)
        try:
            if self._path:
                self.content, self.error = read_keys(self._path), ''
        except ParameterError as error:
            self.error = f'{error}; its former contents stay in use'
        return (self.content, self.error) != before


# Functions of the command.

def make_key(path: Path) -> swarm_key.Keys:
    """
    Make a file with a new key, readable by its owner only.

    :raises ParameterError: if the file exists already, or cannot be written.
    """
    if expanded(path).exists():
        raise ParameterError(f'{str(path)!r} exists, and no key is overwritten; --next prepares '
                             'a change of the key in it')
    return _replace(path, (secrets.token_bytes(32),))


def change_key(path: Path, step: str) -> swarm_key.Keys:
    """
    Do a step of the change of a key, or show the keys, and return them.

    :param step: one of :data:`STEPS`.
    :raises ParameterError: if the file is invalid, or holds other keys than the step takes.
    """
    keys, (_, number, change, _) = read_keys(path), STEPS[step]
    if number not in (None, len(keys)):
        raise ParameterError(
            f'{str(path)!r} holds one key only; --next adds the next one' if len(keys) == 1 else
            f'{str(path)!r} holds two keys already; finish that change first: --switch, then '
            '--finish')
    return keys if number is None else _replace(path, change(keys))


def _replace(path: Path, keys: swarm_key.Keys) -> swarm_key.Keys:
    try:
        write_durably(expanded(path), _text(keys), 0o600)
    except OSError as error:
        raise ParameterError(f'{str(path)!r} cannot be written: {error.strerror}') from None
    return keys


def _text(keys: swarm_key.Keys) -> str:
    names = [f'# {role}: {swarm_key.fingerprint(key)}'
             for role, key in zip(('signs', 'accepted'), keys)]
    lines = ['# Key file of leader_election. Keep it secret: its holders are believed.']
    for name, key in zip(names, keys):
        lines += [name, key.hex()]
    return '\n'.join(lines) + '\n'


DESCRIPTION = """
Make a file with a new key for a swarm (parameter swarm_key_file of each robot). Its owner alone
can read it, and no file is overwritten. The key of a running swarm is changed in three steps, and
after each the file is copied to all robots: --next, --switch, --finish. Keys are shown by their
fingerprints, as in /diagnostics.
"""


class Step(NamedTuple):
    """An option of the command."""

    text: str
    """Its help."""
    keys: int | None
    """The number of keys that it takes, ``None`` for any."""
    change: Callable[[swarm_key.Keys], swarm_key.Keys]
    then: str
    """What to do then."""


STEPS = {
    'next': Step('add the next key, which is accepted from then on', 1,
                 lambda keys: (*keys, secrets.token_bytes(32)),
                 'copy the file to all robots, then: swarm_key --switch'),
    'switch': Step('sign with the next key, and still accept the previous one', 2,
                   lambda keys: keys[::-1],
                   'copy the file to all robots, then: swarm_key --finish'),
    'finish': Step('accept the key that signs alone', 2, lambda keys: keys[:1],
                   'copy the file to all robots; the other key is worthless then'),
    'show': Step('show the fingerprints of the keys', None, tuple, '')}


def main(arguments: Sequence[str] | None = None) -> int:
    """
    Execute the command line.

    :param arguments: of the command line, by default those of this process.
    :return: the exit status.
    """
    chosen = options().parse_args(arguments)
    then = 'copy the file to each robot (scp -p), and give it the parameter swarm_key_file'
    try:
        keys = change_key(chosen.file, chosen.step) if chosen.step else make_key(chosen.file)
    except ValueError as error:  # Also of a path without a known home.
        return print_error(error)
    for role, key in zip(('signs', 'accepted'), keys):
        print(f'{swarm_key.fingerprint(key)}  {role}')
    if then := STEPS[chosen.step].then if chosen.step else then:
        print(f'{chosen.file}: {then}')
    return 0


def options() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = CommandLineParser(prog=how_to_run('swarm_key'), description=DESCRIPTION)
    parser.add_argument('file', metavar='FILE', type=Path, help='the key file')
    group = parser.add_mutually_exclusive_group()
    for name, step in STEPS.items():
        group.add_argument(f'--{name}', dest='step', action='store_const', const=name,
                           help=step.text)
    return parser
