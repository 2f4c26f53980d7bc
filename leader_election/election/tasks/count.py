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

"""Task ``count``: the number of members and their centre, sent to all members."""

from collections.abc import Mapping
from typing import Any

from leader_election.election.regions.aggregate import mean
from leader_election.election.regions.task import Task


class Count(Task):
    """
    Count the robots of a region.

    The decision is ``{"members": n, "centre": [x, y]}``, the mean of the members' positions [m],
    to the centimetre. The centre is ``None`` if no member knows its position. Robots do not act on
    it. Each decision follows from the present contributions alone, so a leader has nothing to
    remember for the next one.
    """

    collects = {'centre': mean(2)}

    def sense(self) -> Mapping[str, Any]:
        """Contribute this robot's position. The number of robots is collected for every task."""
        pose = self.member.pose()
        return {'centre': pose and pose[:2]}

    def decide(self, summary: Mapping[str, Any]) -> Any:
        """Return number and centre; with shares under way the sum may not be a whole number."""
        centre = summary['centre']
        return {'members': round(summary['members']),
                'centre': centre and [round(x, 2) for x in centre]}
