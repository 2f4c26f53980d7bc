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

"""What is due, and when."""

from leader_election.world.rate import Rate
import pytest


@pytest.mark.parametrize(('rate', 'expected'), [
    (0.0, []),
    # Periods begin at 0, 0.2, 0.4 ... s; 3 * 0.2 is not quite 0.6 and must not be missed.
    (5.0, [1, 2, 4, 6, 8, 10]),
    # Periods begin at 0, 1/3, 2/3, 1 s: the first steps in them.
    (3.0, [1, 4, 7, 10]),
    (10.0, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]),
    # More than once a step is once.
    (99.0, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]),
    # Ten seconds: once in the first.
    (0.1, [1]),
])
def test_in_which_of_ten_steps_of_a_tenth_of_a_second(rate: float, expected: list[int]) -> None:
    one = Rate(rate)
    assert [step for step in range(1, 11) if one.due(step * 0.1)] == expected


def test_what_was_missed_is_left_out() -> None:
    one = Rate(5.0)
    assert [now for now in (0.2, 1.7, 1.7, 1.75, 1.8) if one.due(now)] == [0.2, 1.7, 1.8]
