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

"""The pose of a robot by odometry, corrected by its own and its neighbours' sightings."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
import math
from typing import Any, ClassVar

from leader_election.localisation import neighbourhood_filter, report
from leader_election.localisation.innovations import Consistency, RecentConsistency, WITH_LANDMARKS
from leader_election.localisation.lost_robots import LostRobots
from leader_election.localisation.neighbourhood_filter import (
    FORGOTTEN_AFTER,
    LateSightings,
    NeighbourhoodFilter,
    NO_LATE,
    Observed,
)
from leader_election.localisation.own_sightings import (
    OTHERS_MEMORY,
    REPEATED,
    RepeatedSightings,
    Track,
)
from leader_election.localisation.parameters import LocalisationParameters
from leader_election.localisation.pose_estimates import Factors, START
from leader_election.localisation.poses import Array, between, compose, PlanePose
from leader_election.localisation.sighting import Landmarks, Places, Sighting
from leader_election.localisation.source import Estimate, PoseSource
import numpy as np

DISTRUSTED = 'sightings_distrusted'
"""The counter of sightings by robots that were just carried."""
LEAPS = 'odometry_leaps'
"""The counter of leaps of odometry."""
LOCALISED_NEIGHBOURS = 12
"""The greatest number of neighbours in the filter: computing time grows with it."""
NEARER = 0.8
"""The factor by which a robot must be nearer to replace another one in a full filter."""
UNSTATED_DEVIATIONS = (0.5, 0.2)
"""The deviations of a robot that does not send its own [m, rad]."""
TURNS = 1.0
"""The turn per metre that is assumed for a robot that does not send its heading [rad/m]."""
FOUND_AFTER = 5.0
"""
The time for which a robot's sightings are ignored after it was carried [s]. While its pose is
unknown, wrong sightings would also fit, so only sightings by other robots locate it.
"""
MOST = 0.5
"""The share of rejected sightings from which on the sensor of a robot counts as wrong."""
TURNED = 0.5
"""The deviation of the headings of two of three robots from which on poses may be mirrored, as
long as motion does not decide [rad]."""
REPEATS = 10
"""The number of repeated readings in a row that show a faulty sensor."""


def odometry_of(place: tuple[float, float], estimate: Estimate | None) -> PlanePose:
    """Return a neighbour's pose by odometry, by default its reported position."""
    if estimate is None:
        # Without a heading, the yaw of the state is that of its odometry's frame.
        return (*place, 0.0)
    return estimate.odometry or (*place, estimate.yaw)


@dataclass
class _Observer:
    """The state of a robot of the filter beside its estimate."""

    sensor: RepeatedSightings
    track: Track = field(default_factory=Track)
    repeating: float = -math.inf
    """The time at which its sensor last gave only repeated readings [s]."""


