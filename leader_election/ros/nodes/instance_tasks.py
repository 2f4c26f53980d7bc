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

"""A robot's further instances and its tasks, with their parameters declared on the node."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
import math
import re
from typing import Any, TypeVar

from leader_election.election.algorithms import ALGORITHMS
from leader_election.election.messages.codec import MAIN
from leader_election.election.regions.task import Member, task_class
from leader_election.election.robot.metrics import METRICS
from leader_election.election.robot.parameters import (
    ElectionParameters,
    has_own,
    InstanceParameters,
    names_in,
    prefix_of,
)
from leader_election.election.robot.strength import STRENGTH_SOURCES
from leader_election.election.robot.task_runner import ANYTHING, creating, task_label, TaskRunner
from leader_election.parameters import ParameterError
from leader_election.ros.nodes import clock
from leader_election.ros.nodes.declare import Declarations, Declared
from leader_election.ros.nodes.qos import advertise, OUTPUT, SENSOR, subscribe
from leader_election.ros.nodes.waiting import Missing
from rclpy.clock import Clock
from rclpy.node import Node
from rclpy.timer import Timer
from sensor_msgs.msg import LaserScan

_LATE = 3.0
"""The time without a scan after which scans are missing [s]."""
_REMEDY = ('a task that drives stands still without them; start the scanner, or remap scan to its '
           'topic; Gazebo Sim publishes them only where it can render')


class TaskContext:
    """
    The access of a task to its robot's node: creates subscriptions, publishers and timers.

    :ivar node: the node itself, for anything else.
    :ivar fail: the handler of errors that the task's callbacks raise.
    """

    def __init__(self, robot: 'TaskFactory', instance: str, task: str) -> None:
        """
        Create the context of one task.

        :param robot: makes the tasks of the robot.
        :param task: the prefix of the task's parameters.
        """
        self.node = robot.node
        self.fail: Callable[[BaseException], None] = _raise
        self._robot, self._task = robot, task
        self._prefix = robot.space + ('' if instance == MAIN else f'{instance}/')
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
        subscribe(self.node, kind, topic, receive, SENSOR)

    def missing(self) -> list[Missing]:
        """Return the laser scans that the task needs and that are missing."""
        return [Missing('scans', self.node.resolve_topic_name(topic), _REMEDY)
                for topic, last in self._scans.items()
                if self._robot.active() and self.seconds() - last > _LATE]

    def publisher(self, topic: str, kind: Any, latched: bool = False) -> Any:
        """
        Return a publisher.

        A topic that is not latched is a command, which only one task may publish: two tasks that
        drive would contradict each other.

        :param latched: whether late subscribers receive the last message; such topics have the
            name of the instance as a prefix, except for the first instance.
        :raises ParameterError: where another task has that topic already.
        """
        if latched:
            return advertise(self.node, kind, self._prefix + topic, OUTPUT)
        owner = self._robot.claims.setdefault(self.node.resolve_topic_name(topic), self._task)
        if owner != self._task:
            raise ParameterError('tasks', problem=f': {self._task} and {owner} cannot go '
                                 f'together; both publish {topic}')
        return self.node.create_publisher(kind, topic, 10)

    def every(self, period: float, callback: Callable[[], None]) -> Timer:
        """Return a timer with a period [s] on the robot's clock."""
        return self.node.create_timer(
            period, lambda: self._guard(callback), clock=self._robot.steady_clock)

    def seconds(self) -> float:
        """Return the time on the robot's clock [s]."""
        return clock.seconds(self._robot.steady_clock)

    def _guard(self, callback: Callable[..., None], *arguments: Any) -> None:
        if not self._robot.active():
            return
        try:
            callback(*arguments)
        except ANYTHING as error:
            self.fail(error)


def _raise(error: BaseException) -> None:
    raise error


P = TypeVar('P', bound=InstanceParameters)
NAME = r'[a-z][a-z0-9_]*'
"""The allowed names of instances, which become part of topic and parameter names."""


