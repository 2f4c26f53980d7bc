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

"""The rebuild of neighbour lists, and when the next one is necessary."""

from leader_election.lab.columns import DEPARTED, REBUILT
from leader_election.lab.engine.compilation import jit
from leader_election.lab.engine.lanes import LANES
from leader_election.lab.engine.links import free_half, half_size, OCCUPIED, OLDER, replace_rows
from leader_election.lab.engine.memory import borrow
from leader_election.lab.engine.messages import drop_in_flight, release
from leader_election.lab.engine.network import DONE, LINKS_FULL, WORKSPACE_FULL
from leader_election.lab.engine.rows import FULL, write_rows_of_pairs, write_rows_within
import numpy as np


@jit
def rebuild(network, medium, now):
    """
    Rebuild all rows of links, in the half of the slots that is not in use.

    :return: ``DONE``, or which arrays are too small; nothing has then changed.
    """
    network = borrow(network)
    devices, links, lists, pool = network.devices, network.links, network.lists, network.pool
    n, half = len(devices.id), half_size(links)
    k = free_half(links)
    order, begin = np.empty(n, np.int32), np.empty(n + 1, np.int64)
    if lists.fixed:
        end = write_rows_of_pairs(
            devices, lists.first, lists.second, links.neighbour, k, order, begin)
    else:
        end = write_rows_within(
            devices, medium.reach + lists.skin, links.neighbour, k, k + half, order, begin)
    if end == FULL:
        return LINKS_FULL
    longest = 0
    for p in range(n):
        longest = max(longest, begin[p + 1] - begin[p])
    if longest + LANES > len(network.workspace.metric):
        return WORKSPACE_FULL
    first, last = links.used[0], links.used[1]
    replace_rows(links, order, begin)
    # What the old slots still hold belongs to links that no longer exist.
    for k in range(first, last):
        if links.flags[k] & OCCUPIED:
            network.watch.counts[DEPARTED] += 1
            if links.flags[k] & OLDER:
                release(pool, links.pool_index[k])
        if len(links.in_flight) > 0:
            drop_in_flight(links, pool, network.watch.counts, k)
    network.watch.counts[REBUILT] += 1
    lists.rebuild_at[0] = np.inf
    if not lists.fixed and lists.speed > 0.0:
        # Two devices that approach each other cross the skin in this number of steps, or more.
        # The margin of 0.01 steps covers the rounding of the devices' times.
        steps = np.floor(lists.skin / (2.0 * lists.speed * lists.tick))
        lists.rebuild_at[0] = now + max(0.0, steps - 0.01) * lists.tick
    return DONE
