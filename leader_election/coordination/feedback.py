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
Feedback: the more load a region has, the smaller its leader makes it (COORDINATION 2019).

The radius travels with the candidacy, and a robot measures its way to a leader in units of that
leader's radius; so any algorithm that has a radius can be run with feedback.
"""

from collections.abc import Sequence
from typing import Any

from leader_election.coordination.region import RegionParameters
import numpy as np

MOST_LOAD = 100.0
"""In units of the target: a load above counts as this, or it would be felt for too long."""


def decay(value: float, floor: float, factor: float = 1.0, step: float = 0.0) -> float:
    """
    Return a value after one more round: a fraction of it, less a step, but not below a floor.

    This is T, time decay (M. Viroli, G. Audrito, J. Beal, F. Damiani, D. Pianini, "Engineering
    Resilient Collective Adaptive Systems by Self-Stabilisation", TOMACS 2018). A countdown has a
    step; a value that fades has a factor.

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
    Return the smoothed load: ``alpha`` of the load now, the rest of what it was.

    :param load: now, >= 0; ``before`` as it was returned the round before.
    """
    now = min(max(load, 0.0), MOST_LOAD * p.target)
    return p.alpha * now + decay(min(before, MOST_LOAD * p.target), 0.0, 1.0 - p.alpha)


def resized(load: float, p: RegionParameters) -> float:
    """Return the radius of a region under a smoothed load [m]."""
    factor = 1.0 + p.gain * (1.0 - load / p.target)
    return p.radius * min(max(factor, p.least), p.most)


def scaled(reach: Sequence[float], metric: Sequence[float], p: RegionParameters) -> Any:
    """
    Return the distances to neighbours in units in which their leaders' radii are all the same.

    :param reach: the radius of each neighbour's leader [m].
    :param metric: the distance to each [m], shape (neighbours,).
    """
    scale = np.empty(len(metric))
    for j in range(len(metric)):
        # Whatever it says: within the limits.
        limited = min(max(reach[j], p.radius * p.least), p.radius * p.most)
        scale[j] = metric[j] * (p.radius / limited) if p.radius > 0.0 else metric[j]
    return scale
