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

"""The parts that patrolling regions have split their territories into, to be drawn."""

from collections.abc import Sequence
from functools import lru_cache
import json

from leader_election.robot.codec import MAX_COORDINATE
from leader_election.swarm.collected import decided
from leader_election.swarm.snapshot import Snapshot
from leader_election.tasks.split import split
from leader_election.tasks.territory import area_of
from leader_election.view.frame import Ring
import shapely

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
