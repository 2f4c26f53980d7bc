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

"""Run the study of regions, and report what agrees with its paper."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from time import monotonic

from leader_election.lab import runs
from leader_election.lab import scenario as scenarios
from leader_election.lab.figures.style import count_seeds
from leader_election.lab.report import computed, draw_all, images
from leader_election.lab.results import reason, ResultError, varied
from leader_election.lab.study import claims, COLUMNS, FIGURES, rows, SCENARIO
from leader_election.lab.summary import lines
import xarray as xr

COLLECTIONS = 'collections'
"""The scenario that compares ways to collect."""
FEWER = 5
"""It is run with so many times fewer seeds: it runs for as long as the rest otherwise."""


def study(seeds: int, folder: Path, workers: int | None = None) -> int:
    """
    Run the study and the comparison of collections, draw their figures, and write ``study.md``.

    :param seeds: how many, from 0 on.
    :param folder: of the results; figures go to ``figures`` in it.
    :param workers: runs at the same time; ``None``: one a core.
    :return: the exit status, 0: what does not agree with the paper is told, and is no error.
    :raises ResultError: where a file cannot be read or written.
    """
    began = monotonic()
    results = {name: runs.run(scenarios.load(name), range(count), folder=folder, workers=workers)
               for name, count in ((SCENARIO, seeds), (COLLECTIONS, max(1, seeds // FEWER)))}
    drawn, missing = draw_all(FIGURES, folder)
    text = report(results[SCENARIO], results[COLLECTIONS], drawn, missing, monotonic() - began)
    path = folder / 'study.md'
    try:
        path.write_text(text)
    except OSError as error:
        raise ResultError(f'{path} cannot be written ({reason(error)})') from None
    print(f'wrote {path}')
    return 0


def report(paper: xr.Dataset, collections: xr.Dataset, drawn: Sequence[str],
           missing: Sequence[str], seconds: float) -> str:
    """
    Return the report, as Markdown.

    :param paper: results of the study.
    :param collections: results of the comparison of ways to collect.
    :param drawn: the names of the figures in the folder ``figures`` beside the report.
    :param missing: a line for each figure that could not be drawn.
    :param seconds: how long it took.
    """
    one = paper.isel(algorithm=0, drop=True)
    found = claims(one)
    agree = sum(claim.agrees for claim in found)
    parts = [
        '# Self-organising Coordination Regions, studied', '', '## The study of the paper', '',
        f'{paper.attrs["title"]}. {paper.attrs["source"]}. {count_seeds(one["counted"])} of each '
        'variant.', '',
        f'The paper has no table. Of what it says in words {agree} of {len(found)} are so here:',
        '', *_table(('the paper says', 'here', 'agrees'), (claim.cells() for claim in found)),
        *images(name for name in drawn if name.startswith(SCENARIO)), '',
        'All numbers, of the last five minutes before leaders fail and of the last five of all: '
        'leaders, users served, users served by each leader (mean and deviation).', '',
        *_table(COLUMNS, rows(one)), '', '## Ways to collect', '',
        f'{collections.attrs["title"]}. {count_seeds(collections["counted"])} of each variant.',
        *images(name for name in drawn if not name.startswith(SCENARIO)), '',
        *_table(('algorithm', *varied(collections), 'bias', 'off', 'informed', 'agree', 'bytes'),
                _of_collections(collections))]
    if missing:
        parts += ['', '## Not drawn', '', *(f'- {line}' for line in missing)]
    return '\n'.join([*parts, '', '## How it was computed', '',
                      *computed({SCENARIO: paper, COLLECTIONS: collections}, seconds), ''])


def _of_collections(results: xr.Dataset) -> list[tuple[str, ...]]:
    return [(line.algorithm, *(f'{value:g}' for value in line.varied), f'{line.bias:+.1%}',
             f'{line.error:.1%}', f'{line.informed:.1%}', f'{line.agreeing:.1%}',
             f'{line.message_bytes:.0f}') for line in lines(results)]


def _table(columns: Sequence[str], cells: Iterable[Sequence[str]]) -> list[str]:
    return [f'| {" | ".join(line)} |' for line in (columns, ('---',) * len(columns), *cells)]
