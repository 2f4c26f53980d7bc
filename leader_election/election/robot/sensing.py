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

"""Sensing: odometry, measurements of neighbours, readings, and the distances of links."""

from collections import Counter, deque
from collections.abc import Mapping, Sequence
import math
from statistics import median
from typing import Any, NamedTuple

from leader_election.election.messages.codec import is_place, Message, MOST_READINGS, Position
from leader_election.election.robot.mailbox import Mailbox, ReceivedMessage, smoothed_velocity
from leader_election.election.robot.metrics import (
    distance,
    METRIC_FLOOR,
    METRICS,
    RangingInput,
    ReadingInput,
    ReceivedReading,
)
from leader_election.election.robot.parameters import ElectionParameters, own_parameters
from leader_election.localisation.own_sightings import MEASUREMENTS_REJECTED
from leader_election.localisation.poses import from_parameter, heading, height, Pose, position
from leader_election.localisation.sighting import (
    Extraction,
    PAIRS,
    read_landmarks,
    rows_of,
    Sighting,
)
from leader_election.localisation.source import Estimate, make_source

RANGES = 5
REMEMBERED = 30.0
"""The time for which a difference counts: odometry drifts by some decimetres meanwhile [s]."""
LEAST = 1e-3
"""The least corrected distance [m]."""


class _Measured(NamedTuple):
    """One range."""

    time: float
    range: float  # noqa: A003
    """[m]."""
    difference: float
    """The range less the distance by odometry at that time [m], nan if unknown."""


class RangeSmoothing:
    """
    Smooths the ranges of each neighbour.

    >>> ranges = RangeSmoothing(expiry=3.0)
    >>> for time, measured in enumerate((2.5, 2.5, 9.0)):
    ...     ranges.take(7, measured, apart=2.0, now=float(time))
    >>> ranges.distance(7, apart=1.25, now=2.5)
    1.75
    """

    def __init__(self, expiry: float) -> None:
        """
        Start without ranges.

        :param expiry: the age of the last range beyond which a neighbour is not measured [s].
        """
        self.expiry = expiry
        self._measured: dict[int, deque[_Measured]] = {}

    def take(self, neighbour: int, measured: float, apart: float | None, now: float) -> None:
        """
        Process a range.

        :param measured: [m], positive.
        :param apart: the distance of both positions at that time [m], ``None`` if unknown.
        """
        self._measured.setdefault(neighbour, deque(maxlen=RANGES)).append(_Measured(
            now, measured, math.nan if apart is None else measured - apart))

    def distance(self, neighbour: int, apart: float | None, now: float) -> float | None:
        """
        Return the distance to a neighbour [m], ``None`` if it was not measured lately.

        :param apart: the distance of both positions now [m], ``None`` if unknown.
        """
        measured = self._measured.get(neighbour)
        if not measured or now - measured[-1].time > self.expiry:
            return None
        if apart is not None:
            differences = [each.difference for each in measured
                           if now - each.time <= REMEMBERED and not math.isnan(each.difference)]
            if differences:
                return max(apart + median(differences), LEAST)
        return median(each.range for each in measured if now - each.time <= self.expiry)

    def forget(self, now: float) -> None:
        """Drop neighbours whose ranges are too old."""
        longest = max(REMEMBERED, self.expiry)
        self._measured = {neighbour: measured for neighbour, measured in self._measured.items()
                          if now - measured[-1].time <= longest}


ODOMETRY_REJECTED = 'odometry_rejected'
READINGS_REJECTED = 'readings_rejected'
METRIC_ERRORS = 'metric_errors'
TOO_UNCERTAIN = 0.5
"""The deviation of distances from which on they say little of who is within the radius [radii]."""
SENSING_COUNTERS = (ODOMETRY_REJECTED, READINGS_REJECTED, METRIC_ERRORS)
"""The names of the counters of sensor inputs, beside those of the pose source."""


