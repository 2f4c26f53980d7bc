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

"""Tables of numbers in CSV files: columns that may lack, lines, and errors."""

from pathlib import Path

from leader_election.parameters import ParameterError
from leader_election.simulation.csv_table import LogError, read_table
import numpy as np
import pytest


def table(tmp_path: Path, text: str) -> Path:
    path = tmp_path / 'table.csv'
    path.write_text(text)
    return path


def test_rows_have_their_columns_and_lines(tmp_path: Path) -> None:
    path = table(tmp_path, 'b,more,a\n2,x,1\n\n4,y,3\n')
    values, lines = read_table(path, ('a', 'b'))
    assert values.tolist() == [[1.0, 2.0], [3.0, 4.0]] and lines == [2, 4]
    assert read_table(table(tmp_path, 'a\n'), ('a',)).values.shape == (0, 1)


def test_values_that_may_lack_are_nan(tmp_path: Path) -> None:
    path = table(tmp_path, 'a,b\n1,\n2,nan\n3\n')
    values, _ = read_table(path, ('a', 'b', 'c'), may_lack=('b', 'c'))
    np.testing.assert_equal(values, [[i, np.nan, np.nan] for i in (1.0, 2.0, 3.0)])
    with pytest.raises(LogError, match='line 1: missing columns c$'):
        read_table(path, ('a', 'b', 'c'), may_lack=('b',))
    with pytest.raises(LogError, match="line 2: b is not a finite number: ''"):
        read_table(path, ('a', 'b'))


def test_errors_are_errors_of_parameters_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=f'^log {tmp_path}/none.csv: ') as error:
        read_table(tmp_path / 'none.csv', ('a',))
    assert len(str(error.value).splitlines()) == 1
