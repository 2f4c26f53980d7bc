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

"""Who believed to lead, who acted, and what a gate obeyed, over time."""

import math
from typing import NamedTuple

HOLD = 1.5
"""The time for which the gate stays open after a command [s]; the next one comes before."""

Interval = tuple[float, float]
"""Begin and end [s]."""


class Answer(NamedTuple):
    """A command that the gate has received, and its answer."""

    robot: int
    term: int
    """0: the robot has no mandates."""
    given: float
    """When the robot gave the command [s]."""
    received: float
    """On the same clock [s]."""
    obeyed: bool


class Held(NamedTuple):
    """A time in which the gate was open."""

    begin: float
    end: float
    robots: tuple[int, ...]
    """Whose commands held it open: one, unless terms are not checked."""


class GateLog:
    """
    Collects the answers of a gate, in the order of their receipt.

    >>> log = GateLog()
    >>> for robot, term, given, received, obeyed in (
    ...         (9, 5, 0.0, 0.1, True), (9, 5, 1.0, 1.1, True), (8, 7, 4.0, 4.1, True),
    ...         (9, 5, 1.5, 4.3, False), (8, 7, 5.0, 5.1, True)):
    ...     log.add(Answer(robot, term, given, received, obeyed))
    >>> log.held()
    [Held(begin=0.1, end=2.6, robots=(9,)), Held(begin=4.1, end=6.6, robots=(8,))]
    >>> [answer.given for answer in log.outdated()]
    [1.5]

    Without terms two robots hold it open at once:

    >>> log = GateLog()
    >>> for second in range(2):
    ...     log.add(Answer(9, 0, second, second, True))
    ...     log.add(Answer(8, 0, second + 0.5, second + 0.5, True))
    >>> [each.robots for each in log.held()], log.at_once()
    ([(9,), (8, 9), (8,)], 2.0)
    """

    def __init__(self) -> None:
        """Start without answers."""
        self.answers: list[Answer] = []

    def add(self, answer: Answer) -> None:
        """Add the answer to the next command."""
        self.answers.append(answer)

    def holders(self, now: float) -> tuple[int, ...]:
        """
        Return the robots whose commands hold the gate open.

        :param now: [s].
        """
        recent = [answer for answer in self.answers
                  if answer.obeyed and now - HOLD < answer.received <= now]
        newest = max((answer.term for answer in recent), default=0)
        return tuple(sorted({answer.robot for answer in recent if answer.term == newest}))

    def held(self) -> list[Held]:
        """Return the times in which the gate was open, one for each change of the holders."""
        obeyed = [answer.received for answer in self.answers if answer.obeyed]
        edges = sorted({*obeyed, *(time + HOLD for time in obeyed)})
        found: list[Held] = []
        for begin, end in zip(edges, edges[1:]):
            robots = self.holders(begin)
            if robots and found and found[-1].end == begin and found[-1].robots == robots:
                found[-1] = found[-1]._replace(end=end)
            elif robots:
                found.append(Held(begin, end, robots))
        return found

    def at_once(self) -> float:
        """Return for how long two robots or more held the gate open [s]."""
        return math.fsum(each.end - each.begin for each in self.held() if len(each.robots) > 1)

    def outdated(self) -> list[Answer]:
        """Return the commands given long before an obeyed one that arrived earlier."""
        found: list[Answer] = []
        newest: dict[int, float] = {}
        for answer in self.answers:
            others = [given for robot, given in newest.items() if robot != answer.robot]
            if answer.given + HOLD < max(others, default=-math.inf):
                found.append(answer)
            if answer.obeyed:
                newest[answer.robot] = max(answer.given, newest.get(answer.robot, answer.given))
        return found


class LeaderLog:
    """
    Collects when robots believed to lead, and when they might act.

    :param expiry: the longest time for which a message counts [s].

    >>> log = LeaderLog(3.0)
    >>> for time in (0.0, 1.0):
    ...     log.add(9, time, leads=True, until=time + 2.5)
    >>> log.stop(9, 1.5)
    >>> log.add(8, 9.0, leads=True, until=None)
    >>> log.leads(8), log.leads(9), log.acts(9)
    ([(9.0, 12.0)], [(0.0, 1.5)], [(0.0, 3.5)])
    """

    def __init__(self, expiry: float) -> None:
        """Start without messages."""
        self._expiry = expiry
        self._leads: dict[int, list[Interval]] = {}
        self._acts: dict[int, list[Interval]] = {}

    def add(self, robot: int, now: float, leads: bool, until: float | None) -> None:
        """
        Add what a robot says.

        :param now: when it says so [s].
        :param until: until when it may act [s], ``None``: not at all.
        """
        self.stop(robot, now)
        if leads:
            _append(self._leads.setdefault(robot, []), (now, now + self._expiry))
        acts = self._acts.setdefault(robot, [])
        if acts and acts[-1][1] > now:
            acts[-1] = acts[-1][0], now
        if until is not None:
            _append(acts, (now, until))

    def stop(self, robot: int, now: float) -> None:
        """Take down that a robot was stopped: it believes nothing more, its mandate lasts."""
        leads = self._leads.get(robot)
        if leads and leads[-1][1] > now:
            leads[-1] = leads[-1][0], now

    def robots(self) -> set[int]:
        """Return the robots that believed to lead."""
        return {robot for robot, leads in self._leads.items() if leads}

    def leads(self, robot: int) -> list[Interval]:
        """Return when a robot believed to lead."""
        return self._leads.get(robot, [])

    def acts(self, robot: int) -> list[Interval]:
        """Return when a robot might act."""
        return self._acts.get(robot, [])

    def two_lead(self, begin: float, end: float) -> float:
        """Return for how long two robots or more believed to lead, in an interval [s]."""
        edges = sorted((time, step) for leads in self._leads.values() for each in leads
                       for time, step in zip((max(each[0], begin), min(each[1], end)), (1, -1))
                       if each[0] < end and each[1] > begin)
        found, number, last = 0.0, 0, begin
        for time, step in edges:
            found += (time - last) * (number > 1)
            number, last = number + step, time
        return found


def _append(intervals: list[Interval], new: Interval) -> None:
    """Append an interval, or continue the last one."""
    if intervals and intervals[-1][1] >= new[0]:
        new = intervals.pop()[0], new[1]
    intervals.append(new)


class Event(NamedTuple):
    """Something that was done to the swarm."""

    time: float
    """[s]."""
    text: str


class GateStory(NamedTuple):
    """All that the picture of a run with a gate shows."""

    begin: float
    end: float
    """[s]."""
    robots: tuple[int, ...]
    """Those that are shown, from top to bottom."""
    gate: GateLog
    leaders: LeaderLog
    events: tuple[Event, ...]
    apart: Interval | None
    """When the swarm was cut in two [s]."""
    frozen: tuple[int, Interval] | None
    """Which robot was stopped, and when [s]."""
    killed: tuple[int, float] | None
    """Which robot was killed, and when [s]."""
    mandates: bool
