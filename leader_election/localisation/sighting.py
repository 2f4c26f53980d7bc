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

from collections.abc import Mapping, Sequence
import math
from typing import NamedTuple

from leader_election.localisation.parameters import GREATEST_ID, LocalisationParameters
from leader_election.localisation.poses import between, PlanePose, wrap
from leader_election.parameters import files, ParameterError

FARTHEST = 1e4
"""The greatest range that counts as a measurement [m]."""
FARTHEST_LANDMARK = 1e9
"""The greatest coordinate of a landmark [m]."""
LEAST_DEVIATION = 1e-3
"""The least credible deviations of measurements and poses [m, rad]."""
PAIRS, TRIPLES = ('id', 'range'), ('id', 'range', 'bearing')
"""The columns of rows without a label."""
STAMP = 'stamp'
COLUMNS = (*TRIPLES, 'range_deviation', 'bearing_deviation', STAMP)
"""The columns that rows of sightings may have."""
LANDMARK_IDS = ('id', 'subject')
"""The names of the column of ids; in the data of MRCLAM, landmarks are subjects."""
Landmarks = Mapping[int, tuple[float, float, float]]
"""
Objects at known places that robots sight: x, y, z in the shared frame by id [m].

A height z of nan is not known, and taken for that of the sensor.
"""
Places = Mapping[int, tuple[float, float]]
"""The places of landmarks in the plane by id [m]."""


class Sighting(NamedTuple):
    """A measurement of a robot or landmark by its id, from the pose of the observer."""

    id: int  # noqa: A003
    range: float  # noqa: A003
    """The distance [m], nan if not measured."""
    bearing: float = math.nan
    """The direction from the observer's heading, left positive [rad], nan if not measured."""
    range_deviation: float = math.nan
    """The standard deviation of the range [m], nan for that of the parameters."""
    bearing_deviation: float = math.nan
    """The standard deviation of the bearing [rad], nan for that of the parameters."""
    age: float = 0.0
    """The time since the measurement [s]."""


