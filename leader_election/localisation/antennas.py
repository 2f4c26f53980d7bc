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
Several antennas on a robot: the ranges between two robots' antennas give one sighting.

The ranges of one moment locate the middle of the other robot, and its turn, in the frame of the
observer. So three antennas that are not on one line measure a bearing, which no single radio does
(A. Fishberg, B. Quiter, J. How, MURP, IEEE RA-L 2024). A robot of which only mirror images can be
told apart has a range alone.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
import math

from leader_election.localisation.parameters import LocalisationParameters
from leader_election.localisation.poses import Array
from leader_election.localisation.sighting import checked, MIDDLE, range_variance, Sighting
import numpy as np

STARTS = 8
"""The numbers of directions and of turns from which poses are refined."""
STEPS = 8
"""The steps of a refinement."""
OTHERWISE = 0.6
"""The angle from which on another bearing is another solution [rad]."""
CLEARLY = 6.0
"""By how much its cost has to exceed the least one."""
USEFUL = 0.5
"""The greatest deviation of a bearing that is given [rad]."""
PRIOR = 1e-6 * np.eye(3)
"""The information that keeps a step finite where no range depends on a coordinate."""


def of_antennas(sightings: Iterable[Sighting], parameters: LocalisationParameters,
                ) -> list[Sighting]:
    """
    Return sightings with one in place of all between the antennas of two robots at one moment.

    :param sightings: ranges between antennas, and others, which are returned as they are.
    """
    found, links = [], defaultdict[tuple[int, float], list[Sighting]](list)
    for each in sightings:
        if any((*each.here, *each.there)) and checked(each) and math.isnan(each.bearing):
            links[each.id, each.age].append(each)
        else:
            found.append(each)
    return [*found, *(located(each, parameters) for each in links.values())]


def located(links: Sequence[Sighting], parameters: LocalisationParameters) -> Sighting:
    """
    Return the sighting of the middle of a robot.

    :param links: valid ranges between antennas of the two robots, without bearings.
    :return: with a bearing if one fits clearly better than all others.

    >>> corners = [(0.3, 0.0), (-0.15, 0.26), (-0.15, -0.26)]
    >>> seen = located([Sighting(3, math.dist(here, (2.0 + there[0], there[1])), here=here,
    ...                          there=there) for here in corners for there in corners],
    ...                LocalisationParameters())
    >>> [round(value, 2) + 0.0 for value in seen[:3]]
    [3.0, 2.0, 0.0]
    """
    ranges, here, there = (np.array([getattr(each, name) for each in links])
                           for name in ('range', 'here', 'there'))
    usual = float(np.median(ranges))
    scale = math.sqrt(range_variance(usual, parameters))
    angles = np.linspace(-math.pi, math.pi, STARTS, endpoint=False)
    direction, turn = (each.ravel() for each in np.meshgrid(angles, angles))
    poses = np.column_stack((usual * np.cos(direction), usual * np.sin(direction), turn))
    for _ in range(STEPS):
        errors, slopes = _errors(poses, ranges, here, there)
        # Outliers weigh little, as with a Cauchy distribution.
        weighted = slopes / (scale ** 2 + errors[..., np.newaxis] ** 2)
        information = np.swapaxes(weighted, 1, 2) @ slopes + PRIOR
        step = np.swapaxes(weighted, 1, 2) @ errors[..., np.newaxis]
        poses = poses - np.linalg.solve(information, step)[..., 0]
    errors, _ = _errors(poses, ranges, here, there)
    costs = np.log1p(np.square(errors / scale)).sum(axis=1)
    best = int(np.argmin(costs))
    x, y, _ = poses[best].tolist()
    bearing, length = math.atan2(y, x), math.hypot(x, y)
    others = np.abs(np.angle(np.exp(1j * (np.arctan2(poses[:, 1], poses[:, 0]) - bearing))))
    across = np.array((-y, x, 0.0)) / length ** 2
    deviation = math.sqrt(float(across @ np.linalg.solve(information[best], across)))
    if deviation > USEFUL or (costs[others > OTHERWISE] < costs[best] + CLEARLY).any():
        # As far as the antennas are from the middle of their robots, the range may be wrong.
        aside = float(np.mean(np.square(here) + np.square(there)))
        return links[0]._replace(range=usual, range_deviation=math.sqrt(scale ** 2 + aside),
                                 here=MIDDLE, there=MIDDLE)
    return links[0]._replace(range=length, bearing=bearing, range_deviation=math.nan,
                             bearing_deviation=deviation, here=MIDDLE, there=MIDDLE)


def _errors(poses: Array, ranges: Array, here: Array, there: Array) -> tuple[Array, Array]:
    """
    Return the expected less the measured ranges, and their derivatives by the poses.

    :param poses: of the other robot, from the observer, shape (k, 3).
    :param ranges: shape (n,).
    :param here: the places of the antennas, with ``there``, shape (n, 2).
    :return: shapes (k, n) and (k, n, 3).
    """
    cos, sin = np.cos(poses[:, 2:]), np.sin(poses[:, 2:])
    turned_x = cos * there[:, 0] - sin * there[:, 1]
    turned_y = sin * there[:, 0] + cos * there[:, 1]
    way_x = poses[:, :1] + turned_x - here[:, 0]
    way_y = poses[:, 1:2] + turned_y - here[:, 1]
    length = np.maximum(np.hypot(way_x, way_y), 1e-3)
    along_x, along_y = way_x / length, way_y / length
    return length - ranges, np.stack(
        (along_x, along_y, along_y * turned_x - along_x * turned_y), axis=-1)
