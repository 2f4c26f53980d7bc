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

"""Goals on routes, of walks, and patience; the places of members."""

import math
from statistics import median

from leader_election.election.tasks.goals import (
    Patience,
    place_contribution,
    places_in,
    RecentValues,
    Route,
    Wander,
)


def test_robot_contributes_its_position_in_tenths_of_a_metre() -> None:
    assert place_contribution((1.04, -2.06, 3.0)) == (1.0, -2.1)
    assert place_contribution(None) is None


def test_places_are_in_the_order_of_ids() -> None:
    collected = [[3.0, 2, 1.0], [1.0, 9, 4.0], [2.0, 1, 0.0]]
    assert list(places_in(collected).items()) == [
        (1, (2.0, 0.0)), (2, (3.0, 1.0)), (9, (1.0, 4.0))]


def test_value_is_forgotten_when_missing_for_some_rounds() -> None:
    recent = RecentValues[str](hold=3)
    rounds = [{1: 'a'}, {}, {}, {1: 'b'}, {}, {}, {}]
    assert [recent.update(values).get(1) for values in rounds] == [
        'a', 'a', 'a', 'b', 'b', 'b', None]


STOPS = [(0.0, 0.0), (1.0, 0.0), (2.0, 0.0)]


def test_route_begins_at_its_nearer_end() -> None:
    assert Route(STOPS, 0.1, 5.0).goal(0.9, 0.0, 0.0) == (0.0, 0.0)
    assert Route(STOPS, 0.1, 5.0).goal(1.1, 0.0, 0.0) == (2.0, 0.0)


def test_route_goes_to_and_fro_for_ever() -> None:
    route, visited = Route(STOPS, 0.1, 5.0), []
    here = (-1.0, 0.0)
    for now in range(9):
        here = route.goal(*here, float(now))
        visited.append(here[0])
    assert visited == [0, 1, 2, 1, 0, 1, 2, 1, 0]


def test_place_is_skipped_when_not_reached() -> None:
    route = Route(STOPS, 0.1, 5.0)
    goals = [route.goal(-3.0, 0.0, float(now))[0] for now in range(12)]
    assert goals == [0] * 5 + [1] * 6 + [2]


def test_patience_ends_without_progress_only() -> None:
    patience = Patience(5.0)
    # A hand's breadth a second is progress for ever. Then none is.
    assert not any(patience.lost(10.0 - 0.11 * now, float(now)) for now in range(50))
    assert [patience.lost(4.6, now) for now in (50.0, 53.9, 54.0)] == [False, False, True]


def test_goal_stays_until_it_is_reached_or_given_up() -> None:
    wander = Wander(1, near=0.1, seconds=5.0)
    first = wander.goal(0.0, 0.0, 0.0)
    assert wander.goal(first[0] / 2, first[1] / 2, 4.0) == first
    # There, but for a little; and then standing for as long as it has patience.
    second = wander.goal(first[0], first[1] - 0.05, 8.0)
    assert second != first
    assert wander.goal(*first, 8.1) == second
    assert wander.goal(*first, 13.0) == second
    assert wander.goal(*first, 13.2) != second


def test_legs_have_the_pareto_distribution() -> None:
    wander = Wander(2, near=1e9, seconds=5.0, scale=0.5, shape=1.5)
    legs = [math.hypot(*wander.goal(0.0, 0.0, 0.0)) for _ in range(4000)]
    assert min(legs) >= 0.5
    # Half of them are no longer than scale * 2**(1 / shape), one in 8 longer than 4 scales.
    assert abs(median(legs) - 0.5 * 2 ** (1 / 1.5)) < 0.03
    assert abs(sum(x > 2.0 for x in legs) / 4000 - 4 ** -1.5) < 0.02
