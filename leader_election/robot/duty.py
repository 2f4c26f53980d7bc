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

"""A task at work on one robot: called, and kept from doing harm."""

from collections.abc import Mapping
import traceback
from typing import Any

from leader_election.coordination.aggregate import Layout
from leader_election.coordination.task import Task
from leader_election.robot.told import dumps, MAX_DECISION, MAX_NUMBER


class Duty:
    """
    Calls a task; what it raises is counted, and the robot goes on without.

    :param name: of the task, as parameter ``tasks`` says.
    """

    def __init__(self, name: str, task: Task) -> None:
        self.name = name
        self.task = task
        self.layout = Layout(task.collects)
        self.errors = 0
        """How often the task raised, or returned what cannot be told."""
        self.trouble = ''
        """What the first error was, with its traceback."""
        self.told = False
        """Whether people were told."""

    def sense(self, robot_id: int) -> tuple[float, ...]:
        """Return the row that this robot contributes; the blank one where the task fails."""
        try:
            row = self.layout.offer(robot_id, self.task.sense())
            if any(MAX_NUMBER < abs(n) < float('inf') for n in row):
                raise ValueError(f'sense: a number is beyond {MAX_NUMBER:g}')
        except Exception as error:
            self.fail(error)
            return self.layout.blank
        return row

    def decide(self, summary: Mapping[str, Any]) -> Any:
        """Return the leader's decision, as JSON tells it; ``None`` where the task fails."""
        try:
            decision = self.task.decide(summary)
            if len(dumps(decision)) > MAX_DECISION:
                raise ValueError(f'decide: the decision has {len(dumps(decision))} characters '
                                 f'in JSON; it may have {MAX_DECISION}')
        except Exception as error:
            self.fail(error)
            return None
        return decision

    def act(self, decision: Any) -> None:
        """Do this robot's part of the decision."""
        try:
            self.task.act(decision)
        except Exception as error:
            self.fail(error)

    def say(self) -> tuple[float, ...] | None:
        """Return what leaders of other regions are told; ``None``: nothing."""
        try:
            said = self.task.say()
            return None if said is None else tuple(float(number) for number in said)
        except Exception as error:
            self.fail(error)
            return None

    def close(self) -> None:
        """Stop."""
        try:
            self.task.close()
        except Exception as error:
            self.fail(error)

    def fail(self, error: Exception) -> None:
        """Count an error, and keep the first of them."""
        self.errors += 1
        if not self.trouble:
            self.trouble = ''.join(traceback.format_exception(error))
