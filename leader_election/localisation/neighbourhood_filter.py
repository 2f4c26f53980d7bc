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

The filter fuses the raw odometry and the raw sightings of all of these robots. It fuses no
estimate of another filter, so no data counts twice. This is the difference from covariance
intersection (L. Carrillo-Arce et al., IROS 2013; H. Li, F. Nashashibi, IEEE ITS Magazine 2013) and
from updates that robots exchange (L. Luft et al., IJRR 2018).

Rejected sightings show faults (:mod:`.innovations`). Late sightings are moved to the present poses
with the noise of the motion since.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
import math
from types import MappingProxyType
from typing import NamedTuple

from leader_election.localisation import updates
from leader_election.localisation.innovations import (
    Innovation,
    NoiseAdaptation,
    Rejections,
    WrongIds,
)
from leader_election.localisation.own_sightings import Track, WaitingSighting
from leader_election.localisation.parameters import LocalisationParameters, SIGHTING_INTERVAL
from leader_election.localisation.pose_estimates import (
    LOOSENED,
    plausible,
    PoseEstimates,
    UNEXPLAINED_SPEED,
)
from leader_election.localisation.poses import Array, between, compose, PlanePose
from leader_election.localisation.sighting import Places, range_variance, seen_from, Sighting
import numpy as np

FORGOTTEN_AFTER = 3.0
"""The silence after which a robot is dropped, since its motion is unknown [expiries]."""
ENOUGH = 3
"""The least number of neighbours whose sightings of each other are used in a `SIGHTING_INTERVAL`.
Three ranges determine a position."""

ACCEPTED, REJECTED = 'sightings_accepted', 'sightings_rejected'
UNKNOWN, CARRIED_OFF = 'sightings_unknown', 'robots_carried_off'
COUNTERS = (ACCEPTED, REJECTED, UNKNOWN, CARRIED_OFF)

Observed = tuple[int, Sighting]


class LateSighting(NamedTuple):
    """A sighting of an earlier time."""

    sighting: Sighting
    earlier: updates.Earlier


NO_LATE: Mapping[int, LateSighting] = MappingProxyType({})


