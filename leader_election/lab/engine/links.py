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
Links: who may hear whom, and what lies in each mailbox.

A directed link has a slot in the row of its receiver; its mirror is the slot of the way back.
Rows hold all devices that can come into range before the rows are made anew, by a grid of cells
(P. Allen, D. Tildesley, "Computer Simulation of Liquids", 5.3: neighbour lists and cells).
"""

from typing import Any, NamedTuple

from leader_election.lab.engine.compilation import jit
import numpy as np
from numpy.typing import NDArray

EMPTY = -1
"""A mailbox that holds nothing of this sender."""
FRESH = -2
"""A mailbox that holds what the sender sent last: it is read from the sender's own export."""
NONE = -1
"""No message in flight."""


class Links(NamedTuple):
    """
    The slots of all links; a row's are ``start[i]`` to ``start[i + 1]``.

    Numbers of devices and slots are unsigned: a signed index is checked for being negative.
    """

    start: NDArray[np.int64]
    """Shape (n + 1,)."""
    neighbour: NDArray[np.uint32]
    """The sender, shape (capacity,)."""
    mirror: NDArray[np.uint32]
    """The slot in the sender's row that belongs to the receiver, shape (capacity,)."""
    box: NDArray[np.int32]
    """``EMPTY``, ``FRESH``, or where in the pool an older message lies, shape (capacity,)."""
    told: NDArray[np.bool_]
    """Whether the sender's mailbox of the receiver is ``FRESH``, shape (capacity,)."""
    flight: NDArray[np.int32]
    """First and last message in flight, in the pool, shape (capacity, 2), or (0, 2) if none."""


def links(devices: int, capacity: int, flights: bool) -> Links:
    """Return links with nobody in range, with room for so many slots and one that is nobody's."""
    capacity += 1
    return Links(
        np.zeros(devices + 1, np.int64), np.zeros(capacity, np.uint32),
        np.zeros(capacity, np.uint32), np.full(capacity, EMPTY, np.int32),
        np.zeros(capacity, np.bool_),
        np.full((capacity if flights else 0, 2), NONE, np.int32))


def larger_links(links: Links, times: int) -> Links:
    """Return the same links with so many times the room."""
    def longer(array: NDArray[Any]) -> NDArray[Any]:
        return np.concatenate(times * [array])
    return Links(links.start, *map(longer, links[1:]))


@jit
def pairs_within(position, present, group, among, reach, first, second):
    """
    Write all pairs of present devices of one group at most ``reach`` apart; return how many.

    Pairs of which neither is ``among`` are left out.

    Where there are more than there is room for, the number is right and the rest is not written.

    :param position: shape (n, 2).
    :param first: one of each pair, and ``second`` the other, shape (room,).
    """
    # Cells lie side by side along y, here u, as devices are stored.
    n = len(position)
    here = np.empty(n, np.int64)
    count = 0
    low_u, low_v, high_u, high_v = np.inf, np.inf, -np.inf, -np.inf
    for i in range(n):
        if present[i]:
            here[count] = i
            count += 1
            low_u, high_u = min(low_u, position[i, 1]), max(high_u, position[i, 1])
            low_v, high_v = min(low_v, position[i, 0]), max(high_v, position[i, 0])
    if count == 0:
        return 0
    # Cells a hair larger than the reach, or rounding puts two who just reach each other two cells
    # apart; and no more of them than a few a device.
    least = reach * (1.0 + 1e-9)
    most = int(np.sqrt(4.0 * count)) + 1
    columns = int(max(1.0, min(float(most), np.floor((high_u - low_u) / least))))
    rows = int(max(1.0, min(float(most), np.floor((high_v - low_v) / least))))
    wide = max((high_u - low_u) / columns, least)
    high = max((high_v - low_v) / rows, least)
    cell = np.empty(count, np.int64)
    begin = np.zeros(columns * rows + 1, np.int64)
    for p in range(count):
        i = here[p]
        column = min(int((position[i, 1] - low_u) / wide), columns - 1)
        cell[p] = min(int((position[i, 0] - low_v) / high), rows - 1) * columns + column
        begin[cell[p] + 1] += 1
    for c in range(columns * rows):
        begin[c + 1] += begin[c]
    fill = np.empty_like(begin)
    for c in range(len(begin)):
        fill[c] = begin[c]
    device = np.empty(count, np.int64)
    u, v = np.empty(count), np.empty(count)
    for p in range(count):
        spot = fill[cell[p]]
        fill[cell[p]] += 1
        device[spot] = here[p]
        u[spot], v[spot] = position[here[p], 1], position[here[p], 0]
    found = 0
    square = reach * reach
    for c in range(columns * rows):
        column = c % columns
        # Half of the cells around, each pair once: the rest of the own cell and the one to
        # the right lie side by side, and so do the three of the row above.
        right = begin[min(c + 1, c - column + columns - 1) + 1]
        above = c + columns
        if above < columns * rows:
            low, top = begin[above - (column > 0)], begin[above + (column < columns - 1) + 1]
        else:
            low, top = 0, 0
        for p in range(begin[c], begin[c + 1]):
            for span in range(2):
                for q in range(p + 1 if span == 0 else low, right if span == 0 else top):
                    du, dv = u[p] - u[q], v[p] - v[q]
                    if du * du + dv * dv <= square:
                        i, j = device[p], device[q]
                        if group[i] == group[j] and (among[i] or among[j]):
                            if found < len(first):
                                first[found], second[found] = i, j
                            found += 1
    return found


