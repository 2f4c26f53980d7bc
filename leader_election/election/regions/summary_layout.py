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
The layout of a summary: its parts, and how they combine.

A summary is a row of numbers. Each part has one of four kinds, and collection depends on the kind
only. The aggregate defines the meaning of the numbers
(:mod:`leader_election.election.regions.aggregate`).
"""

from collections.abc import Callable, Sequence
import math
from typing import Any, NamedTuple

import numpy as np

ADD, LEAST, RANKED, OWN = range(4)
"""
Kinds of parts of a summary. ``ADD``: sums, which can be split into shares. ``LEAST``: minima;
+infinity stands for nothing. ``RANKED``: the records ``(key, id, ...)`` with the least keys, one
per id, in ascending order. ``OWN``: combined by a user's own function.
"""

OWNS: list[Callable[[Sequence[float], Sequence[float]], Sequence[float]]] = []
"""The functions that combine parts of kind ``OWN``, by number."""


LARGEST = 1e100
"""The limit of a sum: larger numbers are faults and do not count."""


class SummaryLayout(NamedTuple):
    """The parts of a summary, in their order."""

    kind: Sequence[int]
    """Shape (parts,)."""
    start: Sequence[int]
    """The place where each part begins, and where the last ends, shape (parts + 1,)."""
    detail: Sequence[int]
    """``RANKED``: the size of a record, at least 2. ``OWN``: the number of the function."""


def row_of(contribution: Sequence[float]) -> Any:
    """Return the summary of one robot alone: a copy of its contribution."""
    return np.asarray(contribution, np.float64).copy()


def combine(layout: SummaryLayout, into: Any, other: Sequence[float], share: float) -> None:
    """
    Combine a summary with another, in place.

    Numbers that are not finite are ignored, so that one robot cannot corrupt the summary.

    :param into: the summary that is changed, a list or an array.
    :param other: the summary that is added.
    :param share: the part of the other's ``ADD`` numbers that counts, in [0, 1]. All other parts
        count in full. They are idempotent, so they may be received several times.

    The count of two robots, and the minimum of their temperatures:

    >>> into = [1.0, 21.5]
    >>> combine(SummaryLayout([ADD, LEAST], [0, 1, 2], [0, 0]), into, [1.0, 19.0], 1.0)
    >>> into
    [2.0, 19.0]
    """
    for part in range(len(layout.kind)):
        begin, end = layout.start[part], layout.start[part + 1]
        if layout.kind[part] == ADD:
            for k in range(begin, end):
                if -LARGEST < other[k] < LARGEST:
                    into[k] += share * other[k]
        elif layout.kind[part] == LEAST:
            for k in range(begin, end):
                if -math.inf < other[k] < into[k]:
                    into[k] = other[k]
        elif layout.kind[part] == RANKED:
            width = layout.detail[part]
            for at in range(begin, end, width):
                if math.isfinite(other[at]) and math.isfinite(other[at + 1]):
                    rank(into, begin, end, width, other, at)
        else:
            combine_own(layout.detail[part], into, other, begin, end)


def contributes_nothing(layout: SummaryLayout, row: Sequence[float]) -> bool:
    """
    Return whether a row adds nothing to any summary.

    Parts of kind ``OWN`` are not checked: beside them, robots always count themselves.

    >>> layout = SummaryLayout([ADD, LEAST], [0, 1, 2], [0, 0])
    >>> contributes_nothing(layout, [0.0, math.inf]), contributes_nothing(layout, [0.0, 19.0])
    (True, False)
    """
    for part in range(len(layout.kind)):
        none = 0.0 if layout.kind[part] == ADD else math.inf
        if layout.kind[part] != OWN:
            for k in range(layout.start[part], layout.start[part + 1]):
                if row[k] != none:
                    return False
    return True


def rank(into: Any, begin: int, end: int, width: int, other: Any, at: int) -> None:
    """
    Insert a record among sorted records, in place, if it is among the first.

    Of two records with the same id the smaller one stays. Keys are compared first, then ids.

    :param into: the row with the records, each of size ``width``, from ``begin`` to ``end``.
    :param other: the row with the new record, from ``at`` on.

    >>> records = [1.0, 7.0, 3.0, 9.0]
    >>> rank(records, 0, 4, 2, [2.0, 8.0], 0)
    >>> records
    [1.0, 7.0, 2.0, 8.0]
    """
    key, robot_id = other[at], other[at + 1]
    last = end - width
    # The new record replaces the record of the same id, or else the last one.
    for place in range(begin, end, width):
        if into[place] < math.inf and into[place + 1] == robot_id:
            if into[place] <= key:
                return
            last = place
            break
    if into[last] < key or (into[last] == key and into[last + 1] <= robot_id):
        return
    place = last
    while place > begin and (key < into[place - width] or (
            key == into[place - width] and robot_id < into[place - width + 1])):
        for k in range(width):
            into[place + k] = into[place - width + k]
        place -= width
    for k in range(width):
        into[place + k] = other[at + k]


def combine_own(function: int, into: Any, other: Sequence[float], begin: int, end: int) -> None:
    """Combine a part with a user's own function, on robots only, never compiled."""
    into[begin:end] = OWNS[function](tuple(into[begin:end]), tuple(other[begin:end]))
