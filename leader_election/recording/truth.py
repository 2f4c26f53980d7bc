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

"""How far the leaders that robots have are those that they would have by their true places."""

from collections.abc import Mapping, Sequence
import math

from leader_election.swarm.agreement import Agreement
from leader_election.swarm.partition import partition
from leader_election.swarm.snapshot import RobotView, Snapshot
import numpy as np

FLOOR = 0.01
"""The shortest distance between two robots by their metric [m], as is their default."""
PERIOD = 1.0
"""Time between two comparisons [s]."""
Tracks = Mapping[int, Sequence[tuple[float, float, float]]]
"""Time [s] and place x, y [m], one after the other, by the robot's id."""


def agreement_with_truth(snapshots: Sequence[Snapshot], tracks: Tracks,
                         strengths: Mapping[int, float], radius: float,
                         communication_range: float) -> Agreement:
    """
    Compare the leaders that robots said they had with a partition computed from true places.

    That partition is the one that Bounded Election would come to if nothing moved and all was
    heard; robots on the move are behind it by the time that news takes. Equal strengths are told
    apart by the ids. Robots count while their true place and their strength are known.

    :param strengths: of each robot, as it said last.
    """
    agreement = Agreement()
    tables = {robot: np.array(track) for robot, track in tracks.items()
              if robot in strengths and len(track) > 1}
    last = -math.inf
    for snapshot in snapshots:
        if 0.0 <= snapshot.time - last < 0.99 * PERIOD:
            continue
        last = snapshot.time
        places = {
            robot: (np.interp(last, table[:, 0], table[:, 1]),
                    np.interp(last, table[:, 0], table[:, 2]))
            for robot, table in tables.items() if robot in snapshot.robots
            and table[0, 0] <= last <= table[-1, 0]}
        agreement.compare(last, snapshot, _direct(
            last, places, strengths, radius, communication_range))
    return agreement


def _direct(time: float, places: Mapping[int, tuple[float, float]],
            strengths: Mapping[int, float], radius: float,
            communication_range: float) -> Snapshot:
    graph: dict[int, dict[int, float]] = {robot: {} for robot in places}
    for robot, place in places.items():
        for other, there in places.items():
            far = math.dist(place, there)
            if robot != other and far <= communication_range:
                graph[robot][other] = max(far, FLOOR)
    led = partition(graph, strengths, radius, 'id')
    return Snapshot(time, {
        robot: RobotView(robot, places[robot], -strengths[leader], far, leader)
        for robot, (leader, far, _) in led.items()})
