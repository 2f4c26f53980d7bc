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

"""Who is next: the times at which devices run their rounds, or move."""

from typing import NamedTuple

from leader_election.lab.engine.compilation import inlined
import numpy as np
from numpy.typing import NDArray


class EventQueue(NamedTuple):
    """
    The next time of each device, in the order in which they come.

    With one period for all, the order never changes: it is a ring that is walked round. With
    periods of their own or jitter it is a binary heap.
    """

    time: NDArray[np.float64]
    """Of each device, when it is next [s], shape (n,)."""
    order: NDArray[np.uint32]
    """Devices, those of the ring from ``head`` on, or the heap, shape (n,)."""
    head: NDArray[np.int64]
    """Where the ring begins, shape (1,)."""
    ring: bool


def event_queue(time: NDArray[np.float64], devices: NDArray[np.int64], ring: bool) -> EventQueue:
    """Return the event_queue of some devices, given the time of each of all [s]."""
    order = devices[np.argsort(time[devices], kind='stable')].astype(np.uint32)
    return EventQueue(time, order, np.zeros(1, np.int64), ring)


@inlined
def sift(order, time):
    """Put the first of a heap, whose time is now a later one, where it belongs."""
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
