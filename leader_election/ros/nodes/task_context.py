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

"""The access of a task to its robot's node, with guarded callbacks."""

from collections.abc import Callable
from copy import copy
import math
from typing import Any

from leader_election.election.robot.codec import MAIN
from leader_election.election.robot.task_runner import ANYTHING
from leader_election.parameters import ParameterError
from leader_election.ros.nodes import clock
from leader_election.ros.nodes.qos import OUTPUT, overridable, SENSOR
from leader_election.ros.nodes.waiting import Missing
from rclpy.clock import Clock
from rclpy.node import Node
from rclpy.publisher import Publisher
from rclpy.timer import Timer
from sensor_msgs.msg import LaserScan

_LATE = 3.0
"""The time without a scan after which scans are missing [s]."""
_REMEDY = ('a task that drives stands still without them; start the scanner, or remap scan to its '
           'topic; Gazebo Sim publishes them only where it can render')


class TaskContext:
    """
    Creates a task's subscriptions, publishers and timers.

    :ivar node: the node itself, for anything else.
    :ivar fail: the handler of errors that the task's callbacks raise.
    """

    def __init__(self, node: Node, steady_clock: Clock, instance: str, task: str,
                 claims: dict[str, str], active: Callable[[], bool],
                 space: str = '') -> None:
        """
        Create the context of one task.

        :param steady_clock: the clock of timers and of :meth:`seconds`.
        :param task: the prefix of the task's parameters.
        :param claims: the task that owns each command topic; shared by the robot's contexts.
        :param active: returns whether callbacks are called now.
        :param space: the start of the names of latched topics, empty or ending in a slash.
        """
        self.node = node
        self.fail: Callable[[BaseException], None] = _raise
        self._steady_clock = steady_clock
        self._task = task
        self._claims = claims
        self._active = active
        self._prefix = space + ('' if instance == MAIN else f'{instance}/')
        self._scans: dict[str, float] = {}
        """By topic of a laser scanner: the time of the last scan [s]."""

    def listen(self, topic: str, kind: Any, callback: Callable[[Any], None]) -> None:
        """Subscribe to a sensor's topic; only the newest message is kept."""
        def receive(message: Any) -> None:
            if kind is LaserScan:
                self._scans[topic] = self.seconds()
            self._guard(callback, message)

        if kind is LaserScan:
            self._scans[topic] = -math.inf
        self.node.create_subscription(
            kind, topic, receive, copy(SENSOR), qos_overriding_options=overridable())

    def missing(self) -> list[Missing]:
        """Return the laser scans that the task needs and that are missing."""
        return [Missing('scans', self.node.resolve_topic_name(topic), _REMEDY)
                for topic, last in self._scans.items()
                if self._active() and self.seconds() - last > _LATE]

    def publisher(self, topic: str, kind: Any, latched: bool = False) -> Publisher:
        """
        Return a publisher.

        A topic that is not latched is a command, which only one task may publish: two tasks that
        drive would contradict each other.

        :param latched: whether late subscribers receive the last message; such topics have the
            name of the instance as a prefix, except for the first instance.
        :raises ParameterError: where another task has that topic already.
        """
        if latched:
            return self.node.create_publisher(
                kind, self._prefix + topic, copy(OUTPUT), qos_overriding_options=overridable())
        owner = self._claims.setdefault(self.node.resolve_topic_name(topic), self._task)
        if owner != self._task:
            raise ParameterError('tasks', problem=f': {self._task} and {owner} cannot go '
                                 f'together; both publish {topic}')
        return self.node.create_publisher(kind, topic, 10)

    def every(self, period: float, callback: Callable[[], None]) -> Timer:
        """Return a timer with a period [s] on the robot's clock."""
        return self.node.create_timer(
            period, lambda: self._guard(callback), clock=self._steady_clock
        )

    def seconds(self) -> float:
        """Return the time on the robot's clock [s]."""
        return clock.seconds(self._steady_clock)

    def _guard(self, callback: Callable[..., None], *arguments: Any) -> None:
        if not self._active():
            return
        try:
            callback(*arguments)
        except ANYTHING as error:
            self.fail(error)


def _raise(error: BaseException) -> None:
    raise error
