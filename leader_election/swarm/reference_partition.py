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
The reference partition of Bounded Election, and the agreement of two partitions over time.

The reference is computed centrally, without rounds and messages: the strongest device that has no
leader yet leads all devices that it reaches within the radius over devices without a leader. A
device that has a leader does not forward candidacies of others.
With ``radius_hysteresis`` the partition also depends on the leader that each device follows
already (:class:`Hysteresis`).
"""

from collections import Counter
from collections.abc import Mapping
import heapq
import math
from types import MappingProxyType
from typing import NamedTuple

from leader_election.election.messages.codec import Position
from leader_election.swarm.snapshot import Snapshot

Graph = Mapping[int, Mapping[int, float]]
"""The length of the link to each neighbour of each device [m], the same in both directions."""
Assignment = tuple[int, float, int]
"""A device's leader, its distance to it [m], and the number of links on the path."""


def links_within(places: Mapping[int, Position], reach: float,
                 least: float = 0.0) -> dict[int, dict[int, float]]:
    """
    Return the graph of the robots at some places [m].

    :param reach: the length of the longest link [m], inclusive.
    :param least: the least distance of two robots by their metric [m].

    >>> links_within({1: (0.0, 0.0), 2: (3.0, 4.0), 3: (9.0, 9.0)}, 5.0)
    {1: {2: 5.0}, 2: {1: 5.0}, 3: {}}
    """
    return {one: {other: max(length, least) for other, there in places.items()
                  if other != one and (length := math.dist(here, there)) <= reach}
            for one, here in places.items()}


class Hysteresis(NamedTuple):
    """The leader that each device keeps up to the whole radius."""

    share: float = 0.0
    """Parameter ``radius_hysteresis``: other leaders have to be nearer by this share."""
    following: Mapping[int, int] = MappingProxyType({})

    def reach(self, device: int, leader: int, radius: float) -> float:
        """
        Return the greatest distance at which a device follows a leader [m].

        >>> hysteresis = Hysteresis(0.25, {1: 7})
        >>> hysteresis.reach(1, 7, 4.0), hysteresis.reach(1, 8, 4.0)
        (4.0, 3.0)
        """
        return radius if self.following.get(device) == leader else radius * (1.0 - self.share)


NO_HYSTERESIS = Hysteresis()


def partition(graph: Graph, strengths: Mapping[int, float], radius: float, ties: str,
              hysteresis: Hysteresis = NO_HYSTERESIS) -> dict[int, Assignment]:
    """
    Return the leader, distance and number of links of each device.

    :param strengths: of each device. None is NaN, since NaN has no order.
    :param radius: the longest distance to a leader [m], inclusive.
    :param ties: ``id``: leaders are taken one by one, of equal strength the lower id first;
        ``nearest``: all of one strength at once, and each device takes the nearest of them,
        of equally near ones the lower id.
    :param hysteresis: the present leaders. A partition with hysteresis is right if this function,
        given the partition, returns it again.

    >>> line = {1: {2: 1.0}, 2: {1: 1.0, 3: 1.0}, 3: {2: 1.0}}
    >>> partition(line, {1: 5.0, 2: 0.0, 3: 9.0}, 1.5, 'id')
    {3: (3, 0.0, 0), 2: (3, 1.0, 1), 1: (1, 0.0, 0)}
    """
    found: dict[int, Assignment] = {}
    for group in groups(graph, strengths, radius, ties, hysteresis):
        found.update(group)
    return found


def groups(graph: Graph, strengths: Mapping[int, float], radius: float, ties: str,
           hysteresis: Hysteresis = NO_HYSTERESIS) -> list[dict[int, Assignment]]:
    """Return the partition as one mapping for each leader or group, the strongest first."""
    free = set(graph)
    found = []
    while free:
        best = max(strengths[i] for i in free)
        leaders = sorted(i for i in free if strengths[i] == best)
        found.append(reach(
            graph, free, leaders if ties == 'nearest' else leaders[:1], radius, hysteresis))
        free -= set(found[-1])
    return found


def reach(graph: Graph, free: set[int], leaders: list[int], radius: float,
          hysteresis: Hysteresis = NO_HYSTERESIS) -> dict[int, Assignment]:
    """Return the devices of these leaders by multi-source Dijkstra over free devices."""
    led: dict[int, Assignment] = {}
    # The order of the tuple breaks ties: distance, then the leader's id.
    queue = [(0.0, leader, 0, leader) for leader in leaders]
    while queue:
        distance, leader, hops, device = heapq.heappop(queue)
        if device in led:
            continue
        led[device] = leader, distance, hops
        for neighbour, length in graph[device].items():
            if neighbour in free and neighbour not in led and (
                    distance + length <= hysteresis.reach(neighbour, leader, radius)):
                heapq.heappush(queue, (distance + length, leader, hops + 1, neighbour))
    return led


NOBODY = -1
LEAST_TIME = 30.0
"""The time from which on the share of a single robot means something [s]."""


class RightTime(NamedTuple):
    """How long robots had the right leader."""

    share: float = 0.0
    """The share of the robots' time."""
    least: tuple[float, int] = (1.0, NOBODY)
    """The least share of a robot's time, and its id; of less than ``LEAST_TIME`` nobody's."""
    longest: tuple[float, int] = (0.0, NOBODY)
    """The longest time for which a robot had a wrong leader [s], and its id."""
    time: float = 0.0
    """The time that was judged [s]."""


