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
The strongest leader dies: seconds until no robot follows it any more, against the bound.

Robots without ROS in simulated time: three are at a given distance from each other and from the
leader that dies. Without a hop limit its candidacy survives until its distance, which grows by
the distance between robots at each relay, exceeds the radius; with a limit, until it has been
relayed that many times. The worst case is periodic rounds in lockstep. A few cases run as nodes,
too. Finally the cost of the limit: the losses of a living leader in a line of robots with message
loss.
"""

from collections.abc import Iterator, Sequence
import itertools
import random
import time
from typing import Any, NamedTuple

from benchmarks.hosted_swarm import hosted_swarm
from leader_election.election.algorithms.algorithm import AUTOMATIC, automatic_hop_limit, NONE
from leader_election.election.robot.parameters import ElectionParameters
from leader_election.election.robot.robot import Robot
from leader_election.swarm.reference_partition import links_within
from leader_election.swarm.simulated_swarm import SimulatedSwarm

Place = tuple[float, float]


class RestingSwarm(SimulatedSwarm):
    """
    Robots at rest that hear the robots within their communication range.

    Equal seeds give equal runs.
    """

    def __init__(self, places: Sequence[Place], seed: int = 0, loss: float = 0.0,
                 **parameters: Any) -> None:
        """
        Start robots 1, 2, ... whose strengths are their ids; the last one is the strongest.

        :param places: [m], in the order of the ids.
        :param loss: the probability that a robot does not receive a message.
        :param parameters: of all robots.
        """
        draw = random.Random(seed)
        robots = {number: Robot(ElectionParameters(
            robot_id=number, strength=float(number), odometry_expiry=1e9, **parameters))
            for number in range(1, len(places) + 1)}
        for number, robot in robots.items():
            robot.sensing.take_odometry((*places[number - 1], 0.0), 0.0)
        reach = next(iter(robots.values())).parameters.communication_range
        near = links_within(dict(enumerate(places, 1)), reach)
        super().__init__(robots, lambda robot: [
            other for other in near[robot] if draw.random() >= loss])


SPACINGS = (0.05, 0.1, 0.5, 2.0)
RADII = (2.0, 10.0, 20.0, 100.0)
RANGE = 5.0
PERIOD = 1.0
EXPIRY = 3.0
SCHEDULES = ('periodic', 'reactive')
LOSSES = (0.0, 0.4)
SEEDS = 5
"""Runs of a cell with the limit; without the limit one run."""
LONGEST = 300.0
"""The time after which a run stops, and which then counts as its result [s]."""
SETTLE = 30.0

NODES = ((0.1, 20.0, 'periodic'), (0.1, 20.0, 'reactive'), (0.5, 100.0, 'reactive'))
"""Spacing [m], radius [m] and schedule of the cases that run as nodes."""
NODES_LONGEST = 60.0

LINE = 10
LINE_SPACING = 4.0
LINE_LOSS = 0.2
LINE_SECONDS = 1000.0


class Case(NamedTuple):
    """A cell of the table."""

    spacing: float
    """The distance between robots [m]."""
    radius: float
    schedule: str
    loss: float

    @property
    def hop_limit(self) -> int:
        """Return the automatic limit."""
        return automatic_hop_limit(self.radius, RANGE)

    @property
    def bound(self) -> float:
        """Return the bound, from the time at which the dead leader's next message would be due."""
        return EXPIRY + (self.hop_limit - 1) * PERIOD


def cases() -> Iterator[Case]:
    """Yield all cells."""
    for each in itertools.product(SPACINGS, RADII, SCHEDULES, LOSSES):
        yield Case(*each)


def recovery(case: Case, hop_limit: int, seed: int = 0) -> float:
    """
    Return the time for which a dead leader is followed [s], at most :data:`LONGEST`.

    :param hop_limit: the parameter of the robots.
    """
    s = case.spacing
    lockstep = {'round_phase': 0.0} if case.schedule == 'periodic' else {}
    swarm = RestingSwarm(
        ((0.0, 0.0), (s, 0.0), (0.0, s), (s, s)), seed, case.loss, schedule=case.schedule,
        radius=case.radius, communication_range=RANGE, message_expiry=EXPIRY,
        round_period=PERIOD, hop_limit=hop_limit, radius_hysteresis=0.0, **lockstep)
    dead = len(swarm.robots)
    swarm.run(SETTLE)
    assert swarm.led_by(dead) > 1, 'nobody follows the strongest'
    # It dies just after a message: the longest case.
    sent: list[float] = []
    swarm.run(2 * PERIOD, lambda: bool(sent), lambda robot: sent.extend([swarm.now] * (
        robot == dead)))
    missed = sent[-1] + PERIOD
    swarm.kill(dead)
    swarm.run(LONGEST, lambda: swarm.led_by(dead) == 0)
    return max(swarm.now - missed, 0.0)


