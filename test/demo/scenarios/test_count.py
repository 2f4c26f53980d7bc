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

"""The trial of count."""

from demo.scenarios.example import look, scenario
import pytest

COUNT = ('count',)


def swarm(first, second, **options):
    """Return two regions of two robots each, and what their leaders count."""
    return look(0.0, (1, None, 1, COUNT, first, ''), (2, None, 1),
                (3, None, 3, COUNT, second, ''), (4, None, 3), **options)


@pytest.mark.parametrize(('looks', 'holds'), [
    ([(2.0, 2.0)], True),
    ([(1.5, 2.0), (2.5, 2.0)], True),  # what is on its way now is there later
    ([(1.85, 2.0), (1.8, 2.0)], True),  # 95.6 %
    ([(1.7, 2.0), (1.8, 2.0)], False),
    ([(2.2, 2.0), (2.3, 2.0)], False),
])
def test_on_average_the_counts_add_up_to_the_swarm(looks, holds):
    count = scenario('count')
    for counts in looks:
        count.look(swarm(*counts))
    [check] = count.checks()
    assert check.holds == holds


def test_only_steady_moments_count():
    count = scenario('count')
    count.look(swarm(0.0, 0.0, steady=False))
    [check] = count.checks()
    assert not check.holds and 'no time' in check.text
    count.look(swarm(2.0, 2.0))
    [check] = count.checks()
    assert check.holds and '100.0% of the swarm (off by 0.0% at a look' in check.text
