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

"""How a recording is read and shown."""

from typing import NamedTuple

from leader_election.robot.codec import MAIN
from leader_election.swarm.tracker import SwarmTracker


class Settings(NamedTuple):
    """What the one who looks at it chooses."""

    topic: str = ''
    """The topic of the robots' messages; empty: the only one that is called neighbourhood."""
    instance: str = MAIN
    """Whose leaders and regions are meant."""
    expiry: float = 3.0
    """A robot unheard for so long counts as gone [s]."""
    look: float = 0.25
    """Time between two looks at the swarm [s]."""
    begin: float = 0.0
    """What is shown begins so long after the first message [s]."""
    end: float = float('inf')
    radius: float | None = None
    """How far a leader reaches [m]; ``None``: as the robots say."""
    communication_range: float | None = None
    """How far a robot is heard [m], likewise."""

    def tracker(self, algorithm: str) -> SwarmTracker:
        """Return what listens to a swarm that elects by a known algorithm."""
        return SwarmTracker(self.expiry, algorithm, '', self.instance)
