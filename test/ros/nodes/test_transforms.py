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

"""Poses by transforms, of real tf2, with and without odometry."""

from collections.abc import Callable, Iterator
import math

from environment import needs
from geometry_msgs.msg import TransformStamped
from leader_election.ros.nodes.election import ElectionNode
from leader_election.ros.nodes.qos import EVENTS, STATE
from leader_election.ros.nodes.robot_diagnostics import statuses
import pytest
from rclpy.node import Node
from ros.nodes.bench import Bench, robot
from support import spin_until

pytestmark = [pytest.mark.usefixtures('ros'), needs('tf2_ros')]


class Localisation(Node):
    """
    Publishes transforms twenty times a second, with stamps that grow by as much.

    :ivar moving: x, y [m] and yaw [rad] of a frame in its parent, by parent and child.
    :ivar time: the next stamp [s].
    """

    def __init__(self) -> None:
        from tf2_msgs.msg import TFMessage
        super().__init__('localisation', use_global_arguments=False)
        self.moving: dict[tuple[str, str], tuple[float, float, float]] = {}
        self.time = 1000.0
        self._kind = TFMessage
        self._moving = self.create_publisher(TFMessage, '/tf', EVENTS)
        self._static = self.create_publisher(TFMessage, '/tf_static', STATE)
        self.create_timer(0.05, self._tick)

    def fix(self, parent: str, child: str, x: float, y: float, yaw: float = 0.0) -> None:
        """Publish a static transform."""
        self._static.publish(self._kind(transforms=[self._stamped(parent, child, x, y, yaw)]))

    def _tick(self) -> None:
        self.time += 0.05
        self._moving.publish(self._kind(transforms=[
            self._stamped(*frames, *place) for frames, place in self.moving.items()]))

    def _stamped(self, parent: str, child: str, x: float, y: float, yaw: float
                 ) -> TransformStamped:
        made = TransformStamped(child_frame_id=child)
        made.header.frame_id = parent
        made.header.stamp.sec = int(self.time)
        made.header.stamp.nanosec = int(self.time % 1.0 * 1e9)
        made.transform.translation.x, made.transform.translation.y = x, y
        made.transform.rotation.z, made.transform.rotation.w = math.sin(yaw / 2), math.cos(yaw / 2)
        return made


@pytest.fixture
def localisation(ros: None) -> Iterator[Localisation]:
    node = Localisation()
    yield node
    node.destroy_node()


def is_at(node: ElectionNode, *place: float) -> Callable[[], bool]:
    """Return a function that tells whether a robot is at a place, without one: nowhere."""
    return lambda: node.robot.sensing.locate(node.election.now()) == (
        pytest.approx(place) if place else None)


def test_robot_without_odometry_is_where_a_chain_of_transforms_says(
        localisation: Localisation) -> None:
    node = robot(1, pose_source='tf', tasks='count', base_frame='r1/base_link')
    localisation.fix('map', 'odom', 10.0, 0.0, math.pi / 2)
    localisation.moving['odom', 'r1/base_link'] = (2.0, 0.0, 0.5)
    spin_until([node, localisation], is_at(node, 10.0, 2.0))
    pose = node.robot.sensing.pose(node.election.now())
    assert pose is not None and pose[2] == pytest.approx(math.pi / 2 + 0.5)
    localisation.moving['odom', 'r1/base_link'] = (500.0, 0.0, 0.0)
    spin_until([node, localisation], is_at(node, 10.0, 500.0))


def test_robot_on_a_static_transform_keeps_its_place(localisation: Localisation) -> None:
    node = robot(1, pose_source='tf', odometry_expiry=0.3)
    localisation.fix('map', 'base_link', 3.0, 4.0)
    stays = is_at(node, 3.0, 4.0)
    spin_until([node, localisation], stays)
    end = localisation.time + 1.0
    spin_until([node, localisation], lambda: not stays() or localisation.time > end)
    assert stays()


@pytest.mark.parametrize('later', [0.0, -500.0])
def test_robot_has_no_place_while_transforms_stay_away(
        localisation: Localisation, later: float) -> None:
    """With the first, or with a clock that was set meanwhile, they come again."""
    node = robot(1, pose_source='tf', odometry_expiry=0.3)
    localisation.moving['map', 'base_link'] = (3.0, 4.0, 0.0)
    spin_until([node, localisation], is_at(node, 3.0, 4.0))
    localisation.moving.clear()
    spin_until([node, localisation], is_at(node))
    assert any(each.message.startswith('the pose is ')
               for each in statuses(node.robot, 'r1', node.election.now()))
    localisation.time += later
    localisation.moving['map', 'base_link'] = (5.0, 4.0, 0.0)
    spin_until([node, localisation], is_at(node, 5.0, 4.0))


def test_robot_waits_for_the_frame_that_connects_transforms(localisation: Localisation) -> None:
    node = robot(1, pose_source='tf')
    localisation.moving['odom', 'base_link'] = (1.0, 0.0, 0.0)
    end = localisation.time + 1.0
    spin_until([node, localisation], lambda: localisation.time > end)
    assert is_at(node)()
    localisation.moving['map', 'odom'] = (3.0, 0.0, 0.0)
    spin_until([node, localisation], is_at(node, 4.0, 0.0))


def test_missing_transform_ends_the_robot_after_the_timeout(localisation: Localisation) -> None:
    node = robot(1, pose_source='tf', odometry_timeout=0.3, base_frame='wrong')
    localisation.moving['map', 'base_link'] = (3.0, 4.0, 0.0)
    spin_until([node, localisation], lambda: node.failure is not None)
    assert ('no odometry on /r1/odom (nor a transform from wrong to map) within 0.3 s'
            in str(node.failure))
    assert [each.topic for each in node.missing()] == [
        '/r1/odom (nor a transform from wrong to map)']


def test_odometry_goes_before_the_transform_of_the_base(localisation: Localisation) -> None:
    node, bench = robot(1, pose_source='tf'), Bench({1: (2.0, 0.0)})
    localisation.moving.update({('map', 'base_link'): (7.0, 7.0, 0.0)})
    spin_until([node, localisation, bench], is_at(node, 7.0, 7.0))
    localisation.fix('map', 'odom', 10.0, 0.0, math.pi / 2)
    spin_until([node, localisation, bench], is_at(node, 10.0, 2.0))
    bench.places.clear()
    spin_until([node, localisation, bench], is_at(node, 7.0, 7.0))
