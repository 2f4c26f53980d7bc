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
Links that change over time, by a contact trace.

A contact trace is a CSV file with the columns ``t,a,b,up``, in the order of time. From time t [s]
on, the devices a and b are linked (up 1) or not (0). Before its first row a pair has no link.
Devices are the numbers that occur in the trace, in their order. A device joins with its first
link. It leaves with its last one, unless that lasts to the end of the trace.

Two further formats are traces, too. The content decides.

- A report of connections by the ONE simulator (A. Keränen, J. Ott, T. Kärkkäinen, SIMUTools 2009):
  ``t CONN a b up``, or ``down``, between spaces.
- Contacts of SocioPatterns (C. Cattuto et al., PLoS ONE 5, 2010): ``t a b`` between spaces or
  tabs, and possibly two more words. The devices are linked for the 20 s before t. The first
  contact begins at time 0.

The column ``loss`` is optional. It is the part of the messages from a to b that is lost from then
on. At first it is 0, and an empty entry keeps the previous value. A link in one direction has loss
1 in the other.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from leader_election.parameters import parameter, ParameterError
from leader_election.parameters.files import read_text, shortened, words_of
from leader_election.simulation.robot_logs import check_steps, read_number, read_table, Table
import numpy as np
from numpy.typing import NDArray

COLUMNS = ('t', 'a', 'b', 'up')
LOSS = 'loss'
SAMPLE = 'ferry'
"""The name of the trace in the package. Device 12 carries messages between two rings of six, and
stays with each for twenty of sixty seconds."""
INTERVAL = 20.0
"""The length of the intervals of SocioPatterns [s]."""
LONGEST_STEP = 1e8
"""The longest time between two rows [s]."""
GREATEST = 2**53
"""The greatest number of a device in a trace."""


class Contacts(NamedTuple):
    """The changes of links, in the order of time."""

    pairs: NDArray[np.int32]
    """All pairs that are ever linked, shape (m, 2)."""
    time: NDArray[np.float64]
    """The time of each change [s], shape (changes,)."""
    pair: NDArray[np.int64]
    """Its pair, by index."""
    up: NDArray[np.bool_]
    """Whether the pair is linked from then on."""
    loss: NDArray[np.float64] = np.zeros((0, 2))
    """The part of messages lost from then on, from the first to the second of the pair, and back,
    shape (changes, 2). nan keeps the loss before. (0, 2) if no link has a loss of its own."""

    def presence(self) -> NDArray[np.float64]:
        """Return the times at which each device joins and leaves [s], inf for never: (n, 2)."""
        ends = self.pairs[self.pair]
        joins, leaves = np.full((2, int(self.pairs.max()) + 1), [[np.inf], [-np.inf]])
        np.minimum.at(joins, ends[self.up], self.time[self.up, np.newaxis])
        np.maximum.at(leaves, ends, self.time[:, np.newaxis])
        linked = np.zeros(len(self.pairs), bool)
        linked[self.pair] = self.up
        leaves[self.pairs[linked]] = np.inf
        leaves[leaves >= self.time[-1]] = np.inf
        return np.column_stack((joins, leaves))

    def at(self, time: float) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """Return the pairs that are linked from a time on, shape (k, 2), and their losses."""
        linked, lost = np.zeros(len(self.pairs), bool), np.zeros((len(self.pairs), 2))
        passed = int(np.searchsorted(self.time, time, side='right'))
        linked[self.pair[:passed]] = self.up[:passed]
        change, way = np.nonzero(~np.isnan(self.loss[:passed]))
        lost[self.pair[change], way] = self.loss[change, way]
        return self.pairs[linked], lost[linked] if len(self.loss) > 0 else self.loss


@dataclass(frozen=True)
class ContactsParameters:
    """A trace of contacts."""

    path: str = parameter(
        SAMPLE, 'A CSV file with the columns t,a,b,up and optionally loss, a report of '
        'connections by the ONE simulator, contacts of SocioPatterns, or ferry, the trace in the '
        'package.', empty=False)


def read(parameters: ContactsParameters) -> tuple[Contacts, NDArray[np.float64]]:
    """Return the contacts of a trace, and places of the devices on a circle [m], shape (n, 2)."""
    contacts = read_trace(Path(__file__).with_name(f'{SAMPLE}.csv')
                          if parameters.path == SAMPLE else Path(parameters.path))
    count = int(contacts.pairs.max()) + 1
    angle = 2.0 * np.pi * np.arange(count) / count
    return contacts, count / (2.0 * np.pi) * np.column_stack((np.cos(angle), np.sin(angle)))


