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

"""The summary of a scenario's results: one line for each algorithm and variant, as a table."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from leader_election_lab.analysis import measures
from leader_election_lab.analysis.measures import BIAS, Estimate, has_counts, LED, OFF, WARM_UP
from leader_election_lab.runs.results import (
    finished_variants,
    MISSING,
    PERIOD,
    scenario_of,
    varied,
    WINDOW,
)
from leader_election_lab.states import COUNTERS, OUT_OF_LEVELS, ROUNDS, SENT
from leader_election_lab.terminal_output import Rows, terminal_table
import numpy as np
from rich.table import Table
import xarray

COLUMNS = {'instability': '.4f', 'leaders': '.1f', LED: '.1%'}
"""
The columns of means over seeds, with the form of a number, as of :func:`format`.

A measure over time is averaged without the warm-up.
"""
REGION_COLUMNS = {BIAS: '+.1%', OFF: '.1%', 'informed': '.1%', 'agreeing': '.1%'}
"""The columns of results with regions, beside the others."""

CAPTION = """\
instability, leaders, led: means over time, without the first sixth of the run, and over seeds
    (±: 95 % interval of that mean, by Student's t over seeds)
led: the part of devices whose leader leads itself
stable after: the round after which no device changed its leader, to one interval of samples
    (never: no such round before the last sixth of the run)
receivers, bytes: of a message; each device sends one message a round"""

REGIONS_CAPTION = """
bias, off: mean deviation and mean absolute deviation of what leaders count together
informed, agreeing: devices that have a decision, and that have their leader's present one"""


class Line(NamedTuple):
    """The summary of one algorithm in one variant, over all of its seeds."""

    algorithm: str
    varied: tuple[Any, ...]
    seeds: int
    means: Mapping[str, Estimate]
    """By column. Those of :data:`REGION_COLUMNS` are missing without regions."""
    settled: int
    """Number of settled seeds: from some time on, no device changed its leader for long enough."""
    settling: float
    """Mean of that time over the settled seeds [rounds], nan if there are none."""
    receivers: float
    """Mean number of devices in range of a message."""
    message_bytes: float
    """Mean length of a message [bytes]."""


def lines(dataset: xarray.Dataset) -> list[Line]:
    """
    Return a line for each algorithm and variant that has been run.

    A run is settled if leaders stay the same for a sixth of it, and for the window of instability.
    """
    return [_line(one, tuple(one[name].item() for name in varied(dataset)))
            for one in finished_variants(dataset)]


def _line(one: xarray.Dataset, values: tuple[Any, ...]) -> Line:
    times, period = one['time'].values, one[PERIOD].item()
    # The first sample without a change covers the interval before it: the last change is no later
    # than the sample before, the first of which would be at 0.
    settling = np.array([
        measures.settling_time(times, changes, 0.5, 0.0, times[-1])
        for changes in one['changes'].values]) - times[0]
    # A single sample without a change is not enough: a run that never settles also has some.
    settled = times[-1] - settling >= max(WARM_UP * times[-1], one[WINDOW].item() * period)
    counts = one['counts'].values.sum(axis=0)
    return Line(
        algorithm=one['algorithm'].item(), varied=values, seeds=one.sizes['seed'],
        means={measure: _mean(one, measure) for measure in (
            *COLUMNS, *(REGION_COLUMNS if has_counts(one) else ()))},
        settled=int(settled.sum()),
        settling=float(settling[settled].mean() / period) if settled.any() else float('nan'),
        receivers=float(counts[SENT] / counts[ROUNDS]),
        message_bytes=float(one['message_bytes'].mean()))


def _mean(one: xarray.Dataset, measure: str) -> Estimate:
    """Return the mean of a measure over the seeds that have a value."""
    of_seeds = measures.each_run(one, measure).dropna('seed')
    return measures.estimate_mean(of_seeds.values.astype(np.float64))


def table(dataset: xarray.Dataset) -> Table:
    """Return the summary as a table for the terminal."""
    return terminal_table(Rows(dataset.attrs['title'], *cells(dataset), [caption(dataset)]))


def caption(dataset: xarray.Dataset) -> str:
    """Return the lines that explain the numbers."""
    return CAPTION + (REGIONS_CAPTION if has_counts(dataset) else '')


def cells(dataset: xarray.Dataset) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Return the columns and the rows of the summary, as texts."""
    of_regions = REGION_COLUMNS if has_counts(dataset) else {}
    columns = ('algorithm', *varied(dataset), 'seeds', *COLUMNS, 'stable after', 'receivers',
               'bytes', *of_regions)
    return columns, [(
        line.algorithm, *map(str, line.varied), str(line.seeds), *mean_texts(line, COLUMNS),
        stability(line), f'{line.receivers:.1f}', f'{line.message_bytes:.0f}',
        *mean_texts(line, of_regions))
        for line in lines(dataset)]


def mean_texts(line: Line, columns: Mapping[str, str]) -> list[str]:
    """Return the means of some columns as texts, empty for an algorithm without regions."""
    return [line.means[measure].text(form) if measure in line.means else ''
            for measure, form in columns.items()]


def stability(line: Line) -> str:
    """Return the round after which no device changed its leader, as text."""
    if line.settled == 0:
        return 'never'
    rounds = f'{line.settling:.0f}'
    return rounds if line.settled == line.seeds else f'{rounds} ({line.settled} of {line.seeds})'


def level_lines(results: xarray.Dataset) -> Iterator[str]:
    """
    Yield a line for each algorithm with levels: how many rounds ended at the last one.

    A device that reaches the last level leads itself. If none did, the result is that of an
    endless recursion.

    :param results: of a scenario, with its text in the attribute ``text``.
    """
    if COUNTERS[OUT_OF_LEVELS] not in results['counter']:
        return
    for entrant in scenario_of(results).entrants:
        levels = entrant.algorithm.levels
        if levels == 0 or entrant.label not in results['algorithm']:
            continue
        counts = results['counts'].sel(algorithm=entrant.label)
        run = counts.where(counts != MISSING, 0)
        rounds = int(run.sel(counter=COUNTERS[ROUNDS]).sum())
        hit = int(run.sel(counter=COUNTERS[OUT_OF_LEVELS]).sum())
        if rounds == 0:
            continue
        varies = any(str(name).endswith('.levels') for name in results.dims)
        last = f'the last of its {"" if varies else f"{levels} "}levels'
        yield (f'{entrant.label}: no round reached {last}; the result is that of an endless '
               'recursion' if hit == 0 else
               f'{entrant.label}: {hit} of {rounds} rounds ({hit / rounds:.2%}) reached {last}, '
               'where a device leads itself; algorithms.levels sets more')
