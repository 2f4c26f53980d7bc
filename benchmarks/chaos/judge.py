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
The judge of a swarm under faults: robots without a living leader in reach, or with a wrong one.

Everything is computed from true positions: robots hear each other within the communication range,
if they live, are on the same channel, and know where they are. A robot that leads itself is led:
only the right partition tells whether robots believe each other.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
import math
from typing import Any, NamedTuple

from benchmarks.chaos.schedule import Change, NO_TROUBLE
from leader_election.election.messages.codec import Position
from leader_election.election.robot.neighbourhood import LATE_AFTER
from leader_election.ros.demo.checks import Check
from leader_election.ros.demo.gate import Command
import numpy as np
from numpy.typing import NDArray

TOLERANCE = 1e-3
"""By how much a path may be longer than the radius: coordinates are rounded on the wire [m]."""


@dataclass(frozen=True)
class Truth:
    """The true state of a swarm at a time."""

    living: frozenset[int] = frozenset()
    apart: frozenset[int] = frozenset()
    """The robots on the second radio channel."""
    silent: frozenset[int] = frozenset()
    """Robots without odometry: no robot has them as neighbours."""
    shifted: frozenset[int] = frozenset()
    """Robots with the same error of odometry: they are neighbours of each other only."""
    radio: Mapping[str, float] = field(default_factory=lambda: dict(NO_TROUBLE))

    def after(self, **changed: Any) -> 'Truth':
        """Return the truth with some fields changed."""
        return replace(self, **changed)


class Observation(NamedTuple):
    """An observation of the swarm at one moment."""

    time: float
    """[s]"""
    unled: tuple[int, ...]
    """The living robots that have no living leader in reach."""
    wrong: tuple[int, ...] | None = ()
    """The robots that have another leader than the right one, ``None`` while the radio loses."""


class JudgedChange(NamedTuple):
    """A change that was made."""

    at: float
    """[s]"""
    change: Change
    bound: float
    """The longest time that recovery may take [s]."""


class Recovery(NamedTuple):
    """The recovery after a change."""

    happened: JudgedChange
    seconds: float
    """From the change to the last moment with an unled robot, 0 if there was none [s]."""
    over: bool
    window: float
    """The time to the next change [s]."""
    wrong: float = 0.0
    """From the change to the last moment with a wrong leader, 0 if there was none [s]."""

    @property
    def holds(self) -> bool:
        """Return whether the bound was kept, or cannot be judged."""
        return (not self.happened.change.judged
                or max(self.seconds, self.wrong) <= self.happened.bound)


class Judge:
    """Computes the leaders in reach of each robot, from true positions."""

    def __init__(self, places: Mapping[int, Position], communication_range: float,
                 radius: float) -> None:
        self._rows = {robot: row for row, robot in enumerate(places)}
        self._points: dict[int, Position] = {}
        self._range, self._radius = communication_range, radius
        self.move(places)

    def move(self, places: Mapping[int, Position]) -> None:
        """Take the present places of some robots [m]."""
        self._points.update(places)
        points = np.array([self._points[robot] for robot in self._rows]).reshape(-1, 2)
        lengths = np.hypot(*(points[:, None] - points[None]).transpose(2, 0, 1))
        self._links = np.where(lengths <= self._range + TOLERANCE, lengths, math.inf)
        self._of = (None, self._links)

    def graph(self, truth: Truth) -> dict[int, dict[int, float]]:
        """Return the links between living robots that hear each other [m]."""
        links = self._allowed(truth)
        return {one: {other: float(links[row, column])
                      for other, column in self._rows.items()
                      if other != one and math.isfinite(links[row, column])}
                for one, row in self._rows.items() if one in truth.living}

    def _allowed(self, truth: Truth) -> NDArray[np.float64]:
        """Return the lengths of all links. Infinite between robots that do not hear each other."""
        heard = np.array([robot in truth.living - truth.silent for robot in self._rows])
        group = np.array([2 * (robot in truth.apart) + (robot in truth.shifted)
                          for robot in self._rows])
        allowed = heard[:, None] & heard[None] & (group[:, None] == group[None])
        return np.where(allowed, self._links, math.inf)

    def distances(self, truth: Truth) -> NDArray[np.float64]:
        """Return the lengths of the shortest paths between robots over living ones [m]."""
        if self._of[0] == truth:
            return self._of[1]
        found = self._allowed(truth)
        np.fill_diagonal(found, 0.0)
        for row in range(len(found)):
            found = np.minimum(found, found[:, row, None] + found[None, row])
        self._of = (truth, found)
        return found

    def unled(self, leaders: Mapping[int, int], truth: Truth) -> tuple[int, ...]:
        """
        Return the living robots that have no living leader in reach.

        :param leaders: the last announced leader of each robot.
        """
        far = self.distances(truth)

        def led(robot: int) -> bool:
            leader = leaders.get(robot)
            return leader in truth.living and bool(
                far[self._rows[robot], self._rows[leader]] <= self._radius + TOLERANCE)

        return tuple(sorted(robot for robot in truth.living if not led(robot)))


