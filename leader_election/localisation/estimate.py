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

"""The estimate of its own pose that a robot sends to its neighbours."""

import math
from typing import NamedTuple

from leader_election.localisation.noise import Array
from leader_election.localisation.plane import PlanePose, wrap
from leader_election.localisation.sighting import LEAST_DEVIATION, Sighting

CORRECTED = (0.01, 0.01)
"""A pose nearer than this to that of odometry is not corrected by sightings [m, rad]."""


class Estimate(NamedTuple):
    """A robot's estimate of its own pose, as it is sent."""

    odometry: PlanePose | None
    """The pose by odometry alone; ``None``: the same as the pose."""
    yaw: float
    """The estimated heading [rad]."""
    deviation: float
    """The standard deviation of the position, along the axis on which it is greater [m]."""
    heading_deviation: float
    """The standard deviation of the heading [rad]."""
    sightings: tuple[Sighting, ...] = ()
    """From the pose of the sender at the time of sending."""


def odometry_of(place: tuple[float, float], estimate: Estimate | None) -> PlanePose:
    """Return a neighbour's pose by odometry; by default its reported position."""
    if estimate is None:
        # Without a heading, the yaw of the state is that of its odometry's frame.
        return (*place, 0.0)
    return estimate.odometry or (*place, estimate.yaw)


def is_own_word(place: tuple[float, float], estimate: Estimate | None) -> bool:
    """Return whether no sighting has corrected a robot's pose yet: it may be wrong by any way."""
    odometry = odometry_of(place, estimate)
    return (estimate is None or math.dist(place, odometry[:2]) < CORRECTED[0]
            and abs(wrap(estimate.yaw - odometry[2])) < CORRECTED[1])


def deviations(covariance: Array) -> tuple[float, float]:
    """Return the standard deviations of position (on the worse axis) and heading [m, rad]."""
    (x, _, _), (_, y, _), (_, _, yaw) = covariance.tolist()
    return (max(math.sqrt(max(x, y)), LEAST_DEVIATION), max(math.sqrt(yaw), LEAST_DEVIATION))
