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
Measures that Python computes at each sample: those of other packages, and those of each device.

A measure of another package is a plain function from all devices to a number. A scenario names it
under ``measure.own``. Its numbers are variables of the results, like those of this package.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from leader_election.parameters.registry import Registry
from leader_election_lab.states import DEVICE_MEASURES
import numpy as np
from numpy.typing import NDArray


class Sample(NamedTuple):
    """All devices at the time of a sample. Arrays have an entry for each, shape (n,)."""

    time: float
    """[s]."""
    id: NDArray[np.int64]  # noqa: A003
    position: NDArray[np.float64]
    """Shape (n, 2) [m]."""
    running: NDArray[np.bool_]
    """Whether the device runs, and has run a round."""
    leads: NDArray[np.bool_]
    """Whether it also leads itself."""
    states: Any
    """The states, as columns with the names of the algorithm's fields, such as ``leader``."""


@dataclass(frozen=True)
class OwnMeasure:
    """A measure of another package."""

    name: str
    compute: Callable[[Sample], float]
    """It must not change the arrays."""
    description: str = ''
    unit: str = '1'
    """As UDUNITS writes it."""


OWN_MEASURES: Registry[OwnMeasure] = Registry('measure', 'leader_election.measures')


UPTIME, TENURE, MEMBERSHIP, DISTANCE, _ = range(len(DEVICE_MEASURES))


class DeviceMeasures:
    """
    The measures of n devices, from the samples of a run.

    :param ids: shape (n,).
    :param interval: the time that a sample stands for [s].
    """

    def __init__(self, ids: NDArray[np.int64], interval: float) -> None:
        n = len(ids)
        self._ids, self._interval = ids, interval
        self._sums = np.zeros((n, DISTANCE + 1))
        self._finite = np.zeros(n, np.int64)
        """The number of samples with a finite distance."""
        self._leader = np.full(n, np.nan)

    def add(self, sample: Sample) -> None:
        """Add a sample."""
        leader, distance = sample.states.leader, sample.states.distance
        follows = sample.running & ~sample.leads & np.isin(leader, sample.id[sample.leads])
        measured = follows & np.isfinite(distance)
        self._sums[:, UPTIME] += sample.running
        self._sums[:, TENURE] += sample.leads
        self._sums[:, MEMBERSHIP] += follows
        self._sums[measured, DISTANCE] += distance[measured]
        self._finite += measured
        self._leader = np.where(sample.leads | follows, leader, np.nan)

    def table(self) -> NDArray[np.float64]:
        """Return the id of each device and its measures, shape (n, 1 + measures)."""
        distance = np.divide(self._sums[:, DISTANCE], self._finite,
                             out=np.full(len(self._ids), np.nan), where=self._finite > 0)
        return np.column_stack([
            self._ids, self._interval * self._sums[:, :DISTANCE], distance, self._leader])
