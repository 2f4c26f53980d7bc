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
The demonstration of a gate: cut and merge the swarm, freeze, wake and kill its strongest leader.

With mandates one robot opens the gate at a time, and commands of replaced leaders are refused.
Without, the run shows that two robots open it at once, and that it obeys old commands.
"""

from argparse import Namespace
from collections.abc import Callable
from dataclasses import dataclass
import math
from pathlib import Path

from diagnostic_msgs.msg import DiagnosticArray
from leader_election.ros.demo.checks import Check, format_duration, RunObserver
from leader_election.ros.demo.gate import ANSWER, answer_of, DEPTH
from leader_election.ros.demo.swarm import PATIENCE, STRONGEST, SwarmDemo
from leader_election.ros.nodes import clock
from leader_election.ros.nodes.declare import overrides
from leader_election.swarm.fleet.robot_list import format_ids
from leader_election.swarm.gate_log import Event, GateLog, GateStory
from leader_election.swarm.view.formatting import count
from rcl_interfaces.srv import SetParameters
from rclpy.node import Node

GATE = 'leader_election.ros.demo.gate'
"""The module of the gate's process."""
LOOK = 1.0
"""The least time of a step after it has led to what was expected [s]."""


def gate_checks(log: GateLog, mandates: bool, believed: float) -> list[Check]:
    """
    Return the checks of what the gate obeyed; without mandates they show what goes wrong.

    :param believed: for how long two robots believed that they lead [s].
    """
    obeyed = [answer for answer in log.answers if answer.obeyed]
    old, twice = log.outdated(), log.at_once()
    late = [answer for answer in old if answer.obeyed]
    if mandates:
        fallen = sum(after.term < before.term for before, after in zip(obeyed, obeyed[1:]))
        return [
            Check(bool(old) and not late and not fallen,
                  f'the gate obeyed {count(len(obeyed), "command")} and refused '
                  f'{len(log.answers) - len(obeyed)} with an old term; of {len(old)} that came '
                  f'after a later one of another robot it obeyed {len(late) or "none"}'),
            Check(bool(obeyed) and twice == 0.0, 'two robots held it open at once '
                  f'{f"for {twice:.1f} s" if twice else "never"}; for {believed:.1f} s two '
                  'believed that they lead')]
    oldest = max((answer.received - answer.given for answer in late), default=0.0)
    return [
        Check(twice > 0.0, 'shown without mandates: two robots held the gate open at once, for '
              f'{twice:.1f} s'),
        Check(bool(late), f'shown without a fence: of {count(len(obeyed), "command")} that the '
              f'gate obeyed, {len(late)} came after a later one of another robot, the oldest '
              f'{oldest:.1f} s after it was given')]


@dataclass
class Step:
    """One step of the run."""

    event: str
    """What is done."""
    after: str
    """What is expected then."""
    do: Callable[[], None]
    done: Callable[[tuple[int, ...]], bool]
    """Whether robots that hold the gate open are as expected."""
    begun: float = math.nan
    """[s]."""
    reached: float | None = None
    """When it was as expected [s]; ``None``: not yet."""


