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
factor takes a step of Fisher scoring after each interval. Wheels that slip now and then leave many
small innovations between a few large ones, so a factor rises fast and falls slowly. The noise of
turns stays as it is: their errors are mostly constant, and states of the filter.

A single rejected sighting is a radio's outlier, and says nothing of odometry; several of one pair
in succession do. A robot's factor does not depend on the counterpart that speaks most for a
greater one, so one wrong sensor, or one bad neighbour, does not raise those of the others.
"""

from collections import defaultdict
import math

from leader_election.localisation.updates import GATES, Outcome

INTERVAL = 10.0
"""The time between two steps of a robot's factor [s]."""
GREATEST = 36.0
"""The greatest factor of a variance; the least is 1: the parameters are a lower bound."""
PRIOR = 1.5
"""The information that holds a factor where it is; a sighting adds at most 0.5."""
RISE, FALL = 0.7, 0.1
"""The greatest changes of a factor's logarithm in a step."""


class NoiseAdaptation:
    """The factors of the variance of robots' distances by odometry."""

    def __init__(self) -> None:
        """Start with 1 for all."""
        self._logarithms: dict[int, float] = {}
        self._begun: dict[int, float] = {}
        self._rejected: set[tuple[int, int]] = set()
        """The pairs, lower id first, whose last sighting was rejected."""
        self._scores: defaultdict[int, dict[int, tuple[float, float]]] = defaultdict(dict)
        """By robot and counterpart: sums of scores, and of information."""

    def factor(self, robot: int) -> float:
        """Return the factor of the variance of a robot's distances, at least 1."""
        return math.exp(self._logarithms.get(robot, 0.0))

    def note(self, observer: int, seen: int, outcome: Outcome) -> None:
        """Take a sighting of a robot or landmark."""
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
                score += 0.5 * share * (min(error * error, GATES[1]) - 1.0)
                information += 0.5 * share * share
        for robot, other in ((observer, seen), (seen, observer)):
            of_robot = self._scores[robot]
            before = of_robot.get(other, (0.0, 0.0))
            of_robot[other] = before[0] + score, before[1] + information

    def adapt(self, robot: int, now: float) -> None:
        """Change the factor of a robot, if the interval is over."""
        if now - self._begun.setdefault(robot, now) < INTERVAL:
            return
        self._begun[robot] = now
        scores = sorted(self._scores.pop(robot, {}).values())
        if len(scores) > 1:
            del scores[-1]
        step = sum(score for score, _ in scores) / (
            PRIOR + sum(information for _, information in scores))
        self._logarithms[robot] = min(max(
            self._logarithms.get(robot, 0.0) + min(max(step, -FALL), RISE), 0.0),
            math.log(GREATEST))

    def forget(self, robot: int) -> None:
        """Forget a robot."""
        for of_all in (self._logarithms, self._begun, self._scores):
            of_all.pop(robot, None)
        self._rejected = {pair for pair in self._rejected if robot not in pair}
