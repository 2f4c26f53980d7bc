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

"""Properties of a snapshot, against a direct computation."""

import math
import random

from leader_election.swarm.snapshot import (
    decisions,
    is_partition,
    links,
    member_counts,
    orphans,
    RobotView,
    Snapshot,
    task_names,
)
import pytest


def swarm(*views):
    return Snapshot(0.0, {view.id: view for view in views})


@pytest.mark.parametrize('reach', [0.0, 1.0, 2.5, math.inf])
def test_links_are_all_pairs_within_range(reach):
    rng = random.Random(1)
    snapshot = swarm(*(
        RobotView(i, (rng.uniform(0, 8), rng.uniform(0, 8)), 0.0, 0.0, i)
        for i in rng.sample(range(1000), 60)))
    near = {(a, b) for a, one in snapshot.robots.items() for b, other in snapshot.robots.items()
            if a < b and math.dist(one.position, other.position) <= reach}
    assert links(snapshot, reach) == sorted(near)


def test_links_take_the_range_as_inclusive_and_know_no_robot_without_a_position():
    snapshot = swarm(RobotView(5, (0.0, 0.0), 0.0, 0.0, 5), RobotView(4, None, 0.0, 0.0, 4),
                     RobotView(3, (3.0, 0.0), 0.0, 0.0, 3))
    assert links(snapshot, 3.0) == [(3, 5)] and links(snapshot, 2.999) == []
    assert links(swarm(), 3.0) == [] == links(swarm(RobotView(4, None, 0.0, 0.0, 4)), 3.0)


@pytest.mark.parametrize('follower, holds', [
    (RobotView(2, None, -9.0, 5.0, 1), True),
    (RobotView(2, None, -9.0, 5.1, 1), False),  # too far
    (RobotView(2, None, -9.0, 5.0, 7), False),  # of a leader that is not there
    (RobotView(2, None, -9.0, 5.0, 3), False),  # of a leader that follows another
])
def test_partition_has_living_leaders_within_the_radius(follower, holds):
    snapshot = swarm(RobotView(1, None, -9.0, 0.0, 1), follower, RobotView(3, None, -9.0, 1.0, 1))
    assert is_partition(snapshot, 5.0) == holds
    assert orphans(snapshot) == ((2,) if follower.leader == 7 else ())


def test_empty_swarm_is_no_partition():
    assert not is_partition(swarm(), 5.0)


def test_leaders_are_alive_and_lead_themselves():
    views = (RobotView(1, None, -9.0, 0.0, 1, members=2.5),
             RobotView(2, None, -9.0, 1.0, 1, members=1.0),  # a part of its leader's
             RobotView(3, None, -9.0, 0.0, 3),  # runs no regions
             RobotView(4, None, -9.0, 0.0, 4, members=math.inf))  # nonsense
    gone = {5: RobotView(5, None, -9.0, 0.0, 5, members=7.0)}
    assert member_counts(Snapshot(0.0, {view.id: view for view in views}, gone)) == {1: 2.5}


def test_decision_is_named_by_the_tasks_of_its_robot():
    robot = RobotView(1, None, -9.0, 0.0, 1, ('field', 'count'))
    assert decisions(robot) == {}
    assert decisions(robot._replace(decision='[[1,2],{"members":3}]')) == {
        'field': [1, 2], 'count': {'members': 3}}
    # From a robot that is out of its mind.
    assert decisions(robot._replace(decision='[1]')) == {'field': 1}


def test_tasks_of_a_swarm_are_those_of_all_robots():
    views = (RobotView(1, None, -9.0, 0.0, 1, ('rally',)), RobotView(2, None, -9.0, 0.0, 2),
             RobotView(3, None, -9.0, 0.0, 3, ('count', 'rally')))
    assert task_names(Snapshot(0.0, {view.id: view for view in views})) == ('count', 'rally')