@jit
def count_pairs(first, second, count, degree):
    """Write how many of the pairs each device is in; return the most."""
    for i in range(len(degree)):
        degree[i] = 0
    for p in range(count):
        degree[first[p]] += 1
        degree[second[p]] += 1
    longest = 0
    for i in range(len(degree)):
        longest = max(longest, degree[i])
    return longest


@jit
def relink(links, first, second, count, degree, spare):
    """
    Make the rows anew out of pairs; what mailboxes hold stays where the link stays.

    :param degree: how many of the pairs each device is in, written over.
    :param spare: links of the same capacity. Becomes the old ones, where mailboxes of links that
        are gone still hold what they held; all others are ``EMPTY``.
    """
    n = len(links.start) - 1
    old = links.start[n]
    flights = len(links.flight) > 0
    # Entry by entry: to assign slices takes numba several seconds to compile.
    for k in range(old):
        spare.neighbour[k] = links.neighbour[k]
        spare.box[k], spare.told[k] = links.box[k], links.told[k]
        if flights:
            spare.flight[k, 0], spare.flight[k, 1] = links.flight[k, 0], links.flight[k, 1]
    for i in range(n + 1):
        spare.start[i] = links.start[i]
    for i in range(n):
        links.start[i + 1] = links.start[i] + degree[i]
        degree[i] = links.start[i]
    for p in range(count):
        i, j = first[p], second[p]
        a, b = degree[i], degree[j]
        degree[i], degree[j] = a + 1, b + 1
        links.neighbour[a], links.mirror[a] = j, b
        links.neighbour[b], links.mirror[b] = i, a
    # Where there was no link, what is found lies in the slot behind the last, which holds nothing.
    nothing = old
    spare.box[nothing], spare.told[nothing] = EMPTY, False
    if flights:
        spare.flight[nothing, 0] = spare.flight[nothing, 1] = NONE
    slot = np.full(n, nothing, np.int32)
    for i in range(n):
        for k in range(spare.start[i], spare.start[i + 1]):
            slot[spare.neighbour[k]] = k
        for k in range(links.start[i], links.start[i + 1]):
            before = slot[links.neighbour[k]]
            links.box[k], links.told[k] = spare.box[before], spare.told[before]
            spare.box[before] = EMPTY
            if flights:
                for end in range(2):
                    links.flight[k, end] = spare.flight[before, end]
                    spare.flight[before, end] = NONE
        for k in range(spare.start[i], spare.start[i + 1]):
            slot[spare.neighbour[k]] = nothing
