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
Messages: where copies of them are kept, and what becomes of one.

What a device sent last is read from its own row, as long as its receivers have heard nothing
older. A message is copied into the pool only if it outlives that: it was sent before one that is
lost, or before the sender's state is changed from outside, or it is in flight.
"""

from typing import Any, NamedTuple

from leader_election.lab.engine.compilation import inlined
from leader_election.lab.engine.links import find, FRESH, HELD, NONE, OLDER, TOLD
from leader_election.lab.engine.samples import (
    DELIVERED,
    DUPLICATED,
    LOST,
    OVERWRITTEN,
    UNDELIVERED,
)
import numpy as np
from numpy.typing import NDArray


class Pool(NamedTuple):
    """Copies of exports, each taken by one slot of a link."""

    exports: NDArray[np.int64]
    """Rows as of the devices' own, shape (capacity, width)."""
    time: NDArray[np.float64]
    """When the message arrives, or arrived [s], shape (capacity,)."""
    next: NDArray[np.int32]  # noqa: A003
    """The next message in flight on the same link, shape (capacity,)."""
    free: NDArray[np.int32]
    """Those that nobody has taken, a stack, shape (capacity,)."""
    top: NDArray[np.int64]
    """How many are free, shape (1,)."""


def pool(exports: NDArray[np.int64]) -> Pool:
    """Return a pool in which all is free, with room for as many exports as there are rows."""
    size = len(exports)
    return Pool(exports, np.zeros(size), np.full(size, NONE, np.int32),
                np.arange(size, dtype=np.int32), np.array([size]))


def larger_pool(pool: Pool, times: int) -> Pool:
    """Return the same pool with so many times the room."""
    size = len(pool.time)
    more = (times - 1) * size

    def longer(array: NDArray[Any]) -> NDArray[Any]:
        return np.concatenate(times * [array])
    free = np.concatenate([
        pool.free[:pool.top[0]], np.arange(size, size + more), np.zeros(size - pool.top[0])])
    return Pool(longer(pool.exports), longer(pool.time), longer(pool.next),
                free.astype(np.int32), pool.top + more)


@inlined
def take(pool):
    """Return a free place; the caller has seen to it that there is one."""
    pool.top[0] -= 1
    place = pool.free[pool.top[0]]
    pool.next[place] = NONE
    return place


@inlined
def give_back(pool, place):
    """Make a place free again."""
    pool.free[pool.top[0]] = place
    pool.top[0] += 1


@inlined
def copy(places, source, i, target, place):
    """Copy what is sent of row i of some rows to a row of others."""
    for q in range(places.sent_from, places.sent_to):
        target[place, q] = source[i, q]


@inlined
def clear(links, pool, i, slot):
    """Empty device i's mailbox in a slot."""
    flags = links.flags[slot]
    if flags & FRESH:
        back = find(links, links.neighbour[slot], i)
        links.flags[back] &= ~TOLD
    elif flags & OLDER:
        give_back(pool, links.box[slot])
    links.flags[slot] = flags & ~HELD


@inlined
def renew(links, pool, i, slot):
    """
    Let the neighbour in a slot hear what device i is about to send, out of the device's row.

    :return: whether the neighbour's mailbox was empty.
    """
    flags = links.flags[slot]
    if flags & TOLD:
        return False
    back = find(links, links.neighbour[slot], i)
    before = links.flags[back]
    if before & OLDER:
        give_back(pool, links.box[back])
    links.flags[back] = before & ~HELD | FRESH
    links.flags[slot] = flags | TOLD
    return before & HELD == 0


@inlined
def keep(links, pool, places, exports, sent, i, slot, back):
    """
    Let a neighbour keep what device i sent it before the message that it misses.

    :param slot: the neighbour's in the device's row; ``back``: the device's in the neighbour's.
    """
    place = take(pool)
    copy(places, exports, i, pool.exports, place)
    pool.time[place] = sent
    links.box[back] = place
    links.flags[back] = links.flags[back] & ~HELD | OLDER
    links.flags[slot] &= ~TOLD


@inlined
def part(links, pool, places, exports, sent, i, slot):
    """Empty device i's mailbox in a slot, and let the neighbour keep what it has of device i."""
    flags = links.flags[slot]
    if flags & (FRESH | TOLD):
        back = find(links, links.neighbour[slot], i)
        if flags & FRESH:
            links.flags[back] &= ~TOLD
        if flags & TOLD:
            keep(links, pool, places, exports, sent, i, slot, back)
    if flags & OLDER:
        give_back(pool, links.box[slot])
    links.flags[slot] = 0


@inlined
def send(links, pool, medium, counts, random, places, exports, i, slot, now):
    """Send what device i exports to a mailbox, on a way that takes time."""
    if medium.loss > 0.0 and random.random() < medium.loss:
        counts[LOST] += 1
        return
    spread = medium.delay_most - medium.delay_least
    copies = 1
    if medium.duplication > 0.0 and random.random() < medium.duplication:
        counts[DUPLICATED] += 1
        copies = 2
    for _ in range(copies):
        place = take(pool)
        copy(places, exports, i, pool.exports, place)
        pool.time[place] = now + medium.delay_least + spread * random.random()
        last = links.flight[slot, 1]
        if last == NONE:
            links.flight[slot, 0] = place
        else:
            # The order of a pair's messages is kept.
            pool.time[place] = max(pool.time[place], pool.time[last])
            pool.next[last] = place
        links.flight[slot, 1] = place


@inlined
def arrive(links, pool, counts, slot, now):
    """Put what has arrived into a mailbox."""
    while links.flight[slot, 0] != NONE:
        place = links.flight[slot, 0]
        if pool.time[place] > now:
            return
        links.flight[slot, 0] = pool.next[place]
        if pool.next[place] == NONE:
            links.flight[slot, 1] = NONE
        counts[DELIVERED] += 1
        # Where messages take time, no mailbox is FRESH.
        if links.flags[slot] & OLDER:
            counts[OVERWRITTEN] += 1
            give_back(pool, links.box[slot])
        links.flags[slot] |= OLDER
        links.box[slot] = place


@inlined
def drop(links, pool, counts, slot):
    """Let what is on its way to a mailbox get nowhere."""
    while links.flight[slot, 0] != NONE:
        place = links.flight[slot, 0]
        links.flight[slot, 0] = pool.next[place]
        counts[UNDELIVERED] += 1
        give_back(pool, place)
    links.flight[slot, 1] = NONE
