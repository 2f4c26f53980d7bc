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

"""How far two swarms agree on who leads whom, over time."""

from typing import NamedTuple

from leader_election.swarm.snapshot import Snapshot


class Share(NamedTuple):
    """The agreement in a stretch of time."""

    begin: float
    """[s]."""
    end: float
    robots: float
    """Share of the robots' rounds in which both swarms give the robot the same leader."""
    partitions: float
    """Share of the moments at which that is so for all robots at once."""


class Agreement:
    """Collects comparisons of two swarms of the same robots at the same moments."""

    def __init__(self) -> None:
        self._moments: list[tuple[float, int, int]] = []

    def compare(self, time: float, one: Snapshot, other: Snapshot) -> None:
        """Take in both at a moment; only robots that both hold count."""
        both = one.robots.keys() & other.robots.keys()
        same = sum(one.robots[i].leader == other.robots[i].leader for i in both)
        if both:
            self._moments.append((time, same, len(both)))

    @property
    def end(self) -> float:
        """The time of the last comparison [s], 0 if there was none."""
        return self._moments[-1][0] if self._moments else 0.0

    def share(self, begin: float, end: float) -> Share | None:
        """Return the agreement from one time on and before another, ``None`` if none was seen."""
        moments = [m for m in self._moments if begin <= m[0] < end]
        if not moments:
            return None
        return Share(begin, end, sum(m[1] for m in moments) / sum(m[2] for m in moments),
                     sum(m[1] == m[2] for m in moments) / len(moments))

    def over_time(self, stretch: float) -> list[Share]:
        """Return the agreement in consecutive stretches of so many seconds."""
        count = int(self.end / stretch) + 1
        shares = (self.share(i * stretch, (i + 1) * stretch) for i in range(count))
        return [share for share in shares if share is not None]
