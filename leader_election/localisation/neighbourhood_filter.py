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
The neighbourhood filter: an extended Kalman filter over the poses of robots in one frame.

Its inputs are the raw odometry and the raw sightings of all of these robots. No estimate of
another filter is fused, so no data counts twice. This is the difference from covariance
intersection (L. Carrillo-Arce et al., IROS 2013; H. Li, F. Nashashibi, IEEE ITS Magazine
2013) and from updates that robots exchange (L. Luft et al., IJRR 2018).
"""

from collections import Counter
from collections.abc import Mapping, Sequence
import math
from typing import NamedTuple

from leader_election.localisation.noise import Array, odometry_variances
from leader_election.localisation.parameters import LocalisationParameters
from leader_election.localisation.plane import between, compose, PlanePose
from leader_election.localisation.rejections import Rejections
from leader_election.localisation.sensor_bias import BiasEstimate
from leader_election.localisation.sighting import Sighting
from leader_election.localisation.updates import (
    LANDMARK,
    Line,
    Outcome,
    update,
    update_by_ranges,
)
import numpy as np

UNEXPLAINED_SPEED = 0.1
"""The error of outdated odometry, by its age [m/s]."""
LOOSENED = (1.5, 1.5, 1.0)
"""The standard deviations added to the pose of a robot that was carried off [m, m, rad]."""
AT_ONCE = 3
"""The least number of ranges processed at once: fewer are faster one by one."""

ACCEPTED, REJECTED = 'sightings_accepted', 'sightings_rejected'
UNKNOWN, CARRIED_OFF = 'sightings_unknown', 'robots_carried_off'
DISTRUSTED = 'sightings_distrusted'
COUNTERS = (ACCEPTED, REJECTED, UNKNOWN, CARRIED_OFF)
"""The names of the filter's counters."""

Observed = tuple[int, Sighting]
"""The id of the observer, and what it saw."""


class Innovation(NamedTuple):
    """The normalised differences between a sighting and its expectation; nan: not measured."""

    observer: int
    seen: int
    range: float  # noqa: A003
    bearing: float
    accepted: bool


