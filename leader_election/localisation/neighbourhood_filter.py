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

It is fed with the raw odometry and the raw sightings of all of these robots. Nothing that another
filter has computed is fused, so nothing counts twice: the difference to covariance intersection
(L. Carrillo-Arce et al., IROS 2013; H. Li, F. Nashashibi, IEEE ITS Magazine 2013) and to updates
that robots exchange (L. Luft et al., IJRR 2018).
"""

from collections import Counter
from collections.abc import Mapping, Sequence
import math
from typing import NamedTuple

from leader_election.localisation.noise import Array, odometry_covariance, range_variance
from leader_election.localisation.parameters import LocalisationParameters
from leader_election.localisation.plane import between, compose, PlanePose
from leader_election.localisation.rejections import Rejections
from leader_election.localisation.sighting import Sighting
import numpy as np

GATES = (0.0, 10.83, 13.82)
"""The squares of normalised errors that 99.9 % of good sightings keep to, by numbers measured."""
ITERATIONS = 3
"""Of an update with a bearing: it is linearised anew where the estimate comes to lie."""
NEAREST = 0.3
"""The least range with which bearings and bends are computed [m]."""
UNEXPLAINED_SPEED = 0.1
"""By which odometry that is out of date may be off, for its age [m/s]."""
LOOSENED = (1.5, 1.5, 1.0)
"""The standard deviations that are added to a robot that was carried off [m, m, rad]."""
BENT = 0.1
"""A bend beyond which sightings are taken one by one [m]."""

ACCEPTED, REJECTED = 'sightings_accepted', 'sightings_rejected'
UNKNOWN, CARRIED_OFF = 'sightings_unknown', 'robots_carried_off'
COUNTERS = (ACCEPTED, REJECTED, UNKNOWN, CARRIED_OFF)
"""The names of the filter's counters."""

Observed = tuple[int, Sighting]
"""The id of the observer, and what it saw."""


class Innovation(NamedTuple):
    """The normalised differences of a sighting from what was expected; not a number: none."""

    observer: int
    seen: int
    range: float
    bearing: float
    accepted: bool


