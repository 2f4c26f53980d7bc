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

"""Memory of a network in one piece, so that a processor finds its way about it quickly."""

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

LINE = 64
"""A line of a processor's cache [bytes]: rows of 8, 16, 32 or 64 bytes never lie in two."""
PAGES = 1 << 22
"""From this size on numpy asks the system for large pages [bytes]: there are then few of them, so
that the processor keeps in mind where each lies."""

T = TypeVar('T')


def packed(value: T) -> T:
    """
    Return the same named tuple, in which the arrays lie side by side in one piece of memory.

    Each begins with a line of its own. Those that are as large by themselves stay where they are.

    :param value: a named tuple of arrays, of named tuples, and of anything else, which stays.

    >>> from collections import namedtuple
    >>> one, two = packed(namedtuple('Pair', 'one, two')(np.arange(3), np.ones((2, 2))))
    >>> one, two.ctypes.data - one.ctypes.data
    (array([0, 1, 2]), 64)
    """
    arrays = [array for array in _arrays(value) if array.nbytes < PAGES]
    size = sum(map(_room, arrays))
    # What is not used of it costs nothing.
    piece = np.empty(max(size, PAGES if size >= PAGES // 4 else 0) + LINE, np.uint8)
    at = -piece.ctypes.data % LINE
    moved: dict[int, NDArray[Any]] = {}
    for array in arrays:
        place = piece[at:at + array.nbytes].view(array.dtype).reshape(array.shape)
        place[...] = array
        moved[id(array)] = place
        at += _room(array)
    result: T = _with(value, moved)
    return result


def _room(array: NDArray[Any]) -> int:
    """Return how much an array takes, up to the end of its last line [bytes]."""
    return -(-array.nbytes // LINE) * LINE


def _arrays(value: Any) -> list[NDArray[Any]]:
    if isinstance(value, np.ndarray):
        return [value]
    return [array for part in value for array in _arrays(part)] if isinstance(value, tuple) else []


def _with(value: Any, moved: dict[int, NDArray[Any]]) -> Any:
    if isinstance(value, np.ndarray):
        return moved.get(id(value), value)
    if isinstance(value, tuple):
        return value._make(_with(part, moved) for part in value)  # type: ignore[attr-defined]
    return value
