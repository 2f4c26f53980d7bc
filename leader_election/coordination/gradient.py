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
G: the distance to the nearest source, and what is told on from there.

M. Viroli, G. Audrito, J. Beal, F. Damiani, D. Pianini, "Engineering Resilient Collective Adaptive
Systems by Self-Stabilisation", TOMACS 2018. It heals by itself where the metric is greater than
zero: what was heard of a source that is gone grows by that with each round.
"""

from collections.abc import Sequence
import math
from typing import Any

ITSELF = -1
"""No neighbour: a source, or a device that has heard of none."""


def gradient(source: bool, potential: Sequence[float], metric: Sequence[float],
             ) -> tuple[float, int]:
    """
    Return the distance to the nearest source, and the neighbour that it came through.

    :param source: whether this device is one.
    :param potential: the neighbours' distances, shape (neighbours,).
    :param metric: the distance to each neighbour, > 0, shape (neighbours,).
    :return: the distance, infinite where no source is known, and the parent's place or ``ITSELF``.

    >>> gradient(False, [2.0, 0.5], [1.0, 3.0])
    (3.0, 0)
    >>> gradient(True, [2.0, 0.5], [1.0, 3.0])
    (0.0, -1)
    """
    if source:
        return 0.0, ITSELF
    best, parent = math.inf, ITSELF
    for j in range(len(metric)):
        # No distance is below zero: a lie that is would take for ever to grow out of it.
        far = max(potential[j], 0.0) + metric[j]
        if far < best:
            best, parent = far, j
    return best, parent


def cast(parent: int, own: Any, told: Sequence[Any]) -> Any:
    """
    Return what is told on down the gradient: one's own on a source, else the parent's.

    >>> cast(1, 'mine', ['this', 'that']), cast(ITSELF, 'mine', [])
    ('that', 'mine')
    """
    return told[parent] if parent >= 0 else own
