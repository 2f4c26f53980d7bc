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

"""The part of devices that are led, computed by hand."""

from lab.figures.example_results import results
from leader_election.lab.analysis.measures import led_part, mean_running, united_part
from leader_election.lab.runs.results import PERIOD
import numpy as np
import pytest

TIMES = np.arange(1.0, 5.0)


def test_the_number_of_running_devices_follows_from_their_rounds():
    """100 devices run a round a second for 4 s; the second seed has no results."""
    dataset = results(['bounded'], TIMES, 2)
    dataset['counts'][0, 1, 0] = -1
    assert mean_running(dataset).values == pytest.approx(np.array([[100.0, np.nan]]), nan_ok=True)


def test_the_period_may_be_another_one_and_may_vary():
    dataset = results(['bounded'], TIMES, 1)
    dataset[PERIOD] = 0.5
    assert mean_running(dataset).values == pytest.approx(50.0)
    varied = results(['bounded'], TIMES, 1, {'rounds.period': [0.5, 2.0]})
    varied[PERIOD] = 'rounds.period', [0.5, 2.0]
    assert mean_running(varied).values.ravel() == pytest.approx([50.0, 200.0])


def test_the_period_may_vary_under_a_name_of_the_users_own():
    dataset = results(['bounded'], TIMES, 1, {'pace': ['1', 'slow'], 'messages.loss': [0.0, 0.5]},
                      correct=4, mean_size=15, largest_size=30)
    dataset[PERIOD] = 'pace', [1.0, 2.0]
    dataset['counts'].loc[{'pace': 'slow'}] = 200
    assert mean_running(dataset).dims == ('algorithm', 'pace', 'messages.loss', 'seed')
    # 400 rounds in 4 s at one a second; 200 rounds at one in 2 s.
    assert (mean_running(dataset) == 100.0).all()
    assert led_part(dataset).values == pytest.approx(0.6)
    assert united_part(dataset).values == pytest.approx(0.3)
    # The results of one variant.
    slow = dataset.isel(pace=1)
    assert mean_running(slow).dims == ('algorithm', 'messages.loss', 'seed')
    assert (mean_running(slow) == 100.0).all()


def test_devices_whose_leader_does_not_lead_are_not_led():
    """5 leaders are named. 4 lead, 15 devices each and 30 at most: 60 and 30 of 100."""
    dataset = results(['bounded'], TIMES, 1, named=5, correct=4, mean_size=15, largest_size=30)
    assert led_part(dataset).dims == ('algorithm', 'seed', 'time')
    assert led_part(dataset).values == pytest.approx(0.6)
    assert united_part(dataset).values == pytest.approx(0.3)
