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

"""The node ``web``: shows a swarm in a browser. It only looks."""

from collections import deque
from collections.abc import Callable, Sequence
from copy import copy
from threading import Thread
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray
from leader_election.election.messages.codec import Position
from leader_election.election.robot import diagnostics as vocabulary
from leader_election.election.robot.diagnostics import hardware_id, robot_statuses, RobotStatus
from leader_election.parameters import ParameterError
from leader_election.ros.nodes.observer import SwarmObserver
from leader_election.ros.nodes.process import run
from leader_election.ros.nodes.qos import SENSOR, STREAM
from leader_election.ros.nodes.swarm_doctor import observe, status_of
from leader_election.swarm.doctor import command
from leader_election.swarm.tracker import WebParameters
from leader_election.swarm.web.details import examination
from leader_election.swarm.web.live_page import HEARING, LivePage, PageFeed, TRUTH
from leader_election.swarm.web.server import PageServer
from nav_msgs.msg import Odometry
from rclpy.node import Node
from rclpy.serialization import deserialize_message

MOST_MESSAGES = 2000
EXAMINED = '5'
"""The time that each examination listens, an argument of ``swarm_doctor`` [s]."""
MOST_NEW = 20
"""The most robots to whose true positions a page begins to listen at one update."""
SHOWN_AT = 'the swarm is shown at'


class Page:
    """
    The page of what an observer sees, shown at each of its updates.

    :param page: makes the page of a viewer.
    :param port: where it is, as are address and token (:class:`PageServer`). ``None``: the usual
        one, or any free one if it is in use.
    :raises ParameterError: if the port cannot be used.
    """

    def __init__(self, observer: SwarmObserver, page: Callable[..., LivePage] = LivePage,
                 port: int | None = None, address: str = 'localhost', token: str = '') -> None:
        self._observer, self._page = observer, page
        self.feed = PageFeed(
            observer.parameters.communication_range, observer.parameters.trail)
        self._diagnostics: deque[bytes] = deque(maxlen=MOST_MESSAGES)
        try:
            self.server = PageServer(
                self.make, WebParameters.port if port is None else port, address, token)
        except ParameterError:
            if port is not None:
                raise
            self.server = PageServer(self.make, 0, address, token)
        self._doctor = Thread(target=self._examine)
        self._ears: Node | None = None
        self._heard: dict[int, Any] = {}
        self._truth: dict[int, Position] = {}
        # Unread: of 300 robots only that is decoded which a viewer asks for.
        observer.explain = self.because
        observer.watchers.append(self.show)
        observer.create_subscription(
            DiagnosticArray, '/diagnostics', self._keep, STREAM, raw=True)

    def make(self, document: Any) -> LivePage:
        """Fill the document of a viewer."""
        return self._page(document, self.feed, self.statuses)

    def _keep(self, message: Any) -> None:
        self._diagnostics.append(message)

    def show(self) -> None:
        """Show the observer's frame."""
        observer = self._observer
        if self.feed.wants(HEARING) and not self._doctor.is_alive():
            self._doctor = Thread(target=self._examine)
            self._doctor.start()
        truth = self._true_positions() if self.feed.wants(TRUTH) else {}
        self.feed.observe(
            observer.frame._replace(truth=truth), observer.rings, observer.statistics)

    def _examine(self) -> None:
        """Examine the swarm again and again, as ``swarm_doctor`` does, while a viewer wants it."""
        options = command.parse(['--seconds', EXAMINED, '--topic',
                                 self._observer.resolve_topic_name('neighbourhood')])
        for swarm in observe(options, lambda: not self.feed.wants(HEARING)):
            self.feed.examination = examination(swarm, options.radio_topics)
        self.feed.examination = None

    def _true_positions(self) -> dict[int, Position]:
        """
        Return the true positions, by id [m], as far as ``ground_truth`` tells them.

        No executor knows the subscriptions: of all messages only the newest is taken, once here.
        """
        if self._ears is None:
            self._ears = Node('web_truth', enable_rosout=False, start_parameter_services=False,
                              use_global_arguments=False)
        names = self._observer.tracker.namespaces(
            self._observer.resolve_topic_name('neighbourhood'))
        for robot in [i for i in names if i not in self._heard][:MOST_NEW]:
            self._heard[robot] = self._ears.create_subscription(
                Odometry, f'{names[robot]}/ground_truth', lambda _: None, copy(SENSOR))
        for robot, heard in self._heard.items():
            with heard.handle:
                taken = heard.handle.take_message(Odometry, False)
            if taken is not None:
                place = taken[0].pose.pose.position
                self._truth[robot] = place.x, place.y
        return dict(self._truth)

    def close(self) -> None:
        """End the server, and listen no more."""
        self.server.stop()
        self.feed.pages.clear()
        if self._doctor.is_alive():
            self._doctor.join()
        if self._ears is not None:
            self._ears.destroy_node()

    def statuses(self, robot: int) -> Sequence[RobotStatus]:
        """Return the last statuses of a robot, empty if none came."""
        name = hardware_id(robot).encode() + b'\0'
        found: dict[str, RobotStatus] = {}
        for message in reversed(list(self._diagnostics)):
            if name not in message:
                continue
            known = len(found)
            for status in robot_statuses(
                    map(status_of, deserialize_message(message, DiagnosticArray).status)):
                if status.id == robot:
                    found.setdefault(status.concern, status)
            # At a change of the leader, the election alone is published.
            if len(found) > max(known, 1):
                break
        return tuple(found.values())

    def because(self, robot: int, leader: int) -> str:
        """Return why a robot has a leader, as it says itself, empty if it has not said so yet."""
        for status in self.statuses(robot):
            if status.values.get(vocabulary.LEADER) == str(leader):
                return status.values.get(vocabulary.BECAUSE, '')
        return ''


class Web(SwarmObserver):
    """Observes a swarm, and serves its page."""

    parameters: WebParameters

    def __init__(self, **options: Any) -> None:
        """
        Declare the parameters, subscribe, and serve the page.

        :param options: for ``rclpy.node.Node``, such as ``parameter_overrides``.
        :raises ParameterError: when the value of a parameter is not allowed, or the port in use.
        """
        super().__init__('web', WebParameters, **options)
        own = self.parameters
        self.page = Page(self, port=own.port, address=own.address, token=own.token)
        print(f'{SHOWN_AT} {self.page.server.url}', flush=True)

    def close(self) -> None:
        """End the server."""
        self.page.close()


def main() -> int:
    """Serve the page until it is stopped, and return the exit status."""
    return run(lambda: [Web()])
