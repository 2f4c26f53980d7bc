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
How summaries combine: a summary is a row of numbers, and a plan says what each part of it is.

A part is one of four kinds, which is all that collecting has to know of it. What an aggregate
means by its numbers is another matter (:mod:`leader_election.coordination.aggregate`).
"""

from collections.abc import Callable, Sequence
import math
from typing import Any, NamedTuple

import numpy as np

ADD, LEAST, RANKED, OWN = range(4)
"""
Kinds of parts. ``ADD``: numbers that add up; they can be split into shares. ``LEAST``: the least
of each number counts; +infinity stands for nothing. ``RANKED``: records ``(key, id, ...)``, those
with the least keys, one an id, in ascending order. ``OWN``: what a user's own function combines.
"""

OWNS: list[Callable[[Sequence[float], Sequence[float]], Sequence[float]]] = []
"""The functions of parts of kind ``OWN``, by their number."""


LARGEST = 1e100
"""No sum is as large: whoever says so is wrong, and does not count."""


class SummaryLayout(NamedTuple):
    """The parts of a summary, in their order."""

    kind: Sequence[int]
    """Shape (parts,)."""
    start: Sequence[int]
    """Where in the row each begins, and where the last ends, shape (parts + 1,)."""
    detail: Sequence[int]
    """``RANKED``: how many numbers a record has, at least 2. ``OWN``: which function."""


def row_of(contribution: Sequence[float]) -> Any:
    """Return the summary of a robot that has only what it offers itself: a row of its own."""
    return np.asarray(contribution, np.float64).copy()


def combine(layout: SummaryLayout, into: Any, other: Sequence[float], share: float) -> None:
    """
    Combine a summary with another, in place.

    What is not finite counts as nothing, so one robot cannot spoil the summary of all.

    :param into: the summary that is changed, a list or an array.
    :param share: the part of the other's ``ADD`` numbers that counts, in [0, 1]. All else counts
        in full, however often: that is what being idempotent is good for.

    Two robots' count, and the least of their temperatures:

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
    Say whether a row adds nothing to any summary.

    Parts of kind ``OWN`` are not looked at: beside them robots count themselves.

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
    Put a record in its place among others, in place, if it is among the first.

    Of two records of one id the lesser stays. Keys are compared first, then ids.

    :param into: the numbers that hold records of a width from ``begin`` to ``end``.
    :param other: the numbers that hold the record, from ``at`` on.

    >>> records = [1.0, 7.0, 3.0, 9.0]
    >>> rank(records, 0, 4, 2, [2.0, 8.0], 0)
    >>> records
    [1.0, 7.0, 2.0, 8.0]
    """
    key, who = other[at], other[at + 1]
    last = end - width
    # The record of the same id makes room, or else the last one.
    for place in range(begin, end, width):
        if into[place] < math.inf and into[place + 1] == who:
            if into[place] <= key:
                return
            last = place
            break
    if into[last] < key or (into[last] == key and into[last + 1] <= who):
        return
    place = last
    while place > begin and (key < into[place - width] or (
            key == into[place - width] and who < into[place - width + 1])):
        for k in range(width):
            into[place + k] = into[place - width + k]
        place -= width
    for k in range(width):
        into[place + k] = other[at + k]


def combine_own(function: int, into: Any, other: Sequence[float], begin: int, end: int) -> None:
    """Combine a part by a user's own function; robots only."""
    into[begin:end] = OWNS[function](tuple(into[begin:end]), tuple(other[begin:end]))
