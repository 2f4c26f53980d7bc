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

"""The swarm at one moment: its regions, orphans, links, member counts and decisions."""

from collections.abc import Iterable, Mapping
import json
import math
from typing import Any, NamedTuple

from leader_election.election.messages.codec import Position
from leader_election.localisation.poses import PlanePose
import numpy as np
import shapely

MAX_LENGTH = 1e12
"""The greatest range for the spatial index, which clips longer ranges [m]."""


class RobotView(NamedTuple):
    """The content of the last message of one robot."""

    id: int  # noqa: A003
    position: Position | None
    """The position in the shared frame [m], ``None`` if the robot does not know it."""
    value: float
    """The value of its leader's candidacy: the strength, negated; NaN if not exported."""
    distance: float
    """Distance to its leader, by the robots' own metric along the path of the candidacy [m]."""
    leader: int
    tasks: tuple[str, ...] = ()
    members: float = math.nan
    """
    The number of robots that it counts: a leader those of its region, another robot those of its
    subtree, NaN if it is not in the message.
    """
    decision: str = ''
    """Its leader's decisions, as far as known to it: a JSON list, one entry per task; or empty."""
    fields: Mapping[str, Any] = {}
    """
    The fields of its state that only its algorithm has (``diagnostics.own_fields``), and further
    ones of the header (``Message.further``).
    """
    deviation: float = math.nan
    """Standard deviation of the position by its own estimate [m], NaN if it is not published."""
    dead_reckoned: PlanePose | None = None
    """The pose by odometry alone, never corrected [m, rad], ``None`` if it is not published."""
    heard: float = math.nan
    """The time of its last message, on the observer's clock [s]."""
    name: str = ''
    """Its namespace, if it is not the usual one."""
    yaw: float = math.nan
    """The heading by its own estimate [rad], NaN if it is not published."""
    heading_deviation: float = math.nan
    """Standard deviation of the heading, likewise [rad]."""
    granted: bool | None = None
    """
    Whether it grants its leader a mandate, ``None`` for a leader, or without mandates.
    """
    term: int | None = None
    """The term under which it acts as a leader, 0 for none, ``None`` without mandates."""

    @property
    def ruled(self) -> bool:
        """Return whether the robot acts or is led under a mandate; true without mandates."""
        return bool(self.term or self.granted) if self.term is not None else True

    @property
    def pose(self) -> PlanePose | None:
        """Return x, y, yaw by its own estimate [m, rad], ``None`` if unknown."""
        return (None if self.position is None or math.isnan(self.yaw)
                else (*self.position, self.yaw))


class Snapshot(NamedTuple):
    """The whole swarm at one moment."""

    time: float
    """On the observer's clock [s]."""
    robots: dict[int, RobotView]
    """Robots that are alive, by id: their last message has not expired."""
    gone: dict[int, RobotView] = {}
    """Robots that have fallen silent, with their last message, by id."""


Regions = dict[int, tuple[int, ...]]
"""Sorted ids of the members of each region, by the leader's id."""


def regions(snapshot: Snapshot) -> Regions:
    """
    Return the regions: the robots of each leader, alive or not.

    >>> regions(_example())
    {1: (1, 2), 3: (3,), 9: (4,)}
    """
    members: dict[int, list[int]] = {}
    for robot in snapshot.robots.values():
        members.setdefault(robot.leader, []).append(robot.id)
    return {leader: tuple(sorted(members[leader])) for leader in sorted(members)}


def orphans(snapshot: Snapshot) -> tuple[int, ...]:
    """
    Return the robots without a living leader.

    >>> orphans(_example())
    (4,)
    """
    return tuple(sorted(robot.id for robot in snapshot.robots.values()
                        if robot.leader not in snapshot.robots or math.isinf(robot.distance)))


def way_to_leader(snapshot: Snapshot, robot: int, communication_range: float) -> list[int]:
    """
    Return a shortest path of messages from a robot to its leader, by announced distances.

    :param communication_range: the longest link [m].
    :return: ids from the robot to its leader, as far as the path is known.

    >>> robots = {i: RobotView(i, (2.0 * i, 0.0), -9.0, 2.0 * i, 0) for i in range(4)}
    >>> way_to_leader(Snapshot(0.0, robots), 3, 2.5)
    [3, 2, 1, 0]
    """
    robots, way = snapshot.robots, [robot]
    while (here := robots.get(way[-1])) is not None and here.leader != here.id:
        steps = [(other.distance + math.dist(here.position, other.position), other.id)
                 for other in robots.values()
                 if here.position is not None and other.position is not None
                 and other.leader == here.leader and other.distance < here.distance
                 and math.dist(here.position, other.position) <= communication_range]
        if not steps:
            break
        way.append(min(steps)[1])
    return way