def read_trace(path: Path) -> Contacts:
    """
    Read a contact trace.

    :raises ParameterError: for a missing column, a value that is not allowed, an unreadable file.
    """
    try:
        rows = list(words_of(read_text(path)))
        found = read_connections(rows) or read_intervals(rows)
    except ValueError as error:
        raise ParameterError(f'log {path}: {error}') from None
    table, lines = found or read_table(path, (*COLUMNS, LOSS), may_lack=(LOSS,))
    if not lines:
        raise ParameterError(f'log {path}: line 2: no rows')
    last = 0.0
    for (t, a, b, up, loss), line in zip(table.tolist(), lines):
        for wrong, problem in (
                (t < last, f't is {t:.12g}; it takes at least {last:.12g}'),
                (not all(x.is_integer() and 0 <= x <= GREATEST for x in (a, b)) or a == b,
                 f'a, b are {a:g}, {b:g}; they take two whole numbers from 0 on'),
                (up not in (0.0, 1.0), f'up is {up:g}; it takes 0 or 1'),
                (loss < 0.0 or loss > 1.0, f'loss is {loss:g}; it takes 0 to 1')):
            if wrong:
                raise ParameterError(f'log {path}: line {line}: {problem}')
        last = t
    check_steps(path, table[:, 0], lines, longest=LONGEST_STEP, usual=LONGEST_STEP)
    numbers, ends = np.unique(table[:, 1:3], return_inverse=True)
    ends, loss = ends.reshape(-1, 2).astype(np.int32), table[:, 4:]
    contacts = changes(table[:, 0], np.sort(ends, axis=1), table[:, 3] > 0.0)
    if np.isnan(loss).all():
        return contacts
    # Of a pair, the first one is that with the lower number.
    return contacts._replace(
        loss=np.where((ends[:, :1] < ends[:, 1:]) == [True, False], loss, np.nan))


Rows = Sequence[tuple[int, list[str]]]
"""The number and the words of each line."""


def read_connections(rows: Rows) -> Table | None:
    """
    Read a report of connections by the ONE simulator.

    :return: the columns of a trace, or ``None`` for a file of another format.
    :raises ValueError: for a line of another form.
    """
    if not rows or rows[0][1][1:2] != ['CONN']:
        return None
    table = []
    for line, words in rows:
        if len(words) != 5 or words[1] != 'CONN' or words[4] not in ('up', 'down'):
            raise ValueError(f'line {line}: it takes t CONN a b up, or down: '
                             f'{shortened(" ".join(words))!r}')
        table.append([*(read_number(name, word, False, line) for name, word in zip(
            COLUMNS, (words[0], *words[2:4]))), words[4] == 'up', np.nan])
    return Table(np.array(table), [line for line, _ in rows])


def read_intervals(rows: Rows) -> Table | None:
    """
    Read contacts of SocioPatterns.

    :return: the columns of a trace, or ``None`` for a file of another format.
    :raises ValueError: for a line of another form.
    """
    seen: dict[tuple[float, ...], int] = {}
    for line, words in rows:
        if len(words) not in (3, 5) or any(',' in word for word in words):
            if not seen:
                return None
            raise ValueError(f'line {line}: it takes t a b: {shortened(" ".join(words))!r}')
        t, a, b = (read_number(name, word, False, line) for name, word in zip(COLUMNS, words[:3]))
        seen.setdefault((min(a, b), max(a, b), t), line)
    if not seen:
        return None
    begin = min(t for *_, t in seen) - INTERVAL
    # Intervals that follow each other are one link.
    changes = sorted([(t - INTERVAL - begin, line, a, b, 1.0) for (a, b, t), line in seen.items()
                      if (a, b, t - INTERVAL) not in seen]
                     + [(t - begin, line, a, b, 0.0) for (a, b, t), line in seen.items()
                        if (a, b, t + INTERVAL) not in seen])
    return Table(np.array([[t, a, b, up, np.nan] for t, _, a, b, up in changes]),
                 [line for _, line, *_ in changes])


def check_begin(parameters: ContactsParameters, duration: float) -> None:
    """
    Check that a contact of a trace begins within a run.

    :param duration: of the run [s].
    :raises ParameterError: if none does.
    """
    contacts, _ = read(parameters)
    if not contacts.up.any():
        raise ParameterError('path', problem=f': {parameters.path}: no contact begins: no row has '
                             'up 1')
    first = float(np.min(contacts.time[contacts.up]))
    if first >= duration:
        raise ParameterError('path', problem=f': {parameters.path}: no contact begins within the '
                             f'run: the first one begins at {first:.10g} s, and the run ends at '
                             f'{duration:g} s')


def changes(time: NDArray[np.float64], ends: NDArray[np.int32],
            up: NDArray[np.bool_]) -> Contacts:
    """Return contacts by the time, both ends and the new state of each change."""
    pairs, pair = np.unique(ends, axis=0, return_inverse=True)
    return Contacts(pairs.astype(np.int32), time, pair.ravel().astype(np.int64), up)
