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

"""Histories and statistics of hand-made runs."""

from leader_election.swarm.history import changes, CHANGES_WINDOW, losses, reigns, Statistics
from leader_election.swarm.snapshot import RobotView, Snapshot


def at(time: float, **leaders: int) -> Snapshot:
    """Return a look at robots ``r<id>`` with these leaders."""
    return Snapshot(time, {int(name[1:]): RobotView(int(name[1:]), None, 0.0, 0.0, leader)
                           for name, leader in leaders.items()})


def test_leader_that_returns_has_two_reigns():
    course = [at(0.0, r1=1, r2=1, r3=1), at(1.0, r1=1, r2=1, r3=3), at(2.0, r1=3, r2=3, r3=3),
              at(3.0, r1=1, r2=3, r3=3)]
    assert reigns(course) == [(1, 0.0, 1.0, 3), (3, 1.0, 3.0, 3), (1, 3.0, 3.0, 1)]


def test_robot_that_returns_with_another_leader_counts_as_a_change():
    course = [at(0.0, r1=1, r2=1), at(1.0, r1=1), at(2.0, r1=1, r2=2), at(3.0, r1=1, r2=2, r5=5)]
    assert changes(course) == [(2.0, 2, 1, 2)]


def test_region_recovers_when_all_living_members_follow_a_living_leader():
    """Robot 1 leads 2, 3, 4 and falls silent at 1 s; 4 goes, too; elsewhere 5 has lost its own."""
    course = [at(0.0, r1=1, r2=1, r3=1, r4=1, r5=9), at(1.0, r1=1, r2=1, r3=1, r4=1, r5=9),
              at(4.5, r2=2, r3=1, r4=1, r5=9), at(5.0, r2=2, r3=2, r5=9)]
    assert losses(course, 3.0) == [(1, 1.0, 3, 5.0, None)]
    assert losses(course[:-1], 3.0) == [(1, 1.0, 3, None, None)]


def test_recovery_ends_when_a_lost_leader_returns():
    course = [at(0.0, r1=1, r2=1), at(3.5, r2=1), at(4.0, r1=1, r2=1)]
    assert losses(course, 3.0) == [(1, 0.0, 1, 4.0, 4.0)]


def test_recovery_before_the_expiry_takes_no_time():
    course = [at(0.0, r1=1, r2=1, r3=1), at(1.0, r1=1, r2=2, r3=1), at(2.0, r1=1, r2=2, r3=2),
              at(3.5, r2=2, r3=2)]
    assert losses(course, 3.0) == [(1, 0.0, 2, 2.0, None)]


def test_loss_of_a_leader_without_members_is_no_loss():
    assert losses([at(0.0, r1=1, r2=2), at(4.0, r2=2)], 3.0) == []
    assert losses([at(0.0, r1=2, r2=2), at(4.0, r2=2)], 3.0) == []


def test_empty_history_has_no_figures():
    assert reigns([]) == changes([]) == losses([], 3.0) == []


def observe(statistics, time, leaders, messages=0, size=0):
    views = {i: RobotView(i, None, 0.0, 0.0, leader) for i, leader in leaders.items()}
    statistics.observe(Snapshot(time, views), messages, size)


def test_leader_changes_are_counted_for_a_minute():
    statistics = Statistics()
    observe(statistics, 0.0, {1: 1, 2: 2})
    observe(statistics, 1.0, {1: 1, 2: 1, 3: 3})  # who is new has not changed
    observe(statistics, 2.0, {1: 2, 2: 2})
    assert statistics.leader_changes == 3
    per_robot_and_minute = 60.0 / CHANGES_WINDOW / 2
    assert statistics.changes_a_minute == 3 * per_robot_and_minute
    observe(statistics, 1.0 + CHANGES_WINDOW, {1: 2, 2: 2})
    assert statistics.changes_a_minute == 2 * per_robot_and_minute
    observe(statistics, 2.0 + CHANGES_WINDOW, {1: 2, 2: 2})
    assert statistics.changes_a_minute == 0 and statistics.leader_changes == 3


def test_constant_rate_of_changes_is_constant():
    statistics = Statistics()
    for second in range(60):
        observe(statistics, float(second), {1: second % 2, 2: 2})
        if second >= CHANGES_WINDOW:
            assert statistics.changes_a_minute == 30.0
    observe(statistics, 60.0 + 3 * CHANGES_WINDOW, {1: 2, 2: 2})
    assert statistics.changes_a_minute == 60.0 / (1.0 + 3 * CHANGES_WINDOW) / 2


def test_region_is_stable_while_its_members_are_the_same():
    statistics = Statistics()
    observe(statistics, 0.0, {1: 1, 2: 1, 3: 3})
    observe(statistics, 4.0, {1: 1, 2: 1, 3: 3})
    assert [statistics.stable_for(leader) for leader in (1, 3, 9)] == [4.0, 4.0, 0.0]
    observe(statistics, 5.0, {1: 1, 2: 1, 3: 3, 4: 3})
    observe(statistics, 6.0, {1: 1, 2: 1, 3: 3, 4: 3})
    assert [statistics.stable_for(leader) for leader in (1, 3)] == [6.0, 1.0]


def test_traffic_is_that_of_the_last_seconds():
    statistics = Statistics()
    assert statistics.messages_a_second == 0.0
    for second in range(21):
        sent = 10 * min(second, 10)
        observe(statistics, float(second), {}, sent, 70 * sent)
        if second == 10:
            assert statistics.messages_a_second == 10.0 and statistics.bytes_a_second == 700.0
    assert statistics.messages_a_second == 0.0


def test_history_restarts_when_time_goes_back():
    statistics = Statistics()
    observe(statistics, 100.0, {1: 1}, 50, 500)
    observe(statistics, 101.0, {1: 1}, 60, 600)
    observe(statistics, 3.0, {1: 1}, 70, 700)
    assert statistics.messages_a_second == 0.0 and statistics.stable_for(1) == 0.0
    observe(statistics, 5.0, {1: 1}, 90, 900)
    assert statistics.messages_a_second == 10.0 and statistics.stable_for(1) == 2.0
    assert statistics.duration == 2.0 and Statistics().duration == 0.0
