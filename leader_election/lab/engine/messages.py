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
Messages: the pool of stored messages, and the life of a message on a link.

The latest message of a device is read from the device's own export, for as long as that is the
message in the receiver's mailbox. A message is copied into the pool only if it must outlive the
export: the next message to the same receiver is lost, the sender's state is changed from outside,
or the message is in flight.
"""

from typing import Any, NamedTuple

from leader_election.lab.columns import DELIVERED, DUPLICATED, LOST, OVERWRITTEN, UNDELIVERED
from leader_election.lab.engine.compilation import inlined, jit
from leader_election.lab.engine.links import (
    find_slot,
    FRESH,
    FRESH_AT_NEIGHBOUR,
    NONE,
    OCCUPIED,
    OLDER,
)
from leader_election.lab.engine.memory import borrow
import numpy as np
from numpy.typing import NDArray


class Pool(NamedTuple):
    """Stored messages, each of one link, and a stack of the free entries."""

    exports: NDArray[np.int64]
    """The stored states, in rows like the devices' own, shape (capacity, width)."""
    time: NDArray[np.float64]
    """When the message arrives, or arrived [s], shape (capacity,)."""
    next: NDArray[np.int32]  # noqa: A003
    """The next message in flight on the same link, shape (capacity,)."""
    free: NDArray[np.int32]
    """The free entries, a stack, shape (capacity,)."""
    top: NDArray[np.int64]
    """The number of free entries, shape (1,)."""


def empty_pool(exports: NDArray[np.int64]) -> Pool:
    """Return a pool without messages, whose capacity is the number of rows of ``exports``."""
    size = len(exports)
    return Pool(exports, np.zeros(size), np.full(size, NONE, np.int32),
                np.arange(size, dtype=np.int32), np.array([size]))


def larger_pool(pool: Pool, factor: int) -> Pool:
    """Return the same pool with ``factor`` times the capacity."""
    size = len(pool.time)
    more = (factor - 1) * size

    def longer(array: NDArray[Any]) -> NDArray[Any]:
        return np.concatenate(factor * [array])
    free = np.concatenate([
        pool.free[:pool.top[0]], np.arange(size, size + more), np.zeros(size - pool.top[0])])
    return Pool(longer(pool.exports), longer(pool.time), longer(pool.next),
                free.astype(np.int32), pool.top + more)


@inlined
def allocate(pool):
    """Take a free entry of the pool; the caller has checked that there is one."""
    pool.top[0] -= 1
    entry = pool.free[pool.top[0]]
    pool.next[entry] = NONE
    return entry


@inlined
def release(pool, entry):
    """Free an entry of the pool."""
    pool.free[pool.top[0]] = entry
    pool.top[0] += 1


@inlined
def copy_sent_fields(offsets, source, i, target, entry):
    """Copy the fields of a state that are sent, from row i of ``source`` to a row of the pool."""
    for q in range(offsets.sent_from, offsets.sent_to):
        target[entry, q] = source[i, q]


@inlined
def empty_mailbox(links, pool, i, slot):
    """Discard the message in a mailbox of device i."""
    flags = links.flags[slot]
    if flags & FRESH:
        opposite = find_slot(links, links.neighbour[slot], i)
        links.flags[opposite] &= ~FRESH_AT_NEIGHBOUR
    elif flags & OLDER:
        release(pool, links.pool_index[slot])
    links.flags[slot] = flags & ~OCCUPIED


@inlined
def deliver(links, pool, i, slot):
    """
    Deliver the message that device i is about to send, without delay, to the neighbour in a slot.

    The neighbour's mailbox becomes ``FRESH``: it reads the message from the export of device i.

    :return: whether the neighbour's mailbox was empty.
    """
    flags = links.flags[slot]
    if flags & FRESH_AT_NEIGHBOUR:
        return False
    opposite = find_slot(links, links.neighbour[slot], i)
    before = links.flags[opposite]
    if before & OLDER:
        release(pool, links.pool_index[opposite])
    links.flags[opposite] = before & ~OCCUPIED | FRESH
    links.flags[slot] = flags | FRESH_AT_NEIGHBOUR
    return before & OCCUPIED == 0


