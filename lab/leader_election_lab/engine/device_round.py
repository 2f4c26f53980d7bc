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

"""One round of a device: receive, call the algorithm's compiled round, send."""

from leader_election_lab.columns import DELIVERED, DEPARTED, EXPIRED, LOST, OVERWRITTEN, SENT
from leader_election_lab.engine.compilation import inlined
from leader_election_lab.engine.memory import call_round
from leader_election_lab.engine.messages import (
    copy_sent,
    deliver,
    disconnect,
    empty_mailbox,
    is_lost,
    receive_arrived,
    send_delayed,
    store_sent,
)
from leader_election_lab.engine.network import FRESH, FRESH_AT_NEIGHBOUR, OCCUPIED
from leader_election_lab.engine.samples import record_round
import numpy as np


@inlined
def run_round(network, medium, entry_points, random, i, now):
    """Run the round of device i that is due now; the pool has room for what it stores."""
    devices, exports, near = network.devices, network.exports, network.workspace.near
    leader_at = network.offsets.leader
    found = find_near(network, medium, i)
    messages, degree = exchange(network, medium, random, i, found, now)
    if not np.isnan(medium.degree_since):
        devices.strength[i] = medium.degree_sign * degree
    leader = exports[i, leader_at]
    call_round(entry_points.round, entry_points.parameters, i, devices.id[i], messages,
               devices.strength[i])
    devices.sent[i] = now
    if medium.delay_most > 0.0:
        for p in range(found):
            send_delayed(network, medium, random, i, near[p], now)
    record_round(network.watch, i, exports[i, leader_at] != leader)


@inlined
def find_near(network, medium, i):
    """
    Find the neighbours of device i that are in range, and empty the links of all others.

    Fills ``near`` and ``square`` of the workspace.

    :return: the number of neighbours in range.
    """
    devices, links, workspace = network.devices, network.links, network.workspace
    position, neighbour, flags = devices.position, links.neighbour, links.flags
    near, square, gone = workspace.near, workspace.square, workspace.gone
    reach_squared, flights = medium.reach * medium.reach, np.uint8(medium.delay_most > 0.0)
    x, y = position[i, 0], position[i, 1]
    # Unsigned indices, since signed ones are checked.
    first, size = np.uint64(links.row[i, 0]), np.uint64(links.row[i, 1] - links.row[i, 0])
    # A loop of its own, in which a processor computes several distances at once.
    for q in range(size):
        j = neighbour[first + q]
        dx, dy = position[j, 0] - x, position[j, 1] - y
        square[q] = dx * dx + dy * dy
    # Without a branch, since a processor cannot predict which neighbours are in range.
    found, left = np.uint64(0), np.uint64(0)
    for q in range(size):
        k, squared = first + q, square[q]
        inside = np.uint64(squared <= reach_squared)
        near[found], square[found], gone[left] = k, squared, k
        found += inside
        left += np.uint64(flags[k] | flights != 0) & ~inside
    counts = network.watch.counts
    for p in range(left):
        counts[DEPARTED] += disconnect(network, i, gone[p])
    counts[SENT] += np.int64(found)
    return np.int64(found)


@inlined
def exchange(network, medium, random, i, found, now):
    """
    Exchange messages with the neighbours in range, before the round of device i.

    Copies the messages that the round receives into ``heard`` and ``metric``. Without delays, also
    delivers the message that the device sends after the round.

    :param found: the number of neighbours in ``near``.
    :return: the number of messages received; how many of them count where strength is the number
        of neighbours.
    """
    devices, links, workspace = network.devices, network.links, network.workspace
    pool, position, error = network.pool, devices.position, devices.error
    metric, counts = workspace.metric, network.watch.counts
    delayed, estimated = medium.delay_most > 0.0, medium.estimated
    timed = medium.expiry < np.inf or not np.isnan(medium.degree_since)
    trusted_squared = medium.trusted * medium.trusted
    x, y = position[i, 0] + error[i, 0], position[i, 1] + error[i, 1]
    messages, degree, lost, filled = np.uint64(0), 0, 0, 0
    for p in range(np.uint64(found)):
        k, squared = workspace.near[p], workspace.square[p]
        if delayed:
            receive_arrived(network, k, now)
        j, flags = links.neighbour[k], links.flags[k]
        if estimated:
            # The true distance decides about reception; the algorithm gets the estimated one.
            dx, dy = position[j, 0] + error[j, 0] - x, position[j, 1] + error[j, 1] - y
            squared = dx * dx + dy * dy
        useful = flags & OCCUPIED != 0
        if timed and useful:
            since = devices.sent[j] if flags & FRESH else pool.time[links.pool_index[k]]
            if not (medium.expiry == np.inf or now - since <= medium.expiry):
                counts[EXPIRED] += 1
                empty_mailbox(links, pool, k)
                useful = False
            else:
                degree += since >= medium.degree_since and squared <= trusted_squared
        if useful and squared <= trusted_squared:
            metric[messages] = squared
            if flags & FRESH:
                copy_sent(network.offsets, network.exports, j, workspace.heard, messages)
            else:
                copy_sent(network.offsets, pool.exports, links.pool_index[k], workspace.heard,
                          messages)
            messages += np.uint64(1)
        if not delayed and is_lost(links, medium, random, k):
            lost += 1
            # The export is about to change; the receiver continues with a copy.
            if flags & FRESH_AT_NEIGHBOUR:
                store_sent(network, i, k)
        elif not delayed and not flags & FRESH_AT_NEIGHBOUR:
            filled += deliver(links, pool, k)
    if not delayed:
        counts[LOST] += lost
        counts[DELIVERED] += found - lost
        counts[OVERWRITTEN] += found - lost - filled
    # A loop of its own, in which a processor computes several roots at once.
    for m in range(messages):
        metric[m] = 1.0 if medium.hops else max(np.sqrt(metric[m]), medium.floor)
    return np.int64(messages), degree
