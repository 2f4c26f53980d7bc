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

"""The notebook with a study: its cells run from top to bottom, with a fifth of its seeds."""

import ast
import json
from pathlib import Path
from typing import Any

import leader_election_lab as lab
from leader_election_lab.own_measures import OWN_MEASURES
import pytest

NOTEBOOK = Path(__file__).parents[2] / 'doc' / 'examples' / 'study.ipynb'


def test_study_runs_from_its_scenario_to_its_figure(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run = lab.run
    monkeypatch.setattr(lab, 'run', lambda scenario, seeds: run(scenario, seeds // 5),
                        raising=False)
    scope: dict[str, Any] = {'__name__': '__main__'}
    shown = []
    for cell in json.loads(NOTEBOOK.read_text())['cells']:
        if cell['cell_type'] != 'code':
            continue
        parsed = ast.parse(''.join(cell['source']))
        last = parsed.body[-1]
        if isinstance(last, ast.Expr):
            parsed.body.pop()
        exec(compile(parsed, NOTEBOOK, 'exec'), scope)
        if isinstance(last, ast.Expr):
            # What a notebook shows below a cell.
            shown.append(eval(compile(ast.Expression(last.value), NOTEBOOK, 'eval'), scope))
    OWN_MEASURES._entries.pop('alone')
    means, differences, figure = shown
    assert means.shape == (6, 9) and not means.isna().any(axis=None)
    assert list(differences['minus']) == 4 * ['0.0'] and (differences['seeds'] == 4).all()
    assert len(figure.axes) == 3
