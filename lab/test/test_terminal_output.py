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

"""The tables of the laboratory in a terminal."""

from leader_election_lab.terminal_output import console, Rows, terminal_table
import pytest

COLUMNS = ('algorithm', 'seeds', 'instability', 'leaders', 'led', 'stable after', 'receivers',
           'bytes')
CELLS = ('recursive', '5', '0.0730 ± 0.0029', '17.0 ± 0.3', '78.5 ± 5.1%', 'never', '6.5', '199')


@pytest.mark.parametrize('width', [60, 80, 120])
def test_table_keeps_every_word_when_the_terminal_is_narrow(
        width: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv('FORCE_COLOR', '1')
    monkeypatch.setenv('COLUMNS', str(width))
    monkeypatch.setenv('NO_COLOR', '1')
    console().print(terminal_table(Rows('', COLUMNS, [CELLS])))
    out = capsys.readouterr().out
    assert '…' not in out
    assert any(all(cell in line for cell in CELLS) for line in out.splitlines()) == (width >= 80)
