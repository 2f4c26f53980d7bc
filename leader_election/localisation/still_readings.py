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
Recognition of readings with noise that stay the same while the robots' odometry says they cannot.

A range and a bearing give a place in the observer's frame. When the observer moves, a place that
stands still moves there; a robot in it can make up for that only as far as it drives. Wheels that
turn in vain look the same: then, too, the sightings do not fit the odometry that comes with them.
"""

import math
from typing import NamedTuple

from leader_election.localisation.parameters import LocalisationParameters
from leader_election.localisation.plane import between, compose, PlanePose, wrap
from leader_election.localisation.sighting import seen_from, Sighting

LEAST = 5
"""The least number of like readings."""
GAP = 2.5
"""The greatest time between two of them: robots may come back to where they were [s]."""
DEVIATIONS = 3.0
"""Readings that differ by less than this many standard deviations are alike."""
EXTRA, EXTRA_SCALE = 0.5, 0.4
"""By how much the place has to have moved, beyond what the robot seen drove [m], and for each
metre of range: odometry's turns are not exact."""


class _Run(NamedTuple):
    """Like readings of a robot."""

    first: Sighting
    here: PlanePose
    """The observer's pose by odometry at the first of them."""
    pose: PlanePose
    """Its estimated pose then."""
    way: float
    """How far the robot seen had driven then [m]."""
    last_way: float
    """The same at the last of them; less later: it was heard anew [m]."""
    number: int
    last: float
    """The time of the last of them [s]."""


class StillReadings:
    """Judges the sightings of one sensor."""

    def __init__(self, parameters: LocalisationParameters) -> None:
        """Start without readings."""
        self._parameters = parameters
        self._runs: dict[int, _Run] = {}

    def pose_without(self, sighting: Sighting, here: PlanePose, pose: PlanePose, way: float,
                     now: float) -> PlanePose | None:
        """
        Take a reading; if it and those before stay the same without a reason, return a pose.

        :param here: the observer's pose by odometry alone.
        :param pose: its estimated pose.
        :param way: how far the robot seen has driven since it was heard first [m].
        :param now: the time [s].
        :return: the observer's estimated pose before the first of them, moved by odometry since.

        >>> sensor = StillReadings(LocalisationParameters())
        >>> [sensor.pose_without(Sighting(2, 2.0, 0.01 * (k % 2)), (0.0, 0.0, 0.4 * k),
        ...                      (1.0, 0.0, 0.0), 0.05 * k, 1.0 * k) for k in range(6)][3:]
        [None, (1.0, 0.0, 1.6), (1.0, 0.0, 2.0)]
        """
        if math.isnan(sighting.range + sighting.bearing):
            return None
        run = self._runs.get(sighting.id)
        if (run is None or now - run.last > GAP or way < run.last_way
                or not self._alike(run.first, sighting)):
            self._runs[sighting.id] = _Run(sighting, here, pose, way, way, 1, now)
            return None
        self._runs[sighting.id] = run = run._replace(
            number=run.number + 1, last_way=way, last=now)
        if run.number < LEAST:
            return None
        moved = seen_from(run.first, run.here, here)
        apart = math.sqrt(max(
            moved.range ** 2 + sighting.range ** 2 - 2.0 * moved.range * sighting.range
            * math.cos(moved.bearing - sighting.bearing), 0.0))
        if apart <= way - run.way + EXTRA + EXTRA_SCALE * sighting.range:
            return None
        return compose(run.pose, between(run.here, here))

    def _alike(self, one: Sighting, other: Sighting) -> bool:
        table = self._parameters
        noise = table.range_noise + table.range_noise_scale * one.range
        return (abs(one.range - other.range) < DEVIATIONS * noise
                and abs(wrap(one.bearing - other.bearing)) < DEVIATIONS * table.bearing_noise)
