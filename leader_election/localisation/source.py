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
The interface of pose sources, and the pose source by odometry.

A pose source takes odometry, sightings and the messages of neighbours. It gives the pose of the
robot, the distances of its neighbours, their deviations, and a report of faults. Parameter
``pose_source`` chooses one (:func:`make_source`).
"""

from collections import Counter
from collections.abc import Sequence
import math
from typing import Any, ClassVar, NamedTuple

from leader_election.localisation import own_sightings
from leader_election.localisation.multilateration import of_antennas
from leader_election.localisation.parameters import (
    COOPERATIVE,
    GIVEN,
    LocalisationParameters,
    OWN_POSE_SOURCES,
    POSE_SOURCES,
)
from leader_election.localisation.pose_estimates import LOOSENED, odometry_covariance
from leader_election.localisation.poses import Array, between, compose, PlanePose
from leader_election.localisation.sighting import (
    Extraction,
    Landmarks,
    LEAST_DEVIATION,
    levelled,
    seen_from,
    Sighting,
)
from leader_election.localisation.slip import SLIP_REASONS, SlipDetector
import numpy as np

NAMES_PASSED_OVER, RESTARTS, SLIPS = 'names_passed_over', 'odometry_restarts', 'slips'
TOO_SHORT = 'ranges_too_short'
"""The counter of ranges that are shorter than the difference of heights."""
POSE_SOURCE, MAX_DEVIATION = 'pose_source', 'max_deviation'
DEVIATION, HEADING_DEVIATION = 'deviation', 'heading_deviation'
STEP = 1.0
"""The distance that odometry may leap beyond the top speed [m]."""
SLIP_REPORTED = 30.0
"""The time for which a slip is reported [s]."""


class Estimate(NamedTuple):
    """A robot's estimate of its own pose, as it is sent."""

    odometry: PlanePose | None
    """The pose by odometry alone, ``None`` if it equals the pose."""
    yaw: float
    """The estimated heading [rad]."""
    deviation: float
    """The standard deviation of the position, along the axis on which it is greater [m]."""
    heading_deviation: float
    """The standard deviation of the heading [rad]."""
    sightings: tuple[Sighting, ...] = ()
    """From the pose of the sender at the time of sending, in the plane."""
    height: float = 0.0
    """The height of the sensor in the shared frame [m]."""


def deviations(covariance: Array) -> tuple[float, float]:
    """Return the standard deviations of position (on the worse axis) and heading [m, rad]."""
    (x, _, _), (_, y, _), (_, _, yaw) = covariance.tolist()
    return (max(math.sqrt(max(x, y)), LEAST_DEVIATION), max(math.sqrt(yaw), LEAST_DEVIATION))


