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

"""The edges to Nav2: goals of the action ``navigate_to_pose``, or on the topic ``goal_pose``."""

from collections.abc import Callable
import math
import time
from typing import Any
import uuid
from weakref import WeakKeyDictionary

from action_msgs.msg import GoalStatus
from action_msgs.srv import CancelGoal
from geometry_msgs.msg import PoseStamped
from leader_election.election.tasks.navigation import Report
from leader_election.election.tasks.steering import Pose
from leader_election.ros.nodes.process import ACKNOWLEDGEMENT, MissingInput
from rclpy.action import ActionClient
from rclpy.node import Node
from rclpy.task import Future
from unique_identifier_msgs.msg import UUID

ACTION, GOAL_TOPIC = 'navigate_to_pose', 'goal_pose'

_KEPT: Any = WeakKeyDictionary()
"""By node: the client of the action of a robot that is deactivated."""

Guard = Callable[..., None]
"""Calls a function with arguments while the robot takes part, and counts its errors."""


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
        self._goals = node.create_publisher(PoseStamped, GOAL_TOPIC, 10)
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

    def __init__(self, node: Node, frame: str, kind: Any, guard: Guard) -> None:
        """
        Create the clients.

        :param kind: the type of the action.
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


def navigator_of(node: Node, frame: str, guard: Guard) -> TopicNavigator | ActionNavigator:
    """
    Return the edge by action where ``nav2_msgs`` is installed, otherwise the edge by topic.

    :param node: of the robot, in whose namespace Nav2 is.
    :param frame: the frame of goals, which the swarm shares.
    :param guard: calls back with a report.
    """
    try:
        from nav2_msgs.action import NavigateToPose
    except ImportError:
        return TopicNavigator(node, frame)
    return ActionNavigator(node, frame, NavigateToPose, guard)
