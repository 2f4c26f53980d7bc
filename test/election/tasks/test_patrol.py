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

"""Patrols: which robot gets which part, and whole patrols in the embedded world."""

from collections.abc import Iterable
import json
import math
from typing import Any

from election.tasks.memory_context import collected, HIT, MemoryContext, scan_of, Swarm
from leader_election.election.regions.task import Member
from leader_election.election.tasks.coverage import (
    area_of,
    cells_in,
    unpacked_cells,
)
from leader_election.election.tasks.goals import HOLD
from leader_election.election.tasks.patrol import Patrol, PatrolParameters
from leader_election.parameters import build, ParameterError
import numpy as np
import pytest
import shapely

STRIP = (0.0, 0.0, 8.0, 0.0, 8.0, 2.0, 0.0, 2.0)
AHEAD = scan_of([math.inf] * 8, math.pi / 4, 4.0)


def patroller(robot: int = 1, pose: Any = (0.0, 0.0, 0.0), leads: bool = True,
              radius: float = 5.0, **settings: Any) -> Patrol:
    member = Member(
        robot, MemoryContext(), pose=lambda: pose, leader=1, leads=leads, radius=radius)
    return Patrol(member, build(PatrolParameters, settings))


def test_parts_stay_assigned_until_members_come_or_go() -> None:
    task = patroller(area=STRIP)
    task.decide(collected(r1=(5, 1), r2=(1, 1)))
    assert task.decide(collected(r1=(1, 1), r2=(5, 1)))['ids'] == [2, 1]
    # The second is missing, at first by chance, then for good. Then a third comes.
    for _ in range(HOLD - 1):
        assert task.decide(collected(r1=(1, 1)))['ids'] == [2, 1]
    assert task.decide(collected(r1=(1, 1)))['ids'] == [1]
    assert task.decide(collected(r1=(1, 1), r3=(0, 1)))['ids'] == [3, 1]


def test_patrol_covers_a_disc_round_the_leader_without_an_area() -> None:
    task = patroller(pose=(1.0, 2.0, 0.0))
    decided = task.decide(collected(r1=(1, 2), r2=(3, 3)))
    assert decided['ids'] == [2]
    assert area_of(decided['area']).bounds == pytest.approx((-4, -3, 6, 7))
    assert task.announce() == (1.0, 2.0, 5.0)
    # The leader is pushed away: the disc stays.
    task.member.pose = lambda: (2.0, 2.0, 0.0)
    after = task.decide(collected(r1=(2, 2), r2=(3, 3)))
    assert (after['area'], after['ids']) == (decided['area'], decided['ids'])
    # Alone it covers the disc itself.
    assert patroller().decide(collected(r1=(0, 0)))['ids'] == [1]


def test_leader_keeps_its_post_while_it_leads() -> None:
    task = patroller(pose=(1.0, 2.0, 0.0))
    assert task.announce() is None
    task.decide(collected(r1=(1, 2)))
    task.member.pose = lambda: (3.0, 3.0, 0.0)
    # A radius that changes by less than a tenth is the same.
    for radius, post in ((5.4, (1.0, 2.0, 5.0)), (5.6, (1.0, 2.0, 5.6)), (5.2, (1.0, 2.0, 5.6))):
        task.member.radius = radius
        task.act(task.decide(collected(r1=(3, 3))))
        assert task.announce() == post
    task.member.leads = False
    task.act(None)
    assert task.announce() is None
    task.member.leads = True
    task.decide(collected(r1=(3, 3)))
    assert task.announce() == (3.0, 3.0, 5.2)


def test_routes_of_two_parts_keep_apart() -> None:
    # 8 m by 2 m in two parts. Each keeps half of 0.5 m off the border between them.
    west, east = (patroller(robot, leads=False, area=STRIP) for robot in (2, 3))
    for task in (west, east):
        task.act({'area': [list(STRIP)], 'ids': [2, 3]})
    assert west.route is not None and east.route is not None
    assert max(x for x, _ in west.route.places) == pytest.approx(3.75)
    assert min(x for x, _ in east.route.places) == pytest.approx(4.25)


