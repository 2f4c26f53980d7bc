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
Observation and report of a demonstration.

The partition, the true positions and the mandates of the robots are observed.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
import math
from statistics import fmean
from typing import NamedTuple

from diagnostic_msgs.msg import DiagnosticArray
from leader_election.election.mandates.parameters import MandateParameters
from leader_election.election.mandates.part import ACTS_OVER, ACTS_UNTIL
from leader_election.election.messages.codec import MAIN, Position
from leader_election.election.robot import diagnostics as vocabulary
from leader_election.election.robot.diagnostics import LEADERSHIP
from leader_election.election.robot.parameters import ElectionParameters
from leader_election.parameters.command_line import ExitStatus, fitted
from leader_election.ros.nodes import clock
from leader_election.ros.nodes.qos import EVENTS
from leader_election.swarm.reference_partition import Graph, NOBODY, PartitionJudge, RightTime
from leader_election.swarm.snapshot import Snapshot
from nav_msgs.msg import Odometry
from rclpy.node import Node


class Check(NamedTuple):
    """The result of one check, and the condition with the measured values as one line."""

    holds: bool
    text: str


def unwritten(error: OSError) -> Check:
    """Return the failed check of results that could not be written."""
    return Check(False, f'results cannot be written: {error.strerror or error}')


def print_report(checks: list[Check], pictures: list[str]) -> int:
    """
    Print the checks, one a line, and the verdict.

    :param checks: their results.
    :param pictures: the paths of the pictures that were written.
    :return: the exit status: 0 if all checks hold, else 1.
    """
    print('\nWhat was checked:')
    for check in checks:
        print(fitted(f'  {"ok  " if check.holds else "FAIL"}  {check.text}'))
    for picture in pictures:
        print(f'  wrote {picture}')
    failed = sum(not check.holds for check in checks)
    print('demo: everything held' if not failed else f'demo: {failed} of {len(checks)} failed')
    return 1 if failed else 0


def stopped() -> int:
    """Print that a signal stopped the run, and return the exit status."""
    print('stopped: not checked', flush=True)
    return ExitStatus.INTERRUPTED


def format_duration(since: float | None, until: float | None) -> str:
    """
    Return the time between two events as a text.

    :param since: [s], ``None`` for an event that has not happened.
    :param until: likewise.
    """
    if since is None or until is None:
        return 'it did not happen'
    return f'{max(0.0, until - since):.1f} s'


RIGHT_SHARE = 0.9
"""The least share of the robots' time with the right leader. 0.99 is usual."""
WRONG_FOR = 5.0
"""How long a robot may have had a wrong leader at the end. 2 s happen while robots move [s]."""
LEAST_SHARE, USUAL_SHARE = 0.8, 0.93
"""The least shares of each robot's time: in a short run, and beside one longest wrong time."""


class Timing(NamedTuple):
    """
    The settings of robots from which bounds on times [s] follow.

    :ivar loss: the probability that a message is lost.
    """

    hop_limit: int
    loss: float = 0.0
    period: float = ElectionParameters.round_period
    expiry: float = ElectionParameters.message_expiry

    def spread(self, hops: float) -> float:
        """Return the time for news over some hops, each a round and those that are lost [s]."""
        return hops * self.period / (1.0 - self.loss)

    def recovery(self, hops: int) -> float:
        """
        Return the longest time to the right leaders after a leader died [s].

        :param hops: to the farthest member of a new leader.
        """
        # The dead leader is forgotten for any loss (doc/recovery.md). Then the candidacies of
        # new leaders spread.
        return self.expiry + (self.hop_limit - 1) * self.period + self.spread(hops)

    @property
    def wrong(self) -> float:
        """Return the longest time for which a robot has a wrong leader while none dies [s]."""
        # The last message of a robot that drove away counts until it expires. The news of it
        # crosses a region, half the hop limit wide (automatic_hop_limit).
        return self.expiry + self.spread(self.hop_limit / 2)

    def wait(self, mandate: float, hops: int) -> float:
        """
        Return the longest time until a follower is under the mandate of its leader [s].

        :param mandate: the duration of mandates [s].
        :param hops: to the farthest member of a leader.
        """
        # A promise to the leader before ends by time. Then a beat arrives, and a grant returns.
        # Or the robot has left the region, and does not know it yet.
        return max(mandate * (1.0 + MandateParameters.clock_rate_error) + self.spread(2 * hops),
                   self.wrong)


