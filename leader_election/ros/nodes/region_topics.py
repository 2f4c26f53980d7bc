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

"""The topics of regions: decisions and summaries, and what tasks use of the node."""

from collections.abc import Callable, Mapping
from functools import partial
import math
from typing import Any

from leader_election.election.messages.codec import MAIN
from leader_election.election.regions.task import Member, task_class
from leader_election.election.robot.instance import Instance
from leader_election.election.robot.membership import Membership
from leader_election.election.robot.robot import Robot
from leader_election.election.robot.task_runner import ANYTHING, creating, task_label, TaskRunner
from leader_election.parameters import ParameterError
from leader_election.ros.nodes import clock
from leader_election.ros.nodes.navigators import ActionNavigator, navigator_of, TopicNavigator
from leader_election.ros.nodes.process import MissingInput
from leader_election.ros.nodes.qos import advertise, ORDERS, OUTPUT, PROMISES, SENSOR, subscribe
from leader_election.ros.nodes.robot_topics import PartTopics, RobotNode
from rclpy.timer import Timer
from sensor_msgs.msg import LaserScan
from std_msgs.msg import Float64MultiArray, MultiArrayDimension, String

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
        self.node = robot.host.node
        self.fail: Callable[[BaseException], None] = _raise
        self._robot, self._task = robot, task
        self._prefix = robot.host.parameters.outputs_of(instance)
        self._scans: dict[str, float] = {}
        """By topic of a laser scanner: the time of the last scan [s]."""
        self._navigator: TopicNavigator | ActionNavigator | None = None

    def listen(self, topic: str, kind: Any, callback: Callable[[Any], None],
               every: bool = False) -> None:
        """
        Subscribe to a sensor's topic, of which only the newest message is kept.

        :param every: whether all messages count, as with orders. They are asked for reliably.
        """
        def receive(message: Any) -> None:
            if kind is LaserScan:
                self._scans[topic] = self.seconds()
            self._guard(callback, message)

        if kind is LaserScan:
            self._scans[topic] = -math.inf
        subscribe(self.node, kind, topic, receive, ORDERS if every else SENSOR)

    def missing(self) -> list[MissingInput]:
        """Return the laser scans and the navigation that the task needs and that are missing."""
        if self._navigator is not None and self._robot.host.runs() and (
                not self._navigator.is_ready()):
            return [self._navigator.missing()]
        return [MissingInput('scans', self.node.resolve_topic_name(topic), _REMEDY)
                for topic, last in self._scans.items()
                if self._robot.host.runs() and self.seconds() - last > _LATE]

    def publisher(self, topic: str, kind: Any, latched: bool = False) -> Any:
        """
        Return a publisher.

        A topic that is not latched is a command, which only one task may publish: two tasks that
        drive would contradict each other.

        :param latched: whether late subscribers receive the last message. Such topics have the
            name of the instance as a prefix, except for the first instance.
        :raises ParameterError: if another task has that topic already.
        """
        if latched:
            return advertise(self.node, kind, self._prefix + topic, OUTPUT)
        self._claim(topic)
        return self.node.create_publisher(kind, topic, 10)

    def navigator(self) -> TopicNavigator | ActionNavigator:
        """Return the edge to Nav2. Nav2 publishes ``cmd_vel`` then, so no other task may drive."""
        self._claim('cmd_vel')
        self._navigator = navigator_of(
            self.node, str(self.node.get_parameter('frame').value), self._guard)
        return self._navigator

    def every(self, period: float, callback: Callable[[], None]) -> Timer:
        """Return a timer with a period [s] on the robot's clock."""
        return self.node.create_timer(
            period, lambda: self._guard(callback), clock=self._robot.host.steady_clock)

    def seconds(self) -> float:
        """Return the time on the robot's clock [s]."""
        return clock.seconds(self._robot.host.steady_clock)

    def _claim(self, topic: str) -> None:
        owner = self._robot.claims.setdefault(self.node.resolve_topic_name(topic), self._task)
        if owner != self._task:
            raise ParameterError('tasks', problem=f': {self._task} and {owner} cannot go '
                                 f'together; both publish {topic}')

    def _guard(self, callback: Callable[..., None], *arguments: Any) -> None:
        if not self._robot.host.runs():
            return
        try:
            callback(*arguments)
        except ANYTHING as error:
            self.fail(error)


def _raise(error: BaseException) -> None:
    raise error


