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
The report of any scenario's results as Markdown.

A template makes the text, with tables, figures, and how it was computed.
"""

from collections.abc import Sequence
import os
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined
from leader_election_lab.analysis.paired_differences import pair_rows, SHOWN
from leader_election_lab.analysis.summary import caption, cells
from leader_election_lab.figures import count_seeds, draw_own, draw_to
from leader_election_lab.runs.files import check_writable, replacing, RESULTS
import xarray as xr
import yaml

VERSIONS = ('leader_election', 'python', 'numpy', 'numba', 'xarray')
TEMPLATES = Environment(
    loader=PackageLoader(__package__), trim_blocks=True, lstrip_blocks=True,
    keep_trailing_newline=True, undefined=StrictUndefined)


def write(text: str, path: Path) -> None:
    """Write a report, or raise a :class:`ResultError` if that fails."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding='utf-8')


SUFFIX = '.md'


def write_report(results: xr.Dataset, folder: Path | str = RESULTS, measures: Sequence[str] = (),
                 out: Path | None = None) -> Path:
    """
    Write the report of a scenario's results and its figure, and return the report's path.

    :param folder: of the results, with the figure as ``figures/<scenario>.png``.
    :param measures: the measures in which all pairs of algorithms are compared. The first one is
        drawn. Empty: instability, leaders and devices that are led.
    :param out: the report, by default ``<scenario>.md`` in the folder of the results.
    :raises ResultError: if a file cannot be written, or a measure is unknown.
    """
    folder = Path(folder)
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
    return TEMPLATES.get_template('own.md.j2').render(
        of={'effective': '', **results.attrs}, figure=figure, columns=columns, rows=rows,
        seeds=count_seeds(results['instability']),
        varies=bool(yaml.safe_load(results.attrs['text']).get('vary')),
        caption=caption(results).replace('\n    ', ' ').splitlines(),
        sections=[section for section in sections if section.rows],
        made_with=made_with(results))


def made_with(results: xr.Dataset) -> list[str]:
    """Return the lines about what the results of a scenario were made with."""
    of = results.attrs
    versions = ', '.join(f'{name} {of[name]}' for name in VERSIONS[1:] if name in of)
    package = of.get('package', f'leader_election {of.get("leader_election", "")}')
    seeds = results['seed'].values
    known = [('command', f'`{of["command"]}`' if 'command' in of else ''),
             ('seeds', shown_seeds(seeds.tolist())), ('package', package),
             *(('plug-in', line) for line in of.get('plug_ins', '').splitlines()),
             ('versions', versions), ('machine', of.get('machine', '')),
             ('written', of.get('created', ''))]
    return [f'{name}: {value}' for name, value in known if value]


def shown_seeds(seeds: Sequence[int]) -> str:
    """
    Return seeds as text.

    >>> shown_seeds([0, 1, 2, 7]), shown_seeds([4])
    ('0 to 2, 7', '4')
    """
    runs: list[list[int]] = []
    for seed in sorted(seeds):
        if runs and seed == runs[-1][-1] + 1:
            runs[-1].append(seed)
        else:
            runs.append([seed])
    return ', '.join(f'{run[0]} to {run[-1]}' if len(run) > 1 else f'{run[0]}' for run in runs)