class NeighbourhoodFilter:
    """
    Estimates the poses of robots, and their covariance.

    :ivar ids: the robots, in the order of their rows in state and covariance.
    :ivar state: x, y, yaw of each robot in the shared frame [m, rad], shape (3 n,).
    :ivar covariance: shape (3 n, 3 n).
    :ivar carried_off: the times at which a robot was found to have been carried off, by id.
    """

    def __init__(self, parameters: LocalisationParameters, expiry: float,
                 landmarks: Mapping[int, tuple[float, float]], counts: Counter[str]) -> None:
        """
        Start without robots.

        :param expiry: sightings by robots, or of robots, of which no odometry was received for so
            long are passed over [s].
        :param landmarks: places by id [m].
        :param counts: what is accepted and rejected is counted there.
        """
        self.parameters = parameters
        self.expiry = expiry
        self.ids: list[int] = []
        self.state: Array = np.zeros(0)
        self.covariance: Array = np.zeros((0, 0))
        self.carried_off: dict[int, list[float]] = {}
        self._landmarks = landmarks
        self._counts = counts
        self._row: dict[int, int] = {}
        self._odometry: dict[int, PlanePose] = {}
        self._times: dict[int, float] = {}
        self._rejections = Rejections()

    def __contains__(self, robot: int) -> bool:
        """Return whether the robot is among those of the filter."""
        return robot in self._row

    # Robots come, move and go.

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
        self._odometry[robot], self._times[robot] = odometry, now

    def drop(self, robot: int) -> None:
        """Remove a robot."""
        rows = self._rows(robot)
        keep = np.r_[:rows.start, rows.stop:len(self.state)]
        self.state, self.covariance = self.state[keep], self.covariance[np.ix_(keep, keep)]
        self.ids.remove(robot)
        self._row = {each: 3 * k for k, each in enumerate(self.ids)}
        del self._odometry[robot], self._times[robot]
        self.carried_off.pop(robot, None)
        self._rejections.forget(robot)

    def move(self, robot: int, odometry: PlanePose, now: float, turns: float = 0.0) -> None:
        """
        Move a robot by its odometry, which is cumulative: what was lost in between does no harm.

        :param odometry: its pose by odometry alone.
        :param now: the time [s], not before that of its last odometry.
        :param turns: what it turns for each metre without its odometry saying so [rad/m].
        """
        motion = between(self._odometry[robot], odometry)
        rows, duration = self._rows(robot), now - self._times[robot]
        state, covariance = self.state, self.covariance
        first, second, third = rows.start, rows.start + 1, rows.start + 2
        yaw = float(state[third])
        cos, sin = math.cos(yaw), math.sin(yaw)
        state[rows] = compose((float(state[first]), float(state[second]), yaw), motion)
        x, y = -sin * motion[0] - cos * motion[1], cos * motion[0] - sin * motion[1]
        covariance[first] += x * covariance[third]
        covariance[second] += y * covariance[third]
        covariance[:, first] += x * covariance[:, third]
        covariance[:, second] += y * covariance[:, third]
        turned = np.array(((cos, -sin, 0.0), (sin, cos, 0.0), (0.0, 0.0, 1.0)))
        turn = abs(motion[2]) + turns * math.hypot(motion[0], motion[1])
        noise = odometry_covariance((motion[0], motion[1], turn), duration, self.parameters)
        covariance[rows, rows] += turned @ noise @ turned.T
        self._odometry[robot], self._times[robot] = odometry, now

    def loosen(self, robot: int, now: float) -> None:
        """Forget where a robot is, but roughly: it was carried off."""
        rows = self._rows(robot)
        self.covariance[rows, rows] += np.diag(np.square(LOOSENED))
        self._rejections.forget(robot)
        self.carried_off.setdefault(robot, []).append(now)
        self._counts[CARRIED_OFF] += 1

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
        apart = self.state[second:second + 2] - self.state[first:first + 2]
        length = max(float(np.hypot(*apart)), 1e-6)
        covariance = self.covariance
        relative = (
            covariance[first:first + 2, first:first + 2]
            + covariance[second:second + 2, second:second + 2]
            - covariance[first:first + 2, second:second + 2]
            - covariance[second:second + 2, first:first + 2])
        along = apart / length
        stale = UNEXPLAINED_SPEED ** 2 * (self.age(one, now) ** 2 + self.age(other, now) ** 2)
        return length, math.sqrt(max(float(along @ relative @ along), 0.0) + stale)

    # Sightings.

    def see(self, sightings: Sequence[Observed], now: float) -> list[Innovation]:
        """
        Take in sightings; what cannot be believed is counted, and has no other effect.

        :param sightings: valid ones (:func:`leader_election.localisation.sighting.checked`).
        :param now: the time [s].
        :return: the innovations of those that concern known and fresh robots, in their order.
        """
        known = [each for each in sightings if self._is_known(*each, now)]
        self._counts[UNKNOWN] += len(sightings) - len(known)
        if not known:
            return []
        update = _Update(self, known, now)
        if len(known) > 1 and update.bent:
            # Each of them straightens the next: far less certain poses than usual.
            return [innovation for each in known for innovation in self._take([each], now)]
        return self._take(known, now, update)

    def _take(self, known: Sequence[Observed], now: float,
              update: '_Update | None' = None) -> list[Innovation]:
        """Take in sightings at once."""
        update = update or _Update(self, known, now)
        accepted = update.apply()
        innovations = []
        for (observer, sighting), took, errors in zip(known, accepted, update.normalised()):
            self._counts[ACCEPTED if took else REJECTED] += 1
            self._rejections.note(observer, sighting.id, now, not took)
            innovations.append(Innovation(observer, sighting.id, *errors, took))
        if not all(accepted):
            suspect = self._rejections.suspect(self._row, now)
            if suspect is not None:
                self.loosen(suspect, now)
        return innovations

    def _is_known(self, observer: int, sighting: Sighting, now: float) -> bool:
        seen = sighting.id
        return (observer in self._row and observer != seen
                and self.age(observer, now) <= self.expiry
                and (seen in self._landmarks
                     or seen in self._row and self.age(seen, now) <= self.expiry))

    def _rows(self, robot: int) -> slice:
        first = self._row[robot]
        return slice(first, first + 3)


