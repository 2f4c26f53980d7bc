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
The event loop of a run: rounds, moves and samples, each at its time.

Event queues are rings, and heaps for different periods or jitter.
"""

from typing import NamedTuple

from leader_election_lab.engine.compilation import inlined, lean
from leader_election_lab.engine.device_round import call_step, prefetch, run_round
from leader_election_lab.engine.network import AHEAD
from leader_election_lab.engine.samples import sample
from leader_election_lab.states import MOVES
import numpy as np

DONE, REBUILD, POOL_FULL = range(3)
"""
Why :func:`advance` returned: it is finished, links must be rebuilt, or the pool is too small.

The caller then does so, and calls again.
"""
DEVICES_IN_CACHE = 5_000
"""The number of devices that fit into a processor's cache. Larger networks use prefetching."""
PREFETCH_DISTANCE = 6
"""How many rounds in advance the row of a device is prefetched. Its own data is prefetched twice
as many rounds in advance, and the positions and states of its neighbours half as many."""


class EntryPoints(NamedTuple):
    """Addresses of the functions compiled for a run, and of their constant arguments."""

    round: int  # noqa: A003
    parameters: int
    step: int
    motion: int


@inlined
def next_entry(queue):
    """Return the device of the next event, and its time [s]."""
    i = queue.order[queue.head[0]]
    return i, queue.time[i]


@inlined
def advance_ring(queue):
    """Make the next entry of a ring the first."""
    queue.head[0] += 1
    if queue.head[0] == len(queue.order):
        queue.head[0] = 0


@inlined
def entry_ahead(queue, steps):
    """Return the device ``steps`` entries after the first of a ring, or the last device."""
    size = len(queue.order)
    index = queue.head[0] + steps
    return queue.order[index if index < size else min(index - size, size - 1)]


@inlined
def sift_down(order, time, hole, size):
    """
    Restore a heap, the least first, in which one entry may be too late.

    :param order: the entries of the heap, of which the first ``size`` count.
    :param time: the times that order them. That of entry ``order[hole]`` may be too large.
    """
    moved = order[hole]
    while True:
        child = 2 * hole + 1
        if child + 1 < size and time[order[child + 1]] < time[order[child]]:
            child += 1
        if child >= size or time[order[child]] >= time[moved]:
            break
        order[hole] = order[child]
        hole = child
    order[hole] = moved


@lean
def advance(network, medium, entry_points, random, until):
    """
    Run all events before a time, and take the samples up to and at that time.

    :param network: the :class:`Network`, changed in place.
    :param medium: the :class:`Medium`.
    :param entry_points: the caller keeps alive what these addresses refer to.
    :param random: a ``numpy.random.Generator`` for messages and periods.
    :param until: [s].
    :return: ``DONE``, ``REBUILD`` or ``POOL_FULL``. Nothing of the event that waits for this has
        been done. Its time is then in ``rebuild_at``.
    """
    rounds, moves, devices = network.rounds, network.moves, network.devices
    lists, watch, row = network.lists, network.watch, network.links.row
    prefetching = rounds.ring and len(rounds.order) > DEVICES_IN_CACHE
    stop, mover, move_at = -np.inf, np.uint32(0), np.inf
    if len(moves.order) > 0:
        mover, move_at = next_entry(moves)
    while True:
        i, now = next_entry(rounds)
        if move_at <= now and move_at < stop:
            mover, move_at = move_all(network, entry_points, mover, move_at, now, stop)
        now = min(now, move_at)
        # Samples, rebuilds and the end are rare, so `stop` is the time of the next one.
        if now >= stop:
            # A sample shows the state just before the events at its own time.
            if next_sample(watch) <= min(now, until):
                sample(devices, network.offsets, network.exports, watch)
            elif now >= until:
                return DONE
            elif now >= lists.rebuild_at[0]:
                lists.rebuild_at[0] = now
                return REBUILD
            stop = min(until, lists.rebuild_at[0], next_sample(watch))
            continue
        if prefetching:
            prefetch_rounds(network)
        # A round stores at most two messages per link: one kept for a receiver that misses the
        # next one, or two sent with duplication.
        if network.pool.top[0] < 2 * (row[i, 1] - row[i, 0]):
            return POOL_FULL
        if devices.running[i]:
            run_round(network, medium, entry_points, random, i, now)
        period = devices.period[i]
        later = now + period
        if medium.jitter > 0.0:
            later += period * medium.jitter * (2.0 * random.random() - 1.0)
        rounds.time[i] = later
        if rounds.ring:
            advance_ring(rounds)
        else:
            sift_down(rounds.order, rounds.time, np.int64(0), len(rounds.order))


@inlined
def next_sample(watch):
    """Return the time of the next sample [s], inf after the last one."""
    taken = watch.sampled[0]
    return (taken + 1) * watch.interval if taken < len(watch.samples) else np.inf


@inlined
def move_all(network, entry_points, i, now, due, stop):
    """
    Move each device that is due by a step, in the order of the queue.

    :param i: the first of these devices, which moves at the time ``now`` [s].
    :param due: the time of the next round [s]. Moves at that time come first.
    :param stop: moves at this time or later wait [s].
    :return: the next device that moves, and the time of its move [s].
    """
    devices, moves, tick = network.devices, network.moves, network.lists.tick
    while now <= due and now < stop:
        moves.time[i] = now + tick
        advance_ring(moves)
        # Read before the step, so that the processor does not wait for it afterwards.
        following, later = next_entry(moves)
        if devices.running[i]:
            ahead = entry_ahead(moves, 2 * PREFETCH_DISTANCE)
            prefetch(devices.position, ahead)
            prefetch(moves.time, ahead)
            call_step(entry_points.step, entry_points.motion, i, now, ahead)
            network.watch.counts[MOVES] += 1
        i, now = following, later
    return i, now


@inlined
def prefetch_rounds(network):
    """Prefetch what later rounds read: a device's data and row, and its neighbours' data."""
    devices, links, rounds = network.devices, network.links, network.rounds
    device = entry_ahead(rounds, 2 * PREFETCH_DISTANCE)
    # In the line of the id are strength, period and times, too.
    prefetch(devices.id, device)
    prefetch(devices.position, device)
    prefetch(devices.running, device)
    prefetch(links.row, device)
    prefetch(network.exports, device)
    slot = links.row[entry_ahead(rounds, PREFETCH_DISTANCE), 0]
    # A row may begin anywhere in a line, and end in the next one.
    for k in range(slot, slot + 2 * AHEAD, AHEAD):
        prefetch(links.neighbour, k)
        prefetch(links.opposite, k)
        prefetch(links.flags, k)
    # Most rows have no more than this number of neighbours.
    slot = links.row[entry_ahead(rounds, PREFETCH_DISTANCE // 2), 0]
    for k in range(slot, slot + AHEAD):
        prefetch(devices.position, links.neighbour[k])
        prefetch(network.exports, links.neighbour[k])
