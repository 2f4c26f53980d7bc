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

"""The time of observations: what leaps and jumps back of a clock do to it."""

from hypothesis import given
from hypothesis import strategies as st
from leader_election.election.robot.mailbox import ObservationClock

READINGS = st.lists(st.floats(1e-3, 1e9), min_size=2)


def test_the_readings_themselves_as_long_as_the_clock_is_even():
    clock = ObservationClock(longest_step=1.25)
    for n in range(1000):
        reading = 1.7e9 + n / 7
        assert clock.observe(reading) == reading


def test_until_the_clock_is_set_no_time_goes_by():
    clock = ObservationClock(longest_step=1.0)
    assert [clock.observe(reading) for reading in (0.0, 0.0, 500.0, 500.5)] == [
        0.0, 0.0, 500.0, 500.5]


def test_any_step_of_a_clock_that_may_leap():
    clock = ObservationClock()
    assert [clock.observe(reading) for reading in (1.0, 1e6, 5.0, 6.0)] == [1.0, 1e6, 1e6, 1e6 + 1]


@given(READINGS)
def test_it_never_goes_back_nor_leaps_and_goes_on_after_both(readings):
    clock = ObservationClock(longest_step=2.0)
    times = [clock.observe(reading) for reading in readings]
    assert all(0.0 <= after - before <= 2.001 for before, after in zip(times, times[1:]))
    last = readings[-1]
    assert clock.observe(last + 1.0) >= times[-1] + 0.999
