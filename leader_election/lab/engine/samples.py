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

"""Samples: what is measured of elections and of regions, a row of numbers at a time."""

from typing import NamedTuple

from leader_election.coordination.region import CANDIDATE
from leader_election.lab.engine.compilation import inlined, jit
from leader_election.lab.engine.memory import as_floats
from leader_election.lab.engine.states import ABSENT
import numpy as np
from numpy.typing import NDArray

COUNTERS = ('rounds', 'moves', 'sent', 'duplicated', 'lost', 'delivered', 'overwritten',
            'expired', 'departed', 'undelivered', 'rebuilt', 'out_of_levels')
"""
What is counted; messages once for each receiver that was in range when it was sent.

``out_of_levels``: rounds that ended at the last level of a recursive election.
"""
ROUNDS, MOVES, SENT, DUPLICATED, LOST, DELIVERED, OVERWRITTEN, EXPIRED, DEPARTED, UNDELIVERED, \
    REBUILT, OUT_OF_LEVELS = range(len(COUNTERS))

MEASURES = ('instability', 'changes', 'leaders', 'named', 'correct', 'spurious',
            'mean_size', 'largest_size', 'mean_radius', 'largest_radius')
"""The first columns of a sample: what is measured of elections."""
REGION_MEASURES = ('counted', 'present', 'informed', 'agreeing', 'load_mean', 'load_sigma',
                   'mean_reach')
"""The last columns of a sample; nan without regions, and all about loads where none add up."""
COUNTED, PRESENT, INFORMED, AGREEING, LOAD_MEAN, LOAD_SIGMA, MEAN_REACH = range(
    len(MEASURES), len(MEASURES) + len(REGION_MEASURES))
"""Their columns."""
SAME = 0.5
"""Loads that differ by less are the same number of members."""
COLUMNS = MEASURES + REGION_MEASURES


class Watch(NamedTuple):
    """What is measured while it runs."""

    changes: NDArray[np.uint64]
    """Of each device, whether its leader changed, one bit a round, the latest lowest."""
    changed: NDArray[np.int64]
    """Shape (2,): changes in the windows of all devices; changes since the last sample."""
    begun: NDArray[np.bool_]
    """Of each device, whether it has run a round."""
    counts: NDArray[np.int64]
    """By ``COUNTERS``."""
    window: int
    """Rounds that instability looks back, at most 63."""
    samples: NDArray[np.float64]
    """Shape (samples, measures), see ``COLUMNS``."""
    sampled: NDArray[np.int64]
    """How many samples there are, shape (1,)."""
    interval: float
    """Time between two samples [s]; the first is one interval after the start."""
    adds: bool
    """Whether the first number of a region's summary is one that adds up, its load."""


def watch(devices: int, window: int, samples: int, interval: float, adds: bool) -> Watch:
    """Return a watch that has seen nothing yet."""
    return Watch(
        np.zeros(devices, np.uint64), np.zeros(2, np.int64), np.zeros(devices, np.bool_),
        np.zeros(len(COUNTERS), np.int64), window, np.full((samples, len(COLUMNS)), np.nan),
        np.zeros(1, np.int64), interval, adds)


@inlined
def leads(devices, places, exports, numbers, watch, i):
    """Return whether device i runs, may lead (as all may without regions), and leads itself."""
    # A device that names itself at an infinite distance has found no leader yet (classic).
    return (devices.running[i] and watch.begun[i]
            and (places.role == ABSENT or exports[i, places.role] == CANDIDATE)
            and exports[i, places.leader] == devices.id[i]
            and numbers[i, places.distance] < np.inf)


@jit
def distinct(values, count):
    """
    Return how many different numbers there are among the first of an array, which are sorted.

    By heapsort: numpy's functions for this take numba five seconds to compile.
    """
    for top in range(count // 2 - 1, -1, -1):
        sink(values, top, count)
    for last in range(count - 1, 0, -1):
        values[0], values[last] = values[last], values[0]
        sink(values, 0, last)
    different = min(count, 1)
    for k in range(1, count):
        different += values[k] != values[k - 1]
    return different


@inlined
def sink(heap, hole, size):
    """Put a number of a heap, the greatest first, where it belongs among those below it."""
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
def sample(devices, places, exports, watch):
    """Write the next row of ``watch.samples``."""
    n = len(devices.id)
    numbers = as_floats(exports)
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
        leader = exports[i, places.leader] - least
        if 0 <= leader < n:
            size[leader] += 1
            if numbers[i, places.distance] < np.inf:
                radius[leader] = max(radius[leader], numbers[i, places.distance])
        else:
            stranger[strangers] = leader
            strangers += 1
    leaders, named, correct, regions, largest = 0, 0, 0, 0.0, 0
    widest, total = 0.0, 0.0
    if strangers > 0:
        named = distinct(stranger, strangers)
    for place in range(n):
        i = devices.by_id[place]
        leading = leads(devices, places, exports, numbers, watch, i)
        leaders += leading
        if size[place] > 0:
            named += 1
            if leading:
                correct += 1
                regions += size[place]
                largest = max(largest, size[place])
                total += radius[place]
                widest = max(widest, radius[place])
    samples, k = watch.samples, watch.sampled[0]
    samples[k, 0] = watch.changed[0] / (watch.window * begun) if begun > 0 else np.nan
    samples[k, 1] = watch.changed[1]
    samples[k, 2] = leaders
    samples[k, 3] = named
    samples[k, 4] = correct
    samples[k, 5] = named - correct
    samples[k, 6] = regions / correct if correct > 0 else 0.0
    samples[k, 7] = largest
    samples[k, 8] = total / correct if correct > 0 else 0.0
    samples[k, 9] = widest
    if begun > 0 and places.summary != ABSENT:
        sample_regions(devices, places, exports, numbers, watch, k)
    watch.changed[1] = 0
    watch.sampled[0] += 1


@jit
def sample_regions(devices, places, exports, numbers, watch, k):
    """
    Write the row of what is measured of regions.

    The load of a region is the first number that its leader has collected. It is counted where
    such numbers add up: else there is no load, and decisions agree if they are equal.
    """
    n, samples = len(devices.id), watch.samples
    least = devices.id[devices.by_id[0]]
    begun, leaders, informed, agreeing = 0, 0, 0, 0
    present, total, squares, reach = 0.0, 0.0, 0.0, 0.0
    for i in range(n):
        if not (devices.running[i] and watch.begun[i]):
            continue
        begun += 1
        present += numbers[i, places.contribution]
        if leads(devices, places, exports, numbers, watch, i):
            leaders += 1
            total += numbers[i, places.summary]
            squares += numbers[i, places.summary] ** 2
            reach += numbers[i, places.reach]
        if not numbers[i, places.decision] < np.inf:
            continue
        informed += 1
        place = exports[i, places.leader] - least
        if not 0 <= place < n:
            continue
        leader = devices.by_id[place]
        if leads(devices, places, exports, numbers, watch, leader):
            differs = abs(numbers[i, places.decision] - numbers[leader, places.decision])
            agreeing += differs < SAME if watch.adds else differs == 0.0
    samples[k, INFORMED], samples[k, AGREEING] = informed / begun, agreeing / begun
    if leaders > 0:
        samples[k, MEAN_REACH] = reach / leaders
    if watch.adds:
        samples[k, PRESENT], samples[k, COUNTED] = present, total
        if leaders > 0:
            mean = total / leaders
            samples[k, LOAD_MEAN] = mean
            samples[k, LOAD_SIGMA] = np.sqrt(max(squares / leaders - mean * mean, 0.0))
