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
Metrics: the distance to a neighbour.

A metric is a number that adds up along a path: metres, hops, seconds, the difference of two
robots' sensor values. A metric that depends on the two positions and readings only is a plain
function of numbers, its *cost*. One that depends on the relative motion is another, its *course*.
Robots call both, and the laboratory compiles them. A metric that needs more, for example a range
sensor, is a function of all data about the link, its *measure*.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
import math
from typing import Any, NamedTuple

from leader_election.election.messages.codec import Position
from leader_election.parameters import NoParameters, parameter
from leader_election.parameters.registry import Registry


class RangingInput(NamedTuple):
    """The input of a metric's *measure*: data of the robot and of one neighbour."""

    own: Position | None
    """The robot's own position in the shared frame [m]."""
    neighbour: Position | None
    """The neighbour's position, as it reported it [m]."""
    measurement: float | None = None
    """
    The latest value for this neighbour on topic ``measurements``, while it is fresh, smoothed, if
    the metric measures ranges.
    """
    parameters: Any = NoParameters()
    own_reading: Sequence[float] = ()
    """The reading that this robot sends for the metric, empty if it has none."""
    neighbour_reading: Sequence[float] = ()
    """The reading in the neighbour's message, empty for none."""
    id: int = -1  # noqa: A003
    received: float = 0.0
    """When the neighbour's message was received, on the robot's own clock [s]."""
    previous: float | None = None
    """The distance measured by the neighbour's message before this one."""
    velocity: tuple[float, float] = (0.0, 0.0)
    """The neighbour's velocity less the robot's own [m/s], by positions of the last period."""


class ReceivedReading(NamedTuple):
    """A neighbour's reading."""

    id: int  # noqa: A003
    reading: Sequence[float]
    received: float
    """When it was received, on the robot's own clock [s]."""


class ReadingInput(NamedTuple):
    """The input of a metric's own reading, which the robot sends."""

    now: float
    """On the robot's own clock [s]."""
    sensed: float | None
    """The latest value of the metric's topic, while it is fresh."""
    neighbours: Sequence[ReceivedReading]
    """The readings of the neighbours, by their ids."""
    parameters: Any


