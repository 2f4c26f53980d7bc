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

"""What leaders have collected of their regions, and what they have decided."""

from collections.abc import Mapping
import json
import math
from typing import Any

from leader_election.swarm.snapshot import RobotView, Snapshot


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
