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
The neighbourhood filter: an extended Kalman filter over poses and odometry of robots.

Its inputs are the raw odometry and the raw sightings of all of these robots. No estimate of
another filter is fused, so no data counts twice. This is the difference from covariance
intersection (L. Carrillo-Arce et al., IROS 2013; H. Li, F. Nashashibi, IEEE ITS Magazine
2013) and from updates that robots exchange (L. Luft et al., IJRR 2018).
"""

from collections import Counter
from collections.abc import Mapping, Sequence
import math
from types import MappingProxyType
from typing import NamedTuple

from leader_election.localisation.block import (
    factor_rows,
    from_invariant,
    places,
    POSE,
    pose_rows,
    SIZE,
    to_invariant,
)
from leader_election.localisation.doubtful_ranges import DoubtfulRanges
from leader_election.localisation.noise import Array, odometry_covariance, slip_covariance
from leader_election.localisation.noise_adaptation import NoiseAdaptation
from leader_election.localisation.parameters import LocalisationParameters
from leader_election.localisation.plane import between, compose, PlanePose
from leader_election.localisation.rejections import Rejections, SensorTrust
from leader_election.localisation.scale_errors import (
    corrected,
    Factors,
    Kept,
    parked,
    plausible,
    slopes,
    START_VARIANCES,
    WALK_VARIANCES,
)
from leader_election.localisation.sensor_bias import BiasEstimate
from leader_election.localisation.sighting import Sighting
from leader_election.localisation.updates import (
    AT_ONCE,
    Earlier,
    LANDMARK,
    Line,
    Outcome,
    PRESENT,
    update,
    update_at_once,
)
import numpy as np

FORGOTTEN_AFTER = 3.0
"""The silence after which a robot is dropped, since its motion is unknown [expiries]."""
UNEXPLAINED_SPEED = 0.1
"""The error of outdated odometry, by its age [m/s]."""
LOOSENED = (1.5, 1.5, 1.0)
"""The standard deviations added to the pose of a robot that was carried off [m, m, rad]."""
AGAIN = 30.0
"""A robot that is found carried off again within this time was not carried: its odometry is wrong,
by wheels that slip, or since it is held [s]."""
SLIPPING = 20.0
"""For so long after that its odometry may be wrong by the whole motion that it reports [s]."""
WATCHED = 30.0
"""The time for which a robot that entered, or whose odometry began anew, is a newcomer [s]."""
ENOUGH = 3
"""The least number of neighbours whose sightings of each other are used in a `sighting_interval`:
ranges from three places tell a fourth."""
MOST_KEPT = 1000
"""The greatest number of dropped robots whose factors are kept, those dropped last."""

ACCEPTED, REJECTED = 'sightings_accepted', 'sightings_rejected'
UNKNOWN, CARRIED_OFF = 'sightings_unknown', 'robots_carried_off'
DISTRUSTED = 'sightings_distrusted'
COUNTERS = (ACCEPTED, REJECTED, UNKNOWN, CARRIED_OFF)
"""The names of the filter's counters."""

Observed = tuple[int, Sighting]
"""The id of the observer, and what it saw."""


_FACTORS = np.arange(POSE, SIZE)
_POSE, _PLACE = np.arange(POSE), np.arange(2)


class Innovation(NamedTuple):
    """The normalised differences between a sighting and its expectation; nan: not measured."""

    observer: int
    seen: int
    range: float  # noqa: A003
    bearing: float
    accepted: bool


class Late(NamedTuple):
    """A sighting of an earlier time."""

    sighting: Sighting
    """As it was measured."""
    earlier: Earlier


NO_LATE: Mapping[int, Late] = MappingProxyType({})


