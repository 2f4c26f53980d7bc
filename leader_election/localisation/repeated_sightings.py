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
Recognition of readings that a sensor repeats exactly, or with noise.

A continuous quantity with noise does not take exactly the same value again. A single equal
value still occurs when a sensor quantises, or when nothing moves. So a reading is repeated if
it equals the last reading of its robot although one of both has moved. It is also repeated if it
follows the same reading as in an earlier series at another place of the observer.

With noise, a range and a bearing give a place in the observer's frame. When the observer
moves, a place that stands still moves in that frame. A robot there can compensate for that only as
far as it drives. Wheels that slip look the same: then, too, the sightings do not fit the odometry.
"""

from array import array
import math
from typing import NamedTuple

from leader_election.localisation.parameters import LocalisationParameters
from leader_election.localisation.poses import between, compose, PlanePose, wrap
from leader_election.localisation.sighting import seen_from, Sighting

MOVED, MOVED_ASIDE, TURNED = 0.05, 0.15, 0.05
"""
The motions from which on a reading must change: of observer or robot with a bearing, without one
(a motion aside leaves the range), and the observer's turn [m, m, rad].
"""
ELSEWHERE = 0.2
"""The distance and turn from the earlier pose at which an equal series is repeated [m, rad]."""
OWN_MEMORY, OTHERS_MEMORY = 30000, 3000
"""The numbers of remembered readings, of the own sensor and of each neighbour's."""
LEAST = 5
GAP = 2.5
"""The greatest time between two like readings [s]. Later, robots may have returned."""
DEVIATIONS = 3.0
"""The number of standard deviations by which like readings differ at most."""
EXTRA, EXTRA_SCALE = 0.5, 0.4
"""The least motion of the place beyond the way of the robot seen [m], and for each metre of range:
odometry's turns are not exact."""


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


class _LikeReadings(NamedTuple):
    """Like readings of a robot."""

    first: Sighting
    here: PlanePose
    """The observer's pose by odometry at the first of them."""
    pose: PlanePose
    """The observer's estimated pose at that time."""
    way: float
    """The distance that the robot seen had driven then [m]."""
    last_way: float
    """The same at the last reading [m]. A smaller distance later means that it was heard anew."""
    number: int
    last: float
    """The time of the last reading [s]."""


class StillReadings:
    """Detection of like readings of one sensor."""

    def __init__(self, parameters: LocalisationParameters) -> None:
        """Start without readings."""
        self._parameters = parameters
        self._runs: dict[int, _LikeReadings] = {}

    def pose_without(self, sighting: Sighting, here: PlanePose, pose: PlanePose, way: float,
                     now: float) -> PlanePose | None:
        """
        Record a reading, and return the pose before a series of like readings without a reason.

        :param here: the observer's pose by odometry alone.
        :param pose: its estimated pose.
        :param way: the distance that the robot seen has driven since it was heard first [m].
        :param now: the time [s].
        :return: the observer's estimated pose before the series, moved by odometry since.

        >>> sensor = StillReadings(LocalisationParameters())
        >>> [sensor.pose_without(Sighting(2, 2.0, 0.01 * (k % 2)), (0.0, 0.0, 0.4 * k),
        ...                      (1.0, 0.0, 0.0), 0.05 * k, 1.0 * k) for k in range(6)][3:]
        [None, (1.0, 0.0, 1.6), (1.0, 0.0, 2.0)]
        """
        if math.isnan(sighting.range + sighting.bearing):
            return None
        run = self._runs.get(sighting.id)
        if (run is None or now - run.last > GAP or way < run.last_way
                or not self._alike(run.first, sighting)):
            self._runs[sighting.id] = _LikeReadings(sighting, here, pose, way, way, 1, now)
            return None
        self._runs[sighting.id] = run = run._replace(
            number=run.number + 1, last_way=way, last=now)
        if run.number < LEAST:
            return None
        moved = seen_from(run.first, run.here, here)
        apart = math.sqrt(max(
            moved.range ** 2 + sighting.range ** 2 - 2.0 * moved.range * sighting.range
            * math.cos(moved.bearing - sighting.bearing), 0.0))
        if apart <= way - run.way + EXTRA + EXTRA_SCALE * sighting.range:
            return None
        return compose(run.pose, between(run.here, here))

    def has_changed(self, sighting: Sighting) -> bool:
        """Return whether the last recorded reading of a robot differs from those before."""
        run = self._runs.get(sighting.id)
        return run is None or run.number == 1

    def _alike(self, one: Sighting, other: Sighting) -> bool:
        table = self._parameters
        noise = table.range_noise + table.range_noise_scale * one.range
        return (abs(one.range - other.range) < DEVIATIONS * noise
                and abs(wrap(one.bearing - other.bearing)) < DEVIATIONS * table.bearing_noise)
