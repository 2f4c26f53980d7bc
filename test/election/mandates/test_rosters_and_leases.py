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

"""Rosters and durations as parameters, fences, and the leases of clients."""

from leader_election.election.mandates.parameters import (
    ids_in,
    MandateParameters,
    MandateSettings,
    roster_in,
)
from leader_election.election.mandates.part import Fence, Lease, lease_in
from leader_election.parameters import ParameterError
import pytest


def test_fence_admits_terms_that_do_not_fall_and_counts_the_others() -> None:
    fence = Fence()
    assert (fence.highest, fence.refused) == (0, 0)
    assert [fence.admits(term) for term in (0, -1, 1, 1, 3, 2, 3)] == [
        False, False, True, True, True, False, True]
    assert (fence.highest, fence.refused) == (3, 3)
    assert not Fence(highest=5).admits(4) and Fence(highest=5).admits(5)


def test_mandate_over_a_robot_is_over_at_its_end() -> None:
    lease = Lease(7, 5.0, {1: 5.0, 2: 4.0})
    assert lease.refusal(3.9, 2) == '' and lease.refusal(4.0, 1) == lease.refusal(4.0) == ''
    assert lease.refusal(4.0, 2) == 'the mandate over robot 2 ended 0.0 s ago'
    assert lease.refusal(5.0) == 'the mandate ended 0.0 s ago'


@pytest.mark.parametrize('error', [0.01, 0.2])
def test_mandate_is_refused_when_it_is_over_before_the_next_beat(error: float) -> None:
    lasts, given = MandateSettings(5.0, error).mandate, MandateParameters(5.0, error)
    given.check_mandate(lasts)
    with pytest.raises(ParameterError, match='mandate'):
        given.check_mandate(1.001 * lasts)


@pytest.mark.parametrize('wrong', [
    {'term': 'x'}, {'acting_until': 'nan'}, {'acting_until': ''}, {'acts_until': 'x,y'},
    {'acts_over': '1.5,2'}])
def test_lease_gives_no_right_when_its_values_are_unreadable(wrong: dict[str, str]) -> None:
    values = {'acting': 'true', 'term': '17', 'acting_until': '15.0', 'acts_over': '1,2',
              'acts_until': '15.0,14.0'}
    for each in (values | wrong, {'acting': 'true'}):
        lease = lease_in(each, 0.0)
        assert lease is not None and lease.refusal(1.0) and lease.refusal(1.0, 1)


@pytest.mark.parametrize(('text', 'ids'), [
    ('', set()), ('7', {7}), ('7-7', {7}), ('3-5, 1', {1, 3, 4, 5}),
    ('1-3,\n5', {1, 2, 3, 5}),
    ('5-99999', range(5, 100_000)), ('1-100000', range(1, 100_001))])
def test_roster_has_ids_and_ranges(text: str, ids: object) -> None:
    expected = 0, set(), set(ids)  # type: ignore[call-overload]
    assert roster_in(text) == (0, set(), ids_in(text)) == expected


@pytest.mark.parametrize('text', [
    '5-3', 'a', '1-a', 'a-1', '-3', '1.5', '0-100000', '1--2', '1-2-3', 'v 1', 'v1 to 2',
    'v1 , to 2', 'v1 1 to', ',2,', '9' * 5000, '1-' + '9' * 5000])
def test_roster_is_refused_when_it_is_no_list_of_ids(text: str) -> None:
    with pytest.raises(ParameterError, match='^parameter roster: '):
        roster_in(text)
