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

"""How a swarm forgets a dead leader, with robots of this version and of the one before."""

import json
import math
import random

from election.robot.swarm import line, of_one, Swarm
from leader_election.election.algorithms import ALGORITHMS
import pytest

CLOSE = {i: (0.05 * i, 0.0) for i in range(1, 5)}
"""Places 5 cm apart: by the radius of 20 m alone a dead leader would live for minutes."""
EXPIRY = 3
"""The time that a message lasts, in rounds, of a second each."""


class MixedSwarm(Swarm):
    """
    Some of the robots are of the version before.

    They have neither hop limit nor hysteresis, and no hops in their messages; of other messages
    they read what was there before.
    """

    def __init__(self, old: set[int], **common) -> None:
        self.old = old
        super().__init__(CLOSE, lambda i: {
            **of_one(i, {4: 9.0}), **({'hop_limit': -1} if i in old else {})}, **common)

    def tell(self, i: int, payload: str | None = None) -> None:
        document = json.loads(self.said[i] if payload is None else payload)
        before = {key: value for key, value in document.items() if key != 'h'}
        for j, robot in self.robots.items():
            if j != i and j not in self.silent:
                robot.sensing.take_odometry((*self.places[j], 0.0), self.now, yaw=0.0)
                plain = i in self.old or j in self.old
                robot.receive(json.dumps(before if plain else document), self.now)


def sweeps_until_forgotten(swarm: Swarm, leader: int, most: int) -> int:
    """Return the number of rounds until no robot follows a silent leader."""
    swarm.silent.add(leader)
    for n in range(most + 1):
        if leader not in {instance.state.leader for instance in swarm.instances().values()}:
            return n
        swarm.sweep(1, random.Random(n))
    return most + 1


@pytest.mark.parametrize('algorithm', sorted(set(ALGORITHMS.names()) - {'recursive'}))
@pytest.mark.parametrize('loss', [0.0, 0.4])
def test_dead_leader_is_forgotten_within_the_bound(algorithm, loss, monkeypatch):
    """Check each algorithm by its own bound, except ``recursive``, which never forgets."""
    limit = 8
    settings = {'recursive-replicated': {'recursive_replicated.replicate_period': 5},
                'given': {'given.leaders': '4'}}
    swarm = Swarm(CLOSE, lambda i: of_one(i, {4: 9.0}), algorithm=algorithm, hop_limit=limit,
                  message_expiry=float(EXPIRY), **settings.get(algorithm, {}),
                  **({'radius': 20.0} if 'radius' in ALGORITHMS.get(algorithm).takes else {}))
    swarm.sweep(30)
    assert set(swarm.leaders().values()) == {4}
    draw = random.Random(1)
    receive = {i: robot.receive for i, robot in swarm.robots.items()}
    for i, robot in swarm.robots.items():
        monkeypatch.setattr(robot, 'receive', lambda payload, now, i=i: (
            draw.random() >= loss and receive[i](payload, now)))
    replicates = 5 * 3 if algorithm == 'recursive-replicated' else 0
    assert sweeps_until_forgotten(swarm, 4, 400) <= EXPIRY + limit + replicates


def test_radius_bounds_recovery_without_a_hop_limit():
    """With the papers' setting recovery would take 400 rounds at the default floor of 5 cm."""
    swarm = Swarm(CLOSE, lambda i: of_one(i, {4: 9.0}), hop_limit=-1, radius=2.0,
                  message_expiry=float(EXPIRY))
    swarm.sweep(10)
    assert set(swarm.leaders().values()) == {4}
    assert 10 < sweeps_until_forgotten(swarm, 4, 100) <= 2.0 / 0.05 + EXPIRY


def test_leader_in_range_is_kept_when_its_rounds_stall():
    """A candidacy received from the leader itself holds until it expires, at any hop limit."""
    swarm = Swarm({1: (0.0, 0.0), 2: (0.5, 0.0)}, lambda i: of_one(i, {2: 9.0}), radius=1.0,
                  message_expiry=60.0, hop_limit=1)
    swarm.sweep(2)
    swarm.silent.add(2)
    swarm.sweep(50)
    assert swarm.robots[1].state.leader == 2
    swarm.sweep(20)
    assert swarm.robots[1].state.leader == 1


@pytest.mark.parametrize('old', [{1}, {4}, {1, 2}, {3, 4}, {2, 3, 4}, set()])
def test_both_versions_elect_together_and_recover(old):
    swarm = MixedSwarm(old, radius=2.0, message_expiry=float(EXPIRY), hop_limit=8)
    swarm.sweep(10)
    assert swarm.leaders() == dict.fromkeys(CLOSE, 4)
    assert all(counts == 0 for robot in swarm.robots.values()
               for name, counts in robot.counts.items() if name.startswith('rejected'))
    # By hops where a candidacy is handed on by robots of this version only, else by the radius.
    most = EXPIRY + (8 if len(old - {4}) == 0 else math.ceil(2.0 / 0.05))
    assert sweeps_until_forgotten(swarm, 4, 100) <= most
    swarm.sweep(5)
    assert len(set(swarm.leaders().values())) == 1 and 4 not in swarm.leaders().values()


# How many rounds robots need, at most, in any fair order, with each way to collect.
#
# A region whose farthest member is ``h`` hops from its leader: once the partition stands, what was
# wrong on its way has run out after ``h`` rounds and what is right has come in after ``h`` more.
# Two rounds go by before the first message and after the last one. So the leader's count is exact
# after ``2 h + 3`` rounds, and as many later every member has the decision that was made from it.
# By gossip what was wrong lives for ``gossip_depth`` rounds, and takes the room of what is right.

COLLECTIONS = pytest.mark.parametrize('collection', ['tree', 'multi-path', 'gossip'])


def scattered(draw: random.Random, collection: str) -> Swarm:
    """Return fourteen robots on 7 m by 7 m whose partition stands."""
    places = {i: (draw.uniform(0.0, 7.0), draw.uniform(0.0, 7.0)) for i in range(14)}
    swarm = Swarm(places, lambda i: {'strength': draw.random()}, tasks='count', radius=5.0,
                  communication_range=2.5, collection=collection)
    swarm.sweep(30, draw)
    return swarm


def depth(swarm: Swarm, leader: int) -> int:
    """Return the depth of a region [hops]."""
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
        region = instance.parts['regions'].region
        assert region is not None
        row = tuple(float(draw.randrange(1000)) for _ in region.summary)
        instance.parts['regions'].region = region._replace(
            parent=draw.choice([-1, *swarm.robots]), summary=row,
            recipients=tuple(draw.choice([*swarm.robots]) for _ in region.recipients),
            contributions=tuple(draw.choice([0.0, 1.0]) for _ in region.contributions),
            members=tuple(range(100, 100 + len(region.members))), decision='[{"members":-1}]')
        swarm.said[i] = swarm.robots[i]._payload()
    for i in swarm.robots:
        swarm.tell(i)


@COLLECTIONS
@pytest.mark.parametrize('seed', range(2))
def test_count_and_decision_become_exact_from_any_state(collection, seed):
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
@pytest.mark.parametrize('seed', range(2))
def test_next_leader_decides_within_the_bound_when_the_leader_falls_silent(collection, seed):
    """
    Six in a line, 1 m apart. Robot 1, who leads all within 6 m, is heard no more.

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
