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

"""The main job: a swarm elects leaders, loses the strongest one, and recovers."""

from argparse import Namespace
from typing import Any

from leader_election.demo.checks import Check, seconds, show, Truth, Watch
from leader_election.demo.processes import ProcessDied, Processes
from leader_election.demo.scenario import Look
from leader_election.demo.task_scenarios import SCENARIOS
from leader_election.fleet.hosting import RobotHostParameters, strength
from leader_election.fleet.robot_list import format_ids
from leader_election.nodes import clock
from leader_election.nodes.declare import overrides
from leader_election.nodes.monitor import Monitor
from leader_election.nodes.process import spin, StopRequest
from leader_election.swarm.snapshot import regions, Snapshot
from leader_election.world.scene import make_scene

START_UP = 90.0
"""So long the swarm may take to come up [s]: processes start slowly on a busy machine."""
PATIENCE = 30.0
"""So long a partition or a recovery may take before the run counts as failed [s]."""
LOOK_PERIOD = 0.1
"""Time between two looks at the swarm [s]."""
SETTLING = 10.0
"""So long regions have to work after the first partition, and after a recovery [s]."""
STRONGEST = 'strongest_robot'
"""The process of the robot that will be killed."""


class SwarmDemo:
    """Starts the processes, watches the swarm, kills the strongest leader half way."""

    def __init__(self, options: Namespace) -> None:
        self.options = options
        self.scene_parameters = {
            'robots': options.robots, 'seed': options.seed, 'world': options.world,
            'radio': 'relay' if options.line_of_sight or options.loss else 'shared'}
        parameters = RobotHostParameters(**self.scene_parameters)
        self.ids = make_scene(parameters).ids
        self.strengths = {robot: strength(parameters, robot) or 0.0 for robot in self.ids}
        self.strongest = max(self.ids, key=lambda robot: (self.strengths[robot], -robot))
        self.watch = Watch(self.ids, options.radius)
        self.scenario = SCENARIOS[options.task](options)
        self.led = 0
        """How many robots the strongest one led when it was killed."""
        self.pid = 0
        self.last = Snapshot(0.0, {}, {})
        self._next_look = 0.0
        self._begun: float | None = None

    def run(self) -> int:
        """Run the demonstration; return the exit status."""
        folder = self.options.output
        folder.mkdir(parents=True, exist_ok=True)
        pictures = {'picture': str(folder / 'partition.png'), 'animation': str(folder / 'run.gif')}
        self.monitor = Monitor(parameter_overrides=overrides({
            'communication_range': self.options.range,
            'live': not self.options.no_live, **pictures}))
        self.monitor.note = 'starting'
        self.truth = Truth(self.ids if self.scenario.needs_truth else ())
        stop = StopRequest()
        stop.listen()
        failure = None
        with Processes(folder / 'log') as self.processes:
            self._start()
            try:
                spin([self.monitor, self.truth], lambda: stop.made or self._step())
            except ProcessDied as died:
                failure = str(died)
        self.monitor.close()
        if stop.made:
            return 0
        checks = [*self._checks(), *self.scenario.checks()]
        if failure:
            checks.insert(0, Check(False, failure))
        return show(checks, [
            *pictures.values(), *self.scenario.draw(folder, self.monitor.rings)])

    def _start(self) -> None:
        options = self.options
        self.processes.start('world', 'swarm_world', {
            **self.scene_parameters, **self.scenario.of_world, 'speed': options.speed,
            'linear_scale_error': options.drift, 'angular_scale_error': options.drift,
            'radio_range': options.range, 'line_of_sight': options.line_of_sight,
            'radio_loss': options.loss})
        robots: dict[str, Any] = {
            **self.scene_parameters, **self.scenario.of_robots, 'radius': options.radius,
            'communication_range': options.range, 'schedule': options.schedule}
        others = [robot for robot in self.ids if robot != self.strongest]
        processes = min(options.processes, len(others))
        for i in range(processes):
            members = tuple(others[i::processes])
            self.processes.start(f'fleet_{i + 1}', 'fleet',
                                {**robots, 'members': format_ids(members)})
        self.pid = self.processes.start(
            STRONGEST, 'fleet', {**robots, 'members': str(self.strongest)})

    def _step(self) -> bool:
        """Look at the swarm if it is time to; return whether the run is over."""
        now = clock.seconds(self.monitor.steady_clock)
        if self._begun is None:
            self._begun = now
        if now < self._next_look:
            return False
        self._next_look = now + LOOK_PERIOD
        self.processes.check()
        self.last = self.monitor.tracker.snapshot(now)
        self.watch.look(self.last, self.monitor.tracker.first_heard)
        if self.watch.first_partition is not None:
            self.scenario.look(Look(
                self.watch.of_living(self.last), self.truth.places,
                self.watch.calm_for(now) >= SETTLING))
        return self._direct(now, self.watch)

    def _direct(self, now: float, watch: Watch) -> bool:
        """Go on to what is next; return whether the run is over."""
        half = self.options.duration / 2.0
        if watch.all_heard is None:
            self.monitor.note = f'starting: {len(self.last.robots)} of {len(self.ids)} heard'
            return now > (self._begun or now) + START_UP
        if watch.first_partition is None:
            self.monitor.note = 'electing'
            return now > watch.all_heard + PATIENCE
        if watch.killed is None:
            self.monitor.note = f'first partition after {seconds(watch.all_heard, now)}' \
                if now < watch.first_partition + 2.0 else ''
            if now >= watch.first_partition + half:
                self.led = len(regions(self.last).get(self.strongest, ())) - 1
                self.processes.kill(STRONGEST)
                watch.kill(self.strongest, now)
            return False
        if watch.recovered is None:
            self.monitor.note = f'robot {self.strongest} killed'
            return now > watch.killed + PATIENCE
        self.monitor.note = (f'robot {self.strongest} killed; recovered in '
                             f'{seconds(watch.killed, watch.recovered)}')
        return now >= watch.killed + half and now >= watch.recovered + 1.0

    def _checks(self) -> list[Check]:
        watch, living = self.watch, len(self.watch.living)
        heard = len(self.monitor.tracker.first_heard)
        missing, astray = watch.missing(self.last), watch.astray(self.last)
        farthest = max((v.distance for v in self.last.robots.values()), default=0.0)
        checks = [
            Check(watch.all_heard is not None, f'{heard} of {len(self.ids)} robots were heard'),
            Check(watch.first_partition is not None,
                  "first partition, after the last robot's first message: "
                  f'{seconds(watch.all_heard, watch.first_partition)}'),
            Check(watch.killed is not None and self.led > 0,
                  f'robot {self.strongest}, the strongest, led {self.led} others when its process '
                  f'{self.pid} was killed'),
            Check(watch.recovered is not None,
                  'recovery, until every living robot had a living leader: '
                  f'{seconds(watch.killed, watch.recovered)}'),
            Check(watch.holds(self.last) and bool(self.last.robots),
                  f'at the end {living - len(missing) - len(astray)} of {living} living robots '
                  f'have a living leader within {self.options.radius:g} m by their own metric '
                  f'(farthest: {farthest:.2f} m)'),
        ]
        if watch.looks:
            share = watch.partitions / watch.looks
            checks.append(Check(True, f'for information: {share:.0%} of {watch.looks} looks after '
                                'the first partition saw one that was whole'))
        return checks
