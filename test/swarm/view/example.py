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

"""A small swarm to draw: two regions, a robot that is gone, one that has lost its leader."""

from leader_election.swarm.snapshot import regions, RobotView, Snapshot
from leader_election.swarm.view.formatting import Palette
from leader_election.swarm.view.frame import Frame, Rings

RINGS = Rings(arena=(((0.0, 0.0), (12.0, 0.0), (12.0, 8.0), (0.0, 8.0), (0.0, 0.0)),),
              obstacles=(((9.0, 5.0), (11.0, 5.0), (11.0, 7.0), (9.0, 7.0)),))


PATROLLED = '[{"area":[[1,1,5,1,5,5,1,5]],"ids":[1,2]}]'
"""A square of 4 m, which two robots split at x = 3."""


def working(drawn):
    """Return the same with a task: leader 1 counts all but a part of one, leader 7 its three."""
    robots = dict(drawn.snapshot.robots)
    for leader, members, decision in ((1, 2.97, PATROLLED), (7, 3.0, '[null]')):
        robots[leader] = robots[leader]._replace(
            tasks=('patrol',), members=members, decision=decision)
    return drawn._replace(snapshot=drawn.snapshot._replace(robots=robots))


def mandated(drawn):
    """Return the same with mandates: leader 1 acts over all its robots, 7 leads only."""
    robots = {i: view._replace(term=4711 * (i == 1), granted=i in (2, 3, 9) if i != view.leader
                               else None) for i, view in drawn.snapshot.robots.items()}
    return drawn._replace(snapshot=drawn.snapshot._replace(robots=robots))


def frame(shift=0.0, note=''):
    """Return the swarm, its first region moved to the right."""
    views = (RobotView(1, (2.0 + shift, 2.0), -9.0, 0.0, 1),
             RobotView(2, (4.0 + shift, 2.0), -9.0, 2.0, 1),
             RobotView(3, (2.0 + shift, 4.0), -9.0, 2.0, 1),
             RobotView(7, (8.0, 2.0), -5.0, 0.0, 7), RobotView(8, (10.0, 2.0), -5.0, 2.5, 7),
             RobotView(9, (6.0, 6.5), -7.0, 1.0, 40), RobotView(10, None, -5.0, 1.0, 7))
    snapshot = Snapshot(20.0 + shift, {view.id: view for view in views},
                        {40: RobotView(40, (4.0, 6.5), -7.0, 0.0, 40)})
    return Frame(snapshot, Palette().assign(regions(snapshot)), note)
