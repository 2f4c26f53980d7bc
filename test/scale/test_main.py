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
"""The command: small networks are run, tabulated and drawn, and kept runs are not run again."""

import json
from pathlib import Path

from benchmarks.scale import __main__ as command
from benchmarks.scale.__main__ import (
    digest_of,
    keep,
    kept,
    Key,
    keys,
    main,
    outcome_of,
    path_of,
    rounds_of,
)
from benchmarks.scale.networks import Contestant, CONTESTANTS, Network, NETWORKS
from benchmarks.scale.phases import BUDGET, Outcome, Phase, SKIPPED
from PIL import Image
import pytest

SMALL = ['--largest', '100', '--seeds', '2', '--algorithm', 'bounded', '--algorithm', 'colour']
HUNDRED = NETWORKS[0]


def test_tables_and_picture_are_written_and_a_second_call_runs_nothing(
        tmp_path: Path, capsys: pytest.CaptureFixture[str],
        monkeypatch: pytest.MonkeyPatch) -> None:
    asked = [*SMALL, '--results', str(tmp_path)]
    assert main(asked) == 0
    first = (tmp_path / 'scale.md').read_text()
    assert first in capsys.readouterr().out
    assert Image.open(tmp_path / 'scale.png').size[0] > 1000
    assert '| bounded |' in first and '| colour |' in first and '| classic |' not in first
    assert len(list(tmp_path.glob('*.json'))) == 4

    monkeypatch.setattr(command, 'outcome_of', None)
    assert main([*asked, '--algorithm', 'classic', '--show']) == 0
    assert '| classic | – |' in (tmp_path / 'scale.md').read_text()
    capsys.readouterr()
    assert main(asked) == 0
    assert (tmp_path / 'scale.md').read_text() == first
    assert 'scale: 4 of 4 runs are there already' in capsys.readouterr().out


def test_a_run_that_is_damaged_or_of_other_code_is_run_again(tmp_path: Path) -> None:
    key = Key(HUNDRED, CONTESTANTS[0], 0)
    outcome = Outcome(100, 11, 7.0, {'start': Phase('rest', 9, 5, 5)})
    keep(tmp_path, key, 'abc', 100, outcome)
    assert kept(tmp_path, key, 'abc', 200) == outcome
    assert kept(tmp_path, key, 'other', 100) is None
    assert kept(tmp_path, key._replace(seed=1), 'abc', 100) is None
    path_of(tmp_path, key).write_text('{"digest": "abc"')
    assert kept(tmp_path, key, 'abc', 100) is None
    path_of(tmp_path, key).write_text(json.dumps(['abc']))
    assert kept(tmp_path, key, 'abc', 100) is None


@pytest.mark.parametrize('ended', [BUDGET, SKIPPED])
def test_a_run_that_was_cut_off_is_run_again_with_a_larger_budget_only(
        tmp_path: Path, ended: str) -> None:
    key = Key(HUNDRED, CONTESTANTS[0], 0)
    cut = Outcome(100, 11, 7.0, {'start': Phase(ended, 100)})
    keep(tmp_path, key, 'abc', 100, cut)
    assert kept(tmp_path, key, 'abc', 100) == kept(tmp_path, key, 'abc', 50) == cut
    assert kept(tmp_path, key, 'abc', 101) is None


def test_phases_with_an_estimate_beyond_the_budget_are_skipped() -> None:
    slow = Contestant('bounded', first=0.0, again=10.0)
    found = outcome_of(Key(HUNDRED, slow, 0), 100).phases
    assert found['loss of leaders'].ended == SKIPPED
    assert found['loss of 10 %'].settled is not None


def test_algorithms_and_networks_have_different_digests() -> None:
    assert len({digest_of(network, contestant) for network in NETWORKS[:2]
                for contestant in CONTESTANTS[:2]}) == 4


def test_large_networks_have_fewer_seeds_and_recursion_only_few_leaders() -> None:
    found = list(keys(NETWORKS, CONTESTANTS, 10))
    seeds = {network.devices: len([key for key in found if key.network == network
                                   and key.contestant.label == 'bounded'])
             for network in NETWORKS}
    assert (seeds[100], seeds[10_000], seeds[1_000_000]) == (10, 5, 3)
    recursive = {key.network.devices for key in found if key.contestant.label == 'recursive'}
    assert recursive == {100, 1000, 1024}


def test_the_budget_is_in_device_rounds() -> None:
    assert rounds_of(Network(100, 100), 1e6) == 100
    assert rounds_of(Network(10, 10), 1e9) == command.MOST_ROUNDS
    assert rounds_of(Network(1000, 1000), 1.0) == 1


@pytest.mark.parametrize('wrong', [
    ['--largest', '99'], ['--algorithm', 'mine'], ['--seeds', '0'], ['--budget', '0'],
    ['--workers', '0'], ['--budget', 'nan']])
def test_a_wrong_option_is_one_line(wrong: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(wrong)
    assert stopped.value.code == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1