@dataclass(frozen=True)
class Metric:
    """A way to measure the distance to a neighbour: by ``measure``, ``cost`` or ``course``."""

    name: str
    """The value of the parameter ``metric`` that chooses it."""
    measure: Callable[[RangingInput], float | None] | None = None
    """
    Returns the distance, or ``None`` if its input is missing: then the other robot is no
    neighbour in this round. The floor is applied by the caller (:func:`distance`).
    """
    cost: Callable[[float, float, float, Any], float] | None = None
    """
    ``cost(metres, own_reading, neighbour_reading, parameters)``: the same as a plain function of
    numbers, which the laboratory compiles. ``metres`` is the straight distance. Unknown inputs are
    nan, and a result of nan counts as ``None``.
    """
    course: Callable[[float, float, float, float, Any], float] | None = None
    """
    ``course(x, y, speed_x, speed_y, parameters)``: the same as a plain function of the neighbour's
    position [m] and velocity [m/s] relative to the robot, in the axes of the shared frame;
    compiled, too. It is not called where a position is missing.
    """
    needs_positions: bool = False
    """Whether the metric needs the positions of the robot and of the sender."""
    counts_links: bool = False
    """Whether each link counts 1, so that all distances are whole."""
    is_length: bool = False
    """
    Whether it is a straight distance, now or over a time [m]: never less than the present one, and
    with the triangle inequality, so that ``communication_range`` bounds the number of links.
    """
    needs_measurements: bool = False
    """Whether the metric uses values of topic ``measurements``."""
    measures_ranges: bool = False
    """
    Whether these values are distances [m]: they are smoothed by odometry
    (:class:`.RangeSmoothing`), and ``communication_range`` applies to them.
    """
    parameters: type[Any] = NoParameters
    """
    The metric's own parameters: a frozen dataclass of :func:`leader_election.parameter` fields.
    A robot's node declares them as ``<metric>.<name>``.
    """
    topic: str = ''
    """The topic of the sensor values for the metric, empty for none."""
    message: str = ''
    """The topic's type, for example ``std_msgs/msg/Float64``."""
    extract: Callable[[Any], float] = lambda message: float(message.data)
    """Converts a message of the topic to a number."""
    reading: Callable[[ReadingInput], Sequence[float]] | None = None
    """
    Makes the reading in the robot's messages, at most 64 numbers. Without it, a metric with a
    topic sends the sensor value.
    """
    once_a_message: bool = False
    """Whether a neighbour is measured once for each message, instead of once a round."""

    def __post_init__(self) -> None:
        """Refuse a metric without a function, or with two."""
        if [self.measure, self.cost, self.course].count(None) != 2:
            raise ValueError(f'metric {self.name}: takes either measure, cost or course')

    @property
    def compiles(self) -> bool:
        """Return whether the laboratory can compile the metric."""
        return self.measure is None

    @property
    def sends(self) -> bool:
        """Return whether messages carry a reading for the metric."""
        return self.reading is not None or self.topic != ''

    def measured(self, ranging: RangingInput) -> float | None:
        """Return the distance, ``None`` if it cannot be measured."""
        if self.measure is not None:
            return self.measure(ranging)
        if self.course is not None:
            if ranging.own is None or ranging.neighbour is None:
                return None
            x, y = (there - here for here, there in zip(ranging.own, ranging.neighbour))
            return self.course(x, y, *ranging.velocity, ranging.parameters)
        assert self.cost is not None
        apart = (math.nan if ranging.own is None or ranging.neighbour is None
                 else math.dist(ranging.own, ranging.neighbour))
        own, neighbour = (row[0] if row else math.nan
                          for row in (ranging.own_reading, ranging.neighbour_reading))
        return self.cost(apart, own, neighbour, ranging.parameters)

    def own_reading(self, known: ReadingInput) -> tuple[float, ...]:
        """Return the reading in the robot's messages, empty for none."""
        if self.reading is not None:
            return tuple(map(float, self.reading(known)))
        return () if known.sensed is None or not self.topic else (known.sensed,)


METRIC_FLOOR = 0.01
"""
The least distance of two robots [m]: at zero the candidacy of a dead leader would persist between
two robots at the same place.
"""


def distance(metric: Metric, ranging: RangingInput, floor: float) -> float | None:
    """
    Return the distance by a metric, at least the floor, ``None`` if it cannot be measured.

    >>> odometry = METRICS.get('odometry')
    >>> distance(odometry, RangingInput((0.0, 0.0), (3.0, 4.0)), floor=0.01)
    5.0
    >>> distance(odometry, RangingInput((1.0, 1.0), (1.0, 1.0)), floor=0.01)
    0.01
    """
    measured = metric.measured(ranging)
    return None if measured is None or math.isnan(measured) else max(measured, floor)


def odometry(metres: float, own_reading: float, neighbour_reading: float,
             parameters: Any) -> float:
    """Return the distance between the two reported positions [m]."""
    return metres


def hops(metres: float, own_reading: float, neighbour_reading: float, parameters: Any) -> float:
    """Return one, whatever the distance."""
    return 1.0


@dataclass(frozen=True)
class LookAheadParameters:
    """The parameters of metric ``look_ahead``."""

    look_ahead: float = parameter(
        3.0, 'A distance is the greatest within this time from now, if both '
        'robots keep their velocities.', unit='s', lower=0.0, upper=600.0)


def look_ahead(x: float, y: float, speed_x: float, speed_y: float, parameters: Any) -> float:
    """
    Return the greatest distance between two robots from now until some time ahead [m].

    R. Casadei, D. Pianini, M. Viroli, A. Natali, COORDINATION 2019: potentials that use speed. At
    constant velocities the distance is a convex function of time, so it is greatest now or at the
    end. Like the distance it obeys the triangle inequality.

    :param x: the neighbour's position relative to the robot [m].
    :param y: likewise.
    :param speed_x: the neighbour's velocity less the robot's own [m/s].
    :param speed_y: likewise.

    >>> ahead = LookAheadParameters(look_ahead=2.0)
    >>> look_ahead(3.0, 0.0, 0.0, 2.0, ahead), look_ahead(3.0, 0.0, -1.0, 0.0, ahead)
    (5.0, 3.0)
    """
    later_x = x + speed_x * parameters.look_ahead
    later_y = y + speed_y * parameters.look_ahead
    return max(math.sqrt(x * x + y * y), math.sqrt(later_x * later_x + later_y * later_y))


