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

"""Compiled operations on event queues: rings, and heaps for different periods or jitter."""

from leader_election_lab.engine.compilation import inlined


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
