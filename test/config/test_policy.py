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

"""The security policy says what the nodes really have, no more and no less."""

from argparse import Namespace
from collections import defaultdict
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
import time
from typing import Any

from leader_election.ros.nodes.election import ElectionNode
from leader_election.ros.nodes.managed_election_node import ManagedElectionNode
from leader_election.ros.nodes.monitor import Monitor
from leader_election.ros.nodes.swarm_doctor import SwarmDoctor
from leader_election.ros.nodes.wander import WanderNode
from lxml import etree
import pytest
from rclpy.node import Node
from rclpy.parameter import Parameter
from support import PATIENCE

POLICY = etree.parse(Path(__file__).parents[2] / 'config' / 'security' / 'policy.xml').getroot()
RIGHTS = {'publish': 'publisher', 'subscribe': 'subscriber', 'reply': 'service',
          'request': 'client'}
"""What each right is called where ROS counts what a node has."""
ROBOT: dict[str, Any] = {'robot_id': 1}
TRANSFORMS = {'/tf', '/tf_static'}
"""What tf2 subscribes to. It is not on PyPI, so this is asked of the node only in a full ROS 2."""
WITH_TF = find_spec('tf2_ros') is not None
OPTIONAL = {'detections': 'vision_msgs', 'tags': 'tf2_msgs'}
"""Sources of sightings whose messages are not on PyPI."""
SOURCES = [source for source, package in OPTIONAL.items() if find_spec(package) is not None]
PROFILES: dict[str, tuple[str, list[tuple[type[Node], dict[str, Any]]]]] = {
    'election_node': ('/alice', [
        (ElectionNode, ROBOT | {
            'metric': 'range', 'strength_source': 'battery', 'tasks': 'field,rally'}
         | ({'pose_source': 'tf'} if WITH_TF else {})),
        (ElectionNode, ROBOT | {'strength_source': 'topic', 'tasks': 'count,patrol'}),
        (ElectionNode, ROBOT | {
            'pose_source': 'cooperative', 'send_transform': 'tags' in SOURCES, 'range_ids': '2',
            'sighting_sources': ','.join(['measurements', 'ranges', *SOURCES])}),
        (ElectionNode, ROBOT | {'tasks': 'dispatch', 'dispatch.drive_by': 'nav2'}),
        (ManagedElectionNode, ROBOT | {'use_sim_time': True})]),
    'wander': ('/alice', [
        (WanderNode, {'use_sim_time': True}), (WanderNode, {'world': 'blocks'})]),
    'monitor': ('/', [(Monitor, {'use_sim_time': True})]),
}
"""Each profile: its namespace, and nodes in settings that together have all that there may be."""


@pytest.fixture(autouse=True)
def context(ros: None) -> Iterator[None]:
    """Have ROS in each test."""
    yield


def has(kind: type[Node], namespace: str, parameters: dict[str, Any]) -> dict[str, set[str]]:
    """Return the entities of a node by permission."""
    node = kind(namespace=namespace, use_global_arguments=False,  # type: ignore[call-arg]
                cli_args=['--ros-args', '-r', 'neighbourhood:=/neighbourhood'],
                parameter_overrides=[Parameter(name, value=value)
                                     for name, value in parameters.items()])
    try:
        return {right: settled(node, f'get_{what}_names_and_types_by_node')
                for right, what in RIGHTS.items()}
    finally:
        getattr(node, 'close', lambda: None)()
        node.destroy_node()


def settled(node: Node, ask: str) -> set[str]:
    """Return the names that the graph knows of a node, once it knows the node."""
    end = time.monotonic() + PATIENCE
    while (node.get_name(), node.get_namespace()) not in node.get_node_names_and_namespaces():
        assert time.monotonic() < end
    return {name for name, _ in getattr(node, ask)(node.get_name(), node.get_namespace())}


def may(name: str) -> dict[str, set[str]]:
    """Return the topics that a profile allows by permission, with full names as by SROS2."""
    (profile,) = POLICY.iterfind(f".//profile[@node='{name}']")
    namespace = profile.get('ns').rstrip('/')
    found: dict[str, set[str]] = defaultdict(set)
    for group in profile.iterchildren('topics', 'services'):
        assert set(group.attrib.values()) == {'ALLOW'}
        for right in group.attrib:
            for element in group.iterchildren('topic', 'service'):
                text = element.text.replace('~', f'{namespace}/{name}', 1)
                found[right].add(text if text.startswith('/') else f'{namespace}/{text}')
    return found


@pytest.mark.parametrize('name', PROFILES)
def test_profile_allows_exactly_the_topics_of_its_node(name: str) -> None:
    namespace, settings = PROFILES[name]
    found: dict[str, set[str]] = defaultdict(set)
    for kind, parameters in settings:
        for right, names in has(kind, namespace, parameters).items():
            found[right] |= names
    allowed = may(name)
    if name == 'election_node' and not WITH_TF:
        found['subscribe'] |= TRANSFORMS
    if name == 'election_node':
        found['subscribe'] |= {f'{namespace}/{source}' for source in OPTIONAL}
        if 'tags' not in SOURCES:
            found['publish'].add('/tf')
        if find_spec('nav2_msgs') is not None:
            # The policy names the action, and the topic for robots without its type.
            actions = {name for names in found.values() for name in names if '/_action/' in name}
            assert {name.partition('/_action/')[0] for name in actions} == {
                f'{namespace}/{action.text}' for action in POLICY.iter('action')}
            found = {right: names - actions for right, names in found.items()}
            found['publish'].add(f'{namespace}/goal_pose')
        # A topic for each neighbour.
        found['subscribe'].remove(f'{namespace}/range/robot_2')
        found['subscribe'].add(f'{namespace}/range/*')
    assert {right: sorted(allowed[right]) for right in RIGHTS} == {
        right: sorted(found[right]) for right in RIGHTS}


def test_every_profile_is_tested() -> None:
    assert {profile.get('node') for profile in POLICY.iter('profile')} == {*PROFILES, 'record'}


def test_recorder_profile_publishes_nothing_to_robots(tmp_path: Path) -> None:
    pytest.importorskip('mcap', reason='mcap is not installed: nothing can be recorded')
    from leader_election.ros.nodes.recorder import Recorder
    allowed = may('record')
    found = has(Recorder, '/', {'output': str(tmp_path / 'run.mcap'), 'use_sim_time': True})
    assert allowed['subscribe'] == {'/*'}
    assert allowed['publish'] == found['publish'] == {'/rosout', '/parameter_events'}
    # Those of its own parameters: without them its node does not start under Enforce.
    assert allowed['reply'] == found['reply'] != set()
    assert allowed['request'] == found['request'] == set()


def test_recorder_profile_suffices_for_the_doctor() -> None:
    doctor = SwarmDoctor(Namespace(expected={}, fleet_file='', robot='', radio_topics=()))
    allowed = may('record')
    for right in ('publish', 'reply', 'request'):
        assert settled(doctor, f'get_{RIGHTS[right]}_names_and_types_by_node') <= allowed[right]
    doctor.destroy_node()


def test_policy_for_another_robot_differs_by_its_name() -> None:
    """Every rule in the enclave of a robot contains the robot's name."""
    text = etree.tostring(POLICY).decode().replace('alice', 'bob')
    robots = {enclave.get('path') for enclave in etree.fromstring(text).iter('enclave')}
    assert robots == {'/swarm/bob', '/swarm/laptop'} and 'alice' not in text
