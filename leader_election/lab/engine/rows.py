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

"""The rows of links that there have to be: of devices within reach, or of given pairs."""

from leader_election.lab.engine.compilation import inlined, jit
from leader_election.lab.engine.lanes import (
    apart_in_line,
    at_most,
    first_lanes,
    how_many,
    LANES,
    lanes,
    lowest,
    squeeze,
)
import numpy as np

FULL = -1
"""There are more links than there is room for."""


@inlined
def hear_each_other(devices, i, j):
    """Return whether two devices may have a link, wherever they are."""
    return (devices.present[i] and devices.present[j] and devices.group[i] == devices.group[j]
            and (devices.among[i] or devices.among[j]))


@jit
def rows_of_pairs(devices, first, second, neighbour, k, order, begin):
    """
    Write a row for each device, by number, of the links that are given.

    :param first: one of each pair, and ``second`` the other; which of them are in use follows
        from the devices.
    :param neighbour: where rows are written, from slot k on; there is room for all pairs.
    :param order: becomes the device of each row, shape (n,).
    :param begin: becomes the first slot of each row, and the one behind the last, shape (n + 1,).
    """
    n = len(order)
    for i in range(n + 1):
        begin[i] = 0
    for p in range(len(first)):
        if hear_each_other(devices, first[p], second[p]):
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
        if hear_each_other(devices, i, j):
            neighbour[fill[i]], neighbour[fill[j]] = j, i
            fill[i] += 1
            fill[j] += 1
    return k


@jit
def rows_within(devices, reach, neighbour, k, end, order, begin):
    """
    Write a row for each device, of all others that it may have a link to and that are in reach.

    :param devices: their positions, and who is present, in which group, and among others.
    :param reach: inclusive [m].
    :param neighbour: where rows are written, from slot k on, before slot ``end``.
    :param order: becomes the device of each row, shape (n,).
    :param begin: becomes the first slot of each row, and the one behind the last, shape (n + 1,).
    :return: the slot behind the last, or ``FULL``.
    """
    # Cells lie side by side along y, here u, as devices are stored.
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
    # Cells a hair larger than the reach, or rounding puts two who just reach each other two cells
    # apart; and no more of them than a few a device.
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
        # Who is absent is in a cell behind all others, which is next to none.
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
    # Each cell's start is now the next one's.
    square = reach * reach
    for c in range(cells):
        column = c % columns
        for p in range(0 if c == 0 else start[c - 1], start[c]):
            order[p], begin[p] = device[p], k
            for around in range(c - columns, c + columns + 1, columns):
                if not 0 <= around < cells:
                    continue
                # Three cells side by side.
                left = around - (column > 0)
                q = 0 if left == 0 else start[left - 1]
                last = start[around + (column < columns - 1)]
                while q < last:
                    if k + LANES > end:
                        return FULL
                    near = at_most(apart_in_line(u, v, q, u[p], v[p]), square)
                    near &= first_lanes(last - q)
                    if q <= p < q + LANES:
                        near &= ~(1 << (p - q))
                    if not alike:
                        some = near
                        while some:
                            lane = lowest(some)
                            some &= some - 1
                            if not hear_each_other(devices, device[p], device[q + lane]):
                                near &= ~(1 << lane)
                    squeeze(lanes(device, q), near, neighbour, k)
                    k += how_many(near)
                    q += LANES
    for p in range(start[cells - 1], n):
        order[p], begin[p] = device[p], k
    begin[n] = k
    return k
