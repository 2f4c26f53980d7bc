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

from leader_election.lab.engine.compilation import jit
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
from leader_election.lab.engine.links import (
    count_pairs,
    EMPTY,
    FRESH,
    NONE,
    pairs_within,
    relink,
)
from leader_election.lab.engine.memory import (
    address_of,
    borrow,
    call_round,
    call_step,
    get_int,
    WORD,
)
from leader_election.lab.engine.messages import arrive, clear, drop, give_back, keep, renew, send
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
    UNDELIVERED,
)
import numpy as np

DONE, MORE_PAIRS, MORE_POOL, MORE_ROOM = range(4)
"""How a stretch ended: at its time, or early since an array is too small."""


class Calls(NamedTuple):
    """Where what is compiled for the algorithm and the motion of a run lies: addresses."""

    round: int
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
    start, neighbour, mirror = links.start, links.neighbour, links.mirror
    box, told = links.box, links.told
    exports, places, room = network.exports, network.places, network.room
    sources, metric, reached, stray = room.sources, room.metric, room.reached, room.stray
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
    oldest = np.uint64(watch.window - 1)
    one = np.uint64(1)
    while True:
        # Whatever comes first: the next round, the next move, the next sample.
        i = order[head[0]]
        now = times[i]
        if moving:
            mover = move_order[move_head[0]]
            now = min(now, move_times[mover])
        soon = (sampled[0] + 1) * watch.interval
        # A sample is of the time just before what happens at its own time.
        if soon <= min(now, until) and sampled[0] < len(watch.samples):
            sample(network.devices, places, exports, watch)
            continue
        if now >= until:
            return DONE
        if now >= due[0]:
            status = rebuild(network, medium, now)
            if status != DONE:
                return status
        if moving and move_times[mover] <= now:
            if running[mover]:
                call_step(calls.step, calls.motion, mover, now)
                counts[MOVES] += 1
            move_times[mover] += tick
            move_head[0] += 1
            if move_head[0] == len(move_order):
                move_head[0] = 0
            continue
        # A round takes at most two places a link: what is kept, or sent twice. To see to it before
        # anything is changed lets the caller make room and call again, as if nothing had been.
        if top[0] < 2 * (start[i + 1] - start[i]):
            return MORE_POOL
        if running[i]:
            x, y = position[i, 0], position[i, 1]
            messages, degree, near = 0, 0, 0
            lost, overwritten = 0, 0
            strays = 0
            # Which neighbours are in range. Written down in any case, and counted only if so: a
            # branch here is mispredicted at every other neighbour, which costs more.
            for k in range(np.uint64(start[i]), np.uint64(start[i + 1])):
                j = neighbour[k]
                dx, dy = position[j, 0] - x, position[j, 1] - y
                apart = dx * dx + dy * dy
                inside = apart <= square
                reached[near] = k
                metric[near] = apart
                near += inside
                stray[strays] = k
                strays += (not inside) & ((box[k] != EMPTY) | told[k] | takes_time)
            # Those out of range lose what is on its way, and their mailbox. What this device sent
            # them before stays with them until their own round, and has to outlive this one.
            for r in range(strays):
                k = stray[r]
                if takes_time:
                    drop(links, pool, counts, k)
                if box[k] != EMPTY:
                    counts[DEPARTED] += 1
                    clear(links, pool, k)
                if told[k]:
                    keep(links, pool, places, exports, sent[i], i, k)
            if estimated:
                # The radio reaches by true positions; distances are those that devices know.
                x, y = x + error[i, 0], y + error[i, 1]
                for r in range(near):
                    j = neighbour[reached[r]]
                    dx, dy = position[j, 0] + error[j, 0] - x, position[j, 1] + error[j, 1] - y
                    metric[r] = dx * dx + dy * dy
            if takes_time:
                for r in range(near):
                    arrive(links, pool, counts, reached[r], now)
            counts[SENT] += near
            # What is heard, and, without delays, who will hear this round: both mailboxes of a
            # link are at hand now. Only addresses are noted; the round copies what it reads.
            for r in range(near):
                k = reached[r]
                j, held, inside = neighbour[k], box[k], metric[r] <= trusted
                if held == FRESH and (patient or now - sent[j] <= medium.expiry):
                    sources[messages] = own_rows + size * np.int64(j)
                    metric[messages] = metric[r]
                    messages += inside
                    if by_degree:
                        degree += inside & (sent[j] >= medium.degree_since)
                elif held >= 0 and (patient or now - pool_time[held] <= medium.expiry):
                    sources[messages] = pooled_rows + size * np.int64(held)
                    metric[messages] = metric[r]
                    messages += inside
                    if by_degree:
                        degree += inside & (pool_time[held] >= medium.degree_since)
                elif held != EMPTY:
                    counts[EXPIRED] += 1
                    clear(links, pool, k)
                if plain:
                    overwritten -= renew(links, pool, k)
                elif not takes_time:
                    if random.random() < medium.loss:
                        lost += 1
                        # The row is about to change; the neighbour goes on with what it has.
                        if told[k]:
                            keep(links, pool, places, exports, sent[i], i, k)
                    else:
                        overwritten -= renew(links, pool, k)
            # Roots in a loop of their own are taken several at a time.
            for r in range(messages):
                metric[r] = 1.0 if medium.hops else max(np.sqrt(metric[r]), medium.floor)
            # Counters in memory are touched once a round, not once a message.
            if not takes_time:
                counts[LOST] += lost
                counts[DELIVERED] += near - lost
                counts[OVERWRITTEN] += near - lost + overwritten
            if by_degree:
                strength[i] = medium.degree_sign * degree
            row = own_rows + size * np.int64(i)
            before = get_int(row, places.leader)
            call_round(calls.round, frame_address, row, identity[i], messages, strength[i])
            sent[i] = now
            if takes_time:
                for r in range(near):
                    send(links, pool, medium, counts, random, places, exports, i,
                         mirror[reached[r]], now)
            counts[ROUNDS] += 1
            # Instability: a bit a round for each device, and how many are set in all windows.
            differs = begun[i] and get_int(row, places.leader) != before
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