@inlined
def store_sent(links, pool, offsets, exports, sent, i, slot, opposite):
    """
    Store the latest message of device i for a neighbour whose mailbox holds it.

    :param sent: when it was sent [s].
    :param slot: the neighbour's slot in the row of device i.
    :param opposite: the slot of device i in the neighbour's row.
    """
    entry = allocate(pool)
    copy_sent_fields(offsets, exports, i, pool.exports, entry)
    pool.time[entry] = sent
    links.pool_index[opposite] = entry
    links.flags[opposite] = links.flags[opposite] & ~OCCUPIED | OLDER
    links.flags[slot] &= ~FRESH_AT_NEIGHBOUR


@inlined
def disconnect(links, pool, offsets, exports, sent, i, slot):
    """Empty a mailbox of device i, and store what the neighbour there has of device i."""
    flags = links.flags[slot]
    if flags & (FRESH | FRESH_AT_NEIGHBOUR):
        opposite = find_slot(links, links.neighbour[slot], i)
        if flags & FRESH:
            links.flags[opposite] &= ~FRESH_AT_NEIGHBOUR
        if flags & FRESH_AT_NEIGHBOUR:
            store_sent(links, pool, offsets, exports, sent, i, slot, opposite)
    if flags & OLDER:
        release(pool, links.pool_index[slot])
    links.flags[slot] = 0


@inlined
def send_delayed(links, pool, medium, counts, random, offsets, exports, i, slot, now):
    """Put the export of device i in flight to the mailbox in a slot, unless it is lost."""
    if medium.loss > 0.0 and random.random() < medium.loss:
        counts[LOST] += 1
        return
    spread = medium.delay_most - medium.delay_least
    copies = 1
    if medium.duplication > 0.0 and random.random() < medium.duplication:
        counts[DUPLICATED] += 1
        copies = 2
    for _ in range(copies):
        entry = allocate(pool)
        copy_sent_fields(offsets, exports, i, pool.exports, entry)
        pool.time[entry] = now + medium.delay_least + spread * random.random()
        last = links.in_flight[slot, 1]
        if last == NONE:
            links.in_flight[slot, 0] = entry
        else:
            # Messages of one link do not overtake each other.
            pool.time[entry] = max(pool.time[entry], pool.time[last])
            pool.next[last] = entry
        links.in_flight[slot, 1] = entry


@inlined
def receive_arrived(links, pool, counts, slot, now):
    """Move messages whose delay has passed from flight into the mailbox."""
    while links.in_flight[slot, 0] != NONE:
        entry = links.in_flight[slot, 0]
        if pool.time[entry] > now:
            return
        links.in_flight[slot, 0] = pool.next[entry]
        if pool.next[entry] == NONE:
            links.in_flight[slot, 1] = NONE
        counts[DELIVERED] += 1
        # In networks with delays, no mailbox is FRESH.
        if links.flags[slot] & OLDER:
            counts[OVERWRITTEN] += 1
            release(pool, links.pool_index[slot])
        links.flags[slot] |= OLDER
        links.pool_index[slot] = entry


@inlined
def drop_in_flight(links, pool, counts, slot):
    """Discard the messages in flight to a mailbox."""
    while links.in_flight[slot, 0] != NONE:
        entry = links.in_flight[slot, 0]
        links.in_flight[slot, 0] = pool.next[entry]
        counts[UNDELIVERED] += 1
        release(pool, entry)
    links.in_flight[slot, 1] = NONE


@jit
def store_sent_messages(network, devices):
    """Store the latest messages of some devices, before their states are changed from outside."""
    network = borrow(network)
    links = network.links
    for i in devices:
        for k in range(links.row[i, 0], links.row[i, 1]):
            if links.flags[k] & FRESH_AT_NEIGHBOUR:
                store_sent(links, network.pool, network.offsets, network.exports,
                           network.devices.sent[i], i, k,
                           find_slot(links, links.neighbour[k], i))