class GateDemo(SwarmDemo):
    """Starts a gate and robots that command it, and does to the swarm what leaders fear."""

    def __init__(self, options: Namespace) -> None:
        """
        Prepare as :class:`SwarmDemo` does.

        :param options: of the command line.
        """
        super().__init__(options)
        self.mandates = options.mandate > 0.0
        self.log = GateLog()
        self.plan = self._plan()
        self.steps: list[Step] = []
        """Those that have begun."""
        self.frozen = False

    def _listen(self) -> list[Node]:
        nodes = super()._listen()
        self.truth.create_subscription(
            DiagnosticArray, ANSWER, lambda message: self.log.add(answer_of(message)), DEPTH)
        self._world = self.truth.create_client(SetParameters, 'world/set_parameters')
        return nodes

    def _start(self) -> None:
        self.processes.start('gate', GATE, {'fence': self.mandates})
        super()._start()

    def _now(self) -> float:
        """Return the time of stamps [s]."""
        return clock.seconds(self.truth.get_clock())

    # The run.

    def _plan(self) -> tuple[Step, ...]:
        """Return the steps."""
        strongest, apart = self.strongest, (len(self.ids) - 1) // 2

        def alone(holders: tuple[int, ...]) -> bool:
            return holders == (strongest,)

        def another(holders: tuple[int, ...]) -> bool:
            return bool(holders) and strongest not in holders

        def two(holders: tuple[int, ...]) -> bool:
            return len(holders) > 1

        def old(holders: tuple[int, ...]) -> bool:
            return alone(holders) and any(
                answer.received > self.steps[-1].begun and answer.obeyed != self.mandates
                for answer in self.log.outdated())

        return (
            Step('start', f'robot {strongest}, the strongest, opens the gate', lambda: None,
                 lambda holders: alone(holders) and self._world.service_is_ready()),
            Step(f'cut: {apart} | {len(self.ids) - apart} robots',
                 'a robot of the greater part opens the gate' if self.mandates else
                 'two robots open the gate at once', lambda: self._cut(apart),
                 another if self.mandates else two),
            Step('merged', f'robot {strongest} opens the gate alone',
                 lambda: self._set_groups(''), alone),
            Step(f'robot {strongest} frozen', 'another robot opens the gate', self._freeze,
                 another),
            Step(f'robot {strongest} wakes', 'its old commands are '
                 f'{"refused" if self.mandates else "obeyed"}, then it opens the gate anew',
                 self._wake, old),
            Step(f'robot {strongest} killed', 'another robot opens the gate', self._kill,
                 another))

    def _freeze(self) -> None:
        self.processes.pause(STRONGEST)
        self.leaderships.log.stop(self.strongest, self._now())
        self.frozen = True

    def _wake(self) -> None:
        self.processes.go_on(STRONGEST)
        self.frozen = False

    def _kill(self) -> None:
        self.processes.kill(STRONGEST)
        self.leaderships.log.stop(self.strongest, self._now())
        self.observer.kill(self.strongest, clock.seconds(self.monitor.steady_clock))

    def _cut(self, number: int) -> None:
        """Cut off a number of robots: the strongest, and those nearest to it."""
        places = {robot: view.position for robot, view in self.last.robots.items()}
        here = places[self.strongest] or (0.0, 0.0)
        near = sorted(places, key=lambda robot: math.dist(here, places[robot] or here))
        self._set_groups(format_ids(tuple(sorted(near[:number]))))

    def _set_groups(self, groups: str) -> None:
        self._world.call_async(SetParameters.Request(parameters=[
            each.to_parameter_msg() for each in overrides({'radio_groups': groups})]))

    def _advance(self, now: float, observer: RunObserver) -> bool:
        if observer.first_partition is None:
            return super()._advance(now, observer)
        time = self._now()
        holders = self.log.holders(time)
        if not self.steps:
            self._begin()
        step = self.steps[-1]
        if step.reached is None and step.done(holders):
            step.reached = time
        self._show(step, holders)
        if step.reached is None:
            return time > step.begun + PATIENCE
        if time < max(step.begun + self.options.duration / len(self.plan), step.reached + LOOK):
            return False
        if len(self.steps) == len(self.plan):
            return True
        self._begin()
        return False

    def _begin(self) -> None:
        """Begin the next step."""
        step = self.plan[len(self.steps)]
        step.begun = self._now()
        self.steps.append(step)
        step.do()

    def _show(self, step: Step, holders: tuple[int, ...]) -> None:
        """Say in picture and live view what happens, and what is expected."""
        gate = ' and '.join(f'robot {robot}' for robot in holders)
        self.monitor.note = f'{step.event}; the gate: {f"open for {gate}" if gate else "closed"}'
        self.monitor.upcoming = step.after if step.reached is None else ''
        remarks = {robot: 'opens the gate' for robot in holders}
        for robot, view in self.last.robots.items():
            if view.leader == robot and robot not in holders:
                remarks[robot] = 'leads, may not act' if self.mandates else 'leads'
        if self.frozen:
            remarks[self.strongest] = 'frozen'
        if self.strongest not in self.observer.living:
            remarks[self.strongest] = 'killed here'
        self.monitor.remarks = remarks

    # The results.

    def _checks(self) -> list[Check]:
        heard = len(self.monitor.tracker.first_heard)
        checks = [Check(heard == len(self.ids), f'{heard} of {len(self.ids)} robots were heard')]
        for step in self.steps:
            checks.append(Check(step.reached is not None, f'{step.event}: {step.after}, after '
                                f'{format_duration(step.begun, step.reached)}'))
        if len(self.steps) < len(self.plan):
            checks.append(Check(False, f'{len(self.steps)} of {len(self.plan)} steps were made'))
        begun = self.steps[0].begun if self.steps else self._now()
        return [*checks, *gate_checks(
            self.log, self.mandates, self.leaderships.log.two_lead(begun, self._now()))]

    def story(self) -> GateStory:
        """Return what the picture shows."""
        times = [step.begun for step in self.steps]
        end = max([each.received for each in self.log.answers] + times)
        log, shown = self.leaderships.log, self.leaderships.log.robots()

        def span(first: int) -> tuple[float, float] | None:
            if len(times) <= first:
                return None
            return times[first], times[first + 1] if len(times) > first + 1 else end

        frozen = span(3)
        return GateStory(
            times[0], end,
            tuple(sorted(shown, key=lambda robot: (-self.strengths[robot], robot))),
            self.log, log, tuple(Event(step.begun, step.event) for step in self.steps[1:]),
            span(1), frozen and (self.strongest, frozen),
            (self.strongest, times[5]) if len(times) > 5 else None, self.mandates)

    def _draw(self, folder: Path) -> list[str]:
        if not self.steps:
            return []
        # Imported here, since it takes long to load.
        from leader_election.swarm.view.gate_chart import draw_gate
        path = folder / 'gate.png'
        draw_gate(self.story(), path)
        return [str(path)]
