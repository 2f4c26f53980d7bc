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

"""Configuration files for RViz, Foxglove, rosbag2 and diagnostics name things that exist."""

import json
from pathlib import Path
import re

from leader_election.config import FILES, write
from leader_election.election.robot.parameters import ElectionParameters
from leader_election.election.robot.robot import Robot
from leader_election.parameters import build, table
from leader_election.ros.nodes.monitor import Markers
from leader_election.ros.nodes.qos import NEIGHBOURHOOD, STATE
from leader_election.ros.nodes.robot_diagnostics import statuses
from leader_election.simulation.parameters import WorldParameters
from leader_election.simulation.world import World
from leader_election.swarm.recording.options import matches, REPLAYED
from leader_election.swarm.snapshot import RobotView, Snapshot
from leader_election.swarm.view.frame import Frame
import pytest
from rclpy.node import Node
from rclpy.qos import QoSProfile
from ros.nodes.bench import robot
import yaml

CONFIG = Path(__file__).parents[1] / 'config'


@pytest.fixture
def topics(ros) -> dict[str, list[str]]:
    """Return the topics of a robot, the embedded world and the monitor, with their types."""
    from leader_election.ros.nodes.declare import overrides
    from leader_election.ros.nodes.monitor import Monitor
    from leader_election.ros.nodes.swarm_world import SwarmWorld
    nodes: list[Node] = [
        robot(1, tasks='count'),
        Monitor(parameter_overrides=overrides({'live': False})),
        SwarmWorld(parameter_overrides=overrides({'robots': 1, 'publish_clock': True}))]
    found = dict(nodes[0].get_topic_names_and_types())
    # The robots of the bench have shorter names.
    return {topic.replace('/r1/', '/robot_1/'): kinds for topic, kinds in found.items()}


def walk(layout):
    """Yield the panels of a Foxglove layout, and check its halves."""
    if isinstance(layout, str):
        yield layout
        return
    assert layout['direction'] in ('row', 'column') and 0 < layout.get('splitPercentage', 50) < 100
    yield from walk(layout['first'])
    yield from walk(layout['second'])


def test_foxglove_layout_shows_each_panel_once_and_existing_topics(topics):
    layout = json.loads((CONFIG / 'foxglove.json').read_text())
    assert layout.keys() == {
        'configById', 'globalVariables', 'userNodes', 'playbackConfig', 'layout'}
    panels = list(walk(layout['layout']))
    assert sorted(panels) == sorted(layout['configById']), 'each has a place, and each is set'
    assert {panel.partition('!')[0] for panel in panels} == {
        '3D', 'StateTransitions', 'Plot', 'RawMessages', 'DiagnosticSummary'}
    text = json.dumps([{k: v for k, v in panel.items() if k != 'publish'}
                       for panel in layout['configById'].values()])
    named = set(re.findall(r'"(/[a-z0-9_/]+)', text))
    assert len(named) > 8
    for topic in named:
        of_first = re.sub(r'robot_\d+', 'robot_1', topic)
        assert of_first in topics, topic
        # And in a recording as it is made by default. Trails are long.
        assert matches(topic, REPLAYED) or topic == '/trails'


def test_rviz_shows_existing_topics_and_every_namespace(topics):
    rviz = yaml.safe_load((CONFIG / 'swarm.rviz').read_text())
    arrays = {display['Name']: display for display in rviz['Visualization Manager']['Displays']
              if display['Class'].endswith('/MarkerArray')}
    for display in arrays.values():
        topic = display['Topic']['Value']
        assert topics[f'/{topic}'] == ['visualization_msgs/msg/MarkerArray']
    # Relative: those of the namespace that RViz is in, which is that of the swarm.
    assert not [display['Topic']['Value'] for display in rviz['Visualization Manager']['Displays']
                if display.get('Topic', {'Value': ''})['Value'].startswith('/')]
    leader = RobotView(3, (0.0, 0.0), -9.0, 0.0, 3, ('count',), 2.0, '[{"members":2}]')
    other = leader._replace(id=5, position=(1.0, 0.0), fields={'level': 1},
                            deviation=0.2)
    frame = Frame(Snapshot(0.0, {3: leader, 5: other}, {7: other}), {3: (1.0, 0.0, 0.0)})
    shown = {marker.ns for marker in Markers('map').update(frame, 5.0).markers}
    assert set(arrays['Swarm']['Namespaces']) == shown
    trails = Markers('map').trails({3: [(0, 0), (1, 0)]}, frame)
    assert {marker.ns for marker in trails.markers} == {'trails'}


