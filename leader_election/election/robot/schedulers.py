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
Schedulers: programs that say when a robot's next round is due.

D. Pianini, R. Casadei, M. Viroli, S. Mariani, F. Zambonelli, "Time-Fluid Field-Based Coordination
through Programmable Distributed Schedulers", Logical Methods in Computer Science 17(4), 2021:
reference 46 of ACSOS 2022. Here a program can only hasten rounds: neighbours count the messages
that they missed by ``round_period``, and expiry is longer than that.
"""

from collections.abc import Callable
from dataclasses import dataclass
import math
from typing import Any

from leader_election.election.registry import Registry
from leader_election.election.robot.strength import RobotKnowledge
from leader_election.parameters import NoParameters, parameter

FASTEST = 0.05
"""The least time between two scheduled rounds, as a part of ``round_period``."""


@dataclass(frozen=True)
class Scheduler:
    """A program of rounds."""

    name: str
    """The value of the parameter ``scheduler`` that chooses it."""
    wait: Callable[[RobotKnowledge, Any], float] | None = None
    """
    ``wait(known, parameters)`` returns the time to the next round [s]: at most ``round_period``,
    and at least a twentieth of it. It is called after each round of the schedule. ``None``: rounds
    are a ``round_period`` apart.
    """
    parameters: type[Any] = NoParameters
    """Its own parameters: a frozen dataclass of :func:`leader_election.parameter` fields."""

    def period(self, known: RobotKnowledge, parameters: Any, round_period: float) -> float:
        """Return the time to the next round [s]; ``round_period`` where it cannot be computed."""
        try:
            wait = math.nan if self.wait is None else float(self.wait(known, parameters))
        except Exception:  # A user's function may raise anything; the robot goes on.
            wait = math.nan
        if math.isnan(wait):
            return round_period
        return min(max(wait, FASTEST * round_period), round_period)


@dataclass(frozen=True)
class StrideParameters:
    """The parameters of scheduler ``stride``."""

    stride: float = parameter(
        0.25, 'Scheduler stride: a round each time the robot has moved by this.', unit='m',
        lower=1e-6, upper=1e6)


def wait_for_stride(known: RobotKnowledge, parameters: Any) -> float:
    """Return the time that the robot takes for a stride, at its present speed [s]."""
    return parameters.stride / known.speed if known.speed > 0.0 else math.inf


SCHEDULERS: Registry[Scheduler] = Registry('scheduler', 'leader_election.schedulers')
STEADY = SCHEDULERS.add(Scheduler('steady'))
STRIDE = SCHEDULERS.add(Scheduler('stride', wait_for_stride, StrideParameters))
