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

"""The topics of regions: decisions and summaries, and what tasks use of the node, such as Nav2."""

from collections.abc import Callable, Mapping
from functools import partial
import math
import time
from typing import Any, TYPE_CHECKING
import uuid
from weakref import WeakKeyDictionary

from action_msgs.msg import GoalStatus
from action_msgs.srv import CancelGoal
from geometry_msgs.msg import PoseStamped
from leader_election.election.messages.codec import MAIN
from leader_election.election.regions.task import Member, task_class
from leader_election.election.robot.instance import Instance
from leader_election.election.robot.membership import Membership
from leader_election.election.robot.robot import Robot
from leader_election.election.robot.task_runner import ANYTHING, creating, task_label, TaskRunner
from leader_election.election.tasks.driving import Report
from leader_election.election.tasks.steering import Pose
from leader_election.parameters import ParameterError
from leader_election.ros.nodes import clock
from leader_election.ros.nodes.process import ACKNOWLEDGEMENT, MissingInput
from leader_election.ros.nodes.qos import advertise, ORDERS, OUTPUT, PROMISES, SENSOR, subscribe
from leader_election.ros.nodes.robot_topics import PartTopics
from rclpy.action import ActionClient
from rclpy.node import Node
from rclpy.task import Future
from rclpy.timer import Timer
from sensor_msgs.msg import LaserScan
from std_msgs.msg import Float64MultiArray, MultiArrayDimension, String
from unique_identifier_msgs.msg import UUID

if TYPE_CHECKING:
    from leader_election.ros.nodes.election import Election

_LATE = 3.0
"""The time without a scan after which scans are missing [s]."""
_REMEDY = ('a task that drives stands still without them; start the scanner, or remap scan to its '
           'topic; Gazebo Sim publishes them only where it can render')


ACTION = 'navigate_to_pose'
_KEPT: Any = WeakKeyDictionary()
"""By node: the client of the action of a robot that is deactivated."""


def goal_message(goal: Pose, frame: str) -> PoseStamped:
    """
    Return the message of a goal. Its stamp is 0: the newest transform of its frame is used.

    :param goal: x, y, yaw [m, rad].

    >>> message = goal_message((1.0, 2.0, 0.0), 'map')
    >>> message.header.frame_id, message.pose.position.y, message.pose.orientation.w
    ('map', 2.0, 1.0)
    """
    message = PoseStamped()
    message.header.frame_id = frame
    message.pose.position.x, message.pose.position.y = goal[0], goal[1]
    message.pose.orientation.z = math.sin(goal[2] / 2.0)
    message.pose.orientation.w = math.cos(goal[2] / 2.0)
    return message


class TopicNavigator:
    """
    Publishes goals on ``goal_pose``, without any answer.

    There is nothing to cancel a goal with, so the robot is sent to where it is.
    """

    gives_feedback = False

    def __init__(self, node: Node, frame: str) -> None:
        self._frame = frame
        self._goals = node.create_publisher(PoseStamped, 'goal_pose', 10)
        self._report: Callable[[Report], None] = lambda report: None

    def is_ready(self) -> bool:
        """Return whether somebody subscribes to goals."""
        return self._goals.get_subscription_count() > 0

    def missing(self) -> MissingInput:
        """Return that nobody subscribes to goals."""
        return MissingInput(
            'a subscriber of goals', self._goals.topic_name, 'start Nav2 in the namespace of the '
            'robot; install nav2_msgs to use its action instead', 'nobody subscribes')

    def send(self, goal: Pose, report: Callable[[Report], None]) -> None:
        """Publish a goal."""
        self._report = report
        self._goals.publish(goal_message(goal, self._frame))

    def cancel(self, here: Pose) -> None:
        """Send the robot to where it is."""
        self._goals.publish(goal_message(here, self._frame))
        self._report(Report.CANCELLED)

    def close(self) -> None:
        """Do nothing: the publisher ends with the node."""


