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

"""A swarm at one moment: its regions, orphans, links, counts and decisions."""

from collections.abc import Iterable, Mapping
import json
import math
from typing import Any, NamedTuple

from leader_election.robot.codec import Position
import numpy as np
import shapely


class RobotView(NamedTuple):
    """What one robot said last."""

    id: int
    position: Position | None
    """In the shared frame [m]; ``None`` if the robot does not know it."""
    value: float
    """Of its leader's candidacy: the leader's strength, negated; NaN if it does not say."""
    distance: float
    """To its leader, by the robots' own metric along the path of the news [m]."""
    leader: int
    tasks: tuple[str, ...] = ()
    """What its region does, by name."""
    members: float = math.nan
    """How many robots it counts: a leader its whole region; NaN if it does not say."""
    decision: str = ''
    """Its leader's, as far as it knows: a JSON list with an entry a task; empty: none."""


class Snapshot(NamedTuple):
    """The whole swarm at one moment."""

    time: float
    """On the observer's clock [s]."""
    robots: dict[int, RobotView]
    """The living ones, by id."""
    gone: dict[int, RobotView] = {}
    """Those that fell silent, with what they said last."""


Regions = dict[int, tuple[int, ...]]
"""The members' ids of each region, sorted, by the leader's id."""


def regions(snapshot: Snapshot) -> Regions:
    """
    Return the regions: which robots follow which leader, living or not.

    >>> regions(_example())
    {1: (1, 2), 3: (3,), 9: (4,)}
    """
    members: dict[int, list[int]] = {}
    for robot in snapshot.robots.values():
        members.setdefault(robot.leader, []).append(robot.id)
    return {leader: tuple(sorted(members[leader])) for leader in sorted(members)}


def orphans(snapshot: Snapshot) -> tuple[int, ...]:
    """
    Return the robots whose leader is not living, or that have found none yet (classic).

    >>> orphans(_example())
    (4,)
    """
    return tuple(sorted(robot.id for robot in snapshot.robots.values()
                        if robot.leader not in snapshot.robots or math.isinf(robot.distance)))


def is_partition(snapshot: Snapshot, radius: float) -> bool:
    """
    Return whether each robot has a living leader that leads itself, within the radius.

    :param radius: the farthest that a leader may be, by the robot's own distance [m], inclusive.
    :return: false also for a swarm of nobody.

    >>> is_partition(_example(), 10.0)
    False
    >>> without = {i: robot for i, robot in _example().robots.items() if i != 4}
    >>> [is_partition(Snapshot(0.0, without), radius) for radius in (1.9, 2.0, float('inf'))]
    [False, True, True]
    """
    def settled(robot: RobotView) -> bool:
        leader = snapshot.robots.get(robot.leader)
        return leader is not None and leader.leader == leader.id and robot.distance <= radius

    return bool(snapshot.robots) and all(map(settled, snapshot.robots.values()))


def links(snapshot: Snapshot, communication_range: float) -> list[tuple[int, int]]:
    """
    Return the pairs of living robots within range of each other [m], inclusive, sorted.

    >>> links(_example(), 2.0)
    [(1, 2)]
    """
    placed = [robot for robot in snapshot.robots.values() if robot.position is not None]
    ids = np.array([robot.id for robot in placed], dtype=np.int64)
    points = shapely.points(np.array([robot.position for robot in placed]).reshape(-1, 2))
    # No place is farther away than this; the tree takes no infinity.
    reach = min(communication_range, 1e12)
    pairs = ids[shapely.STRtree(points).query(points, predicate='dwithin', distance=reach)]
    return sorted((a, b) for a, b in pairs.T.tolist() if a < b)


def positions(snapshot: Snapshot, ids: Iterable[int]) -> list[Position]:
    """Return the positions of those of these living robots that know theirs, in order."""
    found = (snapshot.robots[i].position for i in ids if i in snapshot.robots)
    return [position for position in found if position is not None]


def _example() -> Snapshot:
    views = (RobotView(1, (0.0, 0.0), -9.0, 0.0, 1), RobotView(2, (2.0, 0.0), -9.0, 2.0, 1),
             RobotView(3, (5.0, 0.0), -3.0, 0.0, 3), RobotView(4, None, -7.0, 4.0, 9))
    return Snapshot(0.0, {view.id: view for view in views})


def counted(snapshot: Snapshot) -> dict[int, float]:
    """
    Return how many robots each living leader counts in its region, where it says so, by its id.

    >>> leader = RobotView(3, None, -9.0, 0.0, 3, ('count',), 2.0)
    >>> worker = RobotView(5, None, -9.0, 2.0, 3, ('count',), 1.0)
    >>> counted(Snapshot(0.0, {3: leader, 5: worker}))
    {3: 2.0}
    """
    return {robot.id: robot.members for robot in snapshot.robots.values()
            if robot.leader == robot.id and math.isfinite(robot.members)}


def decided(robot: RobotView) -> Mapping[str, Any]:
    """
    Return what a robot's leader has decided, as far as the robot knows, by the task.

    >>> decided(RobotView(3, None, -9.0, 0.0, 3, ('count', 'field'), 2.0, '[{"members":2},null]'))
    {'count': {'members': 2}, 'field': None}
    """
    return dict(zip(robot.tasks, json.loads(robot.decision))) if robot.decision else {}


def tasks(snapshot: Snapshot) -> tuple[str, ...]:
    """
    Return what the swarm does: the tasks by name, sorted.

    >>> tasks(Snapshot(0.0, {3: RobotView(3, None, -9.0, 0.0, 3, ('field', 'count'))}))
    ('count', 'field')
    """
    return tuple(sorted({task for robot in snapshot.robots.values() for task in robot.tasks}))
