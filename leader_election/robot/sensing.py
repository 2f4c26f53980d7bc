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

"""What a robot senses: odometry, measurements of neighbours, readings, and link distances."""

from collections import Counter
from collections.abc import Sequence
import math
from typing import Any

from leader_election.robot.codec import is_place, Message, MOST_READINGS, Position
from leader_election.robot.mailbox import Mailbox
from leader_election.robot.metrics import (
    distance,
    METRICS,
    RangingInput,
    ReadingInput,
    ReceivedReading,
)
from leader_election.robot.parameters import ElectionParameters, own_parameters
from leader_election.robot.pose import from_parameter, heading, Pose, position

ODOMETRY_REJECTED = 'odometry_rejected'
MEASUREMENTS_REJECTED = 'measurements_rejected'
READINGS_REJECTED = 'readings_rejected'
METRIC_ERRORS = 'metric_errors'


class Sensing:
    """
    The own position, and the distances to neighbours by the metric.

    Times are seconds on a clock of the caller's that never goes back.
    """

    def __init__(self, parameters: ElectionParameters, mailbox: Mailbox,
                 counts: Counter[str]) -> None:
        """
        Start without odometry, measurements and readings.

        :param mailbox: the last messages of the neighbours.
        :param counts: the robot's counters, in which rejected input is counted.
        """
        self.parameters = parameters
        self.metric = METRICS.get(parameters.metric)
        self.initial_pose = from_parameter(parameters.initial_pose)
        """The pose of odometry's frame in the shared frame."""
        self.position: Position | None = None
        """The own position [m] when :meth:`locate` was last called; ``None``: unknown."""
        self.reading: tuple[float, ...] = ()
        """The reading that the robot's messages carry for its metric; empty: none."""
        self._mailbox = mailbox
        self._counts = counts
        self._yaw: float | None = None
        self._odometry: tuple[Position, float] | None = None
        self._measurements: dict[int, tuple[float, float]] = {}
        self._sensed: tuple[float, float] | None = None
        self._last_distance: dict[int, tuple[Message, float | None]] = {}

    @property
    def positions_matter(self) -> bool:
        """Whether robots without a position are of no use to each other."""
        return (self.metric.needs_positions
                or math.isfinite(self.parameters.communication_range))

    @property
    def link_range(self) -> float:
        """The greatest distance of a neighbour by the metric [m]; infinite: not known."""
        return self.parameters.communication_range if self.metric.is_length else math.inf

    # Input.

    def take_odometry(self, point: Sequence[float], now: float, origin: Pose | None = None,
                      yaw: float | None = None) -> None:
        """
        Take in a position from odometry; one that is not finite or too large is counted.

        :param point: x, y, z in odometry's frame [m].
        :param now: the time [s].
        :param origin: the pose of odometry's frame in the shared one; by default ``initial_pose``.
        :param yaw: the heading in odometry's frame [rad], which tasks use; ``None``: unknown.
        """
        begin = self.initial_pose if origin is None else origin
        place = position(begin, point)
        if not is_place(place):
            self._counts[ODOMETRY_REJECTED] += 1
        else:
            self._odometry = (place, now)
            self._yaw = None if yaw is None else yaw + heading(begin)

    def take_measurements(self, rows: Sequence[float], now: float) -> None:
        """
        Take in measurements of neighbours: ranges [m] or signal strengths [dBm].

        :param rows: id, value, id, value, ... Invalid ids and values that are not finite are
            counted.
        :param now: the time [s].
        """
        self._counts[MEASUREMENTS_REJECTED] += len(rows) % 2
        for neighbour, value in zip(rows[::2], rows[1::2]):
            if math.isfinite(value) and float(neighbour).is_integer() and neighbour >= 0.0:
                self._measurements[int(neighbour)] = (value, now)
            else:
                self._counts[MEASUREMENTS_REJECTED] += 1

    def take_sensed(self, value: float, now: float) -> None:
        """Take in a sensed value for the metric; one that is not finite is counted."""
        if math.isfinite(value):
            self._sensed = (value, now)
        else:
            self._counts[READINGS_REJECTED] += 1

    def take_message(self, message: Any, now: float) -> None:
        """Take in a message of the metric's topic."""
        try:
            self.take_sensed(float(self.metric.extract(message)), now)
        except Exception:  # A user's function may raise anything; the robot goes on.
            self._counts[METRIC_ERRORS] += 1

    # The own position.

    def locate(self, now: float) -> Position | None:
        """Return the own position now [m], ``None`` where odometry is missing or too old."""
        self.position = None
        if self._odometry is not None:
            place, received = self._odometry
            if now - received <= self.parameters.odometry_expiry:
                self.position = place
        return self.position

    def pose(self, now: float) -> tuple[float, float, float] | None:
        """Return x, y, yaw in the shared frame [m, rad], ``None`` where they are not known."""
        place = self.locate(now)
        return None if place is None or self._yaw is None else (*place, self._yaw)

    def odometry_age(self, now: float) -> float | None:
        """Return the age of the last odometry [s], ``None`` where none was received."""
        return None if self._odometry is None else now - self._odometry[1]

    # Neighbours.

    def in_range(self, message: Message) -> bool:
        """Return whether the sender is within ``communication_range`` of the own position."""
        if math.isinf(self.parameters.communication_range):
            return True
        return (self.position is not None and message.position is not None
                and math.dist(self.position, message.position)
                <= self.parameters.communication_range)

    def refresh(self, now: float) -> None:
        """Drop expired measurements and make the own reading; once before distances are taken."""
        for neighbour in [i for i in self._last_distance if self._mailbox.last(i) is None]:
            del self._last_distance[neighbour]
        for neighbour, (_, taken) in list(self._measurements.items()):
            if now - taken > self.parameters.measurement_expiry:
                del self._measurements[neighbour]
        self._make_reading(now)

    def distance_to(self, message: Message, now: float) -> float | None:
        """Return the distance to the sender by the metric, ``None`` where it is not known."""
        last, previous = self._last_distance.get(message.id, (None, None))
        if self.metric.once_a_message and last is message:
            return previous
        ranging = RangingInput(
            own=self.position, neighbour=message.position,
            measurement=self._measurements.get(message.id, (None, now))[0],
            parameters=own_parameters(self.metric, self.parameters),
            own_reading=self.reading, neighbour_reading=message.reading,
            id=self.parameters.robot_id, received=now - self._mailbox.age(message.id, now),
            previous=previous)
        try:
            found = distance(self.metric, ranging, self.parameters.metric_floor)
        except Exception:  # A user's function may raise anything; the robot goes on.
            self._counts[METRIC_ERRORS] += 1
            found = None
        if self.metric.once_a_message:
            self._last_distance[message.id] = (message, found)
        return found

    def _make_reading(self, now: float) -> None:
        """Make the reading that the robot's messages carry for its metric."""
        self.reading = ()
        if not self.metric.sends:
            return
        sensed = None
        if self._sensed is not None:
            value, taken = self._sensed
            if now - taken <= self.parameters.measurement_expiry:
                sensed = value
        known = ReadingInput(
            now, sensed,
            [ReceivedReading(message.id, message.reading, now - self._mailbox.age(message.id, now))
             for message in self._mailbox.messages(now)] if self.metric.reading else [],
            own_parameters(self.metric, self.parameters))
        try:
            reading = self.metric.own_reading(known)
            if len(reading) > MOST_READINGS or not all(map(math.isfinite, reading)):
                raise ValueError('a reading has at most 64 numbers, all of them finite')
            self.reading = reading
        except Exception:  # A user's function may raise anything; the robot goes on.
            self._counts[METRIC_ERRORS] += 1