def measured_range(ranging: RangingInput) -> float | None:
    """
    Return the measured value: metres, or any other cost that adds up along a path.

    Zero and less is not a value: many drivers publish it without a reading.
    """
    return ranging.measurement if ranging.measurement and ranging.measurement > 0.0 else None


def sensor_difference(metres: float, own_reading: float, neighbour_reading: float,
                      parameters: Any) -> float:
    """
    Return the difference of two robots' sensor values, so that regions follow a phenomenon.

    D. Pianini, R. Casadei, M. Viroli, ACSOS 2022, section II: metrics other than the spatial one.

    >>> sensor_difference(5.0, 20.0, 21.5, None)
    1.5
    """
    return float(abs(own_reading - neighbour_reading))


SMOOTHING = 0.2
"""The part of a new round-trip time in the smoothed one."""
MOST_ANSWERS = 8
"""The most neighbours that one message answers. More take turns."""
WRAP = 1000.0
"""Time stamps are sent modulo this, to keep messages short [s]."""
LONGEST_ROUND_TRIP = 60.0
"""A longer round trip means that a clock was set [s]."""


def round_trip(ranging: RangingInput) -> float | None:
    """
    Return the smoothed time that a message takes to a neighbour and back [ms].

    A neighbour's reading has a time stamp of its own. For each robot that it answers follow the
    robot's id, its last time stamp, and the time since the receipt of that. So no clocks are
    compared.

    >>> answer = (7.5, 1.0, 100.0, 0.75)
    >>> ranging = RangingInput(None, None, None, None, id=1, received=100.755,
    ...                        neighbour_reading=answer)
    >>> round(round_trip(ranging), 3)
    5.0
    """
    reading, previous = ranging.neighbour_reading, ranging.previous
    for at in range(1, len(reading) - 2, 3):
        if reading[at] == ranging.id:
            taken = (ranging.received - reading[at + 1]) % WRAP - reading[at + 2]
            if not 0.0 <= taken <= LONGEST_ROUND_TRIP:
                return previous
            if previous is None:
                return 1e3 * taken
            return previous + SMOOTHING * (1e3 * taken - previous)
    return previous


def time_stamps(known: ReadingInput) -> tuple[float, ...]:
    """
    Return the reading of round_trip: a time stamp, and the answers to neighbours' time stamps.

    >>> heard = ReceivedReading(id=2, reading=(7.5,), received=99.5)
    >>> time_stamps(ReadingInput(100.25, None, [heard], None))
    (100.25, 2.0, 7.5, 0.75)
    """
    asking = [heard for heard in known.neighbours if heard.reading]
    if len(asking) > MOST_ANSWERS:
        first = int(known.now * 10.0) % len(asking)
        asking = (asking + asking)[first:first + MOST_ANSWERS]
    return (round(known.now % WRAP, 5), *(
        number for heard in asking for number in (
            float(heard.id), heard.reading[0], round(known.now - heard.received, 5))))


METRICS: Registry[Metric] = Registry('metric', 'leader_election.metrics')
METRICS.add(Metric('odometry', cost=odometry, needs_positions=True, is_length=True))
METRICS.add(Metric(
    'look_ahead', course=look_ahead, parameters=LookAheadParameters, needs_positions=True,
    is_length=True))
METRICS.add(Metric('hops', cost=hops, counts_links=True))
METRICS.add(Metric(
    'range', measured_range, needs_measurements=True, measures_ranges=True))
METRICS.add(Metric(
    'sensor_difference', cost=sensor_difference, topic='reading', message='std_msgs/msg/Float64'))
METRICS.add(Metric(
    'round_trip', round_trip, reading=time_stamps,
    once_a_message=True))
