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

"""Routes and patience, step by step."""

from leader_election.election.tasks.places import Patience, Route

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
