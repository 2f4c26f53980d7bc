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

"""The study of regions: its claims, its report and its figures, for results made by hand."""

from typing import Any

from example_results import results
from leader_election_lab.runs.files import ResultError
from leader_election_lab.states import COUNTERS
import numpy as np
import pytest
from reproduction.regions_study import (
    ALPHA,
    BEST,
    CHANCE,
    claims,
    collecting_algorithms,
    draw_collections,
    draw_evenness,
    draw_loads,
    draw_served,
    FAILURE,
    TABLE_COLUMNS,
    table_rows,
    USERS,
)
from reproduction.reports import FIGURES, study_report
import xarray as xr

TIMES = np.arange(5.0, 1201.0, 5.0)
ALPHAS, CHANCES = [0.0, 0.01, 1.0], [0.0, 1.0]
LATE = TIMES > FAILURE


def over(values: Any) -> Any:
    """Return values for each alpha, to broadcast over users, chances, seeds and times."""
    return np.reshape(values, (1, 1, len(ALPHAS), 1, 1, 1))


def made(**changes: Any) -> xr.Dataset:
    """Return results that agree with all claims of the paper."""
    users = np.reshape([100.0, 1000.0], (1, 2, 1, 1, 1, 1))
    # No user is served for 10 s after the failures; at times two per cent too many are.
    served = np.where(LATE & (TIMES <= FAILURE + 10), 0.0, np.where(TIMES % 50 == 0, 1.02, 1.0))
    values: dict[str, Any] = {
        'counted': users * served, 'present': users, 'load_mean': users / 10,
        'load_sigma': users / 10 * over([1.0, 0.5, 2.0]), 'leaders': 10.0,
        'instability': over([0.01, 0.02, 0.2]), 'mean_reach': over([200.0, 180.0, 210.0]),
        'informed': 1.0, 'agreeing': 0.5} | changes
    return results(['bounded'], TIMES, 2, {USERS: [100, 1000], ALPHA: ALPHAS, CHANCE: CHANCES},
                   **values)


def agreeing(dataset: xr.Dataset) -> list[bool]:
    return [claim.agrees for claim in claims(dataset.isel(algorithm=0, drop=True))]


def test_results_as_in_the_paper_agree() -> None:
    assert agreeing(made()) == [True] * 8
    one = made().isel(algorithm=0, drop=True)
    found = [claim.ours for claim in claims(one)]
    # 24 of 240 samples are at whole 50 s, and 7 of the 61 of the last 300 s before the failures.
    assert found[1] == \
        'more than all in 11%, 11% of samples, by 2.0%, 2.0% then, of 100, 1000 users'
    assert found[2].startswith('deviation by mean 0.50, 0.50 with alpha 0.01, 1.00, 1.00 without')
    assert found[3] == 'chance 1: 0.50, 0.50 with, 1.00, 1.00 without'
    assert found[5].startswith('leaders change 20, 20 times as often as without')
    assert found[7].startswith('15, 15, 15, 15 s until users are served as before')


@pytest.mark.parametrize(('number', 'changes'), [
    (0, {'counted': 94.0, 'present': 100.0}),
    (1, {'counted': 100.0, 'present': 100.0}),
    (2, {'load_sigma': np.where(LATE, 1.0, over([1.0, 1.1, 0.9]))}),
    (3, {'load_sigma': np.where(LATE, over([1.0, 1.1, 0.9]), over([1.0, 0.9, 1.1]))}),
    (4, {'load_sigma': over([1.0, 0.9, 0.8])}),
    (5, {'instability': over([0.01, 0.02, 0.04])}),
    (6, {'mean_reach': np.where(TIMES == 700, 199.0, 200.0)}),
    (7, {'counted': np.where(LATE & (TIMES <= FAILURE + 30), 0.0, 1.0), 'present': 1.0}),
    (7, {'counted': np.where(LATE, 0.0, 1.0), 'present': 1.0})])
def test_results_unlike_the_paper_do_not_agree(number: int, changes: dict[str, Any]) -> None:
    assert not agreeing(made(**changes))[number]


def test_claim_of_recovery_disagrees_when_one_case_never_recovers() -> None:
    users = np.reshape([100.0, 1000.0], (1, 2, 1, 1, 1, 1))
    lost = LATE & (users == 1000.0) & (over(ALPHAS) == BEST)
    last = claims(made(counted=np.where(lost, 0.0, users)).isel(algorithm=0, drop=True))[7]
    assert last.ours.startswith('5, 5, 5, never s') and not last.agrees


def test_table_has_the_numbers_computed_by_hand() -> None:
    table = table_rows(made().isel(algorithm=0, drop=True))
    assert len(table) == 2 * 3 * 2
    found = dict(zip(TABLE_COLUMNS, table[3], strict=True))
    assert found == {
        'users': '100', 'alpha': '0.01', 'chance': '1', 'leaders before': '10.0',
        'served before': '100.2%', 'each before': '10.0', 'deviation before': '5.0',
        'leaders after': '10.0', 'served after': '100.2%', 'each after': '10.0',
        'deviation after': '5.0'}


