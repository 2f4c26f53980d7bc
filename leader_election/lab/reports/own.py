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

"""The report of any scenario: means, paired differences, figure, versions and text."""

from collections.abc import Sequence
import os
from pathlib import Path

from leader_election.lab.analysis.summary import caption, cells
from leader_election.lab.figures.own import draw_own
from leader_election.lab.figures.style import check_writable, count_seeds, draw_to
from leader_election.lab.reports.paired_tables import pair_rows, SHOWN
from leader_election.lab.reports.report import render, VERSIONS, write
import xarray as xr
import yaml

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
