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
Adaptive noise of odometry: factors of the variance of distances, one a robot, from innovations.

Innovations that are too large or too small change the noise that explains them (R. Mehra,
Approaches to adaptive filtering, IEEE Trans. Automatic Control 17, 1972). The logarithm of a
factor takes a step of Fisher scoring after each interval. Nobody knows before whether wheels slip,
so a factor starts high, and falls where sightings show that they do not; without sightings the
noise is that of the parameters. Wheels that slip now and then leave many small innovations between
a few large ones, so it rises fast and falls slowly. The noise of turns stays as it is: their
errors are mostly constant, and states of the filter.

A single rejected sighting is a radio's outlier, and says nothing of odometry; several of one pair
in succession do. Too large innovations of a pair count for both robots, or for the one whose
sightings clearly speak more for it, so one wrong sensor does not raise the factors of those that
it sees. They count even if they are of one pair alone: only who is ahead or behind measures slip.
"""

from collections import defaultdict
from collections.abc import Mapping
import math

from leader_election.localisation.updates import Outcome

INTERVAL = 10.0
"""The time between two steps of the factors [s]."""
START, GREATEST = 8.0, 64.0
"""The first and the greatest factor of a variance; the least is 1: the parameters are a lower
bound."""
PRIOR = 1.5
"""The information that holds a factor where it is; a value adds at most 0.5."""
RISE, FALL = 0.7, 0.2
"""The greatest changes of a factor's logarithm in a step."""
MOST = 25.0
"""The greatest squared normalised error that counts."""

CLEARLY = 2.0
"""A pair's innovations count for one of the two alone if its scores are so many times greater."""

_Score = tuple[float, float]
"""Sums of scores, and of information."""


class NoiseAdaptation:
    """The factors of the variance of robots' distances by odometry; before any sighting, 1."""

    def __init__(self, start: float = START) -> None:
        """
        Start without robots.

        :param start: the first factor of a robot, once there are sightings.
        """
        self._start = math.log(start)
        self._first = 0.0
        """The logarithm of the factor of a robot that was not judged yet."""
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
        """Take a sighting of a robot or landmark."""
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
        """Change the factors, if the interval is over."""
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

        :param scores: its own by counterpart.
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
