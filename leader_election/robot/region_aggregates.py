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

"""What a summary of an instance's regions consists of: members, what tasks collect, variants."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
import math
from typing import Any

from leader_election.coordination.aggregate import Aggregate, AggregateSet, count
from leader_election.coordination.extent import extent
from leader_election.coordination.summary_layout import RANKED
from leader_election.robot.task_runner import ANNOUNCEMENT_SIZE, TaskRunner

MEMBERS = 'members'
"""The number of a region's robots, which every summary begins with; relays do not count."""
OUTLINE = 'outline'
BORDERS = 'borders'
COMMON = (MEMBERS, OUTLINE, BORDERS)
"""What no task may collect by that name."""
MOST_BORDERS = 8
"""The most regions that a leader knows next to its own; those of the lowest ids."""


def region_aggregates(
    task_runners: Sequence[TaskRunner], outline: bool, connected: bool
) -> AggregateSet:
    """Return what is collected, by name: ``members``, ``<task>.<name>``, and of variants."""
    # Shares are told in so many digits only; a thousandth of a robot is none.
    members = replace(count(), result=lambda row: round(float(row[0]), 3))
    parts: dict[str, Aggregate] = {MEMBERS: members}
    for runner in task_runners:
        parts.update({f'{runner.name}.{name}': aggregate
                      for name, aggregate in runner.aggregates.by_name.items()})
    if outline:
        parts[OUTLINE] = extent()
    if connected:
        width = 2 + ANNOUNCEMENT_SIZE
        parts[BORDERS] = Aggregate(
            BORDERS, RANKED, (math.inf,) * width * MOST_BORDERS, lambda _, reading: reading,
            lambda row: [list(row[at:at + width]) for at in range(0, len(row), width)
                         if row[at] < math.inf], width)
    return AggregateSet(parts)


def of_task(task: str, results: Mapping[str, Any]) -> dict[str, Any]:
    """
    Return what was collected for a task, and what all get.

    >>> of_task('count', {'members': 3.0, 'count.centre': [1.0, 2.0], 'field.mean': 9.0})
    {'members': 3.0, 'centre': [1.0, 2.0]}
    """
    start = f'{task}.'
    return {name.removeprefix(start): value for name, value in results.items()
            if name.startswith(start) or '.' not in name}
