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

"""The notebooks of the documentation run from top to bottom, in a kernel of this interpreter."""

import json
from pathlib import Path
import sys
from typing import Any

from environment import variables
import pytest

nbformat = pytest.importorskip('nbformat', reason='needs nbclient (extra notebook)')
nbclient = pytest.importorskip('nbclient', reason='needs nbclient (extra notebook)')
pytest.importorskip('ipykernel', reason='needs ipykernel (extra notebook)')

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / 'doc' / 'notebooks').glob('*.ipynb'))
KERNEL = 'tested'


@pytest.fixture
def kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the name of a kernel that only this test knows."""
    folder = tmp_path / 'jupyter' / 'kernels' / KERNEL
    folder.mkdir(parents=True)
    (folder / 'kernel.json').write_text(json.dumps({
        'argv': [sys.executable, '-m', 'ipykernel_launcher', '-f', '{connection_file}'],
        'display_name': KERNEL, 'language': 'python'}))
    monkeypatch.setenv('JUPYTER_PATH', str(tmp_path / 'jupyter'))
    for name in ('JUPYTER_RUNTIME_DIR', 'JUPYTER_CONFIG_DIR', 'IPYTHONDIR', 'MPLCONFIGDIR'):
        monkeypatch.setenv(name, str(tmp_path / name))
    monkeypatch.setenv('PYTHONPATH', variables()['PYTHONPATH'])
    return KERNEL


def text_of(cell: Any) -> str:
    """Return what a cell has put out, as text."""
    return '\n'.join(output.get('text') or output.get('data', {}).get('text/plain', '')
                     for output in cell.outputs)


def kinds_of(cell: Any) -> set[str]:
    """Return the media types of what a cell has put out."""
    return {kind for output in cell.outputs for kind in output.get('data', {})}


def outputs_of(notebook: Any) -> list[list[tuple[str, set[str]]]]:
    """Return the kinds of outputs of each cell of code: their types and media types."""
    return [[(output.output_type, {*output.get('data', {})}) for output in cell.outputs]
            for cell in notebook.cells if cell.cell_type == 'code']


@pytest.mark.parametrize('path', NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_kept_as_it_was_run_from_top_to_bottom(path: Path) -> None:
    cells = [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == 'code']
    assert [cell.execution_count for cell in cells] == [*range(1, len(cells) + 1)]
    assert not any(str(folder) in path.read_text() for folder in (ROOT, Path.home()))


def test_notebook_measures_an_algorithm_with_intervals(kernel: str, tmp_path: Path) -> None:
    notebook = nbformat.read(ROOT / 'doc' / 'notebooks' / 'own_algorithm.ipynb', as_version=4)
    kept = outputs_of(notebook)
    nbclient.NotebookClient(notebook, timeout=240, kernel_name=kernel, resources={
        'metadata': {'path': str(tmp_path)}}).execute()
    assert kept == outputs_of(notebook), 'run it again: jupyter nbconvert --execute --inplace'
    cells = {cell.source.splitlines()[-1]: cell for cell in notebook.cells
             if cell.cell_type == 'code'}
    assert 'loyal' in text_of(cells['lab.means(results).round(3)'])
    compared = text_of(cells['differences.round(4)'])
    # Loyal minus bounded: the election is calmer, more than by chance.
    row = next(line.split() for line in compared.splitlines() if 'bounded' in line)
    assert row[1:4] == ['loyal', 'bounded', '20']
    for source in ('lab.figure(results)', "lab.figure(results, 'led')"):
        assert 'image/png' in kinds_of(cells[source])
    assert ' seeds' in text_of(cells["results = lab.run_until(scenario, '10%', limit=60)"])
    assert (tmp_path / 'results' / 'loyal.md').exists()
    assert (tmp_path / 'results' / 'loyal.nc').exists()
