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

"""The localisation of one robot: dead reckoning, corrected by sightings of the neighbours."""

from collections import Counter
from collections.abc import Mapping, Sequence
import math

from leader_election.localisation import neighbourhood_filter
from leader_election.localisation.consistency import (
    Consistency,
    RecentConsistency,
    WITH_LANDMARKS,
)
from leader_election.localisation.estimate import (
    deviations,
    Estimate,
    is_own_word,
    odometry_of,
)
from leader_election.localisation.late_sightings import KEPT, SightingQueue
from leader_election.localisation.lost_robots import LostRobots
from leader_election.localisation.neighbourhood_filter import (
    DISTRUSTED,
    FORGOTTEN_AFTER,
    NeighbourhoodFilter,
    NO_LATE,
)
from leader_election.localisation.noise import Array
from leader_election.localisation.observers import Observers
from leader_election.localisation.parameters import LocalisationParameters
from leader_election.localisation.plane import between, compose, PlanePose
from leader_election.localisation.repeated_sightings import REPEATED
from leader_election.localisation.scale_errors import Factors, Kept, START
from leader_election.localisation.sighting import checked, Sighting
from leader_election.localisation.slip import SlipDetector, SLIPS
import numpy as np

MEASUREMENTS_REJECTED = 'measurements_rejected'
LATE, CLOCKLESS = 'sightings_late', 'stamps_ignored'
RESTARTS, LEAPS = 'odometry_restarts', 'odometry_leaps'
COUNTERS = (*neighbourhood_filter.COUNTERS, DISTRUSTED, RESTARTS, LEAPS, SLIPS, LATE, CLOCKLESS,
            REPEATED)
"""The names of the counters of a localisation."""
NEARER = 0.8
"""The factor by which a robot must be nearer to replace another one in a full filter."""
STEP = 1.0
"""The distance that odometry may leap beyond the top speed [m]."""
EARLY, OTHER_CLOCK = 0.5, 60.0
"""A stamp so far ahead of the robot's clock, or so far behind it, is of another clock [s]."""
STRANGER = (0.5, 0.2)
"""The deviations of a robot that does not send its own [m, rad]."""
TURNS = 1.0
"""The turn per metre that is assumed for a robot that does not send its heading [rad/m]."""


