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
"""The tables of the study: numbers, and the reasons for missing ones."""

from benchmarks.scale.networks import Contestant, Network
from benchmarks.scale.phases import BUDGET, LOSSES, Outcome, Phase, QUIET, REST, SKIPPED
from benchmarks.scale.report import mean, report

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
    text = report({(SMALL, ONE): [hit]}, [SMALL], [ONE])
    assert rows(text, title)['bounded-all'] == ['lost']
    assert rows(text, title.replace('10 %', 'leaders'))['bounded-all'] == ['5']


def test_seeds_that_lose_some_of_several_leaders_count():
    title = 'rounds after the loss of 10 % until leaders stay the same'
    some = Phase(REST, 12, 7, 7, 0.0, 3, 1.0, 4, 100.0)
    runs = {(SMALL, MANY): [outcome(settled(9), settled(0), some, settled(8))]}
    assert rows(report(runs, [SMALL], [MANY]), title)['recursive'] == ['7']


def test_a_skipped_run_does_not_count_for_means():
    skipped = Outcome(100, 11, 0.0, {name: Phase(SKIPPED) for name in LOSSES})
    text = report({(SMALL, ONE): [skipped], (SMALL, MANY): [outcome(*[settled(9)] * 4)]},
                  [SMALL], [ONE, MANY])
    assert rows(text, 'bytes of a message')['bounded-all'] == ['–']
    assert 'Mean number of devices that receive a message: 7.0 in 100; 11 hops.' in text
