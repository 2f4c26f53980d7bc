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

"""Measures of each device over a run: how long it leads and follows, whom, and how far away."""

from leader_election_lab.own_measures import Sample
from leader_election_lab.states import DEVICE_MEASURES
import numpy as np
from numpy.typing import NDArray

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
