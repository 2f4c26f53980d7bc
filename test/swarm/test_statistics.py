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

"""Statistics of hand-made runs."""

from leader_election.swarm.snapshot import RobotView, Snapshot
from leader_election.swarm.statistics import CHANGES_WINDOW, Statistics


def observe(statistics, time, leaders, messages=0, size=0):
    views = {i: RobotView(i, None, 0.0, 0.0, leader) for i, leader in leaders.items()}
    statistics.observe(Snapshot(time, views), messages, size)


def test_leader_changes_are_counted_for_a_minute():
    statistics = Statistics()
    observe(statistics, 0.0, {1: 1, 2: 2})
    observe(statistics, 1.0, {1: 1, 2: 1, 3: 3})  # who is new has not changed
    observe(statistics, 2.0, {1: 2, 2: 2})
    assert statistics.changes_a_minute == statistics.leader_changes == 3
    observe(statistics, 1.0 + CHANGES_WINDOW, {1: 2, 2: 2})
    assert statistics.changes_a_minute == 2
    observe(statistics, 2.0 + CHANGES_WINDOW, {1: 2, 2: 2})
    assert statistics.changes_a_minute == 0 and statistics.leader_changes == 3


def test_a_region_is_stable_while_its_members_are_the_same():
    statistics = Statistics()
    observe(statistics, 0.0, {1: 1, 2: 1, 3: 3})
    observe(statistics, 4.0, {1: 1, 2: 1, 3: 3})
    assert [statistics.stable_for(leader) for leader in (1, 3, 9)] == [4.0, 4.0, 0.0]
    observe(statistics, 5.0, {1: 1, 2: 1, 3: 3, 4: 3})
    observe(statistics, 6.0, {1: 1, 2: 1, 3: 3, 4: 3})
    assert [statistics.stable_for(leader) for leader in (1, 3)] == [6.0, 1.0]


def test_traffic_is_that_of_late():
    statistics = Statistics()
    assert statistics.messages_a_second == 0.0
    for second in range(21):
        sent = 10 * min(second, 10)
        observe(statistics, float(second), {}, sent, 70 * sent)
        if second == 10:
            assert statistics.messages_a_second == 10.0 and statistics.bytes_a_second == 700.0
    assert statistics.messages_a_second == 0.0


def test_time_going_backwards_starts_anew():
    statistics = Statistics()
    observe(statistics, 100.0, {1: 1}, 50, 500)
    observe(statistics, 101.0, {1: 1}, 60, 600)
    observe(statistics, 3.0, {1: 1}, 70, 700)
    assert statistics.messages_a_second == 0.0 and statistics.stable_for(1) == 0.0
    observe(statistics, 5.0, {1: 1}, 90, 900)
    assert statistics.messages_a_second == 10.0 and statistics.stable_for(1) == 2.0
    assert statistics.duration == 2.0 and Statistics().duration == 0.0
