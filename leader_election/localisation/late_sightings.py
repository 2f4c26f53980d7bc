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

"""Late sightings, moved to the present poses with the noise of the motion since."""

from collections.abc import Mapping, Sequence
import math

from leader_election.localisation.neighbourhood_filter import LateSighting, NeighbourhoodFilter
from leader_election.localisation.own_sightings import Track, WaitingSighting
from leader_election.localisation.poses import between, compose, PlanePose
from leader_election.localisation.sighting import (
    Places,
    range_variance,
    seen_from,
    Sighting,
)
from leader_election.localisation.updates import Earlier

LEAST_WAY = 0.3
"""The least range for the noise of bearings [m]."""
LEAST_RANGE = 1e-3
"""The least range that is sent [m]."""
PROMPT = 0.25
"""The age up to which a sighting keeps its certainty [s]."""


class LateSightings:
    """
    Motion of the own sightings to the present.

    :ivar late: the late sightings of the last call, as they were measured, by the ids seen.
    """

    def __init__(self, robot: int, neighbourhood: NeighbourhoodFilter,
                 landmarks: Places) -> None:
        """
        Start without sightings.

        :param robot: the own id.
        :param neighbourhood: the filter with the expected poses.
        :param landmarks: places by id [m].
        """
        self.late: dict[int, LateSighting] = {}
        self._robot = robot
        self._filter = neighbourhood
        self._landmarks = landmarks

    def move(self, due: Sequence[WaitingSighting], odometry: PlanePose, pose: PlanePose,
             tracks: Mapping[int, Track]) -> tuple[Sighting, ...]:
        """
        Return sightings moved to the present pose, and to the last pose of the robot seen.

        :param odometry: the present own pose by odometry.
        :param pose: the estimate of the own pose.
        :param tracks: the tracks of the neighbours, by id.
        """
        self.late = {}
        return tuple(self._from_here(waiting, odometry, pose, tracks.get(waiting.sighting.id))
                     for waiting in due)

    def _from_here(self, waiting: WaitingSighting, odometry: PlanePose, pose: PlanePose,
                   track: Track | None) -> Sighting:
        """
        Return a sighting moved to the present.

        For a range without a bearing, the direction is the one that the filter expects.

        :param track: of the robot seen.
        """
        own, robot = self._filter, waiting.sighting.id
        motion = between(waiting.odometry, odometry)
        sighting = seen_from(waiting.sighting, (0.0, 0.0, 0.0), own.corrected(self._robot, motion))
        place = own.pose(robot)[:2] if robot in own else self._landmarks.get(robot)
        if place is None:
            return sighting
        then = track and robot in own and track.at(waiting.taken)
        before = compose(own.pose(robot), own.corrected(
            robot, between(own.odometry(robot), then)))[:2] if then else place
        begin = compose(pose, own.corrected(self._robot, between(odometry, waiting.odometry)))
        if sighting.age > PROMPT:
            way = math.dist(before, place)
            moved = begin[0] - pose[0], begin[1] - pose[1], begin[2] - pose[2]
            self.late[robot] = LateSighting(
                self._less_certain(waiting.sighting, motion, way, by_heading=False),
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
        Return a late sighting with the noise of both robots' motion since.

        The direction of a motion is as uncertain as the heading, which a moved sighting
        does not include. Without this noise poses would be corrected by too much.

        :param motion: the own one, by odometry.
        :param way: the length of the motion of the robot seen [m].
        :param by_heading: whether the headings count as noise.
        """
        table, variance = self._filter.parameters, 0.0
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
