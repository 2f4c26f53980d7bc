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

"""Robots that were carried off: those that most recent rejections of sightings have in common."""

from collections import Counter, deque
from collections.abc import Container

MEMORY = 6
"""The sightings of each directed pair that are remembered."""
WINDOW = 12.0
"""They count for so long [s]."""
LEAST = 4
"""So many rejections make a robot suspect."""
SHARE = 0.6
"""Of its sightings so many have to be rejected."""


class Rejections:
    """Remembers which of the last sightings of each pair of robots were rejected."""

    def __init__(self) -> None:
        self._pairs: dict[tuple[int, int], deque[tuple[float, bool]]] = {}
        self._rejected: Counter[int] = Counter()
        """The remembered rejections of each robot, those out of the window included."""

    def note(self, observer: int, seen: int, now: float, rejected: bool) -> None:
        """Remember a sighting."""
        pair = self._pairs.get((observer, seen))
        if pair is None:
            pair = self._pairs[observer, seen] = deque()
        elif len(pair) == MEMORY and pair.popleft()[1]:
            self._count((observer, seen), -1)
        pair.append((now, rejected))
        if rejected:
            self._count((observer, seen), 1)

    def suspect(self, robots: Container[int], now: float) -> int | None:
        """
        Return the robot of which the greatest part of its sightings was rejected lately.

        Of two robots alone either may have been moved: the one of the greater id is returned.

        :param robots: those that can be suspect; landmarks are not.
        :return: ``None`` where no robot has enough rejections.
        """
        worst: tuple[float, int, int | None] = (0.0, 0, None)
        for robot, remembered in self._rejected.items():
            if remembered < LEAST or robot not in robots:
                continue
            recent = [bad for pair, sightings in self._pairs.items() if robot in pair
                      for time, bad in sightings if now - time <= WINDOW]
            number = sum(recent)
            if number >= LEAST and number >= SHARE * len(recent):
                worst = max(worst, (number / len(recent), number, robot))
        return worst[2]

    def forget(self, robot: int) -> None:
        """Forget the sightings by a robot and of it."""
        for pair in [pair for pair in self._pairs if robot in pair]:
            self._count(pair, -sum(bad for _, bad in self._pairs.pop(pair)))

    def _count(self, pair: tuple[int, int], number: int) -> None:
        for robot in pair:
            self._rejected[robot] += number
            if not self._rejected[robot]:
                del self._rejected[robot]
