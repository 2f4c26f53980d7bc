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

"""The arrays and settings of a run. Neighbours of a device are the devices in its row of links."""

from typing import Any, NamedTuple

from leader_election_lab.states import aligned, COLUMNS, COUNTERS, LINE, WordOffsets
import numpy as np
from numpy.typing import NDArray

FRESH, OLDER, FRESH_AT_NEIGHBOUR, IN_FLIGHT = 1, 2, 4, 8
"""
The flags of a link from a sender to a receiver.

``FRESH``: the mailbox holds the sender's latest message, which is read from the sender's own
export. ``OLDER``: it holds an older message, a copy in the pool. ``FRESH_AT_NEIGHBOUR``: the
mailbox of the opposite link is ``FRESH``, that is, the neighbour reads this device's own export.
``IN_FLIGHT``: messages are in flight.
"""
OCCUPIED = FRESH | OLDER
SKIN = 0.4
"""The skin of neighbour lists, the distance beyond the range up to which devices are listed, as a
fraction of the range. With a larger skin rebuilds are rarer, but rounds test more devices."""
AHEAD = 16
"""Padding for prefetches beyond the last link."""


class Devices(NamedTuple):
    """All devices, by index. Shapes are (n,) unless stated otherwise."""

    id: NDArray[np.int64]  # noqa: A003
    """Consecutive numbers, in any order."""
    by_id: NDArray[np.int64]
    """The indices of devices in the order of their ids."""
    strength: NDArray[np.float64]
    position: NDArray[np.float64]
    """The current positions [m], shape (n, 2)."""
    present: NDArray[np.bool_]
    """Whether the device can be in range of others."""
    running: NDArray[np.bool_]
    """Whether the device runs rounds, and moves."""
    group: NDArray[np.int32]
    """Devices of different groups are never linked, however near."""
    among: NDArray[np.bool_]
    """Two devices that are both ``False`` here are never linked."""
    period: NDArray[np.float64]
    """Time between two rounds, before jitter [s]."""
    sent: NDArray[np.float64]
    """When the device last sent [s], -inf for never."""
    error: NDArray[np.float64]
    """The error of the device's estimated position [m], shape (n, 2)."""


class Medium(NamedTuple):
    """Settings of messages and rounds that are the same for all devices, as numbers."""

    reach: float
    """The range of messages, inclusive [m]."""
    estimated: bool
    """Whether distances are between estimated positions, ``Devices.error`` included."""
    trusted: float
    """Messages from farther than this, by the distance as estimated, are ignored [m]."""
    floor: float
    """The least distance that the metric gives [m]."""
    hops: bool
    """Whether the metric is 1 for all neighbours, instead of the distance."""
    expiry: float
    """How long a message is used after its receipt [s]."""
    loss: float
    """The probability that a message is lost, for each receiver."""
    delay_least: float
    """The least delay of a message. Delays are uniform up to ``delay_most`` [s]."""
    delay_most: float
    duplication: float
    jitter: float
    """The largest random deviation of a round's period, as a fraction of the period."""
    degree_since: float
    """Strength is 1, and the neighbours heard since this time [s], or as set if nan."""
    degree_sign: float


class NeighbourLists(NamedTuple):
    """How the rows of links are made, and when they must be rebuilt."""

    first: NDArray[np.int32]
    second: NDArray[np.int32]
    loss: NDArray[np.float64]
    """As in ``Links``, from the first to the second and back, shape (pairs, 2) or (0, 2)."""
    fixed: bool
    """Whether these pairs are the links at any distance, instead of all devices in range."""
    skin: float
    """The distance beyond the range up to which devices are listed [m]."""
    speed: float
    """The greatest speed of any device [m/s]."""
    tick: float
    """Time between two steps of a device [s]."""
    rebuild_at: NDArray[np.float64]
    """When the rows must be rebuilt [s], shape (1,)."""