def is_partition(snapshot: Snapshot, radius: float) -> bool:
    """
    Return whether each robot has a living leader that leads itself, within the radius.

    :param radius: the longest distance to a leader, by the robot's own metric [m], inclusive.
    :return: ``False`` also for a swarm without robots.

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
    Return the pairs of living robots within range of each other, sorted.

    :param communication_range: [m], inclusive.

    >>> links(_example(), 2.0)
    [(1, 2)]
    """
    placed = [robot for robot in snapshot.robots.values() if robot.position is not None]
    ids = np.array([robot.id for robot in placed], dtype=np.int64)
    points = shapely.points(np.array([robot.position for robot in placed]).reshape(-1, 2))
    # The tree does not accept infinity.
    reach = min(communication_range, MAX_LENGTH)
    pairs = ids[shapely.STRtree(points).query(points, predicate='dwithin', distance=reach)]
    return sorted((a, b) for a, b in pairs.T.tolist() if a < b)


def positions(snapshot: Snapshot, ids: Iterable[int]) -> list[Position]:
    """Return the known positions of these robots, as far as they are alive [m]."""
    found = (snapshot.robots[i].position for i in ids if i in snapshot.robots)
    return [position for position in found if position is not None]


def most_uncertain(snapshot: Snapshot) -> RobotView | None:
    """
    Return the living robot with the largest deviation, if any is known.

    >>> views = [RobotView(i, None, -9.0, 0.0, 1, deviation=0.1 * i) for i in (3, 5)]
    >>> views.append(RobotView(7, None, -9.0, 0.0, 1))
    >>> most_uncertain(Snapshot(0.0, {view.id: view for view in views})).id
    5
    """
    known = [robot for robot in snapshot.robots.values() if not math.isnan(robot.deviation)]
    return max(known, key=lambda robot: robot.deviation, default=None)


def member_counts(snapshot: Snapshot) -> dict[int, float]:
    """
    Return the number of members that each living leader counts, if published.

    The collected sum is a fraction while contributions are under way.

    :return: by the leader's id.

    >>> leader = RobotView(3, None, -9.0, 0.0, 3, ('count',), 2.0)
    >>> worker = RobotView(5, None, -9.0, 2.0, 3, ('count',), 1.0)
    >>> member_counts(Snapshot(0.0, {3: leader, 5: worker}))
    {3: 2.0}
    """
    return {robot.id: robot.members for robot in snapshot.robots.values()
            if robot.leader == robot.id and math.isfinite(robot.members)}


def acts_over(snapshot: Snapshot) -> dict[int, tuple[int, int]]:
    """
    Return the number of robots for which each leader holds mandates, and its region's size.

    :return: by the leader's id; (0, members) where it leads only, empty for a swarm without
        mandates.

    >>> views = [RobotView(3, None, -9.0, 0.0, 3, term=17), RobotView(9, None, -5.0, 0.0, 9),
    ...          RobotView(5, None, -9.0, 2.0, 3, granted=True, term=0),
    ...          RobotView(7, None, -9.0, 2.0, 3, granted=False, term=0)]
    >>> acts_over(Snapshot(0.0, {view.id: view for view in views}))
    {3: (2, 3), 9: (0, 1)}
    """
    robots = snapshot.robots
    if all(robot.term is None for robot in robots.values()):
        return {}
    return {leader: (sum(robots[i].ruled and robots[i].term is not None for i in members)
                     if leader in robots and robots[leader].term else 0, len(members))
            for leader, members in regions(snapshot).items()}


def decisions(robot: RobotView) -> Mapping[str, Any]:
    """
    Return the decisions of a robot's leader, as far as the robot knows them, by task.

    >>> robot = RobotView(3, None, -9.0, 0.0, 3, ('count', 'field'), 2.0, '[{"members":2},null]')
    >>> decisions(robot)
    {'count': {'members': 2}, 'field': None}
    """
    return dict(zip(robot.tasks, json.loads(robot.decision))) if robot.decision else {}


def alarmed(snapshot: Snapshot, leader: int) -> bool:
    """
    Return whether a leader has decided on an alarm: a positive ``alarm`` in a task's decision.

    >>> views = [RobotView(3, None, -9.0, 0.0, 3, ('field',), 2.0, '[{"alarm":0.7}]'),
    ...          RobotView(5, None, -9.0, 0.0, 5, ('field',), 2.0, '[{"alarm":0}]')]
    >>> [alarmed(Snapshot(0.0, {view.id: view for view in views}), robot) for robot in (3, 5, 9)]
    [True, False, False]
    """
    if leader not in snapshot.robots:
        return False
    found = (decision.get('alarm') for decision in decisions(snapshot.robots[leader]).values()
             if isinstance(decision, dict))
    return any(isinstance(alarm, (int, float)) and alarm > 0 for alarm in found)


def _example() -> Snapshot:
    """Return four robots: 1 leads 2, 3 leads itself, 4 follows 9, which is not alive."""
    views = (RobotView(1, (0.0, 0.0), -9.0, 0.0, 1), RobotView(2, (2.0, 0.0), -9.0, 2.0, 1),
             RobotView(3, (5.0, 0.0), -3.0, 0.0, 3), RobotView(4, None, -7.0, 4.0, 9))
    return Snapshot(0.0, {view.id: view for view in views})
