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
import math
from pathlib import Path
from typing import Any

from leader_election.election.robot.parameters import ElectionParameters
from leader_election.parameters import ParameterError
from leader_election.parameters.command_line import fitted
from leader_election.ros.demo import processes
from leader_election.ros.demo.checks import Check, print_report, stopped, unwritten
from leader_election.ros.demo.processes import LOG, ProcessDied, Processes
from leader_election.ros.nodes import clock
from leader_election.ros.nodes.declare import overrides
from leader_election.ros.nodes.process import spin, StopRequest
from leader_election.ros.nodes.qos import NEIGHBOURHOOD
from leader_election.simulation import logged_sightings, robot_logs
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
LOGGED = 'logs'
SIGHTINGS: dict[str, dict[str, Any]] = {
    LOGGED: {'logged_sightings': True}, 'uwb': {'ranging_rate': 1.0},
    'camera': {'camera_rate': 2.0}}
"""The parameters of the world for each source of sightings."""
PATIENCE = 6.0
"""The factor by which the replay may take longer than planned: a slow machine slows it down."""
START_UP = 60.0
"""Time limit for all processes to start [s]."""
COMPARE_FROM = 5.0
"""The start of the comparison of the swarms, after the first election [s]."""
INTERVALS = 12


def swarms(options: Namespace) -> dict[str, dict[str, Any]]:
    """Return the parameters of the robots of each swarm, by its namespace."""
    found: dict[str, dict[str, Any]] = {
        ODOMETRY: {'odom_topic': ODOM}, REFERENCE: {'odom_topic': TRUTH},
        AGAIN: {'odom_topic': TRUTH}}
    if options.sightings:
        found[FILTER] = {'odom_topic': ODOM, 'pose_source': 'cooperative',
                         'measurements_topic': '/robot_{id}/measurements'}
    return found


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
            logged_sightings.read_sightings(options.logs, self.ids)
        self.swarms = swarms(options)
        self.trackers = {name: SwarmTracker(ElectionParameters.message_expiry)
                         for name in self.swarms}
        self.agreements = {name: Agreement() for name in self.swarms if name != REFERENCE}
        self._next = COMPARE_FROM
        self.accuracy = {ODOMETRY: Accuracy(), FILTER: Accuracy()}
        self._truth = dict(zip(self.ids, scene.logs))
        self._first = robot_logs.first_time(scene.logs)
        for name in self.swarms:
            def receive(message: String, name: str = name) -> None:
                self.trackers[name].hear(message.data, clock.seconds(self.get_clock()))
            self.create_subscription(String, f'/{name}/neighbourhood', receive, NEIGHBOURHOOD)

    def run(self) -> int:
        """Replay the logs and print the report, and return the exit status."""
        print(vars(self.options).pop('told'), flush=True)
        failure = None
        stop = processes.stop_request(self, [f'/{name}/neighbourhood' for name in self.swarms],
                                      self.options.shared_domain)
        with Processes(self.options.output / LOG) as self.processes:
            try:
                self._replay(stop)
            except ProcessDied as died:
                failure = str(died)
            if stop.made:
                self.processes.stop(processes.AT_ONCE)
                return stopped()
        return self._report(failure)

    def _replay(self, stop: StopRequest) -> None:
        options = self.options
        for name, own in self.swarms.items():
            self.processes.run(name, 'fleet', {
                **self.scene_parameters, **own, 'use_sim_time': True,
                'radius': options.radius, 'communication_range': options.range,
                # With hysteresis partitions depend on the past, and could differ rightly.
                'radius_hysteresis': 0.0}, {'__ns': f'/{name}'})
        print(fitted(
            f'{len(self.ids)} robots, {self.length:.0f} s of logs, {len(self.swarms)} swarms: '
            f'{", ".join(self.swarms)}; radius {options.radius:g} m, range {options.range:g} m'))
        spin([self], lambda: stop.made or self._all_up(), deadline=START_UP)
        if stop.made or not self._all_up():
            return
        # The world publishes the clock and starts when all nodes that use it have subscribed: the
        # robots, the node of each fleet, and this node.
        listeners = len(self.swarms) * (len(self.ids) + 1) + 1
        self.processes.run('world', 'swarm_world', {
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
        print('\nRobots with the same leader as by true poses; rounds in which all have:')
        for name, agreement in self.agreements.items():
            if (share := agreement.share(0.0, math.inf)) is not None:
                print(f'  {share.robots:6.1%}; {share.partitions:6.1%}  {LABELS[name]}')
        print('What the second run by true poses lacks comes from the timing of messages.')
        for line in accuracy_lines({LABELS[name]: each.figures()
                                    for name, each in self.accuracy.items()}, self.options.range):
            print(fitted(line))
        path = Path(self.options.output) / 'agreement.png'
        end = self.agreements[ODOMETRY].end
        checks = [
            *([Check(False, failure)] if failure else []),
            Check(end >= self.length - 3.0,
                  f'{end:.0f} s of {self.length:.0f} s were compared'),
            *(Check(len(tracker.first_heard) == len(self.ids),
                    f'{name}: {len(tracker.first_heard)} of {len(self.ids)} robots were heard')
              for name, tracker in self.trackers.items())]
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