class Links(NamedTuple):
    """
    All links: one entry per slot, and the row of slots of each device, which lie side by side.

    A row lists all devices that can come into range before the rows are rebuilt.
    """

    row: NDArray[np.int64]
    """The first slot of each device and the end of its row, shape (n, 2)."""
    neighbour: NDArray[np.uint32]
    """The sender, shape (slots + AHEAD,). The last entries have any device."""
    opposite: NDArray[np.uint32]
    """The slot of the opposite link, in the sender's row, shape (slots,)."""
    flags: NDArray[np.uint8]
    """``FRESH``, ``OLDER`` or neither (empty mailbox), and the others, shape (slots + 1,). The
    last entry is of no link. A rebuild takes new mailboxes from there."""
    pool_index: NDArray[np.uint32]
    """Where in the pool the message lies if it is ``OLDER``, shape (slots,)."""
    in_flight: NDArray[np.uint32]
    """Pool indices of the first and last message of links with messages ``IN_FLIGHT``, shape
    (slots + 1, 2); (0, 2) in networks without delays."""
    loss: NDArray[np.float64]
    """The probability that a message from the row's device to the neighbour is lost, shape
    (slots,); (0,): ``Medium.loss`` for all."""


class Pool(NamedTuple):
    """Stored messages, each of one link, and a stack of the free entries."""

    exports: NDArray[np.int64]
    """The stored states, in rows like the devices' own, shape (capacity, width)."""
    time: NDArray[np.float64]
    """When the message arrives, or arrived [s], shape (capacity,)."""
    next: NDArray[np.uint32]  # noqa: A003
    """The next message in flight on the same link, shape (capacity,)."""
    free: NDArray[np.uint32]
    """The free entries, a stack, shape (capacity,)."""
    top: NDArray[np.uint64]
    """The number of free entries, shape (1,)."""


class Workspace(NamedTuple):
    """Scratch memory for the neighbours of the device that runs its round; (capacity,)."""

    heard: NDArray[np.int64]
    """The messages of the round, shape (capacity, width)."""
    metric: NDArray[np.float64]
    """The distances to their senders [m]."""
    near: NDArray[np.uint32]
    """The slots of neighbours in range."""
    square: NDArray[np.float64]
    """The squares of their distances [m^2]."""
    gone: NDArray[np.uint32]
    """The slots of neighbours out of range whose link has messages."""


class EventQueue(NamedTuple):
    """
    The next event of each device, in order of time.

    With one period for all devices the order never changes, and the queue is a ring. With
    different periods, or jitter, it is a binary heap.
    """

    time: NDArray[np.float64]
    """The next event of each device [s], shape (n,)."""
    order: NDArray[np.uint32]
    """The devices of the ring, whose first is at ``head``, or of the heap, shape (n,)."""
    head: NDArray[np.int64]
    """The index of the ring's first entry, 0 for a heap, shape (1,)."""
    ring: bool


class Watch(NamedTuple):
    """Counters, samples, and the data from which they are computed."""

    change_bits: NDArray[np.uint64]
    """Whether the leader changed, one bit per round, the latest lowest, shape (n,)."""
    change_totals: NDArray[np.int64]
    """Leader changes in the windows of all devices, and since the last sample, shape (2,)."""
    has_run: NDArray[np.bool_]
    """Whether the device has run a round, shape (n,)."""
    counts: NDArray[np.int64]
    window: int
    """The number of latest rounds of each device that instability covers, at most 63."""
    samples: NDArray[np.float64]
    sampled: NDArray[np.int64]
    """The number of samples taken, shape (1,)."""
    interval: float
    """Time between two samples [s], of which the first is one interval after the start."""
    adds: bool
    """Whether the first number of a region's summary is a sum: the region's load."""


class Network(NamedTuple):
    """The whole state of a run."""

    devices: Devices
    offsets: WordOffsets
    exports: NDArray[np.int64]
    """The state of each device, which contains its latest message, shape (n, width)."""
    rounds: EventQueue
    moves: EventQueue
    links: Links
    lists: NeighbourLists
    pool: Pool
    watch: Watch
    workspace: Workspace


