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

"""Print tables, and progress as a bar in a terminal or as plain lines elsewhere."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from time import monotonic
from typing import NamedTuple

from rich import progress
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

WIDE = 240
"""Greatest length of a line where there is no terminal [characters]."""
LINES = 50
"""Approximate number of progress lines of a computation where there is no terminal."""


def console() -> Console:
    """Return the console of the standard output, which wraps lines only in a terminal."""
    return Console(width=None if Console().is_terminal else WIDE, highlight=False)


class Rows(NamedTuple):
    """A table as texts."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str] = ()
    """The lines below the table, on the meaning of the numbers and their correction."""


TEXTS = ('algorithm', 'minus', 'scenario', 'title', 'algorithms', 'column', 'unit', 'description')
"""The columns that are aligned on the left. The others are numbers."""


def terminal_table(rows: Rows) -> Table:
    """Return a table for the terminal. In a narrow one columns and headings take less width."""
    shown = Table(box=SIMPLE_HEAD, title=rows.title or None, title_justify='left',
                  caption='\n'.join(rows.notes) or None, caption_justify='left')
    for column in rows.columns:
        shown.add_column(column, justify='left' if column in TEXTS else 'right', overflow='fold')
    for row in rows.rows:
        shown.add_row(*row)
    terminal = console()
    unlimited = terminal.options.update(max_width=WIDE)
    if terminal.measure(shown, options=unlimited).maximum > terminal.width:
        shown.padding = (0, 0)
        for heading in shown.columns:
            heading.header = str(heading.header).replace(' ', '\n')
    return shown


class Progress:
    """The progress of a number of runs."""

    def __init__(self, to: Console | None = None) -> None:
        self.console = to or console()
        self._bar = progress.Progress(
            progress.TextColumn('{task.description}'), progress.BarColumn(),
            progress.MofNCompleteColumn(), progress.TextColumn('{task.fields[rate]}'),
            progress.TimeRemainingColumn(),
            console=self.console, disable=not self.console.is_terminal)
        self._total = self._done = self._rounds = 0
        self._began = 0.0
        self._workers = ''

    def note(self, text: str) -> None:
        """Print a line."""
        self.console.print(text, markup=False)

    def at_work(self, workers: int) -> None:
        """Show the number of workers of a cluster from now on."""
        self._workers = f', {workers} worker{"" if workers == 1 else "s"}'

    @contextmanager
    def counting(self, what: str, total: int) -> Iterator[None]:
        """
        Show the progress of a number of runs, until the end of the block.

        :param what: a title.
        :param total: number of runs.
        """
        self._total, self._done, self._rounds = total, 0, 0
        self._began = monotonic()
        self._task = self._bar.add_task(what, total=total, rate='')
        with self._bar:
            yield

    def finished(self, what: str, rounds: int) -> None:
        """
        Count a finished run.

        :param what: the run, for the line that reports it.
        :param rounds: number of rounds that devices ran in it.
        """
        self._done += 1
        self._rounds += rounds
        passed = monotonic() - self._began
        rate = (f'{self._rounds / max(passed, 1e-9) / 1e6:.2f} million device-rounds/s'
                f'{self._workers}')
        self._bar.update(self._task, advance=1, rate=rate)
        # One line for each run if there are few, else one for every total / LINES runs.
        if self._bar.disable and (
                self._done * LINES // self._total > (self._done - 1) * LINES // self._total):
            left = passed / self._done * (self._total - self._done)
            self.note(f'{self._done} of {self._total} runs: {what}; {rate}, {left:.0f} s left')
