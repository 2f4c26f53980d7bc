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

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
import math
from pathlib import Path
from typing import NamedTuple, TYPE_CHECKING

from leader_election.election.mandates.part import Fence
from leader_election.parameters import format_ids
from leader_election.ros.demo.checks import Check, format_duration, Leaderships
from leader_election.ros.demo.faults import WORLD
from leader_election.ros.demo.scenario import DemoScenario, STRONGEST
from leader_election.ros.leader_client import LeaderClient
from leader_election.ros.nodes import clock

if TYPE_CHECKING:
    from leader_election.ros.demo.swarm import SwarmDemo

HOLD, COMMAND_PERIOD, COMMAND_DELAY, TICK = 1.5, 0.5, 0.7, 0.1
"""Times [s]: that a command holds the gate open, between commands, to the gate, of a sample."""
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
        self._next: dict[int, float] = {}
        self._waiting: list[Command] = []
        self.frozen: set[int] = set()
        clock.create_timer(leaderships, TICK, self._tick, clock.steady_clock(leaderships))

    def _tick(self) -> None:
        now = clock.seconds(self._leaderships.get_clock())
        leading = {robot: operator for robot, operator in self._operators.items()
                   if robot not in self.frozen and operator.leads}
        acting = [robot for robot, operator in self._operators.items() if operator.may_act()]
        for robot, operator in leading.items():
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
        self.samples.append(Sample(now, holders, [*leading], acting))

    def start(self, robot: int) -> None:
        """Start a robot's operator."""
        self._operators[robot] = LeaderClient(self._leaderships, f'robot_{robot}')

    def kill(self, robot: int) -> None:
        """End a robot's operator."""
        self._operators.pop(robot, None)
        self._waiting = [each for each in self._waiting if each.robot != robot]

    def time_of_several(self, robots: str) -> float:
        """Return the time for which a list of :class:`Sample` has two robots or more [s]."""
        return TICK * sum(len(getattr(sample, robots)) > 1 for sample in self.samples)

    def checks(self) -> list[Check]:
        """Return the checks of obeyed commands. Without a fence they expect faults."""
        obeyed, old = sum(each.obeyed for each in self.commands), outdated(self.commands)
        late = sum(each.obeyed for each in old)
        twice, believed, together = map(self.time_of_several, ('holders', 'leading', 'acting'))
        shown = '' if self._fence else 'shown without mandates: '
        return [
            Check(bool(old) and not late if self._fence else late > 0,
                  f'{shown}the gate obeyed {obeyed} of {len(self.commands)} commands, and '
                  f'{late or "none"} of {len(old)} that came after a later one of another robot'),
            Check(obeyed > 0 and (twice + together == 0.0) == bool(self._fence),
                  f'{shown}two robots held the gate open at once '
                  f'{f"for {twice:.1f} s" if twice else "never"}; for {believed:.1f} s two '
                  'believed that they lead'
                  + (f', for {together:.1f} s two might act' if together else ''))]


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
    changes: Sequence[Callable[[], object]]
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

    def begin(self, demo: 'SwarmDemo') -> None:
        """Let operators command the gate from now on, and plan the run."""
        mandates = self.options.mandate > 0.0
        self._demo, self.steps, self._run = demo, list[Step](), self._steps()
        self.gate = gate = Gate(demo.leaderships, mandates)
        strongest, apart = demo.strongest, (len(demo.ids) - 1) // 2
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
        """Continue the run, and return whether it is over."""
        return next(self._run, True)

    def _steps(self) -> Iterator[bool]:
        """Take all steps. The run is over early if an expectation is not met."""
        least = self.options.duration / len(self._plan)
        for step in self._plan:
            self.steps.append(step)
            step.begun = now = self.gate.samples[-1].time
            for change in step.changes:
                change()
            while step.reached is None or now < max(step.begun + least, step.reached + LEAST_STEP):
                yield False
                now, holders, *_ = self.gate.samples[-1]
                if step.reached is None and step.done(holders):
                    step.reached = now
                self._demo.monitor.note = f'{step.event}; the gate is ' + (
                    f'open for {" and ".join(map(str, holders))}' if holders else 'closed')
                self._demo.monitor.upcoming = step.expected if step.reached is None else ''
                if step.reached is None and now > step.begun + PATIENCE:
                    return

    def checks(self) -> list[Check]:
        """Return a check for each step, and the checks of the gate."""
        return [*(Check(step.reached is not None, f'{step.event}: {step.expected}, after '
                        f'{format_duration(step.begun, step.reached)}') for step in self._plan),
                *self.gate.checks()]

    def draw(self, folder: Path) -> list[str]:
        """Draw leaders, mandates and obeyed commands over time."""
        # Imported here, since it takes long to load.
        from leader_election.swarm.view.charts import FAINT, FONT, INK, new_figure, save
        from leader_election.swarm.view.formatting import NOTE, Palette
        begin = self.steps[0].begun if self.steps else math.inf
        samples = [each for each in self.gate.samples if each.time >= begin]
        times = [each.time - begin for each in samples]
        leaders = [robot for each in samples for robot in each.leading]
        if not leaders:
            return []
        rows = {robot: -1.0 - number for number, robot in enumerate(sorted(
            robot for robot in set(leaders) if leaders.count(robot) * TICK > BRIEF))}
        tints = Palette().assign({robot: (robot,) for each in samples
                                  for robot in (*each.leading, *each.holders)})
        how = 'with mandates and a fence' if self.options.mandate else 'without mandates'
        figure = new_figure(12.0, 2.7 + 0.62 * len(rows), f'Who holds the gate open, {how}',
                            '\n'.join(check.text for check in self.gate.checks()))
        axes = figure.subplots()
        for robot, row in rows.items():
            for half, alpha, robots in ((0.3, 0.3, 'leading'), (0.15, 1.0, 'acting')):
                shown = [robot in getattr(each, robots) for each in samples]
                axes.fill_between(times, row - half, row + half, shown, color=tints[robot],
                                  alpha=alpha, linewidth=0)
        shares = [[0.8 * (robot in each.holders) / max(len(each.holders), 1) for each in samples]
                  for robot in tints]
        axes.stackplot(times, shares, baseline='sym', colors=[*tints.values()], step='post',
                       linewidth=0)
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
        save(figure, path)
        return [str(path)]
