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

"""Mandates of whole robots that move, in simulated time with any losses and delays."""

from dataclasses import replace
import random
from typing import Any

from budget import examples
from election.mandates.mandated_swarm import Case, MandatedSwarm, NEVER, random_case
from hypothesis import given, settings
from hypothesis import strategies as st

SEEDS = st.integers(0, 10**6)
REST = 30.0
"""The time in which nothing happens any more, longer than messages are late [s]."""


@settings(max_examples=examples(15))
@given(SEEDS)
def test_moving_robots_break_no_guarantee(seed: int) -> None:
    """Check guarantees (a), (c), and with a quorum (b)."""
    case = random_case(seed)
    swarm = MandatedSwarm(replace(case, robots=min(case.robots, 10)), seed)
    swarm.run(45.0)
    assert swarm.faults == []


@settings(max_examples=examples(15))
@given(SEEDS, st.floats(0.0, 0.6), st.floats(0.01, 6.0), st.sampled_from([2.0, 4.0, 8.0]),
       st.sampled_from(['reactive', 'periodic']))
def test_leaders_act_within_the_bound_when_nothing_changes(
        seed: int, loss: float, delay: float, mandate: float, schedule: str) -> None:
    """Check guarantee (d), also over members whose round trip is shorter than the duration."""
    case = Case(robots=random.Random(seed).randrange(2, 11), speed=1.5, loss=loss,
                delay=(0.01, delay), duplicates=0.2, mandate=mandate, cut=(5.0, 20.0),
                schedule=schedule)
    swarm = MandatedSwarm(case, seed)
    swarm.run(20.0)
    swarm.case = replace(case, speed=0.0, loss=0.0, delay=(0.002, 0.02), cut=(NEVER, NEVER))
    changed = swarm.now
    followed: dict[int, int] = {}
    late: dict[int, float] = {}

    def note(robot: int) -> None:
        nonlocal changed
        of_it: Any = swarm.robots[robot]
        if followed.setdefault(robot, of_it.state.leader) != of_it.state.leader:
            followed[robot], changed = of_it.state.leader, swarm.now
        for member, leader in followed.items():
            if member not in swarm.over(leader):
                late[member] = swarm.now

    swarm.run(REST, each=note)
    assert len(followed) == case.robots
    for member, last in late.items():
        hops = swarm.robots[member].state.hops
        if hops == 0 or 2.0 * hops + 1.0 < mandate:
            assert last - changed <= mandate * 1.05 + 2.0 * (hops + 1), (member, hops)
