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
The names of what a run measures, and the layout of states.

States are rows of a matrix of 64-bit words, for every algorithm. A word is an ``int64`` or
the bits of a ``float64``. So the types of the engine do not depend on the algorithm.

A row has its fields in this order: scalars that are not sent, scalars that are sent, vectors that
are sent, vectors that are not sent. So the fields that are sent are contiguous, and the offsets of
scalars do not depend on the lengths of vectors.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from leader_election.election.algorithms import Algorithm
import numpy as np
from numpy.typing import NDArray

COUNTERS = ('rounds', 'moves', 'sent', 'duplicated', 'lost', 'delivered', 'overwritten',
            'expired', 'departed', 'undelivered', 'rebuilt', 'out_of_levels')
"""
The names of the counters. A message counts once for each receiver in range when it is sent.

``out_of_levels``: rounds that ended at the last level of a recursive election.
"""
ROUNDS, MOVES, SENT, DUPLICATED, LOST, DELIVERED, OVERWRITTEN, EXPIRED, DEPARTED, UNDELIVERED, \
    REBUILT, OUT_OF_LEVELS = range(len(COUNTERS))

MEASURES = ('instability', 'changes', 'leaders', 'named', 'correct', 'spurious',
            'mean_size', 'largest_size', 'mean_radius', 'largest_radius', 'running')
"""The measures of elections, the first columns of a sample."""
REGION_MEASURES = ('counted', 'present', 'informed', 'agreeing', 'load_mean', 'load_sigma',
                   'mean_reach')
"""The measures of regions, the next columns of a sample: nan without regions. ``counted``,
``present`` and the measures of loads are also nan if the collected values are not sums."""
COUNTED, PRESENT, INFORMED, AGREEING, LOAD_MEAN, LOAD_SIGMA, MEAN_REACH = range(
    len(MEASURES), len(MEASURES) + len(REGION_MEASURES))
"""The column of each measure of regions."""
COLUMNS = MEASURES + REGION_MEASURES
DEVICE_MEASURES = ('uptime', 'tenure', 'membership', 'leader_distance', 'last_leader')
"""The measures of each device over a whole run."""


LINE = 64
"""The length of a line of a processor's cache [bytes]."""


def aligned(size: int, width: int) -> NDArray[np.int64]:
    """Return a matrix, all zero, that begins with a line of the processor's cache."""
    # numpy begins an array anywhere in a line.
    memory = np.zeros(size * width + LINE // 8, np.int64)
    begin = -memory.ctypes.data % LINE // 8
    return memory[begin:begin + size * width].reshape(size, width)


ABSENT = -1
"""The offset of a field that the algorithm does not have."""


class WordOffsets(NamedTuple):
    """The offsets of the fields that the engine reads [words], ``ABSENT`` without such a field."""

    width: int
    sent_from: int
    """The first word that is sent."""
    sent_to: int
    """The word after the last one that is sent."""
    leader: int
    distance: int
    role: int
    reach: int
    contribution: int
    """A vector, as the two below: the offset of its first word."""
    summary: int
    decision: int


@dataclass(frozen=True, eq=False)
class StateLayout:
    """The offsets of the fields of an algorithm's state in a row."""

    algorithm: Algorithm
    offset: tuple[int, ...]
    """The first word of each field, in the order of the state's fields."""
    width: int
    offsets: WordOffsets

    @property
    def vectors(self) -> NDArray[np.int64]:
        """Return first word and length of each vector, in the order of fields: (vectors, 2)."""
        fields = zip(self.algorithm.fields, self.offset)
        return np.array([
            (offset, len(field.padding)) for field, offset in fields
            if field.padding is not None], np.int64).reshape(-1, 2)

    def rows(self, size: int) -> NDArray[np.int64]:
        """Return a matrix of ``size`` rows, all zero, shape (size, width)."""
        return aligned(size, self.width)

    def columns(self, rows: NDArray[np.int64]) -> Any:
        """
        Return the algorithm's columns, which are views of the rows.

        :return: ``algorithm.columns``. A scalar's has shape (size,), a vector's (size, length).
        """
        numbers = rows.view(np.float64)
        return self.algorithm.columns(*(
            (rows if field.type is int else numbers)[
                :, offset if field.padding is None else slice(offset, offset + len(field.padding))]
            for field, offset in zip(self.algorithm.fields, self.offset)))

    def states(self, rows: NDArray[np.int64]) -> list[Any]:
        """Return the states in rows as the named tuples that robots use, in plain Python."""
        columns = (column.tolist() if column.ndim == 1 else list(map(tuple, column.tolist()))
                   for column in self.columns(rows))
        return list(map(self.algorithm.state, *columns))

    def state(self, rows: NDArray[np.int64], i: int) -> Any:
        """Return the state in row i as the named tuple that robots use, in plain Python."""
        return self.states(rows[i:i + 1])[0]


@lru_cache(maxsize=64)
def state_layout(algorithm: Algorithm) -> StateLayout:
    """Return the layout of an algorithm's state."""
    fields = algorithm.fields

    def group(field: Any) -> int:
        return (1 if field.padding is None else 2) if not field.kept else \
            (0 if field.padding is None else 3)
    order = sorted(range(len(fields)), key=lambda k: group(fields[k]))
    offset, at = [0] * len(fields), 0
    sent = []
    for k in order:
        blank = fields[k].padding
        size = 1 if blank is None else len(blank)
        offset[k] = at
        if not fields[k].kept:
            sent += [at, at + size]
        at += size
    by_name = {field.name: first for field, first in zip(fields, offset)}
    offsets = WordOffsets(at, min(sent), max(sent), *(
        by_name.get(name, ABSENT) for name in WordOffsets._fields[3:]))
    return StateLayout(algorithm, tuple(offset), at, offsets)
