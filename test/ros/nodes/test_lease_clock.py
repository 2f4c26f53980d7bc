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

"""The clock of leases, on readings of the computer's clocks that a test gives."""

from leader_election.ros.nodes import clock
import pytest


def test_lease_clock_returns_the_faster_reading_and_the_lag(
        monkeypatch: pytest.MonkeyPatch) -> None:
    readings = [(100.0, 7.0), (101.0, 8.0), (111.0, 8.5), (112.0, 10.5), (112.0, 10.5)]
    monkeypatch.setattr(clock, 'steady_clocks', lambda: readings.pop(0))
    made = clock.LeaseClock()
    assert (made.seconds(), made.lag()) == (1.0, 0.0)
    assert (made.seconds(), made.lag()) == (11.0, 9.5), 'it slept for 9.5 s'
    assert (made.seconds(), made.lag()) == (13.0, 10.5), 'the other one was faster by 1 s'
    assert (made.seconds(), made.lag()) == (13.0, 10.5)


def test_lag_does_not_grow_with_the_frequency_of_readings(monkeypatch: pytest.MonkeyPatch) -> None:
    """In 1000 pairs of readings the difference of the clocks changes by 0.1 ms."""
    now = [0.0]

    def readings() -> tuple[float, float]:
        now[0] += 0.001
        return now[0], now[0] + 1e-4 * (round(1000.0 * now[0]) % 2)
    monkeypatch.setattr(clock, 'steady_clocks', readings)
    made = clock.LeaseClock()
    last = [made.seconds() for _ in range(1000)][-1]
    assert last == pytest.approx(1.0, rel=0.01) and made.lag() < 0.01


def test_clocks_of_this_computer_advance() -> None:
    before, after = clock.steady_clocks(), clock.steady_clocks()
    assert all(one <= other for one, other in zip(before, after))
