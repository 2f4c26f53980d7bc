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

"""Robots that drive by Nav2, over DDS, with a stand-in for Nav2: a server of its action."""

from collections.abc import Callable, Iterator
import math
import sys
from threading import Thread
from typing import Any

from generated_messages import installed
from geometry_msgs.msg import PoseStamped
from leader_election.election.tasks.driving import DriverParameters, DrivingTask
from leader_election.ros.nodes.election import ElectionNode
import pytest
from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from ros.nodes.bench import Bench, robot
from support import spin_until

pytestmark = pytest.mark.usefixtures('ros')
GOAL = (3.0, 4.0)
DRIVES = {'pose_source': 'pose', 'tasks': 'ros.nodes.test_region_topics:ToGoal',
          'togoal.drive_by': 'nav2'}


class ToGoal(DrivingTask):
    """Drive to a goal."""

    parameters = DriverParameters

    def _goal_for(self, x: float, y: float, now: float) -> tuple[float, float]:
        return GOAL


class Nav2(Node):
    """
    Drives robot 1 in steps to goals: those of the topic, or of the action if it has its type.

    :ivar refuses: how many goals are still refused.
    :ivar aborts: how many are still aborted.
    :ivar goals: the received ones, x, y [m].
    :ivar ended: how goals of the action ended.
    """

    def __init__(self, kind: Any = None, speed: float = 0.5) -> None:
        super().__init__('nav2', namespace='r1', use_global_arguments=False)
        self.place = (0.0, 0.0)
        self.speed = speed
        self.refuses = self.aborts = 0
        self.goals: list[tuple[float, float]] = []
        self.ended: list[str] = []
        self.running: list[Any] = []
        self.kind, self._goal = kind, None
        self._poses = self.create_publisher(PoseStamped, 'pose', 10)
        self.create_timer(0.05, self._step)
        if kind is None:
            self.create_subscription(PoseStamped, 'goal_pose', self._take, 10)
        else:
            self.server = ActionServer(
                self, kind, 'navigate_to_pose', self._end, goal_callback=self._judge,
                handle_accepted_callback=self.running.append,
                cancel_callback=lambda goal: CancelResponse.ACCEPT)

    def _take(self, message: PoseStamped) -> None:
        assert message.header.frame_id == 'map'
        self._goal = message.pose.position.x, message.pose.position.y
        self.goals.append(self._goal)

    def _judge(self, goal: Any) -> GoalResponse:
        self._take(goal.pose)
        self.refuses -= 1
        return GoalResponse.REJECT if self.refuses >= 0 else GoalResponse.ACCEPT

    def _step(self) -> None:
        message = PoseStamped()
        message.header.frame_id = 'map'
        message.pose.position.x, message.pose.position.y = self.place
        self._poses.publish(message)
        if self.kind is not None:
            assert len(self.running) <= 1, 'one goal a robot at a time'
            for handle in [*self.running]:
                handle.publish_feedback(self.kind.Feedback())
                self.aborts -= 1
                if handle.is_cancel_requested or self.aborts >= 0 or self.place == self._goal:
                    self.running.remove(handle)
                    handle.execute()
                    return
            if not self.running:
                return
        if self._goal is not None:
            left = math.dist(self.place, self._goal)
            share = min(self.speed / left, 1.0) if left else 1.0
            self.place = (self.place[0] + share * (self._goal[0] - self.place[0]),
                          self.place[1] + share * (self._goal[1] - self.place[1]))

    def _end(self, handle: Any) -> Any:
        end = ('canceled' if handle.is_cancel_requested else
               'abort' if self.aborts >= 0 else 'succeed')
        getattr(handle, end)()
        self.ended.append(end)
        return self.kind.Result()


@pytest.fixture
def action() -> Iterator[Any]:
    """Return the type of Nav2's action, generated where Nav2 is not installed."""
    with installed('nav2_msgs'):
        from nav2_msgs.action import NavigateToPose
        yield NavigateToPose


@pytest.fixture
def without_action(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide the type of Nav2's action."""
    for name in ('nav2_msgs', 'nav2_msgs.action'):
        monkeypatch.setitem(sys.modules, name, None)


def counts(node: ElectionNode) -> dict[str, Any]:
    """Return what diagnostics show of regions."""
    concern = node.robot.instances['main'].parts['regions'].concern()
    assert concern is not None
    return concern[2]


def test_robot_reaches_its_place_by_the_action_after_failed_goals(action: Any) -> None:
    nav2, node = Nav2(action), robot(1, **DRIVES)
    nav2.refuses = nav2.aborts = 1
    spin_until([node, nav2], lambda: nav2.ended[-1:] == ['succeed'])
    assert nav2.place == GOAL and nav2.goals == [GOAL] * 3
    assert [counts(node)[f'togoal.goals_{end}'] for end in ('refused', 'aborted')] == [1, 1]
    assert node.count_publishers('/r1/cmd_vel') == 0 and node.missing() == []


def test_robot_names_the_missing_server_of_the_action(action: Any) -> None:
    node, stand_in = robot(1, **DRIVES), Nav2()
    spin_until([node, stand_in], lambda: [
        (each.what, each.topic) for each in node.missing()] == [
            ('a server of the action', '/r1/navigate_to_pose')])


@pytest.fixture
def apart() -> Iterator[Callable[[Node], None]]:
    """Spin a node in a thread of its own, as if it were in another process."""
    executors: list[SingleThreadedExecutor] = []
    threads: list[Thread] = []

    def spin_apart(node: Node) -> None:
        executors.append(SingleThreadedExecutor())
        executors[-1].add_node(node)
        threads.append(Thread(target=executors[-1].spin))
        threads[-1].start()

    yield spin_apart
    for executor in executors:
        executor.shutdown()
    for thread in threads:
        thread.join()


@pytest.mark.parametrize('waits', [False, True])
def test_goal_is_cancelled_when_the_robot_ends(
        action: Any, apart: Callable[[Node], None], waits: bool) -> None:
    nav2, node, listener = Nav2(action, speed=0.01), robot(1, **DRIVES), Bench({})
    apart(nav2)
    spin_until([node], lambda: nav2.running != [] if waits else nav2.goals != [])
    node.close()
    node.destroy_node()
    spin_until([listener], lambda: nav2.ended == ['canceled'])
    assert len(nav2.goals) == 1


def test_robot_reaches_its_place_by_the_topic_where_nav2_msgs_is_not_installed(
        without_action: None) -> None:
    nav2, node = Nav2(), robot(1, **DRIVES)
    spin_until([node, nav2], lambda: math.dist(nav2.place, GOAL) < 0.1)
    assert nav2.goals == [GOAL]
    assert node.count_publishers('/r1/cmd_vel') == 0


def test_robot_is_sent_to_where_it_is_when_it_ends_before_its_goal(without_action: None) -> None:
    nav2, node = Nav2(speed=0.01), robot(1, **DRIVES)
    spin_until([node, nav2], lambda: math.dist(nav2.place, (0.0, 0.0)) > 0.1)
    node.close()
    node.destroy_node()
    spin_until([nav2], lambda: len(nav2.goals) == 2)
    assert math.dist(nav2.goals[1], nav2.place) < 0.2
