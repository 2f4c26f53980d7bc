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
import random

from leader_election.localisation.rejections import (
    AGAINST,
    FOR,
    LEAST,
    MEMORY,
    Rejections,
    SHARE,
    WINDOW,
)


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
