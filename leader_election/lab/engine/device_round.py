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

from typing import NamedTuple

from leader_election.lab.columns import DELIVERED, DEPARTED, EXPIRED, LOST, OVERWRITTEN, SENT
from leader_election.lab.engine.compilation import inlined
from leader_election.lab.engine.lanes import (
    compress_store,
    count_lanes,
    estimated_squared_distances,
    first_lanes,
    LANES,
    lanes_at_most,
    lanes_with_flag,
    load_lanes,
    lowest_lane,
    row_addresses,
    select,
    square_roots,
    squared_distances,
)
from leader_election.lab.engine.links import (
    find_slot,
    FRESH,
    FRESH_AT_NEIGHBOUR,
    OCCUPIED,
    OLDER,
)
from leader_election.lab.engine.memory import address_of, call_round, get_int, WORD
from leader_election.lab.engine.messages import (
    deliver,
    disconnect,
    drop_in_flight,
    empty_mailbox,
    receive_arrived,
    send_delayed,
    store_sent,
)
from leader_election.lab.engine.samples import record_round
import numpy as np


class Features(NamedTuple):
    """Which features of :class:`Medium` a run uses; without any, :func:`exchange` is faster."""

    delayed: bool
    """Messages arrive with a delay."""
    lossy: bool
    """Messages without delay can be lost."""
    timed: bool
    """The times of messages matter: they expire, or strength is the degree."""
    estimated: bool
    """Distances are between estimated positions."""


NO_FEATURES = Features(False, False, False, False)


@inlined
def features_of(medium):
    """Return the features that a run uses."""
    delayed = medium.delay_most > 0.0
    return Features(
        delayed, medium.loss > 0.0 and not delayed,
        medium.expiry < np.inf or not np.isnan(medium.degree_since), medium.estimated)


@inlined
def run_round(network, medium, features, entry_points, random, i, now):
    """Run the round of device i that is due now; its row of links and the pool are checked."""
    devices, watch, metric = network.devices, network.watch, network.workspace.metric
    if features.delayed or features.lossy or features.timed or features.estimated:
        messages, degree = exchange(network, medium, features, random, i, now)
    else:
        # A copy of the same code without branches for the features.
        messages, degree = exchange(network, medium, NO_FEATURES, random, i, now)
    if medium.hops:
        for m in range(messages):
            metric[m] = 1.0
    if not np.isnan(medium.degree_since):
        devices.strength[i] = medium.degree_sign * degree
    own = address_of(network.exports) + WORD * network.offsets.width * np.int64(i)
    leader = get_int(own, network.offsets.leader)
    call_round(entry_points.round, address_of(network.frame), own, devices.id[i], messages,
               devices.strength[i])
    devices.sent[i] = now
    if features.delayed:
        send_to_all_in_range(network, medium, random, i, now)
    record_round(watch, i, get_int(own, network.offsets.leader) != leader)


