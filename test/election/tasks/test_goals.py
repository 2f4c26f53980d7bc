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

"""Goals of routes and of random walks, and patience, step by step."""

import math
from random import Random
from statistics import median

from leader_election.election.tasks.goals import (
    levy,
    LONGEST,
    Patience,
    Route,
    SHORTEST,
    Wander,
)

PLACES = [(0.0, 0.0), (1.0, 0.0), (2.0, 0.0)]


def test_a_route_begins_at_its_nearer_end() -> None:
    assert Route(PLACES, 0.1, 5.0).goal(0.9, 0.0, 0.0) == (0.0, 0.0)
    assert Route(PLACES, 0.1, 5.0).goal(1.1, 0.0, 0.0) == (2.0, 0.0)


def test_a_route_goes_to_and_fro_for_ever() -> None:
    route, visited = Route(PLACES, 0.1, 5.0), []
    here = (-1.0, 0.0)
    for now in range(9):
        here = route.goal(*here, float(now))
        visited.append(here[0])
    assert visited == [0, 1, 2, 1, 0, 1, 2, 1, 0]


def test_a_place_that_is_not_reached_is_passed_over() -> None:
    route = Route(PLACES, 0.1, 5.0)
    goals = [route.goal(-3.0, 0.0, float(now))[0] for now in range(12)]
    assert goals == [0] * 5 + [1] * 6 + [2]


def test_a_route_of_one_place_stays_there() -> None:
    route = Route([(1.0, 1.0)], 0.1, 5.0)
    assert {route.goal(x, 1.0, x) for x in (0.0, 1.0, 2.0, 30.0)} == {(1.0, 1.0)}


def test_patience_ends_without_progress_only() -> None:
    patience = Patience(5.0)
    # A hand's breadth a second is progress for ever; then none is.
    assert not any(patience.lost(10.0 - 0.11 * now, float(now)) for now in range(50))
    assert [patience.lost(4.6, now) for now in (50.0, 53.9, 54.0)] == [False, False, True]


def test_patience_starts_again_when_the_clock_was_set_back() -> None:
    patience = Patience(5.0)
    assert not patience.lost(1.0, 100.0)
    assert [patience.lost(1.0, now) for now in (0.0, 4.9, 5.0)] == [False, False, True]


def test_a_goal_stays_until_it_is_reached_or_given_up() -> None:
    wander = Wander(1, near=0.1, seconds=5.0)
    first = wander.goal(0.0, 0.0, 0.0)
    assert SHORTEST <= math.hypot(*first) <= LONGEST
    assert wander.goal(first[0] / 2, first[1] / 2, 4.0) == first
    # There, but for a little; and then standing for as long as it has patience.
    second = wander.goal(first[0], first[1] - 0.05, 8.0)
    assert second != first
    assert wander.goal(*first, 8.1) == second
    assert wander.goal(*first, 13.0) == second
    assert wander.goal(*first, 13.2) != second


def test_legs_of_a_levy_walk_are_of_the_pareto_distribution() -> None:
    leg, random = levy(0.5, 1.5), Random(2)
    legs = [leg(random) for _ in range(4000)]
    assert min(legs) >= 0.5
    # Half of them are no longer than scale * 2**(1 / shape), one in 8 longer than 4 scales.
    assert abs(median(legs) - 0.5 * 2 ** (1 / 1.5)) < 0.03
    assert abs(sum(x > 2.0 for x in legs) / 4000 - 4 ** -1.5) < 0.02


def test_each_robot_has_a_seed_of_its_own() -> None:
    goals = {Wander(seed, 0.1, 5.0, levy(1.0, 1.5)).goal(0.0, 0.0, 0.0)
             for seed in ('7/robot_1', '7/robot_2', '8/robot_1', '7/robot_1')}
    assert len(goals) == 3


def test_another_goal_is_drawn_on_arrival_or_when_stuck() -> None:
    wander = Wander(seed=3, near=0.1, seconds=5.0)
    first = wander.goal(1.0, 2.0, 0.0)
    assert SHORTEST <= math.dist((1.0, 2.0), first) <= LONGEST
    assert wander.goal(1.0, 2.0, 4.0) == first
    second = wander.goal(*first, 4.5)
    assert second != first
    stuck = [wander.goal(*first, 4.5 + now) for now in (1.0, 6.0)]
    assert stuck[0] == second != stuck[1]
    assert Wander(3, 0.1, 5.0).goal(1.0, 2.0, 0.0) == first != Wander(
        4, 0.1, 5.0).goal(1.0, 2.0, 0.0)
