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
The stable partition of Bounded Election, computed directly: no rounds, no messages.

Strongest first. The strongest device that has no leader yet leads all that it reaches within the
radius over devices without a leader; whoever has one passes no other leader's news on.
"""

from collections.abc import Mapping
import heapq

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
