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

"""Straight legs, walked in equal strides: a tick costs no more than adding one to the position."""

import math
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

FOR_EVER = 2**62
"""So many strides are never walked."""


class Walk(Protocol):
    """What the state of a motion holds for this; arrays have one entry, or row, a device."""

    @property
    def target(self) -> NDArray[np.float64]:
        """The end of the leg [m], shape (n, 2)."""
    @property
    def left(self) -> NDArray[np.int64]:
        """Whole strides left before the last one, which ends at the target, shape (n,)."""
    @property
    def stride(self) -> NDArray[np.float64]:
        """What a whole stride adds to the position [m], shape (n, 2)."""


def stride(walk: Walk, i: int, position: NDArray[np.float64]) -> bool:
    """Move device i by a whole stride, and return true; false: what is left is the last one."""
    if walk.left[i] > 0:
        walk.left[i] -= 1
        position[i, 0] += walk.stride[i, 0]
        position[i, 1] += walk.stride[i, 1]
        return True
    return False


def set_out(walk: Walk, i: int, x: float, y: float, to_x: float, to_y: float,
            length: float) -> None:
    """
    Begin a leg of device i, which has none left, from (x, y) to (to_x, to_y).

    :param length: of a whole stride [m], > 0.
    """
    walk.target[i, 0], walk.target[i, 1] = to_x, to_y
    far = math.sqrt((to_x - x) * (to_x - x) + (to_y - y) * (to_y - y))
    if far > length:
        # As many as that are never walked, and more would be no whole number of 64 bits.
        walk.left[i] = math.ceil(min(far / length, 1e18)) - 1
        walk.stride[i, 0] = (to_x - x) * length / far
        walk.stride[i, 1] = (to_y - y) * length / far
