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

from typing import NamedTuple

from leader_election.election.coordination.region import CANDIDATE
from leader_election.lab.columns import (
    AGREEING,
    COLUMNS,
    COUNTED,
    COUNTERS,
    INFORMED,
    LOAD_MEAN,
    LOAD_SIGMA,
    MEAN_REACH,
    PRESENT,
    ROUNDS,
)
from leader_election.lab.engine.compilation import inlined, jit
from leader_election.lab.engine.memory import as_floats
from leader_election.lab.states import ABSENT
import numpy as np
from numpy.typing import NDArray

AGREEMENT_TOLERANCE = 0.5
"""Loads, which are whole numbers, agree if they differ by less."""


class Watch(NamedTuple):
    """Counters, samples, and the data from which they are computed."""

    change_bits: NDArray[np.uint64]
    """Whether the leader changed, one bit per round, the latest lowest, shape (n,)."""
    change_totals: NDArray[np.int64]
    """Leader changes in the windows of all devices, and since the last sample, shape (2,)."""
    has_run: NDArray[np.bool_]
    """Whether the device has run a round, shape (n,)."""
    counts: NDArray[np.int64]
    """The counters, shape (len(COUNTERS),)."""
    window: int
    """The number of latest rounds of each device that instability covers, at most 63."""
    samples: NDArray[np.float64]
    """Shape (samples, len(COLUMNS))."""
    sampled: NDArray[np.int64]
    """The number of samples taken, shape (1,)."""
    interval: float
    """Time between two samples [s]; the first is one interval after the start."""
    adds: bool
    """Whether the first number of a region's summary is a sum: the region's load."""


def new_watch(devices: int, window: int, samples: int, interval: float, adds: bool) -> Watch:
    """Return the watch of a run at its start."""
    return Watch(
        np.zeros(devices, np.uint64), np.zeros(2, np.int64), np.zeros(devices, np.bool_),
        np.zeros(len(COUNTERS), np.int64), window, np.full((samples, len(COLUMNS)), np.nan),
        np.zeros(1, np.int64), interval, adds)


@inlined
def record_round(watch, i, changed):
    """Count a round of device i, and whether its leader changed; not in its first round."""
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


@jit
def count_distinct(values, count):
    """
    Return the number of distinct values among the first ``count`` of an array, and sort these.

    Uses heapsort, because numpy's functions for this take numba five seconds to compile.
    """
    for top in range(count // 2 - 1, -1, -1):
        sift_down_greatest(values, top, count)
    for last in range(count - 1, 0, -1):
        values[0], values[last] = values[last], values[0]
        sift_down_greatest(values, 0, last)
    different = min(count, 1)
    for k in range(1, count):
        different += values[k] != values[k - 1]
    return different


@inlined
def sift_down_greatest(heap, hole, size):
    """Restore a heap, the greatest number first, below a number that may be too small."""
    moved = heap[hole]
    while True:
        child = 2 * hole + 1
        if child + 1 < size and heap[child + 1] > heap[child]:
            child += 1
        if child >= size or heap[child] <= moved:
            break
        heap[hole] = heap[child]
        hole = child
    heap[hole] = moved


@jit
def sample(devices, offsets, exports, watch):
    """Take a sample: write the next row of ``watch.samples``."""
    n = len(devices.id)
    numbers = as_floats(exports)
    least = devices.id[devices.by_id[0]]
    # By id: which devices lead, and the size and radius of regions.
    leading = np.zeros(n, np.bool_)
    size = np.zeros(n, np.int64)
    radius = np.zeros(n)
    stranger = np.empty(n, np.int64)  # Leaders that are not devices.
    active, strangers = 0, 0
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
    if active > 0 and offsets.summary != ABSENT:
        sample_regions(devices, offsets, exports, numbers, watch, k)
    watch.change_totals[1] = 0
    watch.sampled[0] += 1


@jit
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
