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

"""The reports of ``lab reproduce`` and ``lab study``: run, compare, draw, and write Markdown."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import isnan
from pathlib import Path
import platform
from time import monotonic
from typing import Any

from leader_election.lab import figures, published, runs
from leader_election.lab import scenario as scenarios
from leader_election.lab.comparison import COLUMNS, COMPARISONS, LEGEND, Order, Row
from leader_election.lab.figures import localisation_error, steadiness
from leader_election.lab.figures.style import count_seeds, write_errors
from leader_election.lab.kept import kept_of
from leader_election.lab.level_limit import level_lines
from leader_election.lab.own_report import VERSIONS
from leader_election.lab.paired_tables import first_section, markdown_table, paired_section
from leader_election.lab.results import MISSING, path_of, ResultError, varied
from leader_election.lab.scenario import ScenarioError
from leader_election.lab.study import claim_rows, FIGURES, SCENARIO, TABLE_COLUMNS, table_rows
from leader_election.lab.summary import lines
import xarray as xr

MISSED = 1
"""Exit status where an aim is missed."""
FEW = 10
"""With this number of seeds or fewer, a deviation may be due to chance."""
UNDECIDED = 'not enough seeds to tell'
STATUS = (f'The exit status of `lab reproduce` is 0 if no aim is missed, {MISSED} if one is '
          f'missed. With {FEW} seeds or fewer, a number misses its aim only if the 95 % interval '
          'of its ratio to the published one excludes 1, and an order of algorithms does not '
          'count.')
PAPERS: Mapping[str, str] = {
    'acsos2022': 'Pianini, Casadei, Viroli: Self-stabilising Priority-Based Multi-Leader Election '
                 'and Network Partitioning (ACSOS 2022)',
    'ifac2020': 'Mo, Audrito, Dasgupta, Beal: A Resilient Leader Election Algorithm Using '
                'Aggregate Computing Blocks (IFAC 2020)'}
"""The papers, by the prefix of the names of their scenarios and figures."""
TABLES: Mapping[str, Sequence[tuple[str, Sequence[str], Callable[..., Any]]]] = {
    'steadiness': [('steadiness', steadiness.TABLE_COLUMNS, steadiness.table_rows)],
    'localisation_error': [
        ('localisation_error', localisation_error.TABLE_COLUMNS, localisation_error.table_rows),
        ('localisation_drift', localisation_error.DRIFT_COLUMNS, localisation_error.drift_rows)]}
"""The tables that belong to a figure: the scenario, the columns, and the function of the rows."""


def reproduce(seeds: int, folder: Path, workers: int | None = None,
              cluster: str | None = None) -> int:
    """
    Run the papers' scenarios, draw all figures, and write ``report.md``.

    :param seeds: number of seeds of each scenario, from 0 on.
    :param folder: of the results; figures go to ``figures`` in it. Sweeps are drawn as well if
        their results are kept.
    :param workers: number of runs at the same time; ``None``: one for each core.
    :param cluster: where runs are computed (see :func:`leader_election.lab.runs.run`).
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
    text = papers_report(results, rows, drawn, missing, monotonic() - began,
                         own_tables(folder, drawn))
    return conclude(text, aims_missed(results, rows), folder)


def own_tables(folder: Path, drawn: Sequence[str]) -> list[str]:
    """
    Return the tables of this package's own experiments as Markdown.

    :param folder: of the results.
    :param drawn: the names of the figures with kept results.
    """
    lines: list[str] = []
    for name in drawn:
        for scenario, columns, rows in TABLES.get(name, ()):
            loaded = scenarios.load(scenario)
            lines += ['', *markdown_table(columns, rows(
                kept_of(loaded, folder, scenario), loaded))]
    return lines[1:]


def conclude(text: str, missed: Sequence[str], folder: Path) -> int:
    """Write the report, print the aims that are missed, and return the exit status."""
    _write_report(text, folder / 'report.md')
    for line in missed:
        print(f'missed: {line}')
    return MISSED if missed else 0


def _write_report(text: str, path: Path) -> None:
    """Write a report; raise a :class:`ResultError` if that fails."""
    with write_errors(path):
        path.write_text(text)
    print(f'wrote {path}')


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
                  drawn: Sequence[str], missing: Sequence[str], seconds: float,
                  tables: Sequence[str] = ()) -> str:
    """
    Return the report of the papers' experiments, as Markdown.

    :param results: by scenario, as are the rows.
    :param drawn: the names of the figures in the folder ``figures`` beside the report.
    :param missing: a line for each figure that could not be drawn.
    :param seconds: duration of the computation [s].
    :param tables: the lines of the tables of own experiments with kept results.
    """
    aims = [row for of_scenario in rows.values() for row in of_scenario if row.met is not None]
    missed = aims_missed(results, rows)
    undecided = sum(row.met is False for row in aims) - len(missed)
    parts = ['# Experiments of the papers, reproduced', '',
             f'{len(aims) - len(missed) - undecided} of {len(aims)} aims are met'
             f'{f"; of {undecided} there are {UNDECIDED}" if undecided else ""}.', '', STATUS, '',
             LEGEND, '']
    if missed:
        parts += ['Missed:', '', *(f'- {line}' for line in missed)]
    for paper, title in PAPERS.items():
        parts += ['', f'## {title}']
        for name in rows:
            if name.startswith(paper):
                parts += ['', *_section(name, results[name], rows[name])]
        parts += images(name for name in drawn if name.startswith(paper))
    parts += ['', '## Causes of the differences', '', published.findings()]
    others = [name for name in drawn if not name.startswith(tuple(PAPERS))]
    if others:
        parts += ['', '## Beyond the papers', *images(others)]
    if tables:
        parts += ['', *tables]
    if missing:
        parts += ['', '## Not drawn', '', *(f'- {line}' for line in missing)]
    return '\n'.join([*parts, '', '## How it was computed', '', *computed(results, seconds), ''])


