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
Statements of the papers beyond their numbers, and the laboratory's verdicts.

A statement is a sentence of a paper that can be measured, and the numbers that decide it. Each has
a 95 % interval over seeds. The verdict is ``yes`` if all intervals are in the range of the
sentence, ``no`` if one is outside, otherwise ``open``. A number does not decide while a run has
none, or while its bootstrap interval is of too few seeds. Sentences are shortened.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from leader_election_lab.experiment import scenario as scenarios
from leader_election_lab.runs.files import path_of
from leader_election_lab.runs.kept import kept_of
from leader_election_lab.runs.results import MISSING
import numpy as np
from reproduction import acsos2022, coordination2019, ENOUGH, ifac2020
from reproduction.readings import BOUNDED, Reading, ROBOTS, Statement, verdict
import xarray as xr

STATEMENTS: Sequence[Statement] = (
    *acsos2022.STATEMENTS, *ifac2020.STATEMENTS, *coordination2019.STATEMENTS)
"""Sections and figures are those of the papers that say it. *Here* names what is measured."""
COLUMNS = ('paper', 'the sentence', 'run, seeds', 'result, 95 %', 'so?')
HYSTERESIS_COLUMNS = ('the sentence', 'bounded', 'with the hysteresis of robots')
LEGEND = ('*So?* follows from the 95 % intervals over seeds: yes, if all are where the sentence '
          'has them, no, if one is not at all, else open. A number with runs that *never* got '
          'there decides nothing. Bootstrap intervals say how often they *cover* the value. They '
          f'decide from {ENOUGH} seeds on. Sentences are shortened. *Wall, corner, '
          'walking*: the instability with the strongest there, less that with it in the middle. '
          'To *stabilise* is to have a mean over five seconds within 10 % of that of the last '
          '100 s, for 20 s. A few seconds are 10. *Rounds to spare* are the least of any run. '
          '*Slides* are those of the talk.')
HYSTERESIS = ("Verdicts without and with the robots' hysteresis (`radius_hysteresis` 0.25, "
              '`hop_limit` automatic), by the same runs:')
LINE = '<br>'
"""Between the lines of a cell."""


def complete(results: xr.Dataset) -> xr.Dataset:
    """Return only the seeds that were run with all algorithms, in all variants."""
    run = results['counts'] != MISSING
    return results.isel(seed=np.flatnonzero(run.all([key for key in run.dims if key != 'seed'])))


def results_of(folder: Path) -> Iterator[tuple[Statement, int, list[tuple[str, list[Reading]]]]]:
    """
    Yield each statement with the number of seeds, and with the numbers of each algorithm.

    :param folder: of the results. Without those of its scenario a statement has no numbers.
    """
    loaded: dict[str, xr.Dataset] = {}
    for statement in STATEMENTS:
        name = statement.scenario
        if not path_of(folder, name).exists():
            yield statement, 0, []
            continue
        if name not in loaded:
            loaded[name] = complete(kept_of(scenarios.load(name), folder, name))
        yield statement, loaded[name].sizes['seed'], [
            (label, statement.test(loaded[name], label)) for label in statement.labels]


def rows(folder: Path) -> Iterator[tuple[str, ...]]:
    """Yield the row of each statement, as in ``COLUMNS``, with a line for each algorithm."""
    for statement, seeds, found in results_of(folder):
        run = f'`{statement.scenario}`, {seeds}' if found else \
            f'takes `lab run {statement.scenario}`'
        yield (f'{statement.paper}, {statement.section}', statement.says, run, LINE.join(
            f'{label}: {"; ".join(reading.text() for reading in readings)}'
            for label, readings in found), LINE.join(verdict(readings) for _, readings in found))


def hysteresis_rows(folder: Path) -> Iterator[tuple[str, ...]]:
    """Yield the verdicts without and with the robots' hysteresis, of statements about both."""
    for statement, _, found in results_of(folder):
        verdicts = {label: verdict(readings) for label, readings in found}
        if ROBOTS in verdicts:
            yield statement.says, verdicts[BOUNDED], verdicts[ROBOTS]


def table(head: Sequence[str], lines: Iterator[tuple[str, ...]]) -> str:
    """Return a table as Markdown."""
    return '\n'.join(f'| {" | ".join(cells)} |' for cells in (head, ['---'] * len(head), *lines))


def markdown(folder: Path) -> str:
    """Return the table of all statements, and that of the effect of hysteresis, as Markdown."""
    return (f'{LEGEND}\n\n{table(COLUMNS, rows(folder))}\n\n{HYSTERESIS}\n\n'
            f'{table(HYSTERESIS_COLUMNS, hysteresis_rows(folder))}')
