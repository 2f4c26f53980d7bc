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
What innovations of sightings show: noise of odometry, covariances too small, carried robots.

An innovation is the difference between a sighting and its expectation, divided by its standard
deviation. Its square is 1 on average where covariances are right.

*Noise adapts*: innovations that are too large or too small change the noise of odometry that
explains them (R. Mehra, Approaches to adaptive filtering, IEEE Trans. Automatic Control 17, 1972).

*Consistency*: the mean square of innovations says by how much a covariance may be too small. Its
multiple by their number has a chi-square distribution (Y. Bar-Shalom, X. Li, T. Kirubarajan,
*Estimation with Applications to Tracking and Navigation*, 2001, 5.4).

*Rejections*: a robot to which most recent rejected sightings belong was carried. Where many are
rejected of most observers, detectors take one robot for another.
"""

from collections import Counter, defaultdict, deque
from collections.abc import Container, Iterable, Mapping
import math
from statistics import median_low
from typing import NamedTuple

from leader_election.localisation.updates import GATES, Outcome


class Innovation(NamedTuple):
    """Normalised differences between a sighting and its expectation, nan if not measured."""

    observer: int
    seen: int
    range: float  # noqa: A003
    bearing: float
    accepted: bool


INTERVAL = 10.0
"""The time between two steps of the factors [s]."""
START, GREATEST = 8.0, 64.0
"""The first and the greatest factor of a variance. The least is 1."""
PRIOR = 1.5
"""The information of the prior, which damps a step. A measurement adds at most 0.5."""
RISE, FALL = 0.7, 0.2
"""The greatest changes of a factor's logarithm in a step."""
MOST = 25.0
"""The greatest squared normalised error that counts."""
CLEARLY = 2.0
"""The ratio of scores from which a pair's innovations count for one robot alone."""

_Score = tuple[float, float]
"""Sums of scores, and of information."""


class NoiseAdaptation:
    """
    Factors of the variance of robots' distances by odometry, 1 before any sighting.

    The logarithm of a factor takes a step of Fisher scoring after each interval. Nobody knows
    beforehand whether wheels slip, so a factor starts high. It falls where sightings show that
    they do not. Wheels that slip now and then leave many small innovations between a few large
    ones, so a factor rises fast and falls slowly. The noise of turns does not adapt: its errors
    are mostly constant, and are states of the filter.

    One rejected sighting is an outlier of a sensor and says nothing about odometry. Several of one
    pair in succession do. Too large innovations of a pair count for both robots, or for the one
    whose sightings clearly speak more for it. So one wrong sensor does not raise the factors of
    those that it sees.
    """

    def __init__(self, start: float = START) -> None:
        """
        Start without robots.

        :param start: the first factor of a robot, once there are sightings.
        """
        self._start = math.log(start)
        self._first = 0.0
        """The logarithm of the factor of a robot without sightings so far."""
        self._logarithms: dict[int, float] = {}
        self._begun = math.nan
        self._rejected: set[tuple[int, int]] = set()
        """The pairs, lower id first, whose last sighting was rejected."""
        self._scores: dict[tuple[int, int], _Score] = {}
        """By pair, lower id first."""

    def factor(self, robot: int) -> float:
        """Return the factor of the variance of a robot's distances, at least 1."""
        return math.exp(self._logarithms.get(robot, self._first))

    def note(self, observer: int, seen: int, outcome: Outcome) -> None:
        """Add the outcome of a sighting of a robot or landmark."""
        self._first = self._start
        pair = (observer, seen) if observer < seen else (seen, observer)
        if outcome.accepted:
            self._rejected.discard(pair)
        elif pair not in self._rejected:
            self._rejected.add(pair)
            return
        score = information = 0.0
        for error, share in ((outcome.range, outcome.range_share),
                             (outcome.bearing, outcome.bearing_share)):
            if not math.isnan(error):
                score += 0.5 * share * (min(error * error, MOST) - 1.0)
                information += 0.5 * share * share
        before = self._scores.get(pair, (0.0, 0.0))
        self._scores[pair] = before[0] + score, before[1] + information

    def adapt(self, now: float) -> None:
        """Change the factors when the interval is over."""
        if now - self._begun < INTERVAL:
            return
        if not math.isnan(self._begun):
            scores: defaultdict[int, dict[int, _Score]] = defaultdict(dict)
            for (one, other), score in self._scores.items():
                scores[one][other] = scores[other][one] = score
            totals = {robot: sum(score for score, _ in of_robot.values())
                      for robot, of_robot in scores.items()}
            for robot, of_robot in scores.items():
                self._step(robot, of_robot, totals)
        self._scores.clear()
        self._begun = now

    def _step(self, robot: int, scores: Mapping[int, _Score], totals: Mapping[int, float]) -> None:
        """
        Change the factor of a robot.

        :param scores: the scores of the robot by counterpart.
        :param totals: the sums of all scores of each robot.
        """
        score = information = 0.0
        for other, (of_pair, of_both) in scores.items():
            if of_pair <= 0.0 or totals[other] <= CLEARLY * max(totals[robot], 0.0):
                score += of_pair
                information += of_both
        step = score / (PRIOR + information)
        self._logarithms[robot] = min(max(
            math.log(self.factor(robot)) + min(max(step, -FALL), RISE), 0.0), math.log(GREATEST))

    def forget(self, robot: int) -> None:
        """Forget a robot."""
        self._logarithms.pop(robot, None)
        self._scores = {pair: score for pair, score in self._scores.items() if robot not in pair}
        self._rejected = {pair for pair in self._rejected if robot not in pair}


