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

"""The last poses of a robot by odometry, to which late sightings belong."""

from collections import deque

from leader_election.localisation.plane import between, compose, PlanePose

KEPT = 5.0
"""The time for which poses are kept, the greatest age of a sighting that is used [s]."""
INTERVAL = 0.04
"""The least time between two kept poses [s]."""


class Track:
    """The poses of a robot by odometry in the last seconds; times never go back."""

    def __init__(self) -> None:
        """Start without poses."""
        self._poses: deque[tuple[float, PlanePose]] = deque()
        self._last: tuple[float, PlanePose] | None = None

    def add(self, time: float, pose: PlanePose) -> None:
        """Add a pose; the newest replaces one less than the interval older."""
        if self._last is not None and (
                not self._poses or time - self._poses[-1][0] >= INTERVAL):
            self._poses.append(self._last)
        self._last = time, pose
        while len(self._poses) > 1 and time - self._poses[1][0] >= KEPT:
            self._poses.popleft()

    def at(self, time: float) -> PlanePose | None:
        """
        Return the pose at a time, interpolated: the last one after it, ``None`` before the first.

        >>> track = Track()
        >>> track.add(1.0, (0.0, 0.0, 0.0)), track.add(2.0, (1.0, 0.0, 0.5))
        (None, None)
        >>> track.at(0.9), track.at(1.0), track.at(3.0)
        (None, (0.0, 0.0, 0.0), (1.0, 0.0, 0.5))
        >>> [round(value, 2) for value in track.at(1.5)]
        [0.5, 0.0, 0.25]
        """
        if self._last is None:
            return None
        end, after = self._last
        if time >= end:
            return after
        for begin, before in reversed(self._poses):
            if begin <= time:
                x, y, turn = between(before, after)
                part = (time - begin) / (end - begin) if end > begin else 1.0
                return compose(before, (part * x, part * y, part * turn))
            end, after = begin, before
        return None