def grid() -> bool:
    """Print the table of all cells; return whether all were within the bound."""
    print(f'## Leader killed: seconds until no robot follows it; period {PERIOD:g} s, expiry '
          f'{EXPIRY:g} s, range {RANGE:g} m; before: no limit of hops (stopped at {LONGEST:g} s); '
          f'after: worst of {SEEDS} runs with the automatic limit')
    print('| spacing [m] | radius [m] | limit | bound |'
          + ''.join(f' {schedule}, loss {loss:.0%}: before | after |'
                    for schedule in SCHEDULES for loss in LOSSES))
    print('|---|---|---|---|' + '---|' * (2 * len(SCHEDULES) * len(LOSSES)))
    within = True
    for (spacing, radius), row in itertools.groupby(cases(), lambda case: case[:2]):
        cells = []
        for case in row:
            before = recovery(case, NONE)
            after = max(recovery(case, AUTOMATIC, seed) for seed in range(SEEDS))
            within &= after <= case.bound
            longest = '> ' if before >= LONGEST - PERIOD else ''
            cells.append(f'{longest}{before:.1f} | {after:.1f}'
                         + (' BEYOND' if after > case.bound else ''))
        print(f'| {spacing:g} | {radius:g} | {case.hop_limit} | {case.bound:g} | '
              + ' | '.join(cells) + ' |', flush=True)
    return within


def depositions(hop_limit: int, seed: int, seconds: float = LINE_SECONDS, **parameters: Any,
                ) -> tuple[float, int]:
    """
    Return the share of time without the living strongest leader, and the number of losses.

    :return: the mean of all robots of a line, and the sum of them.
    """
    swarm = RestingSwarm(
        [(LINE_SPACING * i, 0.0) for i in range(LINE)], seed, LINE_LOSS, communication_range=RANGE,
        radius=LINE * LINE_SPACING, message_expiry=EXPIRY, round_period=PERIOD,
        hop_limit=hop_limit, radius_hysteresis=0.0, **parameters)
    swarm.run(2 * SETTLE)
    since: dict[int, float] = {}
    without, left = 0.0, 0

    def look(robot: int) -> None:
        nonlocal without, left
        wrong = swarm.robots[robot].state.leader != LINE
        if wrong and robot not in since:
            since[robot] = swarm.now
            left += 1
        elif not wrong and robot in since:
            without += swarm.now - since.pop(robot)

    swarm.run(seconds, each=look)
    without += sum(swarm.now - begun for begun in since.values())
    return without / (seconds * LINE), left


def costs() -> None:
    """Print the losses of a living leader, without and with the limit."""
    print(f'### A living leader lost: {LINE} robots in a line, {LINE_LOSS:.0%} of messages lost, '
          f'{SEEDS} runs of {LINE_SECONDS:g} s: time without it, and how often it was left')
    for schedule in SCHEDULES:
        shown = []
        for limit in (NONE, AUTOMATIC):
            shares, left = zip(*(
                depositions(limit, seed, schedule=schedule) for seed in range(SEEDS)))
            shown.append(f'{sum(shares) / SEEDS:.2%}, {sum(left)} times')
        print(f'{schedule}: before {shown[0]}; after {shown[1]}', flush=True)


def in_nodes(spacing: float, radius: float, schedule: str, hop_limit: int) -> float:
    """Return the time for which nodes follow a dead leader [s], at most NODES_LONGEST."""
    with hosted_swarm(4, ('1-3', '4'), 'shared', {
            'layout': 'grid', 'spacing': spacing, 'robot_radius': 0.01},
            schedule=schedule, radius=radius, communication_range=RANGE, message_expiry=EXPIRY,
            round_period=PERIOD, hop_limit=hop_limit) as swarm:
        swarm.go()
        observer = swarm.observer
        swarm.until(lambda: all(observer.leaders.get(robot) == 4 for robot in (1, 2, 3)),
                    'they elected no common leader')
        swarm.kill(1)
        begun = time.monotonic()
        observer.wait(NODES_LONGEST, lambda: all(
            observer.leaders[robot] != 4 for robot in (1, 2, 3)))
        return time.monotonic() - begun


def main() -> int:
    """Print all tables; return the exit status, 1 where a recovery was beyond the bound."""
    within = grid()
    costs()
    print('### The same as nodes; seconds from the kill on, which is up to a period earlier')
    for spacing, radius, schedule in NODES:
        case = Case(spacing, radius, schedule, 0.0)
        before, after = (in_nodes(*case[:3], limit) for limit in (NONE, AUTOMATIC))
        within &= after <= case.bound + PERIOD
        longest = '> ' if before >= NODES_LONGEST else ''
        print(f'spacing {spacing:g} m, radius {radius:g} m, {schedule}: before {longest}'
              f'{before:.1f} s, after {after:.1f} s, bound {case.bound:g} s', flush=True)
    print('never beyond the bound' if within else 'BEYOND the bound')
    return 0 if within else 1


if __name__ == '__main__':
    raise SystemExit(main())
