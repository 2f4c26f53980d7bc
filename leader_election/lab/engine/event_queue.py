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

"""Event queues: the times at which devices run their rounds, or move."""

from typing import NamedTuple

from leader_election.lab.engine.compilation import inlined
import numpy as np
from numpy.typing import NDArray


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
    """The index of the ring's first entry; 0 for a heap; shape (1,)."""
    ring: bool


def event_queue(time: NDArray[np.float64], devices: NDArray[np.int64], ring: bool) -> EventQueue:
    """
    Return the event queue of some devices.

    :param time: the first event of all devices, by index [s].
    :param devices: the indices of the devices in the queue.
    """
    order = devices[np.argsort(time[devices], kind='stable')].astype(np.uint32)
    return EventQueue(time, order, np.zeros(1, np.int64), ring)


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
    """Return the device that is ``steps`` entries after the first of a ring; the last if fewer."""
    size = len(queue.order)
    index = queue.head[0] + steps
    return queue.order[index if index < size else min(index - size, size - 1)]


@inlined
def sift_down(order, time):
    """Restore the heap after the time of its first device has increased."""
    moved, hole = order[0], 0
    while True:
        child = 2 * hole + 1
        if child + 1 < len(order) and time[order[child + 1]] < time[order[child]]:
            child += 1
        if child >= len(order) or time[order[child]] >= time[moved]:
            break
        order[hole] = order[child]
        hole = child
    order[hole] = moved
