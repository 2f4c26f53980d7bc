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
Export results as a CSV table, with a row for each run and time, or for each run.

A row has the algorithm, the keys that vary, the seed, the time and all measures. In a table with a
row for each run, measures are means over time without the first sixth, and derived measures and
counters follow. Missing runs have no rows.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from leader_election_lab.analysis.measures import DERIVED, time_average
from leader_election_lab.experiment.scenario import Scenario
from leader_election_lab.runs import results
from leader_election_lab.runs.files import reason, replacing, ResultError
from leader_election_lab.states import COUNTERS
from leader_election_lab.terminal_output import Rows, terminal_table
import pandas
from rich.table import Table
import xarray

CSV = '.csv'
MEAN = 'Mean over time without the first sixth. '


class Column(NamedTuple):
    """A column of the table."""

    name: str
    units: str
    """Empty for texts."""
    description: str


def check_format(path: Path) -> None:
    """Raise a :class:`ResultError` if a table cannot be written to a path."""
    if path.suffix != CSV:
        raise ResultError(f'{path} is not allowed; it takes a name that ends in {CSV}')
    if path.is_dir():
        raise ResultError(f'{path} cannot be written: it is a folder; move it away')


def columns(frame: pandas.DataFrame, scenario: Scenario, summary: bool) -> list[Column]:
    """
    Return the columns of the table.

    :param frame: rows of it.
    :param summary: whether it has a row for each run, not for each run and time.
    """
    averaged = (*results.measures_of(scenario), *DERIVED) if summary else ()
    labels = {name: results.attributes(name, scenario) for name in frame.columns}
    return [Column(name, label.get('units', ''),
                   (MEAN if name in averaged else '') + label['description'])
            for name, label in labels.items()]


def frames(dataset: xarray.Dataset, summary: bool) -> Iterator[pandas.DataFrame]:
    """
    Yield the rows of each algorithm and variant that has been run, without missing runs.

    :param summary: whether each run has one row, not one for each time.
    """
    keys = ['algorithm', *results.varied(dataset), 'seed']
    for one in results.finished_variants(dataset):
        measures = {name: one[name] for name in results.sampled(one)}
        if summary:
            measures |= {name: derive(one) for name, derive in DERIVED.items()}
            measures = {name: time_average(values) for name, values in measures.items()}
            measures |= {name: one['counts'].sel(counter=name, drop=True) for name in COUNTERS}
            measures['message_bytes'] = one['message_bytes']
        frame = xarray.Dataset(measures).to_dataframe(
            dim_order=['seed'] if summary else ['seed', 'time']).reset_index()
        yield frame[[*keys, *([] if summary else ['time']), *measures]]


def write(dataset: xarray.Dataset, scenario: Scenario, path: Path, summary: bool = False) -> int:
    """
    Write the table, and replace the file as a whole.

    :param dataset: the results of the scenario.
    :param path: ends in ``.csv``.
    :param summary: whether to write a row for each run, not for each run and time.
    :return: the number of rows.
    :raises ResultError: if the file cannot be written.
    """
    check_format(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ResultError(f'{path} cannot be written ({reason(error)})') from None
    rows = 0
    with replacing(path) as temporary, open(
            temporary, 'w', newline='', encoding='utf-8') as stream:
        for frame in frames(dataset, summary):
            frame.to_csv(stream, index=False, header=rows == 0)
            rows += len(frame)
    return rows


def legend(dataset: xarray.Dataset, scenario: Scenario, summary: bool) -> Table:
    """Return the units and descriptions of the columns, as a table for the terminal."""
    return terminal_table(Rows('', ('column', 'unit', 'description'),
                               columns(next(frames(dataset, summary)), scenario, summary)))
