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
The sightings of a robot's own sensor that wait for the next round, without repeated readings.

A continuous quantity with noise does not take exactly the same value again. A single equal
value still occurs when a sensor quantises, or when nothing moves. So a reading is repeated if
it equals the last reading of its robot although one of both has moved. It is also repeated if it
follows the same reading as in an earlier series at another place of the observer.
"""

from array import array
from collections import Counter, deque
from collections.abc import Callable, Sequence
import math
from typing import NamedTuple

from leader_election.localisation.parameters import SIGHTING_INTERVAL
from leader_election.localisation.poses import between, compose, PlanePose, wrap
from leader_election.localisation.sighting import checked, Sighting

MOVED, MOVED_ASIDE, TURNED = 0.05, 0.15, 0.05
"""
The motions from which on a reading must change: of observer or robot with a bearing, without one
(a motion aside leaves the range), and the observer's turn [m, m, rad].
"""
ELSEWHERE = 0.2
"""The distance and turn from the earlier pose at which an equal series is repeated [m, rad]."""
OWN_MEMORY, OTHERS_MEMORY = 30000, 3000
"""The numbers of remembered readings, of the own sensor and of each neighbour's."""


class _EqualReadings(NamedTuple):
    """Equal readings of a robot."""

    range: float  # noqa: A003
    bearing: float
    here: PlanePose
    """The observer's pose by odometry at the first of them."""
    there: PlanePose | None
    """The pose by odometry of the robot seen, ``None`` if unknown."""


class RepeatedSightings:
    """
    Recognition of repeated readings of one sensor.

    :ivar in_a_row: the number of repeated readings since the last new one.
    """

    def __init__(self, memory: int = OWN_MEMORY) -> None:
        """
        Start without readings.

        :param memory: the number of remembered readings.
        """
        self.in_a_row = 0
        self._memory = memory
        self._runs: dict[int, _EqualReadings] = {}
        self._keys = array('q')
        self._poses = array('f')
        self._last_index: dict[int, int] = {}
        """The index of the last reading by its key."""
        self._next = -1
        """The index of the reading that followed the last one earlier, -1 if it is new."""

    def begin(self) -> None:
        """Forget the poses of the last readings, because odometry is wrong."""
        self._runs.clear()

    def is_repeated(self, sighting: Sighting, here: PlanePose, there: PlanePose | None) -> bool:
        """
        Record a reading of the sensor, and return whether it is repeated.

        :param sighting: as the sensor reports it, not moved by odometry.
        :param here: the observer's pose by odometry alone.
        :param there: the pose of the robot seen by its odometry, ``None`` if unknown.

        >>> sensor = RepeatedSightings()
        >>> [sensor.is_repeated(Sighting(2, 1.5, 0.25), (x, 0.0, 0.0), None)
        ...  for x in (0.0, 0.0, 0.1)]
        [False, False, True]
        """
        repeated = self._repeats(sighting, here, there)
        self.in_a_row = self.in_a_row + 1 if repeated else 0
        return repeated

    def _repeats(self, sighting: Sighting, here: PlanePose, there: PlanePose | None) -> bool:
        seen, distance, bearing, *_ = sighting
        run = self._runs.get(seen)
        if run is not None and _equal(run.range, distance) and _equal(run.bearing, bearing):
            with_bearing = bearing == bearing
            least = MOVED if with_bearing else MOVED_ASIDE
            return (with_bearing and abs(wrap(here[2] - run.here[2])) > TURNED
                    or _moved(run.here, here, least) or _moved(run.there, there, least))
        self._runs[seen] = _EqualReadings(distance, bearing, here, there)
        return self._follows(hash((seen, distance if distance == distance else -1.0,
                                   bearing if bearing == bearing else -1.0)), here)

    def _follows(self, key: int, here: PlanePose) -> bool:
        """Return whether a reading continues an earlier series at another pose."""
        keys = self._keys
        if 0 <= self._next < len(keys) and keys[self._next] == key:
            before = self._poses[3 * self._next:3 * self._next + 3]
            self._next += 1
            if (math.dist(before[:2], here[:2]) > ELSEWHERE
                    or abs(wrap(before[2] - here[2])) > ELSEWHERE):
                return True
        else:
            self._next = self._last_index.get(key, -1) + 1 or -1
        if len(keys) >= self._memory:
            oldest = self._memory // 2
            del keys[:oldest], self._poses[:3 * oldest]
            self._next = max(self._next - oldest, -1)
            self._last_index = {kept: k for k, kept in enumerate(keys)}
        self._last_index[key] = len(keys)
        keys.append(key)
        self._poses.extend(here)
        return False


def _equal(one: float, other: float) -> bool:
    """Return whether two numbers are exactly equal, or both nan."""
    return one == other or one != one and other != other


