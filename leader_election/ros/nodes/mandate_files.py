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
"""The files in which robots with a quorum keep rosters and promises over a restart."""

from contextlib import suppress
import json
import math
import os
from pathlib import Path

from leader_election.election.mandates.parameters import (
    DIGEST_BITS,
    Kept,
    MandateTool,
    Memory,
    NO_MARK,
    RosterMark,
)
from leader_election.parameters import ParameterError
from leader_election.parameters.files import expanded
from leader_election.ros.nodes.robot_topics import PartTopics

MOST_BYTES = 1000
MOST_PROMISE = 2.0 * 3600.0
"""No mandate has a longer promise [s]."""
MARK_STEPS = range(2_000_000)
"""Those of the versions that a roster may have."""


class MandateFile(Memory):
    """Keeps the mandates of a robot in one line of JSON."""

    def __init__(self, path: Path) -> None:
        """Read the file. Where it is damaged the robot grants nothing."""
        super().__init__()
        self._path = path
        try:
            with path.open(encoding='ascii') as file:
                self.kept = _kept_in(file.read(MOST_BYTES))
        except FileNotFoundError:
            pass
        except (OSError, ArithmeticError, LookupError, RecursionError, TypeError,
                ValueError) as error:
            self.kept = Kept(math.inf)
            self.fault = (f'grants nothing: {str(path)!r} cannot be read '
                          f'({type(error).__name__}); when no robot has granted for the longest '
                          'mandate, remove it, and start the robot again')

    def write(self) -> None:
        """Write the file as a whole or not at all."""
        new = self._path.with_name(f'.{self._path.name}')
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with new.open('w', encoding='ascii') as file:
                file.write(json.dumps(self.kept._asdict()) + '\n')
                file.flush()
                os.fsync(file.fileno())
            new.replace(self._path)
            self.fault = ''
        except OSError as error:
            effect = ('a restart forgets the promises' if self.kept.taken == NO_MARK else
                      'the robot grants nothing')
            self.fault = (f'roster and promises cannot be kept in {str(self._path)!r} '
                          f'({error.strerror}), and {effect}; let the user of the robot write to '
                          'this folder')
            with suppress(OSError):
                new.unlink()
            return
        # A power failure must not undo the replacement. Some file systems cannot do this.
        with suppress(OSError):
            folder = os.open(self._path.parent, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)


def _kept_in(text: str) -> Kept:
    """
    Return what a file has kept.

    :raises Exception: of several kinds, for a file of another form.
    """
    values = json.loads(text)
    promise = float(values['promise'])
    taken, proven = (RosterMark(*map(int, values[name])) for name in ('taken', 'proven'))
    if not 0.0 <= promise <= MOST_PROMISE or not all(
            mark == NO_MARK or mark.step in MARK_STEPS and mark.digest >> DIGEST_BITS == 0
            for mark in (taken, proven)):
        raise ValueError
    return Kept(promise, taken, proven)


class MandateFiles(PartTopics):
    """The files of one robot, one for each instance."""

    def tool(self, instance: str) -> MandateTool:
        """Return clock and memory of the mandates of an instance."""
        domain = os.environ.get('ROS_DOMAIN_ID') or '0'
        name = f'mandates_{domain}_{self.host.parameters.robot_id}_{instance}.json'
        return MandateTool(self.host.lag, lambda: MandateFile(_folder() / name))


def _folder() -> Path:
    """
    Return the folder of the files.

    :raises ParameterError: if this user has no home.
    """
    try:
        return expanded(os.environ.get('XDG_STATE_HOME') or '~/.local/state') / 'leader_election'
    except ValueError:
        raise ParameterError('quorum', problem=': promises are kept below ~/.local/state, and '
                             'this user has no home; set XDG_STATE_HOME to a folder that stays '
                             'over restarts') from None