class PoseSource:
    """
    The pose of a robot by odometry, with the deviation of dead reckoning.

    This is ``pose_source`` ``odometry``, and the interface and base of all sources, also of those
    of users' packages, which have an attribute ``name``. Poses
    that another localisation gives (``tf``, or odometry in the shared frame) are taken as they
    are, and have no deviation.

    Times are seconds on the caller's clock, which never goes back.

    :ivar parameters: those of localisation. It may be replaced at any time.
    :ivar expiry: the age at which a message expires [s]. It may be replaced at any time.
    :ivar top_speed: the greatest speed of a robot [m/s]. It may be replaced at any time.
    :ivar limit: the deviation beyond which distances are too uncertain [m], infinite for none. It
        may be replaced at any time.
    :ivar height: that of the sensor in the shared frame [m]. It may be replaced at any time.
    :ivar slip: the detector of slip, which detects nothing without its inputs.
    :ivar last_passed_over: the last name of a detection of no robot or landmark.
    """

    COUNTERS: ClassVar[tuple[str, ...]] = (
        *own_sightings.COUNTERS, NAMES_PASSED_OVER, TOO_SHORT, RESTARTS, SLIPS)
    cooperates: ClassVar[bool] = False
    """Whether sightings correct poses, and messages hold estimates and sightings."""

    def __init__(self, robot: int, parameters: LocalisationParameters, *, expiry: float,
                 top_speed: float, counts: Counter[str]) -> None:
        """
        Start without odometry.

        :param robot: the own id.
        :param expiry: of messages and of sightings [s].
        :param top_speed: of all robots [m/s].
        :param counts: counters, to which this source adds its own.
        """
        self.robot = robot
        self.parameters = parameters
        self.top_speed = top_speed
        self.height = 0.0
        self.slip = SlipDetector()
        self.last_passed_over = ''
        self.expiry = expiry
        self.limit = parameters.max_deviation or math.inf
        self._counts = counts
        self._place: tuple[float, float] | None = None
        self._heading: float | None = None
        self._odometry: PlanePose | None = None
        """The pose by odometry alone, without leaps."""
        self._raw: PlanePose = (0.0, 0.0, 0.0)
        self._time = -math.inf
        self._own = own_sightings.OwnSightings(robot, counts)
        self._heights: dict[int, float] = {}
        """The heights of neighbours and landmarks in the shared frame by id [m]."""
        self._sent: tuple[Sighting, ...] = ()
        self._covariance: Array = np.zeros((3, 3))
        self._reckoned: PlanePose = (0.0, 0.0, 0.0)
        """The pose by odometry, and its time, to which the covariance belongs."""
        self._reckoned_at = -math.inf
        counts.update(dict.fromkeys(self.COUNTERS, 0))

    # Input.

    def take_odometry(self, place: tuple[float, float], yaw: float | None, now: float,
                      is_given: bool = False) -> None:
        """
        Process a pose by odometry in the shared frame.

        A leap means that odometry restarted. Then the pose stays, but becomes less certain.

        :param yaw: the heading [rad], ``None`` if unknown.
        :param is_given: whether another localisation has found the pose.
        """
        self._place, self._heading = place, yaw
        if yaw is None or is_given and not self.cooperates:
            return
        pose = (*place, yaw)
        if self._odometry is None:
            self._odometry = pose
            self._begin(pose, now)
        elif self._leaps(self._raw, pose, now - self._time):
            self._counts[RESTARTS] += 1
            self._restart(self._odometry, now)
        else:
            motion = between(self._raw, pose)
            self._odometry = compose(self._odometry, motion)
            variances = self.slip.variances(motion, now - self._time, now)
            if any(variances):
                self._add_variances(*variances)
                self._counts[SLIPS] = self.slip.count
        self._raw, self._time = pose, now
        self._own.track.add(now, self._odometry)

    def take_sightings(self, sightings: Sequence[Sighting], now: float) -> list[Sighting]:
        """
        Process the own sensor's sightings, and keep the last of each robot for the next round.

        :return: the valid sightings that the sensor does not repeat, in the plane and with
            ``range_offset``. The others are counted.
        """
        offset = self.parameters.range_offset
        if offset:
            sightings = [each._replace(range=each.range + offset) for each in sightings]
        flat = [self._levelled(each) for each in sightings]
        return self._own.put(
            of_antennas(flat, self.parameters), self._odometry or self._raw, now,
            lambda sighting, then: self._repeats(sighting, then, now))

    def _levelled(self, sighting: Sighting) -> Sighting:
        above = self._heights.get(sighting.id, self.height) - self.height
        found = levelled(sighting, above, self.parameters)
        self._counts[TOO_SHORT] += math.isnan(found.range) > math.isnan(sighting.range)
        return found

    def take_extraction(self, extraction: Extraction, now: float) -> list[Sighting]:
        """Process the sightings in a driver's message as :meth:`take_sightings` does."""
        self._counts[own_sightings.MEASUREMENTS_REJECTED] += extraction.rejected
        self._counts[NAMES_PASSED_OVER] += len(extraction.passed_over)
        if extraction.passed_over:
            self.last_passed_over = extraction.passed_over[-1]
        return self.take_sightings(extraction.sightings, now)

    def hear(self, robot: int, place: tuple[float, float] | None, estimate: Estimate | None,
             now: float) -> None:
        """
        Process the message of a neighbour.

        :param place: the position that it reports [m].
        :param estimate: its estimate of its own pose, ``None`` if it sends none.
        """

    def begin_round(self, now: float) -> None:
        """Bring the estimate, and the sightings to be sent, to the present."""
        if self._odometry is None:
            return
        self._sent = tuple(seen_from(waiting.sighting, waiting.odometry, self._odometry)
                           for waiting in self._own.due(now))
        self._reckon(self._odometry, now)

    def _reckon(self, odometry: PlanePose, now: float) -> None:
        """Bring the covariance to a pose by odometry."""
        motion = between(self._reckoned, odometry)
        x, y = odometry[0] - self._reckoned[0], odometry[1] - self._reckoned[1]
        cos, sin = math.cos(self._reckoned[2]), math.sin(self._reckoned[2])
        turned = np.array(((cos, -sin, 0.0), (sin, cos, 0.0), (0.0, 0.0, 1.0)))
        carried = np.array(((1.0, 0.0, -y), (0.0, 1.0, x), (0.0, 0.0, 1.0)))
        noise = odometry_covariance(motion, now - self._reckoned_at, self.parameters)
        self._covariance = carried @ self._covariance @ carried.T + turned @ noise @ turned.T
        self._reckoned, self._reckoned_at = odometry, now

    # Results.

    @property
    def place(self) -> tuple[float, float] | None:
        """Return the own position [m], ``None`` before the first odometry."""
        return self._place

    @property
    def heading(self) -> float | None:
        """Return the own heading [rad], ``None`` if unknown."""
        return self._heading

    @property
    def pose(self) -> PlanePose | None:
        """Return the own pose, ``None`` before the first odometry with a heading."""
        return self._odometry

    @property
    def covariance(self) -> Array | None:
        """Return the covariance of the own pose as of the last round, shape (3, 3)."""
        return None if self._odometry is None else self._covariance

    def claimed(self, now: float) -> Array | None:
        """Return the covariance of the own pose to be published, ``None`` if unknown."""
        return self.covariance

    @property
    def deviation(self) -> float:
        """Return the standard deviation of the own position [m], infinite if unknown."""
        covariance = self.covariance
        return math.inf if covariance is None else deviations(covariance)[0]

    @property
    def estimate(self) -> Estimate | None:
        """Return the estimate of the own pose to be sent, ``None`` before the first odometry."""
        pose, covariance = self.pose, self.covariance
        if pose is None or covariance is None:
            return None
        return Estimate(self._odometry if self.cooperates else None, pose[2],
                        *deviations(covariance), self._sent, self.height)

    def place_of(self, robot: int) -> tuple[float, float] | None:
        """Return the estimated position of a neighbour [m], ``None`` if unknown."""
        return None

    def distances(self, now: float) -> list[tuple[int, float, float]]:
        """Return the id of each neighbour heard lately, its distance, and its deviation [m]."""
        return []

    # Report.

    def values(self, now: float) -> dict[str, Any]:
        """Return the values of the report, except counters."""
        found: dict[str, Any] = {POSE_SOURCE: self.parameters.pose_source,
                                 MAX_DEVIATION: f'{self.limit:g}'}
        estimate = self.estimate
        if estimate is not None:
            found[DEVIATION] = f'{estimate.deviation:.3f}'
            found[HEADING_DEVIATION] = f'{estimate.heading_deviation:.3f}'
        return found

    def text(self, now: float) -> str:
        """Return the text of the report without a fault."""
        if self.estimate is None:
            return (f'by a localisation ({self.parameters.pose_source})'
                    if self.parameters.pose_source in GIVEN
                    else 'no pose')
        return f'odometry, deviation {self.deviation:.2f} m'

    def fault(self, now: float, doubt: float = math.nan) -> str:
        """
        Return the gravest fault since the last report, empty if there is none.

        :param doubt: the probability that the leader is wrong, nan if unknown.
        """
        if self.pose is None:
            return ''
        return self._slip_fault(now) or self._deviation_fault(
            self.deviation, 'use pose_source cooperative with a sensor that sees other robots, a '
            'localisation (pose_source tf), or metric range or hops')

    def _slip_fault(self, now: float) -> str:
        """Return the text on wheels that slipped lately, empty without slip."""
        slip = self.slip
        if now - slip.last > SLIP_REPORTED:
            return ''
        return ('wheels turn, but the robot does not move as they say: '
                f'{SLIP_REASONS[slip.reason]}, {now - slip.last:.0f} s ago; its odometry is '
                f'believed less, deviation {self.deviation:.2f} m')

    def _deviation_fault(self, deviation: float, remedy: str, cause: str = '') -> str:
        """Return the text on distances that are too uncertain, empty without a fault."""
        if not math.isfinite(deviation) or deviation <= self.limit:
            return ''
        return (f'distances are too uncertain: their deviation is {deviation:.2f} m, beyond '
                f'{self.limit:g} m (max_deviation){cause}; {remedy}')

    # Parts.

    def _leaps(self, before: PlanePose, after: PlanePose, duration: float) -> bool:
        """Return whether no robot can have driven from one place to another."""
        return math.dist(before[:2], after[:2]) > self.top_speed * duration + STEP

    def _begin(self, pose: PlanePose, now: float) -> None:
        """Set the covariance of the first pose."""
        position, heading = self.parameters.initial_deviation
        self._covariance = np.diag(np.square((position, position, heading)))
        self._reckoned, self._reckoned_at = pose, now

    def _restart(self, odometry: PlanePose, now: float) -> None:
        """Increase the variances of the pose after a restart of odometry."""
        self._reckon(odometry, now)
        self._covariance = self._covariance + np.diag(np.square(LOOSENED))

    def _add_variances(self, position: float, heading: float) -> None:
        """Add variances to the position and the heading [m², rad²]."""
        self._covariance = self._covariance + np.diag((position, position, heading))

    def _repeats(self, sighting: Sighting, then: PlanePose, now: float) -> bool:
        """Return whether the own sensor repeats a reading, taken at a pose by odometry."""
        if self.slip.slips(now):
            # The robot may stand still although its odometry moves.
            self._own.sensor.begin()
        return self._is_repeated(self.robot, sighting, then, now)

    def _is_repeated(self, observer: int, sighting: Sighting, here: PlanePose,
                     now: float) -> bool:
        """Return whether the sensor of a robot repeats a reading, and count repetitions."""
        repeated = self._own.sensor.is_repeated(sighting, here, None)
        self._counts[own_sightings.REPEATED] += repeated
        return repeated


def make_source(robot: int, parameters: LocalisationParameters, *, expiry: float,
                top_speed: float, counts: Counter[str], landmarks: Landmarks) -> PoseSource:
    """
    Return the pose source that parameter ``pose_source`` names.

    :param robot: the own id.
    :param landmarks: places by id [m], which pose source ``cooperative`` uses.
    """
    if parameters.pose_source == COOPERATIVE:
        # Robots without the filter do not import it.
        from leader_election.localisation.cooperative import CooperativeSource
        return CooperativeSource(robot, parameters, expiry=expiry, top_speed=top_speed,
                                 counts=counts, landmarks=landmarks)
    own = parameters.pose_source in OWN_POSE_SOURCES
    kind: type[PoseSource] = PoseSource if own else POSE_SOURCES.get(parameters.pose_source)
    return kind(robot, parameters, expiry=expiry, top_speed=top_speed, counts=counts)
