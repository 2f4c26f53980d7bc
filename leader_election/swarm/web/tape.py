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

"""A tape: the data of drawn sources over the frames of a run, packed for a self-contained page."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

LEVELS = 65534
"""The number of steps of a column of numbers: each keeps its range to that part."""
BLANK = LEVELS + 1
"""NaN among them."""
COARSEST = 0.1
"""The largest step; columns of a wider range are kept as they are, in single precision."""
FEW = 256
"""A column with at most this many different numbers keeps them exactly."""
Data = Mapping[str, Sequence[Any]]
"""The columns of a source, all of one length, by name."""

UNPACK = """
const data = {}
const [low, high] = [tape.rows[frame], tape.rows[frame + 1]]
const each = (from, to, what) => Array.from({length: to - from}, (_, i) => what(from + i))
for (const {name, packed, least, step, blank, words, starts} of tape.columns) {
  const value = (i) => words.length ? words[packed[i]]
    : packed[i] == blank ? NaN : least + step * packed[i]
  data[name] = each(low, high, starts.length
    ? (row) => each(starts[row], starts[row + 1], value) : value)
}
source.data = data
"""
"""JavaScript: give ``source`` the data of ``frame``, a number, from its ``tape``."""


def tape(frames: Sequence[Data]) -> dict[str, Any]:
    """
    Pack the data of one source over all frames, for :data:`UNPACK`.

    :param frames: the data at each frame, at least one. Columns hold numbers, texts, or in each
        row a list of numbers (the corners of a polygon).
    :return: ``rows``: the first row of each frame, and the number of all; ``columns``: of each the
        ``name``, the ``packed`` numbers with their ``least`` and ``step``, or the ``words`` that
        they stand for (texts, whole numbers, or few numbers); ``starts``: of rows of lists, the
        place of each one's first number.

    >>> of = tape([{'x': [0.5, 2.0], 'tint': ['red', 'blue']}, {'x': [], 'tint': []}])
    >>> of['rows'].tolist(), [column['packed'].tolist() for column in of['columns']]
    ([0, 2, 2], [[0, 1], [0, 1]])
    >>> [column['words'] for column in of['columns']]
    [[0.5, 2.0], ['red', 'blue']]
    """
    lengths = [len(next(iter(frame.values()))) for frame in frames]
    return {'rows': _starts(lengths), 'columns': [
        {'name': name, **_column([value for frame in frames for value in frame[name]])}
        for name in frames[0]]}


def _column(values: Sequence[Any]) -> dict[str, Any]:
    """Pack the values of one column."""
    column: dict[str, Any] = {
        'least': 0.0, 'step': 1.0, 'blank': None, 'words': list[Any](), 'starts': []}
    if values and isinstance(values[0], (list, tuple, np.ndarray)):
        column['starts'] = _starts([len(row) for row in values])
        values = [value for row in values for value in row]
    numbers = np.array(values)
    if numbers.dtype.kind != 'f':
        codes = {word: code for code, word in enumerate(dict.fromkeys(values))}
        return {**column, 'words': [*codes], 'packed': np.array(
            [codes[value] for value in values], dtype=np.min_scalar_type(len(codes)))}
    few, places = np.unique(numbers, return_inverse=True)
    if len(few) <= FEW:
        return {**column, 'words': few.tolist(), 'packed': places.astype(np.uint8)}
    finite = few[np.isfinite(few)]
    least = float(finite[0])
    step = (float(finite[-1]) - least) / LEVELS or COARSEST
    if step > COARSEST:
        return {**column, 'packed': numbers.astype(np.float32)}
    packed = np.where(np.isfinite(numbers), np.rint((numbers - least) / step), BLANK)
    return {**column, 'packed': packed.astype(np.uint16), 'least': least, 'step': step,
            'blank': BLANK}


def _starts(lengths: Sequence[int]) -> NDArray[np.int32]:
    return np.cumsum([0, *lengths]).astype(np.int32)
