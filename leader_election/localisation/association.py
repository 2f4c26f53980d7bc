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
Data association: which robot a sighting shows that contradicts the robot whose id it bears.

The test is one of likelihoods. A robot that is poorly known explains a wide area badly, but
nothing in it is contradicted; so its sightings are never taken for another robot's.
"""

from collections.abc import Callable, Sequence
import math

from leader_election.localisation.neighbourhood_filter import NeighbourhoodFilter, Observed
from leader_election.localisation.noise import Array, range_variance
from leader_election.localisation.parameters import LocalisationParameters
from leader_election.localisation.plane import between, wrap
import numpy as np

REASSIGNED = 'sightings_reassigned'
"""The name of the counter."""
NEAR = 0.3
"""A sighting nearer to the expected place is not questioned [m]."""
FITS = 5.99
"""The 95 % quantile of squared normalised errors of range and bearing: beyond it an id is
questioned, within it another robot fits."""
BETTER = 8.0
"""The difference of log-likelihoods, doubled, with which another id is believed."""


def associated(sightings: Sequence[Observed], neighbourhood: NeighbourhoodFilter,
               parameters: LocalisationParameters, unsure: Callable[[int], bool], now: float
               ) -> tuple[list[Observed], int]:
    """
    Return sightings with the ids of the robots that they show, and how many ids were changed.

    :param sightings: by one observer. Those without range or bearing, or of unknown ids, remain
        as they are.
    :param unsure: whether a robot may be elsewhere; sightings by and of it remain as they are.
    :param now: the time [s].
    """
    found, changed = [], 0
    for observer, sighting in sightings:
        robot = sighting.id
        reading = sighting.range + sighting.bearing
        if (reading == reading and robot in neighbourhood and robot != observer
                and observer in neighbourhood
                and _is_far(sighting.range, sighting.bearing, neighbourhood, observer, robot,
                            parameters)
                and not unsure(observer) and not unsure(robot)):
            best = _best(sighting.range, sighting.bearing, neighbourhood, observer, robot,
                         parameters, now)
            changed += best != robot
            sighting = sighting._replace(id=best)
        found.append((observer, sighting))
    return found, changed


def _is_far(distance: float, bearing: float, neighbourhood: NeighbourhoodFilter, observer: int,
            robot: int, parameters: LocalisationParameters) -> bool:
    """Return whether a robot is not seen where it is expected, even if poses were certain."""
    x, y, _ = between(neighbourhood.pose(observer), neighbourhood.pose(robot))
    if math.dist((x, y), (distance * math.cos(bearing), distance * math.sin(bearing))) <= NEAR:
        return False
    length = max(math.hypot(x, y), 0.1)
    off, turned = distance - length, wrap(bearing - math.atan2(y, x)) / parameters.bearing_noise
    return off * off / range_variance(length, parameters) + turned * turned > FITS


def _best(distance: float, bearing: float, neighbourhood: NeighbourhoodFilter, observer: int,
          robot: int, parameters: LocalisationParameters, now: float) -> int:
    """Return the robot that a sighting shows, the one of its id unless another is clear."""
    robots = [robot] + [other for other in neighbourhood.ids if other not in (observer, robot)]
    errors, spreads = _fits(distance, bearing, neighbourhood.relative(observer, robots, now),
                            parameters)
    if errors[0] <= FITS or len(robots) == 1:
        return robot
    sums = errors + spreads
    best, *others = map(int, 1 + np.argsort(sums[1:]))
    if errors[best] > FITS or sums[best] + BETTER > sums[0] or (
            others and sums[best] + BETTER > sums[others[0]]):
        return robot
    return robots[best]


def _fits(distance: float, bearing: float, relative: tuple[Array, Array],
          parameters: LocalisationParameters) -> tuple[Array, Array]:
    """
    Return the squared normalised errors of a sighting, and the logarithms of the determinants.

    :param relative: positions in the observer's frame, and their covariances.
    :return: for each position.
    """
    (x, y), ((xx, xy), (_, yy)) = relative[0].T, relative[1].transpose(1, 2, 0)
    length = np.maximum(np.hypot(x, y), 0.1)
    x, y = x / length, y / length
    along = x * x * xx + 2.0 * x * y * xy + y * y * yy + parameters.range_noise ** 2
    along += (parameters.range_noise_scale * length) ** 2
    across = (y * y * xx - 2.0 * x * y * xy + x * x * yy) / length ** 2
    across += parameters.bearing_noise ** 2
    mixed = ((x * x - y * y) * xy + x * y * (yy - xx)) / length
    determinant = along * across - mixed * mixed
    off = distance - length
    turned = (bearing - np.arctan2(y, x) + math.pi) % (2.0 * math.pi) - math.pi
    return ((across * off * off - 2.0 * mixed * off * turned + along * turned * turned)
            / determinant, np.log(determinant))