class ActionNavigator:
    """Sends goals of the action ``NavigateToPose``, and reports what becomes of the last one."""

    gives_feedback = True

    def __init__(self, node: Node, frame: str, kind: Any, guard: Callable[..., None]) -> None:
        """
        Create the clients.

        :param kind: the type of the action.
        :param guard: calls a function with arguments while the robot takes part.
        """
        self._node, self._frame, self._kind, self._guard = node, frame, kind, guard
        self._client = _KEPT.pop(node, None) or ActionClient(node, kind, ACTION)
        # By the id, so that a goal can be cancelled before its acceptance has arrived.
        self._canceller = node.create_client(CancelGoal, f'{ACTION}/_action/cancel_goal')
        self._id = UUID()
        self._cancelling: Future | None = None

    def is_ready(self) -> bool:
        """Return whether there is a server of the action."""
        return bool(self._client.server_is_ready())

    def missing(self) -> MissingInput:
        """Return that there is no server of the action."""
        return MissingInput('a server of the action', self._node.resolve_service_name(ACTION),
                            'start Nav2 in the namespace of the robot, and activate it',
                            'there is none')

    def send(self, goal: Pose, report: Callable[[Report], None]) -> None:
        """Send a goal, and report on it until it ends."""
        own = self._id = UUID(uuid=list(uuid.uuid4().bytes))

        def accepted(future: Any) -> None:
            handle = future.result()
            if handle is None or not handle.accepted:
                self._guard(report, Report.REFUSED)
                return
            if own is not self._id:
                self._cancel(own)
            self._guard(report, Report.PROGRESS)
            handle.get_result_async().add_done_callback(ended)

        def ended(future: Any) -> None:
            self._guard(report, {
                GoalStatus.STATUS_SUCCEEDED: Report.REACHED,
                GoalStatus.STATUS_CANCELED: Report.CANCELLED,
            }.get(future.result().status, Report.ABORTED))

        self._client.send_goal_async(
            self._kind.Goal(pose=goal_message(goal, self._frame)),
            lambda feedback: self._guard(report, Report.PROGRESS), own,
        ).add_done_callback(accepted)

    def cancel(self, here: Pose) -> None:
        """Ask the server to cancel the last goal."""
        self._cancel(self._id)

    def close(self) -> None:
        """Wait until the server has the last request to cancel, and release the client."""
        end = time.monotonic() + ACKNOWLEDGEMENT
        # Nobody spins now. A destroyed client may not even have sent its last request.
        while self._cancelling is not None and not self._cancelling.done() and (
                time.monotonic() < end):
            with self._canceller.handle:
                if self._canceller.handle.take_response(CancelGoal.Response)[0] is not None:
                    break
            time.sleep(0.01)
        if self._node.executor is None:
            self._client.destroy()
        else:
            # The events executor of rclpy 7.1 crashes if its callback destroys a client.
            _KEPT[self._node] = self._client

    def _cancel(self, goal: UUID) -> None:
        request = CancelGoal.Request()
        request.goal_info.goal_id = goal
        self._cancelling = self._canceller.call_async(request)


