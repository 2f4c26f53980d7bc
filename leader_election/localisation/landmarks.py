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

"""Landmarks: objects at known places that robots sight."""

from collections.abc import Mapping
import csv
import math
from pathlib import Path

from leader_election.parameters import ParameterError

COLUMNS = ('id', 'subject')
"""The names of the column of ids; in the data of MRCLAM, landmarks are subjects."""


def read_landmarks(path: str) -> Mapping[int, tuple[float, float]]:
    """
    Read the places of landmarks in the shared frame.

    :param path: of a CSV file with the columns id (or subject), x, y [m]; empty: no landmarks.
    :return: places by id.
    :raises ParameterError: for a file that is missing or wrong.
    """
    if not path:
        return {}
    landmarks: dict[int, tuple[float, float]] = {}
    try:
        with Path(path).expanduser().open(newline='', encoding='utf-8-sig') as file:
            reader = csv.DictReader(file)
            names = [name for name in COLUMNS if name in (reader.fieldnames or ())]
            if not names or not {'x', 'y'} <= set(reader.fieldnames or ()):
                raise ValueError('line 1: it takes the columns id, x, y')
            for row in reader:
                place = float(row['x']), float(row['y'])
                if not all(map(math.isfinite, place)):
                    raise ValueError(f'line {reader.line_num}: a place is not finite')
                landmarks[int(row[names[0]])] = place
    except (OSError, ValueError, TypeError, csv.Error) as error:
        raise ParameterError('landmarks', problem=f': {path}: {error}') from None
    return landmarks