class NeighbourhoodFilter:
    """
    Estimates the poses of robots, and their covariance.

    :ivar ids: the robots, in the order of their rows in state and covariance.
    :ivar state: x, y, yaw of each robot in the shared frame [m, rad], shape (3 n,).
    :ivar covariance: shape (3 n, 3 n).
    :ivar carried_off: the times at which a robot was detected as carried off, by id, including
        dropped robots.
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
        self.expiry = expiry
        self.ids: list[int] = []
        self.state: Array = np.zeros(0)
        self.covariance: Array = np.zeros((0, 0))
        self.carried_off: dict[int, list[float]] = {}
        self.bias = BiasEstimate()
        self._landmarks = landmarks
        self._counts = counts
        self._row: dict[int, int] = {}
        self._odometry: dict[int, PlanePose] = {}
        self._times: dict[int, float] = {}
        self._rejections = Rejections()

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
        before = len(self.state)
        self._row[robot] = before
        self.ids.append(robot)
        self.state = np.append(self.state, pose)
        covariance = np.zeros((before + 3, before + 3))
        covariance[:before, :before] = self.covariance
        covariance[before:, before:] = np.diag(np.square((deviation[0], *deviation)))
        self.covariance = covariance
        self.bias.add()
        self._odometry[robot], self._times[robot] = odometry, now

    def drop(self, robot: int) -> None:
        """Remove a robot."""
        rows = self._rows(robot)
        keep = np.r_[:rows.start, rows.stop:len(self.state)]
        self.state, self.covariance = self.state[keep], self.covariance[np.ix_(keep, keep)]
        self.ids.remove(robot)
        self._row = {each: 3 * k for k, each in enumerate(self.ids)}
        del self._odometry[robot], self._times[robot]
        self._rejections.forget(robot)
        self.bias.drop(robot, keep)

    def move(self, robot: int, odometry: PlanePose, now: float, turns: float = 0.0) -> None:
        """
        Move a robot by its odometry, which is cumulative: lost messages do no harm.

        :param odometry: its pose by odometry alone.
        :param now: the time [s], not before that of its last odometry.
        :param turns: its turn per metre that its odometry does not report [rad/m].
        """
        forward, left, turn = motion = between(self._odometry[robot], odometry)
        duration = max(now - self._times[robot], 0.0)
        first = self._row[robot]
        third, end = first + 2, first + 3
        state, covariance = self.state, self.covariance
        pose: PlanePose = tuple(state[first:end].tolist())
        state[first:end] = compose(pose, motion)
        cos, sin = math.cos(pose[2]), math.sin(pose[2])
        x, y = -sin * forward - cos * left, cos * forward - sin * left
        (xx, xy, xt), (_, yy, yt), (_, _, tt) = covariance[first:end, first:end].tolist()
        if x or y:
            # The turn of the path with the heading changes the covariances with all others.
            covariance[first:third] += np.array(((x,), (y,))) * covariance[third]
            covariance[:, first:third] = covariance[first:third].T
            self.bias.move(first, x, y)
        along, across, heading, mixed = odometry_variances(
            (forward, left, abs(turn) + turns * math.hypot(forward, left)), duration,
            self.parameters)
        xy += x * yt + y * xt + x * y * tt + (along - across) * sin * cos
        xx += 2.0 * x * xt + x * x * tt + cos * cos * along + sin * sin * across
        yy += 2.0 * y * yt + y * y * tt + sin * sin * along + cos * cos * across
        xt, yt = xt + x * tt - sin * mixed, yt + y * tt + cos * mixed
        covariance[first:end, first:end] = ((xx, xy, xt), (xy, yy, yt), (xt, yt, tt + heading))
        self._odometry[robot], self._times[robot] = odometry, now

    def loosen(self, robot: int, now: float) -> None:
        """Increase the covariance of a robot's pose: it was carried off."""
        rows = self._rows(robot)
        self.covariance[rows, rows] += np.diag(np.square(LOOSENED))
        self._rejections.forget(robot)
        self.contradicted(robot, now)
        self._counts[CARRIED_OFF] += 1

    def doubt(self, robot: int, position: float, heading: float) -> None:
        """Add variances to the position and the heading of a robot [m², rad²]."""
        rows = self._rows(robot)
        self.covariance[rows, rows] += np.diag((position, position, heading))

    def contradicted(self, robot: int, now: float) -> None:
        """Remember that a robot's data was wrong, also after the robot is dropped."""
        self.carried_off.setdefault(robot, []).append(now)

    def forgive(self, before: float) -> None:
        """Forget the errors before a time [s]."""
        recent = {robot: [time for time in times if time >= before]
                  for robot, times in self.carried_off.items()}
        self.carried_off = {robot: times for robot, times in recent.items() if times}

    def distrust(self, robot: int) -> None:
        """Ignore the odometry of a robot: only sightings of it determine its pose."""
        rows = self._rows(robot)
        self.covariance[rows] = 0.0
        self.covariance[:, rows] = 0.0
        self.covariance[rows, rows] = np.diag(np.square(LOOSENED))

    # Results.

    def pose(self, robot: int) -> PlanePose:
        """Return the pose of a robot as of its last odometry."""
        x, y, yaw = self.state[self._rows(robot)].tolist()
        return x, y, yaw

    def odometry(self, robot: int) -> PlanePose:
        """Return the last pose of a robot by odometry alone."""
        return self._odometry[robot]

    def age(self, robot: int, now: float) -> float:
        """Return the age of a robot's last odometry [s]."""
        return now - self._times[robot]

    def covariance_of(self, robot: int) -> Array:
        """Return the covariance of a robot's pose, shape (3, 3)."""
        rows = self._rows(robot)
        return np.array(self.covariance[rows, rows])

    def distance(self, one: int, other: int, now: float) -> tuple[float, float]:
        """Return the distance between two robots, and its standard deviation [m]."""
        first, second = self._row[one], self._row[other]
        state, covariance = self.state, self.covariance
        x, y = (state[second:second + 2] - state[first:first + 2]).tolist()
        length = max(math.hypot(x, y), 1e-6)
        x, y = x / length, y / length
        ways = covariance[second:second + 2] - covariance[first:first + 2]
        (xx, xy), (_, yy) = (ways[:, second:second + 2] - ways[:, first:first + 2]).tolist()
        stale = UNEXPLAINED_SPEED ** 2 * (self.age(one, now) ** 2 + self.age(other, now) ** 2)
        return length, math.sqrt(max(x * x * xx + 2.0 * x * y * xy + y * y * yy, 0.0) + stale)

    def relative(self, one: int, other: int, now: float) -> tuple[Array, Array]:
        """
        Return the position of a robot in the frame of another one, and its covariance.

        :param one: the robot whose frame it is.
        :param now: the time [s]; old odometry makes the covariance greater.
        :return: [m], shape (2,), and [m2], shape (2, 2).
        """
        first, second = self._row[one], self._row[other]
        cos, sin = math.cos(self.state[first + 2]), math.sin(self.state[first + 2])
        turned = np.array(((cos, sin), (-sin, cos)))
        x, y = place = turned @ (self.state[second:second + 2] - self.state[first:first + 2])
        change = np.column_stack((-turned, (y, -x), turned))
        rows = [first, first + 1, first + 2, second, second + 1]
        stale = UNEXPLAINED_SPEED ** 2 * (self.age(one, now) ** 2 + self.age(other, now) ** 2)
        return place, change @ self.covariance[np.ix_(rows, rows)] @ change.T + stale * np.eye(2)

    # Sightings.

    def see(self, sightings: Sequence[Observed], now: float) -> list[Innovation]:
        """
        Process sightings; rejected ones are counted, and have no other effect.

        :param sightings: valid ones (:func:`leader_election.localisation.sighting.checked`).
        :param now: the time [s].
        :return: the innovations of those that concern known and fresh robots, in their order.
        """
        known, lines = [], []
        rows, landmarks, times = self._row, self._landmarks, self._times
        for observed in sightings:
            observer, (seen, distance, bearing, *deviations, _) = observed
            if (seen not in rows and seen not in landmarks or observer not in rows
                    or observer == seen):
                continue
            age = now - times[observer]
            if seen in landmarks:
                there, place, of_seen = LANDMARK, landmarks[seen], 0.0
            else:
                there, place, of_seen = rows[seen], (0.0, 0.0), now - times[seen]
            if age > self.expiry or of_seen > self.expiry:
                continue
            known.append(observed)
            lines.append(Line(rows[observer], there, place, distance, bearing,
                              UNEXPLAINED_SPEED ** 2 * (age * age + of_seen * of_seen),
                              *deviations))
        self._counts[UNKNOWN] += len(sightings) - len(known)
        if not known:
            return []
        doubted = any(self._rejections.doubts(observer, now)
                      for observer in {observer for observer, _ in known})
        if doubted:
            # The sightings of an observer that are mostly wrong are not used even where they fit,
            # but only judged: the observer is believed again when it agrees with the others.
            self._counts[DISTRUSTED] += len(known)
            state, covariance = self.state.copy(), self.covariance.copy()
            judged = [update(state, covariance, line, self.parameters) for line in lines]
            return self._note(known, judged, now)
        self.bias.begin(known[0][0], now)
        if len(known) >= AT_ONCE and all(math.isnan(line.bearing) for line in lines):
            outcomes = update_by_ranges(
                self.state, self.covariance, lines, self.parameters, self.bias)
            if outcomes is not None:
                return self._note(known, outcomes, now)
        return [innovation for observed, line in zip(known, lines) for innovation in self._note(
            [observed],
            [update(self.state, self.covariance, line, self.parameters, self.bias)], now)]

    def _note(self, known: Sequence[Observed], outcomes: Sequence[Outcome],
              now: float) -> list[Innovation]:
        """Count the outcomes, and look for robots that were carried off."""
        innovations = []
        rejected = 0
        for (observer, sighting), outcome in zip(known, outcomes):
            rejected += not outcome.accepted
            self._rejections.note(observer, sighting.id, now, not outcome.accepted)
            innovations.append(Innovation(observer, sighting.id, *outcome))
        self._counts[ACCEPTED] += len(known) - rejected
        if rejected:
            self._counts[REJECTED] += rejected
            suspect = self._rejections.suspect(self._row, now)
            if suspect is not None:
                self.loosen(suspect, now)
        return innovations

    def _rows(self, robot: int) -> slice:
        first = self._row[robot]
        return slice(first, first + 3)
