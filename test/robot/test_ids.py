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

"""Sets of ids, written down and read."""

from leader_election.parameters import ParameterError
from leader_election.robot.ids import format_ids, parse_ids
import pytest

KNOWN = tuple(range(1, 11))


@pytest.mark.parametrize(('text', 'ids'), [
    ('', KNOWN), ('3', (3,)), ('1-3', (1, 2, 3)), (' 9-10, 2 ', (2, 9, 10)),
    ('4,4,3-5', (3, 4, 5)),
])
def test_read(text, ids):
    assert parse_ids(text, KNOWN) == ids


@pytest.mark.parametrize('text', ['x', '3-1', '1,', '1-2-3', '-1', '0', '11', '1-99999999999'])
def test_refused_by_name(text):
    with pytest.raises(ParameterError, match='^parameter members: '):
        parse_ids(text, KNOWN)


@pytest.mark.parametrize('ids', [(1,), (1, 2, 3), (1, 3, 5, 6), (2, 4, 6, 8, 10)])
def test_there_and_back(ids):
    assert parse_ids(format_ids(ids), KNOWN) == ids
