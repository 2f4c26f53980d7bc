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
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray
from leader_election.election.robot import diagnostics as vocabulary
from leader_election.election.robot.diagnostics import RobotStatus
from leader_election.parameters import ParameterError
from leader_election.ros.nodes.monitor import SwarmObserver
from leader_election.ros.nodes.process import run
from leader_election.ros.nodes.qos import STREAM
from leader_election.swarm.tracker import WebParameters
from leader_election.swarm.web.pages import LivePage, PageFeed
from leader_election.swarm.web.server import PageServer
from rclpy.serialization import deserialize_message

MOST_MESSAGES = 2000
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
        self.feed = PageFeed(observer.parameters.communication_range)
        self._diagnostics: deque[bytes] = deque(maxlen=MOST_MESSAGES)
        try:
            self.server = PageServer(
                self.make, WebParameters.port if port is None else port, address, token)
        except ParameterError:
            if port is not None:
                raise
            self.server = PageServer(self.make, 0, address, token)
        # Unread: of 300 robots only that is decoded which a viewer asks for.
        observer.explain = self.because
        observer.watchers.append(self.show)
        observer.create_subscription(DiagnosticArray, '/diagnostics', self._keep, STREAM, raw=True)

    def make(self, document: Any) -> LivePage:
        """Fill the document of a viewer."""
        return self._page(document, self.feed, self.statuses)

    def _keep(self, message: Any) -> None:
        self._diagnostics.append(message)

    def show(self) -> None:
        """Show the observer's frame."""
        observer = self._observer
        self.feed.observe(observer.frame, observer.rings, observer.statistics)

    def statuses(self, robot: int) -> Sequence[RobotStatus]:
        """Return the last statuses of a robot, empty if none came."""
        name = vocabulary.hardware_id(robot).encode() + b'\0'
        found: dict[str, RobotStatus] = {}
        for message in reversed(list(self._diagnostics)):
            if name not in message:
                continue
            known = len(found)
            statuses = deserialize_message(message, DiagnosticArray).status
            for status in vocabulary.robot_statuses(map(vocabulary.status_of, statuses)):
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
        self.page.server.stop()


def main() -> int:
    """Serve the page until it is stopped, and return the exit status."""
    return run(lambda: [Web()])
