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

"""What a robot publishes of its localisation, and its diagnostics."""

from importlib.util import find_spec
import math
from typing import Any

from diagnostic_msgs.msg import DiagnosticStatus
from generated_messages import installed
from geometry_msgs.msg import TransformStamped
from leader_election.localisation.neighbourhood_filter import Innovation
from leader_election.localisation.poses import (
    from_parameter,
    from_quaternion,
    heading,
    moved_to,
    Pose,
    position,
)
from leader_election.parameters import ParameterError
from leader_election.parameters.registry import message_type
from leader_election.ros.nodes.localisation_topics import stamped_transform
from leader_election.ros.nodes.qos import EVENTS, SENSOR
from nav_msgs.msg import Odometry
import numpy as np
import pytest
from rclpy.node import Node
from ros.nodes.bench import Bench, DiagnosticsReader, robot
from sensor_msgs.msg import Imu
from std_msgs.msg import Bool, Float64MultiArray, String
from support import spin_until

START = [4.0, 3.0, math.pi / 2]
"""The initial pose of robot 1: to the left of the way to robot 2, and facing along +y."""
TRUE_DISTANCE = 3.0
"""What robot 1 measures to robot 2, which is 4 m away by odometry."""


pytestmark = pytest.mark.usefixtures('ros')


class Driver(Node):
    """Publishes odometry with a twist and a stamp, and ranges. Receives the corrected pose."""

    def __init__(self, name: str = 'driver') -> None:
        super().__init__(name, use_global_arguments=False)
        self.corrected: list[Odometry] = []
        self.distances: list[Float64MultiArray] = []
        self.stamp = 0
        self._odometry = self.create_publisher(Odometry, '/r1/odom', SENSOR)
        self._ranges = self.create_publisher(Float64MultiArray, '/r1/measurements', SENSOR)
        self.create_subscription(
            Odometry, '/r1/odometry/cooperative', self.corrected.append, EVENTS)
        self.create_subscription(
            Float64MultiArray, '/r1/neighbour_distances', self.distances.append, EVENTS)
        self.create_timer(0.05, self._drive)

    def _drive(self) -> None:
        self.stamp += 1
        message = Odometry(child_frame_id='r1/base_link')
        message.header.frame_id = 'r1/odom'
        message.header.stamp.sec = self.stamp
        message.pose.pose.position.x, message.pose.pose.position.z = 1.0, 0.25
        message.twist.twist.linear.x = 0.125
        self._odometry.publish(message)
        self._ranges.publish(Float64MultiArray(data=[2.0, TRUE_DISTANCE]))


def pose_of(message: Odometry) -> Pose:
    point, turn = message.pose.pose.position, message.pose.pose.orientation
    pose = from_quaternion((point.x, point.y, point.z), (turn.x, turn.y, turn.z, turn.w))
    assert pose is not None
    return pose


def swarm(**parameters: Any) -> list[Any]:
    """Return robots 1 and 2, and the nodes that drive them: 2 stands still at (4, 0)."""
    settings = {'pose_source': 'cooperative',
                'initial_deviation': [0.5, 0.1], 'communication_range': 20.0}
    driver = Driver()
    return [robot(1, **settings, initial_pose=START, **parameters), robot(2, **settings),
            Bench({2: (4.0, 0.0)}), driver]


def test_pose_and_distances_are_corrected_by_ranges_and_published() -> None:
    nodes = swarm()
    bench, driver = nodes[2:]
    own = nodes[0].robot.sensing

    def apart() -> float:
        """Return the distance of the positions that both robots send [m]."""
        known = [bench.said[i].position for i in (1, 2) if i in bench.said]
        return math.dist(*known) if len(known) == 2 and None not in known else math.nan

    spin_until(nodes, lambda: bool(driver.corrected) and bool(driver.distances)
               and len(driver.distances[-1].data) == 3
               and abs(driver.distances[-1].data[1] - TRUE_DISTANCE) < 0.1
               and abs(apart() - TRUE_DISTANCE) < 0.2)
    message = driver.distances[-1]
    neighbour, _, deviation = message.data
    assert neighbour == 2.0 and 0.0 < deviation < 1.0
    assert [(d.label, d.size, d.stride) for d in message.layout.dim] == [
        ('neighbours', 1, 3), ('id,distance,deviation', 3, 3)]
    unknown = driver.corrected[0].pose.covariance
    assert unknown.reshape(6, 6).tolist() == np.diag((1e6, 1e6, 0, 0, 0, 1e6)).tolist()
    own.source.consistency.take(
        [Innovation(1, 2, 0.5, math.nan, True)] * 200, own.source.last_sighting)
    spin_until(nodes, lambda: driver.corrected[-1].pose.covariance[0] < 1e6)
    corrected = driver.corrected[-1]
    assert corrected.header.frame_id == 'map' and corrected.child_frame_id == 'r1/base_link'
    assert 0 < corrected.header.stamp.sec <= driver.stamp, 'that of odometry'
    assert corrected.twist.twist.linear.x == 0.125
    pose = pose_of(corrected)
    assert math.dist(position(pose), (4.0, 4.0)) > 0.1, 'not where odometry has it'
    assert math.dist(position(pose), own.source.pose[:2]) < 0.05
    assert pose[2, 3] == pytest.approx(0.25)
    covariance = corrected.pose.covariance.reshape(6, 6)
    assert covariance == pytest.approx(covariance.T)
    assert 1e-4 < covariance[0, 0] < 0.3 and 1e-6 < covariance[5, 5] < 0.1
    assert covariance[0, 1] != 0.0
    assert not covariance[2:5].any(), 'in the plane'


