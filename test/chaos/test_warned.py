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

"""Warnings are counted for the robot whose own distances are wrong, and for all robots."""

from benchmarks.logged_swarm import Moment
from benchmarks.warned import moments, share, warned


class Run:
    """Moments of three robots; 2 does not see, and 3 follows it."""

    def __init__(self, *found):
        self.moments = [Moment(float(time), same, 3, {}, faults, mistaken)
                        for time, (same, faults, mistaken) in enumerate(found)]


def test_seconds_are_those_of_wrong_leaders_that_true_poses_do_not_make():
    true = moments(Run(((1, 2, 3), {}, ()), ((1, 2, 3), {}, ()), ((1, 2), {}, ())))
    run = Run(((1, 2, 3), {1: 'a', 2: '', 3: ''}, ()),
              ((1,), {1: '', 2: 'b', 3: ''}, (2,)),
              ((1,), {1: '', 2: '', 3: 'c'}, (2, 3)))
    found = warned(run, true)
    assert found.mistaken == (1, 2), '2, twice'
    assert found.wrong == (1, 3), 'and 3 once: at last it has no right leader by true poses'
    assert found.right == (1, 5)
    assert warned(run, true, lambda robot, time: robot == 1).right == (0, 2)


def test_shares_are_of_all_seconds():
    assert share([(1, 2), (2, 2)]) == '75 (4)'
    assert share([(0, 0)]) == '-'