def _moved(before: PlanePose | None, after: PlanePose | None, least: float) -> bool:
    return (before is not None and after is not None
            and math.dist(before[:2], after[:2]) > least)


MEASUREMENTS_REJECTED, REPEATED = 'measurements_rejected', 'sightings_repeated'
LATE, CLOCKLESS = 'sightings_late', 'stamps_ignored'
COUNTERS = MEASUREMENTS_REJECTED, LATE, CLOCKLESS, REPEATED
KEPT = 5.0
"""The time for which poses are kept, the greatest age of a sighting that is used [s]."""
INTERVAL = 0.04
"""The least time between two kept poses [s]."""
EARLY, OTHER_CLOCK = 0.5, 60.0
"""The lead and the lag from which on a stamp is of another clock [s]."""
MOST_SENT = 12
"""The greatest number of sightings in a message. Further ones take turns."""
FORGOTTEN_AFTER = 9.0
"""The time after which the last use of a sighting no longer matters [s]."""


class Track:
    """The poses of a robot by odometry in the last seconds. Times never go back."""

    def __init__(self) -> None:
        """Start without poses."""
        self._poses: deque[tuple[float, PlanePose]] = deque()
        self._last: tuple[float, PlanePose] | None = None

    def add(self, time: float, pose: PlanePose) -> None:
        """Add a pose, which replaces a pose that is less than the interval older."""
        if self._last is not None and (
                not self._poses or time - self._poses[-1][0] >= INTERVAL):
            self._poses.append(self._last)
        self._last = time, pose
        while len(self._poses) > 1 and time - self._poses[1][0] >= KEPT:
            self._poses.popleft()

    def at(self, time: float) -> PlanePose | None:
        """
        Return the pose interpolated at a time, ``None`` before the first, afterwards the last.

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


class WaitingSighting(NamedTuple):
    """A sighting that waits for use."""

    sighting: Sighting
    odometry: PlanePose
    """The own pose by odometry at the time of the sighting."""
    arrived: float
    taken: float
    """The time of the measurement [s]."""


class OwnSightings:
    """
    The own sensor's sightings that wait for use, the last of each robot.

    Times are seconds on the caller's clock, which never goes back.

    :ivar track: the own odometry in the last seconds.
    :ivar sensor: the recognition of repeated readings.
    """

    def __init__(self, robot: int, counts: Counter[str]) -> None:
        """
        Start without sightings.

        :param robot: the own id.
        :param counts: counters, of :data:`COUNTERS`.
        """
        self.track = Track()
        self.sensor = RepeatedSightings()
        self._robot = robot
        self._counts = counts
        self._waiting: dict[int, WaitingSighting] = {}
        self._used: dict[int, float] = {}

    def put(self, sightings: Sequence[Sighting], odometry: PlanePose, now: float,
            is_repeated: Callable[[Sighting, PlanePose], bool]) -> list[Sighting]:
        """
        Keep sightings for the next round.

        A late sighting belongs to the odometry of its own time. A sighting older than the kept
        odometry is left out. An age that no sensor has is that of another clock.

        :param odometry: the present own pose by odometry.
        :param is_repeated: returns whether the sensor repeats a reading, taken at a pose by
            odometry.
        :return: the valid sightings that the sensor does not repeat. Invalid ones are counted.
        """
        valid = []
        for sighting in map(checked, sightings):
            if sighting is None or sighting.id < 0 or sighting.id == self._robot:
                self._counts[MEASUREMENTS_REJECTED] += 1
                continue
            taken = now - max(sighting.age, 0.0)
            if not -EARLY <= sighting.age <= OTHER_CLOCK:
                self._counts[CLOCKLESS] += 1
                taken = now
            then = odometry if taken == now else self.track.at(taken)
            if then is None or now - taken > KEPT:
                self._counts[LATE] += 1
                continue
            if is_repeated(sighting, then):
                continue
            self._waiting[sighting.id] = WaitingSighting(sighting, then, now, taken)
            valid.append(sighting)
        return valid

    def due(self, now: float) -> list[WaitingSighting]:
        """Remove and return the sightings to use now, least recently used robots first."""
        due: list[WaitingSighting] = []
        for seen, waiting in sorted(self._waiting.items(),
                                    key=lambda item: self._used.get(item[0], -math.inf)):
            if now - waiting.arrived > SIGHTING_INTERVAL:
                del self._waiting[seen]
            elif (now - self._used.get(seen, -math.inf) >= 0.9 * SIGHTING_INTERVAL
                  and len(due) < MOST_SENT):
                del self._waiting[seen]
                self._used[seen] = now
                due.append(waiting)
        self._used = {seen: time for seen, time in self._used.items()
                      if now - time <= FORGOTTEN_AFTER}
        return due