ACCEPTABLE, SURE = 1.5, 1.1
"""
The factor by which a known covariance may be too small, and the factor below which an unknown
covariance becomes known.
"""
QUANTILE = -3.09
"""The 0.1 % quantile of the normal distribution, the level of the limit of the factor."""
WITH_LANDMARKS = 60.0
"""The half-life of the weight of a sighting where landmarks show errors of the frame [s]."""
RECENT, EXPECTED = 3.0, 4.0
"""
The half-life of the weight of a sighting of one robot [s], and the number of sightings with square
1 that are assumed before any. They were chosen by the probabilities of a wrong leader on three
worlds and logs.
"""


class Consistency:
    """
    Test of the covariance of a filter by innovations, including rejected ones.

    Squares beyond the gate count as the gate. Few sightings leave it open whether a covariance is
    much too small, so it then counts as unknown. Sightings of each other do not show an error of
    the frame, so an early inconsistent minute still matters later. So all sightings since the
    start count alike, unless landmarks are known.

    :ivar known: whether the covariance is known. Changes of the factor between :data:`SURE` and
        :data:`ACCEPTABLE` do not change it.
    """

    def __init__(self, half_life: float = math.inf) -> None:
        """
        Start without sightings, so with an unknown covariance.

        :param half_life: of the weight of a sighting [s].
        """
        self.known = False
        self._half_life = half_life
        self._weight = self._weights_squared = self._squares = 0.0
        self._time = -math.inf

    def take(self, innovations: Iterable[Innovation], now: float) -> None:
        """
        Process innovations.

        :param now: their time [s], which never goes back.
        """
        if self._weight:
            fading = 0.5 ** ((now - self._time) / self._half_life)
            self._weight, self._squares = self._weight * fading, self._squares * fading
            self._weights_squared *= fading * fading
        self._time = now
        for _, _, *errors, _ in innovations:
            for error in errors:
                if not math.isnan(error):
                    self._weight += 1.0
                    self._weights_squared += 1.0
                    self._squares += min(error * error, GATES[1])
        self.known = self.factor <= (ACCEPTABLE if self.known else SURE)

    @property
    def mean(self) -> float:
        """Return the mean of the squares, nan without sightings."""
        return self._squares / self._weight if self._weight else math.nan

    @property
    def factor(self) -> float:
        """
        Return the factor by which the covariance may be too small, infinite with few sightings.

        It is the upper limit, at 99.9 %, of the expected square, by the approximation of the
        chi-square distribution of E. Wilson and M. Hilferty (PNAS 17, 1931).
        """
        if not self._weight:
            return math.inf
        spread = 2.0 / 9.0 * self._weights_squared / self._weight ** 2
        least = 1.0 - spread + QUANTILE * math.sqrt(spread)
        return self.mean / least ** 3 if least > 0.0 else math.inf


class RecentConsistency:
    """
    The present error of each robot's pose, by its innovations as observer and as target.

    While a robot slips or is carried, its error exceeds its covariance for seconds.
    """

    def __init__(self) -> None:
        """Start without sightings."""
        self._robots: dict[int, tuple[float, float, float]] = {}

    def take(self, innovations: Iterable[Innovation], now: float) -> None:
        """
        Process innovations, also rejected ones, with the gate in place of greater squares.

        :param now: their time [s], which never goes back.
        """
        for observer, seen, *errors, _ in innovations:
            squares = [min(error * error, GATES[1]) for error in errors if not math.isnan(error)]
            for robot in (observer, seen):
                weight, total = self._faded(robot, now)
                self._robots[robot] = weight + len(squares), total + sum(squares), now

    def factor(self, robot: int, now: float) -> float:
        """Return the mean of a robot's squares, at least 1."""
        weight, total = self._faded(robot, now)
        return max((total + EXPECTED) / (weight + EXPECTED), 1.0)

    def keep(self, robots: Container[int]) -> None:
        """Forget all other robots."""
        self._robots = {robot: each for robot, each in self._robots.items() if robot in robots}

    def _faded(self, robot: int, now: float) -> tuple[float, float]:
        weight, total, time = self._robots.get(robot, (0.0, 0.0, now))
        fading = 0.5 ** ((now - time) / RECENT)
        return weight * fading, total * fading


