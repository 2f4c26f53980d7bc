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

"""Tables of numbers in CSV files, with errors that name the file and the line."""

from collections.abc import Collection, Sequence
import csv
import math
from pathlib import Path
from typing import NamedTuple

from leader_election.parameters import ParameterError
import numpy as np
from numpy.typing import NDArray


class LogError(ParameterError):
    """An unusable log; the message is one line that names the file and the line in it."""


class Table(NamedTuple):
    """The rows of a file."""

    values: NDArray[np.float64]
    """Shape (rows, columns)."""
    lines: list[int]
    """The line of each row in the file."""


def read_table(path: Path, columns: Sequence[str],
               may_lack: Collection[str] = ()) -> Table:
    """
    Read columns of a CSV file with a header; further columns are ignored.

    :param path: of the file.
    :param columns: the names of the columns.
    :param may_lack: columns whose values may be empty or ``nan``, or that may be missing; such
        values are NaN.
    :raises LogError: for a missing column, a value that is missing or not finite, or an
        unreadable file.
    """
    rows: list[list[float]] = []
    lines: list[int] = []
    try:
        with path.open(newline='', encoding='utf-8-sig') as file:
            reader = csv.DictReader(file)
            missing = [name for name in columns
                       if name not in (reader.fieldnames or ()) and name not in may_lack]
            if missing:
                raise ValueError(f'line 1: missing columns {", ".join(missing)}')
            for values in reader:
                rows.append([_number(name, values.get(name), name in may_lack, reader.line_num)
                             for name in columns])
                lines.append(reader.line_num)
    except (OSError, ValueError, csv.Error) as error:
        raise LogError(f'log {path}: {error}') from error
    return Table(np.reshape(rows, (len(rows), len(columns))), lines)


def _number(name: str, text: str | None, may_lack: bool, line: int) -> float:
    try:
        value = float(text or 'nan')
    except ValueError:
        value = math.inf
    if not math.isfinite(value) and not (may_lack and math.isnan(value)):
        raise ValueError(f'line {line}: {name} is not a finite number: {text!r}')
    return value
