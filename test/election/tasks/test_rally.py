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

"""Rallies: the assignment of places, and whole rallies in the embedded world."""

import json
import math

from election.tasks.memory_context import collected, HIT, MemoryContext, Swarm
from leader_election.election.regions.task import Member
from leader_election.election.tasks.places import MOST_MEMBERS
from leader_election.election.tasks.rally import Rally, RallyParameters
from leader_election.parameters import build
import numpy as np
import pytest


def leader(pose: tuple[float, float, float] | None = (0.0, 0.0, 0.0), **settings: object) -> Rally:
    member = Member(1, MemoryContext(), pose=lambda: pose, leader=1, leads=True)
    return Rally(member, build(RallyParameters, settings))


def test_members_get_places_round_the_leader() -> None:
    decided = leader(distance=2.0).decide(collected(r1=(0, 0), r2=(5, 0), r3=(-3, 0)))
    assert sorted(decided) == [[2, 2.0, 0.0], [3, -2.0, 0.0]]


def test_members_get_places_behind_the_leader() -> None:
    # The leader has no trail yet: the column goes towards the middle of the members.
    decided = leader(formation='follow', distance=2.0).decide(
        collected(r1=(0, 0), r2=(0, 5), r3=(0, 3)))
    assert sorted(decided) == [[2, 0.0, 2.0], [3, 0.0, 1.0]]


def test_places_move_with_the_leader_and_stay_assigned() -> None:
    task = leader(distance=2.0)
    task.decide(collected(r2=(5, 0), r3=(-3, 0)))
    task.member.pose = lambda: (1.0, 1.0, 0.0)
    # The two have passed each other meanwhile: each keeps its place.
    decided = task.decide(collected(r2=(-3, 0), r3=(5, 0)))
    assert sorted(decided) == [[2, 3.0, 1.0], [3, -1.0, 1.0]]


def test_member_keeps_its_place_when_missing_for_some_rounds() -> None:
    task = leader(hold=2)
    both = task.decide(collected(r2=(5, 0), r3=(-3, 0)))
    assert task.decide(collected(r3=(-3, 0))) == both
    assert [row[0] for row in task.decide(collected(r3=(-3, 0)))] == [3]


def test_leader_assigns_no_places_when_alone_or_without_position() -> None:
    assert leader().decide(collected(r1=(0, 0))) == []
    assert leader(None).decide(collected(r2=(0, 0))) is None


@pytest.mark.parametrize('formation', ['surround', 'follow'])
def test_decision_for_many_is_small(formation: str) -> None:
    many = {f'r{100 + k}': (-19.25 - k, -15.75) for k in range(MOST_MEMBERS)}
    decided = leader((-19.12, -17.38, 0.0), formation=formation).decide(collected(**many))
    assert len(decided) == MOST_MEMBERS
    assert len(json.dumps(decided, separators=(',', ':'))) < 512


def off(swarm: Swarm) -> float:
    """Return the greatest distance of a member from the place that it has [m]."""
    places = {robot: (x, y) for robot, x, y in json.loads(swarm.decision)}
    return max(math.dist(pose[:2], places[robot]) for robot, pose in
               zip(swarm.world.scene.ids, swarm.world.poses) if robot in places)


def test_six_robots_surround_their_leader_among_blocks_without_a_collision() -> None:
    swarm = Swarm(Rally, {'leader': 'goal', 'goal': (2.0, -3.0), 'distance': 1.5},
                  robots=6, world='blocks', seed=1)

    def arrived() -> bool:
        at_goal = math.dist(swarm.world.poses[0, :2], (2.0, -3.0)) <= 0.1
        return at_goal and swarm.world.time > 3.0 and off(swarm) <= 0.15
    assert swarm.run(120.0, arrived)
    assert swarm.closest >= HIT
    # All round it: 1.5 m off, and no two neighbours on the circle are far from 360 / 5 degrees.
    around = swarm.world.poses[1:, :2] - swarm.world.poses[0, :2]
    assert np.hypot(*around.T) == pytest.approx(np.full(5, 1.5), abs=0.25)
    gaps = np.diff(np.sort(np.arctan2(around[:, 1], around[:, 0])))
    assert np.degrees(gaps) == pytest.approx(np.full(4, 360 / 5), abs=15)


def test_members_follow_a_wandering_leader() -> None:
    distance = 4.0
    swarm = Swarm(Rally, {'formation': 'follow', 'distance': distance},
                  robots=5, world='blocks', seed=0)
    swarm.run(40.0)
    begun = swarm.world.poses[0, :2]
    far, gone = [], []
    for _ in range(40):
        swarm.run(1.0)
        far.append(np.hypot(*(swarm.world.poses[1:, :2] - swarm.world.poses[0, :2]).T).max())
        gone.append(math.dist(swarm.world.poses[0, :2], begun))
    assert np.median(far) <= distance + 1.0
    assert max(gone) > 1.0
    assert swarm.closest >= HIT


@pytest.mark.parametrize('place', [['nan', 1.0], [None, 1.0], [[1.0], 2.0], [1.0, True]])
def test_robot_stops_when_its_place_is_malformed(place: list[object]) -> None:
    task = leader()
    task.member.leads = False
    task.act([[1, 2.0, 3.0]])
    assert task._goal_for(0.0, 0.0, 0.0) == (2.0, 3.0)
    with pytest.raises(ValueError, match='is not a place'):
        task.act([[1, *place]])
    assert task._goal_for(0.0, 0.0, 0.0) is None
