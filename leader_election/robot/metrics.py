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

"""Metrics: how far away a neighbour is."""

from collections.abc import Callable
from dataclasses import dataclass
import math
from typing import NamedTuple

from leader_election.registry import Registry
from leader_election.robot.codec import Position


class RangingInput(NamedTuple):
    """What a robot knows of itself and one neighbour when it measures the distance."""

    own: Position | None
    """One's own position in the shared frame [m]."""
    neighbour: Position | None
    """The neighbour's, as it reported it [m]."""
    measurement: float | None
    """What topic ``measurements`` says of this neighbour, if it is fresh."""
    rssi_at_one_metre: float
    """[dBm]."""
    rssi_exponent: float
    """The path loss exponent."""


@dataclass(frozen=True)
class Metric:
    """A way to measure the distance to a neighbour."""

    name: str
    """What the parameter ``metric`` says to choose it."""
    measure: Callable[[RangingInput], float | None]
    """
    Returns the distance, or ``None`` where what it needs is missing: then that robot is no
    neighbour in this round. The floor is applied by the caller (:func:`distance`).
    """
    needs_positions: bool = False
    """Whether it is of no use to a robot, or with a message, without a position."""
    is_length: bool = False
    """Whether it is as far as by positions, the same from either end [m]."""
    needs_measurements: bool = False
    """Whether it goes by topic ``measurements``."""


def distance(metric: Metric, ranging: RangingInput, floor: float) -> float | None:
    """
    Return the distance by a metric, at least the floor; ``None`` where it cannot be measured.

    >>> odometry = METRICS.get('odometry')
    >>> distance(odometry, RangingInput((0.0, 0.0), (3.0, 4.0), None, -40.0, 2.0), floor=0.01)
    5.0
    >>> distance(odometry, RangingInput((1.0, 1.0), (1.0, 1.0), None, -40.0, 2.0), floor=0.01)
    0.01
    """
    measured = metric.measure(ranging)
    return None if measured is None or math.isnan(measured) else max(measured, floor)


def odometry(ranging: RangingInput) -> float | None:
    """Return the distance between the two reported positions [m]."""
    if ranging.own is None or ranging.neighbour is None:
        return None
    return math.dist(ranging.own, ranging.neighbour)


def hops(ranging: RangingInput) -> float:
    """Return one, whatever the distance."""
    return 1.0


def measured_range(ranging: RangingInput) -> float | None:
    """
    Return what was measured: metres, or any other cost that adds up along a path.

    Zero and less is what many drivers say for want of a reading.
    """
    return ranging.measurement if ranging.measurement and ranging.measurement > 0.0 else None


def rssi(ranging: RangingInput) -> float | None:
    """
    Return the distance by the strength of the signal, log-distance path loss model [m].

    >>> rssi(RangingInput(None, None, -60.0, rssi_at_one_metre=-40.0, rssi_exponent=2.0))
    10.0
    """
    if ranging.measurement is None:
        return None
    decades = (ranging.rssi_at_one_metre - ranging.measurement) / (10.0 * ranging.rssi_exponent)
    return float(10.0 ** min(decades, 300.0))


METRICS: Registry[Metric] = Registry('metric', 'leader_election.metrics')
METRICS.add(Metric('odometry', odometry, needs_positions=True, is_length=True))
METRICS.add(Metric('hops', hops))
METRICS.add(Metric('range', measured_range, needs_measurements=True))
METRICS.add(Metric('rssi', rssi, needs_measurements=True))
