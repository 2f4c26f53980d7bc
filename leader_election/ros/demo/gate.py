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
Task ``gate``: leaders open a gate, through a cut, a merge, a freeze and a kill.

Beside each robot stands an operator, a user's node, that commands the gate while its robot may
act. A command takes a moment. Commands of a frozen robot arrive when it wakes.
With mandates one robot at a time opens the gate, whose fence refuses commands of replaced leaders.
Without mandates two robots open it at once, and it obeys old commands.
"""

from argparse import Namespace
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
import math
from pathlib import Path
from typing import NamedTuple, TYPE_CHECKING

from leader_election.election.mandates.fence import Fence
from leader_election.parameters.files import replacing
from leader_election.ros.demo.checks import Check, format_duration, Leaderships
from leader_election.ros.demo.faults import WORLD
from leader_election.ros.demo.scenario import DemoScenario, STRONGEST
from leader_election.ros.leader_client import LeaderClient
from leader_election.ros.nodes import clock
from leader_election.swarm.fleet.robot_list import format_ids
from leader_election.swarm.view.frame import Rings
from rclpy.clock import Clock
from rclpy.clock_type import ClockType

if TYPE_CHECKING:
    from leader_election.ros.demo.swarm import SwarmDemo

HOLD = 1.5
"""The time for which the gate stays open after a command [s]."""
COMMAND_PERIOD, COMMAND_DELAY, TICK, EXPIRY = 0.5, 0.7, 0.1, 3.0
"""Times [s]: between commands, to the gate, between samples, until a robot counts as silent."""
LEAST_STEP, PATIENCE, BRIEF = 1.0, 30.0, 1.0
"""Times [s]: of a step after its expectation was met; of a step; of a leader that is not drawn."""


class Command(NamedTuple):
    """
    A command of a robot's operator, given and received at a time [s], and the gate's answer.

    A robot without mandates has term 0.
    """

    robot: int
    term: int
    given: float
    received: float = math.nan
    obeyed: bool = False


class Sample(NamedTuple):
    """
    The state of gate and robots at a time [s].

    :ivar holders: the robots whose commands hold the gate open.
    :ivar leading: the robots that believe to lead.
    :ivar acting: the robots that have a mandate.
    """

    time: float
    holders: list[int]
    leading: list[int]
    acting: list[int]


def outdated(commands: Sequence[Command]) -> list[Command]:
    """
    Return the commands that arrived after a later command of another robot was obeyed.

    >>> first, other = Command(9, 5, 0.2, 6.4), Command(8, 7, 6.0, 6.1, True)
    >>> outdated([first, other]), outdated([other, first]) == [first]
    ([], True)
    """
    return [late for number, late in enumerate(commands) if any(
        late.given + HOLD < each.given for each in commands[:number]
        if each.obeyed and each.robot != late.robot)]


class Gate:
    """
    The gate, and an operator for each robot.

    :ivar commands: the received commands, in the order of receipt.
    :ivar samples: one state for each ``TICK``.
    :ivar frozen: the robots whose operators are stopped, with the commands on their way.
    """

    def __init__(self, leaderships: Leaderships, fence: bool = True) -> None:
        """
        Command the gate by what robots publish.

        :param leaderships: receives the topics ``leadership``. It is spun by the caller.
        :param fence: whether the gate checks terms.
        """
        self.commands: list[Command] = []
        self.samples: list[Sample] = []
        self._fence = Fence() if fence else None
        self._leaderships = leaderships
        self._operators: dict[int, LeaderClient] = {}
        for robot in leaderships.ids:
            self.start(robot)
        self._clock = leaderships.get_clock()
        self._next: dict[int, float] = {}
        self._waiting: list[Command] = []
        self.frozen: set[int] = set()
        leaderships.create_timer(TICK, self._tick, clock=Clock(clock_type=ClockType.STEADY_TIME))

    def _tick(self) -> None:
        now = clock.seconds(self._clock)
        leading = [robot for robot, operator in self._operators.items()
                   if robot not in self.frozen and operator.leads]
        acting = [robot for robot, operator in self._operators.items() if operator.may_act()]
        for robot in leading:
            operator = self._operators[robot]
            if now >= self._next.get(robot, 0.0) and (
                    robot in acting or not operator.has_mandates):
                self._next[robot] = now + COMMAND_PERIOD
                self._waiting.append(Command(robot, operator.term or 0, now))
        for each in [each for each in self._waiting
                     if each.robot not in self.frozen and each.given + COMMAND_DELAY <= now]:
            self._waiting.remove(each)
            obeyed = self._fence is None or self._fence.admits(each.term)
            self.commands.append(each._replace(received=now, obeyed=obeyed))
        recent = [each for each in self.commands if each.obeyed and now - HOLD < each.received]
        holders = sorted({each.robot for each in recent
                          if each.term == max(other.term for other in recent)})
        self.samples.append(Sample(now, holders, leading, acting))

    def start(self, robot: int) -> None:
        """Start a robot's operator."""
        self._operators[robot] = LeaderClient(
            self._leaderships, f'robot_{robot}', expiry=EXPIRY)

    def kill(self, robot: int) -> None:
        """End a robot's operator."""
        self._operators.pop(robot, None)
        self._waiting = [each for each in self._waiting if each.robot != robot]

    @property
    def together(self) -> float:
        """Return the time for which two operators might act at once, also frozen ones [s]."""
        return TICK * sum(len(sample.acting) > 1 for sample in self.samples)

    def checks(self) -> list[Check]:
        """Return the checks of obeyed commands. Without a fence they expect faults."""
        obeyed, old = sum(each.obeyed for each in self.commands), outdated(self.commands)
        late = sum(each.obeyed for each in old)
        twice, believed = (TICK * sum(len(robots) > 1 for robots in each) for each in (
            [sample.holders for sample in self.samples],
            [sample.leading for sample in self.samples]))
        shown = '' if self._fence else 'shown without mandates: '
        return [
            Check(bool(old) and not late if self._fence else late > 0,
                  f'{shown}the gate obeyed {obeyed} of {len(self.commands)} commands, and '
                  f'{late or "none"} of {len(old)} that came after a later one of another robot'),
            Check(obeyed > 0 and (twice + self.together == 0.0) == bool(self._fence),
                  f'{shown}two robots held the gate open at once '
                  f'{f"for {twice:.1f} s" if twice else "never"}; for {believed:.1f} s two '
                  'believed that they lead'
                  + (f', for {self.together:.1f} s two might act' if self.together else ''))]


