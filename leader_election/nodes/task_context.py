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

"""What a task may do with its robot's node; its callbacks are kept from doing harm."""

from collections.abc import Callable
from copy import copy
from typing import Any

from leader_election.nodes import clock
from leader_election.nodes.qos import overridable, SENSOR, STATE
from leader_election.parameters import ParameterError
from leader_election.robot.codec import MAIN
from leader_election.robot.task_runner import ANYTHING
from rclpy.clock import Clock
from rclpy.node import Node
from rclpy.publisher import Publisher
from rclpy.timer import Timer


class TaskContext:
    """
    Lets a task subscribe, publish and be called on time.

    :ivar node: the node itself, for whatever else is needed.
    :ivar fail: what is done with an error that a callback of the task raises.
    """

    def __init__(self, node: Node, steady_clock: Clock, instance: str, task: str,
                 claims: dict[str, str], active: Callable[[], bool]) -> None:
        """
        Begin.

        :param task: what it is for, as its parameters begin.
        :param claims: which task has which topic to itself; all hosts of a robot share it.
        :param active: says whether the task is called back now.
        """
        self.node = node
        self.fail: Callable[[BaseException], None] = _raise
        self._steady_clock = steady_clock
        self._task = task
        self._claims = claims
        self._active = active
        self._prefix = '' if instance == MAIN else f'{instance}/'

    def listen(self, topic: str, kind: Any, callback: Callable[[Any], None]) -> None:
        """Subscribe to a sensor's topic: only the newest message counts."""
        self.node.create_subscription(
            kind, topic, lambda message: self._guard(callback, message), copy(SENSOR),
            qos_overriding_options=overridable())

    def publisher(self, topic: str, kind: Any, latched: bool = False) -> Publisher:
        """
        Return a publisher.

        A topic that is not latched is a command, and one task gives it: of two that drive, one
        would go against the other.

        :param latched: whether who comes late gets the last message; such topics have the name of
            the instance before them, but for the first instance.
        :raises ParameterError: where another task has that topic already.
        """
        if latched:
            return self.node.create_publisher(
                kind, self._prefix + topic, copy(STATE), qos_overriding_options=overridable())
        owner = self._claims.setdefault(self.node.resolve_topic_name(topic), self._task)
        if owner != self._task:
            raise ParameterError(f'parameter tasks: {self._task} and {owner} cannot go together; '
                                 f'both publish {topic}')
        return self.node.create_publisher(kind, topic, 10)

    def every(self, period: float, callback: Callable[[], None]) -> Timer:
        """Return a timer that calls back every so often [s], on the clock that the robot has."""
        return self.node.create_timer(
            period, lambda: self._guard(callback), clock=self._steady_clock
        )

    def seconds(self) -> float:
        """Return the time on that clock [s]."""
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
