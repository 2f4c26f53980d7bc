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
Sightings: measurements of another robot, or of a landmark, by a robot's sensor.

There is no standard message of an id with range and bearing. Functions ``of_...`` each read the
fields of one type of drivers' messages, without depending on a message package.
"""

from collections.abc import Iterable, Mapping, Sequence
import math
import re
from typing import Any, NamedTuple

from leader_election.localisation.parameters import GREATEST_ID, LocalisationParameters, NUMBER
from leader_election.localisation.poses import between, from_parameter, PlanePose, wrap
from leader_election.parameters import files, frame_name, ParameterError
import numpy as np

FARTHEST = 1e4
"""The greatest range that counts as a measurement [m]."""
FARTHEST_ANTENNA = 100.0
"""The greatest coordinate of an antenna on its robot [m]."""
FARTHEST_LANDMARK = 1e9
"""The greatest coordinate of a landmark [m]."""
LEAST_DEVIATION = 1e-3
"""The least credible deviations of measurements and poses [m, rad]."""
PAIRS, TRIPLES = ('id', 'range'), ('id', 'range', 'bearing')
"""The columns of rows without a label."""
STAMP = 'stamp'
ANTENNAS = ('here_x', 'here_y', 'there_x', 'there_y')
COLUMNS = (*TRIPLES, 'range_deviation', 'bearing_deviation', STAMP, *ANTENNAS)
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


MIDDLE = (0.0, 0.0)
"""The place of the only antenna of a robot, in the robot's frame [m]."""


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
    here: tuple[float, float] = MIDDLE
    """
    The place of the antenna on the observer, in the observer's frame: x, y [m]. It is not sent:
    one sighting takes the place of those of all antennas.
    """
    there: tuple[float, float] = MIDDLE
    """The place of the antenna on the robot seen, in that robot's frame: x, y [m]."""


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
    if not all(abs(each) <= FARTHEST_ANTENNA for each in (*sighting.here, *sighting.there)):
        return None
    return sighting._replace(
        bearing=bearing if math.isnan(bearing) else wrap(bearing),
        range_deviation=_deviation(sighting.range_deviation),
        bearing_deviation=_deviation(sighting.bearing_deviation))


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
        here_x, here_y, there_x, there_y = (row.pop(name, 0.0) for name in ANTENNAS)
        found.append(Sighting(
            _id(row.pop('id')), **row, age=0.0 if math.isnan(age) else age,
            here=(here_x, here_y), there=(there_x, there_y)))
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


NO_CLOCK = math.nan


class Extraction(NamedTuple):
    """The sightings of neighbours and landmarks in a message."""

    sightings: list[Sighting]
    rejected: int = 0
    passed_over: tuple[str, ...] = ()
    """The names that belong to no robot or landmark."""


class SensorMount:
    """
    The place of a sensor on its robot, and the names of its detections.

    :param parameters: with ``sensor_pose``, ``sensor_frame`` and ``tag_names``.
    """

    def __init__(self, parameters: LocalisationParameters) -> None:
        self._pose = from_parameter(parameters.sensor_pose)
        self._frame = parameters.sensor_frame
        self._names = re.compile('|'.join(
            r'(\d{1,18})'.join(map(re.escape, pattern.split(NUMBER)))
            for pattern in (*parameters.name_patterns, NUMBER)))

    def id_of(self, name: str) -> int | None:
        """
        Return the id in a name, ``None`` for a name of no robot or landmark.

        >>> table = LocalisationParameters(tag_names='robot_{id}_front, robot_{id}_back')
        >>> mount = SensorMount(table)
        >>> mount.id_of('robot_3_back'), mount.id_of('12'), mount.id_of('robot_3_arm')
        (3, 12, None)
        """
        found = self._names.fullmatch(name)
        digits = next((part for part in found.groups() if part), '') if found else ''
        return int(digits) if digits and int(digits) <= GREATEST_ID else None

    def is_own(self, frame: str) -> bool:
        """Return whether a header's frame is that of this sensor."""
        return not self._frame or frame_name(frame) == self._frame

    def sighting(self, robot: int, point: Sequence[float], covariance: Sequence[float] = (),
                 age: float = 0.0) -> Sighting | None:
        """
        Return the sighting of a point, projected to the plane.

        :param robot: the id of the robot or landmark.
        :param point: x, y, z in the frame of the sensor [m].
        :param covariance: of its pose, row by row, shape (36,), as in
            ``geometry_msgs/PoseWithCovariance``; zeros or none: not known.
        :param age: of the measurement [s].
        :return: ``None`` for a point that is not finite, and for the sensor's own place, which
            drivers publish without a measured place.

        >>> ahead = (0.2, 0.0, 0.3, -math.pi / 2, 0.0, -math.pi / 2)
        >>> optical = LocalisationParameters(sensor_pose=ahead)
        >>> sighting = SensorMount(optical).sighting(3, (-1.0, 0.1, 0.8))
        >>> round(sighting.range, 3), round(sighting.bearing, 3)
        (1.414, 0.785)
        """
        if not all(map(math.isfinite, point)) or not any(point):
            return None
        x, y, _, _ = (self._pose @ np.array((*point, 1.0))).tolist()
        sighting = Sighting(robot, math.hypot(x, y), math.atan2(y, x), age=age)
        if len(covariance) != 36 or not any(covariance) or not sighting.range:
            return sighting
        turn = self._pose[:2, :3]
        plane = turn @ np.reshape(covariance, (6, 6))[:3, :3] @ turn.T
        cos, sin = x / sighting.range, y / sighting.range
        along, across = (float(axis @ plane @ axis) for axis in (
            np.array((cos, sin)), np.array((-sin, cos))))
        if not (along > 0.0 and across > 0.0):
            return sighting
        return sighting._replace(range_deviation=math.sqrt(along),
                                 bearing_deviation=math.sqrt(across) / sighting.range)


