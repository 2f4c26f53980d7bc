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
Feedback: a leader shrinks its region when its load grows (COORDINATION 2019).

The radius travels with the candidacy, and a robot measures its distance to a leader in units of
that leader's radius. So feedback works with every algorithm that has a radius.
"""

from collections.abc import Sequence
from typing import Any

from leader_election.election.coordination.region import RegionParameters
import numpy as np

MOST_LOAD = 100.0
"""The largest load that counts, in units of the target; it bounds the time to forget a peak."""


def decay(value: float, floor: float, factor: float = 1.0, step: float = 0.0) -> float:
    """
    Return a value after one more round: a fraction of it, less a step, but not below a floor.

    This is building block T, time decay (M. Viroli, G. Audrito, J. Beal, F. Damiani, D. Pianini,
    "Engineering Resilient Collective Adaptive Systems by Self-Stabilisation", TOMACS 2018). A
    countdown has a step; a value that fades has a factor.

    :param value: the value before.
    :param floor: the smallest result.
    :param factor: the fraction that is kept, in [0, 1].
    :param step: what is subtracted, >= 0, in the unit of the value.

    >>> decay(3.0, 0.0, step=1.0), decay(0.5, 0.0, step=1.0), decay(8.0, 0.0, factor=0.5)
    (2.0, 0.0, 4.0)
    """
    return max(value * factor - step, floor)


def smoothed(load: float, before: float, p: RegionParameters) -> float:
    """
    Return the smoothed load: exponential smoothing with weight ``alpha``.

    :param load: the load now, >= 0.
    :param before: the smoothed load of the previous round.
    :param p: the parameters of the round.
    """
    now = min(max(load, 0.0), MOST_LOAD * p.target)
    return p.alpha * now + decay(min(before, MOST_LOAD * p.target), 0.0, 1.0 - p.alpha)


def resized(load: float, p: RegionParameters) -> float:
    """Return the radius of a region under a smoothed load [m]."""
    factor = 1.0 + p.gain * (1.0 - load / p.target)
    return p.radius * min(max(factor, p.least), p.most)


def scaled(reach: Sequence[float], metric: Sequence[float], p: RegionParameters) -> Any:
    """
    Return the distances to neighbours, scaled so that all leaders have the same radius.

    :param reach: the radius of each neighbour's leader [m].
    :param metric: the distance to each [m], shape (neighbours,).
    """
    scale = np.empty(len(metric))
    for j in range(len(metric)):
        # A received radius may be wrong: keep it within the limits.
        limited = min(max(reach[j], p.radius * p.least), p.radius * p.most)
        scale[j] = metric[j] * (p.radius / limited) if p.radius > 0.0 else metric[j]
    return scale
