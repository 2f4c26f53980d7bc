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
Compare the partition by odometry with the partition by true poses, on logs of robots.

The same robots run three times side by side on one replay: with the logged odometry, with the true
poses, and with the true poses once more. The third swarm shows the difference that asynchrony
alone causes. With sightings there is a fourth swarm, which uses them to correct its odometry
(``pose_source: cooperative``).
"""

from argparse import Namespace
from collections.abc import Mapping
import math
from pathlib import Path
from typing import Any

from leader_election.election.robot.parameters import ElectionParameters
from leader_election.parameters import ParameterError
from leader_election.parameters.command_line import fitted
from leader_election.ros.demo.checks import (
    Check,
    print_report,
    stopped,
    unwritten,
)
from leader_election.ros.demo.processes import AT_ONCE, LOG, ProcessDied, Processes, refuse_company
from leader_election.ros.nodes import clock
from leader_election.ros.nodes.declare import overrides
from leader_election.ros.nodes.process import spin, StopRequest
from leader_election.ros.nodes.qos import NEIGHBOURHOOD
from leader_election.simulation import robot_logs
from leader_election.simulation.parameters import SceneParameters
from leader_election.simulation.scene import make_scene
from leader_election.swarm.accuracy import Accuracy, accuracy_lines, compare_messages
from leader_election.swarm.reference_partition import Agreement
from leader_election.swarm.snapshot import Snapshot
from leader_election.swarm.tracker import SwarmTracker
from leader_election.swarm.view.charts import draw_agreement
from rclpy.node import Node
from std_msgs.msg import String

REFERENCE, AGAIN = 'by_truth', 'by_truth_again'
ODOMETRY, FILTER = 'by_odometry', 'with_filter'
LABELS = {ODOMETRY: 'by odometry', FILTER: 'with filter', AGAIN: 'by true poses, a second time'}
ODOM, TRUTH = '/robot_{id}/odom', '/robot_{id}/ground_truth'
UWB, CAMERA, LOGGED = 'uwb', 'camera', 'logs'
SIGHTINGS: dict[str, dict[str, Any]] = {
    LOGGED: {'logged_sightings': True},
    UWB: {'ranging_rate': 1.0},
    CAMERA: {'camera_rate': 2.0},
}
"""The parameters of the world for each source of sightings."""
PATIENCE = 6.0
"""The factor by which the replay may take longer than planned: a slow machine slows it down."""
START_UP = 60.0
"""Time limit for all processes to start [s]."""
COMPARE_FROM = 5.0
"""The start of the comparison of the swarms, after the first election [s]."""
PUNCTUAL, TOLERANCE = 0.95, 1.25
"""
The least punctual share of a swarm's time for which the timing counts as good, and the time
between two messages of a robot up to which it is punctual [round periods].
"""
INTERVALS = 12


def swarms(options: Namespace) -> dict[str, dict[str, Any]]:
    """
    Return the parameters of the robots of each swarm, by its namespace.

    :raises ParameterError: for missing landmarks.
    """
    found: dict[str, dict[str, Any]] = {
        ODOMETRY: {'odom_topic': ODOM}, REFERENCE: {'odom_topic': TRUTH},
        AGAIN: {'odom_topic': TRUTH}}
    if options.sightings:
        found[FILTER] = {'odom_topic': ODOM, 'pose_source': 'cooperative',
                         'measurements_topic': '/robot_{id}/measurements'}
    if options.landmarks:
        path = robot_logs.landmarks_path(options.logs)
        if path is None:
            raise ParameterError(f'argument --landmarks: there is no {robot_logs.LANDMARKS} in '
                                 f'{options.logs}, nor in its folder measurements')
        found[FILTER]['landmarks'] = str(path)
    return found


class Punctuality:
    """
    Measures the share of time in which robots send as often as their rounds require.

    Messages between rounds, as of the reactive schedule, do not compensate for late ones.

    >>> punctual = Punctuality(1.0, [1])
    >>> for time in (0.0, 1.0, 1.1, 1.2, 3.2):
    ...     punctual.hear(1, time)
    >>> round(punctual.share(3.2), 3)
    0.766
    """

    def __init__(self, round_period: float, robots: list[int]) -> None:
        """
        Begin at time 0. Silence before a robot's first message does not count.

        :param round_period: of the robots [s].
        """
        self._longest = TOLERANCE * round_period
        self._heard: dict[int, float] = {}
        self._robots = robots
        self._late = self._total = 0.0

    def hear(self, robot: int, now: float) -> None:
        """Count a message that arrives at a time [s]."""
        if robot in self._heard:
            gap = max(now - self._heard[robot], 0.0)
            self._late += max(gap - self._longest, 0.0)
            self._total += gap
        self._heard[robot] = now

    def share(self, end: float) -> float:
        """Return the punctual share up to a time [s], 0 if a robot was never heard."""
        if len(self._heard) < len(self._robots):
            return 0.0
        last = [max(end - heard, 0.0) for heard in self._heard.values()]
        late = self._late + sum(max(gap - self._longest, 0.0) for gap in last)
        total = self._total + sum(last)
        return 1.0 - late / total if total else 1.0


class LogsDemo(Node):
    """Replays logs, and compares the swarms once a second of the logs' time."""

    def __init__(self, options: Namespace) -> None:
        """
        Read the logs and subscribe to the messages of the swarms.

        :param options: of the command line.
        :raises ParameterError: for wrong or missing logs.
        """
        super().__init__('logs_demo', parameter_overrides=overrides({'use_sim_time': True}))
        self.options = options
        self.scene_parameters = {'logs': options.logs, 'seed': options.seed}
        scene = make_scene(SceneParameters(**self.scene_parameters))
        self.ids = scene.ids
        self.length = min(float(log.t[-1] - log.t[0]) for log in scene.logs)
        if self.length <= COMPARE_FROM:
            raise ParameterError('logs', problem=f': the shortest one of {options.logs} lasts '
                                 f'{self.length:g} s; it takes more than {COMPARE_FROM:g} s')
        if options.sightings == LOGGED:
            robot_logs.read_sightings(options.logs, self.ids)
        self.swarms = swarms(options)
        expiry = ElectionParameters.message_expiry
        self.trackers = {name: SwarmTracker(expiry) for name in self.swarms}
        self.agreements = {name: Agreement() for name in self.swarms if name != REFERENCE}
        self._next = COMPARE_FROM
        self.punctuality = {name: Punctuality(ElectionParameters.round_period, list(self.ids))
                            for name in self.swarms}
        self.accuracy = {ODOMETRY: Accuracy(), FILTER: Accuracy()}
        self._truth = dict(zip(self.ids, scene.logs))
        self._first = robot_logs.first_time(scene.logs)
        for name in self.swarms:
            def receive(message: String, name: str = name) -> None:
                now = clock.seconds(self.get_clock())
                heard = self.trackers[name].hear(message.data, now)
                if heard is not None:
                    self.punctuality[name].hear(heard, now)
            self.create_subscription(String, f'/{name}/neighbourhood', receive, NEIGHBOURHOOD)

    def run(self) -> int:
        """Replay the logs and print the report, and return the exit status."""
        print(vars(self.options).pop('told'), flush=True)
        stop = StopRequest()
        stop.listen()
        failure = None
        if self.options.shared_domain:
            refuse_company(self, [f'/{name}/neighbourhood' for name in self.swarms], stop)
        with Processes(self.options.output / LOG) as self.processes:
            try:
                self._replay(stop)
            except ProcessDied as died:
                failure = str(died)
            if stop.made:
                self.processes.stop(AT_ONCE)
                return stopped()
        return self._report(failure)

    def _replay(self, stop: StopRequest) -> None:
        options = self.options
        for name, own in self.swarms.items():
            self.processes.start(name, 'fleet', {
                **self.scene_parameters, **own, 'use_sim_time': True,
                'radius': options.radius, 'communication_range': options.range,
                # With hysteresis partitions depend on the past, and could differ rightly.
                'schedule': options.schedule, 'radius_hysteresis': 0.0}, {'__ns': f'/{name}'})
        print(fitted(
            f'{len(self.ids)} robots, {self.length:.0f} s of logs, {len(self.swarms)} swarms: '
            f'{", ".join(self.swarms)}; radius {options.radius:g} m, range {options.range:g} m'))
        spin([self], lambda: stop.made or self._all_up(), deadline=START_UP)
        if stop.made or not self._all_up():
            return
        # The world publishes the clock and starts when all nodes that use it have subscribed: the
        # robots, the node of each fleet, and this node.
        listeners = len(self.swarms) * (len(self.ids) + 1) + 1
        self.processes.start('world', 'swarm_world', {
            **self.scene_parameters, **SIGHTINGS.get(options.sightings, {}), 'publish_clock': True,
            'clock_listeners': listeners, 'real_time_factor': options.real_time_factor})
        spin([self], lambda: stop.made or self._compare(),
             deadline=START_UP + PATIENCE * self.length / options.real_time_factor)

    def _all_up(self) -> bool:
        self.processes.check()
        return all(self.count_publishers(f'/{name}/neighbourhood') == len(self.ids)
                   for name in self.swarms)

    def _compare(self) -> bool:
        """Compare the swarms if a second has passed, and return whether the logs have ended."""
        self.processes.check()
        now = clock.seconds(self.get_clock())
        if self._next <= now < self.length:
            self._next = now + 1.0
            truth = self.trackers[REFERENCE].snapshot(now)
            for name, agreement in self.agreements.items():
                found = self.trackers[name].snapshot(now)
                agreement.compare(now, found, truth)
                if name in self.accuracy:
                    self._measure(name, found)
            if not int(now) % 20:
                left = (self.length - now) / self.options.real_time_factor
                print(f'  {now:5.0f} s of {self.length:.0f} s; results in {left:.0f} s or later',
                      flush=True)
        return now >= self.length

    def _measure(self, name: str, found: Snapshot) -> None:
        """Compare the poses in messages of a swarm with the true ones at their times."""
        true = {}
        for robot, view in found.robots.items():
            x, y, yaw = self._truth[robot].pose_at(self._first + view.heard).tolist()
            true[robot] = x, y, yaw
        # The swarm with the filter reports its odometry, too: the same as that of the other one.
        odometry = self.accuracy[ODOMETRY] if name == ODOMETRY else Accuracy()
        compare_messages(found, true, self.options.range, odometry, self.accuracy[FILTER])

    def _report(self, failure: str | None) -> int:
        interval = self.length / INTERVALS
        print('\nShare of rounds in which a robot, or all, have the same leader as by true poses;'
              '\nthe column "true poses" is a second run by them: what timing alone changes.')
        for line in table(self.agreements, interval):
            print(line)
        for line in accuracy_lines({LABELS[name]: each.figures()
                                    for name, each in self.accuracy.items()}, self.options.range):
            print(fitted(line))
        end = self.agreements[AGAIN].end
        punctual = min(each.share(end) for each in self.punctuality.values())
        if punctual < PUNCTUAL:
            print(f'warning: this machine was too busy: robots sent late in {1.0 - punctual:.1%} '
                  'of their time, which spoils the filter most; choose a smaller '
                  '--real-time-factor')
        path = Path(self.options.output) / 'agreement.png'
        checks = [] if failure is None else [Check(False, failure)]
        checks += [
            Check(self.agreements[ODOMETRY].end >= self.length - 3.0,
                  f'{self.agreements[ODOMETRY].end:.0f} s of {self.length:.0f} s were compared'),
            *(Check(len(tracker.first_heard) == len(self.ids),
                    f'{name}: {len(tracker.first_heard)} of {len(self.ids)} robots were heard')
              for name, tracker in self.trackers.items()),
        ]
        try:
            draw_agreement(path, {
                label: ([share.begin + interval / 2 for share in shares],
                        [share.robots for share in shares])
                for name, label in LABELS.items() if name in self.agreements
                for shares in (self.agreements[name].over_time(interval),)
            }, 'Rounds in which a robot has the same leader as by true poses',
                'the second run by true poses shows what the timing of messages alone changes')
        except OSError as error:
            return print_report([*checks, unwritten(error)], [])
        return print_report(checks, [str(path)])


