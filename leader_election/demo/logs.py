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
The demonstration on real robots' logs: the partition by odometry against that by true poses.

The same robots run three times side by side on one replay: with the logged odometry, with the true
poses, and with the true poses once more. The third swarm shows the difference that asynchrony
alone causes.
"""

from argparse import Namespace
from pathlib import Path

from leader_election.demo.checks import Check, print_report
from leader_election.demo.processes import ProcessDied, Processes
from leader_election.nodes import clock
from leader_election.nodes.declare import overrides
from leader_election.nodes.process import spin, StopRequest
from leader_election.nodes.qos import NEIGHBOURHOOD
from leader_election.robot.parameters import ElectionParameters
from leader_election.swarm.partition import Agreement
from leader_election.swarm.tracker import SwarmTracker
from leader_election.view.charts import draw_agreement
from leader_election.world.parameters import SceneParameters
from leader_election.world.scene import make_scene
from rclpy.node import Node
from std_msgs.msg import String

SWARMS = {'by_odometry': '/robot_{id}/odom', 'by_truth': '/robot_{id}/ground_truth',
          'by_truth_again': '/robot_{id}/ground_truth'}
"""The topic of each swarm's poses, by its namespace."""
START_UP = 60.0
"""The time limit for all processes to start [s]."""
COMPARE_FROM = 5.0
"""The time from which the swarms are compared; before, the first election is under way [s]."""
INTERVALS = 12
"""The number of intervals in the table of results."""
TRUSTED = 0.95
"""The least agreement of the two swarms by true poses for which the timing counts as good."""


class LogsDemo(Node):
    """Replays logs, and compares the three swarms once a second of the logs' time."""

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
        expiry = ElectionParameters.message_expiry
        self.trackers = {name: SwarmTracker(expiry) for name in SWARMS}
        self.odometry, self.control = Agreement(), Agreement()
        self._next = COMPARE_FROM
        for name, tracker in self.trackers.items():
            def receive(message: String, tracker: SwarmTracker = tracker) -> None:
                tracker.hear(message.data, clock.seconds(self.get_clock()))
            self.create_subscription(String, f'/{name}/neighbourhood', receive, NEIGHBOURHOOD)

    def run(self) -> int:
        """Replay the logs and print the report; return the exit status."""
        stop = StopRequest()
        stop.listen()
        failure = None
        with Processes(self.options.output / 'log') as self.processes:
            try:
                self._replay(stop)
            except ProcessDied as died:
                failure = str(died)
        if stop.made:
            return 0
        return self._report(failure)

    def _replay(self, stop: StopRequest) -> None:
        options = self.options
        for name, topic in SWARMS.items():
            self.processes.start(name, 'fleet', {
                **self.scene_parameters, 'odom_topic': topic, 'use_sim_time': True,
                'radius': options.radius, 'communication_range': options.range,
                # With hysteresis partitions depend on what was before, and could differ rightly.
                'schedule': options.schedule, 'radius_hysteresis': 0.0}, {'__ns': f'/{name}'})
        print(f'{len(self.ids)} robots, {self.length:.0f} s of logs, three swarms: '
              f'{", ".join(SWARMS)}; radius {options.radius:g} m, range {options.range:g} m')
        spin([self], lambda: stop.made or self._all_up(), deadline=START_UP)
        if stop.made or not self._all_up():
            return
        # The world publishes the clock and starts when all nodes that use it have subscribed: the
        # robots, the node of each fleet, and this node.
        listeners = len(SWARMS) * (len(self.ids) + 1) + 1
        self.processes.start('world', 'swarm_world', {
            **self.scene_parameters, 'publish_clock': True, 'clock_listeners': listeners,
            'real_time_factor': options.real_time_factor})
        spin([self], lambda: stop.made or self._compare(),
             deadline=START_UP + 3.0 * self.length / options.real_time_factor)

    def _all_up(self) -> bool:
        self.processes.check()
        return all(self.count_publishers(f'/{name}/neighbourhood') == len(self.ids)
                   for name in SWARMS)

    def _compare(self) -> bool:
        """Compare the swarms if a second has passed; return whether the logs have ended."""
        self.processes.check()
        now = clock.seconds(self.get_clock())
        if self._next <= now < self.length:
            self._next = now + 1.0
            truth = self.trackers['by_truth'].snapshot(now)
            self.odometry.compare(now, self.trackers['by_odometry'].snapshot(now), truth)
            self.control.compare(now, self.trackers['by_truth_again'].snapshot(now), truth)
            if not int(now) % 20:
                print(f'  {now:5.0f} s of {self.length:.0f} s', flush=True)
        return now >= self.length

    def _report(self, failure: str | None) -> int:
        interval = self.length / INTERVALS
        by_odometry = self.odometry.over_time(interval)
        again = self.control.over_time(interval)
        print('\nShare of the rounds in which a robot has the same leader as by true poses:')
        print('        time        by odometry   whole partition   by true poses again')
        for one, control in zip(by_odometry, again):
            print(f'{one.begin:6.0f} to {one.end:4.0f} s {one.robots:12.1%} {one.partitions:15.1%}'
                  f' {control.robots:18.1%}')
        whole = self.odometry.share(0.0, float('inf'))
        control_whole = self.control.share(0.0, float('inf'))
        if whole and control_whole:
            print(f'         overall {whole.robots:12.1%} {whole.partitions:15.1%}'
                  f' {control_whole.robots:18.1%}')
            if control_whole.robots < TRUSTED:
                print('warning: this machine was too busy: by true poses the swarm should agree '
                      'with itself; choose a smaller --real-time-factor')
        path = Path(self.options.output) / 'agreement.png'
        draw_agreement(path, {
            'by odometry': ([s.begin + interval / 2 for s in by_odometry],
                            [s.robots for s in by_odometry]),
            'by true poses, a second time': ([s.begin + interval / 2 for s in again],
                                             [s.robots for s in again]),
        }, 'Rounds with the same leader as by true poses')
        checks = [] if failure is None else [Check(False, failure)]
        checks += [
            Check(self.odometry.end >= self.length - 3.0,
                  f'{self.odometry.end:.0f} s of {self.length:.0f} s were compared'),
            *(Check(len(tracker.first_heard) == len(self.ids),
                    f'{name}: {len(tracker.first_heard)} of {len(self.ids)} robots were heard')
              for name, tracker in self.trackers.items()),
        ]
        return print_report(checks, [str(path)])
