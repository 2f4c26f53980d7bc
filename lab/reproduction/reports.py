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

"""Reports of the papers' experiments and of the study of regions, as Markdown."""

from collections.abc import Mapping, Sequence
from math import isnan
from pathlib import Path
from time import monotonic
from typing import Any

from jinja2 import ChoiceLoader, PackageLoader
from leader_election_lab import reports
from leader_election_lab.analysis.paired_differences import pair_rows, SHOWN, to_first_rows
from leader_election_lab.analysis.summary import level_lines, lines, mean_texts, REGION_COLUMNS
from leader_election_lab.experiment import scenario as scenarios
from leader_election_lab.experiment.scenario import ScenarioError
from leader_election_lab.figures import count_seeds
from leader_election_lab.reports import VERSIONS, write
from leader_election_lab.runs import computation as runs
from leader_election_lab.runs.files import path_of, ResultError
from leader_election_lab.runs.kept import machine
from leader_election_lab.runs.results import MISSING, varied
import reproduction
from reproduction import figures, regions_study
from reproduction.comparisons import COLUMNS, COMPARISONS, LEGEND, Order, Row
import xarray as xr

# The macros of the laboratory's own reports are used, too.
TEMPLATES = reports.TEMPLATES.overlay(loader=ChoiceLoader([
    PackageLoader('reproduction'), PackageLoader('leader_election_lab.reports')]))


def render(template: str, **values: Any) -> str:
    """Return the report that a template of the folder ``templates`` makes of values."""
    return TEMPLATES.get_template(f'{template}.md.j2').render(values)


def computed(results: Mapping[str, xr.Dataset], seconds: float) -> list[str]:
    """Return the lines about the computation: duration, machine and versions."""
    attributes = [dataset.attrs for dataset in results.values()]
    versions = (f'{name} {", ".join(sorted({str(of[name]) for of in attributes if name in of}))}'
                for name in VERSIONS)
    return [f'took {seconds / 60:.1f} minutes, without the runs that were there already',
            f'on {machine()}', f'with {", ".join(versions)}']


def draw_all(names: Sequence[str], folder: Path) -> tuple[list[str], list[str]]:
    """
    Draw all figures with kept results, into ``figures`` in the folder of the results.

    :return: the names of those that were drawn, and a line with the reason for each other one.
    """
    drawn, missing = [], []
    for name in names:
        lacking = [needed for needed in figures.drawing(name).results
                   if not path_of(folder, needed).exists()]
        if lacking:
            missing.append(f'{name}: takes ' + ' and '.join(f'`lab run {n}`' for n in lacking))
            continue
        try:
            print(f'wrote {figures.draw(name, folder, folder / "figures" / f"{name}.png")}')
        except (ResultError, ScenarioError) as error:
            missing.append(f'{name}: {error}')
        else:
            drawn.append(name)
    return drawn, missing


STUDY = regions_study.SCENARIO
COLLECTIONS = 'collections'
FEWER = 5
"""Divisor of its number of seeds: with all seeds it would take as long as the study."""
FIGURES = figures.of_scenarios((STUDY, COLLECTIONS))