def columns_of(dimensions: Sequence[Any], numbers: int) -> tuple[str, ...] | None:
    """
    Return the columns of the rows of a message on topic ``measurements``, by its layout.

    :param dimensions: objects with label and size, as ``std_msgs/MultiArrayDimension``.
    :param numbers: the number of values in the message.
    :return: id and range without a second dimension, otherwise those in its label, id and range
        first, or bearing as the third without a label. ``None`` for a layout of another kind, or
        one that does not fit.
    """
    if len(dimensions) < 2:
        return PAIRS
    rows, columns = dimensions[:2]
    names = (tuple(columns.label.replace(' ', '').split(',')) if columns.label
             else TRIPLES[:columns.size])
    if (len(dimensions) > 2 or rows.size * columns.size != numbers or columns.size != len(names)
            or names[:2] != PAIRS or len(set(names)) < len(names) or set(names) - set(COLUMNS)):
        return None
    return names


def of_detections(message: Any, mount: SensorMount, clock: float = NO_CLOCK) -> Extraction:
    """
    Return the sightings in a ``vision_msgs/Detection3DArray``.

    The name of a detection is its id or, where that is empty, the class of its best hypothesis.
    Its place is that of this hypothesis, with its covariance, or, where that is not given, the
    middle of its box.

    :param clock: the time on the clock of stamps [s], nan if unknown, and stamps are not used.
    """
    if not mount.is_own(message.header.frame_id):
        return Extraction([])
    age = _age(message, clock)
    return _extraction(((_name_of(each), *_place_of(each), age)
                        for each in message.detections), mount)


def of_tags(message: Any, mount: SensorMount, clock: float = NO_CLOCK) -> Extraction:
    """
    Return the sightings in a ``tf2_msgs/TFMessage``: child frames name the tags.

    :param clock: as of :func:`of_detections`.
    """
    return _extraction((
        (frame_name(each.child_frame_id), each.transform.translation, (), _age(each, clock))
        for each in message.transforms if mount.is_own(each.header.frame_id)), mount)


def of_range(message: Any, robot: int, clock: float = NO_CLOCK) -> Extraction:
    """
    Return the sighting in a ``sensor_msgs/Range``.

    A range outside the limits, infinite or nan means that nothing was measured (REP 117).
    A greatest range of 0 is a limit that the driver did not set. A variance of 0 is unknown. ROS
    2 before Iron has none.

    :param robot: the measured neighbour, by the topic.
    :param clock: as of :func:`of_detections`.
    """
    highest = message.max_range if message.max_range > 0.0 else math.inf
    if not (math.isfinite(message.range) and message.min_range <= message.range <= highest):
        return Extraction([])
    variance = getattr(message, 'variance', 0.0)
    return Extraction([Sighting(
        robot, message.range, age=_age(message, clock),
        range_deviation=math.sqrt(variance) if variance > 0.0 else math.nan)])


def _age(stamped: Any, clock: float) -> float:
    """Return the age of a message by its header [s], 0 without a stamp."""
    stamp = stamped.header.stamp
    age = clock - (stamp.sec + 1e-9 * stamp.nanosec)
    return 0.0 if math.isnan(age) or not (stamp.sec or stamp.nanosec) else age


def _extraction(found: Iterable[tuple[str, Any, Sequence[float], float]],
                mount: SensorMount) -> Extraction:
    """Return the sightings of places with covariance and age by name."""
    sightings, rejected, passed_over = [], 0, []
    for name, place, covariance, age in found:
        robot = mount.id_of(name)
        if robot is None:
            passed_over.append(name)
            continue
        sighting = mount.sighting(robot, (place.x, place.y, place.z), covariance, age)
        if sighting is None:
            rejected += 1
        else:
            sightings.append(sighting)
    return Extraction(sightings, rejected, tuple(passed_over))


def _best(detection: Any) -> Any:
    return max(detection.results, key=lambda result: result.hypothesis.score, default=None)


def _name_of(detection: Any) -> str:
    best = _best(detection)
    return str(detection.id or (best.hypothesis.class_id if best is not None else ''))


def _place_of(detection: Any) -> tuple[Any, Sequence[float]]:
    """Return the place of a detection in the frame of the sensor [m], and the covariance."""
    best = _best(detection)
    if best is not None:
        place = best.pose.pose.position
        if any((place.x, place.y, place.z)):
            return place, best.pose.covariance
    return detection.bbox.center.position, ()
