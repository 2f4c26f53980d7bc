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
Detection, search and placement of robots whose poses contradict recent sightings.

An extended Kalman filter follows one hypothesis. A robot that was carried, whose odometry
restarted, or that nobody saw for long, may be anywhere and turned in any direction. Linearised
there, even right sightings lead to a wrong pose. So the search compares the poses that single
sightings allow by how well all recent sightings fit, with a truncated loss. This is random sample
consensus (M. Fischler, R. Bolles, Communications of the ACM 24, 1981). Least squares then refine
the best pose.
"""

from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Sequence
import math
from typing import NamedTuple

from leader_election.localisation.innovations import AGAINST, Innovation, score
from leader_election.localisation.multilateration import CLEARLY, mirror_image, Ranges
from leader_election.localisation.neighbourhood_filter import NeighbourhoodFilter, Observed
from leader_election.localisation.parameters import LocalisationParameters
from leader_election.localisation.pose_estimates import SIZE
from leader_election.localisation.poses import Array, between, compose, PlanePose
from leader_election.localisation.sighting import Places, range_variance
import numpy as np
from numpy.typing import NDArray

WINDOW = 12.0
"""The window of the sightings that are compared [s]."""
MOST = 60
"""The number of last sightings that one search uses at most."""
PAUSE = 1.0
"""The least time between two searches for a robot [s]."""
LEAST = 2
"""The least number of rejected sightings with which a robot may be elsewhere."""
SUSPECTED_FOR = 5.0
"""The time for which a contradicted pose is reported [s]."""
UNKNOWN = 3.0
"""By how many the sightings that confirm a new pose must exceed those that contradict it."""
UNCERTAIN = 0.7
"""The deviation of the distance beyond which a robot is no evidence of another's pose [m]."""
HEADING = 0.1
"""The deviation of the headings of other robots, relative to each other [rad]."""
CLEARANCE = 0.5
"""The distance from all robots at which a robot is placed by sightings with doubtful ids [m]."""
LOST = 0.5
"""The deviation of the heading beyond which a robot is searched for [rad]."""


HEADINGS = 24
"""The number of headings, and of directions for a range without a bearing, that are tried."""
SEEDS, RANGED_SEEDS = 6, 2
"""The numbers of last sightings, with and without a bearing, from which poses are tried."""
TRUNCATED = 12.0
"""The greatest squared normalised error, at which outliers are cut off."""
GOOD = 2.0
"""The mean squared error up to which a pose counts as right."""
APART = 1.0
"""The distance from which two poses count as different [m]."""
RIVALS = 3
"""The number of different poses that are compared with the best."""
CERTAIN = 1.0
"""The greatest standard deviation of a found position [m]."""
PRIOR = np.diag((1e-2, 1e-2, 0.3))
"""The information of a pose that is nowhere and turned in any direction."""
GROWTH, TURN_GROWTH = 0.03, 0.03
"""The error of odometry for each second of a sighting's age [m/s, rad/s]."""
LEAST_RANGES = 30
"""The least number of ranges that tell poses from their mirror image."""
MOTION = 0.3
"""The least motion of a robot that only its own sightings locate [m or rad]. While it
stands still, repeated sightings agree at any pose."""


class Limits(NamedTuple):
    """What makes a found pose certain."""

    better: float = 12.0
    """The least difference of squared errors between the best pose and any other."""
    values: int = 5
    """The least number of fitting measured values."""
    share: float = 0.6
    """The least share of the sightings that fit."""
    turn: float = 0.6
    """The turn from which two poses count as different [rad]."""
    heading: float = 0.35
    """The greatest standard deviation of the heading [rad]."""
    sensors: int = 2
    """The least number of sensors that confirm the pose."""


USUAL = Limits()
WITH_WRONG_IDS = Limits(better=36.0, values=16, share=0.75)
"""Where wrong ids are common, some of which agree with each other."""
OF_NEWCOMERS = Limits(values=4, turn=math.inf, heading=math.inf, sensors=1)
"""For a robot whose pose is only its own claim, which two sightings contradict."""


