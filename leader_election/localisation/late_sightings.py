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

"""Sightings that wait for a round, and belong to poses of an earlier time."""

from collections import deque
from collections.abc import Mapping
import math
from typing import NamedTuple

from leader_election.localisation.neighbourhood_filter import (
    FORGOTTEN_AFTER,
    Late,
    NeighbourhoodFilter,
)
from leader_election.localisation.noise import range_variance
from leader_election.localisation.plane import between, compose, PlanePose
from leader_election.localisation.sighting import seen_from, Sighting
from leader_election.localisation.updates import Earlier

LEAST_WAY = 0.3
"""The least range for the noise of bearings [m]."""
LEAST_RANGE = 1e-3
"""No range is less [m]."""
PROMPT = 0.25
"""The age up to which a sighting is not less certain [s]."""
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


class _Waiting(NamedTuple):
    """A sighting that is not used yet."""

    sighting: Sighting
    odometry: PlanePose
    """The own pose by odometry at the time of the sighting."""
    time: float
    """Of its arrival."""
    taken: float
    """Of the measurement."""


class SightingQueue:
    """The own sensor's sightings that are not used yet, the last one of each robot."""

    def __init__(self, robot: int, neighbourhood: NeighbourhoodFilter,
                 landmarks: Mapping[int, tuple[float, float]]) -> None:
        """
        Start without sightings.

        :param robot: the own id.
        :param neighbourhood: the filter with the poses that are expected.
        :param landmarks: places by id [m].
        """
        self._robot = robot
        self._filter = neighbourhood
        self._parameters = neighbourhood.parameters
        self._landmarks = landmarks
        self._waiting: dict[int, _Waiting] = {}
        self._used: dict[int, float] = {}
        self.late: dict[int, Late] = {}
        """Those of the last ones due that are late, as they were measured, by the ids seen."""

    def put(self, sighting: Sighting, odometry: PlanePose, now: float, taken: float) -> None:
        """
        Keep a sighting.

        :param odometry: the own pose by odometry at its time.
        :param now: the present time [s].
        :param taken: the time of the measurement [s].
        """
        self._waiting[sighting.id] = _Waiting(sighting, odometry, now, taken)

    def due(self, now: float, odometry: PlanePose, pose: PlanePose, tracks: Mapping[int, Track]
            ) -> tuple[Sighting, ...]:
        """
        Take the oldest sightings to be used now, moved to the present pose.

        :param odometry: the present own pose by odometry alone.
        :param pose: its estimate.
        :param tracks: of the neighbours, by id.
        """
        interval = self._parameters.sighting_interval
        due: list[Sighting] = []
        self.late = {}
        for seen, waits in sorted(self._waiting.items(),
                                  key=lambda item: self._used.get(item[0], -math.inf)):
            if now - waits.time > interval:
                del self._waiting[seen]
            elif (now - self._used.get(seen, -math.inf) >= 0.9 * interval
                  and len(due) < max(self._parameters.most_sightings, 1)):
                del self._waiting[seen]
                self._used[seen] = now
                due.append(self._from_here(waits, odometry, pose, tracks.get(seen)))
        self._used = {seen: time for seen, time in self._used.items()
                      if now - time <= FORGOTTEN_AFTER * self._filter.expiry}
        return tuple(due)

    def _from_here(self, waits: _Waiting, odometry: PlanePose, pose: PlanePose,
                   track: Track | None) -> Sighting:
        """
        Return a sighting moved to the present pose, and to the last pose of the robot seen.

        For a range without a bearing, the direction is the one that the filter expects.

        :param track: of the robot seen.
        """
        own, robot = self._filter, waits.sighting.id
        motion = between(waits.odometry, odometry)
        sighting = seen_from(waits.sighting, (0.0, 0.0, 0.0), own.corrected(self._robot, motion))
        place = own.pose(robot)[:2] if robot in own else self._landmarks.get(robot)
        if place is None:
            return sighting
        then = track and robot in own and track.at(waits.taken)
        before = compose(own.pose(robot), own.corrected(
            robot, between(own.odometry(robot), then)))[:2] if then else place
        begin = compose(pose, own.corrected(self._robot, between(odometry, waits.odometry)))
        if sighting.age > PROMPT:
            way = math.dist(before, place)
            moved = begin[0] - pose[0], begin[1] - pose[1], begin[2] - pose[2]
            self.late[robot] = Late(
                self._less_certain(waits.sighting, motion, way, by_heading=False),
                Earlier(moved, (before[0] - place[0], before[1] - place[1])))
            sighting = self._less_certain(sighting, motion, way, by_heading=True)
        if math.isnan(sighting.bearing):
            change = math.dist(place, pose[:2]) - math.dist(before, begin[:2])
            return sighting._replace(range=max(sighting.range + change, LEAST_RANGE))
        if before == place or math.isnan(sighting.range):
            return sighting
        x, y, _ = between((*before, pose[2]), (*place, pose[2]))
        return seen_from(sighting, (x, y, 0.0), (0.0, 0.0, 0.0))

    def _less_certain(self, sighting: Sighting, motion: PlanePose, way: float, *,
                      by_heading: bool) -> Sighting:
        """
        Return a late sighting with the noise of the way since, of both robots.

        The direction of a way is as uncertain as the heading, which a sighting that was moved
        cannot tell: the poses would be corrected by too much.

        :param motion: the own one, by odometry.
        :param way: of the robot seen [m].
        :param by_heading: whether the headings count as noise.
        """
        table, variance = self._parameters, 0.0
        for robot, length in (self._robot, math.hypot(*motion[:2])), (sighting.id, way):
            if robot in self._filter:
                variance += table.odometry_noise_position ** 2 * length
                if by_heading:
                    variance += length ** 2 * self._filter.heading_variance(robot)
        distance = 1.0 if math.isnan(sighting.range) else max(sighting.range, LEAST_WAY)
        of_range, of_bearing = sighting.range_deviation, sighting.bearing_deviation
        if math.isnan(of_range):
            of_range = math.sqrt(range_variance(distance, table))
        if math.isnan(of_bearing):
            of_bearing = table.bearing_noise
        turn = table.odometry_noise_turn * math.sqrt(abs(motion[2]))
        return sighting._replace(
            range_deviation=math.hypot(of_range, math.sqrt(variance)),
            bearing_deviation=math.hypot(of_bearing, math.sqrt(variance) / distance, turn))
