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

"""When rounds run."""

from leader_election.robot.schedule import phase, wait
import pytest


def test_phase():
    assert phase(0.0, 5) == 0.0
    assert phase(0.75, 5) == 0.75
    for first in (0, 17):
        phases = sorted(phase(-1.0, robot) for robot in range(first, first + 100))
        gaps = [b - a for a, b in zip(phases, phases[1:] + [phases[0] + 1.0], strict=True)]
        assert 0.0 <= phases[0] and phases[-1] < 1.0
        assert max(gaps) < 0.02, '100 robots: a gap of 1/100 each, and no two at once'
        assert min(gaps) > 0.003


@pytest.mark.parametrize('last, now, expected', [
    (10.0, 10.0, 1.0),
    (10.0, 10.75, 0.25),
    (10.0, 11.0, 0.0),
    (10.0, 99.0, 0.0),
    (float('-inf'), 0.0, 0.0),  # never yet
    (10.0, 9.0, 0.0),  # the clock went backwards
])
def test_wait(last, now, expected):
    assert wait(last, now, interval=1.0) == expected
