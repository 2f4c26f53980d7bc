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

import json
from pathlib import Path
import subprocess
import sys
from typing import Any

from environment import with_messages
import pytest

SWARM = """
import json
import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from leader_election.ros.nodes.declare import overrides
from leader_election.ros.nodes.election import ElectionNode
from leader_election.ros.nodes.qos import STATE
from leader_election_msgs.msg import Leadership, Region
from nav_msgs.msg import Odometry
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node

def plain(value):
    if hasattr(value, 'get_fields_and_field_types'):
        return {name: plain(getattr(value, name)) for name in value.get_fields_and_field_types()}
    return value if isinstance(value, (str, int, float)) else [plain(each) for each in value]

def complete(robot):
    texts, typed, region = (last[robot].get(topic) for topic in TOPICS)
    return (texts and typed and typed['header'] == texts['header'] and typed['leader'] == 7
            and typed['mandate'][0]['leader'] == 7 and (robot == 3 or region
            and region['members'] == [3, 5] and region['outline']['points']))

def take(robot, topic, message):
    if robot not in done:
        last[robot][topic] = plain(message)
        if complete(robot):
            done[robot] = last[robot]

TOPICS = {'leadership': DiagnosticArray, 'leadership/typed': Leadership, 'region/typed': Region}
rclpy.init()
watch, executor, last, done = Node('watch'), SingleThreadedExecutor(), {3: {}, 7: {}}, {}
for robot in last:
    for topic, kind in TOPICS.items():
        watch.create_subscription(kind, f'/robot_{robot}/{topic}', lambda message, robot=robot,
                                  topic=topic: take(robot, topic, message), STATE)
places = {3: Odometry(), 5: Odometry(), 7: Odometry()}
places[3].pose.pose.position.x = places[5].pose.pose.position.y = 2.0
odometry = {i: watch.create_publisher(Odometry, f'/robot_{i}/odom', 1) for i in places}
watch.create_timer(0.1, lambda: [odometry[i].publish(at) for i, at in places.items()])
for node in (watch, *(ElectionNode(
        namespace=f'/robot_{i}', cli_args=['--ros-args', '-r', 'neighbourhood:=/neighbourhood'],
        parameter_overrides=overrides({'robot_id': i, 'strength': float(i), 'mandate': 4.0,
                                       'round_period': 0.2})) for i in places)):
    executor.add_node(node)
while len(done) < 2:
    executor.spin_once()
print(json.dumps(done))
"""
"""Three robots. Robots 3 and 5 follow robot 7. What 3 and 7 publish in one round is printed."""


def test_typed_outputs_equal_the_texts(tmp_path: Path) -> None:
    ran = subprocess.run([sys.executable, '-c', SWARM], env=with_messages(tmp_path),
                         capture_output=True, text=True, timeout=120)
    assert ran.returncode == 0, ran.stderr
    for robot, heard in json.loads(ran.stdout).items():
        compare(int(robot), heard)


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
