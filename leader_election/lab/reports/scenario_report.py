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
The report of any scenario, and the parts that all reports have.

These are the text by a template, how it was computed, and the figures.
"""

from collections.abc import Mapping, Sequence
import os
from pathlib import Path
import platform
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from leader_election.lab import figures
from leader_election.lab.analysis.paired_differences import pair_rows, SHOWN
from leader_election.lab.analysis.summary import caption, cells
from leader_election.lab.experiment.scenario import ScenarioError
from leader_election.lab.figures.curves import draw_own
from leader_election.lab.figures.style import check_writable, count_seeds, draw_to, write_errors
from leader_election.lab.runs import computation as runs
from leader_election.lab.runs.results import path_of, ResultError
import xarray as xr
import yaml

VERSIONS = ('leader_election', 'python', 'numpy', 'numba', 'xarray')
"""The attributes of results that are versions."""
TEMPLATES = Environment(
    loader=PackageLoader(__package__), trim_blocks=True, lstrip_blocks=True,
    keep_trailing_newline=True, undefined=StrictUndefined)


def render(template: str, **values: Any) -> str:
    """Return a report: the text that a template of the folder ``templates`` makes of values."""
    return TEMPLATES.get_template(f'{template}.md.j2').render(values)


def write(text: str, path: Path) -> None:
    """Write a report; raise a :class:`ResultError` if that fails."""
    with write_errors(path):
        path.write_text(text)


def computed(results: Mapping[str, xr.Dataset], seconds: float) -> list[str]:
    """Return the lines about the computation: duration, machine and versions."""
    attributes = [dataset.attrs for dataset in results.values()]
    versions = (f'{name} {", ".join(sorted({str(of[name]) for of in attributes if name in of}))}'
                for name in VERSIONS)
    return [f'took {seconds / 60:.1f} minutes, without the runs that were there already',
            f'on {machine()}', f'with {", ".join(versions)}']


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


SUFFIX = '.md'


def write_report(results: xr.Dataset, folder: Path, measures: Sequence[str] = (),
                 out: Path | None = None) -> Path:
    """
    Write the report of a scenario's results and its figure; return the path of the report.

    :param folder: of the results; the figure is ``figures/<scenario>.png`` in it.
    :param measures: the measures in which all pairs of algorithms are compared; the first one is
        drawn. Empty: instability, leaders and devices that are led.
    :param out: the report; ``None``: ``<scenario>.md`` in the folder of the results.
    :raises ResultError: if a file cannot be written, or a measure is unknown.
    """
    out = out or folder / f'{results.attrs["scenario"]}{SUFFIX}'
    check_writable(out, [SUFFIX])
    figure = draw_to(lambda: draw_own(results, measures[0] if measures else None),
                     folder / 'figures' / f'{results.attrs["scenario"]}.png')
    text = report(results, measures or SHOWN, os.path.relpath(figure, out.parent))
    write(text, out)
    return out


def report(results: xr.Dataset, measures: Sequence[str], figure: str) -> str:
    """
    Return the report of a scenario's results, as Markdown.

    :param measures: the measures in which all pairs of algorithms are compared.
    :param figure: the path of its figure, relative to the report's folder.
    """
    columns, rows = cells(results)
    sections = [pair_rows(results, measure) for measure in measures]
    return render(
        'own', of={'created': '', **results.attrs}, figure=figure, columns=columns, rows=rows,
        seeds=count_seeds(results['instability']),
        varies=bool(yaml.safe_load(results.attrs['text']).get('vary')),
        caption=caption(results).replace('\n    ', ' ').splitlines(),
        sections=[section for section in sections if section.rows],
        versions=', '.join(f'{name} {results.attrs[name]}' for name in VERSIONS
                           if name in results.attrs))
