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

"""Rebuild neighbour lists, which hold the links of near devices or of given pairs."""

from leader_election_lab.engine.compilation import call_compiled, inlined, jit
from leader_election_lab.engine.messages import drop_in_flight, release
from leader_election_lab.engine.network import AHEAD, IN_FLIGHT, Links, Network, OCCUPIED, OLDER
from leader_election_lab.states import DEPARTED, REBUILT
import numpy as np


def rebuild(network: Network, reach: float, now: float) -> Links:
    """
    Return new links. Move the mailboxes of links that are also in the old ones, empty the others.

    :param reach: the range of messages [m].
    :param now: the time [s].
    """
    devices, lists = network.devices, network.lists
    order, begin = np.empty(len(devices.id), np.int32), np.zeros(len(devices.id) + 1, np.int64)
    if lists.fixed:
        rows = call_compiled(rows_of_pairs, devices, lists, order, begin)
    else:
        rows = call_compiled(rows_within, devices, reach + lists.skin, order, begin)
    network.watch.counts[REBUILT] += 1
    lists.rebuild_at[0] = np.inf
    if not lists.fixed and lists.speed > 0.0:
        # Two devices that approach each other cross the skin in this number of steps, or more.
        # The margin of 0.01 steps covers the rounding of the devices' times.
        steps = np.floor(lists.skin / (2.0 * lists.speed * lists.tick))
        lists.rebuild_at[0] = now + max(0.0, steps - 0.01) * lists.tick
    links: Links = call_compiled(moved_mailboxes, network.links, network.pool,
                                 network.watch.counts, *rows, order, begin)
    return links


@jit
def moved_mailboxes(old, pool, counts, neighbour, opposite, loss, order, begin):
    """
    Return links with new rows, to which the mailboxes of links in both are moved.

    :param counts: the counters. Messages of links that are no longer there have departed.
    :param neighbour: the sender of each new link, and ``AHEAD`` more entries.
    :param opposite: as in ``Links``. So is ``loss``.
    :param order: the device of each new row; every device once.
    :param begin: the first slot of each new row, and the end of the last one.
    """
    n, slots = len(order), begin[len(order)]
    row, pool_index = np.empty((n, 2), np.int64), np.empty(slots, np.uint32)
    flags = np.zeros(slots + 1, np.uint8)
    in_flight = np.empty((slots + 1 if len(old.in_flight) > 0 else 0, 2), np.uint32)
    # The old slot of a link that is new: the last one, which is never in use.
    unused = np.uint32(len(old.flags) - 1)
    # Entries are not cleared: those outside of the present old row are of earlier rows.
    old_slot = np.empty(n, np.uint32)
    for i in range(n):
        old_slot[i] = unused
    for p in range(n):
        i = order[p]
        first, last = old.row[i, 0], old.row[i, 1]
        row[i, 0], row[i, 1] = begin[p], begin[p + 1]
        for k in range(np.uint64(first), np.uint64(last)):
            old_slot[old.neighbour[k]] = k
        for k in range(np.uint64(begin[p]), np.uint64(begin[p + 1])):
            before = old_slot[neighbour[k]]
            before = before if first <= before < last else unused
            moved = old.flags[before]
            flags[k], old.flags[before] = moved, 0
            if moved & OLDER:
                pool_index[k] = old.pool_index[before]
            if moved & IN_FLIGHT:
                in_flight[k] = old.in_flight[before]
    for k in range(len(old.pool_index)):
        if old.flags[k] & OCCUPIED:
            counts[DEPARTED] += 1
            if old.flags[k] & OLDER:
                release(pool, old.pool_index[k])
        if old.flags[k] & IN_FLIGHT:
            drop_in_flight(old, pool, counts, k)
    return Links(row, neighbour, opposite, flags, pool_index, in_flight, loss)


@inlined
def may_be_linked(devices, i, j):
    """Return whether two devices can be linked, apart from their distance."""
    return (devices.present[i] and devices.present[j] and devices.group[i] == devices.group[j]
            and (devices.among[i] or devices.among[j]))


@jit
def rows_of_pairs(devices, lists, order, begin):
    """
    Return the rows of pairs with permanent links, by device.

    :return: ``neighbour``, ``opposite`` and ``loss`` of links.
    :param lists: the pairs. Those with an absent device, or of different groups, are skipped.
    :param order: output, the device of each row, shape (n,).
    :param begin: output, the first slot of each row and the end of the last one, shape (n + 1,);
        zero before.
    """
    first, second = lists.first, lists.second
    for p in range(len(first)):
        if may_be_linked(devices, first[p], second[p]):
            begin[first[p] + 1] += 1
            begin[second[p] + 1] += 1
    for i in range(len(order)):
        begin[i + 1] += begin[i]
        order[i] = i
    slots, fill = begin[len(order)], begin.copy()
    neighbour, opposite = np.zeros(slots + AHEAD, np.uint32), np.empty(slots, np.uint32)
    loss = np.empty(slots if len(lists.loss) > 0 else 0)
    for p in range(len(first)):
        i, j = first[p], second[p]
        if may_be_linked(devices, i, j):
            neighbour[fill[i]], neighbour[fill[j]] = j, i
            opposite[fill[i]], opposite[fill[j]] = fill[j], fill[i]
            if len(loss) > 0:
                loss[fill[i]], loss[fill[j]] = lists.loss[p, 0], lists.loss[p, 1]
            fill[i] += 1
            fill[j] += 1
    return neighbour, opposite, loss