@dataclass
class Step:
    """
    One step of the run.

    :ivar done: returns whether the holders of the gate are as expected.
    :ivar begun: [s].
    :ivar reached: when the expectation was met [s], ``None`` if not yet.
    """

    event: str
    expected: str
    changes: Sequence[Callable[[], None]]
    done: Callable[[list[int]], bool]
    begun: float = math.nan
    reached: float | None = None


class GateScenario(DemoScenario):
    """
    One region, of which at most one leader may act: it commands a gate.

    :ivar steps: those that have begun.
    """

    robots = 9
    duration = 54.0
    radius = 30.0
    range = 30.0  # noqa: A003
    robot_parameters = {'quorum': 'majority'}
    mandate = 3.0
    has_own_run = True

    def __init__(self, options: Namespace) -> None:
        """Start without commands. Parameters as of :class:`.DemoScenario`."""
        super().__init__(options)
        self._mandates = options.mandate > 0.0
        self.steps: list[Step] = []

    def begin(self, demo: 'SwarmDemo') -> None:
        """Let operators command the gate from now on, and plan the run."""
        self._demo = demo
        self.gate = gate = Gate(demo.leaderships, self._mandates)
        strongest, apart, mandates = demo.strongest, (len(demo.ids) - 1) // 2, self._mandates
        name, swarm = f'robot {strongest}', demo.swarm

        def alone(holders: list[int]) -> bool:
            return holders == [strongest]

        def another(holders: list[int]) -> bool:
            return bool(holders) and strongest not in holders

        def old(holders: list[int]) -> bool:
            return alone(holders) and any(
                each.received > self.steps[-1].begun and each.obeyed != mandates
                for each in outdated(gate.commands))

        self._plan = (
            Step('start', f'{name}, the strongest, opens the gate', (), alone),
            Step(f'cut: {apart} | {len(demo.ids) - apart} robots',
                 'a robot of the greater part opens the gate' if mandates else
                 'two robots open the gate at once', [partial(self._cut, apart)],
                 another if mandates else lambda holders: len(holders) > 1),
            Step('merged', f'{name} opens the gate alone', [partial(self._cut, 0)], alone),
            Step(f'{name} frozen', 'another robot opens the gate',
                 [partial(swarm.pause, STRONGEST), partial(gate.frozen.add, strongest)], another),
            Step(f'{name} wakes', 'its old commands are '
                 f'{"refused" if mandates else "obeyed"}, then it opens the gate anew',
                 [partial(swarm.go_on, STRONGEST), partial(gate.frozen.discard, strongest)], old),
            Step(f'{name} killed', 'another robot opens the gate',
                 [demo.kill_strongest, partial(gate.kill, strongest)], another))

    def _cut(self, number: int) -> None:
        """Cut off a number of robots: the strongest, and those nearest to it."""
        places = {robot: view.position or (0.0, 0.0)
                  for robot, view in self._demo.last.robots.items()}
        near = sorted(places, key=lambda robot: math.dist(
            places[self._demo.strongest], places[robot]))
        self._demo.swarm.set(WORLD, {'radio_groups': format_ids(tuple(sorted(near[:number])))})

    def advance(self) -> bool:
        """Begin the next step if it is due, and return whether the run is over."""
        now, holders, *_ = self.gate.samples[-1]
        if self.steps:
            step = self.steps[-1]
            if step.reached is None and step.done(holders):
                step.reached = now
            self._demo.monitor.note = f'{step.event}; the gate is ' + (
                f'open for {" and ".join(map(str, holders))}' if holders else 'closed')
            self._demo.monitor.upcoming = step.expected if step.reached is None else ''
            if step.reached is None:
                return now > step.begun + PATIENCE
            if now < max(step.begun + self.options.duration / len(self._plan),
                         step.reached + LEAST_STEP):
                return False
        if len(self.steps) == len(self._plan):
            return True
        self.steps.append(self._plan[len(self.steps)])
        self.steps[-1].begun = now
        for change in self.steps[-1].changes:
            change()
        return False

    def checks(self) -> list[Check]:
        """Return a check for each step, and the checks of the gate."""
        return [*(Check(step.reached is not None, f'{step.event}: {step.expected}, after '
                        f'{format_duration(step.begun, step.reached)}') for step in self._plan),
                *self.gate.checks()]

    def draw(self, folder: Path, rings: Rings) -> list[str]:
        """Draw leaders, mandates and obeyed commands over time."""
        if not self.steps:
            return []
        # Imported here, since it takes long to load.
        from leader_election.swarm.view.charts import FAINT, FONT, INK, new_figure
        from leader_election.swarm.view.formatting import NOTE, Palette
        begin = self.steps[0].begun
        samples = [each for each in self.gate.samples if each.time >= begin]
        times = [each.time - begin for each in samples]
        leaders = [robot for each in samples for robot in each.leading]
        rows = {robot: -1.0 - number for number, robot in enumerate(sorted(
            robot for robot in set(leaders) if leaders.count(robot) * TICK > BRIEF))}
        tints = Palette().assign({robot: (robot,) for robot in leaders})
        how = 'with mandates and a fence' if self.options.mandate else 'without mandates'
        figure = new_figure(12.0, 2.7 + 0.62 * len(rows), f'Who holds the gate open, {how}',
                            '\n'.join(check.text for check in self.gate.checks()))
        axes = figure.subplots()
        for robot, row in rows.items():
            for half, alpha, shown in (
                    (0.3, 0.3, [robot in each.leading for each in samples]),
                    (0.15, 1.0, [robot in each.acting for each in samples])):
                axes.fill_between(times, row - half, row + half, shown, color=tints[robot],
                                  alpha=alpha, linewidth=0)
        for robot, tint in tints.items():
            parts = [(each.holders.index(robot) / len(each.holders), 1.0 / len(each.holders))
                     if robot in each.holders else (0.0, 0.0) for each in samples]
            axes.fill_between(times, [0.8 * low - 0.4 for low, _ in parts],
                              [0.8 * sum(part) - 0.4 for part in parts], color=tint,
                              step='post', linewidth=0)
        for step in self.steps[1:]:
            axes.axvline(step.begun - begin, color=FAINT, linestyle='--', linewidth=1.0)
            axes.text(step.begun - begin + 0.2, 0.5, step.event, fontsize=FONT, color=INK)
        for each in [each for each in outdated(self.gate.commands) if each.robot in rows]:
            axes.plot([each.given - begin, each.received - begin], [rows[each.robot], -0.4],
                      color=NOTE, marker='v' if each.obeyed else 'X')
        axes.set(xlim=(0.0, times[-1]), xlabel='time [s]. Pale: it believes to lead; dark: it '
                 'may act; red: an old command, refused (x) or obeyed (v)')
        axes.set_yticks([0.0, *rows.values()], ['the gate', *map('robot {}'.format, rows)])
        axes.spines[:].set_visible(False)
        path = folder / 'gate.png'
        with replacing(path) as temporary:
            figure.savefig(temporary, format='png')
        return [str(path)]
