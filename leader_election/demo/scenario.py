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

"""What a demonstration of a task takes, and what it looks at."""

from argparse import Namespace
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from leader_election.demo.checks import Check
from leader_election.robot.codec import Position
from leader_election.swarm.snapshot import Snapshot
from leader_election.view.frame import Rings

ACCURATE = 0.05
"""So far the average of a figure may be off."""
MOSTLY = 0.9
"""What should always hold holds in such a share of all looks: news takes its time."""


class Look(NamedTuple):
    """The swarm at one look of the demonstration."""

    snapshot: Snapshot
    """The living."""
    truth: Mapping[int, Position]
    """Where robots truly are [m], by id, the dead included; empty where nobody asks."""
    steady: bool
    """Whether there is a partition that has had time to work, and no leader was just lost."""


class DemoScenario:
    """
    The demonstration of a task: what it needs, and whether the task works. This one has no task.

    :param options: of the demonstration.
    """

    robots: ClassVar[int] = 40
    """So many if nothing else is asked for."""
    duration: ClassVar[float] = 30.0
    """[s]."""
    radius: ClassVar[float] = 6.0
    """[m]."""
    range: ClassVar[float] = 4.0
    """[m]."""
    of_world: ClassVar[Mapping[str, Any]] = {'motion': 'levy'}
    """Parameters of the world."""
    of_robots: ClassVar[Mapping[str, Any]] = {}
    """Parameters of the robots."""
    needs_truth: ClassVar[bool] = False
    """Whether it looks at where robots truly are."""

    def __init__(self, options: Namespace) -> None:
        self.options = options

    def look(self, look: Look) -> None:
        """Take in how the swarm is."""

    def checks(self) -> list[Check]:
        """Return what was to hold, and whether it did."""
        return []

    def draw(self, folder: Path, rings: Rings) -> list[str]:
        """Draw what is to be seen besides the partition; return the paths of the pictures."""
        return []