class TaskContext:
    """
    The access of a task to its robot's node: creates subscriptions, publishers and timers.

    :ivar node: the node itself, for anything else.
    :ivar fail: the handler of errors that the task's callbacks raise.
    """

    def __init__(self, host: 'Election', claims: dict[str, str], instance: str, task: str) -> None:
        """
        Create the context of one task.

        :param claims: the task that owns each command topic of the robot.
        :param task: the prefix of the task's parameters.
        """
        self.node = host.node
        self.fail: Callable[[BaseException], None] = _raise
        self._host, self._claims, self._task = host, claims, task
        self._prefix = host.parameters.outputs_of(instance)
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
        if not self._host.runs:
            return []
        if self._navigator is not None and not self._navigator.is_ready():
            return [self._navigator.missing()]
        return [MissingInput('scans', self.node.resolve_topic_name(topic), _REMEDY)
                for topic, last in self._scans.items() if self.seconds() - last > _LATE]

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
        """
        Return the edge to Nav2: by action where ``nav2_msgs`` is installed, otherwise by topic.

        Nav2 publishes ``cmd_vel`` then, so no other task may drive.
        """
        self._claim('cmd_vel')
        frame = str(self.node.get_parameter('frame').value)
        try:
            from nav2_msgs.action import NavigateToPose
        except ImportError:
            self._navigator = TopicNavigator(self.node, frame)
        else:
            self._navigator = ActionNavigator(self.node, frame, NavigateToPose, self._guard)
        return self._navigator

    def every(self, period: float, callback: Callable[[], None]) -> Timer:
        """Return a timer with a period [s] on the robot's clock."""
        return clock.create_timer(
            self.node, period, lambda: self._guard(callback), self._host.steady_clock)

    def seconds(self) -> float:
        """Return the time on the robot's clock [s]."""
        return clock.seconds(self._host.steady_clock)

    def _claim(self, topic: str) -> None:
        owner = self._claims.setdefault(self.node.resolve_topic_name(topic), self._task)
        if owner != self._task:
            raise ParameterError('tasks', problem=f': {self._task} and {owner} cannot go '
                                 f'together; both publish {topic}')

    def _guard(self, callback: Callable[..., None], *arguments: Any) -> None:
        if not self._host.runs:
            return
        try:
            callback(*arguments)
        except ANYTHING as error:
            self.fail(error)


def _raise(error: BaseException) -> None:
    raise error


class RegionTopics(PartTopics):
    """
    ``decision`` and, on a leader, ``region_summary`` of each instance, and the tasks' topics.

    The topics are latched and published on change. Two tasks that publish the same commands are
    refused.
    """

    def __init__(self, host: 'Election') -> None:
        super().__init__(host)
        self._claims: dict[str, str] = {}
        self._contexts: list[TaskContext] = []
        self._outputs: list[_RegionPublisher] = []

    @property
    def uses_heading(self) -> bool:  # type: ignore[override]
        """Return whether there are tasks."""
        return bool(self._contexts)

    def tool(self, instance: str) -> Callable[[str], TaskRunner]:
        """Return the function that makes the tasks of an instance."""
        return partial(self._make, instance)

    def _make(self, instance: str, task: str) -> TaskRunner:
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
        context = TaskContext(self.host, self._claims, instance, prefix + name)
        with creating(prefix, task):
            settings = self.host.declarations.declare(
                kind.parameters, prefix=f'{prefix}{name}.').values
            made = TaskRunner(name, kind(
                Member(self.host.parameters.robot_id, context, self.host.pose), settings))
        context.fail = made.fail
        self._contexts.append(context)
        return made

    def attach(self, robot: Robot) -> None:
        """Create the publishers."""
        self._outputs = [_RegionPublisher(self.host, instance)
                         for instance in robot.instances.values()
                         if Membership.name in instance.parts]

    def publish(self) -> None:
        """Publish what has changed; log the first error of each task, once."""
        for output in self._outputs:
            output.publish()
            for runner in output.membership.task_runners:
                if runner.first_error and not runner.logged:
                    runner.logged = True
                    self.host.node.get_logger().error(f'task {runner.name}: {runner.first_error}')

    def withdraw(self) -> None:
        """Publish that there is neither a decision nor a summary."""
        for output in self._outputs:
            output.withdraw()

    def missing(self) -> list[MissingInput]:
        """Return the laser scans that tasks need and that are missing."""
        return [each for context in self._contexts for each in context.missing()]


class _RegionPublisher:
    """Publishes the decision and the summary of one instance."""

    def __init__(self, host: 'Election', instance: Instance) -> None:
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
            is_number = isinstance(value, float) and value == value or (
                isinstance(value, int) and abs(value) < 10**300)
            # math.nan itself: dictionaries compare by identity first, so equal ones are equal.
            numbers[name] = float(value) if is_number else math.nan
    return numbers
