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

"""Who can come into whose range: rows of links, and what the mailboxes of links hold."""

from typing import NamedTuple

from leader_election.lab.engine.compilation import inlined, jit
from leader_election.lab.engine.lanes import first_lanes, has, LANES, lanes, lowest
import numpy as np
from numpy.typing import NDArray

FRESH, OLDER, TOLD = 1, 2, 4
"""The flags of a link: its mailbox holds what the sender sent last, which is read from the
sender's own export; or an older message, of which there is a copy; the neighbour's mailbox of the
device is ``FRESH``."""
HELD = FRESH | OLDER
NONE = -1
"""No message in flight."""


class Links(NamedTuple):
    """
    The slots of all links; a device's are ``row[i, 0]`` to ``row[i, 1]``.

    All rows lie in one half of the room, and are made anew in the other. Numbers of devices are
    unsigned: a signed index is checked for being negative.
    """

    row: NDArray[np.int64]
    """The first slot of each device, and the one behind its last, shape (n, 2)."""
    neighbour: NDArray[np.uint32]
    """The sender, shape (capacity,); any device where a slot is nobody's."""
    flags: NDArray[np.uint8]
    """``FRESH`` or ``OLDER``, or neither where the mailbox is empty; ``TOLD``; (capacity,)."""
    box: NDArray[np.int32]
    """Where in the pool the message lies that is ``OLDER``, shape (capacity,)."""
    flight: NDArray[np.int32]
    """First and last message in flight, in the pool, shape (capacity, 2), or (0, 2) if none."""
    used: NDArray[np.int64]
    """The first slot of all rows, and the one behind their last, shape (2,)."""


def links(devices: int, room: int, flights: bool) -> Links:
    """Return links with nobody in range, with room for so many slots in each half."""
    # Behind these is what is read along with the last slot of all.
    capacity = 2 * room + LANES
    return Links(
        np.zeros((devices, 2), np.int64), np.zeros(capacity, np.uint32),
        np.zeros(capacity, np.uint8), np.zeros(capacity, np.int32),
        np.full((capacity if flights else 0, 2), NONE, np.int32), np.zeros(2, np.int64))


def larger_links(old: Links, times: int) -> Links:
    """Return the same links with so many times the room, at least twice."""
    new = links(len(old.row), times * room_of(old), len(old.flight) > 0)
    # What were two halves is a part of the first one.
    for name in Links._fields:
        target, source = getattr(new, name), getattr(old, name)
        target[:len(source)] = source[:len(target)]
    return new


def slots(links: Links) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the slots of all links, and the receiver of each, row by row."""
    length = links.row[:, 1] - links.row[:, 0]
    receiver = np.repeat(np.arange(len(length)), length)
    before = np.cumsum(length) - length
    return links.row[receiver, 0] + np.arange(len(receiver)) - before[receiver], receiver


@inlined
def find(links, i, sender):
    """Return the slot in device i's row that a sender has; it is there."""
    k = links.row[i, 0]
    found = has(lanes(links.neighbour, k), sender)
    while not found & first_lanes(links.row[i, 1] - k):
        k += LANES
        found = has(lanes(links.neighbour, k), sender)
    return k + lowest(found)


@inlined
def room_of(links):
    """Return for how many slots there is room in each half."""
    return (len(links.neighbour) - LANES) // 2


@inlined
def free(links):
    """Return the first slot of the half of the room in which no row lies."""
    # Rows that were in the second half are in the first one when there is more room.
    room = room_of(links)
    return 0 if links.used[0] >= room else room


@jit
def relink(links, order, begin):
    """
    Take new rows into use; what mailboxes hold stays where the link stays.

    Where a link is gone, the flags of its old slot, and what is in flight there, are left.

    :param order: the device of each new row; all of them.
    :param begin: the first slot of each new row, and the one behind the last.
    """
    flights = len(links.flight) > 0
    # Where there was no link, what is found lies in a slot that is nobody's, which holds nothing.
    nothing = len(links.neighbour) - 1
    slot = np.full(len(order), nothing)
    for p in range(len(order)):
        i = order[p]
        first, last = links.row[i, 0], links.row[i, 1]
        links.row[i, 0], links.row[i, 1] = begin[p], begin[p + 1]
        for k in range(np.uint64(first), np.uint64(last)):
            slot[links.neighbour[k]] = k
        for k in range(np.uint64(begin[p]), np.uint64(begin[p + 1])):
            before = slot[links.neighbour[k]]
            flags = links.flags[before]
            links.flags[k], links.flags[before] = flags, 0
            if flags & OLDER:
                links.box[k] = links.box[before]
            if flights:
                for end in range(2):
                    links.flight[k, end] = links.flight[before, end]
                    links.flight[before, end] = NONE
        for k in range(np.uint64(first), np.uint64(last)):
            slot[links.neighbour[k]] = nothing
    links.used[0], links.used[1] = begin[0], begin[len(order)]