class CooperativeSource(PoseSource):
    """
    The poses of a robot and of its neighbours, by odometry and sightings.

    :ivar last_sighting: the time of the last sighting by or of this robot that was used [s].
    :ivar consistency: the test of the innovations of its own and its neighbours' sightings
        against the covariance.
    :ivar landmarks: places by id [m].
    """

    COUNTERS: ClassVar[tuple[str, ...]] = (
        *PoseSource.COUNTERS, *neighbourhood_filter.COUNTERS, DISTRUSTED, LEAPS)
    cooperates: ClassVar[bool] = True

    def __init__(self, robot: int, parameters: LocalisationParameters, *, expiry: float,
                 top_speed: float, counts: Counter[str], landmarks: Landmarks) -> None:
        """
        Start without odometry. Parameters are those of :class:`.PoseSource`.

        :param landmarks: places by id [m].
        """
        super().__init__(
            robot, parameters, expiry=expiry, top_speed=top_speed, counts=counts)
        self.landmarks: Places = {each: place[:2] for each, place in landmarks.items()}
        self._heights = {each: place[2] for each, place in landmarks.items()}
        self.last_sighting = -math.inf
        self.consistency = Consistency(WITH_LANDMARKS if landmarks else math.inf)
        self._recent = RecentConsistency()
        self._undecided = False
        """Whether neither headings nor motion tell three robots from their mirror image."""
        self._filter = NeighbourhoodFilter(parameters, expiry, self.landmarks, counts)
        self._lost = LostRobots(self._filter, parameters, self.landmarks)
        self._late = LateSightings(robot, self._filter, self.landmarks)
        self._observers = {robot: _Observer(self._own.sensor, self._own.track)}
        self._counts_in_window = report.RecentCounts()

    # Input.

    def hear(self, robot: int, place: tuple[float, float] | None, estimate: Estimate | None,
             now: float) -> None:
        """Process the message of a neighbour."""
        if self._odometry is None or robot == self.robot or place is None:
            return
        odometry = odometry_of(place, estimate)
        if robot in self._filter:
            duration = self._filter.age(robot, now)
            if duration > FORGOTTEN_AFTER * self.expiry or self._leaps(
                    self._filter.odometry(robot), odometry, duration):
                if duration <= FORGOTTEN_AFTER * self.expiry:
                    self._counts[LEAPS] += 1
                    self._filter.carried_off[robot] = now
                self._filter.drop(robot)
            else:
                turns = TURNS if estimate is None else 0.0
                self._filter.move(robot, odometry, now, turns)
        if robot not in self._filter:
            if not self._makes_room(place):
                return
            self._enter(robot, place, estimate, odometry, now)
        self._observers[robot].track.add(now, odometry)
        self._heights[robot] = estimate.height if estimate is not None else 0.0
        if estimate is not None and estimate.sightings:
            self._see([(robot, sighting) for sighting in estimate.sightings
                       if not self._is_repeated(robot, sighting, odometry, now)
                       and not self._filter.is_redundant(robot, sighting.id, now)], now)

    def begin_round(self, now: float) -> None:
        """Use the kept sightings, and drop robots that have been silent for long."""
        self._filter.expiry = self.expiry
        pose = self.pose
        if self._odometry is None or pose is None:
            return
        tracks = {robot: each.track for robot, each in self._observers.items()}
        self._sent = self._late.move(self._own.due(now), self._odometry, pose, tracks)
        self._filter.move(self.robot, self._odometry, now)
        for robot in [robot for robot in self.localised
                      if self._filter.age(robot, now) > FORGOTTEN_AFTER * self.expiry]:
            self._filter.drop(robot)
        self._observers = {robot: each for robot, each in self._observers.items()
                           if robot in self._filter}
        self._recent.keep(self._observers)
        self._filter.carried_off = {robot: time for robot, time in self._filter.carried_off.items()
                                    if now - time <= FOUND_AFTER}
        if self._sent:
            self._see([(self.robot, sighting) for sighting in self._sent], now)

    # Results.

    @property
    def place(self) -> tuple[float, float] | None:
        """Return the own position [m], ``None`` before the first odometry."""
        pose = self.pose
        return None if pose is None else (round(pose[0], 4), round(pose[1], 4))

    @property
    def heading(self) -> float | None:
        """Return the own heading [rad], ``None`` before the first odometry."""
        pose = self.pose
        return None if pose is None else pose[2]

    @property
    def pose(self) -> PlanePose | None:
        """Return the own pose in the shared frame, ``None`` before the first odometry."""
        if self._odometry is None:
            return None
        before, since = self._filter.pose(self.robot), self._filter.odometry(self.robot)
        if since == self._odometry:
            return before
        return compose(before, self._filter.corrected(
            self.robot, between(since, self._odometry)))

    @property
    def covariance(self) -> Array | None:
        """Return the covariance of the own pose as of the last round, shape (3, 3)."""
        return None if self._odometry is None else self._filter.covariance_of(self.robot)

    def claimed(self, now: float) -> Array | None:
        """
        Return the covariance of the own pose to be published, shape (3, 3), ``None`` if unknown.

        The covariance of the filter is multiplied by the factor by which it may be too small. It
        is unknown where sightings contradict it, the deviation is beyond the limit, or the pose is
        ambiguous.
        """
        covariance = self.covariance
        if (covariance is None or not self.consistency.known or self.deviation > self.limit
                or self.robot in self.elsewhere(now) or self.is_ambiguous):
            return None
        return covariance * max(self.consistency.factor, 1.0)

    @property
    def localised(self) -> list[int]:
        """Return the neighbours whose poses are estimated."""
        return [robot for robot in self._filter.ids if robot != self.robot]

    @property
    def odometry_factors(self) -> tuple[Factors, Factors]:
        """Return the scale errors of the own odometry, and their standard deviations."""
        if self._odometry is None:
            return Factors(), START
        variances = self._filter.factor_variances(self.robot)
        return self._filter.factors(self.robot), Factors(*np.sqrt(variances).tolist())

    def repeating(self, now: float) -> list[int]:
        """Return the robots whose sensors lately gave only repeated readings."""
        return sorted(robot for robot, each in self._observers.items()
                      if now - each.repeating <= FORGOTTEN_AFTER * self.expiry)

    @property
    def contradicting(self) -> list[int]:
        """Return the robots most of whose sightings have been rejected for a minute."""
        return sorted(robot for robot in self._filter.ids
                      if self._filter.wrong_ids.share(robot) > MOST)

    def elsewhere(self, now: float) -> list[int]:
        """Return the robots whose poses recent sightings contradict."""
        return self._lost.suspected(now)

    @property
    def is_ambiguous(self) -> bool:
        """Return whether the poses may be mirrored: of three robots with ranges alone."""
        return len(self._filter.ids) == 3 and self._undecided

    def place_of(self, robot: int) -> tuple[float, float] | None:
        """Return the estimated position of a neighbour [m], ``None`` if unknown."""
        return self._filter.pose(robot)[:2] if robot in self._filter else None

    def distances(self, now: float) -> list[tuple[int, float, float]]:
        """Return the id of each neighbour heard lately, its distance, and its deviation [m]."""
        found = []
        for robot in sorted(self.localised):
            if self._filter.age(robot, now) <= self.expiry:
                distance, deviation = self._filter.distance(self.robot, robot, now)
                found.append((robot, distance, deviation * math.sqrt(self._excess(robot, now))))
        return found

    def relative(self, robot: int, now: float) -> tuple[Array, Array] | None:
        """
        Return the position of a neighbour in the own frame, and its covariance.

        :return: as of the last round [m], shape (2,), and [m²], shape (2, 2), ``None`` if unknown.
        """
        if robot not in self._filter or self._odometry is None:
            return None
        place, covariance = self._filter.relative(self.robot, robot, now)
        return place, covariance * self._excess(robot, now)

    # Report.

    def values(self, now: float) -> dict[str, Any]:
        """Return the values of the report, except counters."""
        return super().values(now) | report.values(self, now)

    def text(self, now: float) -> str:
        """Return the text of the report without a fault."""
        return super().text(now) if self.estimate is None else report.text(self, now)

    def fault(self, now: float, doubt: float = math.nan) -> str:
        """
        Return the gravest fault since the last report, empty if there is none.

        Faults of other robots are named if they make the leader doubtful.
        """
        more = self._counts_in_window.growth(self._counts, now)
        if self.pose is None:
            return ''
        deviation = report.distance_deviation(self, now)
        if math.isnan(deviation):
            deviation = self.deviation
        found = (self._slip_fault(now) or report.sensor_fault(self, now)
                 or report.rejections(self, more) or report.pose_fault(self, now))
        if not found and (self.parameters.max_deviation or math.isnan(doubt)):
            # The default limit says less of the leader than its doubt does.
            found = self._deviation_fault(
                deviation, 'more sightings are needed: of more neighbours, more often, or of '
                'landmarks', report.unseen(self, now))
        return found or report.leader_fault(self, now, doubt, deviation)

    # Parts.

    def _begin(self, pose: PlanePose, now: float) -> None:
        position, heading = self.parameters.initial_deviation
        self._filter.add(self.robot, pose, (position, heading), pose, now)

    def _restart(self, odometry: PlanePose, now: float) -> None:
        self._filter.move(self.robot, odometry, now)
        self._filter.loosen(self.robot, now)

    def _add_variances(self, position: float, heading: float) -> None:
        self._filter.add_errors(self.robot, np.array((position, position, heading)))

    def _is_repeated(self, observer: int, sighting: Sighting, here: PlanePose,
                     now: float) -> bool:
        """Return whether the sensor of a robot repeats a reading, and count repetitions."""
        seen = sighting.id
        there = (self._odometry if seen == self.robot else
                 self._filter.odometry(seen) if seen in self._filter else None)
        each = self._observers[observer]
        repeated = each.sensor.is_repeated(sighting, here, there)
        self._counts[REPEATED] += repeated
        if each.sensor.in_a_row >= REPEATS:
            each.repeating = now
        return repeated

    def _excess(self, robot: int, now: float) -> float:
        """Return the factor of the variances of a distance that recent sightings require."""
        return self._recent.factor(self.robot, now) * self._recent.factor(robot, now)

    def _see(self, sightings: Sequence[Observed], now: float) -> None:
        """Process the sightings of one observer."""
        if not sightings:
            return
        observer = sightings[0][0]
        if observer != self.robot and (
                now - self._filter.carried_off.get(observer, -math.inf) <= FOUND_AFTER):
            self._counts[DISTRUSTED] += len(sightings)
            self._lost.take(sightings, (), now)
            return
        if any(sighting.id == self.robot for _, sighting in sightings):
            assert self._odometry is not None
            self._filter.move(self.robot, self._odometry, self._time)
        innovations = self._filter.see(
            sightings, now, self._late.late if observer == self.robot else NO_LATE)
        self.consistency.take(innovations, now)
        self._recent.take(innovations, now)
        if any(each.accepted and self.robot in each[:2] for each in innovations):
            self.last_sighting = now
        self._lost.take(sightings, innovations, now)
        self._lost.find(observer, innovations, now)
        if any(not math.isnan(sighting.bearing) for _, sighting in sightings):
            self._undecided = False
        elif observer == self.robot and not self.landmarks and len(self._filter.ids) == 3:
            turned = [robot for robot in self._filter.ids
                      if self._filter.heading_variance(robot) > TURNED ** 2]
            self._undecided = not self._lost.unmirror() and len(turned) > 1

    def _makes_room(self, place: tuple[float, float]) -> bool:
        """Return whether a robot at a place can be added, possibly in place of a farther one."""
        own = self._filter
        if len(own.ids) <= LOCALISED_NEIGHBOURS:
            return True
        here = (self.pose or place)[:2]
        apart = own.apart(here)
        farthest = int(np.argmax(apart))
        if math.dist(place, here) >= NEARER * apart[farthest]:
            return False
        own.drop(own.ids[farthest])
        return True

    def _enter(self, robot: int, place: tuple[float, float], estimate: Estimate | None,
               odometry: PlanePose, now: float) -> None:
        """Add a neighbour with its own estimate, at most as certain as after a start."""
        if robot not in self._observers:
            self._observers[robot] = _Observer(RepeatedSightings(OTHERS_MEMORY))
        self._observers[robot].track = Track()
        if estimate is None:
            self._filter.add(robot, (*place, 0.0), UNSTATED_DEVIATIONS, odometry, now)
            return
        least = self.parameters.initial_deviation
        self._filter.add(
            robot, (*place, estimate.yaw),
            (max(estimate.deviation, least[0]), max(estimate.heading_deviation, least[1])),
            odometry, now)