class Evidence(NamedTuple):
    """A sighting by or of the lost robot."""

    by_it: bool
    partner: int
    """The id of the other robot, or of the landmark."""
    motion: PlanePose
    """The robot's pose at the time of the sighting, seen from its present pose, by odometry."""
    other: PlanePose
    """The pose of the other robot, or of the landmark, at that time."""
    variances: tuple[float, float]
    """The variances of the other's position on each axis, and of its heading [m², rad²]."""
    range: float  # noqa: A003
    bearing: float
    age: float
    """The age of the sighting [s]."""


class _Table:
    """Evidence as arrays, each of shape (n,)."""

    def __init__(self, evidence: Sequence[Evidence], parameters: LocalisationParameters) -> None:
        (self.by_it, self.partner, self.motion, self.other, variances, self.range, self.bearing,
         age) = map(np.array, zip(*evidence))
        of_place, of_heading = variances.T
        length = np.where(np.isnan(self.range), 1.0, self.range)
        drift = of_place + np.square(GROWTH * age)
        ranges = np.array([range_variance(each, parameters) for each in length.tolist()])
        turned = np.abs(self.motion[:, 2]) * parameters.odometry_noise_turn ** 2
        self.sigma_range = np.sqrt(ranges + drift)
        self.sigma_bearing = np.sqrt(
            parameters.bearing_noise ** 2 + drift / np.square(np.maximum(length, 0.3))
            + np.where(self.by_it, turned + np.square(TURN_GROWTH * age), of_heading))
        self.values = (~np.isnan(self.range)).astype(int) + ~np.isnan(self.bearing)

    def errors(self, poses: Array) -> Array:
        """
        Return the normalised errors of range and bearing at poses, 0 where not measured.

        :param poses: shape (c, 3).
        :return: shape (c, n, 2).
        """
        yaw = poses[:, 2:3]
        cos, sin, (x, y, turn) = np.cos(yaw), np.sin(yaw), self.motion.T
        way_x = self.other[:, 0] - poses[:, 0:1] - cos * x + sin * y
        way_y = self.other[:, 1] - poses[:, 1:2] - sin * x - cos * y
        sign = np.where(self.by_it, 1.0, -1.0)
        direction = (np.arctan2(sign * way_y, sign * way_x)
                     - np.where(self.by_it, yaw + turn, self.other[:, 2]))
        bearing = (self.bearing - direction + math.pi) % (2.0 * math.pi) - math.pi
        found = np.stack(((self.range - np.hypot(way_x, way_y)) / self.sigma_range,
                          bearing / self.sigma_bearing), axis=-1)
        return np.asarray(np.nan_to_num(found, nan=0.0))

    def squares(self, poses: Array) -> Array:
        """Return the sums of squared errors of each sighting at poses, shape (c, n)."""
        return np.asarray(np.square(self.errors(poses)).sum(axis=2))

    def candidates(self, evidence: Sequence[Evidence]) -> Array:
        """Return the poses that one of the last sightings allows, shape (c, 3)."""
        found = []
        yaws = np.linspace(-math.pi, math.pi, HEADINGS, endpoint=False)
        ranged = [each for each in reversed(evidence) if not math.isnan(each.range)]
        turned = [each for each in ranged if not math.isnan(each.bearing)]
        for each in turned[:SEEDS] or ranged[:RANGED_SEEDS]:
            x, y, turn = each.motion
            yaw, direction = yaws, np.zeros(1)
            if math.isnan(each.bearing):
                yaw, direction = (part.ravel() for part in np.meshgrid(yaws, yaws))
            elif each.by_it:
                direction = yaw + turn + each.bearing + math.pi
            else:
                direction = np.full(HEADINGS, each.other[2] + each.bearing)
            there_x = each.other[0] + each.range * np.cos(direction)
            there_y = each.other[1] + each.range * np.sin(direction)
            cos, sin = np.cos(yaw), np.sin(yaw)
            found.append(np.column_stack((
                there_x - cos * x + sin * y, there_y - sin * x - cos * y, yaw)))
        return np.concatenate(found) if found else np.zeros((0, 3))


