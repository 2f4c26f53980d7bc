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


"""Rejections: what is counted as it comes is what the last sightings in the window say."""

from collections import Counter, deque
import math
import random

from leader_election.localisation.neighbourhood_filter import NeighbourhoodFilter
from leader_election.localisation.parameters import LocalisationParameters
from leader_election.localisation.rejections import (
    AGAINST,
    FOR,
    LEAST,
    MEMORY,
    Rejections,
    SHARE,
    WINDOW,
)
from leader_election.localisation.sighting import Sighting
import pytest


def suspect_by_hand(noted: list[tuple[int, int, float, bool]], robots: range,
                    now: float) -> int | None:
    """Return the suspect by the last sightings of each pair, looked at anew."""
    pairs: dict[tuple[int, int], deque[tuple[float, bool]]] = {}
    for observer, seen, time, bad in noted:
        pairs.setdefault((observer, seen), deque(maxlen=MEMORY)).append((time, bad))
    taken: Counter[int] = Counter()
    rejected: Counter[int] = Counter()
    for pair, sightings in pairs.items():
        recent = [bad for time, bad in sightings if now - time <= WINDOW]
        for robot in pair:
            taken[robot] += len(recent)
            rejected[robot] += sum(recent)
    return max(((FOR * rejected[robot] + AGAINST * (taken[robot] - rejected[robot]), robot)
                for robot in robots if rejected[robot] >= max(LEAST, SHARE * taken[robot])),
               default=(0.0, None))[1]


def test_the_suspect_is_that_of_the_last_sightings_in_the_window() -> None:
    draw, robots = random.Random(3), range(5)
    found: Counter[int | None] = Counter()
    for _ in range(20):
        rejections, noted, now = Rejections(), [], 0.0
        carried = draw.randrange(5)
        for step in range(200):
            now += draw.choice((0.0, 0.05, 0.3, 4.0))
            if draw.random() < 0.02:
                gone = draw.randrange(5)
                rejections.forget(gone)
                noted = [each for each in noted if gone not in each[:2]]
            observer, seen = draw.sample(range(6), 2)
            bad = draw.random() < (0.8 if carried in (observer, seen) and step > 60 else 0.05)
            rejections.note(observer, seen, now, bad)
            noted.append((observer, seen, now, bad))
            later = now + draw.choice((0.0, 0.0, 5.0))
            if later == now or draw.random() < 0.1:
                suspect = rejections.suspect(robots, later)
                assert suspect == suspect_by_hand(noted, robots, later)
                found[suspect] += 1
                now = later
    assert found[None] and all(found[robot] for robot in robots)


def test_landmarks_are_never_suspect() -> None:
    rejections = Rejections()
    for time in range(4):
        rejections.note(1, 9, float(time), True)
    assert rejections.suspect(range(5), 4.0) == 1
    assert rejections.suspect((), 4.0) is None


def test_a_robot_that_contradicts_all_is_blamed_before_one_that_only_it_sees() -> None:
    rejections = Rejections()
    for second in range(4):
        for seen in (1, 2, 3):
            rejections.note(9, seen, float(second), True)
        rejections.note(1, 9, float(second), False)
    assert rejections.suspect((1, 2, 3, 9), 4.0) == 9
    assert rejections.doubts(9, 4.0) and not rejections.doubts(1, 4.0)
    rejections.forget(9)
    assert not rejections.doubts(9, 4.0) and rejections.suspect((1, 2, 3, 9), 4.0) is None


def test_sightings_of_a_newcomer_count_against_the_newcomer_alone() -> None:
    rejections = Rejections()
    for second in range(4):
        # Robot 9 sees 1 where it expects it by chance, and contradicts 2.
        rejections.note(9, 1, float(second), rejected=False)
        rejections.note(9, 2, float(second), rejected=True)
        rejections.note(9, 2, float(second), rejected=True)
    assert rejections.suspect(range(10), 4.0) == 2
    assert rejections.suspect(range(10), 4.0, newcomers={9}) == 9


# Ranges that only an uncertain pose explains: one moves nobody, a second one that agrees does.

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
