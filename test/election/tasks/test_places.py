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

"""Places on a circle and in a column; goals on routes, of walks, and patience."""

import math
from random import Random
from statistics import median

from hypothesis import given
from hypothesis import strategies as st
from leader_election.election.tasks.goals import (
    levy,
    LONGEST,
    Patience,
    Route,
    SHORTEST,
    Wander,
)
from leader_election.election.tasks.places import (
    in_column,
    middle,
    nearest_first,
    on_circle,
    place_contribution,
    places_in,
    RecentValues,
    slots,
)
import pytest

ORIGIN = (0.0, 0.0)
MEMBERS = st.dictionaries(
    st.integers(0, 99), st.tuples(st.floats(-9, 9), st.floats(-9, 9)), min_size=1, max_size=21)


def test_robot_contributes_its_position_in_tenths_of_a_metre() -> None:
    assert place_contribution((1.04, -2.06, 3.0)) == (1.0, -2.1)
    assert place_contribution(None) is None


def test_places_are_in_the_order_of_ids() -> None:
    collected = [[3.0, 2, 1.0], [1.0, 9, 4.0], [2.0, 1, 0.0]]
    assert list(places_in(collected).items()) == [
        (1, (2.0, 0.0)), (2, (3.0, 1.0)), (9, (1.0, 4.0))]


def test_value_is_forgotten_when_missing_for_some_rounds() -> None:
    recent = RecentValues[int, str](hold=3)
    rounds = [{1: 'a'}, {}, {}, {1: 'b'}, {}, {}, {}]
    assert [recent.update(values).get(1) for values in rounds] == [
        'a', 'a', 'a', 'b', 'b', 'b', None]


def degrees(angles: dict[int, float]) -> dict[int, float]:
    return {robot: round(math.degrees(angle), 6) % 360 for robot, angle in angles.items()}


def test_crowd_spreads_out_to_both_sides() -> None:
    # Three in the east, one behind the other, take 120 degrees each. The mean stays where it is.
    crowd = {1: (1.0, 0.0), 2: (2.0, 0.0), 3: (3.0, 0.0)}
    assert degrees(slots(ORIGIN, crowd)) == {1: 240, 2: 0, 3: 120}


@given(MEMBERS)
def test_slots_are_even_and_keep_the_order_round_the_leader(
        members: dict[int, tuple[float, float]]) -> None:
    angles = slots(ORIGIN, members)
    assert angles.keys() == members.keys()
    inorder = sorted(angles.values())
    step = 2 * math.pi / len(members)
    assert all(b - a == pytest.approx(step) for a, b in zip(inorder, inorder[1:]))
    bearing = {robot: math.atan2(y, x) for robot, (x, y) in members.items()}
    for one in members:
        for other in members:
            assert (bearing[one] <= bearing[other]) or (angles[one] > angles[other])


@given(MEMBERS, st.floats(0.1, 3.0), st.floats(0.1, 1.0))
def test_places_on_a_circle_are_apart(
        members: dict[int, tuple[float, float]], radius: float, spacing: float) -> None:
    places = list(on_circle((1.0, 2.0), slots((1.0, 2.0), members), radius, spacing).values())
    for k, place in enumerate(places):
        assert math.dist(place, (1.0, 2.0)) >= max(radius, spacing) - 1e-9
        assert all(math.dist(place, other) >= spacing - 1e-9 for other in places[:k])


def test_circle_has_its_radius_when_there_is_room() -> None:
    # Six on a circle are as far apart as from its centre.
    six = {robot: robot * math.pi / 3 for robot in range(6)}
    for spacing, radius in ((0.5, 1.5), (2.0, 2.0)):
        for place in on_circle(ORIGIN, six, 1.5, spacing).values():
            assert math.hypot(*place) == pytest.approx(radius)


def test_column_follows_the_trail_and_then_a_straight_line() -> None:
    # The leader came from the east and then from the north: 1 m and 1 m. Four within 4 m are 1 m
    # apart. The last two are where the trail goes on towards (1, 9).
    trail = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0)]
    places = in_column(trail, [4, 3, 2, 1], (1.0, 9.0), 4.0, 0.5)
    assert places == {4: (1.0, 0.0), 3: (1.0, 1.0), 2: (1.0, 2.0), 1: (1.0, 3.0)}
    # Within 1 m they would be too close: the column is longer.
    places = in_column(trail, [4, 3, 2, 1], (1.0, 9.0), 1.0, 0.5)
    assert places[1] == (1.0, 1.0)


def test_column_has_a_default_direction() -> None:
    assert in_column([ORIGIN], [1, 2], ORIGIN, 1.0, 0.5) == {1: (-0.5, 0.0), 2: (-1.0, 0.0)}
    assert in_column([ORIGIN], [], ORIGIN, 1.0, 0.5) == {}


def test_nearest_sender_comes_first() -> None:
    members = {1: (3.0, 0.0), 2: (0.0, 1.0), 4: (0.0, -2.0), 3: (2.0, 0.0)}
    assert nearest_first(ORIGIN, members) == [2, 3, 4, 1]
    assert middle(list(members.values())) == (1.25, -0.25)


# Goals of routes and of random walks, and patience, step by step.

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
    assert SHORTEST <= math.hypot(*first) <= LONGEST
    assert wander.goal(first[0] / 2, first[1] / 2, 4.0) == first
    # There, but for a little; and then standing for as long as it has patience.
    second = wander.goal(first[0], first[1] - 0.05, 8.0)
    assert second != first
    assert wander.goal(*first, 8.1) == second
    assert wander.goal(*first, 13.0) == second
    assert wander.goal(*first, 13.2) != second


def test_levy_legs_have_the_pareto_distribution() -> None:
    leg, random = levy(0.5, 1.5), Random(2)
    legs = [leg(random) for _ in range(4000)]
    assert min(legs) >= 0.5
    # Half of them are no longer than scale * 2**(1 / shape), one in 8 longer than 4 scales.
    assert abs(median(legs) - 0.5 * 2 ** (1 / 1.5)) < 0.03
    assert abs(sum(x > 2.0 for x in legs) / 4000 - 4 ** -1.5) < 0.02