def right_check(right: RightTime, most: float, which: str) -> Check:
    """
    Return the check of the time with the right leader.

    :param most: the longest time for which a robot may have a wrong leader [s].
    :param which: the time that counts, in words.
    """
    (least, seldom), (longest, longest_of) = right.least, right.longest
    asked = max(LEAST_SHARE, USUAL_SHARE - most / max(right.time, most))
    return Check(
        right.share >= RIGHT_SHARE and least >= asked and longest <= most,
        f'robots had this leader in {right.share:.1%} of their time'
        + ('' if seldom == NOBODY else f' (robot {seldom} in {least:.0%})')
        + f', {which}; at least {RIGHT_SHARE:.0%}, and {asked:.0%} of each, is asked for; '
        + f'longest wrong: {longest:.1f} s'
        + ('' if longest_of == NOBODY else f', robot {longest_of}')
        + f', of at most {most:.1f} s')


@dataclass
class RunObserver:
    """
    Evaluates snapshots of a swarm: the first right partition, and the recovery from a death.

    What is right follows from true positions and strengths (:class:`.PartitionJudge`), not from
    what robots say of their distances.

    :ivar living: the ids of all robots that were not killed, or were heard after a new start.
    :ivar starting: the ids of robots that were started again, and were not heard yet.
    :ivar joined: when the last of them was heard [s].
    :ivar judge: of the leaders.
    :ivar timing: of the robots.
    :ivar by: the positions from which the graphs follow, for the report.
    :ivar hops: the most hops to the farthest member of a leader so far.
    :ivar all_heard: when the last robot sent its first message [s].
    :ivar first_partition: when the swarm first was the right partition [s].
    :ivar killed: when a robot was killed [s].
    :ivar recovered: when each living robot had the right leader again [s].
    :ivar recoveries: the time that this took, for each time that a robot was killed [s].
    """

    judge: PartitionJudge
    timing: Timing
    by: str = 'true positions'
    hops: int = 0
    starting: set[int] = field(default_factory=set)
    joined: float = -math.inf
    all_heard: float | None = None
    first_partition: float | None = None
    killed: float | None = None
    recovered: float | None = None
    recoveries: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Start before the first message."""
        self.living = set(self.judge.strengths)

    def observe(self, snapshot: Snapshot, first_heard: dict[int, float], graph: Graph) -> None:
        """
        Evaluate one snapshot.

        :param snapshot: of the swarm.
        :param first_heard: the time of each robot's first message [s], by id.
        :param graph: the true links between robots, killed ones too. It may lack some at first.
        """
        # Until a robot sends, no other one can follow it: a process takes long on a busy machine.
        started = self.starting & snapshot.robots.keys()
        self.living |= started
        self.starting -= started
        if started:
            self.joined = snapshot.time
        if not self.living <= graph.keys():
            return
        if self.all_heard is None:
            if not self.living <= first_heard.keys():
                return
            self.all_heard = max(first_heard[robot] for robot in self.living)
        dead = graph.keys() - self.living
        self.judge.observe(
            snapshot.time, {i: view.leader for i, view in snapshot.robots.items()},
            {i: {j: length for j, length in near.items() if j not in dead}
             for i, near in graph.items() if i not in dead},
            counted=(self.first_partition is not None and not self.recovering
                     and not self.starting))
        self.hops = max(self.hops, self.judge.farthest)
        if self.judge.wrong:
            return
        if self.first_partition is None:
            self.first_partition = snapshot.time
        if self.recovering:
            self.recovered = snapshot.time
            self.recoveries.append(snapshot.time - (self.killed or 0.0))

    @property
    def recovering(self) -> bool:
        """Return whether a robot was killed, and not all have had the right leader since."""
        return self.killed is not None and self.recovered is None

    def kill(self, robot: int, now: float) -> None:
        """
        Record that a robot was killed.

        :param robot: its id.
        :param now: [s].
        """
        self.living.discard(robot)
        self.killed, self.recovered = now, None

    def start(self, robot: int) -> None:
        """
        Record that a killed robot was started again.

        :param robot: its id. Its last message before it was killed has expired.
        """
        self.starting.add(robot)

    def missing(self, snapshot: Snapshot) -> list[int]:
        """Return the living robots without a recent message, and those that are starting."""
        return sorted(self.living - snapshot.robots.keys() | self.starting)

    def stable_for(self, now: float) -> float:
        """
        Return the time since the first partition, the last recovery, or the last new start [s].

        :param now: [s].
        :return: 0 before the first partition, between a death and the recovery, and while a robot
            starts again: others may hear it first.
        """
        if self.first_partition is None or self.recovering or self.starting:
            return 0.0
        return now - max(self.joined, (
            self.first_partition if self.recovered is None else self.recovered))

    def living_only(self, snapshot: Snapshot) -> Snapshot:
        """Return a snapshot without killed robots, whose last messages have not expired yet."""
        robots = {i: view for i, view in snapshot.robots.items() if i in self.living}
        return snapshot._replace(robots=robots)

    def recovery_check(self) -> Check:
        """Return the check of the time until each living robot had the right leader again."""
        times, most = self.recoveries, self.timing.recovery(self.hops)
        text = (f'{fmean(times):.1f} s on average, at most {max(times):.1f} s, after '
                f'{len(times)} kills' if len(times) > 1
                else format_duration(self.killed, self.recovered))
        return Check(
            self.recovered is not None and max(times) <= most,
            f'recovery, until every living robot had the right leader: {text}, of at most '
            f'{most:.1f} s')

    def checks(self, snapshot: Snapshot) -> list[Check]:
        """
        Return the checks of leaders at the end, and over the time since the first partition.

        :param snapshot: the last one.
        """
        judge, number = self.judge, len(self.living | self.starting)
        late = sorted({*judge.wrong_for(WRONG_FOR, snapshot.time), *self.missing(snapshot)})
        return [
            Check(not late and self.first_partition is not None,
                  f'at the end {number - len(late)} of {number} living robots have the leader '
                  f'that is right by {self.by}' + (f', all but {late}' if late else '')),
            right_check(judge.right_time, self.timing.wrong,
                        'from the first partition on, recoveries excepted')]


class GroundTruth(Node):
    """
    Subscribes to ``robot_<id>/ground_truth``, the true poses in the embedded world.

    :ivar places: the last x, y of each robot [m], by id.
    """

    def __init__(self, ids: Iterable[int]) -> None:
        """
        Subscribe.

        :param ids: of the robots.
        """
        super().__init__('truth')
        self.places: dict[int, Position] = {}
        for robot in ids:
            def update(message: Odometry, robot: int = robot) -> None:
                point = message.pose.pose.position
                self.places[robot] = (point.x, point.y)
            self.create_subscription(Odometry, f'robot_{robot}/ground_truth', update, 10)


class Leaderships(Node):
    """
    Subscribes to ``robot_<id>/leadership``, and measures the time under mandates.

    A node may act over a robot from a message that names the robot until the end that the message
    gives for it, or until the next message of the same leader. A robot waits while the leader that
    it follows acts over others, but not over it.

    :ivar ids: of the robots.
    :ivar heard: the time in which robots were heard, the sum over robots [s].
    :ivar under_one: the part of it under a mandate or more.
    :ivar under_two: the time under the mandates of two leaders at once, of all robots.
    :ivar counts_waits: whether robots can be expected to be under the mandate of their leader.
    :ivar longest_wait: the longest time for which a robot waited [s], and its id.
    """

    def __init__(self, ids: Iterable[int]) -> None:
        """
        Subscribe.

        :param ids: of the robots.
        """
        super().__init__('leaderships')
        self.ids = tuple(ids)
        self.heard = self.under_one = self.under_two = 0.0
        self.counts_waits = True
        self.longest_wait = 0.0, NOBODY
        self._waits: dict[int, float] = {}
        """Since when each waiting robot has waited, for one leader or for several [s]."""
        self._now = math.inf
        self._heard_until: dict[int, float] = {}
        self._ends: dict[int, dict[int, float]] = {}
        """By leader, until when it acts over each robot by its last message [s]."""
        for robot in self.ids:
            self.create_subscription(
                DiagnosticArray, f'robot_{robot}/{LEADERSHIP}', self._take, EVENTS)

    def _take(self, message: DiagnosticArray) -> None:
        self.add(map(vocabulary.status_of, message.status), clock.seconds(self.get_clock()))

    def add(self, statuses: Iterable[vocabulary.Status], now: float) -> None:
        """
        Add a message.

        :param statuses: of the message. Only those of the first instance count, with mandates.
        :param now: the time of its receipt, on the clock of its stamp [s].
        """
        for status in vocabulary.robot_statuses(statuses):
            over = status.values.get(ACTS_OVER)
            if over is None or status.values.get(vocabulary.INSTANCE) != MAIN:
                continue
            self._advance(now)
            self._ends[status.id] = {int(robot): float(until) for robot, until in zip(
                over.split(','), status.values[ACTS_UNTIL].split(',')) if robot}
            if now > self._heard_until.get(status.id, now):
                self._waits.pop(status.id, None)
            self._heard_until[status.id] = now + ElectionParameters.message_expiry
            self._wait(status.id, int(status.values[vocabulary.LEADER]), now)

    def _advance(self, now: float) -> None:
        """Add the times since the last message."""
        begin, self._now = self._now, now
        for robot in self._heard_until.keys() | {i for each in self._ends.values() for i in each}:
            ends = sorted((each.get(robot, begin) for each in self._ends.values()), reverse=True)
            heard, one, two, *_ = (max(min(end, now) - begin, 0.0) for end in (
                self._heard_until.get(robot, begin), *ends, begin, begin))
            self.heard += heard
            self.under_one += min(heard, one)
            self.under_two += two

    def _wait(self, robot: int, leader: int, now: float) -> None:
        """Count that a robot follows a leader which acts over others only."""
        acts_over = {each for each, until in self._ends.get(leader, {}).items() if until > now}
        if not (self.counts_waits and acts_over) or robot in acts_over or robot == leader:
            self._waits.pop(robot, None)
            return
        since = self._waits.setdefault(robot, now)
        self.longest_wait = max(self.longest_wait, (now - since, robot))

    def checks(self, longest: float) -> list[Check]:
        """
        Return the checks that robots were under one mandate, never two, and none waited for it.

        :param longest: the longest time until a follower is under its leader's mandate [s].
        """
        if not self.heard:
            return [Check(False, 'no robot has published anything about mandates')]
        waited, robot = self.longest_wait
        return [Check(
            self.under_two == 0.0 < self.under_one, 'robots were under a mandate in '
            f'{self.under_one / self.heard:.1%} of their time, under those of two leaders '
            + (f'for {self.under_two:.2f} s' if self.under_two else 'never')),
            Check(waited <= longest,
                  f'robots waited for the mandate of their leader for {waited:.1f} s'
                  + ('' if robot == NOBODY else f', robot {robot}')
                  + f', of at most {longest:.1f} s')]
