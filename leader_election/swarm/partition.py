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

"""The reference partition of Bounded Election, and how far two partitions agree."""

from collections.abc import Mapping
import heapq
from typing import NamedTuple

from leader_election.swarm.snapshot import Snapshot

Graph = Mapping[int, Mapping[int, float]]
"""The length of the link to each neighbour of each device [m], the same in both directions."""
Led = tuple[int, float, int]
"""A device's leader, its distance to it [m], and the number of links on the way."""


def partition(graph: Graph, strengths: Mapping[int, float], radius: float,
              ties: str) -> dict[int, Led]:
    """
    Return the leader, distance and way's links of each device.

    :param strengths: of each device; none is NaN, for among such there is no strongest.
    :param ties: ``id``: the leaders are taken one by one, of equal strength the lower id first;
        ``nearest``: all of one strength at once, and each device takes the nearest of them,
        of equally near ones the lower id.
    """
    found: dict[int, Led] = {}
    for group in groups(graph, strengths, radius, ties):
        found.update(group)
    return found


def groups(graph: Graph, strengths: Mapping[int, float], radius: float,
           ties: str) -> list[dict[int, Led]]:
    """Return the same in its order: what each (group of) leader(s) gets, the strongest first."""
    free = set(graph)
    found = []
    while free:
        best = max(strengths[i] for i in free)
        leaders = sorted(i for i in free if strengths[i] == best)
        found.append(reach(graph, free, leaders if ties == 'nearest' else leaders[:1], radius))
        free -= set(found[-1])
    return found


def reach(graph: Graph, free: set[int], leaders: list[int], radius: float) -> dict[int, Led]:
    """Return what these leaders lead: Dijkstra from all of them at once, over free devices."""
    led: dict[int, Led] = {}
    queue = [(0.0, leader, 0, leader) for leader in leaders]
    while queue:
        far, leader, links, device = heapq.heappop(queue)
        if device in led:
            continue
        led[device] = leader, far, links
        for neighbour, length in graph[device].items():
            if neighbour in free and neighbour not in led and far + length <= radius:
                heapq.heappush(queue, (far + length, leader, links + 1, neighbour))
    return led


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
