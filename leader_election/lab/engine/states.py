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
States of devices as rows of one matrix of 64-bit words, the same for every algorithm.

A row holds a whole number (``int64``) or the bits of a ``float64`` in each word, so the engine's
types do not depend on the algorithm, and a message is copied as a stretch of words. The words of
a row are, in this order: scalars that are kept, scalars that are sent, vectors that are sent,
vectors that are kept. So what is sent is one stretch, and scalars have the same places however
long the vectors are.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from leader_election.algorithms import Algorithm
import numpy as np
from numpy.typing import NDArray

ABSENT = -1
"""The place of a field that the algorithm does not have."""


class Places(NamedTuple):
    """Where in a row the engine itself looks: word numbers, ``ABSENT`` where there is no field."""

    width: int
    """Words in a row."""
    sent_from: int
    """The first word that is sent."""
    sent_to: int
    """The word behind the last one that is sent."""
    leader: int
    distance: int
    role: int
    reach: int
    contribution: int
    """Of a vector: its first word."""
    summary: int
    decision: int


@dataclass(frozen=True, eq=False)
class StateLayout:
    """Where in a row the fields of an algorithm's state are."""

    algorithm: Algorithm
    place: tuple[int, ...]
    """The first word of each field, in the order of the state's fields."""
    width: int
    """Words in a row."""
    places: Places

    @property
    def vectors(self) -> NDArray[np.int64]:
        """Return first word and length of each vector, in the order of fields: (vectors, 2)."""
        return np.array([
            (place, len(field.padding)) for field, place in zip(self.algorithm.fields, self.place)
            if field.padding is not None], np.int64).reshape(-1, 2)

    def rows(self, size: int) -> NDArray[np.int64]:
        """Return a matrix of so many rows, all zero, shape (size, width)."""
        return np.zeros((size, self.width), np.int64)

    def columns(self, rows: NDArray[np.int64]) -> Any:
        """
        Return the algorithm's columns, views of the rows: what is written there is in the rows.

        :return: ``algorithm.columns``; a scalar's has shape (size,), a vector's (size, length).
        """
        numbers = rows.view(np.float64)

        def column(field: Any, place: int) -> NDArray[Any]:
            words: NDArray[Any] = rows if field.type is int else numbers
            return (words[:, place] if field.padding is None
                    else words[:, place:place + len(field.padding)])
        return self.algorithm.columns(*map(column, self.algorithm.fields, self.place))

    def state(self, rows: NDArray[np.int64], i: int) -> Any:
        """Return the state in row i as a robot has it, in plain Python."""
        words: dict[type, list[Any]] = {
            int: rows[i].tolist(), float: rows[i].view(np.float64).tolist()}
        return self.algorithm.state(*(
            words[field.type][place] if field.padding is None
            else tuple(words[field.type][place:place + len(field.padding)])
            for field, place in zip(self.algorithm.fields, self.place)))


@lru_cache(maxsize=64)
def state_layout(algorithm: Algorithm) -> StateLayout:
    """Return where in a row the fields of an algorithm's state are."""
    fields = algorithm.fields

    def group(field: Any) -> int:
        return (1 if field.padding is None else 2) if not field.kept else \
            (0 if field.padding is None else 3)
    order = sorted(range(len(fields)), key=lambda k: group(fields[k]))
    place, at = [0] * len(fields), 0
    sent = []
    for k in order:
        blank = fields[k].padding
        size = 1 if blank is None else len(blank)
        place[k] = at
        if not fields[k].kept:
            sent += [at, at + size]
        at += size
    by_name = {field.name: first for field, first in zip(fields, place)}
    places = Places(at, min(sent), max(sent), *(
        by_name.get(name, ABSENT) for name in Places._fields[3:]))
    return StateLayout(algorithm, tuple(place), at, places)