def study(seeds: int, folder: Path, workers: int | None = None,
          cluster: str | None = None) -> int:
    """
    Run the study and the comparison of collections, draw their figures, and write ``study.md``.

    :param seeds: number of seeds of the study, from 0 on.
    :param folder: of the results. Figures go to ``figures`` in it.
    :param workers: number of runs at the same time, ``None`` for one for each core.
    :param cluster: where runs are computed (see :func:`leader_election_lab.runs.computation.run`).
    :return: the exit status 0. A claim that does not agree is reported, and is no error.
    :raises ResultError: if a file cannot be read or written.
    """
    began = monotonic()
    results = {name: runs.run(scenarios.load(name), range(count), folder=folder, workers=workers,
                              cluster=cluster)
               for name, count in ((STUDY, seeds), (COLLECTIONS, max(1, seeds // FEWER)))}
    drawn, missing = draw_all(FIGURES, folder)
    text = study_report(results[STUDY], results[COLLECTIONS], drawn, missing,
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
    claims = regions_study.claim_rows(paper)
    of_paper = figures.of_scenarios((STUDY,))
    return render(
        'study', paper=paper.attrs, paper_seeds=count_seeds(paper['counted']), claims=claims,
        labels=[name for label in labels for name in (label, 'agrees')],
        agree={label: sum(row[2 + 2 * k] == 'yes' for row in claims)
               for k, label in enumerate(labels)},
        paper_figures=[name for name in drawn if name in of_paper],
        number_columns=('algorithm', *regions_study.TABLE_COLUMNS),
        numbers=[(label, *cells) for label in labels
                 for cells in regions_study.table_rows(paper.sel(algorithm=label, drop=True))],
        paired_rows=to_first_rows(paper), collections=collections.attrs,
        collections_seeds=count_seeds(collections['counted']),
        collections_figures=[name for name in drawn if name not in of_paper],
        collection_columns=('algorithm', *varied(collections),
                            *REGION_COLUMNS, 'bytes'),
        collection_rows=_collection_rows(collections), missing=missing,
        computed=computed({STUDY: paper, COLLECTIONS: collections}, seconds))


def _collection_rows(results: xr.Dataset) -> list[tuple[str, ...]]:
    return [(line.algorithm, *(f'{value:g}' for value in line.varied),
             *mean_texts(line, REGION_COLUMNS), f'{line.message_bytes:.0f}')
            for line in lines(results)]


MISSED = 1
"""Exit status where an aim is missed."""
FEW = 10
"""With this number of seeds or fewer, a deviation may be due to chance."""
UNDECIDED = 'not enough seeds to tell'
STATUS = (f'The exit status of `python -m reproduction papers` is 0 if no aim is missed, {MISSED} '
          f'if one is missed. With {FEW} seeds or fewer, a number misses its aim only if the 95 % '
          'interval of its ratio to the published one excludes 1, and an order of algorithms does '
          'not count.')


PAPERS: Mapping[str, Sequence[str]] = {
    'Pianini, Casadei, Viroli: Self-stabilising Priority-Based Multi-Leader Election and '
    'Network Partitioning (ACSOS 2022)': (
        'acsos2022_random', 'acsos2022_edge', 'acsos2022_edge_rounding',
        'acsos2022_edge_by_the_text', 'acsos2022_scale_free'),
    'Mo, Audrito, Dasgupta, Beal: A Resilient Leader Election Algorithm Using Aggregate '
    'Computing Blocks (IFAC 2020)': (
        'ifac2020_convergence', 'ifac2020_perturbed', 'ifac2020_by_the_text')}
"""The scenarios of each paper whose experiments are reproduced, by its title."""


def reproduce(seeds: int, folder: Path, workers: int | None = None,
              cluster: str | None = None) -> int:
    """
    Run the papers' scenarios, draw all figures, and write ``report.md``.

    :param seeds: number of seeds of each scenario, from 0 on.
    :param folder: of the results. Figures go to ``figures`` in it. Sweeps are drawn as well if
        their results are kept.
    :param workers: number of runs at the same time, ``None`` for one for each core.
    :param cluster: where runs are computed (see :func:`leader_election_lab.runs.computation.run`).
    :return: the exit status: 0, or ``MISSED`` if an aim is missed.
    :raises ResultError: if a file cannot be read or written.
    """
    began = monotonic()
    results = {name: runs.run(scenarios.load(name), range(seeds), folder=folder, workers=workers,
                              cluster=cluster)
               for name in COMPARISONS}
    rows = {name: COMPARISONS[name](name, results[name]) for name in COMPARISONS}
    names = [name for name in figures.names() if name not in FIGURES]
    drawn, missing = draw_all(names, folder)
    text = papers_report(results, rows, drawn, missing, monotonic() - began)
    return conclude(text, aims_missed(results, rows), folder)


def conclude(text: str, missed: Sequence[str], folder: Path) -> int:
    """Write the report, print the aims that are missed, and return the exit status."""
    write(text, folder / 'report.md')
    print(f'wrote {folder / "report.md"}')
    for line in missed:
        print(f'missed: {line}')
    return MISSED if missed else 0


def aims_missed(results: Mapping[str, xr.Dataset],
                rows: Mapping[str, Sequence[Row]]) -> list[str]:
    """Return a line for each aim that is missed by more than chance."""
    return [f'{name}, {row.quantity}: {row.cells()[1]}, published {row.cells()[3]}'
            for name, of_scenario in rows.items() for row in of_scenario
            if row.met is False and not is_undecided(row, seeds_run(results[name]))]


def seeds_run(results: xr.Dataset) -> int:
    """Return the least number of seeds of any algorithm."""
    run = (results['counts'] != MISSING).all('counter').sum('seed')
    return int(run.min())


def is_undecided(row: Row, seeds: int) -> bool:
    """
    Return whether an aim is missed, but possibly by chance.

    This is so with few seeds, if the numbers do not differ by more than chance, and for an order:
    that of the means of few seeds is often another one by chance. A number that does not exist is
    definitely missed.
    """
    if row.met is not False or seeds > FEW:
        return False
    if isinstance(row, Order):
        return True
    # Without an interval, as for a single seed, nothing is certain.
    return not (isnan(row.ours.value) or row.differs)


def papers_report(results: Mapping[str, xr.Dataset], rows: Mapping[str, Sequence[Row]],
                  drawn: Sequence[str], missing: Sequence[str], seconds: float) -> str:
    """
    Return the report of the papers' experiments, as Markdown.

    :param results: by scenario, as are the rows.
    :param drawn: the names of the figures in the folder ``figures`` beside the report.
    :param missing: a line for each figure that could not be drawn.
    :param seconds: duration of the computation [s].
    """
    of_papers = {title: figures.of_scenarios(names) for title, names in PAPERS.items()}
    aims = [row for of_scenario in rows.values() for row in of_scenario if row.met is not None]
    missed = aims_missed(results, rows)
    return render(
        'papers', aims=len(aims), missed=missed,
        undecided=sum(row.met is False for row in aims) - len(missed),
        UNDECIDED=UNDECIDED, STATUS=STATUS, LEGEND=LEGEND, COLUMNS=COLUMNS,
        papers=[{'title': title, 'sections': [_section(name, results[name], rows[name])
                                              for name in names if name in rows],
                 'figures': [name for name in drawn if name in of_papers[title]]}
                for title, names in PAPERS.items()], findings=reproduction.findings(),
        others=[name for name in drawn if not any(name in of for of in of_papers.values())],
        missing=missing, computed=computed(results, seconds))


def _section(name: str, results: xr.Dataset, rows: Sequence[Row]) -> Mapping[str, Any]:
    """Return the section of a scenario, with its title and a table of its rows."""
    seeds = seeds_run(results)
    return {'name': name, 'title': results.attrs.get('title', name),
            'seeds': count_seeds(results['instability']),
            'cells': [(*row.cells()[:-1], UNDECIDED) if is_undecided(row, seeds) else row.cells()
                      for row in rows],
            'paired': pair_rows(results, SHOWN[0]), 'levels': level_lines(results)}
