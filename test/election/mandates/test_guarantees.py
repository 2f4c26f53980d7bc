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

"""The guarantees of mandates hold in every small network, and against an adversary."""

from dataclasses import replace
import random
from typing import Any

from benchmarks.explicit_mandates import changing, Network
from benchmarks.explicit_states import graphs
from budget import examples
from election.mandates.adversary import Adversary
from election.mandates.mandated_swarm import Case, MandatedSwarm, NEVER, random_case
from hypothesis import given, settings
from hypothesis import strategies as st
import pytest


@pytest.mark.parametrize('quorum', [False, True])
def test_adversary_breaks_no_guarantee(quorum: bool) -> None:
    """Check guarantees (a), for robots and for nodes beside them, (c), and with a quorum (b)."""
    held = acted = 0
    for seed in range(60):
        adversary = Adversary(seed, robots=3 + seed % 2, quorum=quorum)
        assert adversary.play(150) == [], seed
        held, acted = held + adversary.held, acted + adversary.acted
    assert held > 500
    assert acted > 250 or not quorum


def test_two_nodes_act_over_a_robot_when_no_time_to_react_is_reserved() -> None:
    found = [fault for seed in range(30) for fault in Adversary(seed, reaction=0.0).play(150)]
    assert found and all(fault.startswith('nodes of ') for fault in found)


def test_no_robot_is_under_two_mandates_in_every_network_of_up_to_three_robots() -> None:
    for robots, steps in ((2, 4), (3, 3)):
        for graph in graphs(robots, 'one'):
            found = Network(graph, (1, 2)).check(steps)
            assert found.faults == [] and found.mandates > robots
    assert Network({1: {2: 1.0}, 2: {1: 1.0}}, (1, 2), rosters=changing(2)).check(4).faults == []


def test_violation_is_found_in_every_network_when_clocks_of_leases_stop_during_sleep() -> None:
    class Stopped(Network):
        def _pass_time(self, number: int, asleep: bool) -> int:
            return number if asleep else super()._pass_time(number, False)
    assert any(Stopped(graph, (1, 2)).check(4).faults for graph in graphs(2, 'one'))


STEPS = (
    (0, set(), {1, 2, 3}), (1, {1, 2, 3}, {4}), (1, set(), {4}), (2, {4}, {1, 2}),
    (2, set(), {1, 2}),
    # What another operator wants at the same time.
    (1, {1, 2, 3}, {3, 4}), (1, set(), {3, 4}), (2, {3, 4}, {1, 2}))
"""Rosters that may follow one another, and some that must not."""


def test_one_leader_acts_when_an_adversary_sets_rosters_in_any_order() -> None:
    under = set[int]()
    for seed in range(15):
        adversary = Adversary(seed, quorum=True, rosters=STEPS)
        assert adversary.play(1000) == [], seed
        under |= adversary.under
    assert under >= {0, 1, 2, 5}


# Whole robots that move.

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