@jit
def rebuild(network, medium, now):
    """Make the rows of links anew."""
    network = borrow(network)
    devices, links, lists, pool = network.devices, network.links, network.lists, network.pool
    if lists.fixed >= 0:
        # Pairs that are there for good lie behind those in use.
        count = 0
        for p in range(lists.fixed):
            i, j = lists.first[lists.fixed + p], lists.second[lists.fixed + p]
            if (devices.present[i] and devices.present[j] and devices.group[i] == devices.group[j]
                    and (devices.among[i] or devices.among[j])):
                lists.first[count], lists.second[count] = i, j
                count += 1
    else:
        count = pairs_within(devices.position, devices.present, devices.group, devices.among,
                             medium.reach + lists.skin, lists.first, lists.second)
    if count > len(lists.first) or 2 * count >= len(links.neighbour):
        return MORE_PAIRS
    degree = np.empty(len(devices.id), np.int32)
    if count_pairs(lists.first, lists.second, count, degree) > len(network.room.metric):
        return MORE_ROOM
    old = links.start[len(devices.id)]
    relink(links, lists.first, lists.second, count, degree, lists.spare)
    for k in range(old):
        if lists.spare.box[k] != EMPTY:
            network.watch.counts[DEPARTED] += 1
            if lists.spare.box[k] != FRESH:
                give_back(pool, lists.spare.box[k])
        if len(lists.spare.flight) > 0:
            place = lists.spare.flight[k, 0]
            while place != NONE:
                network.watch.counts[UNDELIVERED] += 1
                give_back(pool, place)
                place = pool.next[place]
    network.watch.counts[REBUILT] += 1
    lists.due[0] = np.inf
    if lists.fixed < 0 and lists.speed > 0.0:
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
        for k in range(links.start[i], links.start[i + 1]):
            if links.told[k]:
                keep(links, network.pool, network.places, network.exports,
                     network.devices.sent[i], i, k)
