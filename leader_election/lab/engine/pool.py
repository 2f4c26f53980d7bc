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

"""The pool of messages that are not their sender's latest, or still in flight."""

from typing import Any, NamedTuple

from leader_election.lab.engine.jit import inlined
from leader_election.lab.engine.links import NONE
import numpy as np
from numpy.typing import NDArray


class Pool(NamedTuple):
    """Copies of exports, each taken by one slot of a link."""

    exports: Any
    """The algorithm's columns, each of shape (capacity,) or (capacity, length)."""
    time: NDArray[np.float64]
    """When the message arrives, or arrived [s], shape (capacity,)."""
    next: NDArray[np.int32]
    """The next message in flight on the same link, shape (capacity,)."""
    free: NDArray[np.int32]
    """Those that nobody has taken, a stack, shape (capacity,)."""
    top: NDArray[np.int64]
    """How many are free, shape (1,)."""


def pool(exports: Any, size: int) -> Pool:
    """Return a pool in which all is free, with room for so many exports."""
    return Pool(exports, np.zeros(size), np.full(size, NONE, np.int32),
                np.arange(size, dtype=np.int32), np.array([size]))


def larger_pool(pool: Pool, times: int) -> Pool:
    """Return the same pool with so many times the room."""
    size = len(pool.time)
    more = (times - 1) * size

    def longer(array: NDArray[Any]) -> NDArray[Any]:
        return np.concatenate(times * [array])
    free = np.concatenate([
        pool.free[:pool.top[0]], np.arange(size, size + more), np.zeros(size - pool.top[0])])
    return Pool(type(pool.exports)(*map(longer, pool.exports)), longer(pool.time),
                longer(pool.next), free.astype(np.int32), pool.top + more)


@inlined
def take(pool):
    """Return a free place; the caller has seen to it that there is one."""
    pool.top[0] -= 1
    place = pool.free[pool.top[0]]
    pool.next[place] = NONE
    return place


@inlined
def give_back(pool, place):
    """Make a place free again."""
    pool.free[pool.top[0]] = place
    pool.top[0] += 1
