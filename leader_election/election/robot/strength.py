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

"""Strength: its sources, and the hysteresis that keeps noise from causing new elections."""

from collections.abc import Callable
from dataclasses import dataclass
import math
from typing import Any, NamedTuple

from leader_election.election.algorithms.algorithm import BARRED
from leader_election.parameters import NoParameters
from leader_election.parameters.registry import Registry

Limits = tuple[float, float]
"""The least and the greatest strength that a robot of the swarm can have, inclusive."""
NO_LIMITS: Limits = (-math.inf, math.inf)
TOLERANCE = 0.05
"""The excess of a robot's own strength that is cut off: a full battery may report 1.02 [range]."""


def within_limits(strength: float, limits: Limits) -> bool:
    """
    Return whether a strength lies within limits. That of a robot that may not lead always does.

    >>> [within_limits(strength, (0.0, 1.0)) for strength in (1.0, 1.5, math.nan, BARRED)]
    [True, False, False, True]
    """
    return limits[0] <= strength <= limits[1] or strength == BARRED


class RobotKnowledge(NamedTuple):
    """The input of a computed strength: numbers of the robot's own. Unknown ones are NaN."""

    id: int  # noqa: A003
    neighbours: int
    nearest: float
    """The distance to the nearest neighbour by the metric [m], infinite without one."""
    x: float
    """Position in the shared frame [m]."""
    y: float
    time: float
    """On the robot's own clock [s]."""
    leader: int
    distance: float
    """The distance to the leader after the last round [m]."""
    reading: float
    """The value sensed for the metric, where that has a topic."""
    speed: float = math.nan
    """The robot's own, by its positions, smoothed over a period [m/s]."""
    received: float = math.nan
    """The last number on the source's topic, where it is no older than input_expiry."""


@dataclass(frozen=True)
class StrengthSource:
    """A source of strength: a topic, a function that the robot computes, or both."""

    name: str
    """The value of the parameter ``strength_source`` that chooses it."""
    hysteresis: float
    """The default of the parameter ``strength_hysteresis`` with this source."""
    topic: str = ''
    """The topic with the strength, or with a number for ``compute``, empty for none."""
    message: str = ''
    """The topic's type, for example ``sensor_msgs/msg/BatteryState``."""
    extract: Callable[[Any, Any], float] | Callable[[Any], float] = float
    """``extract(message)`` or ``extract(message, parameters)`` returns the number in it."""
    compute: Callable[[RobotKnowledge, Any], float] | None = None
    """
    ``compute(known, parameters)`` returns the strength, once a round, from a
    :class:`RobotKnowledge`: a plain function of numbers, which the laboratory compiles.
    """
    parameters: type[Any] = NoParameters
    """
    The source's own parameters: a frozen dataclass of :func:`leader_election.parameter` fields.
    A robot's node declares those of a user's source as ``<source>.<name>``.
    """
    limits: Limits = NO_LIMITS
    """The default of the parameter ``strength_limits`` with this source."""

    def extracted(self, message: Any, parameters: Any) -> float:
        """Return the number that a message of the topic holds."""
        extract: Any = self.extract
        if self.parameters is NoParameters:
            return float(extract(message))
        return float(extract(message, parameters))


def degree(known: RobotKnowledge, parameters: Any) -> float:
    """Return the number of neighbours."""
    return float(known.neighbours)


def stillness(known: RobotKnowledge, parameters: Any) -> float:
    """Return the speed, negated [m/s]: the stillest robot leads (ACSOS 2022, IV-A)."""
    return -known.speed


def data_rate(known: RobotKnowledge, parameters: Any) -> float:
    """Return the last data rate [Mbit/s], 0 once it is too old (ACSOS 2022, IV-A)."""
    return 0.0 if math.isnan(known.received) else known.received


LEAST_TRUST = 0.5
"""The trust below which a robot is no candidate: it does not lead."""


def trust(known: RobotKnowledge, parameters: Any) -> float:
    """
    Return the last trust in this robot, 0 to 1, ``BARRED`` if it is no candidate.

    Candidates by trust: Casadei, Pianini, Viroli, Natali, COORDINATION 2019, section 4.1. Another
    program of the robot gives the trust.
    """
    return known.received if known.received >= LEAST_TRUST else BARRED


