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

"""The loop that runs a network: rounds, moves and samples, each in its time."""

from typing import NamedTuple

from leader_election.lab.engine.compilation import inlined, jit
from leader_election.lab.engine.entry_points import (
    COUNTS,
    HEARD,
    METRIC,
    PARAMETERS,
    ROOM,
    SOURCES,
    VECTORS,
)
from leader_election.lab.engine.event_queue import sift
from leader_election.lab.engine.lanes import (
    addresses,
    apart,
    apart_as_known,
    at_most,
    choose,
    first_lanes,
    flagged,
    how_many,
    LANES,
    lanes,
    lowest,
    prefetch,
    roots,
    squeeze,
)
from leader_election.lab.engine.links import find, free, FRESH, HELD, OLDER, relink, room_of, TOLD
from leader_election.lab.engine.memory import (
    address_of,
    borrow,
    call_round,
    call_step,
    get_int,
    WORD,
)
from leader_election.lab.engine.messages import (
    arrive,
    clear,
    drop,
    give_back,
    keep,
    part,
    renew,
    send,
)
from leader_election.lab.engine.rows import FULL, rows_of_pairs, rows_within
from leader_election.lab.engine.samples import (
    DELIVERED,
    DEPARTED,
    EXPIRED,
    LOST,
    MOVES,
    OVERWRITTEN,
    REBUILT,
    ROUNDS,
    sample,
    SENT,
)
import numpy as np

DONE, MORE_PAIRS, MORE_POOL, MORE_ROOM = range(4)
"""How a stretch ended: at its time, or early since an array is too small."""


CACHED = 5_000
"""So many devices fit into a processor's cache."""
AHEAD = 6
"""How many rounds before it is due something is fetched that a processor's cache has not."""


class Calls(NamedTuple):
    """Where what is compiled for the algorithm and the motion of a run lies: addresses."""

    round: int  # noqa: A003
    """The entry point of the algorithm's round."""
    parameters: int
    """What it is called with each time."""
    step: int
    """The entry point of the motion's step."""
    motion: int
    """What it is called with each time."""


