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

"""What is measured of regions: what leaders have collected, and who knows it."""

from typing import Any

from leader_election.coordination.region import CANDIDATE
from leader_election.coordination.summary_layout import ADD
from leader_election.lab.engine.jit import jit
from numba.extending import overload
import numpy as np

REGION_MEASURES = ('counted', 'present', 'informed', 'agreeing', 'load_mean', 'load_sigma',
                   'mean_reach')
"""The last columns of a sample; nan without regions, and all about loads where none add up."""
COUNTED, PRESENT, INFORMED, AGREEING, LOAD_MEAN, LOAD_SIGMA, MEAN_REACH = range(
    len(REGION_MEASURES))
SAME = 0.5
"""Loads that differ by less are the same number of members."""


def may_lead(exports: Any, i: Any) -> Any:
    """Return whether device i is a candidate, as all are without regions; for compiled code."""
    raise NotImplementedError


@overload(may_lead, strict=False)
def _may_lead(exports: Any, i: Any) -> Any:
    if 'role' in exports.fields:
        return lambda exports, i: exports.role[i] == CANDIDATE
    return lambda exports, i: True


def sample_regions(devices: Any, exports: Any, watch: Any, parameters: Any, row: Any) -> Any:
    """Write what is measured of regions, if there are any; for compiled code."""
    raise NotImplementedError


@overload(sample_regions, strict=False)
def _sample_regions(devices: Any, exports: Any, watch: Any, parameters: Any, row: Any) -> Any:
    if 'summary' in exports.fields:
        return lambda devices, exports, watch, parameters, row: measure(
            devices, exports, watch, parameters.region.layout.kind[0] == ADD, row)
    return lambda devices, exports, watch, parameters, row: None


@jit
def measure(devices, exports, watch, adds, row):
    """
    Write the row of what is measured of regions.

    The load of a region is the first number that its leader has collected. It is counted where
    such numbers add up: else there is no load, and decisions agree if they are equal.
    """
    n = len(devices.id)
    least = devices.id[devices.by_id[0]]
    begun, leaders, informed, agreeing = 0, 0, 0, 0
    present, total, squares, reach = 0.0, 0.0, 0.0, 0.0
    for i in range(n):
        if not (devices.running[i] and watch.begun[i]):
            continue
        begun += 1
        present += exports.contribution[i, 0]
        if leads(devices, exports, watch, i):
            leaders += 1
            total += exports.summary[i, 0]
            squares += exports.summary[i, 0] ** 2
            reach += exports.reach[i]
        if not exports.decision[i, 0] < np.inf:
            continue
        informed += 1
        place = exports.leader[i] - least
        if 0 <= place < n and leads(devices, exports, watch, devices.by_id[place]):
            differs = abs(exports.decision[i, 0] - exports.decision[devices.by_id[place], 0])
            agreeing += differs < SAME if adds else differs == 0.0
    row[INFORMED], row[AGREEING] = informed / begun, agreeing / begun
    if leaders > 0:
        row[MEAN_REACH] = reach / leaders
    if adds:
        row[PRESENT], row[COUNTED] = present, total
        if leaders > 0:
            mean = total / leaders
            row[LOAD_MEAN] = mean
            row[LOAD_SIGMA] = np.sqrt(max(squares / leaders - mean * mean, 0.0))


@jit
def leads(devices, exports, watch, i):
    """Return whether device i runs, and leads itself."""
    return (devices.running[i] and watch.begun[i] and exports.role[i] == CANDIDATE
            and exports.leader[i] == devices.id[i] and exports.distance[i] < np.inf)
