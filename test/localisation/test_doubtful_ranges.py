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


"""Ranges that only an uncertain pose explains: one moves nobody, a second one that agrees does."""

from collections import Counter
import math

from leader_election.localisation.neighbourhood_filter import NeighbourhoodFilter
from leader_election.localisation.parameters import LocalisationParameters
from leader_election.localisation.sighting import Sighting
import pytest

UNCERTAIN = 0.7
"""The deviation of the position of the robot that is seen [m]."""
BEND = 0.15
"""By how much a distance is less than a range, since the position is uncertain sideways [m]."""


def pair(*others: int) -> NeighbourhoodFilter:
    """Return a filter with robot 1, and robots 2 m from it whose positions are uncertain."""
    own = NeighbourhoodFilter(LocalisationParameters(), 3.0, {}, Counter())
    own.add(1, (0.0, 0.0, 0.0), (0.05, 0.05), (0.0, 0.0, 0.0), 0.0)
    for k, other in enumerate(others):
        angle = 2.0 * k
        pose = 2.0 * math.cos(angle), 2.0 * math.sin(angle), 0.0
        own.add(other, pose, (UNCERTAIN, 0.1), pose, 0.0)
    return own


def length(own: NeighbourhoodFilter, other: int = 2) -> float:
    return own.distance(1, other, 0.0)[0]


# One by one, and at once.
@pytest.mark.parametrize('others', [(2,), (2, 3, 4)])
def test_a_reflection_that_fits_moves_nobody(others):
    own = pair(*others)
    good = [(1, Sighting(other, 2.0)) for other in others[1:]]
    seen = own.see([(1, Sighting(2, 3.5)), *good], 0.0)
    assert [each.seen for each in seen] == list(others[1:])
    assert length(own) == pytest.approx(2.0, abs=0.05)
    # The next range is right again, and so is the one after another reflection.
    own.see([(1, Sighting(2, 2.0)), *good], 1.0)
    own.see([(2, Sighting(1, 3.5))], 1.1)
    assert length(own) == pytest.approx(2.0, abs=BEND)


@pytest.mark.parametrize('second', [(1, Sighting(2, 3.4)), (2, Sighting(1, 3.4))])
def test_a_second_range_of_either_robot_that_agrees_is_used(second):
    own = pair(2)
    assert own.see([(1, Sighting(2, 3.5))], 0.0) == []
    [innovation] = own.see([second], 1.0)
    assert innovation.accepted
    assert 3.4 - 2.0 * BEND < length(own) < 3.4


@pytest.mark.parametrize(('distance', 'now'), [(3.5, 3.1), (0.6, 1.0)])
def test_a_second_range_too_late_or_of_another_length_waits_again(distance, now):
    own = pair(2)
    own.see([(1, Sighting(2, 3.5))], 0.0)
    own.move(1, (0.0, 0.0, 0.0), now)
    own.move(2, (2.0, 0.0, 0.0), now)
    assert own.see([(1, Sighting(2, distance))], now) == []
    assert length(own) == pytest.approx(2.0, abs=0.05)


def test_with_a_bearing_a_sighting_does_not_wait():
    own = pair(2)
    [innovation] = own.see([(1, Sighting(2, 3.5, 0.0))], 0.0)
    assert innovation.accepted and length(own) > 3.2