def test_region_ends_where_the_next_one_begins() -> None:
    task = patroller(pose=(2.0, 1.0, 0.0), area=STRIP)
    task.member.borders = {9: (6.0, 1.0, 5.0)}
    decided = task.decide(collected(r1=(2, 1)))
    assert area_of(decided['area']).bounds == (0, 0, 4, 2)
    task.member.borders = {}
    for _ in range(HOLD - 1):
        assert task.decide(collected(r1=(2, 1)))['area'] == decided['area']
    assert area_of(task.decide(collected(r1=(2, 1)))['area']).bounds == (0, 0, 8, 2)


@pytest.mark.parametrize('area', [(1.0,), (0.0, 0.0, 1.0, 1.0), (0, 0, 1, 1, 1, 0, 0, 1)])
def test_corners_are_refused_at_the_start_when_they_enclose_no_area(
        area: tuple[float, ...]) -> None:
    with pytest.raises(ParameterError, match='parameter area: '):
        build(PatrolParameters, {'area': area})


def turns_to(task: Patrol) -> float | None:
    """Return the turning speed after the next scan [rad/s], ``None`` if the robot stands."""
    commands = task.member.node.published('cmd_vel')
    commands.clear()
    task.member.node.deliver('scan', AHEAD)
    moves = commands and (commands[0].linear.x or commands[0].angular.z)
    return commands[0].angular.z if moves else None


def test_members_drive_to_their_own_parts_and_stop_without_a_decision() -> None:
    # From the middle of the strip, facing north: the west is on the left.
    west, east, none = (patroller(robot, (4.0, 1.0, math.pi / 2), leads=False, area=STRIP)
                        for robot in (2, 3, 4))
    decision = {'area': [list(STRIP)], 'ids': [2, 3]}
    for task in (west, east, none):
        assert turns_to(task) is None
        task.act(decision)
    assert turns_to(west) > 0 > turns_to(east)
    assert turns_to(none) is None
    west.act(None)
    assert turns_to(west) is None


@pytest.mark.parametrize('wrong', [
    {'area': [[0.0, 0.0, 1e9, 0.0, 1e9, 1e9, 0.0, 1e9]], 'ids': [2]},
    {'area': [[0.0, 0.0]], 'ids': [2]}, {'area': 7, 'ids': [2]}])
def test_malformed_decision_stops_the_robot(wrong: Any) -> None:
    task = patroller(2, (4.0, 1.0, 0.0), leads=False, area=STRIP)
    good = {'area': [list(STRIP)], 'ids': [2]}
    task.act(good)
    assert turns_to(task) is not None
    for _ in range(2):
        with pytest.raises((ValueError, TypeError)):
            task.act(wrong)
        assert turns_to(task) is None
    task.act(good)
    assert turns_to(task) is not None


def test_route_continues_when_the_part_changes_little() -> None:
    task = patroller(2, (4.0, 1.0, 0.0), leads=False, area=STRIP)
    task.act({'area': [list(STRIP)], 'ids': [2]})
    begun = task.route
    task.act(None)
    task.act({'area': [[0.0, 0.0, 8.1, 0.0, 8.1, 2.0, 0.0, 2.0]], 'ids': [2]})
    assert task.route is begun
    task.act({'area': [[0.0, 0.0, 8.1, 0.0, 8.1, 2.0, 0.0, 2.0]], 'ids': [2, 3]})
    assert task.route is not begun


def test_decision_for_twenty_is_small() -> None:
    rng = np.random.default_rng(1)
    star = shapely.Point(-30, -30).buffer(25, quad_segs=25)
    many = {f'r{900 + k}': tuple(rng.uniform(-50, 0, 2)) for k in range(20)}
    for area in ((), tuple(shapely.get_coordinates(star)[:-1].ravel().tolist())):
        task = patroller(900, (-30.55, -30.55, 0.0), radius=25.0, area=area)
        decided = json.dumps(task.decide(collected(**many)), separators=(',', ':'))
        assert len(decided) < 450


