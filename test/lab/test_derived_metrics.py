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

"""What part of devices is led, by hand."""

from lab.figures.example_results import results
from leader_election.lab.derived_metrics import led_part, mean_running, united_part
import numpy as np
import pytest

TIMES = np.arange(1.0, 5.0)


def test_how_many_run_is_told_by_their_rounds():
    """100 devices run a round a second for 4 s; of the second seed there are no results."""
    dataset = results(['bounded'], TIMES, 2)
    dataset['counts'][0, 1, 0] = -1
    assert mean_running(dataset).values == pytest.approx(np.array([[100.0, np.nan]]), nan_ok=True)


def test_the_period_may_be_another_one_and_may_vary():
    dataset = results(['bounded'], TIMES, 1)
    dataset.attrs['text'] = 'rounds: {period: 0.5}'
    assert mean_running(dataset).values == pytest.approx(50.0)
    varied = results(['bounded'], TIMES, 1, {'rounds.period': [0.5, 2.0]})
    assert mean_running(varied).values.ravel() == pytest.approx([50.0, 200.0])
    dataset.attrs['text'] = 'duration: 4'
    assert mean_running(dataset).values == pytest.approx(100.0)


def test_those_who_name_a_leader_that_does_not_lead_are_not_led():
    """5 leaders are named. 4 lead, 15 devices each and 30 at most: 60 and 30 of 100."""
    dataset = results(['bounded'], TIMES, 1, named=5, correct=4, mean_size=15, largest_size=30)
    assert led_part(dataset).dims == ('algorithm', 'seed', 'time')
    assert led_part(dataset).values == pytest.approx(0.6)
    assert united_part(dataset).values == pytest.approx(0.3)