def test_report_lists_claims_and_whether_they_agree() -> None:
    paper = made(instability=0.01)
    paper.attrs |= {'source': 'a paper', 'numpy': '2.0'}
    walk = results(['bounded-tree', 'bounded-gossip'], TIMES, 1, {'messages.loss': [0.0, 0.2]},
                   counted=np.reshape([90.0, 120.0], (2, 1, 1, 1)), present=100.0, informed=1.0,
                   agreeing=0.5, instability=0.1)
    for dataset in (paper, walk):
        dataset['message_bytes'] = dataset['counted'].isel(time=0)
    walk = walk.drop_dims('counter').assign(counts=walk['counts'].isel(counter=0).expand_dims(
        counter=list(COUNTERS)).transpose(..., 'counter')).assign_attrs(walk.attrs)
    other = made(instability=over([0.01, 0.02, 0.2])).assign_coords(algorithm=['classic'])
    other['message_bytes'] = other['counted'].isel(time=0)
    both = xr.concat([other, paper], 'algorithm', data_vars='all').assign_attrs(paper.attrs)
    text = study_report(both, walk, [FIGURES[0], FIGURES[-1]], ['fig5: takes `lab run x`'], 60.0)
    assert ('Of its 8 claims these agree with the results here: 8 with classic, 7 with bounded.'
            in text)
    assert '| the paper says | classic | agrees | bounded | agrees |' in text
    assert text.count('| yes |') == 8 + 7 and text.count('| **no** |') == 1
    # All numbers of both algorithms.
    assert text.count('| classic | 100 | 0 | 0 |') == text.count('| bounded | 100 | 0 | 0 |') == 1
    assert f'![{FIGURES[0]}](figures/{FIGURES[0]}.png)' in text
    assert '| bounded-tree | 0 | -10.0% | 10.0% | 100.0% | 50.0% | 90 |' in text
    assert '| bounded-gossip | 0.2 | +20.0% | 20.0% | 100.0% | 50.0% | 120 |' in text
    assert '- fig5: takes `lab run x`' in text and 'took 1.0 minutes' in text


def test_figures_show_curves_of_alphas_by_number_of_users_and_chance():
    dataset = made(counted=np.where(LATE, 90.0, 100.0), present=100.0)
    calm = draw_served(dataset, 'bounded', failing=False).axes
    rough = draw_served(dataset, 'bounded').axes
    # A row for each number of users; a column for each chance above 0, or for the chance 0.
    assert len(calm) == 2 and len(rough) == 2 * (len(CHANCES) - 1)
    for axes in (*calm, *rough):
        *curves, failure = axes.get_lines()
        assert [line.get_label() for line in curves] == ['no feedback', 'alpha 0.01', 'alpha 1']
        assert failure.get_xdata() == [600.0, 600.0]
        assert all(line.get_ydata() == pytest.approx(np.where(LATE, 90.0, 100.0))
                   for line in curves)
    # Of the middle number of users.
    panels = draw_loads(made(), 'bounded').axes
    assert [axes.get_lines()[1].get_ydata()[0] for axes in panels] == [100.0] * 2 + [50.0] * 2
    uneven = draw_evenness(made(), 'bounded').axes
    assert [axes.get_title() for axes in uneven] == ['before leaders fail', 'after, chance 1']
    for axes in uneven:
        assert all(line.get_ydata() == pytest.approx([1.0, 0.5, 2.0]) for line in axes.get_lines())


def test_algorithm_without_results_is_an_error():
    with pytest.raises(ResultError, match='^there are no results of classic; lab run example'):
        draw_loads(made())


def test_collection_methods_are_recognised_by_labels():
    labels = ['bounded-tree', 'bounded-multi-path', 'bounded-gossip', 'colour-tree',
              'colour-multi-path', 'colour-gossip']
    counted = np.reshape([90.0, 100.0, 140.0, 60.0, 80.0, 100.0], (6, 1, 1, 1))
    dataset = results(labels, TIMES, 2, {'messages.loss': [0.0, 0.2]}, counted=counted,
                      present=100.0)
    assert collecting_algorithms(dataset) == ['bounded', 'colour']
    panels = draw_collections(dataset).axes
    assert [axes.get_title() for axes in panels] == [
        'part of messages lost: 0', 'part of messages lost: 0.2']
    for axes in panels:
        [image] = axes.get_images()
        assert image.get_array().tolist() == [
            pytest.approx(line) for line in ([0.1, 0.0, 0.4], [0.4, 0.2, 0.0])]
        assert [text.get_text() for text in axes.texts] == [
            '10.0%\n(-10.0%)', '0.0%\n(+0.0%)', '40.0%\n(+40.0%)', '40.0%\n(-40.0%)',
            '20.0%\n(-20.0%)', '0.0%\n(+0.0%)']
