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

"""The report of ``lab study``: run, compare with the claims of the paper, draw, and write."""

from collections.abc import Sequence
from pathlib import Path
from time import monotonic

from leader_election.lab import figures
from leader_election.lab.analysis.claims import claim_rows, SCENARIO, TABLE_COLUMNS, table_rows
from leader_election.lab.analysis.summary import lines
from leader_election.lab.experiment import scenario as scenarios
from leader_election.lab.figures.style import count_seeds
from leader_election.lab.reports.paired_tables import to_first_rows
from leader_election.lab.reports.report import computed, draw_all, render, write
from leader_election.lab.runs import computation as runs
from leader_election.lab.runs.results import varied
import xarray as xr

COLLECTIONS = 'collections'
"""The scenario that compares collection methods."""
FEWER = 5
"""Divisor of its number of seeds: with all seeds it would take as long as the study."""
FIGURES = figures.of_scenarios((SCENARIO, COLLECTIONS))
"""The names of the figures of the report."""


def study(seeds: int, folder: Path, workers: int | None = None,
          cluster: str | None = None) -> int:
    """
    Run the study and the comparison of collections, draw their figures, and write ``study.md``.

    :param seeds: number of seeds of the study, from 0 on.
    :param folder: of the results; figures go to ``figures`` in it.
    :param workers: number of runs at the same time; ``None``: one for each core.
    :param cluster: where runs are computed (see :func:`leader_election.lab.runs.computation.run`).
    :return: the exit status, always 0: a claim that does not agree is reported, not an error.
    :raises ResultError: where a file cannot be read or written.
    """
    began = monotonic()
    results = {name: runs.run(scenarios.load(name), range(count), folder=folder, workers=workers,
                              cluster=cluster)
               for name, count in ((SCENARIO, seeds), (COLLECTIONS, max(1, seeds // FEWER)))}
    drawn, missing = draw_all(FIGURES, folder)
    text = study_report(results[SCENARIO], results[COLLECTIONS], drawn, missing,
                        monotonic() - began)
    write(text, folder / 'study.md')
    print(f'wrote {folder / "study.md"}')
    return 0


def study_report(paper: xr.Dataset, collections: xr.Dataset, drawn: Sequence[str],
                 missing: Sequence[str], seconds: float) -> str:
    """
    Return the report of the study as Markdown.

    :param paper: results of the study.
    :param collections: results of the comparison of collection methods.
    :param drawn: the names of the figures in the folder ``figures`` beside the report.
    :param missing: a line for each figure that could not be drawn.
    :param seconds: duration of the computation [s].
    """
    labels = paper['algorithm'].values.tolist()
    claims = claim_rows(paper)
    of_paper = figures.of_scenarios((SCENARIO,))
    return render(
        'study', paper=paper.attrs, paper_seeds=count_seeds(paper['counted']), claims=claims,
        labels=[name for label in labels for name in (label, 'agrees')],
        agree={label: sum(row[2 + 2 * k] == 'yes' for row in claims)
               for k, label in enumerate(labels)},
        paper_figures=[name for name in drawn if name in of_paper],
        number_columns=('algorithm', *TABLE_COLUMNS),
        numbers=[(label, *cells) for label in labels
                 for cells in table_rows(paper.sel(algorithm=label, drop=True))],
        paired_rows=to_first_rows(paper), collections=collections.attrs,
        collections_seeds=count_seeds(collections['counted']),
        collections_figures=[name for name in drawn if name not in of_paper],
        collection_columns=('algorithm', *varied(collections), 'bias', 'off', 'informed', 'agree',
                            'bytes'),
        collection_rows=_collection_rows(collections), missing=missing,
        computed=computed({SCENARIO: paper, COLLECTIONS: collections}, seconds))


def _collection_rows(results: xr.Dataset) -> list[tuple[str, ...]]:
    return [(line.algorithm, *(f'{value:g}' for value in line.varied), line.bias.text('+.1%'),
             line.error.text('.1%'), line.informed.text('.1%'), line.agreeing.text('.1%'),
             f'{line.message_bytes:.0f}') for line in lines(results)]