def frame_of(transform: TransformStamped) -> Pose:
    to, turn = transform.transform.translation, transform.transform.rotation
    frame = from_quaternion((to.x, to.y, to.z), (turn.x, turn.y, turn.z, turn.w))
    assert frame is not None
    return frame


@pytest.mark.parametrize('start', [START, [4.0, 3.0, 0.5, 0.1, -0.2, 2.0]])
def test_transform_composed_with_odometry_is_the_corrected_pose(start: list[float]) -> None:
    """Odometry has driven 1 m on a slope and turned. The filter corrects the pose."""
    begin, odometry = from_parameter(start), from_parameter((1.0, 0.5, 0.25, 0.0, 0.1, -2.5))
    message = Odometry()
    message.header.frame_id, message.header.stamp.sec = 'r1/odom', 7
    estimate = (-1.0, 2.0, 3.0)
    transform = stamped_transform(message, moved_to(begin @ odometry, estimate) @ begin, 'map')
    assert (transform.header.frame_id, transform.child_frame_id) == ('map', 'r1/odom')
    assert transform.header.stamp.sec == 7
    composed = frame_of(transform) @ odometry
    assert position(composed) == (-1.0, 2.0) and heading(composed) == pytest.approx(3.0)
    assert composed[2, 3] == pytest.approx((begin @ odometry)[2, 3]), 'the height is not changed'


def test_transform_is_sent_with_each_odometry_message() -> None:
    with installed('tf2_msgs'):
        nodes = swarm(send_transform=True)
        driver = nodes[-1]
        transforms: list[Any] = []
        driver.create_subscription(
            message_type('tf2_msgs/msg/TFMessage'), '/tf', transforms.append, EVENTS)
        spin_until(nodes, lambda: bool(transforms) and bool(driver.corrected) and (
            transforms[-1].transforms[0].header.stamp == driver.corrected[-1].header.stamp))
    composed = frame_of(transforms[-1].transforms[0]) @ from_parameter(
        (1.0, 0.0, 0.25, 0.0, 0.0, 0.0))
    assert composed == pytest.approx(pose_of(driver.corrected[-1]), abs=1e-6)


@pytest.mark.parametrize(('parameters', 'reason'), [
    ({'send_transform': True}, 'send_transform: true is not allowed; it takes pose_source coop'),
    ({'pose_source': 'cooperative', 'send_transform': True},
     'send_transform: true needs the package tf2_msgs, which is not installed'),
    ({'slip_sources': 'bump'}, "slip_sources: 'bump' is not allowed; it takes a list of bumper,")])
def test_parameter_of_localisation_is_refused_when_it_cannot_be_followed(
        parameters: dict[str, Any], reason: str) -> None:
    if 'tf2_msgs' in reason and find_spec('tf2_msgs') is not None:
        pytest.skip('tf2_msgs is installed')
    with pytest.raises(ParameterError, match=f'parameter {reason}'):
        robot(1, **parameters)


def test_diagnostics_report_an_error_when_the_deviation_is_beyond_its_limit() -> None:
    node, bench = robot(1, max_deviation=0.04), DiagnosticsReader('localisation')
    spin_until([bench, node], lambda: bench.says(
        DiagnosticStatus.WARN, 'distances are too uncertain: their deviation is 0.05'))
    assert bench.values['deviation'] == '0.050' and bench.values['max_deviation'] == '0.04'
    assert bench.values['pose_source'] == 'odometry'
    assert 'innovations_mean_square' not in bench.values


@pytest.mark.parametrize(('source', 'kind', 'reason'), [
    ('bumper', Bool, 'it touches something while they drive it forward'),
    ('imu', Imu, 'its gyroscope contradicts their turning')])
def test_diagnostics_warn_when_wheels_slip(source: str, kind: type, reason: str) -> None:
    node, bench = robot(1, slip_sources=source), DiagnosticsReader('localisation')
    message = kind()
    if source == 'bumper':
        message.data = True
    else:
        message.angular_velocity.z = -2.0
    sensor = bench.create_publisher(kind, f'/r1/{source}', SENSOR)

    def push() -> None:
        sensor.publish(message)
        bench.places[1] = (bench.places[1][0] + 0.02, 0.0)
    bench.create_timer(0.05, push)
    spin_until([bench, node], lambda: bench.says(
        DiagnosticStatus.WARN, f'wheels turn, but the robot does not move as they say: {reason}')
        and float(bench.values['deviation']) > 0.2)
    assert bench.values['slips'] == '1'


# The diagnostics of the neighbourhood, over real DDS.


def test_diagnostics_warn_while_messages_are_rejected():
    node, bench = robot(1), DiagnosticsReader('neighbourhood')
    bench.others[7] = 9.0
    spin_until([bench, node], lambda: bench.says(DiagnosticStatus.OK, 'neighbours: 1'))
    timer = bench.create_timer(0.02, lambda: bench.voice.publish(String(data='{"v":2}')))
    spin_until([bench, node], lambda: bench.says(
        DiagnosticStatus.WARN, 'neighbours: 1; messages are refused: rejected_version'))
    timer.cancel()
    spin_until([bench, node], lambda: bench.says(DiagnosticStatus.OK, 'neighbours: 1'))


def test_diagnostics_warn_while_a_publisher_has_an_incompatible_profile():
    node = robot(1, **{'qos_overrides./neighbourhood.subscription.reliability': 'reliable'})
    bench = DiagnosticsReader('neighbourhood')
    spin_until([bench, node], lambda: bench.says(
        DiagnosticStatus.WARN, 'nothing is received from /bench, whose profiles (QoS)'))
    bench.destroy_publisher(bench.voice)
    spin_until([bench, node], lambda: not bench.says(DiagnosticStatus.WARN, 'QoS'))
