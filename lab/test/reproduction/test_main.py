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

"""The commands of the reproduction."""

from pathlib import Path

from leader_election_lab.runs import computation as runs
import pytest
from reproduction import figures
from reproduction.__main__ import main, parse_options


def test_numbers_of_seeds_have_the_defaults_of_the_papers() -> None:
    assert parse_options(['papers']).seeds == 200 and parse_options(['study']).seeds == 100
    assert parse_options(['papers', '--seeds', '1000000']).seeds == 1_000_000


@pytest.mark.parametrize('arguments', [['papers', '--seeds', '-3'], ['study', '--seeds', '1.5'],
                                       ['nix'], []])
def test_wrong_option_ends_with_status_2(
        arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match='2'):
        main(arguments)
    assert capsys.readouterr().err.splitlines()[-1].startswith('error: ')


def test_figure_lists_names_and_refuses_unknown_ones(
        tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(['figure']) == 0
    assert capsys.readouterr().out.split() == [*figures.names()]
    assert main(['figure', 'ifac2020_fig6', '--results', str(tmp_path)]) == 2
    assert "error: unknown figure 'ifac2020_fig6'; did you mean" in capsys.readouterr().err


def test_interrupted_command_says_that_it_continues(
        monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
        tmp_path: Path) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt
    monkeypatch.setattr(runs, 'run', interrupt)
    assert main(['papers', '--results', str(tmp_path)]) == 130
    assert 'the same command goes on from there' in capsys.readouterr().err