def _section(name: str, results: xr.Dataset, rows: Sequence[Row]) -> list[str]:
    """Return the lines about a scenario: its title, and a table of its rows."""
    seeds = seeds_run(results)
    cells = ((*row.cells()[:-1], UNDECIDED) if is_undecided(row, seeds) else row.cells()
             for row in rows)
    return [f'### {results.attrs.get("title", name)}', '',
            f'Scenario `{name}`, {count_seeds(results["instability"])}.', '',
            *markdown_table(COLUMNS, cells), '', *paired_section(results),
            *(f'- {line}' for line in level_lines(results))]


def images(names: Iterable[str]) -> list[str]:
    """Return the lines that show figures."""
    return [line for name in names for line in ('', f'![{name}](figures/{name}.png)')]


def computed(results: Mapping[str, xr.Dataset], seconds: float) -> list[str]:
    """Return the lines about the computation: duration, machine and versions."""
    attributes = [dataset.attrs for dataset in results.values()]
    versions = (f'{name} {", ".join(sorted({str(of[name]) for of in attributes if name in of}))}'
                for name in VERSIONS)
    return [f'- took {seconds / 60:.1f} minutes, without the runs that were there already',
            f'- on {machine()}', f'- with {", ".join(versions)}']


def machine() -> str:
    """Return a description of this machine: processor, usable cores, system."""
    processor = platform.processor() or platform.machine()
    cpuinfo = Path('/proc/cpuinfo')
    if cpuinfo.exists():
        names = [line.partition(':')[2].strip() for line in cpuinfo.read_text().splitlines()
                 if line.startswith('model name')]
        processor = names[0] if names else processor
    cores = runs.cores()
    return f'{processor}, {cores} core{"" if cores == 1 else "s"}, {platform.system()}'


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


COLLECTIONS = 'collections'
"""The scenario that compares collection methods."""
FEWER = 5
"""Divisor of its number of seeds: with all seeds it would take as long as the study."""


def study(seeds: int, folder: Path, workers: int | None = None,
          cluster: str | None = None) -> int:
    """
    Run the study and the comparison of collections, draw their figures, and write ``study.md``.

    :param seeds: number of seeds of the study, from 0 on.
    :param folder: of the results; figures go to ``figures`` in it.
    :param workers: number of runs at the same time; ``None``: one for each core.
    :param cluster: where runs are computed (see :func:`leader_election.lab.runs.run`).
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
    _write_report(text, folder / 'study.md')
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
    rows = claim_rows(paper)
    agree = {label: sum(row[2 + 2 * k] == 'yes' for row in rows)
             for k, label in enumerate(labels)}
    columns = ('the paper says', *(name for label in labels for name in (label, 'agrees')))
    numbers = [(label, *cells) for label in labels
               for cells in table_rows(paper.sel(algorithm=label, drop=True))]
    parts = [
        '# Self-organising Coordination Regions, studied', '', '## The study of the paper', '',
        f'{paper.attrs["title"]}. {paper.attrs["source"]}. '
        f'{count_seeds(paper["counted"])} of each variant.', '',
        'The paper has no table. Its election favours leaders that are established already, as '
        '`classic` does; `bounded` does not. Of its '
        f'{len(rows)} claims these agree with the results here: '
        f'{", ".join(f"{count} with {label}" for label, count in agree.items())}.',
        '', *markdown_table(columns, rows),
        *images(name for name in drawn if name.startswith(SCENARIO)), '',
        'All numbers, of the last five minutes before leaders fail and of the last five of all: '
        'leaders, users served, users served by each leader (mean and deviation).', '',
        *markdown_table(('algorithm', *TABLE_COLUMNS), numbers), '', *first_section(paper),
        '## Ways to collect', '',
        f'{collections.attrs["title"]}. {count_seeds(collections["counted"])} of each variant.',
        *images(name for name in drawn if not name.startswith(SCENARIO)), '',
        *markdown_table(('algorithm', *varied(collections), 'bias', 'off', 'informed', 'agree',
                         'bytes'), _collection_rows(collections))]
    if missing:
        parts += ['', '## Not drawn', '', *(f'- {line}' for line in missing)]
    return '\n'.join([*parts, '', '## How it was computed', '',
                      *computed({SCENARIO: paper, COLLECTIONS: collections}, seconds), ''])


def _collection_rows(results: xr.Dataset) -> list[tuple[str, ...]]:
    return [(line.algorithm, *(f'{value:g}' for value in line.varied), line.bias.text('+.1%'),
             line.error.text('.1%'), line.informed.text('.1%'), line.agreeing.text('.1%'),
             f'{line.message_bytes:.0f}') for line in lines(results)]