class Sensing:
    """
    Keeps the own position, and the distances to neighbours by the metric.

    Times are seconds on the caller's clock, which never goes back.
    """

    def __init__(self, parameters: ElectionParameters, mailbox: Mailbox,
                 counts: Counter[str]) -> None:
        """
        Start without odometry, measurements and readings.

        :param mailbox: the last messages of the neighbours.
        :param counts: the robot's counters, in which rejected input is counted.
        """
        self.metric = METRICS.get(parameters.metric)
        self.initial_pose = from_parameter(parameters.initial_pose)
        """The pose of odometry's frame in the shared frame."""
        self.position: Position | None = None
        """The own position [m] when :meth:`locate` was last called, ``None`` if unknown."""
        self.reading: tuple[float, ...] = ()
        """The reading that the robot's messages carry for its metric, empty for none."""
        self._sends = self.metric.sends
        self.source = make_source(
            parameters.robot_id, parameters, expiry=parameters.message_expiry,
            top_speed=parameters.top_speed, counts=counts,
            landmarks=read_landmarks(parameters.landmarks))
        """The own pose, and the distances of neighbours."""
        self._ranges = RangeSmoothing(parameters.input_expiry)
        self.configure(parameters)
        self._mailbox = mailbox
        self._counts = counts
        self.velocity = (0.0, 0.0)
        """The own velocity by the positions of rounds, smoothed over a period [m/s]."""
        self._last_place: tuple[Position, float] | None = None
        self._odometry_received: float | None = None
        self.has_no_heading = False
        """Whether the last odometry was refused because it has no orientation."""
        self._measurements: dict[int, tuple[float, float]] = {}
        self._sensed: tuple[float, float] | None = None
        self._last_distance: dict[int, tuple[Message, float | None]] = {}
        self._heard: dict[int, Message] = {}

    def configure(self, parameters: ElectionParameters) -> None:
        """Apply changed parameters."""
        self.parameters = self.source.parameters = parameters
        self.source.expiry, self.source.top_speed = parameters.message_expiry, parameters.top_speed
        self._ranges.expiry = parameters.input_expiry
        self._metric_parameters = own_parameters(self.metric, parameters)
        within = parameters.communication_range
        self.link_range = within if self.metric.is_length else math.inf
        """The greatest distance of a neighbour by the metric [m], infinite if unknown."""
        self.positions_matter = self.metric.needs_positions or (
            math.isfinite(within) and not self.metric.measures_ranges)
        """Whether robots without a position are of no use to each other."""
        limit = parameters.max_deviation
        if not limit and self.source.cooperates and self.metric.is_length:
            limit = TOO_UNCERTAIN * parameters.radius
        self.source.limit = limit if limit and self.positions_matter else math.inf

    # Input.

    def take_odometry(self, point: Sequence[float], now: float, origin: Pose | None = None,
                      yaw: float | None = None) -> bool:
        """
        Process a position from odometry. One that is not finite or too large is counted.

        :param point: x, y, z in odometry's frame [m].
        :param now: the time [s].
        :param origin: the pose of odometry's frame in the shared one, by default ``initial_pose``.
        :param yaw: the heading in odometry's frame [rad], which tasks use, ``None`` if unknown.
        :return: whether the position was accepted.
        """
        begin = self.initial_pose if origin is None else origin
        place = position(begin, point)
        self.has_no_heading = self.source.cooperates and yaw is None
        if not is_place(place) or self.has_no_heading:
            self._counts[ODOMETRY_REJECTED] += 1
            return False
        self._odometry_received = now
        self.source.height = height(begin, point) + self.parameters.sensor_pose[2]
        self.source.take_odometry(
            place, None if yaw is None else yaw + heading(begin), now, origin is not None)
        return True

    def take_measurements(self, rows: Sequence[float], now: float,
                          columns: Sequence[str] = PAIRS, clock: float = math.nan) -> None:
        """
        Process measurements of neighbours: ranges [m], and bearings [rad].

        :param rows: id, value, id, value, ... Invalid ids and values that are not finite are
            counted, nan if not measured.
        :param now: the time [s].
        :param columns: of a row (:data:`leader_election.localisation.sighting.COLUMNS`).
        :param clock: the time on the clock of stamps [s].
        """
        self._counts[MEASUREMENTS_REJECTED] += len(rows) % len(columns) != 0
        self.take_sightings(rows_of(rows, columns, clock), now)

    def take_sightings(self, sightings: Sequence[Sighting], now: float) -> None:
        """
        Process ranges and bearings of neighbours and landmarks.

        :param sightings: invalid ones are counted, including those of this robot itself.
        :param now: the time [s].
        """
        self._take_ranges(self.source.take_sightings(sightings, now), now)

    def take_extraction(self, extraction: Extraction, now: float) -> None:
        """Process the sightings extracted from a driver's message."""
        self._take_ranges(self.source.take_extraction(extraction, now), now)

    def _take_ranges(self, sightings: Sequence[Sighting], now: float) -> None:
        """Use the ranges of valid sightings for the metric."""
        for neighbour, value, *_ in sightings:
            if not math.isfinite(value):
                continue
            self._measurements[neighbour] = (value, now)
            if self.metric.measures_ranges:
                self.locate(now)
                entry = self._mailbox.entry(neighbour)
                apart = None if entry is None else self._apart(self.place_of(entry.message))
                self._ranges.take(neighbour, value, apart, now)

    def hear(self, message: Message, now: float) -> None:
        """Process the localisation part of a neighbour's message."""
        estimate = message.parts.get('localisation')
        if self.source.cooperates:
            self.source.hear(message.id, message.position, estimate, now)
            if self.source.place_of(message.id) is not None:
                self._heard[message.id] = message
        if estimate is None or not self.metric.measures_ranges:
            return
        for sighting in estimate.sightings:
            if sighting.id == self.parameters.robot_id and math.isfinite(sighting.range):
                self._ranges.take(message.id, sighting.range,
                                  self._apart(self.place_of(message)), now)

    def begin_round(self, now: float) -> bool:
        """
        Use the sightings since the last round, and update position and velocity.

        :return: whether distances may have changed.
        """
        before = self.position, self.velocity
        self.source.begin_round(now)
        self._heard = {robot: message for robot, message in self._heard.items()
                       if self.source.place_of(robot) is not None}
        self.locate(now)
        self._update_velocity(now)
        return self.source.cooperates or self.position != before[0] or (
            self.metric.cost is None and self.velocity != before[1])

    def _update_velocity(self, now: float) -> None:
        """Compute the own velocity from the positions of the last round and now."""
        last, self._last_place = self._last_place, None
        if self.position is None:
            self.velocity = 0.0, 0.0
            return
        self._last_place = self.position, now
        if last is not None and now > last[1]:
            self.velocity = smoothed_velocity(
                self.velocity, last[0], self.position, now - last[1],
                self.parameters.round_period)

    def take_sensed(self, value: float, now: float) -> None:
        """Process a sensed value for the metric. One that is not finite is counted."""
        if math.isfinite(value):
            self._sensed = (value, now)
        else:
            self._counts[READINGS_REJECTED] += 1

    def take_message(self, message: Any, now: float) -> None:
        """Process a message of the metric's topic."""
        try:
            self.take_sensed(float(self.metric.extract(message)), now)
        except Exception:  # A user's function may raise anything; the robot goes on.
            self._counts[METRIC_ERRORS] += 1

    # The own position.

    def locate(self, now: float) -> Position | None:
        """Return the own position now [m], ``None`` if odometry is missing or too old."""
        received = self._odometry_received
        is_fresh = received is not None and now - received <= self.parameters.odometry_expiry
        self.position = self.source.place if is_fresh else None
        return self.position

    def pose(self, now: float) -> tuple[float, float, float] | None:
        """Return x, y, yaw in the shared frame [m, rad], ``None`` if they are not known."""
        place, yaw = self.locate(now), self.source.heading
        return None if place is None or yaw is None else (*place, yaw)

    def sent(self) -> Mapping[str, Estimate]:
        """Return the part of the robot's messages, by its name, empty if the pose is unknown."""
        estimate = None if self.position is None else self.source.estimate
        return {} if estimate is None else {'localisation': estimate}

    def odometry_age(self, now: float) -> float | None:
        """Return the age of the last odometry [s], ``None`` if none was received."""
        return None if self._odometry_received is None else now - self._odometry_received

    # Neighbours.

    def place_of(self, message: Message) -> Position | None:
        """
        Return the position of the sender [m], ``None`` if it is not known.

        An estimate of the own filter is preferred to the position in the message: the frames of
        two filters differ.
        """
        if not self.source.cooperates:
            return message.position
        estimated = self.source.place_of(message.id)
        return message.position if estimated is None else estimated

    def reaches(self, neighbour: int, place: Position | None, now: float) -> bool:
        """
        Return whether a neighbour at a place is within ``communication_range``.

        By measured ranges if the metric uses them. A neighbour without a range may be in range.
        """
        if math.isinf(self.parameters.communication_range):
            return True
        apart = self._apart(place)
        if self.metric.measures_ranges:
            measured = self._ranges.distance(neighbour, apart, now)
            return measured is None or measured <= self.parameters.communication_range
        return apart is not None and apart <= self.parameters.communication_range

    def _apart(self, place: Position | None) -> float | None:
        """Return the distance of a place from the own position [m], ``None`` if not known."""
        if self.position is None or place is None:
            return None
        return math.dist(self.position, place)

    def localised(self, now: float) -> list[tuple[Message, float, float]]:
        """Return the last messages of localised robots, their distances, and deviations [m]."""
        return [(self._heard[robot], distance, deviation)
                for robot, distance, deviation in self.source.distances(now)
                if robot in self._heard]

    def refresh(self, now: float) -> None:
        """Drop expired measurements and make the own reading, once before all distances."""
        for neighbour in [i for i in self._last_distance if self._mailbox.entry(i) is None]:
            del self._last_distance[neighbour]
        for neighbour, (_, taken) in list(self._measurements.items()):
            if now - taken > self.parameters.input_expiry:
                del self._measurements[neighbour]
        if self.metric.measures_ranges:
            self._ranges.forget(now)
        if self._sends:
            self._make_reading(now)

    def distance_to(self, entry: ReceivedMessage, now: float) -> float | None:
        """
        Return the distance to the sender by the metric, ``None`` if it is not known.

        :param entry: its last message.
        """
        message = entry.message
        last, previous = self._last_distance.get(message.id, (None, None))
        if self.metric.once_a_message and last is message:
            return previous
        place = self.place_of(message)
        if self.metric.measures_ranges:
            measurement = self._ranges.distance(message.id, self._apart(place), now)
        else:
            measurement = self._measurements.get(message.id, (None, now))[0]
        ranging = RangingInput(
            own=self.position, neighbour=place, measurement=measurement,
            parameters=self._metric_parameters,
            own_reading=self.reading, neighbour_reading=message.reading,
            id=self.parameters.robot_id, received=entry.received, previous=previous,
            velocity=(entry.velocity[0] - self.velocity[0], entry.velocity[1] - self.velocity[1]))
        try:
            found = distance(self.metric, ranging, METRIC_FLOOR)
        except Exception:  # A user's function may raise anything; the robot goes on.
            self._counts[METRIC_ERRORS] += 1
            found = None
        if self.metric.once_a_message:
            self._last_distance[message.id] = (message, found)
        return found

    def _make_reading(self, now: float) -> None:
        """Make the reading for the metric in the robot's messages."""
        self.reading = ()
        sensed = None
        if self._sensed is not None:
            value, taken = self._sensed
            if now - taken <= self.parameters.input_expiry:
                sensed = value
        known = ReadingInput(
            now, sensed,
            [ReceivedReading(entry.message.id, entry.message.reading, entry.received)
             for entry in self._mailbox.valid(now)] if self.metric.reading else [],
            self._metric_parameters)
        try:
            reading = self.metric.own_reading(known)
            if len(reading) > MOST_READINGS or not all(map(math.isfinite, reading)):
                raise ValueError('a reading has at most 64 numbers, all of them finite')
            self.reading = reading
        except Exception:  # A user's function may raise anything; the robot goes on.
            self._counts[METRIC_ERRORS] += 1
