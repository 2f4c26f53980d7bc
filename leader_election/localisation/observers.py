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

"""The robots whose sightings a localisation uses: their tracks, and how far they are believed."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
import math

from leader_election.localisation.late_sightings import Track
from leader_election.localisation.neighbourhood_filter import (
    FORGOTTEN_AFTER,
    NeighbourhoodFilter,
    Observed,
)
from leader_election.localisation.plane import PlanePose
from leader_election.localisation.repeated_sightings import (
    OTHERS_MEMORY,
    REPEATED,
    RepeatedSightings,
    StillReadings,
)
from leader_election.localisation.sighting import Sighting

FOUND_AFTER = 5.0
"""
The time for which a robot's sightings are ignored after it was carried off [s]: while its
pose is unknown, wrong sightings would fit, too. Other robots' sightings locate it.
"""
REPEATS = 10
"""The number of repeated readings in a row that show a faulty sensor."""


@dataclass
class Observer:
    """What is remembered of a robot beside the filter."""

    sensor: RepeatedSightings
    still: StillReadings
    track: Track = field(default_factory=Track)
    way: float = 0.0
    """How far it has driven [m]."""
    repeating: float = -math.inf
    """When its sensor last repeated itself, and did nothing else [s]."""
    placed: float = -math.inf
    """When sightings last found it elsewhere [s]."""


class Observers:
    """
    The robots of a filter as observers; the first one is the own robot.

    Times are seconds on the caller's clock.
    """

    def __init__(self, robot: int, neighbourhood: NeighbourhoodFilter,
                 landmarks: Mapping[int, tuple[float, float]], counts: Counter[str]) -> None:
        """
        Start with the own robot.

        :param robot: the own id.
        :param landmarks: places by id [m].
        :param counts: the counters, of which :data:`REPEATED` is used.
        """
        self.robot = robot
        self._filter = neighbourhood
        self._landmarks = landmarks
        self._counts = counts
        self._observers = {robot: Observer(
            RepeatedSightings(), StillReadings(neighbourhood.parameters))}

    def __getitem__(self, robot: int) -> Observer:
        """Return what is remembered of a robot."""
        return self._observers[robot]

    def enter(self, robot: int) -> None:
        """Begin the track of a neighbour that the filter takes, again or for the first time."""
        if robot not in self._observers:
            self._observers[robot] = Observer(
                RepeatedSightings(OTHERS_MEMORY), StillReadings(self._filter.parameters))
        self._observers[robot].track = Track()

    def keep(self) -> list[int]:
        """Forget the robots that are not in the filter, and return the others."""
        self._observers = {robot: each for robot, each in self._observers.items()
                           if robot in self._filter}
        return list(self._observers)

    @property
    def tracks(self) -> dict[int, Track]:
        """Return the recent odometry of each robot."""
        return {robot: each.track for robot, each in self._observers.items()}

    def is_repeated(self, robot: int, sighting: Sighting, here: PlanePose,
                    there: PlanePose | None, now: float) -> bool:
        """
        Return whether a sensor repeats a reading; it is counted then.

        :param here: the odometry of the observer.
        :param there: the odometry of the robot seen, if it is known.
        """
        observer = self._observers[robot]
        repeated = observer.sensor.is_repeated(sighting, here, there)
        self._counts[REPEATED] += repeated
        if observer.sensor.in_a_row >= REPEATS:
            observer.repeating = now
        return repeated

    def repeating(self, now: float, expiry: float) -> list[int]:
        """Return the robots whose sensors have repeated themselves lately, and do nothing else."""
        return sorted(robot for robot, each in self._observers.items()
                      if now - each.repeating <= FORGOTTEN_AFTER * expiry)

    def pose_before(self, robot: int, sightings: Sequence[Observed],
                    now: float) -> PlanePose | None:
        """Return where a robot was before its sensor froze; ``None``: it did not."""
        if robot not in self._filter:
            return None
        still = self._observers[robot].still
        here, pose = self._filter.odometry(robot), self._filter.pose(robot)
        # How far others drive is not known; landmarks stay.
        ways = {landmark: 0.0 for landmark in self._landmarks} | {
            each: observer.way for each, observer in self._observers.items()}
        poses = [still.pose_without(sighting, here, pose, ways[sighting.id], now)
                 for _, sighting in sightings if sighting.id in ways]
        return next((each for each in poses if each is not None), None)

    def is_being_found(self, robot: int, now: float) -> bool:
        """Return whether a neighbour was just carried off: other robots' sightings locate it."""
        times = self._filter.carried_off.get(robot, [-math.inf])
        return (robot != self.robot and now - times[-1] <= FOUND_AFTER
                and self._observers[robot].placed < times[-1])