REMEMBERED_FOR, MEMORY = 12.0, 6
"""The time for which rejections count [s], and the number that is remembered of each pair."""
LEAST_REJECTED, SHARE = 4, 0.6
"""The least number, and share, of rejections that make a robot suspect."""
OF_CARRIED, OF_OTHERS = 0.8, 0.05
"""The expected shares of rejected sightings: of a carried robot, and of others."""
FOR, AGAINST = math.log(OF_CARRIED / OF_OTHERS), math.log((1 - OF_CARRIED) / (1 - OF_OTHERS))
"""The change of the log-likelihood ratio by a rejected and by an accepted sighting."""


class Rejections:
    """The last sightings of each pair of robots, with whether they were rejected."""

    def __init__(self) -> None:
        """Start without sightings."""
        self._pairs: dict[tuple[int, int], deque[tuple[float, bool]]] = {}
        self._now = -math.inf

    def note(self, observer: int, seen: int, now: float, rejected: bool) -> None:
        """Remember a sighting, not before the last one."""
        self._now = now
        self._pairs.setdefault((observer, seen), deque(maxlen=MEMORY)).append((now, rejected))

    def fits(self, observer: int, seen: int) -> bool:
        """Return whether the last sighting of a pair, if there is a recent one, was accepted."""
        recent = self._recent((observer, seen))
        return bool(recent and not recent[-1])

    def suspect(self, robots: Container[int], confirmed: Container[int],
                now: float) -> int | None:
        """
        Return the robot that best explains recent rejections, by the log-likelihood ratio.

        The share of rejections alone is not enough: a robot that contradicts all others has many
        rejections, but a robot with a single observer may have only rejections. Of two robots
        alone either may have been moved: that whose pose is not confirmed is returned, or the one
        with the greater id.

        :param robots: the possible suspects. Landmarks are not among them.
        :param confirmed: the robots whose poses a sighting has ever fitted.
        :return: ``None`` if no robot has enough rejections.
        """
        self._now = now
        taken, rejected = Counter[int](), Counter[int]()
        for pair in self._pairs:
            recent = self._recent(pair)
            for robot in pair:
                taken[robot] += len(recent)
                rejected[robot] += sum(recent)
        return max((
            (score(number, taken[robot] - number), robot not in confirmed, robot)
            for robot, number in rejected.items()
            if number >= LEAST_REJECTED and number >= SHARE * taken[robot] and robot in robots),
            default=(0.0, False, None))[2]

    def forget(self, robot: int) -> None:
        """Forget the sightings by a robot and of it."""
        self._pairs = {pair: kept for pair, kept in self._pairs.items() if robot not in pair}

    def _recent(self, pair: tuple[int, int]) -> list[bool]:
        """Return whether the recent sightings of a pair were rejected."""
        return [rejected for time, rejected in self._pairs.get(pair, ())
                if self._now - time <= REMEMBERED_FOR]


def score(wrong: int, right: int) -> float:
    """Return the log-likelihood ratio of a wrong pose to a right one, by numbers of sightings."""
    return FOR * wrong + AGAINST * right


COMMON = 0.12
"""The share of rejected sightings from which on wrong ids count as common."""
HALF_LIFE, LEAST_WEIGHT = 60.0, 6.0
"""The half-life of the weight of a sighting [s], and the least weight of an observer."""


class WrongIds:
    """
    Whether detectors often take one robot for another.

    Then rejected sightings say little about poses: of a robot that nobody sees there are only
    rejected ones. The median of the observers decides, over minutes. A robot that was carried, or
    one wrong sensor, does not change it.

    :ivar are_common: whether the share of rejected sightings is beyond :data:`COMMON`.
    """

    def __init__(self) -> None:
        """Start without sightings."""
        self.are_common = False
        self._observers: dict[int, tuple[float, float, float]] = {}
        """The weights of all sightings and of rejected ones, and their time [s]."""

    def note(self, observer: int, taken: int, rejected: int, now: float) -> None:
        """Add the numbers of all sightings by an observer, and of the rejected ones."""
        weight, wrong, time = self._observers.get(observer, (0.0, 0.0, now))
        fading = 0.5 ** ((now - time) / HALF_LIFE)
        self._observers[observer] = weight * fading + taken, wrong * fading + rejected, now
        shares = [self.share(robot) for robot in self._observers]
        shares = [share for share in shares if not math.isnan(share)]
        self.are_common = bool(shares) and median_low(shares) > COMMON

    def share(self, observer: int) -> float:
        """Return the share of rejected sightings by an observer, nan with few sightings."""
        weight, wrong, _ = self._observers.get(observer, (0.0, 0.0, 0.0))
        return wrong / weight if weight >= LEAST_WEIGHT else math.nan

    def forget(self, robot: int) -> None:
        """Forget the sightings by a robot."""
        self._observers.pop(robot, None)