def test_diagnostics_are_grouped_by_existing_concerns():
    told = statuses(Robot(ElectionParameters(robot_id=1, tasks='')), 'robot_1', 0.0)
    concerns = {status.name.removeprefix('robot_1: ') for status in told}
    concerns |= {'mandates', 'regions'}
    settings = yaml.safe_load((CONFIG / 'diagnostics.yaml').read_text())['/**']['ros__parameters']
    groups = {name: group for name, group in settings.items() if isinstance(group, dict)}
    robots = groups.pop('robots')['analyzers']
    assert set(groups) == concerns
    assert all(group['contains'] == [f': {name}'] for name, group in groups.items())
    # Not every swarm has ten robots, or regions.
    assert all(one['num_items'] == 0 for one in (*robots.values(), *groups.values()))
    assert all(one['find_and_remove_prefix'] == [f'{name}: '] for name, one in robots.items())


@pytest.mark.parametrize('topic, profile', [
    ('/neighbourhood', NEIGHBOURHOOD), ('/world', STATE), ('/robot_1/leader', STATE)])
def test_rosbag2_has_the_profiles_of_the_topics(topic: str, profile: QoSProfile) -> None:
    told = yaml.safe_load((CONFIG / 'rosbag2' / 'qos_overrides.yaml').read_text())
    assert len(told) == 3
    assert told[topic] == {
        'history': profile.history.name.lower(), 'depth': profile.depth,
        'reliability': profile.reliability.name.lower(),
        'durability': profile.durability.name.lower()}


def test_rosbag2_storage_has_only_options_of_the_mcap_writer():
    told = yaml.safe_load((CONFIG / 'rosbag2' / 'storage.yaml').read_text())
    assert told.keys() <= {
        'noChunkCRC', 'noAttachmentCRC', 'enableDataCRC', 'noChunking', 'noMessageIndex',
        'noSummary', 'chunkSize', 'compression', 'compressionLevel', 'forceCompression'}
    assert told['compression'] in ('None', 'Lz4', 'Zstd')


def test_ros2_bag_records_the_topics_of_the_documented_expression():
    text = (CONFIG.parent / 'doc' / 'seeing.md').read_text()
    [expression] = re.findall(r"--regex '(.*)'", text)
    for name in REPLAYED:
        assert re.match(expression, f'/robot_3/{name}'), name
    assert re.match(expression, '/clock') and not re.match(expression, '/robot_3/odometry')
    assert sorted(expression.partition('(neigh')[2].rstrip(')$').split('|')[1:]) == sorted(
        REPLAYED[1:])


# The configuration files are what the declarations say, and are what nodes can read.


def test_generated_files_are_up_to_date(tmp_path: Path) -> None:
    write(tmp_path)
    for name in FILES:
        assert (CONFIG / name).read_text() == (tmp_path / name).read_text(), 'run make config'


@pytest.mark.parametrize(('name', 'robots'), [('barriers', 5), ('drift', 20)])
def test_scenario_sets_parameters_of_world_and_robots(name: str, robots: int) -> None:
    values = yaml.safe_load((CONFIG / f'{name}.yaml').read_text())['/**']['ros__parameters']
    world = {p.name for p in table(WorldParameters)}
    of_robots = {p.name for p in table(ElectionParameters)}
    assert not values.keys() - world - of_robots
    found = World(build(WorldParameters, {k: v for k, v in values.items() if k in world}))
    assert len(found.poses) == robots
    build(ElectionParameters, {'robot_id': 1, **{
        k: v for k, v in values.items() if k in of_robots}})
