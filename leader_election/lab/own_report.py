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

from leader_election.lab.figures.own import draw_own
from leader_election.lab.figures.style import check_writable, count_seeds, draw_to, write_errors
from leader_election.lab.paired_tables import markdown_table, paired_section, SHOWN
from leader_election.lab.summary import caption, cells
import xarray as xr
import yaml

SUFFIX = '.md'
VERSIONS = ('leader_election', 'python', 'numpy', 'numba', 'xarray')
"""The attributes of results that are versions."""


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
    with write_errors(out):
        out.write_text(text)
    return out


def report(results: xr.Dataset, measures: Sequence[str], figure: str) -> str:
    """
    Return the report of a scenario's results, as Markdown.

    :param measures: the measures in which all pairs of algorithms are compared.
    :param figure: the path of its figure, relative to the report's folder.
    """
    scenario = yaml.safe_load(results.attrs['text'])
    columns, rows = cells(results)
    sections = [paired_section(results, measure) for measure in measures]
    versions = ', '.join(f'{name} {results.attrs[name]}' for name in VERSIONS
                         if name in results.attrs)
    parts = [
        f'# {results.attrs["title"]}', '',
        *([f'{results.attrs["source"]}.', ''] if results.attrs.get('source') else []),
        f'{count_seeds(results["instability"])} of each algorithm'
        f'{" and variant" if scenario.get("vary") else ""}.', '',
        '## Means', '', *markdown_table(columns, rows), '',
        *(f'- {line}' for line in caption(results).replace('\n    ', ' ').splitlines()), '',
        f'![{results.attrs["title"]}]({figure})', '']
    if any(sections):
        parts += ['## Paired differences', '',
                  'All algorithms of a seed have the same devices, walks and losses, so the '
                  'differences within each seed are compared.']
        for section in sections:
            parts += ['', *section] if section else []
    return '\n'.join([
        *parts, '', '## How it was computed', '',
        f'With {versions}; {results.attrs.get("created", "")}. The same scenario, code and seeds '
        'give the same numbers.', '', '## The scenario',
        '', '```yaml', results.attrs['text'].rstrip(), '```', ''])