def bound(hop_limit: int, period: float, expiry: float, radio: Mapping[str, float],
          extra: float = 0.0) -> float:
    """
    Return the longest time for which a dead leader may be followed [s].

    Its last message expires. Then its candidacy is relayed ``hop_limit - 1`` times, each in the
    next round of a robot, and the robots drop it in the round after. A message that the radio
    delays is older by that, and one that is overtaken by twice that. Where messages are lost an
    older one counts, whose age counts as hops from :data:`LATE_AFTER` periods on.

    :param period: the longest time between two rounds of a robot [s].
    :param radio: the settings of the radio.
    :param extra: an addition [s].

    >>> bound(10, 0.5, 1.5, NO_TROUBLE)
    6.5
    """
    delay = radio['radio_delay'] + radio['radio_jitter']
    late = LATE_AFTER if radio['radio_loss'] > 0.0 else 1.0
    return expiry + hop_limit * (late * period + 2.0 * delay) + extra


def recoveries(happened: Sequence[JudgedChange], observations: Sequence[Observation], end: float,
               ) -> list[Recovery]:
    """
    Return the recovery after each change, until the next one.

    :param happened: all changes, in the order of time.
    :param observations: in the order of time.
    :param end: of the last one [s].
    """
    found = []
    ends = [*(each.at for each in happened[1:]), end]
    for each, until in zip(happened, ends):
        seen = [observation for observation in observations
                if each.at <= observation.time < until]
        unled, wrong = (max((observation.time - each.at for observation in seen
                             if getattr(observation, name)), default=0.0)
                        for name in ('unled', 'wrong'))
        found.append(Recovery(each, unled, not seen or not (seen[-1].unled or seen[-1].wrong),
                              until - each.at, wrong))
    return found


def commands_check(answers: Sequence[Command], together: float) -> Check:
    """
    Return the check of commands to a gate: one leader at a time, under terms that grow.

    In the order in which commands were given, each term is that of one robot, and greater than
    those of others before; in the order of receipt the gate obeys none after a greater term.

    :param together: the time for which two operators might act at once [s].
    """
    given = sorted(answers, key=lambda answer: answer.given)
    obeyed = [answer for answer in answers if answer.obeyed]
    wrong = sum(after.term < before.term or (
        after.term == before.term and after.robot != before.robot)
        for before, after in zip(given, given[1:]))
    fallen = sum(after.term < before.term for before, after in zip(obeyed, obeyed[1:]))
    terms = len({answer.term for answer in answers})
    return Check(terms > 1 and not wrong and not fallen and not together,
                 f'the gate obeyed {len(obeyed)} of {len(answers)} commands under {terms} terms, '
                 f'after greater terms {fallen or "none"}; '
                 f'{wrong or "none"} was given after one under a greater term; operators of two '
                 f'robots might act at once {f"for {together:.1f} s" if together else "never"}')
