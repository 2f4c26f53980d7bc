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

"""What a message does: it is left in a mailbox, kept there, lost, on its way, or in vain."""

from leader_election.lab.engine.compiled import copy
from leader_election.lab.engine.jit import inlined
from leader_election.lab.engine.links import EMPTY, FRESH, NONE
from leader_election.lab.engine.network import (
    DELIVERED,
    DUPLICATED,
    LOST,
    OVERWRITTEN,
    UNDELIVERED,
)
from leader_election.lab.engine.pool import give_back, take


@inlined
def clear(links, pool, slot):
    """Empty a mailbox."""
    if links.box[slot] == FRESH:
        links.told[links.mirror[slot]] = False
    elif links.box[slot] != EMPTY:
        give_back(pool, links.box[slot])
    links.box[slot] = EMPTY


@inlined
def keep(links, pool, exports, sent, i, slot):
    """Let the neighbour keep what device i sent it before the message that it misses."""
    place = take(pool)
    copy(exports, i, pool.exports, place)
    pool.time[place] = sent
    links.box[links.mirror[slot]] = place
    links.told[slot] = False


@inlined
def send(links, pool, medium, counts, random, exports, i, slot, now):
    """Send what device i exports to a mailbox, on a way that takes time."""
    if medium.loss > 0.0 and random.random() < medium.loss:
        counts[LOST] += 1
        return
    spread = medium.delay_most - medium.delay_least
    copies = 1
    if medium.duplication > 0.0 and random.random() < medium.duplication:
        counts[DUPLICATED] += 1
        copies = 2
    for _ in range(copies):
        place = take(pool)
        copy(exports, i, pool.exports, place)
        pool.time[place] = now + medium.delay_least + spread * random.random()
        last = links.flight[slot, 1]
        if last == NONE:
            links.flight[slot, 0] = place
        else:
            # The order of a pair's messages is kept.
            pool.time[place] = max(pool.time[place], pool.time[last])
            pool.next[last] = place
        links.flight[slot, 1] = place


@inlined
def arrive(links, pool, counts, slot, now):
    """Put what has arrived into a mailbox."""
    while links.flight[slot, 0] != NONE:
        place = links.flight[slot, 0]
        if pool.time[place] > now:
            return
        links.flight[slot, 0] = pool.next[place]
        if pool.next[place] == NONE:
            links.flight[slot, 1] = NONE
        counts[DELIVERED] += 1
        if links.box[slot] != EMPTY:
            counts[OVERWRITTEN] += 1
            give_back(pool, links.box[slot])
        links.box[slot] = place


@inlined
def drop(links, pool, counts, slot):
    """Let what is on its way to a mailbox get nowhere."""
    while links.flight[slot, 0] != NONE:
        place = links.flight[slot, 0]
        links.flight[slot, 0] = pool.next[place]
        counts[UNDELIVERED] += 1
        give_back(pool, place)
    links.flight[slot, 1] = NONE