def search(evidence: Sequence[Evidence], present: PlanePose,
           parameters: LocalisationParameters,
           limits: Limits = USUAL) -> tuple[PlanePose, Array] | None:
    """
    Return the pose that fits the sightings clearly better than any other pose.

    :param evidence: in the order of time.
    :param present: the assumed pose.
    :param limits: what makes a pose certain.
    :return: with its covariance, shape (3, 3). ``None`` if the present pose fits as well, or if no
        other pose is certain.
    """
    if sum((each.range == each.range) + (each.bearing == each.bearing)
           for each in evidence) < limits.values:
        return None
    table = _Table(evidence, parameters)
    assumed = float(np.minimum(table.squares(np.array((present,))), TRUNCATED).sum())
    if assumed < max(limits.better, GOOD * table.values.sum()):
        return None
    candidates = table.candidates(evidence)
    if not len(candidates):
        return None
    cost = np.minimum(table.squares(candidates), TRUNCATED).sum(axis=1)
    pose, hessian, best = _refined(table, candidates[np.argmin(cost)])
    if assumed - best < limits.better:
        return None
    for _ in range(RIVALS):
        far = _apart(candidates, pose, limits.turn)
        if not far.any():
            break
        candidates, cost = candidates[far], cost[far]
        seed = candidates[np.argmin(cost)]
        rival, _, least = _refined(table, seed)
        if least - best < limits.better and _apart(rival[np.newaxis], pose, limits.turn)[0]:
            return None
        # Candidates that lead to the same pose.
        far = _apart(candidates, seed, limits.turn)
        candidates, cost = candidates[far], cost[far]
    fits = table.squares(pose[np.newaxis])[0] < TRUNCATED
    if (fits.sum() < limits.share * len(fits) or table.values[fits].sum() < limits.values
            or _sensors(table, fits) < limits.sensors):
        return None
    covariance: Array = np.array(np.linalg.inv(hessian), dtype=np.float64)
    deviations = np.sqrt(covariance.diagonal())
    if deviations[:2].max() > CERTAIN or deviations[2] > limits.heading:
        return None
    x, y, yaw = pose.tolist()
    return (x, y, math.remainder(yaw, 2.0 * math.pi)), covariance


def _apart(poses: Array, pose: Array, turn: float) -> NDArray[np.bool_]:
    """Return whether poses differ from a pose, in place or by a turn [rad], shape (c,)."""
    turns = (poses[:, 2] - pose[2] + math.pi) % (2.0 * math.pi) - math.pi
    return np.asarray(
        (np.hypot(*(poses[:, :2] - pose[:2]).T) > APART) | (np.abs(turns) > turn))


def _sensors(table: _Table, fits: Array) -> int:
    """
    Return the number of sensors that confirm a pose.

    The robot's own sensor counts twice if it shows several others, and the robot has moved
    meanwhile.
    """
    by_it, partners = table.by_it[fits], table.partner[fits]
    moved = float(np.ptp(table.motion[fits], axis=0).max()) > MOTION
    own = 2 if bool(by_it.all()) and len(set(partners.tolist())) > 1 and moved else 1
    return len(set(partners[~by_it].tolist())) + (own if by_it.any() else 0)


def _refined(table: _Table, pose: Array) -> tuple[Array, Array, float]:
    """Return the nearest least-squares pose, its information, and the truncated cost."""
    hessian = np.eye(3)
    for _ in range(5):
        around = pose + np.vstack((np.zeros(3), 1e-4 * np.eye(3)))
        errors = table.errors(around)
        fits = np.square(errors[0]).sum(axis=1) < TRUNCATED
        if not fits.any():
            break
        here = errors[0][fits].ravel()
        slopes = ((errors[1:, fits] - errors[0, fits]) / 1e-4).reshape(3, -1)
        # A weak prior keeps the information regular where a direction is not observed.
        hessian = slopes @ slopes.T + PRIOR
        pose = pose - np.linalg.solve(hessian, slopes @ here)
    cost = float(np.minimum(table.squares(pose[np.newaxis]), TRUNCATED).sum())
    return pose, hessian, cost


class _RecordedSighting(NamedTuple):
    """A sighting, with the poses of both robots by odometry."""

    time: float
    observer: int
    seen: int
    range: float  # noqa: A003
    bearing: float
    here: PlanePose
    there: PlanePose | None
    """``None`` for a landmark."""
    accepted: bool


