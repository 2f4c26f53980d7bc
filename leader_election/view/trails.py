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

"""The ways that robots took of late, to be drawn behind them."""

import math

from leader_election.robot.codec import Position
from leader_election.swarm.snapshot import Snapshot

STEP = 0.25
"""So far apart the places are that are remembered [m]."""
LARGEST_STRIDE = 2.0
"""A robot that is suddenly farther away was not driven there: its way begins anew [m]."""


class Trails:
    """
    Remembers places, looks at the swarm one after the other.

    :param length: of the way that is remembered of each robot [m].

    >>> from leader_election.swarm.snapshot import RobotView
    >>> trails = Trails(length=0.5)
    >>> for x in (0.0, 0.1, 0.3, 0.6, 0.9):
    ...     trails.take(Snapshot(0.0, {3: RobotView(3, (x, 0.0), 0.0, 0.0, 3)}))
    >>> trails.ways[3]
    [(0.3, 0.0), (0.6, 0.0), (0.9, 0.0)]
    """

    def __init__(self, length: float) -> None:
        self._most = round(length / STEP) + 1
        self.ways: dict[int, list[Position]] = {}
        """By the robot's id; only of those that live."""

    def take(self, snapshot: Snapshot) -> None:
        """Take in where the robots are."""
        ways = {}
        for robot, view in snapshot.robots.items():
            way = self.ways.get(robot, [])[:]
            if view.position is not None:
                stride = math.dist(way[-1], view.position) if way else math.inf
                if stride > LARGEST_STRIDE:
                    way = [view.position]
                elif stride >= STEP:
                    way.append(view.position)
            ways[robot] = way[-self._most:]
        self.ways = ways
