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

"""Sightings from the topics of drivers, over real DDS."""

from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
import math
from typing import Any

from builtin_interfaces.msg import Time
from generated_messages import installed
from geometry_msgs.msg import TransformStamped, Vector3
from leader_election.election.messages.localisation_codec import LOCALISATION
from leader_election.localisation.sighting import Sighting
from leader_election.parameters import ParameterError
from leader_election.parameters.registry import message_type
from leader_election.ros.nodes.qos import SENSOR
import pytest
from rclpy.duration import Duration
from rclpy.publisher import Publisher
from ros.nodes.bench import Bench, robot
from sensor_msgs.msg import Range
from std_msgs.msg import Float64MultiArray, Header, MultiArrayDimension
from support import spin_until

LAYOUT = [MultiArrayDimension(label='sightings', size=2, stride=6),
          MultiArrayDimension(label='id,range,bearing', size=3, stride=3)]
OPTIONAL = {'detections': 'vision_msgs', 'tags': 'tf2_msgs'}
"""The sources that need a package which is not on PyPI."""


pytestmark = pytest.mark.usefixtures('ros')


def rows(*numbers: float, layout: Any = LAYOUT) -> Float64MultiArray:
    message = Float64MultiArray(data=list(numbers))
    message.layout.dim = layout
    return message


def sent_by(bench: Bench) -> tuple[Sighting, ...]:
    """Return the sightings in the last message of robot 1."""
    part = bench.said[1].parts.get(LOCALISATION.name) if 1 in bench.said else None
    return () if part is None else part.sightings


def sighted(node: Any, bench: Bench, kind: type, topic: str,
            make: Callable[[], Any]) -> dict[int, Sighting]:
    """Publish new messages repeatedly, and return the sightings that robot 1 sends."""
    publisher: Publisher = bench.create_publisher(kind, topic, SENSOR)
    bench.create_timer(0.05, lambda: publisher.publish(make()))
    seen: dict[int, Sighting] = {}

    def sent() -> bool:
        seen.update({sighting.id: sighting for sighting in sent_by(bench)})
        return len(seen) == 2

    spin_until([bench, node], sent)
    return seen


def cooperating(**parameters: Any) -> tuple[Any, Bench]:
    node = robot(1, pose_source='cooperative', **parameters)
    return node, Bench({1: (0.0, 0.0)})


def test_measurements_are_ranges_and_bearings_with_a_layout():
    node, bench = cooperating()
    seen = sighted(node, bench, Float64MultiArray, '/r1/measurements',
                   lambda: rows(7.0, 2.5, 0.25, 8.0, math.nan, -0.5))
    assert seen[7][:3] == (7, 2.5, 0.25)
    assert math.isnan(seen[8].range) and seen[8].bearing == -0.5
    assert node.robot.counts['measurements_rejected'] == 0


def test_invalid_measurements_are_counted_and_rounds_continue():
    node, bench = cooperating()
    publisher = bench.create_publisher(Float64MultiArray, '/r1/measurements', SENSOR)
    wrong = iter(2 * [rows(7.0, 2.5, 0.25),
                      rows(7.0, 2.5, 8.0, 1.5, layout=[MultiArrayDimension(size=4)] * 2)])
    bench.create_timer(0.05, lambda: publisher.publish(next(wrong, rows(1.0, -2.5, math.inf))))
    spin_until([bench, node], lambda: node.robot.counts['measurements_rejected'] >= 6)
    rounds = node.robot.counts['rounds']
    spin_until([bench, node], lambda: node.robot.counts['rounds'] > rounds + 1
               and LOCALISATION.name in bench.said[1].parts)
    assert sent_by(bench) == ()


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
        node, bench = cooperating(sighting_sources='tags', sensor_pose=CAMERA,
                                  sensor_frame='camera_optical')
        clock = bench.get_clock()
        seen = sighted(node, bench, type(tags(Time())), '/r1/tags',
                       lambda: tags(clock.now().to_msg()))
        for (x, y, _), sighting in zip(PLACES.values(), (seen[7], seen[8])):
            assert sighting[1:3] == pytest.approx((math.hypot(x, y), math.atan2(y, x)), abs=2e-3)
        assert math.isnan(seen[7].range_deviation) and not node.robot.counts['names_passed_over']


def told(bench: Any, node: Any) -> list[Any]:
    """Return the sightings that robot 1 tells until it has left out a late one."""
    seen: list[Any] = []

    def sent() -> bool:
        seen.extend(sent_by(bench))
        return bool(seen) and node.robot.counts['sightings_late'] > 0

    spin_until([bench, node], sent)
    return seen


def test_range_message_sets_time_and_deviation():
    """The message for 7 is on time and has a variance. The stamp for 8 is eight seconds old."""
    node, bench = cooperating(sighting_sources='ranges', range_ids='7-8')
    publishers = {i: bench.create_publisher(Range, f'/r1/range/robot_{i}', SENSOR) for i in (7, 8)}

    def publish() -> None:
        for i, publisher in publishers.items():
            stamp = (bench.get_clock().now() - Duration(seconds=8.0 * (i == 8))).to_msg()
            publisher.publish(Range(header=Header(stamp=stamp), range=2.5, max_range=5.0,
                                    variance=0.04))

    bench.create_timer(0.05, publish)
    seen = told(bench, node)
    assert {(s.id, s.range, s.range_deviation) for s in seen} == {(7, 2.5, 0.2)}


def test_measurement_columns_set_stamps_and_deviations():
    node, bench = cooperating()
    label = 'id,range,bearing,range_deviation,bearing_deviation,stamp'
    layout = [MultiArrayDimension(label='sightings', size=2, stride=12),
              MultiArrayDimension(label=label, size=6, stride=6)]
    publisher = bench.create_publisher(Float64MultiArray, '/r1/measurements', SENSOR)

    def publish() -> None:
        now = bench.get_clock().now().nanoseconds * 1e-9
        publisher.publish(rows(7.0, 2.5, 0.25, 0.3, math.nan, now - 0.01,
                               8.0, 2.5, 0.25, 0.3, 0.02, now - 8.0, layout=layout))

    bench.create_timer(0.05, publish)
    seen = told(bench, node)
    assert {s.id for s in seen} == {7} and seen[0].range_deviation == 0.3
    assert math.isnan(seen[0].bearing_deviation)


@pytest.mark.parametrize(('source', 'package'), OPTIONAL.items())
def test_message_package_is_named_when_missing(source, package):
    if find_spec(package) is not None:
        pytest.skip(f'{package} is installed')
    with pytest.raises(ParameterError) as refused:
        robot(1, pose_source='cooperative', sighting_sources=f'measurements,{source}')
    assert str(refused.value) == (
        f'parameter sighting_sources: {source!r} needs the package {package}, which is not '
        "installed; install it, or use 'measurements'")
