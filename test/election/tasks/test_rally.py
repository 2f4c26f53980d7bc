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
from hypothesis import given
from hypothesis import strategies as st
from leader_election.election.regions.task import Member
from leader_election.election.tasks.goals import HOLD, MOST_MEMBERS
from leader_election.election.tasks.rally import (
    in_column,
    on_circle,
    Rally,
    RallyParameters,
    slots,
)
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
    task = leader()
    both = task.decide(collected(r2=(5, 0), r3=(-3, 0)))
    for _ in range(HOLD - 1):
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
    swarm = Swarm(Rally, {'distance': 1.5}, robots=6, world='blocks', seed=1)
    swarm.leader._wander.goal = lambda x, y, now: (2.0, -3.0)

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


# Formations.

ORIGIN = (0.0, 0.0)
MEMBERS = st.dictionaries(
    st.integers(0, 99), st.tuples(st.floats(-9, 9), st.floats(-9, 9)), min_size=1, max_size=21)


def degrees(angles: dict[int, float]) -> dict[int, float]:
    return {robot: round(math.degrees(angle), 6) % 360 for robot, angle in angles.items()}


def test_crowd_spreads_out_to_both_sides() -> None:
    # Three in the east, one behind the other, take 120 degrees each. The mean stays where it is.
    crowd = {1: (1.0, 0.0), 2: (2.0, 0.0), 3: (3.0, 0.0)}
    assert degrees(slots(ORIGIN, crowd)) == {1: 240, 2: 0, 3: 120}


@given(MEMBERS)
def test_slots_are_even_and_keep_the_order_round_the_leader(
        members: dict[int, tuple[float, float]]) -> None:
    angles = slots(ORIGIN, members)
    assert angles.keys() == members.keys()
    inorder = sorted(angles.values())
    step = 2 * math.pi / len(members)
    assert all(b - a == pytest.approx(step) for a, b in zip(inorder, inorder[1:]))
    bearing = {robot: math.atan2(y, x) for robot, (x, y) in members.items()}
    for one in members:
        for other in members:
            assert (bearing[one] <= bearing[other]) or (angles[one] > angles[other])


@given(MEMBERS, st.floats(0.1, 3.0), st.floats(0.1, 1.0))
def test_places_on_a_circle_are_apart(
        members: dict[int, tuple[float, float]], radius: float, spacing: float) -> None:
    places = list(on_circle((1.0, 2.0), slots((1.0, 2.0), members), radius, spacing).values())
    for k, place in enumerate(places):
        assert math.dist(place, (1.0, 2.0)) >= max(radius, spacing) - 1e-9
        assert all(math.dist(place, other) >= spacing - 1e-9 for other in places[:k])


def test_circle_has_its_radius_when_there_is_room() -> None:
    # Six on a circle are as far apart as from its centre.
    six = {robot: robot * math.pi / 3 for robot in range(6)}
    for spacing, radius in ((0.5, 1.5), (2.0, 2.0)):
        for place in on_circle(ORIGIN, six, 1.5, spacing).values():
            assert math.hypot(*place) == pytest.approx(radius)


def test_column_follows_the_trail_and_then_a_straight_line() -> None:
    # The leader came from the east and then from the north: 1 m and 1 m. Four within 4 m are 1 m
    # apart. The last two are where the trail goes on towards (1, 9).
    trail = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0)]
    places = in_column(trail, [4, 3, 2, 1], (1.0, 9.0), 4.0, 0.5)
    assert places == {4: (1.0, 0.0), 3: (1.0, 1.0), 2: (1.0, 2.0), 1: (1.0, 3.0)}
    # Within 1 m they would be too close: the column is longer.
    places = in_column(trail, [4, 3, 2, 1], (1.0, 9.0), 1.0, 0.5)
    assert places[1] == (1.0, 1.0)


def test_column_has_a_default_direction() -> None:
    assert in_column([ORIGIN], [1, 2], ORIGIN, 1.0, 0.5) == {1: (-0.5, 0.0), 2: (-1.0, 0.0)}
    assert in_column([ORIGIN], [], ORIGIN, 1.0, 0.5) == {}