@jit
def advance(network, medium, calls, random, until):
    """
    Run all that is due before a time, and take the samples up to and at that time.

    :param network: the arrays, changed in place.
    :param medium: the numbers that hold for all.
    :param calls: whoever calls holds what these are the addresses of.
    :param random: a ``numpy.random.Generator`` for messages and periods.
    :param until: [s].
    :return: ``DONE``, or what there must be more of before this is called again.
    """
    # What the inner loops use has names of its own: numba takes a tuple apart at each dot.
    network, random = borrow(network), borrow(random)
    watch, rounds, moves = network.watch, network.rounds, network.moves
    links, pool, lists = network.links, network.pool, network.lists
    identity, strength = network.devices.id, network.devices.strength
    position, running = network.devices.position, network.devices.running
    error, estimated = network.devices.error, medium.estimated
    period, sent = network.devices.period, network.devices.sent
    row, neighbour = links.row, links.neighbour
    exports, places, room = network.exports, network.places, network.room
    sources, metric = room.sources, room.metric
    pool_time, top = pool.time, pool.top
    # The algorithm's code reads memory by address: rows of states here, the rest in the frame.
    size = WORD * places.width
    own_rows, pooled_rows = address_of(exports), address_of(pool.exports)
    frame = network.frame
    frame[PARAMETERS], frame[SOURCES] = calls.parameters, address_of(sources)
    frame[METRIC], frame[HEARD] = address_of(metric), address_of(room.heard)
    frame[ROOM], frame[VECTORS] = len(room.heard), address_of(network.vectors)
    frame[COUNTS] = address_of(watch.counts)
    frame_address = address_of(frame)
    changes, changed, begun = watch.changes, watch.changed, watch.begun
    counts, sampled, due = watch.counts, watch.sampled, lists.due
    ring, order, times, head = rounds.ring, rounds.order, rounds.time, rounds.head
    move_order, move_times, move_head = moves.order, moves.time, moves.head
    moving, tick = len(move_order) > 0, lists.tick
    square, trusted = medium.reach * medium.reach, medium.trusted * medium.trusted
    takes_time = medium.delay_most > 0.0
    patient = medium.expiry == np.inf
    plain = medium.loss == 0.0 and not takes_time
    by_degree = not np.isnan(medium.degree_since)
    by_time = by_degree or not patient
    oldest = np.uint64(watch.window - 1)
    one = np.uint64(1)
    # Where there are many, what is worked on next is fetched into the processor's cache before.
    fetching = ring and len(order) > CACHED
    stop = -np.inf
    while True:
        # Whatever comes first: the next round, the next move, or something seldom at its time.
        i = order[head[0]]
        now = times[i]
        if moving:
            mover = move_order[move_head[0]]
            now = min(now, move_times[mover])
        if now >= stop:
            # A sample is of the time just before what happens at its own time.
            if (sampled[0] + 1) * watch.interval <= min(now, until) \
                    and sampled[0] < len(watch.samples):
                sample(network.devices, places, exports, watch)
            elif now >= until:
                return DONE
            elif now >= due[0]:
                status = rebuild(network, medium, now)
                if status != DONE:
                    return status
            stop = min(until, due[0])
            if sampled[0] < len(watch.samples):
                stop = min(stop, (sampled[0] + 1) * watch.interval)
            continue
        if moving and move_times[mover] <= now:
            if running[mover]:
                later_mover = move_order[ahead(move_head[0], 2 * AHEAD, len(move_order))]
                prefetch(position, later_mover)
                prefetch(move_times, later_mover)
                call_step(calls.step, calls.motion, mover, now, later_mover)
                counts[MOVES] += 1
            move_times[mover] += tick
            move_head[0] += 1
            if move_head[0] == len(move_order):
                move_head[0] = 0
            continue
        # A round takes at most two places a link: what is kept, or sent twice. To see to it before
        # anything is changed lets the caller make room and call again, as if nothing had been.
        if fetching:
            later_device = order[ahead(head[0], 2 * AHEAD, len(order))]
            prefetch(row, later_device)
            prefetch(times, later_device)
            prefetch(position, later_device)
            prefetch(exports, later_device)
            prefetch(sent, later_device)
            prefetch(changes, later_device)
            next_row = row[order[ahead(head[0], AHEAD, len(order))], 0]
            prefetch(neighbour, next_row)
            prefetch(neighbour, next_row + 2 * LANES)
            prefetch(links.flags, next_row)
        first, last = row[i, 0], row[i, 1]
        if top[0] < 2 * (last - first):
            return MORE_POOL
        if running[i]:
            x, y = position[i, 0], position[i, 1]
            messages, degree, near = 0, 0, 0
            lost, overwritten = 0, 0
            for k in range(first, last, LANES):
                ours = first_lanes(last - k)
                squares = apart(position, neighbour, k, x, y)
                inside = at_most(squares, square) & ours
                room.inside[(k - first) // LANES] = inside
                near += how_many(inside)
                if takes_time:
                    some = inside
                    while some:
                        arrive(links, pool, counts, k + lowest(some), now)
                        some &= some - 1
                flags = lanes(links.flags, k)
                fresh, older, told = (flagged(flags, FRESH), flagged(flags, OLDER),
                                      flagged(flags, TOLD))
                # Those out of range lose what is on its way, and their mailbox. What this device
                # sent them before stays with them until their own round, and has to outlive this.
                some = ours & ~inside
                if not takes_time:
                    some &= fresh | older | told
                while some:
                    slot = k + lowest(some)
                    some &= some - 1
                    if takes_time:
                        drop(links, pool, counts, slot)
                    held = links.flags[slot] & HELD
                    counts[DEPARTED] += held != 0
                    part(links, pool, places, exports, sent[i], i, slot)
                heard = inside & (fresh | older)
                if estimated:
                    # The radio reaches by true positions; distances are those that devices know.
                    squares = apart_as_known(position, error, neighbour, k,
                                             x + error[i, 0], y + error[i, 1])
                counted = at_most(squares, trusted)
                if by_time:
                    some = heard
                    while some:
                        lane = lowest(some)
                        some &= some - 1
                        slot = k + lane
                        since = (sent[neighbour[slot]] if fresh & 1 << lane
                                 else pool_time[links.box[slot]])
                        if not (patient or now - since <= medium.expiry):
                            counts[EXPIRED] += 1
                            clear(links, pool, i, slot)
                            heard &= ~(1 << lane)
                        elif by_degree and since >= medium.degree_since:
                            degree += counted >> lane & 1
                heard &= counted
                # What is heard: only addresses are noted; the round copies what it reads.
                rows = addresses(lanes(neighbour, k), own_rows, size)
                if heard & older:
                    rows = choose(older, addresses(lanes(links.box, k), pooled_rows, size), rows)
                squeeze(rows, heard, sources, messages)
                squeeze(roots(squares, medium.floor), heard, metric, messages)
                messages += how_many(heard)
                # Without delays, who will hear this round.
                some = inside & ~told if plain else inside if not takes_time else 0
                while some:
                    slot = k + lowest(some)
                    some &= some - 1
                    if not plain and random.random() < medium.loss:
                        lost += 1
                        # The row is about to change; the neighbour goes on with what it has.
                        if links.flags[slot] & TOLD:
                            keep(links, pool, places, exports, sent[i], i, slot,
                                 find(links, neighbour[slot], i))
                    else:
                        overwritten -= renew(links, pool, i, slot)
            counts[SENT] += near
            if medium.hops:
                for m in range(messages):
                    metric[m] = 1.0
            # Counters in memory are touched once a round, not once a message.
            if not takes_time:
                counts[LOST] += lost
                counts[DELIVERED] += near - lost
                counts[OVERWRITTEN] += near - lost + overwritten
            if by_degree:
                strength[i] = medium.degree_sign * degree
            own = own_rows + size * np.int64(i)
            before = get_int(own, places.leader)
            call_round(calls.round, frame_address, own, identity[i], messages, strength[i])
            sent[i] = now
            if takes_time:
                for k in range(first, last, LANES):
                    some = room.inside[(k - first) // LANES]
                    while some:
                        j = neighbour[k + lowest(some)]
                        some &= some - 1
                        send(links, pool, medium, counts, random, places, exports, i,
                             find(links, j, i), now)
            counts[ROUNDS] += 1
            # Instability: a bit a round for each device, and how many are set in all windows.
            differs = begun[i] and get_int(own, places.leader) != before
            begun[i] = True
            changed[0] += np.int64(differs) - np.int64((changes[i] >> oldest) & one)
            changed[1] += differs
            changes[i] = (changes[i] << one) | np.uint64(differs)
        later = now + period[i]
        if medium.jitter > 0.0:
            later += period[i] * medium.jitter * (2.0 * random.random() - 1.0)
        times[i] = later
        if ring:
            head[0] += 1
            if head[0] == len(order):
                head[0] = 0
        else:
            sift(order, times)


@inlined
def ahead(head, steps, size):
    """Return where in a ring of some size one is after so many steps, fewer than the size."""
    place = head + steps
    return place - size if place >= size else min(place, size - 1)


@jit
def rebuild(network, medium, now):
    """Make the rows of links anew, in the half of the room that is not in use."""
    network = borrow(network)
    devices, links, lists, pool = network.devices, network.links, network.lists, network.pool
    n, room = len(devices.id), room_of(links)
    k = free(links)
    order, begin = np.empty(n, np.int32), np.empty(n + 1, np.int64)
    if lists.fixed:
        end = rows_of_pairs(
            devices, lists.first, lists.second, links.neighbour, k, order, begin)
    else:
        end = rows_within(devices, medium.reach + lists.skin, links.neighbour, k, k + room, order,
                          begin)
    if end == FULL:
        return MORE_PAIRS
    longest = 0
    for p in range(n):
        longest = max(longest, begin[p + 1] - begin[p])
    if longest + LANES > len(network.room.metric):
        return MORE_ROOM
    first, last = links.used[0], links.used[1]
    relink(links, order, begin)
    for k in range(first, last):
        if links.flags[k] & HELD:
            network.watch.counts[DEPARTED] += 1
            if links.flags[k] & OLDER:
                give_back(pool, links.box[k])
        if len(links.flight) > 0:
            drop(links, pool, network.watch.counts, k)
    network.watch.counts[REBUILT] += 1
    lists.due[0] = np.inf
    if not lists.fixed and lists.speed > 0.0:
        # Until then, nobody has made more than so many steps, however their times are rounded.
        steps = np.floor(lists.skin / (2.0 * lists.speed * lists.tick))
        lists.due[0] = now + max(0.0, steps - 0.01) * lists.tick
    return DONE


@jit
def detach(network, devices):
    """Let neighbours keep what devices sent, before the states are changed from outside."""
    network = borrow(network)
    links = network.links
    for i in devices:
        for k in range(links.row[i, 0], links.row[i, 1]):
            if links.flags[k] & TOLD:
                keep(links, network.pool, network.places, network.exports,
                     network.devices.sent[i], i, k, find(links, links.neighbour[k], i))