class PartitionJudge:
    """
    Judges the leaders of a swarm by the reference partition of its true links, over time.

    Messages are under way: a living leader is right if the reference gave it to the robot within
    the last ``slack`` seconds. Each reference is computed with the leaders that robots follow at
    its moment, so it allows what hysteresis allows. Beyond the middle between the radius in which
    a leader is joined and the whole one a leader is right only for robots that have followed it
    since it was right. A robot that believes nobody leads itself: where the reference gives it
    another leader it is wrong.

    :ivar wrong: since when each robot with a wrong leader has had one [s], by id.
    :ivar farthest: the hops to the farthest member of a leader in the last reference.
    """

    def __init__(self, strengths: Mapping[int, float], radius: float, share: float,
                 slack: float = 2.0) -> None:
        """
        Start without observations.

        :param strengths: the true ones, by id.
        :param radius: of a region [m].
        :param share: ``radius_hysteresis``.
        :param slack: [s].
        """
        self.strengths = dict(strengths)
        self.wrong: dict[int, float] = {}
        self.farthest = 0
        self._radius, self._share, self._slack = radius, share, slack
        self._given: dict[int, dict[int, float]] = {}
        """When each leader was last right, by robot and leader [s]."""
        self._kept: dict[int, int] = {}
        """The leader that each robot has followed since it was right."""
        # Robots know positions of a second ago, so some join beyond the joining radius.
        self._joining = radius * (1.0 - share / 2.0)
        self._judged, self._right = Counter[int](), Counter[int]()
        """The numbers of counted moments, and of those with the right leader, by robot."""
        self._longest = 0.0, NOBODY
        self._counted, self._time = 0.0, math.inf
        """The time that counts, and the time of the last call [s]."""

    def observe(self, time: float, leaders: Mapping[int, int], graph: Graph,
                counted: bool = True) -> None:
        """
        Judge the leaders at a moment.

        :param time: [s], not before that of the last call.
        :param leaders: of the robots. One without a leader is wrong.
        :param graph: the true links between the living robots.
        :param counted: whether the moment counts in :attr:`right_time`.

        >>> judge = PartitionJudge({1: 0.0, 2: 9.0}, 4.0, 0.25)
        >>> judge.observe(5.0, {1: 1, 2: 2}, {1: {2: 2.0}, 2: {1: 2.0}})
        >>> judge.wrong, judge.right_time.share
        ({1: 5.0}, 0.5)
        """
        reference = partition(graph, self.strengths, self._radius, 'id',
                              Hysteresis(self._share, leaders))
        self.farthest = max((hops for _, _, hops in reference.values()), default=0)
        self._kept = {robot: kept for robot, kept in self._kept.items()
                      if robot in graph and leaders.get(robot) == kept}
        for robot, (right, distance, _) in reference.items():
            given = self._given.setdefault(robot, {})
            if distance <= self._joining or self._kept.get(robot) == right:
                given[right] = time
            leader = leaders.get(robot)
            if (leader is not None and leader in graph
                    and time - given.get(leader, -math.inf) <= self._slack):
                self.wrong.pop(robot, None)
                self._kept[robot] = leader
            else:
                self.wrong.setdefault(robot, time)
        for robot in self.wrong.keys() - reference.keys():
            del self.wrong[robot]
        if counted:
            self._judged.update(reference.keys())
            self._right.update(reference.keys() - self.wrong.keys())
            self._longest = max([self._longest, *(
                (time - since, robot) for robot, since in self.wrong.items())])
            self._counted += max(0.0, time - self._time)
        self._time = time

    @property
    def right_time(self) -> RightTime:
        """Return the judged time for which robots had the right leader."""
        most = max(self._judged.values(), default=0)
        # A robot that has just joined tells nothing yet.
        shares = [] if self._counted < LEAST_TIME else [
            (self._right[robot] / judged, robot) for robot, judged in self._judged.items()
            if judged > most / 2]
        return RightTime(sum(self._right.values()) / max(sum(self._judged.values()), 1),
                         min(shares, default=RightTime().least), self._longest, self._counted)

    def wrong_for(self, seconds: float, now: float) -> list[int]:
        """Return the robots that have had a wrong leader for longer than a time [s]."""
        return sorted(robot for robot, since in self.wrong.items() if now - since > seconds)


class Share(NamedTuple):
    """The agreement in an interval of time."""

    begin: float
    """[s]."""
    end: float
    """[s], exclusive."""
    robots: float
    """Share of the comparisons of single robots in which both swarms give it the same leader."""
    partitions: float
    """Share of the moments at which all robots have the same leader in both swarms."""


class Agreement:
    """Collects comparisons of two swarms of the same robots at the same moments."""

    def __init__(self) -> None:
        self._moments: list[tuple[float, int, int]] = []
        """Time [s], number of robots with the same leader in both, number of robots."""

    def compare(self, time: float, one: Snapshot, other: Snapshot) -> None:
        """
        Add the comparison of both swarms at a moment.

        :param time: [s].
        :param one, other: leaders by robot. Robots in only one of them do not count.
        """
        both = one.robots.keys() & other.robots.keys()
        same = sum(one.robots[i].leader == other.robots[i].leader for i in both)
        if both:
            self._moments.append((time, same, len(both)))

    @property
    def end(self) -> float:
        """Return the time of the last comparison [s], 0 if there was none."""
        return self._moments[-1][0] if self._moments else 0.0

    def share(self, begin: float, end: float) -> Share | None:
        """Return the agreement in ``[begin, end)`` [s], ``None`` without a comparison in it."""
        moments = [m for m in self._moments if begin <= m[0] < end]
        if not moments:
            return None
        return Share(begin, end, sum(m[1] for m in moments) / sum(m[2] for m in moments),
                     sum(m[1] == m[2] for m in moments) / len(moments))

    def over_time(self, length: float) -> list[Share]:
        """Return the agreement in consecutive intervals of this length [s], without empty ones."""
        count = int(self.end / length) + 1
        shares = (self.share(i * length, (i + 1) * length) for i in range(count))
        return [share for share in shares if share is not None]
