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

"""The demonstration of a swarm: it elects leaders, loses the strongest one, and recovers."""

from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
import math
import os
import select
import sys
import termios
import tty
from typing import Any, TYPE_CHECKING
import webbrowser

from leader_election.election.algorithms.algorithm import automatic_hop_limit
from leader_election.election.messages.codec import Position
from leader_election.election.robot.parameters import ElectionParameters
from leader_election.parameters import format_ids
from leader_election.ros.demo import checks
from leader_election.ros.demo.checks import Check, format_duration, RunObserver
from leader_election.ros.demo.faults import FaultySwarm, WORLD
from leader_election.ros.demo.processes import AT_ONCE, LOG, ProcessDied, stop_request
from leader_election.ros.demo.scenario import Observation, STRONGEST
from leader_election.ros.demo.task_scenarios import SCENARIOS
from leader_election.ros.nodes import clock
from leader_election.ros.nodes.declare import overrides
from leader_election.ros.nodes.monitor import Monitor
from leader_election.ros.nodes.process import spin
from leader_election.simulation.odometry import EXACT_ODOMETRY, PHYSICAL_WHEELS
from leader_election.simulation.parameters import WorldParameters
from leader_election.simulation.scene import make_scene
from leader_election.swarm.fleet.robot_list import RobotHostParameters, strength
from leader_election.swarm.reference_partition import Graph, links_within, PartitionJudge
from leader_election.swarm.snapshot import regions, Snapshot
from leader_election.swarm.view.formatting import count
from rclpy.node import Node

if TYPE_CHECKING:
    from leader_election.ros.nodes.web import Page

HOSTS = 2
"""Processes that host robots, besides the one to be killed."""
START_UP = 90.0
"""The time limit for all robots to start [s]: processes start slowly on a busy machine."""
PATIENCE = 30.0
"""How long the run waits for the first partition, and for a late recovery [s]."""
VIEWING = 10.0
"""For how long somebody sees the page before the strongest robot is killed [s]."""
NOTED = 5.0
"""For how long the first partition is noted [s]: time to read it, also on a busy machine."""
OBSERVATION_PERIOD = 0.1
"""The time between two observations of the swarm [s]."""
SETTLING_TIME = 10.0
"""The time after which tasks must work, from the first partition or the recovery on [s]."""
SHOWN_AT = 'the swarm is shown at'


def in_terminal() -> bool:
    """Return whether a person can see the output of this process, and press keys for it."""
    # Only the foreground process may read, or change the terminal: others are stopped for it.
    return (sys.stdin.isatty() and sys.stdout.isatty()
            and os.tcgetpgrp(sys.stdin.fileno()) == os.getpgrp())


@contextmanager
def single_keys() -> Iterator[None]:
    """Receive keys at once and do not show them, until the end of the context."""
    if not in_terminal():
        yield
        return
    before = termios.tcgetattr(sys.stdin)
    tty.setcbreak(sys.stdin)
    try:
        yield
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)


def pressed() -> str:
    """Return the keys that were pressed since the last call, empty without a terminal."""
    waiting = in_terminal() and select.select([sys.stdin], [], [], 0.0)[0]
    return os.read(sys.stdin.fileno(), 1024).decode(errors='replace') if waiting else ''