def declare(
    declarations: Declarations, parameters: ElectionParameters,
    changed: Callable[[str, InstanceParameters], None],
) -> dict[str, Declared[InstanceParameters]]:
    """
    Declare the parameters of all further instances, each under ``<instance>.``.

    :param changed: called with an instance's name and its new values after a change at run time.
    :raises ParameterError: for an invalid or a duplicate name.
    """
    found: dict[str, Declared[InstanceParameters]] = {}
    for name in names_in(parameters.instances):
        if not re.fullmatch(NAME, name) or name == MAIN or name in found:
            raise ParameterError('instances', name, 'different names of small letters, digits and '
                                 f'_, none of them {MAIN}')
        found[name] = declarations.declare(
            InstanceParameters, partial(changed, name), f'{name}.')
    return found


def with_own_parameters(declarations: Declarations, values: P, changed: Callable[[], None],
                        prefix: str = '') -> P:
    """
    Return the parameters of a robot or an instance, with those of its plug-ins.

    The parameters of the chosen algorithm, strength source and metric are declared under their
    names, for example ``greedy.margin``.

    :param changed: called after one of them has changed at run time.
    :param prefix: the prefix of the instance's parameters.
    :raises ParameterError: for a value of the wrong type or out of range.
    """
    entries: list[Any] = [ALGORITHMS.get(values.algorithm),
                          STRENGTH_SOURCES.get(values.strength_source)]
    if isinstance(values, ElectionParameters):
        entries.append(METRICS.get(values.metric))
    entries = [entry for entry in entries if has_own(entry)]
    names = [entry.name for entry in entries]
    for name in names:
        if names.count(name) > 1:
            raise ParameterError('algorithm', problem=f': {name!r} is not allowed beside a '
                                 'metric or a strength source of the same name, since both have '
                                 'parameters of their own; rename one')
    own = {entry.name: declarations.declare(
        entry.parameters, lambda _: changed(), prefix + prefix_of(entry)).values
        for entry in entries}
    return replace(values, own=own) if own else values


class TaskFactory:
    """
    Creates the tasks of a robot, and refuses two that publish the same commands.

    :ivar claims: the task that owns each command topic.
    :ivar contexts: of the tasks created.
    """

    def __init__(self, node: Node, declarations: Declarations, steady_clock: Clock, robot_id: int,
                 pose: Callable[[], tuple[float, float, float] | None],
                 active: Callable[[], bool], space: str = '') -> None:
        """
        Create the factory of one robot.

        :param steady_clock: the clock of the tasks' timers.
        :param pose: returns x, y, yaw of the robot now [m, rad]; ``None``: unknown.
        :param active: returns whether callbacks of tasks are called now.
        :param space: the start of the names of latched topics, empty or ending in a slash.
        """
        self.node, self.steady_clock, self.active, self.space = node, steady_clock, active, space
        self._declarations, self._robot_id, self._pose = declarations, robot_id, pose
        self.claims: dict[str, str] = {}
        self.contexts: list[TaskContext] = []

    def __call__(self, instance: str, task: str) -> TaskRunner:
        """
        Create a task of an instance.

        Its parameters are declared under ``<instance>.<task>.``, for the first instance under
        ``<task>.``.

        :raises ParameterError: for an unknown task, or one that cannot be created.
        """
        prefix = '' if instance == MAIN else f'{instance}.'
        try:
            kind = task_class(task)
        except KeyError as error:
            raise ParameterError(f'{prefix}tasks', problem=f': {error.args[0]}') from None
        name = task_label(task)
        context = TaskContext(self, instance, prefix + name)
        with creating(prefix, task):
            settings = self._declarations.declare(
                kind.parameters, prefix=f'{prefix}{name}.').values
            made = TaskRunner(name, kind(Member(self._robot_id, context, self._pose), settings))
        context.fail = made.fail
        self.contexts.append(context)
        return made