def table(agreements: Mapping[str, Agreement], interval: float) -> list[str]:
    """
    Return the lines of the table of results. The last column is the filter's, if there is one.

    :param agreements: of each swarm with the swarm by true poses, by name.
    :param interval: the time of a line [s].
    """
    columns = [(ODOMETRY, 'robots', 'odometry'), (ODOMETRY, 'partitions', 'all, odometry'),
               (AGAIN, 'robots', 'true poses')]
    if FILTER in agreements:
        columns += [(FILTER, 'partitions', 'all, filter'), (FILTER, 'robots', 'filter')]
    lines = [f'{"time":>17}' + ''.join(f'   {title}' for *_, title in columns)]
    count = int(max(each.end for each in agreements.values()) / interval) + 1
    spans = [(f'{i * interval:6.0f} to {(i + 1) * interval:4.0f} s', i * interval,
              (i + 1) * interval) for i in range(count)]
    for name, begin, end in [*spans, ('overall', 0.0, math.inf)]:
        shares = {swarm: each.share(begin, end) for swarm, each in agreements.items()}
        if all(shares.values()):
            values = ''.join(f'{getattr(shares[swarm], value):{len(title) + 3}.1%}'
                             for swarm, value, title in columns)
            lines.append(f'{name:>17}{values}')
    return lines
