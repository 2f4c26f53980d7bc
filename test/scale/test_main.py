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

from dataclasses import replace
import json
from pathlib import Path

from benchmarks.scale import __main__ as command
from benchmarks.scale.__main__ import (
    digest_of,
    keep,
    kept,
    Key,
    main,
    outcome_of,
    path_of,
)
from benchmarks.scale.networks import Contestant, CONTESTANTS, Network, NETWORKS
from benchmarks.scale.phases import BUDGET, LOSSES, Outcome, Phase, QUIET, REST, SKIPPED
from benchmarks.scale.report import mean, report
from PIL import Image
import pytest

OPTIONS = ['--largest', '100', '--seeds', '2', '--algorithm', 'bounded', '--algorithm', 'colour']
HUNDRED = NETWORKS[0]


def test_tables_and_picture_are_written_and_a_second_call_runs_nothing(
        tmp_path: Path, capsys: pytest.CaptureFixture[str],
        monkeypatch: pytest.MonkeyPatch) -> None:
    asked = [*OPTIONS, '--results', str(tmp_path)]
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


@pytest.mark.parametrize('wrong', [
    ['--largest', '99'], ['--algorithm', 'mine'], ['--seeds', '0'], ['--budget', '0'],
    ['--workers', '0'], ['--budget', 'nan']])
def test_a_wrong_option_is_one_line(wrong: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(wrong)
    assert stopped.value.code == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1


# The tables of the study: numbers, and the reasons for missing ones.

SMALL, LARGE = Network(10, 10), Network(1000, 1000)
ONE, MANY = Contestant('bounded-all', True), Contestant('recursive', most_leaders=16)


def outcome(*phases: Phase, receivers: float = 7.0) -> Outcome:
    return Outcome(100, 11, receivers, dict(zip(LOSSES, phases)))


def settled(after: int, outage: float = 0.5) -> Phase:
    return Phase(REST, after + 3, after, after, outage, 0, 1.0, 4, 100.0)


def rows(text: str, title: str) -> dict[str, list[str]]:
    """Return the cells of the table with a title, by algorithm."""
    [table] = [part for part in text.split('\n\n') if part.startswith(f'| {title} |')]
    split = [[cell.strip() for cell in line.strip('|').split('|')] for line in table.split('\n')]
    return {cells[0]: cells[1:] for cells in split}


START = 'rounds from the start until leaders stay the same'


def test_numbers_are_means_with_intervals():
    runs = {(SMALL, ONE): [outcome(*[settled(after)] * 4) for after in (9, 10, 11)]}
    text = report(runs, [SMALL], [ONE])
    assert rows(text, START) == {
        START: ['100; 11 hops'], '---': ['---'], 'bounded-all': ['10 ± 2']}
    assert rows(text, 'bytes of a message')['bounded-all'] == ['100 ± 0']
    # Ten messages of 100 bytes.
    assert rows(text, 'kB that a device sends until leaders stay the same')['bounded-all'] == [
        '1.0 ± 0.2']
    assert 'Mean number of devices that receive a message: 7.0 in 100; 11 hops.' in text


def test_an_interval_does_not_reach_below_zero():
    runs = {(SMALL, ONE): [outcome(*[settled(after)] * 4) for after in (0, 0, 0, 740)]}
    text = report(runs, [SMALL], [ONE])
    assert rows(text, START)['bounded-all'] == ['0 (0 to 740)']
    assert 'the median and in parentheses the least and the greatest' in ' '.join(text.split())
    assert mean([0.0, 1.0, 2.0], 2) == '1.00 (0.00 to 2.00)' and mean([0.0, 8.0]) == '4'
    assert mean([0.0, 0.0, 0.0]) == '0 ± 0' and mean([4.0, 5.0, 6.0]) == '5 ± 2'


def test_missing_numbers_have_a_reason():
    cut = Phase(BUDGET, 500, None, None)
    dead = Phase(QUIET, 90, 12, None, 70.0, 0, 1.0, 4, 0.0)
    skipped = Phase(SKIPPED)
    runs = {(SMALL, MANY): [outcome(settled(9), settled(0), dead, skipped)],
            (LARGE, ONE): [outcome(settled(900), cut, skipped, skipped)]}
    text = report(runs, [SMALL, LARGE], [ONE, MANY])
    assert rows(text, START)['bounded-all'] == ['–', '900']
    assert rows(text, START)['recursive'] == ['9', 'levels']
    after = 'rounds after the loss of {} until leaders stay the same'
    assert rows(text, after.format('1 %'))['bounded-all'] == ['–', '> 500']
    assert rows(text, after.format('10 %'))['recursive'] == ['never', 'levels']
    assert rows(text, after.format('10 %'))['bounded-all'] == ['–', '–']
    outage = 'rounds that a device is without a living leader, after the loss of leaders'
    assert rows(text, outage)['recursive'] == ['–', 'levels']
    assert '> N' in text and 'levels' in text


def test_an_unfinished_seed_leaves_no_mean():
    runs = {(SMALL, ONE): [outcome(*[settled(5)] * 4),
                           outcome(Phase(BUDGET, 40), *[Phase(SKIPPED)] * 3)]}
    assert rows(report(runs, [SMALL], [ONE]), START)['bounded-all'] == ['> 40']


def test_seeds_that_lose_the_only_leader_by_chance_are_left_out():
    def one(after: int, lost: int) -> Phase:
        return Phase(REST, after + 3, after, after, 0.0, lost, 1.0, 1, 100.0)
    title = 'rounds after the loss of 10 % until leaders stay the same'
    spared, hit = outcome(*[one(5, 0)] * 4), outcome(one(5, 0), one(5, 0), one(99, 1), one(5, 1))
    assert rows(report({(SMALL, ONE): [spared, hit]}, [SMALL], [ONE]), title)[
        'bounded-all'] == ['5']
    some = outcome(settled(9), settled(0), replace(one(7, 3), leaders=4), settled(8))
    assert rows(report({(SMALL, MANY): [some]}, [SMALL], [MANY]), title)['recursive'] == ['7']
    text = report({(SMALL, ONE): [hit]}, [SMALL], [ONE])
    assert rows(text, title)['bounded-all'] == ['lost']
    assert rows(text, title.replace('10 %', 'leaders'))['bounded-all'] == ['5']


def test_a_skipped_run_does_not_count_for_means():
    skipped = Outcome(100, 11, 0.0, {name: Phase(SKIPPED) for name in LOSSES})
    text = report({(SMALL, ONE): [skipped], (SMALL, MANY): [outcome(*[settled(9)] * 4)]},
                  [SMALL], [ONE, MANY])
    assert rows(text, 'bytes of a message')['bounded-all'] == ['–']
    assert 'Mean number of devices that receive a message: 7.0 in 100; 11 hops.' in text
