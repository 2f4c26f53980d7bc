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

"""Names in which somebody else speaks, too: what counts of such messages is what was signed."""

import math

from leader_election.election.identity.part import Said
from leader_election.election.identity.statements import Statement

WINDOW, LASTING = 2.5, 30.0
"""The time in which a place is left and reached again, and that of a doubt after it [rounds]."""
APART = 0.5
"""By how much two places differ, or their distances to the leader [m]."""


class Doubts:
    """
    Finds robots whose messages are at two places by turns.

    Messages without a signature only agree with what was signed, within metres. Somebody who
    repeats them elsewhere, between those of the robot, would move it to and fro.
    """

    def __init__(self) -> None:
        self._first: dict[int, tuple[float, tuple[float, ...], bool]] = {}
        """The first place in the window, its time [s], and whether the robot has left it."""
        self._until: dict[int, float] = {}

    def of(self, said: Said, statement: Statement, now: float, interval: float) -> bool:
        """
        Return whether a robot is doubted, after another message.

        :param statement: the last of the robot.
        :param interval: between rounds [s].
        """
        (x, y), robot = said.position or (0.0, 0.0), said.robot
        place, known = (x, y, said.distance), self._first.get(robot)
        if known is None:
            if math.dist(place, (statement.x, statement.y, statement.distance)) > APART:
                self._first[robot] = now, place, False
            return robot in self._until and now < self._until[robot]
        begun, first, left = known
        if now - begun > WINDOW * interval:
            del self._first[robot]
        elif math.dist(place, first) > APART:
            self._first[robot] = begun, first, True
        elif left:
            self._until[robot] = now + LASTING * interval
        return now < self._until.get(robot, -math.inf)
