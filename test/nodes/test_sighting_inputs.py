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

from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec
import math
from typing import Any

from geometry_msgs.msg import Point, Pose, TransformStamped, Vector3
from leader_election.nodes.qos import SENSOR
from leader_election.parameters import ParameterError
from leader_election.registry import message_type
from nodes.bench import Bench, destroy_nodes, robot
import pytest
from rclpy.publisher import Publisher
from sensor_msgs.msg import Range
from std_msgs.msg import Float64MultiArray, MultiArrayDimension
from support import spin_until

LAYOUT = [MultiArrayDimension(label='sightings', size=2, stride=6),
          MultiArrayDimension(label='id,range,bearing', size=3, stride=3)]
OPTIONAL = {'detections': 'vision_msgs', 'tags': 'tf2_msgs'}
"""The sources that need a package which is not on PyPI."""


@pytest.fixture(autouse=True)
def no_node_is_left(ros: None) -> Iterator[None]:
    """Start ROS, and take the nodes down after."""
    yield
    destroy_nodes()


def rows(*numbers: float, layout: Any = LAYOUT) -> Float64MultiArray:
    message = Float64MultiArray(data=list(numbers))
    message.layout.dim = layout
    return message


def sighted(node: Any, bench: Bench, kind: type, topic: str, message: Any,
            ) -> dict[int, tuple[float, float]]:
    """Publish a message again and again; return the sightings that robot 1 sends to others."""
    publisher: Publisher = bench.create_publisher(kind, topic, SENSOR)
    bench.create_timer(0.05, lambda: publisher.publish(message))
    seen: dict[int, tuple[float, float]] = {}

    def sent() -> bool:
        said = bench.said.get(1)
        if said is not None and said.localisation is not None:
            seen.update({s.id: (s.range, s.bearing) for s in said.localisation.sightings})
        return len(seen) == 2

    spin_until([bench, node], sent)
    return seen


def cooperating(**parameters: Any) -> tuple[Any, Bench]:
    node = robot(1, pose_source='cooperative', sighting_interval=0.1, **parameters)
    return node, Bench({1: (0.0, 0.0)})


def test_measurements_with_a_layout_have_ranges_and_bearings() -> None:
    node, bench = cooperating()
    seen = sighted(node, bench, Float64MultiArray, '/r1/measurements',
                   rows(7.0, 2.5, 0.25, 8.0, math.nan, -0.5))
    assert seen[7] == (2.5, 0.25)
    assert math.isnan(seen[8][0]) and seen[8][1] == -0.5
    assert node.robot.counts['measurements_rejected'] == 0


def test_measurements_without_a_layout_are_ranges() -> None:
    node, bench = cooperating(range_offset=0.5)
    seen = sighted(node, bench, Float64MultiArray, '/r1/measurements',
                   rows(7.0, 2.5, 8.0, 1.5, layout=[]))
    assert {i: distance for i, (distance, _) in seen.items()} == {7: 3.0, 8: 2.0}
    assert all(math.isnan(bearing) for _, bearing in seen.values())


@pytest.mark.parametrize('message', [
    rows(7.0, 2.5, 0.25),
    rows(7.0, 2.5, 8.0, 1.5, layout=[MultiArrayDimension(size=4), MultiArrayDimension(size=1)]),
    rows(1.0, 2.5, 0.0, 7.0, -2.5, 0.0), rows(7.5, 2.5, 0.0, -1.0, 2.5, 0.0),
    rows(7.0, math.inf, 0.0, 8.0, 1e9, 0.0), rows(7.0, 1.0, math.inf, 1e300, 1.0, 0.0)])
def test_what_cannot_be_measured_is_counted_and_rounds_go_on(message: Float64MultiArray) -> None:
    node, bench = cooperating()
    publisher = bench.create_publisher(Float64MultiArray, '/r1/measurements', SENSOR)
    bench.create_timer(0.05, lambda: publisher.publish(message))
    spin_until([bench, node], lambda: node.robot.counts['measurements_rejected'] >= 2)
    rounds = node.robot.counts['rounds']
    spin_until([bench, node], lambda: node.robot.counts['rounds'] > rounds + 1
               and bench.said[1].localisation is not None)
    localisation = bench.said[1].localisation
    assert localisation is not None and localisation.sightings == ()


def test_a_topic_of_ranges_for_each_neighbour() -> None:
    """Robot 1 has a topic for 7 and one for 8; metric range goes by them, without a filter."""
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


def detections() -> Any:
    def found(name: str, x: float, y: float) -> Any:
        detection = message_type('vision_msgs/msg/Detection3D')(id=name)
        detection.bbox.center = Pose(position=Point(x=x, y=y))
        return detection

    message = message_type('vision_msgs/msg/Detection3DArray')()
    message.detections = [found('robot_7', 2.0, 0.0), found('8', 0.0, 1.0)]
    return message


def tags() -> Any:
    def found(name: str, x: float, y: float) -> Any:
        transform = TransformStamped(child_frame_id=name)
        transform.transform.translation = Vector3(x=x, y=y)
        return transform

    return message_type('tf2_msgs/msg/TFMessage')(
        transforms=[found('tag36h11:7', 2.0, 0.0), found('robot_8', 0.0, 1.0)])


@pytest.mark.parametrize(('source', 'make'), [('detections', detections), ('tags', tags)])
def test_drivers_that_name_what_they_find(source: str, make: Callable[[], Any]) -> None:
    if find_spec(OPTIONAL[source]) is None:
        pytest.skip(f'{OPTIONAL[source]} is not installed: it is not on PyPI')
    node, bench = cooperating(sighting_sources=source)
    message = make()
    seen = sighted(node, bench, type(message), f'/r1/{source}', message)
    assert seen == {7: (2.0, 0.0), 8: (1.0, pytest.approx(math.pi / 2, abs=1e-3))}


@pytest.mark.parametrize(('source', 'package'), OPTIONAL.items())
def test_a_package_that_is_not_installed_is_named(source: str, package: str) -> None:
    if find_spec(package) is not None:
        pytest.skip(f'{package} is installed')
    with pytest.raises(ParameterError) as refused:
        robot(1, pose_source='cooperative', sighting_sources=f'measurements,{source}')
    assert str(refused.value) == (
        f'parameter sighting_sources: {source!r} needs the package {package}, which is not '
        "installed; install it, or use 'measurements'")
