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
Export results as a CSV table, with a row for each run and time, for each run, or for its devices.

A row has the algorithm, the keys that vary, the seed, the time and all measures. In a table with a
row for each run, measures are means over time without the first sixth, and derived measures and
counters follow. A table with a row for each run and device has the measures of devices. Missing
runs have no rows.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from leader_election_lab.analysis.measures import DERIVED, time_average
from leader_election_lab.experiment.scenario import Scenario
from leader_election_lab.runs import results
from leader_election_lab.runs.files import reason, replacing, ResultError
from leader_election_lab.states import COUNTERS, DEVICE_MEASURES
from leader_election_lab.terminal_output import Rows, terminal_table
import pandas
from rich.table import Table
import xarray

CSV = '.csv'
MEAN = 'Mean over time without the first sixth. '
TIMES, RUNS, DEVICES = 'times', 'runs', 'devices'
"""What a row stands for: a run at a time, a run, or a device of a run."""


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


def columns(frame: pandas.DataFrame, scenario: Scenario, rows: str) -> list[Column]:
    """
    Return the columns of the table.

    :param frame: rows of it.
    :param rows: what they are: ``TIMES``, ``RUNS`` or ``DEVICES``.
    """
    averaged = (*results.measures_of(scenario), *DERIVED) if rows == RUNS else ()
    labels = {name: results.attributes(name, scenario) for name in frame.columns}
    return [Column(name, label.get('units', ''),
                   (MEAN if name in averaged else '') + label['description'])
            for name, label in labels.items()]


def frames(dataset: xarray.Dataset, rows: str) -> Iterator[pandas.DataFrame]:
    """
    Yield the rows of each algorithm and variant that has been run, without missing runs.

    :param rows: ``TIMES``, ``RUNS`` or ``DEVICES``.
    """
    own = {TIMES: ['time'], RUNS: [], DEVICES: ['device']}[rows]
    keys = ['algorithm', *results.varied(dataset), 'seed']
    for one in results.finished_variants(dataset):
        measures = {name: one[name] for name in (
            DEVICE_MEASURES if rows == DEVICES else results.sampled(one))}
        if rows == RUNS:
            measures |= {name: derive(one) for name, derive in DERIVED.items()}
            measures = {name: time_average(values) for name, values in measures.items()}
            measures |= {name: one['counts'].sel(counter=name, drop=True) for name in COUNTERS}
            measures['message_bytes'] = one['message_bytes']
        frame = xarray.Dataset(measures).to_dataframe(
            dim_order=['seed', *own]).reset_index()
        if rows == DEVICES:
            # A variant may have fewer devices than another one.
            frame = frame[frame['uptime'].notna()]
        yield frame[[*keys, *own, *measures]]


def write(dataset: xarray.Dataset, scenario: Scenario, path: Path, rows: str = TIMES) -> int:
    """
    Write the table, and replace the file as a whole.

    :param dataset: the results of the scenario.
    :param path: ends in ``.csv``.
    :param rows: ``TIMES``, ``RUNS`` or ``DEVICES``.
    :return: the number of rows.
    :raises ResultError: if the file cannot be written, or the results have no devices.
    """
    check_format(path)
    if rows == DEVICES and not scenario.measure.devices:
        raise ResultError(f'the results of {scenario.name} have no measures of devices; they take '
                          'measure: {devices: true} in the scenario')
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ResultError(f'{path} cannot be written ({reason(error)})') from None
    count = 0
    with replacing(path) as temporary, open(
            temporary, 'w', newline='', encoding='utf-8') as stream:
        for frame in frames(dataset, rows):
            frame.to_csv(stream, index=False, header=count == 0)
            count += len(frame)
    return count


def legend(dataset: xarray.Dataset, scenario: Scenario, rows: str) -> Table:
    """Return the units and descriptions of the columns, as a table for the terminal."""
    return terminal_table(Rows('', ('column', 'unit', 'description'),
                               columns(next(frames(dataset, rows)), scenario, rows)))
