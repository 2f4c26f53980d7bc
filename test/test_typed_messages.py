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

"""The package of messages builds, and its typed outputs say what the texts say."""

from collections.abc import Iterator
from contextlib import ExitStack
import json
import subprocess
import sys
from typing import Any

from environment import with_messages
import pytest

LISTENER = """
import json
import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from leader_election_msgs.msg import Leadership, Region
from nav_msgs.msg import Odometry
from rclpy.node import Node
from rclpy.qos import QoSDurabilityPolicy, QoSProfile

def plain(value):
    if hasattr(value, 'get_fields_and_field_types'):
        return {name: plain(getattr(value, name)) for name in value.get_fields_and_field_types()}
    return value if isinstance(value, (str, int, float)) else [plain(each) for each in value]

rclpy.init()
node, last = Node('listener'), {}
latched = QoSProfile(depth=1, durability=QoSDurabilityPolicy.TRANSIENT_LOCAL)
for topic, kind in (('leadership', DiagnosticArray), ('leadership/typed', Leadership),
                    ('region/typed', Region)):
    node.create_subscription(kind, topic, lambda m, t=topic: last.update({t: plain(m)}), latched)
odometry = [node.create_publisher(Odometry, f'/robot_{i}/odom', 1) for i in (3, 5, 7)]
places = [Odometry(), Odometry(), Odometry()]
places[0].pose.pose.position.x = places[1].pose.pose.position.y = 2.0
node.create_timer(0.1, lambda: [each.publish(at) for each, at in zip(odometry, places)])
while True:
    rclpy.spin_once(node)
    typed, region = last.get('leadership/typed'), last.get('region/typed')
    if (typed and typed['header'] == last.get('leadership', typed)['header']
            and typed['leader'] == 7 and typed['mandate'][0]['leader'] == 7
            and (typed['id'] == 3 or region and region['members'] == [3, 5]
                 and region['outline']['points'])):
        print(json.dumps(last))
        break
"""


@pytest.fixture(scope='module')
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return the variables of processes with the messages."""
    return with_messages(tmp_path_factory.mktemp('messages'))


@pytest.fixture
def robots(environment: dict[str, str]) -> Iterator[None]:
    """Start three robots. Robots 3 and 5 follow robot 7."""
    with ExitStack() as stack:
        for robot in (3, 5, 7):
            process = stack.enter_context(subprocess.Popen(
                [sys.executable, '-m', 'leader_election', 'election_node', '--ros-args',
                 '-r', f'__ns:=/robot_{robot}', '-r', 'neighbourhood:=/neighbourhood',
                 *(word for setting in (f'robot_id:={robot}', f'strength:={robot}.0',
                                        'mandate:=4.0', 'round_period:=0.2')
                   for word in ('-p', setting))], env=environment))
            stack.callback(process.kill)
        yield


def heard_from(robot: int, environment: dict[str, str]) -> dict[str, Any]:
    """Return the last messages of a robot by topic, those of leadership of the same round."""
    ran = subprocess.run(
        [sys.executable, '-c', LISTENER, '--ros-args', '-r', f'__ns:=/robot_{robot}'],
        env=environment, capture_output=True, text=True, timeout=60)
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


def test_typed_outputs_equal_the_texts(robots: None, environment: dict[str, str]) -> None:
    for robot in (3, 7):
        compare(robot, heard_from(robot, environment))


def compare(robot: int, heard: dict[str, Any]) -> None:
    """Compare the typed messages of a robot with its texts."""
    typed = heard['leadership/typed']
    [status] = heard['leadership']['status']
    texts = {pair['key']: pair['value'] for pair in status['values']}
    [mandate] = typed['mandate']
    assert {name: str(typed[name]) for name in (
        'id', 'instance', 'leader', 'leader_namespace', 'role', 'hops', 'reason',
        'because')} == {
        name: texts[name] for name in (
            'id', 'instance', 'leader', 'leader_namespace', 'role', 'hops', 'reason', 'because')}
    assert typed['leader'] == 7 and typed['name'] == texts['namespace'] == f'/robot_{robot}'
    assert typed['is_leader'] == (texts['is_leader'] == 'true') == (robot == 7)
    assert typed['distance'] == float(texts['distance']) == (0.0 if robot == 7 else 2.0)
    assert '{sec}.{nanosec:09d}'.format(**typed['since']) == texts['since']
    assert (str(mandate['leader']), str(mandate['leader_term'])) == (
        texts['mandate_of'], texts['mandate_term'])
    assert mandate['acting'] == (texts['acting'] == 'true') == (robot == 7)
    assert str(mandate['term']) == (texts['term'] or '0')
    assert ','.join(map(str, mandate['over'])) == texts['acts_over']
    ends = [each['sec'] + each['nanosec'] * 1e-9
            for each in (mandate['acting_until'], *mandate['over_until'])]
    assert ends == pytest.approx([float(each) for each in (
        texts['acting_until'] or '0', *filter(None, texts['acts_until'].split(',')))], abs=1e-6)
    if robot == 7:
        region = heard['region/typed']
        assert (region['leader'], region['instance'], region['members']) == (7, 'main', [3, 5])
        assert {(point['x'], point['y']) for point in region['outline']['points']} == {
            (0.0, 0.0), (2.0, 0.0), (0.0, 2.0)}
        assert region['header']['frame_id'] == typed['header']['frame_id'] == 'map'