class _Update:
    """
    One update with m sightings: expected values, their derivatives, gate and gain.

    Rows of measurements are the ranges, then the bearings; those that are missing are masked.
    """

    def __init__(self, own: NeighbourhoodFilter, sightings: Sequence[Observed],
                 now: float) -> None:
        m = len(sightings)
        self._filter = own
        self._count = m
        self._observers = np.array([own._row[observer] for observer, _ in sightings])
        self._seen = np.array([-1 if sighting.id in own._landmarks else own._row[sighting.id]
                               for _, sighting in sightings])
        self._places = np.array([own._landmarks.get(sighting.id, (0.0, 0.0))
                                 for _, sighting in sightings])
        self._measured = np.array([[sighting.range for _, sighting in sightings],
                                   [sighting.bearing for _, sighting in sightings]])
        self._given = ~np.isnan(self._measured)
        ages = np.array([
            own.age(observer, now) ** 2
            + (0.0 if sighting.id in own._landmarks else own.age(sighting.id, now) ** 2)
            for observer, sighting in sightings])
        expected, rows = self._expect(own.state)
        ranges = expected[0]
        product = rows @ own.covariance
        spread = product @ rows.T
        across = np.diagonal(spread)[2 * m:]
        # A long uncertainty across the line of sight makes a range longer than the linearised one.
        bend = across / (2.0 * np.maximum(ranges, NEAREST))
        self.bent = bool((bend > BENT).any())
        self._bends = np.minimum(bend, 0.5 * np.nan_to_num(self._measured[0]))
        stale = UNEXPLAINED_SPEED ** 2 * ages
        self._variances = np.concatenate((
            range_variance(ranges, own.parameters) + 2.0 * bend ** 2 + stale,
            own.parameters.bearing_noise ** 2 + stale / np.maximum(ranges, NEAREST) ** 2))
        self._errors = self._error(expected)
        self._product, self._rows = product[:2 * m], rows[:2 * m]
        self._spread = spread[:2 * m, :2 * m]

    def _expect(self, state: Array) -> tuple[Array, Array]:
        """
        Return the expected ranges and bearings, shape (2, m), and derivatives, shape (3 m, 3 n).

        The derivatives are those of the ranges, of the bearings, and of the way across.
        """
        m, here, there = self._count, self._observers, self._seen
        robots = there >= 0
        places = np.where(robots[:, np.newaxis],
                          state[np.column_stack((there, there + 1))], self._places)
        x, y = (places - state[np.column_stack((here, here + 1))]).T
        square = np.maximum(x * x + y * y, 1e-4)
        length = np.sqrt(square)
        expected = np.array((length, np.arctan2(y, x) - state[here + 2]))
        rows = np.zeros((3, m, len(state)))
        each, seen = np.arange(m), there[robots]
        for k, (by_x, by_y) in enumerate((
                (x / length, y / length), (-y / square, x / square), (-y / length, x / length))):
            rows[k, each, here], rows[k, each, here + 1] = -by_x, -by_y
            rows[k, each[robots], seen] = by_x[robots]
            rows[k, each[robots], seen + 1] = by_y[robots]
        rows[1, each, here + 2] = -1.0
        return expected, rows.reshape(3 * m, -1)

    def _error(self, expected: Array) -> Array:
        """Return measured less expected, shape (2 m,), 0 where nothing was measured."""
        error = self._measured - expected
        error[0] -= self._bends
        error[1] = (error[1] + math.pi) % (2.0 * math.pi) - math.pi
        return np.where(self._given, error, 0.0).ravel()

    def normalised(self) -> list[tuple[float, float]]:
        """Return the normalised errors of range and bearing of each sighting before the update."""
        deviations = np.sqrt(np.diagonal(self._spread) + self._variances)
        errors = np.where(self._given.ravel(), self._errors / deviations, np.nan)
        return list(zip(*errors.reshape(2, -1).tolist()))

    def accepted(self) -> list[bool]:
        """Return for each sighting whether it passes the gate."""
        m, given = self._count, self._given
        total = self._spread + np.diag(self._variances)
        ranges, bearings = np.diagonal(total)[:m], np.diagonal(total)[m:]
        mixed = np.where(given.all(axis=0), np.diagonal(total, offset=m), 0.0)
        of_range, of_bearing = self._errors[:m], self._errors[m:]
        square = (bearings * of_range ** 2 - 2.0 * mixed * of_range * of_bearing
                  + ranges * of_bearing ** 2) / (ranges * bearings - mixed ** 2)
        gates = np.array(GATES)[given.sum(axis=0)]
        return [bool(good) for good in square <= gates]

    def apply(self) -> list[bool]:
        """Update state and covariance by the sightings that pass the gate; return which do."""
        own, accepted = self._filter, self.accepted()
        used = (self._given & np.array(accepted)).ravel()
        if not used.any():
            return accepted
        variances = np.diag(self._variances[used])
        rows, product, error = self._rows[used], self._product[used], self._errors[used]
        covariance, step = own.covariance, np.zeros(len(own.state))
        total = rows @ product.T + variances
        repeats = ITERATIONS if self._given[1].any() else 1
        for k in range(repeats):
            if k:
                expected, anew = self._expect(own.state + step)
                rows = anew[:len(used)][used]
                error = self._error(expected)[used] + rows @ step
                product = rows @ covariance
                total = product @ rows.T + variances
            gain = np.linalg.solve(total, product).T
            step = gain @ error
        own.state = own.state + step
        covariance = covariance - gain @ product
        own.covariance = (covariance + covariance.T) / 2.0
        return accepted
