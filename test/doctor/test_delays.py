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

"""What delays say of clocks, and what they do not."""

from hypothesis import given
from hypothesis import strategies as st
from leader_election.doctor.delays import drift, flowing, leap
import pytest

BURST = [0.5, 0.4, 0.3, 0.2, 0.1]
CALM = [0.01] * 8
BY = st.floats(0.4, 100.0) | st.floats(-100.0, -0.4)
JITTER = st.lists(st.floats(0.0, 0.1), min_size=3, max_size=20)


@given(JITTER, JITTER, BY)
def test_a_clock_that_is_set_is_found_both_ways(
        before: list[float], after: list[float], by: float) -> None:
    assert leap(before + [delay - by for delay in after]) == pytest.approx(by, abs=0.1)


@given(st.lists(st.floats(0.0, 10.0), max_size=30))
def test_whatever_is_late_is_no_leap_if_the_level_is_the_same_again(late: list[float]) -> None:
    assert leap(CALM + [0.01 + delay for delay in late] + CALM) == 0.0


def test_bursts() -> None:
    assert leap(CALM + BURST + CALM) == 0.0
    assert leap(CALM + [1.5] * 10 + CALM) == 0.0
    # While the clock is set as well.
    behind = [2.0 + delay for delay in CALM + BURST + CALM]
    assert leap(CALM + behind) == pytest.approx(-2.0)
    assert leap(behind + CALM) == pytest.approx(2.0)


def test_a_fast_drift_is_no_leap() -> None:
    times = [0.5 * k for k in range(20)]
    for rate in (0.1, -0.1):
        delays = [rate * time for time in times]
        assert leap(delays) == 0.0 and drift(times, delays) == pytest.approx(rate)


def test_what_was_held_back() -> None:
    """Sent each 0.1 s, and all come at the end of the burst."""
    burst = [(1.0, delay) for delay in BURST]
    calm = [(1.1 + 0.1 * k, delay) for k, delay in enumerate(CALM)]
    assert flowing(burst + calm) == burst[-1:] + calm
    assert flowing(calm) == calm and flowing([]) == []
