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
Slip: wheels turn while the robot does not move as they say. Bumper and gyroscope show it.

Odometry is then wrong by up to the whole way that it reports, so the pose is not corrected but
becomes less certain.
"""

from collections import deque
import math

from leader_election.localisation.parameters import BUMPER, IMU
from leader_election.localisation.poses import PlanePose

FRESH = 0.5
"""The age up to which the last message of a source counts [s]."""
LEAST_SPEED = 0.02
"""The forward speed below which wheels are taken to stand still [m/s]."""
WINDOW, TURNED = 1.0, 0.3
"""Wheels and gyroscope contradict each other if within this time [s] their turns differ by so
much [rad]. The bias of a gyroscope is less."""
END = 1.0
"""The time without a sign after which a slip is over [s]."""
PUSHED = 0.5
"""The turn by pushing that wheels do not report, for each metre that they do [rad/m]."""
SLIP_REASONS = {BUMPER: 'it touches something while they drive it forward',
                IMU: 'its gyroscope contradicts their turning'}


class SlipDetector:
    """
    Detector of slip, and of the error of odometry by slip.

    :ivar count: the number of slips.
    :ivar reason: of the present or last slip, a key of :data:`SLIP_REASONS`, empty before any.
    :ivar last: the time of the last sign of slip [s].
    """

    def __init__(self) -> None:
        """Start without a sign of slip."""
        self.count, self.reason, self.last = 0, '', -math.inf
        self._touched_at, self._rate = -math.inf, (0.0, -math.inf)
        self._differences = deque[tuple[float, float]]()
        self._way = self._turn = 0.0

    def touch(self, touched: bool, now: float) -> None:
        """Record the state of the bumper at a time [s]."""
        self._touched_at = now if touched else -math.inf

    def turn(self, rate: float, now: float) -> None:
        """Record the turn rate by a gyroscope [rad/s], left positive, and ignore infinite ones."""
        if math.isfinite(rate):
            self._rate = rate, now

    def slips(self, now: float) -> bool:
        """Return whether there is a slip at a time [s]."""
        return now - self.last <= END

    def variances(self, motion: PlanePose, duration: float, now: float) -> tuple[float, float]:
        """
        Return the variances that slip adds to position and heading [m², rad²], 0 without slip.

        Over one slip the deviation grows to the whole way and turn that wheels report, because the
        errors of one push have one direction.

        :param motion: by odometry since the last call, x, y, yaw [m, rad].
        :param duration: the duration of the motion [s].
        :param now: the present time [s].

        >>> detector = SlipDetector()
        >>> detector.touch(True, 1.0)
        >>> [detector.variances((0.1, 0.0, 0.0), 0.2, 1.0 + 0.2 * k)[0] for k in range(2)]
        [0.010000000000000002, 0.030000000000000006]
        """
        reason = self._sign(motion, duration, now)
        if not reason:
            if now - self.last > END:
                self._way = self._turn = 0.0
            return 0.0, 0.0
        if now - self.last > END:
            self.count += 1
            self._way = self._turn = 0.0
        way, turn = self._way, self._turn
        self.reason, self.last = reason, now
        self._way += math.hypot(motion[0], motion[1])
        self._turn += abs(motion[2]) + PUSHED * (self._way - way)
        if reason == IMU:
            self._turn = max(self._turn, abs(self._difference))
        return self._way ** 2 - way ** 2, self._turn ** 2 - turn ** 2

    def _sign(self, motion: PlanePose, duration: float, now: float) -> str:
        """Return the source that shows slip in a motion, empty if there is none."""
        rate, measured_at = self._rate
        if now - measured_at <= FRESH and 0.0 < duration <= WINDOW:
            self._differences.append((now, motion[2] - rate * duration))
        while self._differences and now - self._differences[0][0] >= WINDOW:
            self._differences.popleft()
        if now - self._touched_at <= FRESH and motion[0] > LEAST_SPEED * duration:
            return BUMPER
        return IMU if abs(self._difference) > TURNED else ''

    @property
    def _difference(self) -> float:
        """Return the difference of the turns by wheels and gyroscope within the window [rad]."""
        return sum(difference for _, difference in self._differences)