@inlined
def exchange(network, medium, features, random, i, now):
    """
    Process all links of device i before its round, eight at a time.

    Fills ``row_addresses``, ``metric`` and ``in_range`` of the workspace. Without delays, also
    delivers the message that the device sends at the end of this round.

    :return: the number of messages that the round receives; the number of neighbours that
        determines the strength where strength is the degree.
    """
    devices, links, workspace = network.devices, network.links, network.workspace
    pool, counts, offsets = network.pool, network.watch.counts, network.offsets
    position, error, neighbour = devices.position, devices.error, links.neighbour
    size, own_rows = WORD * offsets.width, address_of(network.exports)
    pool_rows = address_of(pool.exports)
    reach_squared, trusted_squared = medium.reach * medium.reach, medium.trusted * medium.trusted
    delayed = features.delayed
    x, y = position[i, 0], position[i, 1]
    messages, degree, near, lost, filled = 0, 0, 0, 0, 0
    first, end = links.row[i, 0], links.row[i, 1]
    for k in range(first, end, LANES):
        used = first_lanes(end - k)
        squares = squared_distances(position, neighbour, k, x, y)
        in_range = lanes_at_most(squares, reach_squared) & used
        near += count_lanes(in_range)
        if delayed:
            workspace.in_range[(k - first) // LANES] = in_range
            some = in_range
            while some:
                receive_arrived(links, pool, counts, k + lowest_lane(some), now)
                some &= some - 1
        flags = load_lanes(links.flags, k)
        fresh, older = lanes_with_flag(flags, FRESH), lanes_with_flag(flags, OLDER)
        fresh_there = lanes_with_flag(flags, FRESH_AT_NEIGHBOUR)
        out_of_range = used & ~in_range
        if not delayed:
            out_of_range &= fresh | older | fresh_there
        heard = in_range & (fresh | older)
        if features.estimated:
            # The true distance decides about reception; the algorithm gets the estimated one.
            squares = estimated_squared_distances(
                position, error, neighbour, k, x + error[i, 0], y + error[i, 1])
        trusted = lanes_at_most(squares, trusted_squared)
        if features.timed:
            heard, recent = expire_lanes(network, medium, i, k, heard, fresh, now)
            degree += count_lanes(recent & trusted)
        heard &= trusted
        # Only the addresses of neighbours' states are stored; the round copies what it reads.
        rows = row_addresses(load_lanes(neighbour, k), own_rows, size)
        if heard & older:
            rows = select(older, row_addresses(load_lanes(links.pool_index, k), pool_rows, size),
                          rows)
        compress_store(rows, heard, workspace.row_addresses, messages)
        compress_store(square_roots(squares, medium.floor), heard, workspace.metric, messages)
        messages += count_lanes(heard)
        # Links that are FRESH on the other side need no change, if no message can be lost.
        receivers = 0 if delayed else in_range if features.lossy else in_range & ~fresh_there
        # One branch for both: few links change, and a processor cannot predict which.
        if out_of_range | receivers:
            disconnect_lanes(network, delayed, i, k, out_of_range)
            lost_here, filled_here = deliver_to_lanes(
                network, medium, features.lossy, random, i, k, receivers)
            lost, filled = lost + lost_here, filled + filled_here
    counts[SENT] += near
    if not delayed:
        counts[LOST] += lost
        counts[DELIVERED] += near - lost
        counts[OVERWRITTEN] += near - lost - filled
    return messages, degree


@inlined
def disconnect_lanes(network, delayed, i, k, some):
    """
    Empty the mailboxes of device i for devices out of range, in the lanes of a mask from slot k.

    What device i sent them before stays in their mailboxes until their own round.
    """
    links, counts = network.links, network.watch.counts
    while some:
        slot = k + lowest_lane(some)
        some &= some - 1
        if delayed:
            drop_in_flight(links, network.pool, counts, slot)
        counts[DEPARTED] += links.flags[slot] & OCCUPIED != 0
        disconnect(links, network.pool, network.offsets, network.exports,
                   network.devices.sent[i], i, slot)


@inlined
def expire_lanes(network, medium, i, k, heard, fresh, now):
    """
    Discard expired messages in the lanes of the mask ``heard``.

    :return: the mask of the messages that are left; the mask of those among them that count
        towards the degree.
    """
    links, pool = network.links, network.pool
    some, recent = heard, 0
    while some:
        lane = lowest_lane(some)
        some &= some - 1
        slot = k + lane
        since = (network.devices.sent[links.neighbour[slot]] if fresh & 1 << lane
                 else pool.time[links.pool_index[slot]])
        if not (medium.expiry == np.inf or now - since <= medium.expiry):
            network.watch.counts[EXPIRED] += 1
            empty_mailbox(links, pool, i, slot)
            heard &= ~(1 << lane)
        elif since >= medium.degree_since:
            recent |= 1 << lane
    return heard, recent


@inlined
def deliver_to_lanes(network, medium, lossy, random, i, k, some):
    """
    Deliver the next message of device i, without delay, in the lanes of a mask from slot k.

    :return: the number of messages lost; the number of mailboxes that were empty.
    """
    links, pool = network.links, network.pool
    lost, filled = 0, 0
    while some:
        slot = k + lowest_lane(some)
        some &= some - 1
        if lossy and random.random() < medium.loss:
            lost += 1
            # The export is about to change; the receiver continues with a copy.
            if links.flags[slot] & FRESH_AT_NEIGHBOUR:
                store_sent(links, pool, network.offsets, network.exports,
                           network.devices.sent[i], i, slot,
                           find_slot(links, links.neighbour[slot], i))
        else:
            filled += deliver(links, pool, i, slot)
    return lost, filled


@inlined
def send_to_all_in_range(network, medium, random, i, now):
    """Put the new export of device i in flight to all neighbours in range."""
    links = network.links
    first, end = links.row[i, 0], links.row[i, 1]
    for k in range(first, end, LANES):
        some = network.workspace.in_range[(k - first) // LANES]
        while some:
            receiver = links.neighbour[k + lowest_lane(some)]
            some &= some - 1
            send_delayed(links, network.pool, medium, network.watch.counts, random,
                         network.offsets, network.exports, i, find_slot(links, receiver, i), now)