def checked(sighting: Sighting) -> Sighting | None:
    """
    Return a sighting with its bearing in [-pi, pi), ``None`` for an invalid one.

    A range of zero is invalid: many drivers publish it without a measurement. A deviation that
    is no positive number counts as unknown.

    >>> checked(Sighting(3, 2.0, 4.0, 0.0, 0.02))[1:5]
    (2.0, -2.2831853071795862, nan, 0.02)
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
    return Sighting(
        sighting.id, distance, bearing if math.isnan(bearing) else wrap(bearing),
        _deviation(sighting.range_deviation), _deviation(sighting.bearing_deviation),
        sighting.age)


def _deviation(value: float) -> float:
    return max(value, LEAST_DEVIATION) if 0.0 < value < math.inf else math.nan


def seen_from(sighting: Sighting, before: PlanePose, after: PlanePose) -> Sighting:
    """
    Return a sighting transformed by a motion of the observer.

    Without both range and bearing only the turn is applied, to the bearing.

    :param before: the observer's pose at the sighting, by its odometry.
    :param after: its pose later.

    >>> seen_from(Sighting(3, 2.0, 0.0), (0.0, 0.0, 0.0), (1.0, 0.0, 0.0))[:3]
    (3, 1.0, 0.0)
    """
    distance, bearing = sighting.range, sighting.bearing
    if math.isnan(bearing):
        return sighting
    x, y, turn = between(before, after)
    if math.isnan(distance):
        return sighting._replace(bearing=wrap(bearing - turn))
    x, y = distance * math.cos(bearing) - x, distance * math.sin(bearing) - y
    return sighting._replace(range=math.hypot(x, y), bearing=wrap(math.atan2(y, x) - turn))


def levelled(sighting: Sighting, above: float, parameters: LocalisationParameters) -> Sighting:
    """
    Return a sighting in the plane: a range without a bearing is the distance in space.

    :param above: the height of the sighted object over the sensor [m], nan if not known.
    :return: the sighting with its horizontal range, nan for one shorter than the height.

    >>> flat = levelled(Sighting(3, 5.0, range_deviation=0.1), -3.0, LocalisationParameters())
    >>> flat.range, flat.range_deviation
    (4.0, 0.125)
    """
    distance = sighting.range
    if not above or math.isnan(above) or math.isnan(distance) or not math.isnan(sighting.bearing):
        return sighting
    if distance <= abs(above):
        return sighting._replace(range=math.nan)
    flat = math.sqrt(distance ** 2 - above ** 2)
    deviation = sighting.range_deviation
    if math.isnan(deviation):
        deviation = math.sqrt(range_variance(distance, parameters))
    return sighting._replace(range=flat, range_deviation=deviation * distance / flat)


def rows_of(numbers: Sequence[float], columns: Sequence[str] = PAIRS,
            clock: float = math.nan) -> list[Sighting]:
    """
    Return the sightings in a flat sequence of rows.

    :param numbers: of the rows. An incomplete last row is left out.
    :param columns: their columns, of :data:`COLUMNS`, id and range among them.
    :param clock: the time on the clock of the column ``stamp`` [s], nan if unknown.
    :return: with id -1 in place of an id that is not whole, or too large to be exact.

    >>> [sighting[:3] for sighting in rows_of([3.0, 1.5, 1e308, 2.5])]
    [(3, 1.5, nan), (-1, 2.5, nan)]
    >>> rows_of([3.0, 1.5, 99.5], ('id', 'range', 'stamp'), 100.0)[0].age
    0.5
    """
    width = len(columns)
    found = []
    for k in range(0, len(numbers) - width + 1, width):
        row = dict(zip(columns, numbers[k:k + width]))
        age = clock - row.pop(STAMP, math.nan)
        found.append(Sighting(_id(row.pop('id')), **row, age=0.0 if math.isnan(age) else age))
    return found


def _id(number: float) -> int:
    return int(number) if abs(number) <= GREATEST_ID and float(number).is_integer() else -1


def range_variance(distance: float, parameters: LocalisationParameters) -> float:
    """Return the variance of a measured range [m²], for the expected one [m]."""
    return parameters.range_noise ** 2 + (parameters.range_noise_scale * distance) ** 2


def read_landmarks(path: str) -> Landmarks:
    """
    Read the places of landmarks in the shared frame.

    :param path: of a CSV file with the columns id (or subject), x, y, if known z [m], empty for
        no landmarks.
    :return: places by id.
    :raises ParameterError: for a file that is missing or wrong.
    """
    if not path:
        return {}
    landmarks: dict[int, tuple[float, float, float]] = {}
    try:
        for line, row in files.rows_of(
                files.read_text(path), (*LANDMARK_IDS, *'xyz'), may_lack=(*LANDMARK_IDS, 'z')):
            landmark, place = _landmark(row, line)
            if landmark in landmarks:
                raise ValueError(f'line {line}: id {landmark} is there twice')
            landmarks[landmark] = place
        if not landmarks:
            raise ValueError('line 2: no rows')
    except ValueError as error:
        raise ParameterError('landmarks', problem=f': {path}: {error}') from None
    return landmarks


def _landmark(row: Mapping[str, str], line: int) -> tuple[int, tuple[float, float, float]]:
    found = next((row[name] for name in LANDMARK_IDS if name in row), None)
    if found is None:
        raise ValueError('line 1: it takes the columns id, x, y')
    try:
        x, y = (files.number(row.get(name, '')) for name in 'xy')
        z = files.number(row['z']) if row.get('z') else math.nan
        if not max(abs(x), abs(y)) <= FARTHEST_LANDMARK or abs(z) > FARTHEST:
            height = '' if math.isnan(z) else f', {z:g}'
            raise ValueError(f'{x:g}, {y:g}{height} is no place')
        return files.whole(found, GREATEST_ID), (x, y, z)
    except ValueError as error:
        raise ValueError(f'line {line}: {error}') from None
