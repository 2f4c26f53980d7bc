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
Links between devices: neighbour lists, and the mailbox of each link.

The links of a device lie side by side and are called its row. A row lists all devices that can
come into range before the rows are rebuilt, so most of its mailboxes, not all, are of devices in
range.
"""

from typing import NamedTuple

from leader_election.lab.engine.compilation import inlined, jit
from leader_election.lab.engine.lanes import (
    entries_equal,
    first_lanes,
    lowest_lane,
    WIDE,
)
import numpy as np
from numpy.typing import NDArray

FRESH, OLDER, FRESH_AT_NEIGHBOUR = 1, 2, 4
"""
The flags of a link from a sender to a receiver.

``FRESH``: the mailbox holds the sender's latest message, which is read from the sender's own
export. ``OLDER``: it holds an older message, a copy in the pool. ``FRESH_AT_NEIGHBOUR``: the
mailbox of the opposite link is ``FRESH``, that is, the neighbour reads this device's own export.
"""
OCCUPIED = FRESH | OLDER
NONE = -1
"""No message in flight."""
PADDING = WIDE
"""The number of slots after the last row that can be read: vector loads and prefetches do so."""


class Links(NamedTuple):
    """
    All links: structure of arrays with one entry per slot, and the row of slots of each device.

    All rows lie in one half of the slots, and are rebuilt in the other half. Device indices are
    unsigned because numba wraps negative indices, which takes time.
    """

    row: NDArray[np.int64]
    """The first slot of each device and the end of its row, shape (n, 2)."""
    neighbour: NDArray[np.uint32]
    """The sender, shape (capacity,); any device in slots that are not in use."""
    flags: NDArray[np.uint8]
    """``FRESH``, ``OLDER`` or neither (empty mailbox), and ``FRESH_AT_NEIGHBOUR``; (capacity,)."""
    pool_index: NDArray[np.int32]
    """Where in the pool the message lies if it is ``OLDER``, shape (capacity,)."""
    in_flight: NDArray[np.int32]
    """Pool indices of the first and last message in flight, shape (capacity, 2); (0, 2) in
    networks without delays."""
    used: NDArray[np.int64]
    """The first slot of all rows and the end of the last row, shape (2,)."""


def empty_links(devices: int, half: int, flights: bool) -> Links:
    """
    Return links of devices without neighbours.

    :param half: the number of slots in each half.
    :param flights: whether messages can be in flight.
    """
    capacity = 2 * half + PADDING
    return Links(
        np.zeros((devices, 2), np.int64), np.zeros(capacity, np.uint32),
        np.zeros(capacity, np.uint8), np.zeros(capacity, np.int32),
        np.full((capacity if flights else 0, 2), NONE, np.int32), np.zeros(2, np.int64))


def larger_links(old: Links, factor: int) -> Links:
    """Return the same links with ``factor`` times the capacity, at least twice."""
    # A function that is always inlined is not cached: each process would compile it for this call.
    half = half_size.py_func(old)
    new = empty_links(len(old.row), factor * half, len(old.in_flight) > 0)
    # Both old halves fit into the new first half.
    for name in Links._fields:
        target, source = getattr(new, name), getattr(old, name)
        target[:len(source)] = source[:len(target)]
    return new


def slots(links: Links) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the slots of all links, row by row, and the receiver of each."""
    length = links.row[:, 1] - links.row[:, 0]
    receiver = np.repeat(np.arange(len(length)), length)
    before = np.cumsum(length) - length
    return links.row[receiver, 0] + np.arange(len(receiver)) - before[receiver], receiver


@inlined
def find_slot(links, i, sender):
    """Return the slot of a sender in the row of device i, which must contain it."""
    k = links.row[i, 0]
    found = entries_equal(links.neighbour, k, sender)
    while not found & first_lanes(links.row[i, 1] - k, WIDE):
        k += WIDE
        found = entries_equal(links.neighbour, k, sender)
    return k + lowest_lane(found)


@inlined
def half_size(links):
    """Return the number of slots in each half."""
    return (len(links.neighbour) - PADDING) // 2


@inlined
def free_half(links):
    """Return the first slot of the half that contains no rows."""
    # After larger_links, rows of the old second half lie in the new first half.
    half = half_size(links)
    return 0 if links.used[0] >= half else half


@jit
def replace_rows(links, order, begin):
    """
    Start to use new rows; links that are in both the old and new rows keep their mailboxes.

    The flags and messages in flight of links that are only in the old rows stay in the old slots.

    :param order: the device of each new row; every device once.
    :param begin: the first slot of each new row, and the end of the last one.
    """
    flights = len(links.in_flight) > 0
    # The last slot is never in use and holds nothing: the old slot of a link that is new.
    unused = len(links.neighbour) - 1
    # Entries are not cleared: those outside of the present old row are of earlier rows.
    old_slot = np.full(len(order), unused)
    for p in range(len(order)):
        i = order[p]
        first, last = links.row[i, 0], links.row[i, 1]
        links.row[i, 0], links.row[i, 1] = begin[p], begin[p + 1]
        for k in range(np.uint64(first), np.uint64(last)):
            old_slot[links.neighbour[k]] = k
        for k in range(np.uint64(begin[p]), np.uint64(begin[p + 1])):
            before = old_slot[links.neighbour[k]]
            if not first <= before < last:
                before = unused
            flags = links.flags[before]
            links.flags[k], links.flags[before] = flags, 0
            if flags & OLDER:
                links.pool_index[k] = links.pool_index[before]
            if flights:
                for end in range(2):
                    links.in_flight[k, end] = links.in_flight[before, end]
                    links.in_flight[before, end] = NONE
    links.used[0], links.used[1] = begin[0], begin[len(order)]
