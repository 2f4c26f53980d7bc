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

"""Neighbour lists: the rows of links of devices within a distance, or of given pairs."""

from leader_election.lab.engine.compilation import inlined, jit
from leader_election.lab.engine.lanes import (
    compress_store,
    contiguous_squared_distances,
    count_lanes,
    first_lanes,
    LANES,
    lanes_at_most,
    load_lanes,
    lowest_lane,
)
import numpy as np

FULL = -1
"""The return value if there are more links than slots."""


@inlined
def may_be_linked(devices, i, j):
    """Return whether two devices can be linked, apart from their distance."""
    return (devices.present[i] and devices.present[j] and devices.group[i] == devices.group[j]
            and (devices.among[i] or devices.among[j]))


@jit
def write_rows_of_pairs(devices, first, second, neighbour, k, order, begin):
    """
    Write a row for each device, by index, from pairs with permanent links.

    :param first: one device of each pair; ``second``: the other. Pairs with an absent device, or
        of different groups, are skipped.
    :param neighbour: the output, from slot k on; large enough for all pairs.
    :param order: output, the device of each row, shape (n,).
    :param begin: output, the first slot of each row and the end of the last one, shape (n + 1,).
    :return: the slot after the last row.
    """
    n = len(order)
    for i in range(n + 1):
        begin[i] = 0
    for p in range(len(first)):
        if may_be_linked(devices, first[p], second[p]):
            begin[first[p]] += 1
            begin[second[p]] += 1
    for i in range(n):
        length = begin[i]
        begin[i], order[i] = k, i
        k += length
    begin[n] = k
    fill = np.empty(n, np.int64)
    for i in range(n):
        fill[i] = begin[i]
    for p in range(len(first)):
        i, j = first[p], second[p]
        if may_be_linked(devices, i, j):
            neighbour[fill[i]], neighbour[fill[j]] = j, i
            fill[i] += 1
            fill[j] += 1
    return k


@jit
def write_rows_within(devices, reach, neighbour, k, end, order, begin):
    """
    Write a row for each device, of all devices within a distance to which it can be linked.

    Uses a grid of cells, each at least as wide and high as the distance: the neighbours of a
    device lie in three by three cells.

    :param reach: the distance, inclusive [m].
    :param neighbour: the output, from slot k on, before slot ``end``.
    :param order: output, the device of each row, shape (n,).
    :param begin: output, the first slot of each row and the end of the last one, shape (n + 1,).
    :return: the slot after the last row, or ``FULL``.
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
    cell = np.empty(n, np.int32)
    start = np.zeros(cells + 2, np.int64)
    for i in range(n):
        # Absent devices are in an additional last cell that is adjacent to no other.
        cell[i] = cells
        if present[i]:
            column = min(int((position[i, 1] - low_u) / wide), columns - 1)
            cell[i] = min(int((position[i, 0] - low_v) / high), rows - 1) * columns + column
        start[cell[i] + 1] += 1
    for c in range(cells + 1):
        start[c + 1] += start[c]
    u, v = np.empty(n + LANES), np.empty(n + LANES)
    device = np.zeros(n + LANES, np.uint32)
    for i in range(n):
        spot = start[cell[i]]
        start[cell[i]] += 1
        device[spot] = i
        u[spot], v[spot] = position[i, 1], position[i, 0]
    # start[c] is now the end of cell c.
    square = reach * reach
    for c in range(cells):
        column = c % columns
        for p in range(0 if c == 0 else start[c - 1], start[c]):
            order[p], begin[p] = device[p], k
            for middle in range(c - columns, c + columns + 1, columns):
                if not 0 <= middle < cells:
                    continue
                # Up to three adjacent cells, whose devices are contiguous.
                left = middle - (column > 0)
                q = 0 if left == 0 else start[left - 1]
                last = start[middle + (column < columns - 1)]
                while q < last:
                    if k + LANES > end:
                        return FULL
                    near = lanes_at_most(contiguous_squared_distances(u, v, q, u[p], v[p]), square)
                    near &= first_lanes(last - q)
                    if q <= p < q + LANES:
                        near &= ~(1 << (p - q))
                    if not alike:
                        some = near
                        while some:
                            lane = lowest_lane(some)
                            some &= some - 1
                            if not may_be_linked(devices, device[p], device[q + lane]):
                                near &= ~(1 << lane)
                    compress_store(load_lanes(device, q), near, neighbour, k)
                    k += count_lanes(near)
                    q += LANES
    for p in range(start[cells - 1], n):
        order[p], begin[p] = device[p], k
    begin[n] = k
    return k