class Localisation:
    """
    The pose of a robot and, if it cooperates, those of its neighbours.

    Times are seconds on the caller's clock, which never goes back.

    :ivar slip: detects that odometry is wrong; without its inputs it detects nothing.
    :ivar last_sighting: the time of the last sighting by or of this robot that was used [s].
    :ivar consistency: of the innovations of its own and its neighbours' sightings with the
        covariance.
    """

    def __init__(self, robot: int, parameters: LocalisationParameters, *, cooperates: bool,
                 expiry: float, top_speed: float, counts: Counter[str],
                 landmarks: Mapping[int, tuple[float, float]] | None = None) -> None:
        """
        Start without odometry.

        :param robot: the own id.
        :param cooperates: whether sightings are used, and neighbours' poses estimated; otherwise
            there is dead reckoning and its deviation only.
        :param expiry: of messages and of sightings [s].
        :param top_speed: of all robots [m/s].
        :param counts: counters, of :data:`COUNTERS` and ``measurements_rejected``.
        :param landmarks: places by id [m].
        """
        self.robot = robot
        self.cooperates = cooperates
        self.top_speed = top_speed
        self.consistency = Consistency(WITH_LANDMARKS if landmarks else math.inf)
        self._recent = RecentConsistency()
        self.slip = SlipDetector()
        self._expiry = expiry
        self._counts = counts
        self._landmarks = landmarks or {}
        self._filter = NeighbourhoodFilter(parameters, expiry, self._landmarks, counts)
        if not cooperates:
            # No sighting would ever tell them: the deviation is that of noise.
            self._filter.factor_start = np.zeros_like(self._filter.factor_start)
        self.last_sighting = -math.inf
        self._lost = LostRobots(self._filter, parameters, self._landmarks)
        self.parameters = parameters
        self._raw: PlanePose | None = None
        self._odometry: PlanePose = (0.0, 0.0, 0.0)
        self._time = -math.inf
        self._observers = Observers(robot, self._filter, self._landmarks, counts)
        self._queue = SightingQueue(robot, self._filter, self._landmarks)
        self._own_sightings: tuple[Sighting, ...] = ()

    # Input.

    def remember(self, kept: Kept) -> None:
        """Take the factors of the own odometry that were found earlier, before any odometry."""
        self._filter.remember(self.robot, kept)

    def take_odometry(self, pose: PlanePose, now: float) -> None:
        """
        Process the own pose by odometry, transformed to the shared frame by the initial pose.

        A leap means that odometry restarted: the pose stays where it was, less certain.
        """
        if self._raw is None:
            self._odometry = pose
            self._filter.add(self.robot, pose, (self.parameters.initial_deviation[0],
                                                self.parameters.initial_deviation[1]), pose, now)
            self._filter.watch(self.robot, now)
        elif self._leaps(self._raw, pose, now - self._time):
            self._counts[RESTARTS] += 1
            self._filter.move(self.robot, self._odometry, now)
            self._filter.loosen(self.robot, now)
            self._filter.watch(self.robot, now)
        else:
            motion = between(self._raw, pose)
            self._odometry = compose(self._odometry, motion)
            self._observers[self.robot].way += math.hypot(*motion[:2])
            doubt = self.slip.doubt(motion, now - self._time, now)
            if any(doubt):
                self._filter.doubt(self.robot, *doubt)
                self._counts[SLIPS] = self.slip.count
        self._raw, self._time = pose, now
        self._observers[self.robot].track.add(now, self._odometry)

    def take_sightings(self, sightings: Sequence[Sighting], now: float) -> list[Sighting]:
        """
        Process the own sensor's sightings; the last one of each robot is kept for the next round.

        One that is late belongs to the odometry of its own time. One older than the odometry
        that is kept is left out; an age that no sensor has is that of another clock.

        :return: the valid ones that the sensor does not repeat; the others are counted.
        """
        valid = []
        own = self._observers[self.robot]
        for sighting in map(checked, sightings):
            if sighting is None or sighting.id < 0 or sighting.id == self.robot:
                self._counts[MEASUREMENTS_REJECTED] += 1
                continue
            taken = now - max(sighting.age, 0.0)
            if not -EARLY <= sighting.age <= OTHER_CLOCK:
                self._counts[CLOCKLESS] += 1
                taken = now
            odometry = self._odometry if taken == now else own.track.at(taken)
            if odometry is None or now - taken > KEPT:
                self._counts[LATE] += 1
                continue
            if self.slip.slips(now):
                # It may stand still, whatever its odometry says.
                own.sensor.begin()
            if self._is_repeated(self.robot, sighting, odometry, now):
                continue
            self._queue.put(sighting, odometry, now, taken)
            valid.append(sighting)
        return valid

    def hear(self, robot: int, place: tuple[float, float] | None, estimate: Estimate | None,
             now: float) -> None:
        """
        Process the message of a neighbour.

        :param place: its position as it reports it [m].
        :param estimate: its estimate of its own pose; ``None``: it sends none.
        """
        if not self.cooperates or self._raw is None or robot == self.robot or place is None:
            return
        odometry = odometry_of(place, estimate)
        leaps = False
        if robot in self._filter:
            duration = self._filter.age(robot, now)
            if duration > FORGOTTEN_AFTER * self._expiry or self._leaps(
                    self._filter.odometry(robot), odometry, duration):
                leaps = duration <= FORGOTTEN_AFTER * self._expiry
                if leaps:
                    self._counts[LEAPS] += 1
                    self._filter.contradicted(robot, now)
                self._filter.drop(robot)
            else:
                turns = TURNS if estimate is None else 0.0
                self._observers[robot].way += math.dist(
                    self._filter.odometry(robot)[:2], odometry[:2])
                self._filter.move(robot, odometry, now, turns)
        if robot not in self._filter:
            if not self._makes_room(place):
                return
            self._enter(robot, place, estimate, odometry, now)
            if leaps or is_own_word(place, estimate):
                self._filter.watch(robot, now)
        self._observers[robot].track.add(now, odometry)
        if estimate is not None and estimate.sightings:
            self._see([(robot, sighting) for sighting in estimate.sightings
                       if not self._is_repeated(robot, sighting, odometry, now)
                       and not self._filter.is_redundant(robot, sighting.id, now)], now)

    def begin_round(self, now: float) -> None:
        """Use the kept sightings, and drop robots that have been silent for long."""
        if self._raw is None:
            return
        self._own_sightings = self._queue.due(now, self._odometry, self.pose or self._odometry,
                                              self._observers.tracks)
        self._filter.move(self.robot, self._odometry, now)
        for robot in [robot for robot in self._filter.ids if robot != self.robot
                      and self._filter.age(robot, now) > FORGOTTEN_AFTER * self._expiry]:
            self._filter.drop(robot)
        self._recent.keep(self._observers.keep())
        self._filter.forgive(now - 60.0)
        if self.cooperates and self._own_sightings:
            self._see([(self.robot, sighting) for sighting in self._own_sightings], now)

    # Results.

    @property
    def pose(self) -> PlanePose | None:
        """Return the own pose in the shared frame, ``None`` before the first odometry."""
        if self._raw is None:
            return None
        before, since = self._filter.pose(self.robot), self._filter.odometry(self.robot)
        if since == self._odometry:
            return before
        return compose(before, self._filter.corrected(
            self.robot, between(since, self._odometry)))

    @property
    def covariance(self) -> Array | None:
        """Return the covariance of the own pose as of the last round, shape (3, 3)."""
        return None if self._raw is None else self._filter.covariance_of(self.robot)

    def claimed(self, now: float) -> Array | None:
        """
        Return the covariance of the own pose to be published, shape (3, 3); ``None``: unknown.

        It is that of the filter, times the factor by which that may be too small.
        """
        covariance = self.covariance
        if covariance is None or not self.cooperates:
            return covariance
        if not self.consistency.known or self.robot in self.elsewhere(now):
            return None
        return covariance * max(self.consistency.factor, 1.0)

    @property
    def localised(self) -> list[int]:
        """Return the neighbours whose poses are estimated."""
        return [robot for robot in self._filter.ids if robot != self.robot]

    @property
    def landmarks(self) -> int:
        """Return the number of known landmarks."""
        return len(self._landmarks)

    @property
    def odometry_factors(self) -> tuple[Factors, Factors]:
        """Return the scale errors of the own odometry, and their standard deviations."""
        if self._raw is None:
            return Factors(), START
        variances = self._filter.factor_variances(self.robot)
        return self._filter.factors(self.robot), Factors(*np.sqrt(variances).tolist())

    def repeating(self, now: float) -> list[int]:
        """Return the robots whose sensors have repeated themselves lately, and do nothing else."""
        return self._observers.repeating(now, self._expiry)

    @property
    def distrusted(self) -> list[int]:
        """Return the robots whose sensors contradict those of the others."""
        return self._filter.trust.distrusted

    def elsewhere(self, now: float) -> list[int]:
        """Return the robots whose poses sightings contradict, or did so lately."""
        return self._lost.suspected(now)

    def place_of(self, robot: int) -> tuple[float, float] | None:
        """Return the estimated position of a neighbour [m], ``None`` where there is none."""
        return self._filter.pose(robot)[:2] if robot in self._filter else None

    @property
    def estimate(self) -> Estimate | None:
        """Return the estimate of the own pose to be sent, ``None`` before the first odometry."""
        pose, covariance = self.pose, self.covariance
        if pose is None or covariance is None:
            return None
        position, heading = deviations(covariance)
        return Estimate(
            self._odometry if self.cooperates else None, pose[2], position, heading,
            self._own_sightings)

    @property
    def deviation(self) -> float:
        """Return the standard deviation of the own position [m]; infinite: not known."""
        covariance = self.covariance
        return math.inf if covariance is None else deviations(covariance)[0]

    def distances(self, now: float) -> list[tuple[int, float, float]]:
        """Return the id of each neighbour heard lately, its distance, and its deviation [m]."""
        return [(robot, *self._distance(robot, now))
                for robot in sorted(self.localised)
                if self._filter.age(robot, now) <= self._expiry]

    def relative(self, robot: int, now: float) -> tuple[Array, Array] | None:
        """
        Return the position of a neighbour in the own frame, and its covariance.

        :return: as of the last round [m], shape (2,), and [m2], shape (2, 2); ``None``: not known.
        """
        if robot not in self._filter or self._raw is None:
            return None
        (place,), (covariance,) = self._filter.relative(self.robot, (robot,), now)
        return place, covariance * self._excess(robot, now)

    def distance_deviation(self, robot: int, estimate: Estimate | None, now: float) -> float:
        """
        Return the standard deviation of the distance to a neighbour [m]; infinite: not known.

        :param estimate: the neighbour's estimate of its own pose, used where this robot has none.
        """
        if robot in self._filter and self._raw is not None:
            return self._distance(robot, now)[1]
        if estimate is None:
            return math.inf
        return math.hypot(self.deviation, estimate.deviation)

    # Parts.

    def _is_repeated(self, observer: int, sighting: Sighting, here: PlanePose,
                     now: float) -> bool:
        """Return whether a sensor repeats a reading; it is counted then."""
        seen = sighting.id
        there = (self._odometry if seen == self.robot else
                 self._filter.odometry(seen) if seen in self._filter else None)
        return self._observers.is_repeated(observer, sighting, here, there, now)

    def _distance(self, robot: int, now: float) -> tuple[float, float]:
        """Return the distance to a neighbour, and its standard deviation [m]."""
        distance, deviation = self._filter.distance(self.robot, robot, now)
        return distance, deviation * math.sqrt(self._excess(robot, now))

    def _excess(self, robot: int, now: float) -> float:
        """Return the factor of the variances of a distance that sightings of late ask for."""
        return self._recent.factor(self.robot, now) * self._recent.factor(robot, now)

    def _see(self, sightings: list[tuple[int, Sighting]], now: float) -> None:
        if not sightings:
            return
        observer = sightings[0][0]
        if self._observers.is_being_found(observer, now):
            self._counts[DISTRUSTED] += len(sightings)
            self._lost.take(sightings, (), now)
            return
        if any(sighting.id == self.robot for _, sighting in sightings):
            self._filter.move(self.robot, self._odometry, self._time)
        frozen = self._observers.pose_before(observer, sightings, now)
        if frozen is not None:
            if observer not in self._filter.trust.distrusted:
                # Its sightings have moved it: back to where its odometry says it is.
                self._filter.restore(observer, frozen, STRANGER)
                self._lost.forget(observer)
            self._filter.trust.distrust(observer)
            self._counts[DISTRUSTED] += len(sightings)
            return
        distrusted = observer in self._filter.trust.distrusted
        if distrusted:
            # A reading that stays as it was does not show that a sensor is right again.
            still = self._observers[observer].still
            fresh = [each for each in sightings if still.has_changed(each[1])]
            self._counts[DISTRUSTED] += len(sightings) - len(fresh)
            sightings = fresh
        innovations = self._filter.see(
            sightings, now, self._queue.late if observer == self.robot else NO_LATE)
        if not distrusted:
            self.consistency.take(innovations, now)
            self._recent.take(innovations, now)
        if not distrusted and any(each.accepted and self.robot in each[:2]
                                  for each in innovations):
            self.last_sighting = now
        self._lost.take(sightings, innovations, now, distrusted)
        found = self._lost.found(observer, innovations, now)
        if found is not None:
            self._observers[found].placed = now

    def _makes_room(self, place: tuple[float, float]) -> bool:
        """Return whether a robot at a place can be added, possibly in place of a farther one."""
        own = self._filter
        if len(own.ids) <= self.parameters.localised_neighbours:
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
        """Add a neighbour with its own estimate, not more certain than at a start."""
        self._observers.enter(robot)
        if estimate is None:
            self._filter.add(robot, (*place, 0.0), STRANGER, odometry, now)
            return
        least = self.parameters.initial_deviation
        self._filter.add(
            robot, (*place, estimate.yaw),
            (max(estimate.deviation, least[0]), max(estimate.heading_deviation, least[1])),
            odometry, now)

    def _leaps(self, before: PlanePose, after: PlanePose, duration: float) -> bool:
        """Return whether no robot can have driven from one place to another."""
        return math.dist(before[:2], after[:2]) > self.top_speed * duration + STEP