class NeighbourhoodFilter(PoseEstimates):
    """
    Filter of poses by odometry and sightings, which finds contradicting robots.

    :ivar carried_off: the times at which robots were last found carried off and not placed, by id,
        including dropped robots [s].
    :ivar wrong_ids: whether sensors often give wrong ids.
    """

    def __init__(self, parameters: LocalisationParameters, expiry: float,
                 landmarks: Places, counts: Counter[str]) -> None:
        """
        Start without robots.

        :param expiry: the age of a robot's odometry beyond which sightings by it and of it are
            ignored [s].
        :param landmarks: places by id [m].
        :param counts: the counters of accepted and rejected sightings.
        """
        super().__init__(parameters)
        self.expiry = expiry
        self.carried_off: dict[int, float] = {}
        self._landmarks = landmarks
        self._counts = counts
        self._rejections = Rejections()
        self._adaptation = NoiseAdaptation()
        self.wrong_ids = WrongIds()
        self._confirmed: set[int] = set()
        """Robots that a sighting concerned, and fitted, since they were added."""

    # Robots: moved, dropped, carried off.

    def drop(self, robot: int) -> None:
        """Remove a robot. The factors of its odometry are kept."""
        super().drop(robot)
        self._confirmed.discard(robot)
        self._rejections.forget(robot)
        self._adaptation.forget(robot)
        self.wrong_ids.forget(robot)

    def is_confirmed(self, robot: int) -> bool:
        """Return whether a sighting has fitted the pose of a robot since it was added."""
        return robot in self._confirmed

    def move(self, robot: int, odometry: PlanePose, now: float, turns: float = 0.0) -> None:
        """
        Move a robot by its odometry, which is cumulative: lost messages do no harm.

        :param odometry: its pose by odometry alone.
        :param now: the time [s]. Nothing changes if odometry is not newer than the last.
        :param turns: the turn per metre that odometry does not report [rad/m].
        """
        if odometry == self._odometry[robot] and now <= self._times[robot]:
            return
        if not plausible(self.factors(robot)):
            self.reset_factors(robot)
            self.loosen(robot, now)
        self.predict(robot, odometry, now, turns, self._adaptation.factor(robot))
        self._adaptation.adapt(now)

    def loosen(self, robot: int, now: float) -> None:
        """Increase the covariance of the pose of a robot that was carried."""
        self.add_errors(robot, np.square(LOOSENED))
        self._rejections.forget(robot)
        self.carried_off[robot] = now
        self._counts[CARRIED_OFF] += 1

    def place(self, robot: int, pose: PlanePose, covariance: Array, beside: int) -> None:
        """
        Set the pose of a robot that sightings found.

        :param covariance: the covariance of the pose for an exact pose of ``beside``, shape (3,
            3).
        :param beside: the robot to which the pose is relative. Both share the errors of its pose.
        """
        self.put(robot, pose, covariance, beside)
        self._rejections.forget(robot)
        self.carried_off.pop(robot, None)
        self._counts[CARRIED_OFF] += 1

    # Sightings.

    def is_redundant(self, observer: int, seen: int, now: float) -> bool:
        """
        Return whether a sighting of a pair beside the first robot need not be used.

        The number of such sightings grows with the square of the number of robots, but their
        information does not. So observers take turns from twice :data:`ENOUGH` observers on.
        Pairs whose last sighting did not fit are always used.
        """
        turns = (len(self.ids) - 1) // ENOUGH
        if turns <= 1 or seen not in self._row or seen == self.ids[0]:
            return False
        interval = int(now / SIGHTING_INTERVAL)
        # The shift after each cycle keeps any period of messages from missing all turns.
        return (observer + interval + interval // turns) % turns != 0 and self._rejections.fits(
            observer, seen)

    def see(self, sightings: Sequence[Observed], now: float,
            late: Mapping[int, LateSighting] = NO_LATE) -> list[Innovation]:
        """
        Update the estimates by sightings. Rejected sightings are only counted.

        :param sightings: valid ones (:func:`leader_election.localisation.sighting.checked`).
        :param now: the time [s].
        :param late: the late sightings as they were measured, by the ids seen.
        :return: the innovations of sightings that concern known and fresh robots.
        """
        known, lines = [], []
        rows, landmarks, times = self._row, self._landmarks, self._times
        for observed in sightings:
            observer, (seen, distance, bearing, of_range, of_bearing, *_) = observed
            if (seen not in rows and seen not in landmarks or observer not in rows
                    or observer == seen):
                continue
            age = now - times[observer]
            if seen in landmarks:
                there, of_seen = updates.LANDMARK, 0.0
                x, y = landmarks[seen]
                place = x - self._origin[0], y - self._origin[1]
            else:
                there, place, of_seen = rows[seen], (0.0, 0.0), now - times[seen]
            if age > self.expiry or of_seen > self.expiry:
                continue
            known.append(observed)
            earlier = updates.PRESENT
            if seen in late:
                (_, distance, bearing, of_range, of_bearing, *_), earlier = late[seen]
            lines.append(updates.Measurement(
                rows[observer], there, place, distance, bearing,
                UNEXPLAINED_SPEED ** 2 * (age * age + of_seen * of_seen),
                of_range, of_bearing, earlier))
        self._counts[UNKNOWN] += len(sightings) - len(known)
        if not known:
            return []
        gates = updates.STRICT_GATES if self.wrong_ids.are_common else updates.GATES
        return self._note(known, [
            updates.update(self.state, self.covariance, line, self.parameters, gates)
            for line in lines], now)

    def _note(self, known: Sequence[Observed], outcomes: Sequence[updates.Outcome],
              now: float) -> list[Innovation]:
        """Count the outcomes, and detect robots that were carried."""
        innovations = []
        rejected = 0
        for (observer, sighting), outcome in zip(known, outcomes):
            seen, accepted = sighting.id, outcome.accepted
            rejected += not accepted
            if accepted:
                self._confirmed.update({observer, seen} & self._row.keys())
            self._rejections.note(observer, seen, now, not accepted)
            self._adaptation.note(observer, seen, outcome)
            innovations.append(Innovation(
                observer, seen, outcome.range, outcome.bearing, accepted))
        self._counts[ACCEPTED] += len(known) - rejected
        # A radio knows with whom it measures a range; a detector may take one robot for another.
        detected = [each.accepted for each in innovations if not math.isnan(each.bearing)]
        self.wrong_ids.note(known[0][0], len(detected), detected.count(False), now)
        if rejected:
            self._counts[REJECTED] += rejected
        if rejected and not self.wrong_ids.are_common:
            suspect = self._rejections.suspect(self._row, self._confirmed, now)
            if suspect is not None:
                self.loosen(suspect, now)
        return innovations


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
                updates.Earlier(moved, (before[0] - place[0], before[1] - place[1])))
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