class NeighbourhoodFilter:
    """
    Estimates the poses of robots and the scale errors of their odometry, and their covariance.

    :ivar ids: the robots, in the order of their blocks in state and covariance.
    :ivar state: their blocks (:mod:`leader_election.localisation.block`), shape (6 n,).
    :ivar covariance: shape (6 n, 6 n).
    :ivar factor_start: the variances of the factors of a robot never met, which bound all.
    :ivar carried_off: the times at which a robot was detected as carried off, by id, including
        dropped robots.
    :ivar slipping: the last time at which a robot's odometry was found to contradict sightings by
        it and of it again and again, by id, including dropped robots.
    :ivar watched: until when a robot's pose is its own word only, by id [s].
    :ivar trust: in the sensors of the robots.
    :ivar bias: the constant errors of sensors; the first robot's sensor is the own one.
    """

    def __init__(self, parameters: LocalisationParameters, expiry: float,
                 landmarks: Mapping[int, tuple[float, float]], counts: Counter[str]) -> None:
        """
        Start without robots.

        :param expiry: the age of a robot's odometry beyond which sightings by it and of it are
            ignored [s].
        :param landmarks: places by id [m].
        :param counts: the counters of accepted and rejected sightings.
        """
        self.parameters = parameters
        self.factor_start: Array = START_VARIANCES
        self.expiry = expiry
        self.ids: list[int] = []
        self.state: Array = np.zeros(0)
        self.covariance: Array = np.zeros((0, 0))
        self.carried_off: dict[int, list[float]] = {}
        self.slipping: dict[int, float] = {}
        self.watched: dict[int, float] = {}
        self.bias = BiasEstimate()
        self._landmarks = landmarks
        self._counts = counts
        self._origin = 0.0, 0.0
        self._factors: dict[int, Kept] = {}
        self._row: dict[int, int] = {}
        self._odometry: dict[int, PlanePose] = {}
        self._times: dict[int, float] = {}
        self._rejections = Rejections()
        self._adaptation = NoiseAdaptation()
        self._doubtful = DoubtfulRanges()
        self.trust = SensorTrust()

    def __contains__(self, robot: int) -> bool:
        """Return whether the robot is among those of the filter."""
        return robot in self._row

    # Robots: added, moved, dropped.

    def add(self, robot: int, pose: PlanePose, deviation: tuple[float, float],
            odometry: PlanePose, now: float) -> None:
        """
        Add a robot.

        :param pose: its own estimate.
        :param deviation: the standard deviations of its position and heading [m, rad].
        :param odometry: its pose by odometry alone.
        :param now: the time [s].
        """
        if not self.ids:
            self._origin = pose[:2]
        before = len(self.state)
        self._row[robot] = before
        self.ids.append(robot)
        factors, variances = self._remembered(robot, now)
        place = pose[0] - self._origin[0], pose[1] - self._origin[1]
        self.state = np.concatenate((self.state, (*place, pose[2]), factors))
        covariance = np.zeros((before + SIZE, before + SIZE))
        covariance[:before, :before] = self.covariance
        covariance[factor_rows(before), factor_rows(before)] = np.diag(variances)
        self.covariance = covariance
        self._add_errors(robot, np.square((deviation[0], *deviation)))
        self.bias.add()
        self._odometry[robot], self._times[robot] = odometry, now

    def drop(self, robot: int) -> None:
        """Remove a robot; the factors of its odometry are kept."""
        first = self._row[robot]
        keep = np.r_[:first, first + SIZE:len(self.state)]
        self.remember(robot, Kept(
            self.factors(robot), self.factor_variances(robot), self._times[robot]))
        self.state, self.covariance = self.state[keep], self.covariance[np.ix_(keep, keep)]
        self.ids.remove(robot)
        self._row = {each: SIZE * k for k, each in enumerate(self.ids)}
        del self._odometry[robot], self._times[robot]
        self._rejections.forget(robot)
        self._adaptation.forget(robot)
        self.trust.forget(robot)
        self.watched.pop(robot, None)
        self.bias.drop(robot, keep)

    def remember(self, robot: int, kept: Kept) -> None:
        """Keep the factors of a robot that is not in the filter, until it is added."""
        self._factors.pop(robot, None)
        self._factors[robot] = kept
        if len(self._factors) > MOST_KEPT:
            del self._factors[next(iter(self._factors))]

    def _remembered(self, robot: int, now: float) -> tuple[Factors, Array]:
        """Return the factors of a robot to be added, and their variances."""
        kept = self._factors.pop(robot, None)
        if kept is None:
            return Factors(), self.factor_start
        return kept.factors, kept.aged(now - kept.time)

    def move(self, robot: int, odometry: PlanePose, now: float, turns: float = 0.0) -> None:
        """
        Move a robot by its odometry, which is cumulative: lost messages do no harm.

        :param odometry: its pose by odometry alone.
        :param now: the time [s]; nothing changes if odometry is the last one, and no newer.
        :param turns: its turn per metre that its odometry does not report [rad/m].
        """
        if odometry == self._odometry[robot] and now <= self._times[robot]:
            return
        first, factors = self._row[robot], self.factors(robot)
        if not plausible(factors):
            self._reset_factors(robot)
            self.loosen(robot, now)
            self.slipping[robot] = now
            factors = self.factors(robot)
        reported = between(self._odometry[robot], odometry)
        duration = max(now - self._times[robot], 0.0)
        pose, scales = pose_rows(first), factor_rows(first)
        state, covariance = self.state, self.covariance
        motion = corrected(reported, factors)
        yaw = float(state[first + 2])
        state[pose] = x, y, _ = compose(tuple(state[pose].tolist()), motion)
        cos, sin = math.cos(yaw), math.sin(yaw)
        # From errors of the motion, in the frame of its begin, to those of the pose.
        turned = np.array(((cos, -sin, y), (sin, cos, -x), (0.0, 0.0, 1.0)))
        if any(reported):
            by_factors = turned @ slopes(reported, factors)
            covariance[pose] += by_factors @ covariance[scales]
            own = covariance[pose, pose] + covariance[pose, scales] @ by_factors.T
            covariance[:, pose] = covariance[pose].T
            self.bias.move(first, by_factors)
        else:
            own = covariance[pose, pose]
        noise = odometry_covariance(
            (*motion[:2], abs(motion[2]) + turns * math.hypot(*motion[:2])), duration,
            self.parameters, self._adaptation.factor(robot))
        if now - self.slipping.get(robot, -math.inf) <= SLIPPING:
            noise += slip_covariance(motion)
        own = own + turned @ noise @ turned.T
        covariance[pose, pose] = (own + own.T) / 2.0
        if not parked(reported, duration):
            known = covariance[_FACTORS + first, _FACTORS + first]
            covariance[_FACTORS + first, _FACTORS + first] = np.maximum(
                known, np.minimum(known + WALK_VARIANCES * duration, self.factor_start))
        self._odometry[robot], self._times[robot] = odometry, now
        self._adaptation.adapt(now)

    def _reset_factors(self, robot: int) -> None:
        """Forget the factors of a robot's odometry."""
        rows = factor_rows(self._row[robot])
        self.state[rows] = Factors()
        self.covariance[rows] = 0.0
        self.covariance[:, rows] = 0.0
        self.covariance[rows, rows] = np.diag(self.factor_start)

    def loosen(self, robot: int, now: float) -> None:
        """Increase the covariance of a robot's pose: it was carried off."""
        self._add_errors(robot, np.square(LOOSENED))
        self._rejections.forget(robot)
        self.contradicted(robot, now)
        self._counts[CARRIED_OFF] += 1

    def doubt(self, robot: int, position: float, heading: float) -> None:
        """Add variances to the position and the heading of a robot [m², rad²]."""
        self._add_errors(robot, np.array((position, position, heading)))

    def contradicted(self, robot: int, now: float) -> None:
        """Remember that a robot's data was wrong, also after the robot is dropped."""
        self.carried_off.setdefault(robot, []).append(now)

    def forgive(self, before: float) -> None:
        """Forget the errors before a time [s]."""
        recent = {robot: [time for time in times if time >= before]
                  for robot, times in self.carried_off.items()}
        self.carried_off = {robot: times for robot, times in recent.items() if times}
        self.slipping = {robot: time for robot, time in self.slipping.items() if time >= before}

    def place(self, robot: int, pose: PlanePose, covariance: Array, beside: int,
              now: float) -> None:
        """
        Give a robot another pose, where sightings found it.

        :param covariance: of the pose with that of the robot beside it given, shape (3, 3).
        :param beside: a robot to which the pose is relative: errors of its pose are its own too.
        :param now: the time [s].
        """
        rows, others = pose_rows(self._row[robot]), pose_rows(self._row[beside])
        x, y = pose[0] - self._origin[0], pose[1] - self._origin[1]
        self.state[rows] = x, y, pose[2]
        common = self.covariance[others].copy()
        turned = to_invariant(x, y)
        common[:, rows] = self.covariance[others, others] + turned @ covariance @ turned.T
        self.covariance[rows] = common
        self.covariance[:, rows] = common.T
        self._rejections.forget(robot)
        self.trust.forget(robot)
        self.contradicted(robot, now)
        self._counts[CARRIED_OFF] += 1

    def restore(self, robot: int, pose: PlanePose, deviation: tuple[float, float]) -> None:
        """
        Give a robot an earlier estimate of its pose again, without what was learnt since.

        :param deviation: the standard deviations of its position and heading [m, rad].
        """
        rows = pose_rows(self._row[robot])
        self._reset_factors(robot)
        self.state[rows] = pose[0] - self._origin[0], pose[1] - self._origin[1], pose[2]
        self.covariance[rows] = 0.0
        self.covariance[:, rows] = 0.0
        self._add_errors(robot, np.square((deviation[0], *deviation)))

    def watch(self, robot: int, now: float) -> None:
        """Take a robot's pose as its own word only, for a while."""
        self.watched[robot] = now + WATCHED

    def newcomers(self, now: float) -> set[int]:
        """
        Return the robots whose poses are their own word only, if they are fewer than the others.

        What contradicts one of them says nothing of the others.
        """
        new = {robot for robot, until in self.watched.items() if now < until}
        return new if 2 * len(new) < len(self.ids) else set()

    def distrust(self, robot: int) -> None:
        """Ignore the odometry of a robot: only sightings of it determine its pose."""
        rows = pose_rows(self._row[robot])
        self.covariance[rows] = 0.0
        self.covariance[:, rows] = 0.0
        self._add_errors(robot, np.square(LOOSENED))

    # Results.

    def pose(self, robot: int) -> PlanePose:
        """Return the pose of a robot as of its last odometry."""
        x, y, yaw = self.state[pose_rows(self._row[robot])].tolist()
        return x + self._origin[0], y + self._origin[1], yaw

    def factors(self, robot: int) -> Factors:
        """Return the factors of a robot's odometry."""
        return Factors(*self.state[factor_rows(self._row[robot])].tolist())

    def factor_variances(self, robot: int) -> Array:
        """Return the variances of these factors, shape (3,)."""
        rows = factor_rows(self._row[robot])
        return np.array(self.covariance.diagonal()[rows])

    def corrected(self, robot: int, motion: PlanePose) -> PlanePose:
        """Return the motion of a robot, by what its odometry reports."""
        return corrected(motion, self.factors(robot))

    def odometry(self, robot: int) -> PlanePose:
        """Return the last pose of a robot by odometry alone."""
        return self._odometry[robot]

    def age(self, robot: int, now: float) -> float:
        """Return the age of a robot's last odometry [s]."""
        return now - self._times[robot]

    def covariance_of(self, robot: int) -> Array:
        """Return the covariance of a robot's pose, shape (3, 3)."""
        rows = pose_rows(self._row[robot])
        turned = from_invariant(*self.state[rows.start:rows.start + 2].tolist())
        found = turned @ self.covariance[rows, rows] @ turned.T
        return np.array((found + found.T) / 2.0)

    def heading_variance(self, robot: int) -> float:
        """Return the variance of a robot's heading [rad²]."""
        return self.covariance.item(self._row[robot] + 2, self._row[robot] + 2)

    def apart(self, place: tuple[float, float]) -> Array:
        """Return the distances of all robots from a place [m], shape (n,)."""
        x, y = (places(self.state) + self._origin - place).T
        found: Array = np.hypot(x, y)
        return found

    def distance(self, one: int, other: int, now: float) -> tuple[float, float]:
        """Return the distance between two robots, and its standard deviation [m]."""
        first, second = self._row[one], self._row[other]
        (ax, ay), (bx, by) = (self.state[row:row + 2].tolist() for row in (first, second))
        length = max(math.hypot(bx - ax, by - ay), 1e-6)
        x, y = (bx - ax) / length, (by - ay) / length
        begin, end = np.array((-x, -y, x * ay - y * ax)), np.array((x, y, y * bx - x * by))
        way = (begin @ self.covariance[pose_rows(first)]
               + end @ self.covariance[pose_rows(second)])
        variance = float(way[pose_rows(first)] @ begin + way[pose_rows(second)] @ end)
        stale = UNEXPLAINED_SPEED ** 2 * (self.age(one, now) ** 2 + self.age(other, now) ** 2)
        return length, math.sqrt(max(variance, 0.0) + stale)

    def relative(self, one: int, others: Sequence[int], now: float) -> tuple[Array, Array]:
        """
        Return the positions of m robots in the frame of another one, and their covariances.

        :param one: the robot whose frame it is.
        :param now: the time [s]; old odometry makes the covariances greater.
        :return: [m], shape (m, 2), and [m2], shape (m, 2, 2).
        """
        first, m = self._row[one], len(others)
        x, y, yaw = self.state[pose_rows(first)].tolist()
        firsts = np.array([(first, self._row[other]) for other in others])
        at = (firsts[:, :, np.newaxis] + _POSE).reshape(m, 2 * POSE)
        there = self.state[at[:, POSE:POSE + 2]]
        # A turn of both about the origin changes nothing.
        change = np.zeros((m, 2, 2 * POSE))
        change[:, _PLACE, _PLACE], change[:, _PLACE, POSE + _PLACE] = -1.0, 1.0
        change[:, :, POSE - 1] = there[:, ::-1] * (1.0, -1.0)
        change[:, :, -1] = -change[:, :, POSE - 1]
        cos, sin = math.cos(yaw), math.sin(yaw)
        turned = np.array(((cos, sin), (-sin, cos)))
        change = turned @ change
        own = self.age(one, now)
        stale = [UNEXPLAINED_SPEED ** 2 * (own * own + self.age(other, now) ** 2)
                 for other in others]
        covariances = (change @ self.covariance[at[:, :, np.newaxis], at[:, np.newaxis]]
                       @ change.transpose(0, 2, 1))
        covariances[:, _PLACE, _PLACE] += np.array(stale)[:, np.newaxis]
        return (there - (x, y)) @ turned.T, covariances

    # Sightings.

    def is_redundant(self, observer: int, seen: int, now: float) -> bool:
        """
        Return whether a sighting of a pair beside the first robot need not be used.

        Their number grows with the square of the robots, and what they tell does not. So from
        twice :data:`ENOUGH` observers on they take turns, unless a pair's last sighting did not
        fit: what contradicts the filter is judged in full.
        """
        turns = (len(self.ids) - 1) // ENOUGH
        if turns <= 1 or seen not in self._row or seen == self.ids[0]:
            return False
        interval = int(now / self.parameters.sighting_interval)
        # Shifted after each cycle: no period of messages then misses all turns of an observer.
        return (observer + interval + interval // turns) % turns != 0 and self._rejections.fits(
            observer, seen)

    def see(self, sightings: Sequence[Observed], now: float,
            late: Mapping[int, Late] = NO_LATE) -> list[Innovation]:
        """
        Process sightings; rejected ones are counted, and have no other effect.

        :param sightings: valid ones (:func:`leader_election.localisation.sighting.checked`).
        :param now: the time [s].
        :param late: the late ones among them as they were measured, by the ids seen.
        :return: the innovations of those that concern known and fresh robots, without ranges that
            wait for a second one.
        """
        known, lines = [], []
        rows, landmarks, times = self._row, self._landmarks, self._times
        for observed in sightings:
            observer, (seen, distance, bearing, of_range, of_bearing, _) = observed
            if (seen not in rows and seen not in landmarks or observer not in rows
                    or observer == seen):
                continue
            age = now - times[observer]
            if seen in landmarks:
                there, of_seen = LANDMARK, 0.0
                x, y = landmarks[seen]
                place = x - self._origin[0], y - self._origin[1]
            else:
                there, place, of_seen = rows[seen], (0.0, 0.0), now - times[seen]
            if age > self.expiry or of_seen > self.expiry:
                continue
            known.append(observed)
            earlier = PRESENT
            if seen in late:
                (_, distance, bearing, of_range, of_bearing, _), earlier = late[seen]
            lines.append(Line(rows[observer], there, place, distance, bearing,
                              UNEXPLAINED_SPEED ** 2 * (age * age + of_seen * of_seen),
                              of_range, of_bearing, earlier, (observer, seen)))
        self._counts[UNKNOWN] += len(sightings) - len(known)
        if not known:
            return []
        distrusted = known[0][0] in self.trust.distrusted
        doubted = distrusted or any(self._rejections.doubts(observer, now)
                                    for observer in {observer for observer, _ in known})
        if doubted:
            # The sightings of an observer that are mostly wrong are not used even where they fit,
            # but only judged: the observer is believed again when it agrees with the others.
            self._counts[DISTRUSTED] += len(known)
            state, covariance = self.state.copy(), self.covariance.copy()
            judged = [update(state, covariance, line, self.parameters) for line in lines]
            if distrusted:
                for (observer, _), outcome in zip(known, judged):
                    self.trust.judge(observer, outcome.accepted)
                return [Innovation(observer, sighting.id, *outcome[:3])
                        for (observer, sighting), outcome in zip(known, judged)]
            return self._note(known, judged, now)
        self.bias.begin(known[0][0], now)
        self._doubtful.begin(now)
        innovations = []
        if len(known) >= AT_ONCE:
            outcomes = update_at_once(
                self.state, self.covariance, lines, self.parameters, self.bias, self._doubtful)
            innovations = self._note(
                [observed for observed, outcome in zip(known, outcomes) if outcome],
                [outcome for outcome in outcomes if outcome], now)
            known = [observed for observed, outcome in zip(known, outcomes) if not outcome]
            lines = [line for line, outcome in zip(lines, outcomes) if not outcome]
        for observed, line in zip(known, lines):
            innovations += self._note([observed], [
                update(self.state, self.covariance, line, self.parameters, self.bias,
                       self._doubtful)], now)
        return innovations

    def _note(self, known: Sequence[Observed], outcomes: Sequence[Outcome],
              now: float) -> list[Innovation]:
        """Count the outcomes, and look for robots that were carried off."""
        innovations = []
        rejected = waiting = 0
        for (observer, sighting), outcome in zip(known, outcomes):
            if outcome.waits:
                waiting += 1
                continue
            seen, accepted = sighting.id, outcome.accepted
            rejected += not accepted
            self._rejections.note(observer, seen, now, not accepted)
            self._adaptation.note(observer, seen, outcome)
            innovations.append(Innovation(
                observer, seen, outcome.range, outcome.bearing, accepted))
        self._counts[ACCEPTED] += len(known) - rejected - waiting
        if rejected:
            self._counts[REJECTED] += rejected
            suspect = self._rejections.suspect(self._row, now, self.newcomers(now))
            if suspect is not None and self._rejections.is_of_sensor(suspect):
                self.trust.distrust(suspect)
                self._rejections.forget(suspect)
            elif suspect is not None:
                before = self.carried_off.get(suspect, [-math.inf])[-1]
                self.loosen(suspect, now)
                if now - before <= AGAIN:
                    self.slipping[suspect] = now
        return innovations

    def _add_errors(self, robot: int, variances: Array) -> None:
        """Add independent errors of x, y and yaw to those of a robot [m², m², rad²]."""
        rows = pose_rows(self._row[robot])
        turned = to_invariant(*self.state[rows.start:rows.start + 2].tolist())
        self.covariance[rows, rows] += (turned * variances) @ turned.T
