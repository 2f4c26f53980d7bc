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

import random

from election.robot.swarm import of_one, Swarm
from leader_election.election.algorithms import ALGORITHMS
import pytest

CLOSE = {i: (0.05 * i, 0.0) for i in range(1, 5)}
"""Places 5 cm apart: by the radius of 20 m alone a dead leader would live for minutes."""
EXPIRY = 3
"""The time that a message lasts, in rounds, of a second each."""


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