def charge(battery: Any) -> float:
    """
    Return the charge in a ``sensor_msgs/BatteryState``, NaN if it is unknown.

    The message takes 0 to 1, and NaN for unknown. Drivers also send -1, or -1 divided by 100.
    """
    return float(battery.percentage) if battery.percentage >= 0.0 else math.nan


STRENGTH_SOURCES: Registry[StrengthSource] = Registry(
    'strength source', 'leader_election.strength_sources')
CONSTANT = STRENGTH_SOURCES.add(StrengthSource('constant', hysteresis=0.0))
DEGREE = STRENGTH_SOURCES.add(StrengthSource('degree', hysteresis=1.0, compute=degree))
BATTERY = STRENGTH_SOURCES.add(StrengthSource(
    'battery', hysteresis=0.05, topic='battery_state', message='sensor_msgs/msg/BatteryState',
    extract=charge, limits=(0.0, 1.0)))
TOPIC = STRENGTH_SOURCES.add(StrengthSource(
    'topic', hysteresis=0.0, topic='strength', message='std_msgs/msg/Float64',
    extract=lambda number: float(number.data)))
STILLNESS = STRENGTH_SOURCES.add(StrengthSource('stillness', hysteresis=0.05, compute=stillness))
DATA_RATE = STRENGTH_SOURCES.add(StrengthSource(
    'data_rate', hysteresis=1.0, topic='data_rate', message='std_msgs/msg/Float64',
    extract=lambda number: float(number.data), compute=data_rate))
TRUST = STRENGTH_SOURCES.add(StrengthSource(
    'trust', hysteresis=0.05, topic='trust', message='std_msgs/msg/Float64',
    extract=lambda number: float(number.data), compute=trust))


class Strength:
    """
    The strength that a robot announces, with hysteresis.

    It changes only when its source differs from it by more than the hysteresis.

    :ivar received: whether the source has given a number that is still fresh.
    :ivar limits: of the values that are accepted.
    :ivar rejected: the number of values that were not finite, too far beyond the limits, or could
        not be computed.
    :ivar excess: the last value, if it was too far beyond the limits.
    :ivar unknown: whether the last value was no finite number: the source does not know it.

    >>> battery = Strength(0.0, hysteresis=0.05)
    >>> [battery.update(charge) for charge in (0.90, 0.88, 0.86, 0.84)]
    [True, False, False, True]
    >>> battery.announced
    0.84
    """

    def __init__(self, initial: float, hysteresis: float) -> None:
        self.announced = initial
        self.hysteresis = hysteresis
        self.limits = NO_LIMITS
        self.rejected = 0
        self.excess: float | None = None
        self.unknown = False
        self.received = False

    def limit(self, limits: Limits) -> None:
        """Apply changed limits of values."""
        self.limits = limits
        if self.excess is not None and within_limits(self.excess, limits):
            self.excess = None

    def withdraw(self, initial: float) -> None:
        """Announce the strength of the start again: the source is silent."""
        self.received, self.announced = False, initial

    def admitted(self, number: float) -> float | None:
        """
        Return a value of the source within the limits, ``None`` if it does not count.

        A value that is beyond a limit by the tolerance becomes this limit.
        """
        if not math.isfinite(number) or number == BARRED:
            return number if number == BARRED else None
        least, greatest = self.limits
        nearest = min(max(number, least), greatest)
        span = greatest - least
        if number == nearest or abs(number - nearest) <= TOLERANCE * span < math.inf:
            return nearest
        self.excess = number
        return None

    def update(self, number: float) -> bool:
        """Process a value of the source, and return whether the announced strength has changed."""
        self.unknown = not math.isfinite(number) and number != BARRED
        admitted = self.admitted(number)
        if admitted is None:
            self.rejected += 1
            return False
        self.excess = None
        if self.received and abs(admitted - self.announced) <= self.hysteresis:
            return False
        changed = admitted != self.announced
        self.received, self.announced = True, admitted
        return changed
