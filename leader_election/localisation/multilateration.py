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
Relative poses of robots by the ranges between points on them.

The points are the *antennas* of robots at one moment. So three antennas that are not on a line
measure a bearing, which no single radio does (A. Fishberg, B. Quiter, J. How, MURP, IEEE RA-L
2024). Or they are the places of a robot's only antenna while it moves. So the ranges of some
seconds tell the poses of three robots from their *mirror image*, which has the same ranges at each
moment.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
import math
from typing import NamedTuple

from leader_election.localisation.parameters import LocalisationParameters
from leader_election.localisation.poses import Array
from leader_election.localisation.sighting import checked, MIDDLE, range_variance, Sighting
import numpy as np
from numpy.typing import NDArray

STARTS = 6
"""The number of directions, and of turns, from which poses are refined."""
STEPS = 8
"""The steps of a refinement."""
OTHERWISE = 0.6
"""The angle from which on another bearing is another solution [rad]."""
CLEARLY = 10.0
"""The difference of the costs from which on the better of two solutions is the right one."""
USEFUL = 0.5
"""The greatest deviation of a bearing that is given [rad]."""
PRIOR = 1e-9
"""
The information, as a part of the whole, that keeps a step finite where no range depends on a
coordinate.
"""
SHORTEST = 1e-3
"""The least distance of two points [m]."""
APART = 1.0
"""The least distance of a robot from its mirror image [m]."""
BEST = 3
"""The number of starts that are refined, for each first angle."""


class Ranges(NamedTuple):
    """Ranges between points on robots, each of the arrays with a row a range."""

    one: NDArray[np.intp]
    """The rows of the robots among the poses."""
    other: NDArray[np.intp]
    here: Array
    """The points on the robots ``one``, in their frames [m], shape (n, 2)."""
    there: Array
    measured: Array
    """The ranges [m]."""
    deviations: Array
    """Their standard deviations [m]."""

    def costs(self, poses: Array) -> Array:
        """
        Return the costs of poses. Outliers cost little, as with a Cauchy distribution.

        :param poses: of robots, shape (k, robots, 3).
        :return: shape (k,).
        """
        (begin, _), (end, _) = self._points(poses)
        errors = (_lengths(end - begin) - self.measured) / self.deviations
        return _costs(errors)

    def promising(self, starts: Array) -> Array:
        """Return the best of starts (:func:`_starts`) for each of their first angles."""
        costs = self.costs(starts).reshape(STARTS, -1)
        return np.concatenate([each[np.argsort(cost)[:BEST]] for each, cost in zip(
            starts.reshape(STARTS, -1, *starts.shape[1:]), costs)])

    def refined(self, poses: Array) -> tuple[Array, Array, Array]:
        """
        Return the poses of least cost nearby, their costs and their information.

        :param poses: of robots, the first of which is fixed, shape (k, robots, 3).
        :return: shapes (k, robots, 3), (k,), and (k, m, m), with m numbers of the other robots.
        """
        best, least = poses, np.full((len(poses), 1, 1), math.inf)
        information = np.zeros((len(poses), 1, 1))
        for _ in range(STEPS + 1):
            slopes, errors = self._slopes(poses)
            weighted = np.swapaxes(slopes / (1.0 + errors ** 2)[..., np.newaxis], 1, 2)
            found = weighted @ slopes
            found += (PRIOR * (1.0 + np.trace(found, axis1=1, axis2=2))[:, np.newaxis, np.newaxis]
                      * np.eye(slopes.shape[2]))
            costs = _costs(errors)[:, np.newaxis, np.newaxis]
            # A step may also lead away, or past the pose of least cost.
            best = np.where(costs < least, poses, best)
            information = np.where(costs < least, found, information)
            least = np.minimum(costs, least)
            poses = poses.copy()
            poses[:, 1:] -= np.linalg.solve(found, weighted @ errors[..., np.newaxis]).reshape(
                len(poses), -1, 3)
        return best, least[:, 0, 0], information

    def _slopes(self, poses: Array) -> tuple[Array, Array]:
        """Return the derivatives of normalised errors, shape (k, n, m), and these, (k, n)."""
        (begin, from_here), (end, from_there) = self._points(poses)
        lengths = _lengths(end - begin)
        along = (end - begin) / (lengths * self.deviations)[..., np.newaxis]
        slopes = np.zeros((*lengths.shape, poses.shape[1], 3))
        rows = np.arange(len(self.measured))
        for robots, sign, reach in (self.one, -1.0, from_here), (self.other, 1.0, from_there):
            turned = along[..., 1] * reach[..., 0] - along[..., 0] * reach[..., 1]
            slopes[:, rows, robots] += sign * np.stack(
                (along[..., 0], along[..., 1], turned), axis=-1)
        return (slopes[:, :, 1:].reshape(*lengths.shape, -1),
                (lengths - self.measured) / self.deviations)

    def _points(self, poses: Array) -> list[tuple[Array, Array]]:
        """Return the points on both robots, and the vectors to them, shapes (k, n, 2)."""
        found = []
        for robots, points in (self.one, self.here), (self.other, self.there):
            (x, y), yaw = points.T, poses[:, robots, 2]
            cos, sin = np.cos(yaw), np.sin(yaw)
            reach = np.stack((cos * x - sin * y, sin * x + cos * y), axis=-1)
            found.append((poses[:, robots, :2] + reach, reach))
        return found


