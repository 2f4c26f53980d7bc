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
A swarm compared with the truth: what robots publish, beside the partition by their true positions.

The direct computation is :func:`.partition`, of true positions and strengths, without rounds and
messages.
"""

from collections.abc import Mapping
from itertools import combinations
import math
from typing import NamedTuple

from leader_election.swarm.history import Statistics
from leader_election.swarm.reference_partition import (
    Agreement,
    Hysteresis,
    links_within,
    partition,
)
from leader_election.swarm.snapshot import is_partition, RobotView, Snapshot
from leader_election.swarm.tracker import SwarmTracker
import numpy as np

EXPIRY = 3.0
"""A robot that was not heard for so long is gone [s]."""
LOOK = 0.5
"""The time between two samples [s]."""

Places = Mapping[int, tuple[float, float]]
"""True x, y of robots [m], by id."""


class Rules(NamedTuple):
    """The parameters of robots on which the right partition depends."""

    radius: float
    """[m]."""
    reach: float
    """``communication_range`` [m]."""
    hysteresis: float = 0.0
    """``radius_hysteresis``."""
    strengths: Mapping[int, float] | None = None
    """By robot; ``None``: their ids."""


def right_leaders(places: Places, rules: Rules, following: Mapping[int, int]) -> dict[int, int]:
    """
    Return each robot's leader by the direct computation.

    :param following: the leader of each robot now, which counts with hysteresis.

    >>> right_leaders({1: (0.0, 0.0), 2: (3.0, 0.0), 9: (20.0, 0.0)}, Rules(6.0, 4.0), {})
    {9: 9, 2: 2, 1: 2}
    """
    strengths = rules.strengths or {robot: float(robot) for robot in places}
    found = partition(links_within(places, rules.reach), strengths, rules.radius, 'id',
                      Hysteresis(rules.hysteresis, following))
    return {robot: led[0] for robot, led in found.items()}


class Figures(NamedTuple):
    """The figures of an interval of time; NaN without a sample."""

    robots: float
    """Share of robots, over all samples, with the leader of the direct computation."""
    partitions: float
    """Share of samples in which this holds for all robots at once."""
    error: float
    """Error of the positions that robots publish, the mean of robots and samples [m]."""
    worst: float
    """The greatest error of a position [m]."""
    end: float
    """The mean error in the last sample [m]."""
    neighbours: float
    """Error of the position of a robot in range relative to one's own, the mean [m]."""
    changes: float
    """Changes of leader per robot and minute; a change back between two samples is not seen."""


class Watch:
    """
    The messages of one swarm, compared with the truth twice a second.

    :ivar tracker: of the messages.
    :ivar partitioned: the time of the first partition, from which on samples count [s].
    """

    def __init__(self, rules: Rules) -> None:
        """:param rules: of the swarm."""
        self.rules = rules
        self.tracker = SwarmTracker(EXPIRY)
        self.partitioned = math.inf
        self._statistics = Statistics()
        self._agreement = Agreement()
        self._samples: list[tuple[float, int, list[float], list[float]]] = []
        """Time [s], changes of leader so far, errors of positions, and relative ones [m]."""

    def hear(self, payload: str, now: float) -> None:
        """Take a message at a time [s]."""
        self.tracker.hear(payload, now)

    def look(self, now: float, places: Places) -> None:
        """Take a sample: compare what the living robots say with where they are."""
        said = self.tracker.snapshot(now)
        if len(self.tracker.first_heard) >= len(places) > 0 and is_partition(
                said, self.rules.radius):
            self.partitioned = min(self.partitioned, now)
        self._statistics.observe(said, self.tracker.messages, self.tracker.bytes)
        if self.partitioned == math.inf:
            return
        right = right_leaders(places, self.rules, {
            robot.id: robot.leader for robot in said.robots.values()})
        self._agreement.compare(now, said, Snapshot(now, {
            robot: RobotView(robot, places[robot], math.nan, 0.0, leader)
            for robot, leader in right.items()}))
        errors = {robot.id: np.subtract(robot.position, places[robot.id])
                  for robot in said.robots.values()
                  if robot.position is not None and robot.id in places}
        self._samples.append((
            now, self._statistics.leader_changes, [math.hypot(*each) for each in errors.values()],
            [math.dist(errors[one], errors[other]) for one, other in combinations(errors, 2)
             if math.dist(places[one], places[other]) <= self.rules.reach]))

    def figures(self, begin: float = 0.0, end: float = math.inf) -> Figures:
        """Return the figures of ``[begin, end)`` [s]."""
        samples = [sample for sample in self._samples if begin <= sample[0] < end]
        share = self._agreement.share(begin, end)
        errors = np.array([error for _, _, each, _ in samples for error in each])
        relative = [error for *_, each in samples for error in each] or math.nan
        if share is None or not len(errors):
            return Figures(*[math.nan] * len(Figures._fields))
        changes = samples[-1][1] - samples[0][1]
        minutes = max(samples[-1][0] - samples[0][0], LOOK) / 60.0
        return Figures(share.robots, share.partitions, float(errors.mean()), float(errors.max()),
                       float(np.mean(samples[-1][2] or math.nan)), float(np.mean(relative)),
                       changes / len(self.tracker.first_heard) / minutes)
