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

"""Sightings from the topics of drivers, and what a robot publishes of its localisation."""

from functools import partial
from importlib.util import find_spec
import math
from typing import Any

from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticStatus
from generated_messages import installed
from geometry_msgs.msg import TransformStamped, Vector3
from leader_election.election.messages.localisation_codec import LOCALISATION
from leader_election.localisation.innovations import Innovation
from leader_election.localisation.poses import from_parameter, from_quaternion, Pose, position
from leader_election.parameters import ParameterError
from leader_election.parameters.registry import message_type
from leader_election.ros.nodes.qos import EVENTS, SENSOR
from nav_msgs.msg import Odometry
import numpy as np
import pytest
from rclpy.node import Node
from ros.nodes.bench import Bench, DiagnosticsReader, robot
from sensor_msgs.msg import Imu, Range
from std_msgs.msg import Bool, Float64MultiArray, Header
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
        """
        Return the distance of the positions that both robots send [m].

        Of the metre that odometry is wrong by, the first to measure takes a half. The other takes
        half of what it then finds left: a quarter may remain.
        """
        known = [bench.said[i].position for i in (1, 2) if i in bench.said]
        return math.dist(*known) if len(known) == 2 and None not in known else math.nan

    spin_until(nodes, lambda: bool(driver.corrected) and bool(driver.distances)
               and len(driver.distances[-1].data) == 3
               and abs(driver.distances[-1].data[1] - TRUE_DISTANCE) < 0.1
               and abs(apart() - TRUE_DISTANCE) < 0.3)
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


def test_diagnostics_warn_while_a_publisher_has_an_incompatible_profile():
    node = robot(1, **{'qos_overrides./neighbourhood.subscription.reliability': 'reliable'})
    bench = DiagnosticsReader('neighbourhood')
    spin_until([bench, node], lambda: bench.says(
        DiagnosticStatus.WARN, 'nothing is received from /bench, whose profiles (QoS)'))
    bench.destroy_publisher(bench.voice)
    spin_until([bench, node], lambda: not bench.says(DiagnosticStatus.WARN, 'QoS'))


OPTIONAL = {'detections': 'vision_msgs', 'tags': 'tf2_msgs'}
"""The sources that need a package which is not on PyPI."""


def test_measurements_of_another_layout_are_counted() -> None:
    node, bench = robot(1, pose_source='cooperative'), Bench({1: (0.0, 0.0)})
    publisher = bench.create_publisher(Float64MultiArray, '/r1/measurements', SENSOR)
    bench.create_timer(0.05, lambda: publisher.publish(Float64MultiArray(data=[7.0, 2.5, 0.25])))
    spin_until([bench, node], lambda: node.robot.counts['measurements_rejected'] > 2)


def test_range_topics_of_each_neighbour_are_read():
    """Robot 1 has topics for 7 and 8, and uses metric ``range`` without a filter."""
    node = robot(1, metric='range', sighting_sources='ranges', range_ids='7-8')
    bench = Bench({1: (0.0, 0.0)})
    bench.others.update({7: 9.0, 8: 1.0})
    messages = {7: Range(range=2.5, min_range=0.1, max_range=5.0),
                8: Range(range=math.inf, min_range=0.1, max_range=5.0)}
    for neighbour, message in messages.items():
        publisher = bench.create_publisher(Range, f'/r1/range/robot_{neighbour}', SENSOR)
        bench.create_timer(0.05, partial(publisher.publish, message))
    spin_until([bench, node], lambda: node.robot.state.leader == 7)
    assert node.robot.state.distance == 2.5
    assert [each.message.id for each in node.robot.neighbours] == [7], 'nothing measured to 8'
    assert bench.count_subscribers('/r1/measurements') == 0


PITCH = 0.3
"""The camera looks down by this [rad]."""
CAMERA = (0.1, -0.05, 0.2, -math.pi / 2 - PITCH, 0.0, -math.pi / 2)
"""The pose of its optical frame: x to the right, y down, z ahead."""
PLACES = {'tag36h11:7': (2.0, 1.0, 0.4), 'robot_8': (1.5, -0.5, 0.1)}
"""The places of tags in the frame of the robot: ahead, left, up [m]."""


def in_camera(place: tuple[float, float, float]) -> dict[str, float]:
    """Return a place in the optical frame: moved, turned up, and the axes renamed."""
    ahead, left, up = (there - here for there, here in zip(place, CAMERA))
    ahead, up = (math.cos(PITCH) * ahead - math.sin(PITCH) * up,
                 math.sin(PITCH) * ahead + math.cos(PITCH) * up)
    return {'x': -left, 'y': -up, 'z': ahead}


def tags(stamp: Time) -> Any:
    """Return the message of a tag detector on /tf, with a tag seen by another robot."""
    transforms = []
    for name, place in PLACES.items():
        transform = TransformStamped(
            child_frame_id=name, header=Header(stamp=stamp, frame_id='camera_optical'))
        transform.transform.translation = Vector3(**in_camera(place))
        transforms.append(transform)
    other = TransformStamped(child_frame_id='robot_7', header=Header(frame_id='other_camera'))
    other.transform.translation = Vector3(z=5.0)
    return message_type('tf2_msgs/msg/TFMessage')(transforms=[*transforms, other])


def test_tags_are_transformed_from_a_mounted_camera():
    """The messages are those of tag detectors, over DDS."""
    with installed('tf2_msgs'):
        node, bench = robot(
            1, pose_source='cooperative', sighting_sources='tags', sensor_pose=CAMERA,
            sensor_frame='camera_optical'), Bench({1: (0.0, 0.0)})
        publisher = bench.create_publisher(type(tags(Time())), '/r1/tags', SENSOR)
        bench.create_timer(0.05, lambda: publisher.publish(tags(bench.get_clock().now().to_msg())))
        seen: dict[int, Any] = {}

        def sent() -> bool:
            part = bench.said[1].parts.get(LOCALISATION.name) if 1 in bench.said else None
            seen.update({each.id: each for each in (part.sightings if part is not None else ())})
            return len(seen) == 2

        spin_until([bench, node], sent)
        for (x, y, _), sighting in zip(PLACES.values(), (seen[7], seen[8])):
            assert sighting[1:3] == pytest.approx((math.hypot(x, y), math.atan2(y, x)), abs=2e-3)
        assert math.isnan(seen[7].range_deviation) and not node.robot.counts['names_passed_over']


@pytest.mark.parametrize(('source', 'package'), OPTIONAL.items())
def test_message_package_is_named_when_missing(source, package):
    if find_spec(package) is not None:
        pytest.skip(f'{package} is installed')
    with pytest.raises(ParameterError) as refused:
        robot(1, pose_source='cooperative', sighting_sources=f'measurements,{source}')
    assert str(refused.value) == (
        f'parameter sighting_sources: {source!r} needs the package {package}, which is not '
        "installed; install it, or use 'measurements'")
