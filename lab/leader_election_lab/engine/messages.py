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
The life of a message on a link: sent, in flight, in a mailbox, and replaced.

The latest message of a device is read from the device's own export, for as long as that is the
message in the receiver's mailbox. A message is copied into the pool only if it must outlive the
export: the next message to the same receiver is lost, the sender's state is changed from outside,
or the message is in flight.
"""

from typing import Any

from leader_election_lab.engine.compilation import inlined, jit
from leader_election_lab.engine.network import (
    FRESH,
    FRESH_AT_NEIGHBOUR,
    IN_FLIGHT,
    OCCUPIED,
    OLDER,
)
from leader_election_lab.states import DELIVERED, DUPLICATED, LOST, OVERWRITTEN, UNDELIVERED
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
import numpy as np


@intrinsic
def copy_words(context: Any, source: Any, i: Any, target: Any, m: Any, first: Any,
               size: Any) -> Any:
    """Copy words of row i of an array to the same columns of row m of another one, as a block."""
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        def place(kind: Any, array: Any, row: Any) -> Any:
            made = context.make_array(kind)(context, builder, array)
            stride, word = cgutils.unpack_tuple(builder, made.strides, 2)
            ahead = builder.add(builder.mul(row, stride), builder.mul(first, word))
            return builder.inttoptr(builder.add(
                builder.ptrtoint(made.data, ahead.type), ahead), ir.IntType(8).as_pointer())

        one, row, other, at, first, count = arguments
        cgutils.raw_memcpy(builder, place(target, other, at), place(source, one, row), count, 8)
        return context.get_dummy_value()
    return types.void(source, i, target, m, first, size), generate


@inlined
def allocate(pool):
    """Take a free entry of the pool, which the caller has checked for one."""
    pool.top[0] -= np.uint64(1)
    return pool.free[pool.top[0]]


@inlined
def release(pool, entry):
    """Free an entry of the pool."""
    pool.free[pool.top[0]] = entry
    pool.top[0] += np.uint64(1)


@inlined
def copy_sent(offsets, source, i, target, m):
    """Copy the fields that are sent from row i of ``source`` to row m of ``target``."""
    # Unsigned indices, since signed ones are checked.
    first, last = np.uint64(offsets.sent_from), np.uint64(offsets.sent_to)
    i, m = np.uint64(i), np.uint64(m)
    if last - first == np.uint64(4):
        # Most algorithms send four words. Without a loop the copy is two or four instructions.
        one, two, three = first + np.uint64(1), first + np.uint64(2), first + np.uint64(3)
        target[m, first], target[m, one] = source[i, first], source[i, one]
        target[m, two], target[m, three] = source[i, two], source[i, three]
        return
    copy_words(source, i, target, m, first, last - first)


@inlined
def empty_mailbox(links, pool, slot):
    """Discard the message in a mailbox."""
    flags = links.flags[slot]
    if flags & FRESH:
        links.flags[links.opposite[slot]] &= ~FRESH_AT_NEIGHBOUR
    elif flags & OLDER:
        release(pool, links.pool_index[slot])
    links.flags[slot] = flags & ~OCCUPIED


@inlined
def deliver(links, pool, slot):
    """
    Deliver the message that a device is about to send, without delay, to the neighbour in a slot.

    The neighbour's mailbox becomes ``FRESH``, as it reads the message from the device's export.

    :return: whether the neighbour's mailbox was empty.
    """
    flags = links.flags[slot]
    if flags & FRESH_AT_NEIGHBOUR:
        return False
    opposite = links.opposite[slot]
    before = links.flags[opposite]
    if before & OLDER:
        release(pool, links.pool_index[opposite])
    links.flags[opposite] = before & ~OCCUPIED | FRESH
    links.flags[slot] = flags | FRESH_AT_NEIGHBOUR
    return before & OCCUPIED == 0


@inlined
def store_sent(network, i, slot):
    """Store the latest message of device i for the neighbour in a slot, whose mailbox holds it."""
    links, pool = network.links, network.pool
    opposite = links.opposite[slot]
    entry = allocate(pool)
    copy_sent(network.offsets, network.exports, i, pool.exports, entry)
    pool.time[entry] = network.devices.sent[i]
    links.pool_index[opposite] = entry
    links.flags[opposite] = links.flags[opposite] & ~OCCUPIED | OLDER
    links.flags[slot] &= ~FRESH_AT_NEIGHBOUR


@inlined
def disconnect(network, i, slot):
    """
    Empty a mailbox of device i, and what is in flight to it, since the sender is out of range.

    What device i sent before stays in the sender's mailbox until the sender's own round.
    """
    links, pool = network.links, network.pool
    if links.flags[slot] & IN_FLIGHT:
        drop_in_flight(links, pool, network.watch.counts, slot)
    if links.flags[slot] & FRESH_AT_NEIGHBOUR:
        store_sent(network, i, slot)
    occupied = links.flags[slot] & OCCUPIED != 0
    empty_mailbox(links, pool, slot)
    return occupied


@inlined
def is_lost(links, medium, random, slot):
    """Return whether a message to the neighbour in a slot is lost. Draw a number if it may be."""
    loss = links.loss[slot] if len(links.loss) > 0 else medium.loss
    return loss > 0.0 and random.random() < loss


@inlined
def send_delayed(network, medium, random, i, k, now):
    """Put the export of device i in flight to the neighbour in its slot k, unless it is lost."""
    links, pool, counts = network.links, network.pool, network.watch.counts
    if is_lost(links, medium, random, k):
        counts[LOST] += 1
        return
    slot = links.opposite[k]
    spread = medium.delay_most - medium.delay_least
    copies = 1
    if medium.duplication > 0.0 and random.random() < medium.duplication:
        counts[DUPLICATED] += 1
        copies = 2
    for _ in range(copies):
        entry = allocate(pool)
        copy_sent(network.offsets, network.exports, i, pool.exports, entry)
        arrival = now + medium.delay_least + spread * random.random()
        # Without a branch, since a processor cannot predict whether messages are in flight. Where
        # none are, the new one is its own last.
        flags, first, last = links.flags[slot], links.in_flight[slot, 0], links.in_flight[slot, 1]
        flying = flags & IN_FLIGHT != 0
        first, last = first if flying else entry, last if flying else entry
        pool.time[entry] = arrival
        # Messages of one link do not overtake each other.
        pool.time[entry] = max(arrival, pool.time[last])
        pool.next[last] = entry
        links.flags[slot] = flags | IN_FLIGHT
        links.in_flight[slot, 0], links.in_flight[slot, 1] = first, entry


@inlined
def receive_arrived(network, slot, now):
    """Move messages whose delay has passed from flight into the mailbox."""
    links, pool, counts = network.links, network.pool, network.watch.counts
    flags, entry = links.flags[slot], links.in_flight[slot, 0]
    while flags & IN_FLIGHT and pool.time[entry] <= now:
        counts[DELIVERED] += 1
        # In networks with delays, no mailbox is FRESH.
        if flags & OLDER:
            counts[OVERWRITTEN] += 1
            release(pool, links.pool_index[slot])
        flags |= OLDER
        links.pool_index[slot] = entry
        if entry == links.in_flight[slot, 1]:
            flags &= ~IN_FLIGHT
        else:
            entry = pool.next[entry]
            links.in_flight[slot, 0] = entry
    links.flags[slot] = flags
    return flags


@inlined
def drop_in_flight(links, pool, counts, slot):
    """Discard the messages in flight to a mailbox."""
    entry, last = links.in_flight[slot, 0], links.in_flight[slot, 1]
    while True:
        counts[UNDELIVERED] += 1
        release(pool, entry)
        if entry == last:
            break
        entry = pool.next[entry]
    links.flags[slot] &= ~IN_FLIGHT


@jit
def store_sent_messages(network, devices):
    """Store the latest messages of some devices, before their states are changed from outside."""
    links = network.links
    for i in devices:
        for k in range(links.row[i, 0], links.row[i, 1]):
            if links.flags[k] & FRESH_AT_NEIGHBOUR:
                store_sent(network, i, k)