class SwarmDemo:
    """
    Starts the processes, observes the swarm, and kills the strongest leader, once or often.

    :ivar led: the number of robots that the strongest one led when its process ``pid`` was killed.
    """

    def __init__(self, options: Namespace) -> None:
        """
        Compute the scene, to find the strongest robot.

        :param options: of the command line.
        :raises ParameterError: for a wrong arena, and for robots that do not fit.
        """
        self.options = options
        self.scenario = SCENARIOS[options.task](options)
        self.scene_parameters = {
            'robots': options.robots, 'seed': options.seed, 'world': options.world,
            'radio': 'relay' if options.loss or self.scenario.has_own_run else 'shared'}
        self.ids = make_scene(RobotHostParameters(**self.scene_parameters)).ids
        self.strengths = {robot: strength(options.seed, robot) for robot in self.ids}
        self.strongest = max(self.ids, key=lambda robot: (self.strengths[robot], -robot))
        self.observer = RunObserver(PartitionJudge(
            self.strengths, options.radius, ElectionParameters.radius_hysteresis),
            checks.Timing(automatic_hop_limit(options.radius, options.range), options.loss),
            'the positions that they claim' if options.drift else 'true positions')
        # The position of each robot by its last message [m].
        self._claimed: dict[int, Position] = {}
        self.led = self.pid = 0
        self.last = Snapshot(0.0, {}, {})
        self._next_observation = 0.0
        # Until when all robots must have started, and when somebody opened the page [s].
        self._deadline = self._viewed = math.inf
        self._page: Page | None = None
        self._paused = False
        # The length of the pauses since the last kill [s].
        self._delay = 0.0

    def run(self) -> int:
        """Run the demonstration, write pictures, print the report, and return the exit status."""
        options, folder = self.options, self.options.output
        self.monitor = Monitor(parameter_overrides=overrides({
            'communication_range': options.range, 'live': not options.no_live}))
        self.monitor.files = folder / 'partition.png', folder / 'run.gif'
        self.monitor.note = 'starting'
        self._page = self._show_page()
        print(vars(options).pop('told'), flush=True)
        self.truth = checks.GroundTruth(self.ids)
        self.leaderships = checks.Leaderships(
            self.ids if options.mandate or self.scenario.has_own_run else ())
        nodes: list[Node] = [self.monitor, self.truth, self.leaderships]
        self.swarm = FaultySwarm(self.monitor, folder / LOG)
        self.scenario.begin(self)
        failure = None
        stop = stop_request(self.truth, ['/neighbourhood'], options.shared_domain)
        with self.swarm, single_keys():
            self._start()
            try:
                spin(nodes, lambda: stop.made or self._step())
            except ProcessDied as died:
                failure = str(died)
            self.monitor.stop_live()
            if stop.made:
                self.swarm.stop(AT_ONCE)
                return checks.stopped()
            status = self._report(failure)
            if self._page is not None and in_terminal():
                pressed()
                self.monitor.note, self.monitor.upcoming = (
                    'the results were checked; the robots drive on until a key is pressed'), ''
                print(f'{SHOWN_AT} {self._page.server.url} until a key is pressed', flush=True)
                spin(nodes, lambda: stop.made or bool(pressed()))
                self.swarm.stop(AT_ONCE)
        if self._page is not None:
            self._page.server.stop()
        return status

    def _report(self, failure: str | None) -> int:
        """Write pictures, print the report, and return the exit status."""
        options, monitor = self.options, self.monitor
        found = [*([Check(False, failure)] if failure else []),
                 *self._checks(), *self.scenario.checks()]
        if options.mandate:
            found += self.leaderships.checks(
                self.observer.timing.wait(options.mandate, self.observer.hops))
        made: list[str] = []
        try:
            monitor.close()
            made += [*map(str, monitor.files or ()), *self.scenario.draw(options.output)]
            if options.html and any(frame.snapshot.robots for frame in monitor.frames):
                # Imported here, since Bokeh loads slowly.
                from leader_election.swarm.recording.report import write_watched
                write_watched(options.html, f'Demonstration {options.task}'.strip(),
                              monitor.frames, monitor.rings, monitor.tracker, options.radius,
                              options.range, [each.text for each in found if not each.holds])
                made.append(str(options.html))
        except OSError as error:
            found.append(checks.unwritten(error))
        return checks.print_report(found, made)

    def _show_page(self) -> 'Page | None':
        """Serve the page of the swarm where somebody watches, and print its address."""
        if (self.options.no_web or self.options.no_live or not sys.stdout.isatty()
                or find_spec('bokeh') is None):
            return None
        # Imported here, since Bokeh loads slowly.
        from leader_election.ros.nodes.web import Page
        page = Page(self.monitor)
        self.monitor.title = f'{SHOWN_AT} {page.server.url}'
        if self.options.open and not webbrowser.open_new_tab(page.server.url):
            print('no browser was found; open the address below in one', flush=True)
        print(self.monitor.title, flush=True)
        return page

    def _start(self) -> None:
        options = self.options
        self.swarm.run(WORLD, 'swarm_world', {
            **self.scene_parameters, **self.scenario.world_parameters,
            'physics': 'mujoco' if options.physics else 'kinematic',
            'linear_scale_error': options.drift, 'angular_scale_error': options.drift,
            'radio_range': options.range, 'radio_loss': options.loss})
        robots: dict[str, Any] = {
            **self.scene_parameters, **self.scenario.robot_parameters, 'radius': options.radius,
            'communication_range': options.range, 'mandate': options.mandate,
            **(PHYSICAL_WHEELS if options.physics else
               EXACT_ODOMETRY if options.drift == 0.0 else {})}
        others = tuple(robot for robot in self.ids if robot != self.strongest)
        for i in range(min(HOSTS, len(others))):
            self.swarm.run(f'fleet_{i + 1}', 'fleet', {
                **robots, 'members': format_ids(others[i::HOSTS])})
        self._robots = {**robots, 'members': str(self.strongest)}
        self._start_strongest()

    def _start_strongest(self) -> None:
        self.swarm.run(STRONGEST, 'fleet', self._robots)
        self.pid = self.swarm.pids[STRONGEST]

    def _step(self) -> bool:
        """Observe the swarm if an observation is due, and return whether the run is over."""
        now = clock.seconds(self.monitor.steady_clock)
        self._deadline = min(self._deadline, now + START_UP)
        if now < self._next_observation:
            return False
        self._next_observation = now + OBSERVATION_PERIOD
        self.swarm.check()
        self.last = self.monitor.tracker.snapshot(now)
        self.observer.observe(self.last, self.monitor.tracker.first_heard, self._links())
        self.leaderships.counts_waits = (
            self.observer.first_partition is not None and not self.observer.recovering)
        if self.observer.first_partition is not None:
            self.scenario.observe(Observation(
                self.observer.living_only(self.last), self.truth.places,
                self.observer.stable_for(now) >= SETTLING_TIME))
        if in_terminal() and not self.scenario.has_own_run:
            if ' ' in pressed() and not self.observer.recovering:
                self._paused = not self._paused
                self.swarm.set(WORLD, {'speed': 0.0 if self._paused else WorldParameters.speed})
            self.monitor.keys = f'space: {"go on" if self._paused else "pause"}'
            if self._paused:
                self._delay += OBSERVATION_PERIOD
                self.monitor.note = 'paused: the robots stand still'
                return False
        return self._advance(now - self._delay, self.observer)

    def _viewer_waits(self, now: float) -> bool:
        """Return whether the page was opened just now, or is about to be."""
        if self._page is None:
            return False
        if self._page.feed.pages:
            self._viewed = min(self._viewed, now)
        return now < self._viewed + VIEWING if self._viewed < math.inf else bool(self.options.open)

    def _links(self) -> Graph:
        """Return the links by true positions, or with drift, which shows its effect, claimed."""
        self._claimed |= {i: view.position for i, view in self.last.robots.items()
                          if view.position is not None}
        return links_within(self._claimed if self.options.drift else self.truth.places,
                            self.options.range)

    def _advance(self, now: float, observer: RunObserver) -> bool:
        """Begin the next phase of the run if it is due, and return whether the run is over."""
        half, monitor = self.options.duration / 2.0, self.monitor
        period = self.options.kill_period
        monitor.upcoming = ''
        if observer.all_heard is None:
            monitor.note = f'starting: {len(self.last.robots)} of {len(self.ids)} robots heard'
            monitor.upcoming = 'the robots elect leaders'
            return now > self._deadline
        if observer.first_partition is None:
            monitor.note = 'the robots elect leaders'
            return now > observer.all_heard + PATIENCE
        if self.scenario.has_own_run:
            return self.scenario.advance()
        if observer.killed is None:
            recent = now < observer.first_partition + NOTED
            duration = format_duration(observer.all_heard, now)
            monitor.note = f'first partition after {duration}' if recent else ''
            left = observer.first_partition + (period or half) - now
            waits = self._viewer_waits(now)
            when = (f'in {math.ceil(left)} s' if left > 0.0 else
                    'when the page has been seen' if waits else 'once it leads others')
            monitor.upcoming = f'{when} the strongest leader, robot {self.strongest}, is killed'
            if left <= -(PATIENCE if not self._led() else VIEWING if waits else 0.0):
                self.kill_strongest()
            return False
        if observer.recovered is None:
            monitor.note = f'robot {self.strongest}, the strongest, killed'
            monitor.upcoming = f'the robots that it led ({self.led}) find other leaders'
            return now > observer.killed + PATIENCE
        monitor.note = (f'robot {self.strongest} killed; recovered in '
                        f'{format_duration(observer.killed, observer.recovered)}')
        last = observer.killed + half
        if period:
            last = observer.first_partition + self.options.duration
            if self.strongest not in observer.living | observer.starting:
                if now >= observer.killed + period / 2.0:
                    self._start_strongest()
                    observer.start(self.strongest)
                    del monitor.remarks[self.strongest]
            elif observer.killed + period <= now < last and self._led():
                self.kill_strongest()
                return False
        left = max(last, observer.recovered + 1.0) - now
        monitor.upcoming = (f'in {math.ceil(left)} s ' if left > 0.0 else '') + (
            'the results are checked')
        return bool(left <= 0.0)

    def _led(self) -> int:
        """Return the number of robots that the strongest one leads besides itself."""
        return max(len(regions(self.last).get(self.strongest, ())) - 1, 0)

    def kill_strongest(self) -> None:
        """Kill the process of the strongest robot."""
        self.led, self._delay = self._led(), 0.0
        self.swarm.kill(STRONGEST)
        self.observer.kill(self.strongest, clock.seconds(self.monitor.steady_clock))
        self.monitor.remarks[self.strongest] = 'killed'

    def _checks(self) -> list[Check]:
        observer = self.observer
        heard = len(self.monitor.tracker.first_heard)
        return [
            Check(observer.all_heard is not None, f'{heard} of {len(self.ids)} robots were heard'),
            Check(observer.first_partition is not None,
                  "first right partition, after the last robot's first message: "
                  f'{format_duration(observer.all_heard, observer.first_partition)}'),
            *([] if self.scenario.has_own_run else [
                Check(observer.killed is not None,
                      f'robot {self.strongest}, the strongest, led {count(self.led, "other")} '
                      f'when its process {self.pid} was killed'),
                observer.recovery_check(),
                *observer.checks(self.last)])]