@inlined
def append_near(neighbour, k, order, u, v, near, p, first, last, square):
    """Append the devices from ``first`` to ``last`` that are near device p, and return the end."""
    x, y = u[p], v[p]
    # Unsigned indices, since signed ones are checked. Two loops, since the first has no more than
    # arithmetic, of which a processor does several at once. Without a branch, since it cannot
    # predict which devices are near.
    for q in range(np.uint64(first), np.uint64(last)):
        du, dv = u[q] - x, v[q] - y
        near[q] = (du * du + dv * dv <= square) & (q != p)
    at = np.uint64(k)
    for q in range(np.uint64(first), np.uint64(last)):
        neighbour[at] = order[q]
        at += np.uint64(near[q])
    return np.int64(at)


@jit
def rows_within(devices, reach, order, begin):
    """
    Return the rows of all devices within a distance that can be linked, in the order of cells.

    Uses a grid of cells, each at least as wide and high as the distance: the neighbours of a
    device lie in three by three cells.

    :param reach: the distance, inclusive [m].
    :param order: output, the device of each row, shape (n,).
    :param begin: output, the first slot of each row and the end of the last one, shape (n + 1,).
    :return: ``neighbour`` and ``opposite`` of links, and an empty ``loss``.
    """
    # u is y and v is x: cells are numbered along y first, like devices in memory (lab/build.py).
    position, present = devices.position, devices.present
    n = len(order)
    count, alike = 0, True
    low_u, low_v, high_u, high_v = np.inf, np.inf, -np.inf, -np.inf
    for i in range(n):
        if present[i]:
            count += 1
            alike = alike and devices.among[i] and devices.group[i] == devices.group[0]
            low_u, high_u = min(low_u, position[i, 1]), max(high_u, position[i, 1])
            low_v, high_v = min(low_v, position[i, 0]), max(high_v, position[i, 0])
    # Slightly larger than the reach, lest rounding puts devices at that distance two cells apart.
    # The number of cells is limited to a few per device.
    least = reach * (1.0 + 1e-9)
    most = int(np.sqrt(4.0 * count)) + 1
    columns, rows = 1, 1
    if count > 0:
        columns = int(max(1.0, min(float(most), np.floor((high_u - low_u) / least))))
        rows = int(max(1.0, min(float(most), np.floor((high_v - low_v) / least))))
    wide = max((high_u - low_u) / columns, least)
    high = max((high_v - low_v) / rows, least)
    cells = columns * rows
    cell, start = np.empty(n, np.int32), np.zeros(cells + 2, np.int64)
    for i in range(n):
        # Absent devices are in an additional last cell that is adjacent to no other.
        cell[i] = cells
        if present[i]:
            column = min(int((position[i, 1] - low_u) / wide), columns - 1)
            cell[i] = min(int((position[i, 0] - low_v) / high), rows - 1) * columns + column
        start[cell[i] + 1] += 1
    for c in range(cells + 1):
        start[c + 1] += start[c]
    u, v, fill, near = np.empty(n), np.empty(n), start.copy(), np.empty(n, np.uint8)
    for i in range(n):
        spot = fill[cell[i]]
        fill[cell[i]] += 1
        order[spot], u[spot], v[spot] = i, position[i, 1], position[i, 0]
    neighbour, k, square = np.zeros(16 * n + AHEAD, np.uint32), np.int64(0), reach * reach
    for c in range(cells):
        column = c % columns
        for p in range(start[c], start[c + 1]):
            begin[p] = k
            for middle in range(c - columns, c + columns + 1, columns):
                if not 0 <= middle < cells:
                    continue
                # Up to three adjacent cells, whose devices are contiguous.
                first = start[middle - (column > 0)]
                last = start[middle + (column < columns - 1) + 1]
                if k + last - first + AHEAD > len(neighbour):
                    wider = np.zeros(2 * (k + last - first + AHEAD), np.uint32)
                    for before in range(k):
                        wider[before] = neighbour[before]
                    neighbour = wider
                if alike:
                    k = append_near(neighbour, k, order, u, v, near, p, first, last, square)
                    continue
                for q in range(first, last):
                    du, dv = u[q] - u[p], v[q] - v[p]
                    if du * du + dv * dv <= square and q != p and may_be_linked(
                            devices, order[p], order[q]):
                        neighbour[k] = order[q]
                        k += 1
    for p in range(start[cells], n + 1):
        begin[p] = k
    opposite, fill = np.empty(k, np.uint32), np.empty(n, np.int64)
    for p in range(n):
        fill[order[p]] = begin[p]
    # Neighbours are in the order of the rows, so those of any row come in turn.
    for k in range(len(opposite)):
        opposite[k] = fill[neighbour[k]]
        fill[neighbour[k]] += 1
    return neighbour[:len(opposite) + AHEAD], opposite, np.empty(0)
