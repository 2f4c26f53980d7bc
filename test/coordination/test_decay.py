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
"""T: a countdown, and what is forgotten bit by bit."""

from itertools import accumulate

from leader_election.coordination.decay import decay
import pytest


def course(rounds, value, *arguments):
    return list(accumulate(range(rounds), lambda value, _: decay(value, *arguments),
                           initial=value))


def test_a_countdown_stops_at_its_floor():
    assert course(4, 3.0, 1.0, 1.0, 0.75) == [3.0, 2.25, 1.5, 1.0, 1.0]


def test_what_is_forgotten_halves_in_each_round():
    assert course(3, 8.0, 0.0, 0.5) == [8.0, 4.0, 2.0, 1.0]


def test_first_the_part_is_taken_and_then_the_step():
    assert decay(8.0, 0.0, factor=0.5, step=1.0) == 3.0


@pytest.mark.parametrize('value', [0.0, 1.0, 1e300, -5.0])
def test_it_gets_to_its_floor_from_anywhere(value):
    """A half of a double, over and over, is nothing after 2100 rounds at the most."""
    assert course(2100, value, 0.0, 0.5)[-1] == 0.0