class LostRobots:
    """Remembered sightings, and the search for robots whose poses contradict them."""

    def __init__(self, neighbourhood: NeighbourhoodFilter, parameters: LocalisationParameters,
                 landmarks: Places) -> None:
        """
        Start without sightings.

        :param neighbourhood: the filter in which found robots are placed.
        :param landmarks: places by id [m].
        """
        self._filter = neighbourhood
        self._parameters = parameters
        self._landmarks = landmarks
        self._seen: deque[_RecordedSighting] = deque()
        self._counts: defaultdict[int, Counter[bool]] = defaultdict(Counter)
        """The numbers of accepted and rejected sightings that concern a robot, by its id."""
        self._searched: dict[int, float] = {}
        self._suspected: dict[int, float] = {}

    def take(self, sightings: Sequence[Observed], innovations: Sequence[Innovation],
             now: float) -> None:
        """
        Remember sightings.

        :param sightings: the sightings by one observer, including those of the innovations.
        :param innovations: the innovations of the sightings that the filter used.
        """
        own, landmarks = self._filter, self._landmarks
        accepted = {each.seen: each.accepted for each in innovations}
        for observer, (seen, distance, bearing, *_) in sightings:
            if seen in landmarks:
                there = None
            elif seen in own and seen != observer:
                there = own.odometry(seen)
            else:
                continue
            each = _RecordedSighting(
                now, observer, seen, distance, bearing, own.odometry(observer), there,
                accepted.get(seen, True))
            self._seen.append(each)
            self._count(each, 1)
        while self._seen and now - self._seen[0].time > WINDOW:
            self._count(self._seen.popleft(), -1)

    def _count(self, each: _RecordedSighting, number: int) -> None:
        for robot in (each.observer, each.seen):
            self._counts[robot][each.accepted] += number

    def find(self, observer: int, innovations: Sequence[Innovation], now: float) -> int | None:
        """
        Search for an observer or a robot that it has just seen, and place it in the filter.

        :return: the placed robot, ``None`` if there is none.
        """
        wrong = {each.seen for each in innovations if not each.accepted}
        if not wrong and self._filter.covariance.diagonal()[2::SIZE].max() <= LOST ** 2:
            return None
        robots = {observer, *(each.seen for each in innovations)}
        for lost in self._candidates([robot for robot in robots if robot in self._filter and (
                robot in wrong or wrong and robot == observer
                or self._is_unknown(robot))], now):
            beside, evidence = self._evidence(lost, now)
            if beside is None:
                continue
            limits = self._limits(lost, beside)
            found = search(evidence, self._filter.pose(lost), self._parameters, limits)
            if found is not None and (limits is USUAL or not self._is_another(found[0])):
                self._filter.place(lost, *found, beside)
                self._seen = deque(each._replace(accepted=True)
                                   if lost in (each.observer, each.seen) else each
                                   for each in self._seen)
                self._counts.clear()
                for each in self._seen:
                    self._count(each, 1)
                return lost
        return None

    def unmirror(self) -> bool:
        """
        Place the others of three robots in the mirror image if motion clearly prefers it.

        :return: whether motion decided, for either image.
        """
        own = self._filter
        rows = {robot: row for row, robot in enumerate(own.ids)}
        first, *others = own.ids
        seen = [each for each in self._seen if each.observer in rows and each.seen in rows]
        if len(seen) < LEAST_RANGES or not all(math.isnan(each.bearing) for each in seen):
            return False
        now = seen[-1].time
        ranges = Ranges(*map(np.array, zip(*((
            rows[each.observer], rows[each.seen], self._since(each.observer, each.here)[:2],
            self._since(each.seen, each.there or each.here)[:2], each.range,
            math.sqrt(range_variance(each.range, self._parameters)
                      + (GROWTH * (now - each.time)) ** 2)) for each in seen))))
        begin = own.pose(first)
        better, poses, information = mirror_image(
            ranges, np.array([between(begin, own.pose(robot)) for robot in own.ids]))
        if better < -CLEARLY:
            cos, sin = math.cos(begin[2]), math.sin(begin[2])
            turned = np.array(((cos, -sin, 0.0), (sin, cos, 0.0), (0.0, 0.0, 1.0)))
            covariance = np.linalg.inv(information)
            for robot, pose, part in zip(others, poses[1:].tolist(), (slice(3), slice(3, 6))):
                own.place(robot, compose(begin, tuple(pose)),
                          turned @ covariance[part, part] @ turned.T, first)
        return abs(better) > CLEARLY

    def _limits(self, lost: int, beside: int) -> Limits:
        """Return what makes a pose beside another robot certain."""
        own = self._filter
        if own.wrong_ids.are_common:
            return WITH_WRONG_IDS
        return OF_NEWCOMERS if own.is_confirmed(beside) and not own.is_confirmed(lost) else USUAL

    def _is_another(self, pose: PlanePose) -> bool:
        """Return whether a robot is there already that sensors may have taken for the lost one."""
        return float(self._filter.apart(pose[:2]).min()) < CLEARANCE

    def _candidates(self, robots: Iterable[int], now: float) -> list[int]:
        """Return the robots whose poses are probably wrong, the most probable one first."""
        scores = {}
        for robot in robots:
            if now - self._searched.get(robot, -PAUSE) < PAUSE:
                continue
            self._searched[robot] = now
            counts = self._counts[robot][False], self._counts[robot][True]
            if self._is_reported(*counts):
                self._suspected[robot] = now
            # Without contradictions a costly search would find the same pose.
            unknown = UNKNOWN * AGAINST if self._is_unknown(robot) else 0.0
            if _is_contradicted(*counts, unknown):
                scores[robot] = score(*counts)
        return sorted(scores, key=lambda robot: -scores[robot])

    def _is_reported(self, wrong: int, right: int) -> bool:
        """Return whether a pose counts as contradicted, by the numbers of its sightings."""
        if not self._filter.wrong_ids.are_common:
            return _is_contradicted(wrong, right)
        # Wrong ids contradict right poses, too: as many are needed as for another pose.
        limits = WITH_WRONG_IDS
        return 2 * wrong >= limits.values and wrong >= limits.share * (wrong + right)

    def suspected(self, now: float) -> list[int]:
        """Return the robots whose poses sightings have contradicted lately."""
        return sorted(robot for robot, time in self._suspected.items()
                      if now - time <= SUSPECTED_FOR and robot in self._filter)

    def _is_unknown(self, robot: int) -> bool:
        """Return whether the heading of a robot is uncertain."""
        return self._filter.heading_variance(robot) > LOST ** 2

    def _evidence(self, robot: int, now: float) -> tuple[int | None, list[Evidence]]:
        """Return another robot, and the sightings of both kinds since the first wrong one."""
        own = self._filter
        concern = [each for each in self._seen if robot in (each.observer, each.seen)][-MOST:]
        first = next((k for k, each in enumerate(concern) if not each.accepted), 0)
        partners = [_partner(each, robot) for each in concern[first:]]
        known = [each for each in partners if each in own]
        if not known:
            return None, []
        beside = max(set(known), key=lambda each: (known.count(each), each))
        evidence = []
        for each, other in zip(concern[first:], partners):
            by_it = each.observer == robot
            there, variances = self._landmarks.get(other), (0.0, 0.0)
            pose = (*there, 0.0) if there is not None else None
            if pose is None:
                if other not in own:
                    continue
                deviation = 0.0 if other == beside else own.distance(beside, other, now)[1]
                if deviation > UNCERTAIN:
                    continue
                then = each.there if by_it else each.here
                assert then is not None
                pose = compose(own.pose(other), self._since(other, then))
                variances = deviation ** 2, HEADING ** 2
            then = each.here if by_it else each.there or each.here
            evidence.append(Evidence(by_it, other, self._since(robot, then), pose, variances,
                                     each.range, each.bearing, now - each.time))
        return beside, evidence

    def _since(self, robot: int, then: PlanePose) -> PlanePose:
        """Return an earlier pose of a robot, seen from its present one, by its odometry."""
        own = self._filter
        return between(own.corrected(robot, between(then, own.odometry(robot))), (0.0, 0.0, 0.0))


def _partner(seen: _RecordedSighting, robot: int) -> int:
    return seen.seen if seen.observer == robot else seen.observer


def _is_contradicted(wrong: int, right: int, beyond: float = 0.0) -> bool:
    return wrong >= LEAST and score(wrong, right) > beyond