def empty_links(devices: int, flights: bool) -> Links:
    """
    Return the links of devices without neighbours.

    :param flights: whether messages can be in flight.
    """
    return Links(
        np.zeros((devices, 2), np.int64), np.zeros(AHEAD, np.uint32), np.zeros(0, np.uint32),
        np.zeros(1, np.uint8), np.zeros(0, np.uint32),
        np.zeros((1 if flights else 0, 2), np.uint32), np.zeros(0))


def empty_pool(exports: NDArray[np.int64]) -> Pool:
    """Return a pool without messages, whose capacity is the number of rows of ``exports``."""
    size = len(exports)
    return Pool(exports, np.zeros(size), np.zeros(size, np.uint32),
                np.arange(size, dtype=np.uint32), np.array([size], np.uint64))


def larger_pool(pool: Pool) -> Pool:
    """Return the same pool with twice the capacity."""
    size, top = len(pool.time), int(pool.top[0])
    longer = {name: np.concatenate(2 * [getattr(pool, name)]) for name in Pool._fields[:4]}
    longer['free'][top:top + size] = np.arange(size, 2 * size)
    return Pool(**longer, top=pool.top + size)


def empty_workspace(capacity: int, width: int) -> Workspace:
    """Return scratch memory for a number of neighbours whose state rows have a width."""
    return Workspace(
        np.zeros((capacity, width), np.int64), np.zeros(capacity), np.zeros(capacity, np.uint32),
        np.zeros(capacity), np.zeros(capacity, np.uint32))


def in_lines(*columns: NDArray[Any]) -> list[NDArray[Any]]:
    """
    Return copies of columns whose numbers of one device lie in one line of a processor's cache.

    :param columns: at most eight, of numbers of eight bytes, shape (n,).
    """
    lines = aligned(len(columns[0]), LINE // 8)
    copies = [lines.view(column.dtype)[:, k] for k, column in enumerate(columns)]
    for copy, column in zip(copies, columns):
        copy[:] = column
    return copies


def event_queue(time: NDArray[np.float64], devices: NDArray[np.int64], ring: bool) -> EventQueue:
    """
    Return the event queue of some devices.

    :param time: the first event of all devices, by index [s].
    :param devices: the indices of the devices in the queue.
    """
    order = devices[np.argsort(time[devices], kind='stable')].astype(np.uint32)
    return EventQueue(time, order, np.zeros(1, np.int64), ring)


def new_watch(change_bits: NDArray[np.uint64], window: int, samples: int, interval: float,
              adds: bool, own: int = 0) -> Watch:
    """
    Return the watch of a run at its start.

    :param change_bits: all zero.
    :param own: the number of further columns of samples, which the engine does not write.
    """
    return Watch(
        change_bits, np.zeros(2, np.int64), np.zeros(len(change_bits), np.bool_),
        np.zeros(len(COUNTERS), np.int64), window, np.full(
            (samples, len(COLUMNS) + own), np.nan),
        np.zeros(1, np.int64), interval, adds)


def links_of(network: Network, reach: float,
             ) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.bool_]]:
    """
    Return all listed links of a network.

    :param reach: the range of messages [m].
    :return: the slot of each link, its receiver and sender (m, 2), and whether these are in range.
    """
    links, position = network.links, network.devices.position
    length = links.row[:, 1] - links.row[:, 0]
    receiver = np.repeat(np.arange(len(length)), length)
    # Row by row in the order of devices.
    slots = links.row[receiver, 0] + np.arange(len(receiver)) - np.repeat(
        np.cumsum(length) - length, length)
    pairs = np.stack([receiver, links.neighbour[slots]], axis=1).astype(np.int32)
    apart = np.linalg.norm(position[pairs[:, 0]] - position[pairs[:, 1]], axis=1)
    return slots, pairs, apart <= reach
