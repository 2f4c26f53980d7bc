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
A check of noise parameters: robots replay a recording with them, compared with true poses.

Each robot gets the recorded odometry and sightings at their times, in simulated time and without
ROS. No message is lost.
"""

from collections.abc import Iterable, Mapping
from functools import partial
import math
from statistics import fmean, median
from typing import NamedTuple

from leader_election.election.robot.parameters import ElectionParameters
from leader_election.election.robot.robot import Robot
from leader_election.localisation.noise_estimation import Estimate, Figure
from leader_election.localisation.parameters import LocalisationParameters
from leader_election.localisation.plane import between, compose, PlanePose
from leader_election.localisation.recorded_errors import Array, Recorded, sampled
from leader_election.localisation.sighting import Sighting
from leader_election.parameters import build, ParameterError, table
from leader_election.swarm.reference_partition import links_within, partition
from leader_election.swarm.simulated_swarm import SimulatedSwarm
import numpy as np

COMPARE_FROM = 5.0
"""The start of the comparisons, after the first election [s]."""
LOOK = 1.0
"""The time between two comparisons [s]."""
LEADERS = 0.01
"""The share of right leaders that is chance."""
SMALLER = 0.95
"""The factor by which errors have to be smaller."""
WIDER = 1.2
"""Of the radius, in communication ranges."""


class Quality(NamedTuple):
    """How well robots were localised in a replay."""

    leaders: float
    """The share of samples in which a robot had the leader of the partition by true poses."""
    error: float
    """The root mean square error of the distances of robots in range [m]."""


class ReplayedSwarm(SimulatedSwarm):
    """
    The robots of a recording, which hear each other wherever they are.

    :ivar errors: of distances to robots that are truly in range [m].
    :ivar same: whether a robot had the right leader, one for each robot and comparison.
    """

    def __init__(self, recorded: Mapping[int, Recorded], reach: float,
                 noise: Mapping[str, float]) -> None:
        """
        Place the robots at their first true poses, and plan their odometry and sightings.

        :param recorded: by the robots' ids.
        :param reach: ``communication_range`` [m]; the radius is a fifth more.
        :param noise: parameters of :class:`LocalisationParameters`.
        """
        self._recorded, self._reach = recorded, reach
        self._first = max(max(each.odometry[0, 0], each.reference[0, 0])
                          for each in recorded.values())
        self.length = float(min(min(each.odometry[-1, 0], each.reference[-1, 0])
                                for each in recorded.values()) - self._first)
        # Equal strengths would make the lowest ids leaders throughout.
        self._strengths = {robot: float(robot * 7919 % 1009) for robot in recorded}
        self.errors: list[float] = []
        self.same: list[bool] = []
        robots = {robot: Robot(build(ElectionParameters, {
            'robot_id': robot, 'pose_source': 'cooperative', 'communication_range': reach,
            'radius': WIDER * reach, 'radius_hysteresis': 0.0, 'odometry_expiry': 10.0,
            'strength': self._strengths[robot],
            'initial_pose': self._origin(each), **noise})) for robot, each in recorded.items()}
        super().__init__(robots, lambda robot: [other for other in robots if other != robot])
        for robot, each in recorded.items():
            self._plan(robots[robot], each)
        for second in np.arange(COMPARE_FROM, self.length, LOOK):
            self.at(float(second) + 1e-6, self._look)

    def _origin(self, recorded: Recorded) -> PlanePose:
        """Return the pose of the frame of odometry, by the first pose in it and the true one."""
        times = np.array([self._first])
        first, true = (_pose(sampled(rows, times)[0])
                       for rows in (recorded.odometry, recorded.reference))
        return compose(true, between(first, (0.0, 0.0, 0.0)))

    def _plan(self, robot: Robot, recorded: Recorded) -> None:
        for time, x, y, yaw in self._since_begin(recorded.odometry):
            self.at(time, partial(self._drive, robot, (x, y, yaw)))
        for time, seen, distance, bearing in self._since_begin(recorded.sightings):
            self.at(time, partial(self._sight, robot, Sighting(int(seen), distance, bearing)))

    def _since_begin(self, rows: Array) -> Iterable[list[float]]:
        rows = rows[rows[:, 0] >= self._first]
        return [[time - self._first, *values] for time, *values in rows.tolist()]

    def _drive(self, robot: Robot, pose: PlanePose) -> None:
        robot.sensing.take_odometry((*pose[:2], 0.0), self.now, yaw=pose[2])

    def _sight(self, robot: Robot, sighting: Sighting) -> None:
        robot.sensing.take_sightings([sighting], self.now)

    def _look(self) -> None:
        times = np.array([self._first + self.now])
        true = {robot: _pose(sampled(each.reference, times)[0])[:2]
                for robot, each in self._recorded.items()}
        if not np.isfinite(list(true.values())).all():
            return
        apart = links_within(true, self._reach)
        right = partition(apart, self._strengths, WIDER * self._reach, 'id')
        for one, robot in self.robots.items():
            self.same.append(robot.state.leader == right[one][0])
            here = robot.sensing.locate(self.now)
            for message, *_ in robot.mailbox.valid(self.now):
                place = robot.sensing.place_of(message)
                if here and place and message.id in apart[one]:
                    self.errors.append(math.dist(here, place) - apart[one][message.id])


def checked(found: Estimate, recorded: Mapping[int, Recorded]) -> Estimate:
    """
    Return an estimate that is not worse than the defaults in a replay of the recording.

    Better are parameters with clearly smaller errors of distances, unless robots have the right
    leader less often. Otherwise the defaults are kept. A note says how good both were.

    :raises ParameterError: for a recording without sightings of robots, or of one robot.
    """
    if not any(np.isin(each.sightings[:, 1], list(recorded)).any() for each in recorded.values()):
        raise ParameterError(
            'the check needs sightings of robots by each other, and this recording has none')
    reach = median(_distances(recorded))
    defaults = {p.name: p.default for p in table(LocalisationParameters)}
    usual, estimated = (
        quality(recorded, reach, {figure.name: value for figure, value in values})
        for values in ([(each, defaults[each.name]) for each in found.figures],
                       [(each, each.value) for each in found.figures]))
    better = (estimated.error < SMALLER * usual.error
              and estimated.leaders > usual.leaders - LEADERS)
    note = ('replayed: same leader as by true poses, RMS error of distances within '
            f'{reach:.1f} m: {_text(estimated)}; with the defaults {_text(usual)}: '
            + ('these are better' if better else 'the defaults are kept'))
    figures = found.figures if better else tuple(
        Figure(each.name, defaults[each.name], each.samples,
               kept=each.kept or f'{each.value:.3g}, estimated, was no better in the replay')
        for each in found.figures)
    return found._replace(figures=figures, notes=(note, *found.notes))


def quality(recorded: Mapping[int, Recorded], reach: float,
            noise: Mapping[str, float]) -> Quality:
    """Return how well robots are localised in a replay with parameters of noise."""
    swarm = ReplayedSwarm(recorded, reach, noise)
    swarm.run(swarm.length)
    if not swarm.errors:
        raise ParameterError('the check needs true poses of all robots at the same times')
    return Quality(fmean(swarm.same), math.sqrt(fmean(error * error for error in swarm.errors)))


def _distances(recorded: Mapping[int, Recorded]) -> list[float]:
    """Return the true distances of all pairs over time [m]."""
    begin = max(each.reference[0, 0] for each in recorded.values())
    end = min(each.reference[-1, 0] for each in recorded.values())
    places = [sampled(each.reference, np.arange(begin, end, LOOK))[:, :2]
              for each in recorded.values()]
    apart = np.concatenate([np.hypot(*(one - other).T) for k, one in enumerate(places)
                            for other in places[:k]] or [np.zeros(0)])
    found: list[float] = apart[np.isfinite(apart)].tolist()
    if not found:
        raise ParameterError('the check needs true poses of two robots at the same times')
    return found


def _pose(row: Array) -> PlanePose:
    x, y, yaw = row.tolist()
    return x, y, yaw


def _text(quality: Quality) -> str:
    return f'{quality.leaders:.1%}, {quality.error:.3f} m'