def _costs(errors: Array) -> Array:
    return np.asarray(np.log1p(np.square(errors)).sum(axis=1))


def _lengths(ways: Array) -> Array:
    return np.maximum(np.hypot(ways[..., 0], ways[..., 1]), SHORTEST)


def _starts(number: int) -> list[Array]:
    """Return all combinations of a number of angles [rad]."""
    angles = np.linspace(-math.pi, math.pi, STARTS, endpoint=False)
    return [each.ravel() for each in np.meshgrid(*[angles] * number, indexing='ij')]


def of_antennas(sightings: Iterable[Sighting], parameters: LocalisationParameters,
                ) -> list[Sighting]:
    """
    Return sightings with one in place of all between the antennas of two robots at one moment.

    :param sightings: ranges between antennas, and others, which are returned as they are.
    """
    found, links = [], defaultdict[tuple[int, float], list[Sighting]](list)
    for each in sightings:
        valid = checked(each) if any((*each.here, *each.there)) else None
        if valid is not None and math.isnan(valid.bearing):
            links[valid.id, valid.age].append(valid)
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
    measured, stated, here, there = (np.array([getattr(each, name) for each in links])
                                     for name in ('range', 'range_deviation', 'here', 'there'))
    usual, own = float(np.median(measured)), np.zeros(len(links), dtype=np.intp)
    deviations = np.where(np.isnan(stated), math.sqrt(range_variance(usual, parameters)), stated)
    ranges = Ranges(own, own + 1, here, there, measured, deviations)
    direction, turn = _starts(2)
    poses = np.zeros((len(turn), 2, 3))
    poses[:, 1] = np.column_stack((usual * np.cos(direction), usual * np.sin(direction), turn))
    poses, costs, information = ranges.refined(ranges.promising(poses))
    best = int(np.argmin(costs))
    x, y, _ = poses[best, 1].tolist()
    bearing, length = math.atan2(y, x), max(math.hypot(x, y), SHORTEST)
    others = np.abs(np.angle(np.exp(1j * (np.arctan2(*poses[:, 1, 1::-1].T) - bearing))))
    across = np.array((-y, x, 0.0)) / length ** 2
    deviation = math.sqrt(float(across @ np.linalg.solve(information[best], across)))
    if deviation > USEFUL or (costs[others > OTHERWISE] < costs[best] + CLEARLY).any():
        # As far as the antennas are from the middle of their robots, the range may be wrong.
        variance = np.mean(np.square(deviations)) + np.mean(np.square(here) + np.square(there))
        return links[0]._replace(range=usual, range_deviation=math.sqrt(float(variance)),
                                 here=MIDDLE, there=MIDDLE)
    return links[0]._replace(range=length, bearing=bearing, bearing_deviation=deviation,
                             here=MIDDLE, there=MIDDLE)


def mirror_image(ranges: Ranges, poses: Array) -> tuple[float, Array, Array]:
    """
    Return the mirror image of three robots that fits ranges best.

    :param ranges: of some seconds. Points are the places of antennas by odometry at their times,
        in the frames of the present poses.
    :param poses: the present ones in the frame of the first robot, shape (3, 3).
    :return: by how much more it costs than the poses that fit best and are no mirror image; its
        poses, and their information, shapes (3, 3) and (6, 6).
    """
    turn, *headings = _starts(3)
    cos, sin = np.cos(turn), np.sin(turn)
    tried = [poses[np.newaxis]]
    for side in (1.0, -1.0):
        starts = np.zeros((len(turn), 3, 3))
        for robot, heading in enumerate(headings, 1):
            x, y = poses[robot, 0], side * poses[robot, 1]
            starts[:, robot] = np.column_stack((cos * x - sin * y, sin * x + cos * y, heading))
        tried.append(ranges.promising(starts))
    found, costs, information = ranges.refined(np.concatenate(tried))
    moved = _lengths(found[..., :2] - poses[:, :2]).max(axis=1)
    mirrored = (_side(found) != _side(poses[np.newaxis])) & (moved > APART)
    image = int(np.argmin(np.where(mirrored, costs, math.inf)))
    return (float(costs[image] - costs[~mirrored].min(initial=math.inf)) if mirrored.any()
            else math.inf), found[image], information[image]


def _side(poses: Array) -> NDArray[np.bool_]:
    """Return whether the third robot is to the left of the way to the second, shape (k,)."""
    (_, _), (x, y), (to_x, to_y) = np.moveaxis(poses[..., :2], 0, -1)
    return np.asarray(x * to_y - y * to_x > 0.0)
