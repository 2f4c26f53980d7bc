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
Collisions: detects that a robot touches something or is stuck, and gets it away from there.

For what a scanner does not see, and for robots without one. As vacuum robots do, the robot backs
off, turns away at random, and drives on a little before it heads for its goal again.
"""

import math
from random import Random

from leader_election.election.tasks.steering import Pose

BACK, BACK_SPEED = 0.3, 0.2
"""How far it backs off, and how fast [m, m/s]."""
LEAST_TURN = math.pi / 2
"""The least angle by which it turns away. The greatest is half a turn [rad]."""
AHEAD, AHEAD_TIME = 0.5, 3.0
"""How far it drives on, and the time after which it gives this up [m, s]."""
STUCK_WAY, STUCK_SHARE = 0.5, 0.2
"""It is stuck if on this commanded way [m] it has moved by less than this share of it."""
GAP = 1.0
"""A longer time without commands is not judged [s]."""


class Progress:
    """
    Detects that a robot does not move though it is commanded forward: its wheels stall.

    >>> progress = Progress()
    >>> [progress.stuck(0.5, (0.0, 0.0, 0.0), t) for t in (0.0, 0.5, 1.0)]
    [False, False, True]
    """

    def __init__(self) -> None:
        self._last: tuple[Pose, float, float] | None = None
        self._commanded = self._moved = 0.0

    def stuck(self, forward: float, pose: Pose, now: float) -> bool:
        """
        Return whether the robot is stuck.

        The detection starts again after each finding, and when the robot is not driven forward.

        :param forward: the command from now on [m/s].
        :param pose: by odometry.
        :param now: the present time [s].
        """
        last, self._last = self._last, (pose, forward, now)
        if forward <= 0.0 or last is None or not 0.0 <= now - last[2] <= GAP:
            self._commanded = self._moved = 0.0
            return False
        (x, y, yaw), speed, before = last
        self._commanded += speed * (now - before)
        # Along the heading, with its sign: white noise of odometry is not progress.
        self._moved += (pose[0] - x) * math.cos(yaw) + (pose[1] - y) * math.sin(yaw)
        if self._commanded < STUCK_WAY:
            return False
        found = abs(self._moved) < STUCK_SHARE * self._commanded
        self._commanded = self._moved = 0.0
        return found


class Escape:
    """
    The manoeuvre of a robot that touches something, which follows from seed and times alone.

    It uses the time, not odometry, because wheels may slip.

    :param seed: of the random angles.
    """

    def __init__(self, seed: int | str) -> None:
        self._random = Random(f'escape {seed}')
        self._begun, self._turn, self._released = math.inf, 0.0, False
        self._detour: tuple[tuple[float, float], float] | None = None

    def begin(self, now: float) -> None:
        """Begin to back off at a time [s]."""
        self._begun, self._released = now, False
        self._turn = self._random.choice((-1.0, 1.0)) * self._random.uniform(LEAST_TURN, math.pi)

    def end(self) -> None:
        """Give the manoeuvre up."""
        self._begun, self._detour = math.inf, None

    def command(self, touches: bool, pose: Pose, turn_rate: float,
                now: float) -> tuple[float, float] | None:
        """
        Return the forward and turning speed [m/s, rad/s], ``None`` if there is nothing to escape.

        :param touches: whether the robot touches something. If it does again while it backs off,
            something is behind it, and it turns at once.
        :param pose: by odometry.
        :param turn_rate: the robot's greatest [rad/s].
        :param now: the present time [s].

        >>> escape = Escape(1)
        >>> escape.begin(10.0)
        >>> escape.command(True, (0.0, 0.0, 0.0), 1.5, 11.0)
        (-0.2, 0.0)
        """
        if not self._begun <= now:
            # Also after the clock was set back.
            self._begun = math.inf
            return None
        turns_from = self._begun + BACK / BACK_SPEED
        if now < turns_from:
            if not (touches and self._released):
                self._released |= not touches
                return -BACK_SPEED, 0.0
            self._begun -= turns_from - now
            turns_from = now
        if now < turns_from + abs(self._turn) / turn_rate:
            return 0.0, math.copysign(turn_rate, self._turn)
        x, y, yaw = pose
        self._begun = math.inf
        self._detour = ((x + AHEAD * math.cos(yaw), y + AHEAD * math.sin(yaw)), now + AHEAD_TIME)
        return None

    def detour(self, pose: Pose, near: float, now: float) -> tuple[float, float] | None:
        """
        Return the goal x, y [m] after the manoeuvre, ``None`` for the robot's own goal.

        :param pose: by odometry.
        :param near: the distance at which it is reached [m].
        :param now: the present time [s].
        """
        if self._detour is not None and (
                math.dist(pose[:2], self._detour[0]) <= near
                or not now <= self._detour[1] <= now + AHEAD_TIME):
            self._detour = None
        return None if self._detour is None else self._detour[0]
