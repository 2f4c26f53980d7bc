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

"""One sample of what is measured: a row of numbers."""

from leader_election.lab.engine.jit import jit
from leader_election.lab.engine.region_sample import may_lead, REGION_MEASURES, sample_regions
import numpy as np

MEASURES = ('instability', 'changes', 'leaders', 'named', 'correct', 'spurious',
            'mean_size', 'largest_size', 'mean_radius', 'largest_radius')
"""The first columns of a sample: what is measured of elections."""


COLUMNS = MEASURES + REGION_MEASURES


@jit
def sample(devices, exports, watch, parameters):
    """Write the next row of ``watch.samples``."""
    n = len(devices.id)
    least = devices.id[devices.by_id[0]]
    # By id, from the least: the regions of those, and further on the ids of leaders unheard of.
    size = np.zeros(n, np.int64)
    radius = np.zeros(n)
    stranger = np.empty(n, np.int64)
    begun, strangers = 0, 0
    for i in range(n):
        if not (devices.running[i] and watch.begun[i]):
            continue
        begun += 1
        leader = exports.leader[i] - least
        if 0 <= leader < n:
            size[leader] += 1
            if exports.distance[i] < np.inf:
                radius[leader] = max(radius[leader], exports.distance[i])
        else:
            stranger[strangers] = leader
            strangers += 1
    leaders, named, correct, regions, largest = 0, 0, 0, 0.0, 0
    widest, total = 0.0, 0.0
    if strangers > 0:
        named = len(np.unique(stranger[:strangers]))
    for place in range(n):
        i = devices.by_id[place]
        # Who names itself at an infinite distance has found nobody yet (classic).
        leads = (devices.running[i] and watch.begun[i] and may_lead(exports, i)
                 and exports.leader[i] == devices.id[i] and exports.distance[i] < np.inf)
        leaders += leads
        if size[place] > 0:
            named += 1
            if leads:
                correct += 1
                regions += size[place]
                largest = max(largest, size[place])
                total += radius[place]
                widest = max(widest, radius[place])
    row = watch.samples[watch.sampled[0]]
    row[0] = watch.changed[0] / (watch.window * begun) if begun > 0 else np.nan
    row[1] = watch.changed[1]
    row[2] = leaders
    row[3] = named
    row[4] = correct
    row[5] = named - correct
    row[6] = regions / correct if correct > 0 else 0.0
    row[7] = largest
    row[8] = total / correct if correct > 0 else 0.0
    row[9] = widest
    row[len(MEASURES):] = np.nan
    if begun > 0:
        sample_regions(devices, exports, watch, parameters, row[len(MEASURES):])
    watch.changed[1] = 0
    watch.sampled[0] += 1