class TaskFactory:
    """
    Makes the tasks of a robot, and refuses two that publish the same commands.

    :ivar claims: the task that owns each command topic.
    :ivar contexts: of the tasks created.
    :ivar runners: the tasks created.
    """

    def __init__(self, host: RobotNode) -> None:
        self.host = host
        self.claims: dict[str, str] = {}
        self.contexts: list[TaskContext] = []
        self.runners: list[TaskRunner] = []

    def make(self, instance: str, task: str) -> TaskRunner:
        """
        Make a task of an instance.

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
            settings = self.host.declarations.declare(
                kind.parameters, prefix=f'{prefix}{name}.').values
            made = TaskRunner(name, kind(
                Member(self.host.parameters.robot_id, context, self.host.pose), settings))
        context.fail = made.fail
        self.contexts.append(context)
        self.runners.append(made)
        return made


class RegionTopics(PartTopics):
    """
    ``decision`` and, on a leader, ``region_summary`` of each instance, and the tasks' topics.

    The topics are latched and published on change.
    """

    def __init__(self, host: RobotNode) -> None:
        self._host = host
        self._tasks = TaskFactory(host)
        self._outputs: list[_RegionPublisher] = []

    @property
    def uses_heading(self) -> bool:  # type: ignore[override]
        """Return whether there are tasks."""
        return bool(self._tasks.contexts)

    def tool(self, instance: str) -> Callable[[str], TaskRunner]:
        """Return the function that makes the tasks of an instance."""
        return partial(self._tasks.make, instance)

    def close_tools(self) -> None:
        """Stop the tasks made so far."""
        for runner in self._tasks.runners:
            runner.close()

    def attach(self, robot: Robot) -> None:
        """Create the publishers."""
        self._outputs = [_RegionPublisher(self._host, instance)
                         for instance in robot.instances.values()
                         if Membership.name in instance.parts]

    def publish(self) -> None:
        """Publish what has changed; log the first error of each task, once."""
        for output in self._outputs:
            output.publish()
            for runner in output.membership.task_runners:
                if runner.first_error and not runner.logged:
                    runner.logged = True
                    self._host.node.get_logger().error(
                        f'task {runner.name}: {runner.first_error}')

    def withdraw(self) -> None:
        """Publish that there is neither a decision nor a summary."""
        for output in self._outputs:
            output.withdraw()

    def missing(self) -> list[MissingInput]:
        """Return the laser scans that tasks need and that are missing."""
        return [each for context in self._tasks.contexts for each in context.missing()]


class _RegionPublisher:
    """Publishes the decision and the summary of one instance."""

    def __init__(self, host: RobotNode, instance: Instance) -> None:
        self._instance = instance
        self.membership: Membership = instance.parts[Membership.name]  # type: ignore[assignment]
        prefix = host.parameters.outputs_of(instance.name)
        self._decision = advertise(host.node, String, f'{prefix}decision', OUTPUT, PROMISES[:1])
        self._summary = advertise(
            host.node, Float64MultiArray, f'{prefix}region_summary', OUTPUT, PROMISES[:1])
        self._last: tuple[str | None, dict[str, float] | None] = None, None

    def publish(self) -> None:
        self._send(self.membership.region.decision,
                   named(self.membership.summary) if self._instance.leads else {})

    def withdraw(self) -> None:
        if self._last[0] is not None:
            self._send('', {})

    def _send(self, decision: str, numbers: dict[str, float]) -> None:
        last, self._last = self._last, (decision, numbers)
        if decision != last[0]:
            self._decision.publish(String(data=decision))
        if numbers != last[1]:
            message = Float64MultiArray(data=list(numbers.values()))
            message.layout.dim = [
                MultiArrayDimension(label=label, size=1, stride=1) for label in numbers]
            self._summary.publish(message)


def named(summary: Mapping[str, Any]) -> dict[str, float]:
    """
    Return a summary as named numbers. Unknown and non-numeric values are NaN.

    >>> named({'members': 3.0, 'count.centre': [1.0, 2.0], 'field.mean': None})
    {'members': 3.0, 'count.centre.0': 1.0, 'count.centre.1': 2.0, 'field.mean': nan}
    """
    numbers: dict[str, float] = {}
    for name, value in summary.items():
        if isinstance(value, (list, tuple)):
            value = dict(enumerate(value))
        if isinstance(value, Mapping):
            numbers |= named({f'{name}.{part}': of_it for part, of_it in value.items()})
        else:
            numbers[name] = _number(value)
    return numbers


def _number(value: Any) -> float:
    """Return a value as a float, NaN if it is not a number or too large."""
    try:
        number = float(value) if isinstance(value, (bool, int, float)) else math.nan
    except OverflowError:
        return math.nan
    # math.nan itself: dictionaries compare by identity first, so equal summaries are equal.
    return math.nan if math.isnan(number) else number
