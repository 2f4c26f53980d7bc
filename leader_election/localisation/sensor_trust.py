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

"""
Trust in the sensors of robots, by what the sensors of others say.

A robot whose own sightings contradict the others', while others see it where it is expected, was
not carried off: its sensor is wrong. Its pose stays, and its sightings are only judged, until
they agree again.
"""

from collections import deque

WINDOW = 12.0
"""The window of sightings [s]."""
LEAST_REJECTED, LEAST_SEEN = 3, 2
"""The least numbers of rejected sightings by a robot, and of accepted ones of it."""
SHARE_REJECTED, SHARE_SEEN = 0.5, 0.7
"""The least shares: of its own sightings that are rejected, of others' that are accepted."""
JUDGED, AGREED = 8, 6
"""Of so many last sightings so many have to agree before a sensor is believed again."""


class SensorTrust:
    """Remembers which sightings were rejected, and decides whose sensors are wrong."""

    def __init__(self) -> None:
        """Start with trust in all sensors."""
        self._noted: deque[tuple[float, int, int, bool]] = deque()
        self._judged: dict[int, deque[bool]] = {}

    @property
    def distrusted(self) -> list[int]:
        """Return the robots whose sensors are wrong."""
        return sorted(self._judged)

    def note(self, observer: int, seen: int, now: float, rejected: bool) -> None:
        """Remember a sighting by a sensor that is believed."""
        self._noted.append((now, observer, seen, rejected))
        while now - self._noted[0][0] > WINDOW:
            self._noted.popleft()

    def is_wrong(self, robot: int) -> bool:
        """Return whether recent sightings show that the sensor of a robot is wrong."""
        by_it = [bad for _, observer, _, bad in self._noted if observer == robot]
        of_it = [bad for _, _, seen, bad in self._noted if seen == robot]
        return (sum(by_it) >= max(LEAST_REJECTED, SHARE_REJECTED * len(by_it))
                and len(of_it) - sum(of_it) >= max(LEAST_SEEN, SHARE_SEEN * len(of_it)))

    def distrust(self, robot: int) -> None:
        """Believe a sensor no longer."""
        self._judged[robot] = deque(maxlen=JUDGED)
        self._noted = deque(each for each in self._noted if each[1] != robot)

    def judge(self, robot: int, accepted: bool) -> None:
        """Take whether a sighting by a distrusted sensor would have been accepted."""
        judged = self._judged.get(robot)
        if judged is not None:
            judged.append(accepted)
            if sum(judged) >= AGREED:
                self.forget(robot)

    def forget(self, robot: int) -> None:
        """Believe a sensor again."""
        self._judged.pop(robot, None)
        self._noted = deque(each for each in self._noted if robot not in each[1:3])
