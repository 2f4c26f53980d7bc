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

"""Ids and ranges of ids as text."""

from leader_election.parameters import ParameterError
from leader_election.parameters.id_ranges import id_ranges, within
import pytest


@pytest.mark.parametrize(('text', 'ranges'), [
    ('', ()), (' ', ()), ('3', ((3, 3),)), (' 9-10, 2 ', ((9, 10), (2, 2))), ('4-4', ((4, 4),))])
def test_ids_and_ranges_are_parsed(text: str, ranges: tuple[tuple[int, int], ...]) -> None:
    assert id_ranges(text, 'members') == ranges


@pytest.mark.parametrize('text', ['x', '3-1', '1,', '1-', '1-2-3', '-1', ',', '1;2'])
def test_malformed_ranges_are_refused_with_the_parameter(text: str) -> None:
    with pytest.raises(ParameterError, match='^parameter radio_groups: '):
        id_ranges(text, 'radio_groups')


def test_both_ends_of_a_range_belong_to_it() -> None:
    assert [robot for robot in range(9) if within(robot, ((2, 4), (7, 7)))] == [2, 3, 4, 7]
    assert not within(1, ())
