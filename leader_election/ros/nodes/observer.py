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

"""The observer of a swarm by its messages: the part that monitor and page have in common."""

from collections.abc import Callable
import os
from typing import Any

from leader_election.ros.nodes import clock
from leader_election.ros.nodes.declare import declare_all
from leader_election.ros.nodes.process import MissingInput
from leader_election.ros.nodes.qos import NEIGHBOURHOOD, STATE, subscribe
from leader_election.swarm.history import Statistics
from leader_election.swarm.snapshot import regions, Snapshot
from leader_election.swarm.tracker import ObserverParameters, SwarmTracker
from leader_election.swarm.view import formatting
from leader_election.swarm.view.frame import Frame, Rings, rings_of, silence
from rclpy.node import Node
from std_msgs.msg import String
from visualization_msgs.msg import MarkerArray

REFRESH_PERIOD = 0.25
"""The time between two updates [s]."""


class SwarmObserver(Node):
    """
    Observes a swarm. It subscribes to ``neighbourhood`` and ``world``.

    :ivar steady_clock: the clock of all times here.
    :ivar tracker: the last message of each robot.
    :ivar statistics: changes and rates over time.
    :ivar frame: the swarm at the last update, as it is drawn.
    :ivar rings: outlines of arena and obstacles, once received.
    :ivar note: a line of text that is shown with the swarm from the next update on.
    :ivar upcoming: likewise, where people watch alone: what happens next.
    :ivar title: a line above the swarm in a terminal.
    :ivar keys: the keys that are read in a terminal.
    :ivar remarks: texts beside robots, by id.
    :ivar watchers: called at each update.
    :ivar explain: returns why a robot has a leader, as it says itself, empty if unknown.
    """

    def __init__(self, name: str, parameters: type[ObserverParameters], **options: Any) -> None:
        """
        Declare the parameters and subscribe.

        :param options: for ``rclpy.node.Node``, such as ``parameter_overrides``.
        :raises ParameterError: when the value of a parameter is not allowed.
        """
        super().__init__(name, **options)
        self.parameters = declare_all(self, parameters).values
        self.steady_clock = clock.steady_clock(self)
        self.tracker = SwarmTracker(
            expiry=self.parameters.message_expiry, algorithm=self.parameters.algorithm,
            frame=self.parameters.frame, instance=self.parameters.instance)
        self.statistics = Statistics()
        self.frame = Frame(Snapshot(clock.seconds(self.steady_clock), {}), {})
        self.rings = Rings()
        self.note = self.upcoming = self._news = self.keys = ''
        self.title = 'swarm'
        self.remarks: dict[int, str] = {}
        self.watchers: list[Callable[[], None]] = []
        self.explain: Callable[[int, int], str] = lambda robot, leader: ''
        self._palette = formatting.Palette()
        subscribe(self, String, 'neighbourhood', self._hear, NEIGHBOURHOOD)
        subscribe(self, MarkerArray, 'world', self._see_world, STATE)
        self.create_timer(REFRESH_PERIOD, self.refresh, clock=self.steady_clock)

    @property
    def snapshot(self) -> Snapshot:
        """Return the swarm at the last update."""
        return self.frame.snapshot

    def _hear(self, message: String) -> None:
        self.tracker.hear(message.data, clock.seconds(self.steady_clock))

    def _see_world(self, message: MarkerArray) -> None:
        self.rings = rings_of(message.markers)

    def refresh(self) -> None:
        """Update the snapshot, and show it."""
        snapshot = self.tracker.snapshot(clock.seconds(self.steady_clock))
        self.statistics.observe(snapshot, self.tracker.messages, self.tracker.bytes)
        before = self.frame.snapshot.robots
        because = {robot: self.explain(robot, view.leader)
                   for robot, view in snapshot.robots.items()
                   if robot in before and before[robot].leader != view.leader}
        # A change between leading and following is the greater news.
        known = sorted((robot in (before[robot].leader, snapshot.robots[robot].leader), robot)
                       for robot, text in because.items() if text)
        if known:
            _, robot = known[-1]
            self._news = formatting.change_text(
                robot, snapshot.robots[robot].leader, because[robot])
        colours = self._palette.assign(regions(snapshot))
        warning = silence(snapshot, os.getloadavg()[0], len(os.sched_getaffinity(0)))
        self.frame = Frame(
            snapshot, colours, self.note, self.upcoming, warning, dict(self.remarks),
            because=because, news=self._news)
        self.show()
        for watch in self.watchers:
            watch()

    def show(self) -> None:
        """Show the frame."""

    def missing(self) -> list[MissingInput]:
        """Return the missing inputs: messages of robots, until one arrives."""
        if self.tracker.first_heard:
            return []
        topic, name = self.resolve_topic_name('neighbourhood'), self.get_name()
        if self.tracker.rejected:
            return [MissingInput('messages of this algorithm', topic,
                                 f'give {name} the algorithm, frame and instance of the robots',
                                 f'{self.tracker.rejected} messages were rejected')]
        return [MissingInput(
            'messages of robots', topic, f'start robots (fleet, election_node), and {name} in '
            'their namespace and with their ROS_DOMAIN_ID')]
