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

"""Strength: where it comes from, and the hysteresis that keeps noise from re-electing."""

from collections.abc import Callable
from dataclasses import dataclass
import math
from typing import Any

from leader_election.registry import Registry


@dataclass(frozen=True)
class StrengthSource:
    """A source of strength that is a topic, or one of the robot's own numbers."""

    name: str
    """What the parameter ``strength_source`` says to choose it."""
    hysteresis: float
    """The default of the parameter ``strength_hysteresis`` with this source."""
    topic: str = ''
    """The topic that it listens to; empty: none, the robot itself knows."""
    message: str = ''
    """The topic's type, for example ``sensor_msgs/msg/BatteryState``."""
    extract: Callable[[Any], float] = float
    """Makes the strength out of a message."""


STRENGTH_SOURCES: Registry[StrengthSource] = Registry(
    'strength source', 'leader_election.strength_sources')
CONSTANT = STRENGTH_SOURCES.add(StrengthSource('constant', hysteresis=0.0))
DEGREE = STRENGTH_SOURCES.add(StrengthSource('degree', hysteresis=1.0))
BATTERY = STRENGTH_SOURCES.add(StrengthSource(
    'battery', hysteresis=0.05, topic='battery_state', message='sensor_msgs/msg/BatteryState',
    extract=lambda battery: float(battery.percentage)))
TOPIC = STRENGTH_SOURCES.add(StrengthSource(
    'topic', hysteresis=0.0, topic='strength', message='std_msgs/msg/Float64',
    extract=lambda number: float(number.data)))


class Strength:
    """
    The strength that a robot announces.

    It follows its source only when that has moved away from it by more than the hysteresis.

    >>> battery = Strength(0.0, hysteresis=0.05)
    >>> [battery.update(charge) for charge in (0.90, 0.88, 0.86, 0.84)]
    [True, False, False, True]
    >>> battery.announced
    0.84
    """

    def __init__(self, initial: float, hysteresis: float) -> None:
        self.announced = initial
        self.hysteresis = hysteresis
        self.rejected = 0
        """How many numbers were not finite."""
        self.heard = False
        """Whether the source has spoken."""

    def update(self, number: float) -> bool:
        """Take in what the source says; return whether the strength announced has changed."""
        if not math.isfinite(number):
            self.rejected += 1
            return False
        if self.heard and abs(number - self.announced) <= self.hysteresis:
            return False
        changed = number != self.announced
        self.heard, self.announced = True, number
        return changed
