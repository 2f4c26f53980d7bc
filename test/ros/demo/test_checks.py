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

"""Observation of a run, on made snapshots."""

from leader_election.ros.demo.checks import RunObserver
from leader_election.swarm.snapshot import RobotView, Snapshot
import pytest

HEARD = {1: 0.5, 2: 2.0, 3: 1.0}


def swarm(time, **leaders):
    """Return a snapshot of robots r1, r2, ... with their leaders, at a distance of 2 m."""
    views = {}
    for name, leader in leaders.items():
        robot = int(name[1:])
        views[robot] = RobotView(robot, (0.0, 0.0), -1.0, 0.0 if robot == leader else 2.0, leader)
    return Snapshot(time, views, {})


@pytest.fixture
def observer():
    return RunObserver((1, 2, 3), radius=2.0)


def test_observer_waits_for_all_robots(observer):
    observer.observe(swarm(1.0, r1=1, r3=1), {1: 0.5, 3: 1.0})
    assert observer.all_heard is None and observer.first_partition is None
    observer.observe(swarm(2.0, r1=1, r2=1, r3=1), HEARD)
    assert (observer.all_heard, observer.first_partition) == (2.0, 2.0)


def test_first_partition_requires_leaders_that_lead_themselves(observer):
    observer.observe(swarm(2.0, r1=2, r2=3, r3=3), HEARD)
    assert observer.first_partition is None
    observer.observe(swarm(3.0, r1=3, r2=3, r3=3), HEARD)
    assert observer.first_partition == 3.0


def test_first_partition_requires_the_radius():
    observer = RunObserver((1, 2, 3), radius=1.9)
    observer.observe(swarm(2.0, r1=1, r2=1, r3=1), HEARD)
    assert observer.first_partition is None


def test_recovery_requires_that_no_robot_follows_the_killed_one(observer):
    observer.observe(swarm(2.0, r1=1, r2=1, r3=1), HEARD)
    observer.kill(1, 5.0)
    # The dead robot's last message is still fresh, and so is its hold on the others.
    observer.observe(swarm(5.1, r1=1, r2=1, r3=1), HEARD)
    observer.observe(swarm(6.0, r1=1, r2=2, r3=1), HEARD)
    assert observer.recovered is None
    assert observer.unled(swarm(6.0, r1=1, r2=2, r3=1)) == [3]
    observer.observe(swarm(8.0, r2=2, r3=2), HEARD)
    assert observer.recovered == 8.0


def test_robot_that_was_started_again_may_be_killed_again(observer):
    observer.observe(swarm(2.0, r1=1, r2=1, r3=1), HEARD)
    for killed in (5.0, 15.0):
        observer.kill(1, killed)
        observer.observe(swarm(killed + 1.0, r1=1, r2=1, r3=1), HEARD)
        observer.observe(swarm(killed + killed / 2.0, r2=2, r3=2), HEARD)
        observer.living.add(1)
        assert observer.missing(swarm(killed + 9.0, r2=2, r3=2)) == [1]
    assert observer.recoveries == [2.5, 7.5]


def test_living_robot_without_messages_is_missing(observer):
    assert not observer.all_led(swarm(9.0, r1=1, r2=1))
    assert observer.missing(swarm(9.0, r1=1, r2=1)) == [3]


def test_share_of_partitions_is_over_observations(observer):
    for time, leader_of_2 in ((2.0, 1), (3.0, 3), (4.0, 1), (5.0, 1)):
        observer.observe(swarm(time, r1=1, r2=leader_of_2, r3=1), HEARD)
    assert (observer.snapshots, observer.partitions) == (4, 3)


def test_stable_time_counts_from_the_first_partition_or_the_recovery(observer):
    assert observer.stable_for(1.0) == 0.0
    observer.observe(swarm(2.0, r1=1, r2=1, r3=1), HEARD)
    assert observer.stable_for(4.5) == 2.5
    observer.kill(1, 5.0)
    assert observer.stable_for(6.0) == 0.0
    observer.observe(swarm(8.0, r2=2, r3=2), HEARD)
    assert observer.stable_for(9.0) == 1.0


def test_killed_robots_are_left_out_before_their_messages_expire(observer):
    observer.kill(1, 5.0)
    assert list(observer.living_only(swarm(5.1, r1=1, r2=1, r3=3)).robots) == [2, 3]
