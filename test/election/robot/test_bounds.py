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

"""
How many rounds robots need, at most, in any fair order, with each way to collect.

A region whose farthest member is ``h`` hops from its leader: once the partition stands, what was
wrong on its way has run out after ``h`` rounds and what is right has come in after ``h`` more, and
two rounds go by before the first message and after the last one. So the leader's count is exact
after ``2 h + 3`` rounds, and as many later every member has the decision that was made from it.
By gossip what was wrong lives for ``gossip_depth`` rounds, and may take the room of what is right.
"""

import json
import math
import random

from election.robot.swarm import line, of_one, Swarm
import pytest

COLLECTIONS = pytest.mark.parametrize('collection', ['tree', 'multi-path', 'gossip'])


def scattered(draw: random.Random, collection: str) -> Swarm:
    """Return fourteen robots on 7 m by 7 m whose partition stands."""
    places = {i: (draw.uniform(0.0, 7.0), draw.uniform(0.0, 7.0)) for i in range(14)}
    swarm = Swarm(places, lambda i: {'strength': draw.random()}, tasks='count', radius=5.0,
                  communication_range=2.5, collection=collection)
    swarm.sweep(30, draw)
    return swarm


def depth(swarm: Swarm, leader: int) -> int:
    """Return how many hops the farthest member of a region is away from its leader."""
    followed = swarm.leaders()
    known, ring, hops = {leader}, {leader}, 0
    while True:
        ring = {j for i in ring for j in followed if followed[j] == leader and j not in known
                and math.dist(swarm.places[i], swarm.places[j]) <= 2.5}
        if not ring:
            return hops
        known, hops = known | ring, hops + 1


def bound(swarm: Swarm, leader: int) -> int:
    """Return within how many rounds a leader's count is exact."""
    main = swarm.instances()[leader].parameters
    hops = depth(swarm, leader)
    remembered = main.gossip_depth + hops + 2 if main.collection == 'gossip' else 0
    return max(2 * hops + 3, remembered)


def mislead(swarm: Swarm, draw: random.Random) -> None:
    """Let all say what is wrong in every respect that is not the election's."""
    for i, instance in swarm.instances().items():
        region = instance.membership.region
        assert region is not None
        row = tuple(float(draw.randrange(1000)) for _ in region.summary)
        instance.membership.region = region._replace(
            parent=draw.choice([-1, *swarm.robots]), summary=row,
            recipients=tuple(draw.choice([*swarm.robots]) for _ in region.recipients),
            contributions=tuple(draw.choice([0.0, 1.0]) for _ in region.contributions),
            members=tuple(range(100, 100 + len(region.members))), decision='[{"members":-1}]')
        swarm.said[i] = swarm.robots[i]._payload()
    for i in swarm.robots:
        swarm.tell(i)


@COLLECTIONS
@pytest.mark.parametrize('seed', range(8))
def test_from_anything_to_exact_counts_and_their_decisions_everywhere(collection, seed):
    draw = random.Random(seed)
    swarm = scattered(draw, collection)
    before = swarm.leaders()
    mislead(swarm, draw)
    regions = {leader: [i for i in before if before[i] == leader] for leader in before.values()}
    assert len(regions) >= 2
    bounds = {leader: bound(swarm, leader) for leader in regions}
    for n in range(1, 2 * max(bounds.values()) + 1):
        swarm.sweep(1, draw)
        for leader, members in regions.items():
            if n >= bounds[leader]:
                assert swarm.members()[leader] == len(members), (n, bounds[leader])
            if n >= 2 * bounds[leader]:
                decided = {json.dumps(swarm.decisions()[i]) for i in members}
                assert len(decided) == 1 and f'"members": {len(members)}' in decided.pop()
    assert swarm.leaders() == before


@COLLECTIONS
@pytest.mark.parametrize('seed', range(3))
def test_a_leader_falls_silent_and_the_next_one_decides(collection, seed):
    """
    Six in a line, 1 m apart; robot 1, who leads all within 6 m, is heard no more.

    It is forgotten after an expiry of 3 rounds and the one in which that is seen; 6 m have
    room for 6 links, so its candidacy dies within 7 rounds, and the next one's is everywhere
    within 4 links: 15 rounds. Then the two bounds, each 2 * 4 + 3.
    """
    swarm = Swarm(line(6), lambda i: of_one(i, {1: 9.0, 2: 5.0}), tasks='count', radius=6.0,
                  collection=collection)
    draw = random.Random(seed)
    swarm.sweep(30, draw)
    assert swarm.members() == {1: 6.0}
    swarm.silent.add(1)
    swarm.sweep(15, draw)
    assert set(swarm.leaders().values()) == {2}
    swarm.sweep(11, draw)
    assert swarm.members() == {2: 5.0}
    swarm.sweep(11, draw)
    assert swarm.decisions() == {i: [{'members': 5, 'centre': [3.0, 0.0]}] for i in range(2, 7)}
