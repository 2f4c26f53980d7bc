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

"""Measurements: counters, and samples of the measures of elections and of regions."""

from leader_election.election.regions.region import CANDIDATE
from leader_election_lab.engine.compilation import called, inlined
from leader_election_lab.states import (
    ABSENT,
    AGREEING,
    COUNTED,
    INFORMED,
    LOAD_MEAN,
    LOAD_SIGMA,
    MEAN_REACH,
    PRESENT,
    ROUNDS,
)
import numpy as np

AGREEMENT_TOLERANCE = 0.5
"""Loads, which are whole numbers, agree if they differ by less."""


@inlined
def record_round(watch, i, changed):
    """Count a round of device i, and a change of its leader after its first round."""
    one, oldest = np.uint64(1), np.uint64(watch.window - 1)
    watch.counts[ROUNDS] += 1
    changed = watch.has_run[i] and changed
    watch.has_run[i] = True
    bits = watch.change_bits[i]
    watch.change_totals[0] += np.int64(changed) - np.int64((bits >> oldest) & one)
    watch.change_totals[1] += changed
    watch.change_bits[i] = (bits << one) | np.uint64(changed)


@inlined
def leads(devices, offsets, exports, numbers, watch, i):
    """Return whether device i runs, is its own leader, and is a candidate if there are regions."""
    # With the classic algorithm, an infinite distance means that no leader has been found yet.
    return (devices.running[i] and watch.has_run[i]
            and (offsets.role == ABSENT or exports[i, offsets.role] == CANDIDATE)
            and exports[i, offsets.leader] == devices.id[i]
            and numbers[i, offsets.distance] < np.inf)


@called
def count_distinct(values, count):
    """
    Return the number of distinct values among the first ``count`` of an array, at least one.

    By a hash table: numpy's functions for this take five seconds to compile.
    """
    table, used, different = np.empty(2 * count, np.int64), np.zeros(2 * count, np.bool_), 0
    for value in values[:count]:
        place = value % len(table)
        while used[place] and table[place] != value:
            place = (place + 1) % len(table)
        different += not used[place]
        table[place], used[place] = value, True
    return different


@called
def sample(devices, offsets, exports, watch):
    """Take a sample: write the next row of ``watch.samples``."""
    n = len(devices.id)
    numbers = exports.view(np.float64)
    least = devices.id[devices.by_id[0]]
    # By id: which devices lead, and the size and radius of regions.
    leading = np.zeros(n, np.bool_)
    size = np.zeros(n, np.int64)
    radius = np.zeros(n)
    stranger = np.empty(n, np.int64)  # Leaders that are not devices.
    # Of a type: a literal 0 would have a variant of count_distinct compiled for it.
    active, strangers = 0, np.int64(0)
    for i in range(n):
        if not (devices.running[i] and watch.has_run[i]):
            continue
        active += 1
        leading[devices.id[i] - least] = leads(devices, offsets, exports, numbers, watch, i)
        leader = exports[i, offsets.leader] - least
        if 0 <= leader < n:
            size[leader] += 1
            if numbers[i, offsets.distance] < np.inf:
                radius[leader] = max(radius[leader], numbers[i, offsets.distance])
        else:
            stranger[strangers] = leader
            strangers += 1
    leaders, named, correct, regions, largest = 0, 0, 0, 0.0, 0
    widest, total = 0.0, 0.0
    if strangers > 0:
        named = count_distinct(stranger, strangers)
    for place in range(n):
        leaders += leading[place]
        if size[place] > 0:
            named += 1
            if leading[place]:
                correct += 1
                regions += size[place]
                largest = max(largest, size[place])
                total += radius[place]
                widest = max(widest, radius[place])
    samples, k = watch.samples, watch.sampled[0]
    samples[k, 0] = watch.change_totals[0] / (watch.window * active) if active > 0 else np.nan
    samples[k, 1] = watch.change_totals[1]
    samples[k, 2] = leaders
    samples[k, 3] = named
    samples[k, 4] = correct
    samples[k, 5] = named - correct
    samples[k, 6] = regions / correct if correct > 0 else 0.0
    samples[k, 7] = largest
    samples[k, 8] = total / correct if correct > 0 else 0.0
    samples[k, 9] = widest
    samples[k, 10] = active
    if active > 0 and offsets.summary != ABSENT:
        sample_regions(devices, offsets, exports, numbers, watch, k)
    watch.change_totals[1] = 0
    watch.sampled[0] += 1


@called
def sample_regions(devices, offsets, exports, numbers, watch, k):
    """
    Write the measures of regions into sample k.

    The load of a region is the first number that its leader has collected, if that is a sum.
    Otherwise there are no loads, and decisions agree only if they are equal.
    """
    n, samples = len(devices.id), watch.samples
    least = devices.id[devices.by_id[0]]
    active, leaders, informed, agreeing = 0, 0, 0, 0
    present, total, squares, reach = 0.0, 0.0, 0.0, 0.0
    for i in range(n):
        if not (devices.running[i] and watch.has_run[i]):
            continue
        active += 1
        present += numbers[i, offsets.contribution]
        if leads(devices, offsets, exports, numbers, watch, i):
            leaders += 1
            total += numbers[i, offsets.summary]
            squares += numbers[i, offsets.summary] ** 2
            reach += numbers[i, offsets.reach]
        if not numbers[i, offsets.decision] < np.inf:
            continue
        informed += 1
        place = exports[i, offsets.leader] - least
        if not 0 <= place < n:
            continue
        leader = devices.by_id[place]
        if leads(devices, offsets, exports, numbers, watch, leader):
            differs = abs(numbers[i, offsets.decision] - numbers[leader, offsets.decision])
            agreeing += differs < AGREEMENT_TOLERANCE if watch.adds else differs == 0.0
    samples[k, INFORMED], samples[k, AGREEING] = informed / active, agreeing / active
    if leaders > 0:
        samples[k, MEAN_REACH] = reach / leaders
    if watch.adds:
        samples[k, PRESENT], samples[k, COUNTED] = present, total
        if leaders > 0:
            mean = total / leaders
            samples[k, LOAD_MEAN] = mean
            samples[k, LOAD_SIGMA] = np.sqrt(max(squares / leaders - mean * mean, 0.0))
