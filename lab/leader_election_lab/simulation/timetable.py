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
The times at which a run stops: what happens then is not one of the engine's rounds and steps.

Each kind of change has its own times, by the scenario alone, so that a run can be played in parts.
"""

from collections.abc import Sequence
from typing import NamedTuple

from leader_election_lab.experiment.scenario import Scenario
from leader_election_lab.experiment.schema import EXACT
from leader_election_lab.topologies.contacts import Contacts
import numpy as np

MOST_SWITCHES = 1_000_000
"""The greatest number of changes of strengths in a run."""
Times = frozenset[float]


class Timetable(NamedTuple):
    """The times of the changes of a run, by kind [s]."""

    end: float
    strengths: Times
    """A new kind of strength of the cycle."""
    errors: Times
    """Errors of positions change."""
    links: Times
    """Links of a trace of contacts change."""
    senses: Times
    """Devices take new readings: also at events, snapshots, and new strengths."""

    def stops(self) -> list[float]:
        """Return all times in their order."""
        return sorted(self.senses | self.errors | self.links)


def timetable(scenario: Scenario, contacts: Contacts | None, moving: bool,
              snapshots: Sequence[float] = ()) -> Timetable:
    """
    Return the times of all changes of a run.

    :param contacts: when links exist, if that changes.
    :param moving: whether devices move, which changes their readings.
    :param snapshots: the times of snapshots [s].
    """
    duration, strength = scenario.duration, scenario.strength
    # Three times 0.1 s are slightly more than 0.3 s, and the last sample is needed.
    end = max(duration, float(scenario.times()[-1]))
    strengths = frozenset(
        time for time in _multiples(strength.every, duration, MOST_SWITCHES) if time < duration)
    readings = Times()
    # Without motion, readings change only where a program computes strengths from the time.
    if scenario.sensing and (moving or scenario.sensing.source is not None):
        readings = _multiples(scenario.sensor.period, duration)
    events = [parameters.at for _, parameters in scenario.events if parameters.at <= duration]
    return Timetable(
        end, strengths,
        Times() if scenario.localisation.model == EXACT else _multiples(
            scenario.localisation.interval, duration),
        Times() if contacts is None else Times(
            [0.0, *(time for time in contacts.time.tolist() if time <= end)]),
        Times([0.0, end, *snapshots, *events]) | strengths | readings)


def _multiples(step: float, end: float, most: float = np.inf) -> Times:
    """
    Return the times from one step up to the end [s].

    >>> sorted(_multiples(0.5, 1.2)), sorted(_multiples(np.inf, 1.2))
    ([0.5, 1.0], [])
    """
    return Times(k * step for k in range(1, int(min(end / step, most)) + 1))
