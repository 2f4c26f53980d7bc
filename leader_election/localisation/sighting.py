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

"""Sightings: measurements of another robot, or of a landmark, by a robot's sensor."""

from collections.abc import Sequence
import math
from typing import NamedTuple

from leader_election.localisation.plane import between, PlanePose, wrap

FARTHEST = 1e4
"""The greatest range that counts as a measurement [m]."""


class Sighting(NamedTuple):
    """A measurement of a robot or landmark by its id, from the pose of the observer."""

    id: int  # noqa: A003
    range: float  # noqa: A003
    """The distance [m]; nan: not measured."""
    bearing: float = math.nan
    """The direction from the observer's heading, left positive [rad]; nan: not measured."""


def checked(sighting: Sighting) -> Sighting | None:
    """
    Return a sighting with its bearing in [-pi, pi), ``None`` for an invalid one.

    A range of zero is invalid: many drivers publish it without a measurement.

    >>> checked(Sighting(3, 2.0, math.nan))
    Sighting(id=3, range=2.0, bearing=nan)
    >>> checked(Sighting(3, 0.0, 1.0)), checked(Sighting(3, math.nan, math.nan))
    (None, None)
    """
    distance, bearing = sighting.range, sighting.bearing
    if not (math.isnan(distance) or 0.0 < distance <= FARTHEST):
        return None
    if not (math.isnan(bearing) or abs(bearing) <= 2.0 * math.pi):
        return None
    if math.isnan(distance) and math.isnan(bearing):
        return None
    return sighting if math.isnan(bearing) else Sighting(sighting.id, distance, wrap(bearing))


def seen_from(sighting: Sighting, before: PlanePose, after: PlanePose) -> Sighting:
    """
    Return a sighting transformed by a motion of the observer.

    Without both range and bearing only the turn is applied, to the bearing.

    :param before: the observer's pose at the sighting, by its odometry.
    :param after: its pose later.

    >>> seen_from(Sighting(3, 2.0, 0.0), (0.0, 0.0, 0.0), (1.0, 0.0, 0.0))
    Sighting(id=3, range=1.0, bearing=0.0)
    """
    distance, bearing = sighting.range, sighting.bearing
    if math.isnan(bearing):
        return sighting
    x, y, turn = between(before, after)
    if math.isnan(distance):
        return sighting._replace(bearing=wrap(bearing - turn))
    x, y = distance * math.cos(bearing) - x, distance * math.sin(bearing) - y
    return sighting._replace(range=math.hypot(x, y), bearing=wrap(math.atan2(y, x) - turn))


def rows_of(numbers: Sequence[float], width: int) -> list[Sighting]:
    """
    Return the sightings in a flat sequence of rows.

    :param numbers: rows of id, range, or of id, range, bearing; an incomplete last row is left
        out.
    :param width: the length of a row, 2 or 3.
    :return: with id -1 for an id that is not whole.

    >>> rows_of([3.0, 1.5, 7.0, 2.5], 2)
    [Sighting(id=3, range=1.5, bearing=nan), Sighting(id=7, range=2.5, bearing=nan)]
    """
    return [
        Sighting(_id(numbers[k]), float(numbers[k + 1]),
                 float(numbers[k + 2]) if width == 3 else math.nan)
        for k in range(0, len(numbers) - width + 1, width)]


def _id(number: float) -> int:
    return int(number) if math.isfinite(number) and float(number).is_integer() else -1