def covered(swarm: Swarm, area: shapely.Geometry, within: float) -> float:
    """Return the fraction of an area that was within a distance [m] of a robot at some time."""
    left, bottom, right, top = area.bounds
    x, y = (axis.ravel() for axis in np.meshgrid(
        np.arange(left, right, 0.25), np.arange(bottom, top, 0.25)))
    inside = shapely.contains_xy(area, x, y)
    visited = shapely.STRtree(shapely.points(np.concatenate(swarm.paths[::5])))
    near, _ = visited.query(
        shapely.points(x[inside], y[inside]), predicate='dwithin', distance=within)
    return len(np.unique(near)) / inside.sum()


def test_four_robots_cover_half_a_hall_with_blocks_without_a_collision() -> None:
    # 140 m2, with blocks that the task does not know.
    half = shapely.box(-10, -7, 0, 7)
    swarm = Swarm(Patrol, {'area': tuple(shapely.get_coordinates(half)[:-1].ravel().tolist())},
                  robots=4, world='blocks', seed=0)
    swarm.run(140.0)
    free = half.difference(shapely.union_all(swarm.world.scene.obstacles))
    assert covered(swarm, free, 1.0) >= 0.9
    assert swarm.closest >= HIT


# The visited part of the area, which the next leader has to know.

def decide(task: Patrol, numbers: Iterable[int] = (), **places: tuple[float, float]) -> Any:
    """Let a leader decide once, with the places and the visited cells of its members."""
    return json.loads(json.dumps(task.decide(
        {**collected(**places), 'visited': sorted(numbers)})))


def decide_along(task: Patrol, **paths: Any) -> Any:
    """Let a leader decide while robots are at their places, one after the other."""
    for places in zip(*paths.values()):
        decided = decide(task, **dict(zip(paths, places)))
    return decided


WESTERN_HALF = [(x / 2, y) for y in (0.5, 1.5) for x in range(8)]


def test_next_leader_assigns_only_cells_that_were_not_visited() -> None:
    """
    The western half of a strip of 8 m was visited.

    The remaining robot gets the eastern half.
    """
    first = patroller(1, area=STRIP)
    second = patroller(2, (7.5, 0.5, 0.0), leads=False, area=STRIP)
    decided = decide_along(first, r1=WESTERN_HALF)
    assert decided['known'] == [0, [1.0, 0, 0, 4], '/w==']
    second.act(decided)
    decided = decide(second, r2=(7.5, 0.5))
    assert decided['ids'] == [2] and decided['visited'] == [[1.0, 0, 0, 4], '/w==']
    member = patroller(2, leads=False, area=STRIP)
    member.act(decided)
    assert member.route is not None and min(x for x, _ in member.route.places) >= 4.0


def test_member_contributes_visited_cells_until_its_leader_knows_them() -> None:
    leader = patroller(1, (0.5, 0.5, 0.0), area=STRIP)
    member = patroller(2, (6.5, 1.5, 0.0), leads=False, area=STRIP)
    member.act(decide(leader, r1=(0.5, 0.5)))
    assert cells_in(member.sense()['visited'], [(6, 1)]) == {0: {(6, 1)}}
    decided = decide(leader, member.sense()['visited'], r1=(0.5, 0.5))
    assert unpacked_cells(*decided['known'][1:]) == {(0, 0), (6, 1)}
    member.act(decided)
    assert member.sense()['visited'] == set()


def test_new_sweep_begins_when_every_reachable_cell_was_visited() -> None:
    task = patroller(area=STRIP)
    decide_along(task, r1=[(x / 2, y) for y in (0.5, 1.5) for x in range(17)])
    decided = decide_along(task, r1=[(0.5, 0.5)] * 40)
    assert decided['known'][0] >= 1
    member = patroller(2, (6.5, 1.5, 0.0), leads=False, area=STRIP)
    for sweep in (0, decided['known'][0]):
        member.act({**decided, 'known': [sweep, *decided['known'][1:]]})
        assert cells_in(member.sense()['visited'], [(6, 1)]) == {sweep: {(6, 1)}}
    decided = decide_along(task, r1=[(0.5, 0.5)] * 2)
    assert 'visited' not in decided
