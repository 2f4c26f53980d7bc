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

"""
The fence of a resource: commands of a leader that was replaced are refused.

For any node, also one that is no robot of the swarm, as a door or a charger (M. Burrows, "The
Chubby Lock Service for Loosely-Coupled Distributed Systems", OSDI 2006, sequencers).
"""


class Fence:
    """
    Remembers the greatest term that a resource has obeyed.

    >>> door = Fence()
    >>> door.admits(17), door.admits(23), door.admits(17), door.refused
    (True, True, False, 1)

    :param highest: the greatest term so far, where the resource has kept it over a restart.
    """

    def __init__(self, highest: int = 0) -> None:
        self.highest = highest
        self.refused = 0

    def admits(self, term: int) -> bool:
        """Return whether to obey a command that was given under a term, and remember it."""
        if term < self.highest or term <= 0:
            self.refused += 1
            return False
        self.highest = term
        return True
