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
"""The progress of a swarm while it starts: lines that processes log, and their sum."""

import re
from typing import NamedTuple

CREATED, ELECTING = 'created', 'electing'
"""The phases of a start: a robot's node exists; it has all inputs and has sent a message."""
LEAST = 50
"""The least number of robots in a process for reports of progress: fewer start too fast."""

_LINE = re.compile(rf'\b([0-9]+) of ([0-9]+) robots ({CREATED}|{ELECTING})')


class Step(NamedTuple):
    """The progress of the robots of one process."""

    done: int
    total: int
    phase: str


def progress_line(step: Step) -> str:
    """
    Return the log line of a process.

    >>> progress_line(Step(25, 250, CREATED))
    '25 of 250 robots created'
    """
    return f'{step.done} of {step.total} robots {step.phase}'


def is_due(step: Step) -> bool:
    """
    Return whether a step is logged: each tenth.

    >>> [done for done in range(1, 251) if is_due(Step(done, 250, CREATED))][:3]
    [25, 50, 75]
    """
    tenth = max(step.total // 10, 1)
    return step.done % tenth == 0 or step.done == step.total


class SwarmProgress:
    """
    Sums the logged progress of the processes of a swarm.

    :param robots: of all processes.

    >>> swarm = SwarmProgress(500)
    >>> swarm.take('fleet_1', '[INFO] [fleet_1]: 25 of 250 robots created')
    True
    >>> swarm.take('fleet_251', '[INFO] [fleet_251]: 100 of 250 robots created')
    True
    >>> swarm.take('monitor', '12 robots'), swarm.done(CREATED), swarm.done(ELECTING)
    (False, 125, 0)
    """

    def __init__(self, robots: int) -> None:
        self.robots = robots
        self._steps: dict[tuple[str, str], int] = {}

    def take(self, process: str, text: str) -> bool:
        """
        Add the log output of a process.

        :param process: its name.
        :param text: one or more lines; other lines than progress lines are ignored.
        :return: whether it contained progress.
        """
        found = _LINE.findall(text)
        for done, _, phase in found:
            self._steps[process, phase] = max(
                int(done), self._steps.get((process, phase), 0))
        return bool(found)

    def done(self, phase: str) -> int:
        """Return the number of robots that have reached a phase."""
        return sum(done for (_, reached), done in self._steps.items() if reached == phase)

    @property
    def complete(self) -> bool:
        """Whether all robots elect."""
        return self.done(ELECTING) >= self.robots
