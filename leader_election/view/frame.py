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

"""What is drawn at one moment: a snapshot with colours, outlines, trails and patrol parts."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
import json
import math
from typing import Any, NamedTuple

from leader_election.robot.codec import MAX_COORDINATE, Position
from leader_election.swarm.snapshot import decided, Snapshot
from leader_election.tasks.split import split
from leader_election.tasks.territory import area_of
from leader_election.view.formatting import Colour
import shapely

Ring = tuple[Position, ...]
"""The corners of a polygon [m]; the last may repeat the first."""


class Rings(NamedTuple):
    """What does not move, as outlines."""

    arena: tuple[Ring, ...] = ()
    obstacles: tuple[Ring, ...] = ()


def rings_of(markers: Iterable[Any]) -> Rings:
    """
    Return the outlines that are in markers of the embedded world.

    :param markers: ``visualization_msgs/msg/Marker``, or whatever has the same fields.
    """
    def named(namespace: str) -> tuple[Ring, ...]:
        return tuple(tuple((point.x, point.y) for point in marker.points) for marker in shown
                     if marker.ns == namespace and marker.points)

    # Action 0 adds a marker; others delete some.
    shown = [marker for marker in markers if marker.action == 0]
    return Rings(named('arena'), named('obstacles'))


class Frame(NamedTuple):
    """The swarm at one moment, and how it is shown."""

    snapshot: Snapshot
    colours: dict[int, Colour]
    """Of each leader, by id."""
    note: str = ''
    """What is said under it, for example ``robot 7 was killed``."""


STEP = 0.25
"""So far apart the places are that are remembered [m]."""
LARGEST_STRIDE = 2.0
"""A robot that is suddenly farther away was not driven there: its way begins anew [m]."""


class Trails:
    """
    Remembers places, looks at the swarm one after the other.

    :param length: of the way that is remembered of each robot [m].

    >>> from leader_election.swarm.snapshot import RobotView
    >>> trails = Trails(length=0.5)
    >>> for x in (0.0, 0.1, 0.3, 0.6, 0.9):
    ...     trails.take(Snapshot(0.0, {3: RobotView(3, (x, 0.0), 0.0, 0.0, 3)}))
    >>> trails.ways[3]
    [(0.3, 0.0), (0.6, 0.0), (0.9, 0.0)]
    """

    def __init__(self, length: float) -> None:
        self._most = round(length / STEP) + 1
        self.ways: dict[int, list[Position]] = {}
        """By the robot's id; only of those that live."""

    def take(self, snapshot: Snapshot) -> None:
        """Take in where the robots are."""
        ways = {}
        for robot, view in snapshot.robots.items():
            way = self.ways.get(robot, [])[:]
            if view.position is not None:
                stride = math.dist(way[-1], view.position) if way else math.inf
                if stride > LARGEST_STRIDE:
                    way = [view.position]
                elif stride >= STEP:
                    way.append(view.position)
            ways[robot] = way[-self._most:]
        self.ways = ways


PATROL = 'patrol'
MOST_PARTS = 200
"""A decision that splits a territory into more is not drawn."""


def parts(snapshot: Snapshot) -> dict[int, Sequence[Ring]]:
    """
    Return the outlines of the parts, by the leader that has decided on them.

    >>> from leader_election.swarm.snapshot import RobotView
    >>> leader = RobotView(3, None, -9.0, 0.0, 3, ('patrol',), 2.0,
    ...                    '[{"area":[[0,0,4,0,4,2,0,2]],"ids":[3,5]}]')
    >>> [len(ring) for ring in parts(Snapshot(0.0, {3: leader}))[3]]
    [5, 5]
    """
    return {robot.id: _rings(json.dumps(decided(robot)[PATROL]))
            for robot in snapshot.robots.values()
            if robot.leader == robot.id and PATROL in decided(robot)}


@lru_cache(maxsize=64)
def _rings(decision: str) -> tuple[Ring, ...]:
    """Return the outlines; none of what is no such decision. Territories seldom change."""
    try:
        told = json.loads(decision)
        area, number = area_of(told['area']), len(told['ids'])
        if not 0 < number <= MOST_PARTS or max(map(abs, area.bounds)) > MAX_COORDINATE:
            return ()
        pieces = shapely.get_parts(split(area, number)).tolist()
    except (KeyError, TypeError, ValueError, AttributeError, shapely.errors.ShapelyError):
        return ()
    return tuple(tuple((x, y) for x, y in piece.exterior.coords) for piece in pieces)
