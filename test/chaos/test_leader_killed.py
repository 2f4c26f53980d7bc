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

"""A dead leader is forgotten within the bound, wherever robots stand and whatever is lost."""

from benchmarks.leader_killed import AUTOMATIC, Case, cases, depositions, NONE, PERIOD, recovery
import pytest

TABLE = [case for case in cases() if case.radius < 100.0]


@pytest.mark.parametrize('case', TABLE, ids=str)
def test_recovery_times_are_within_their_bounds(case: Case) -> None:
    assert max(recovery(case, AUTOMATIC, seed) for seed in range(3)) <= case.bound


def test_recovery_without_a_hop_limit_depends_on_distances() -> None:
    # 2 m in steps of 0.05 m, and the rounds of the expiry.
    near = Case(0.05, 2.0, 'periodic', 0.0)
    assert recovery(near, NONE) == pytest.approx(42.0, abs=1.5 * PERIOD)
    assert recovery(near._replace(loss=0.4), NONE) > 5 * near.bound


@pytest.mark.parametrize('schedule', ['periodic', 'reactive'])
def test_hop_limit_deposes_no_living_leader(schedule: str) -> None:
    without, left = depositions(NONE, 1, seconds=200.0, schedule=schedule)
    share, times = depositions(AUTOMATIC, 1, seconds=200.0, schedule=schedule)
    assert 0.0 < share <= without < 0.1
    assert 0 < times <= left
