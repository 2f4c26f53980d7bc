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

"""The places of a region's members, as they are collected and kept."""

from leader_election.election.coordination.aggregate import top
from leader_election.election.tasks.places import (
    MOST_MEMBERS,
    place_contribution,
    PLACES,
    places_in,
    Recent,
)
import pytest


def test_a_robot_contributes_its_place_to_a_tenth_of_a_metre_if_it_knows_it() -> None:
    assert place_contribution((1.04, -2.06, 3.0)) == (1.0, -2.1)
    assert place_contribution(None) is None


def test_places_are_in_the_order_of_ids() -> None:
    collected = [[3.0, 2, 1.0], [1.0, 9, 4.0], [2.0, 1, 0.0]]
    assert list(places_in(collected).items()) == [
        (1, (2.0, 0.0)), (2, (3.0, 1.0)), (9, (1.0, 4.0))]


def test_no_aggregate_holds_one_place_more() -> None:
    assert len(PLACES.identity) == 3 * MOST_MEMBERS
    with pytest.raises(ValueError, match='numbers are not allowed'):
        top(MOST_MEMBERS + 1, extra=1)


def test_a_value_is_forgotten_after_it_was_missing_for_some_rounds() -> None:
    recent = Recent[int, str](hold=3)
    rounds = [{1: 'a'}, {}, {}, {1: 'b'}, {}, {}, {}]
    assert [recent.update(values).get(1) for values in rounds] == [
        'a', 'a', 'a', 'b', 'b', 'b', None]
