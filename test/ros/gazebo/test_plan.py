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

"""Plans of swarms and of spawned robots: consistent robots, world and bridge."""

from dataclasses import replace
from pathlib import Path
import re
from typing import Any
from xml.etree import ElementTree

from leader_election.parameters import build, ParameterError, table
from leader_election.ros.gazebo.plan import (
    bridge_yaml,
    clock_bridge_yaml,
    GazeboParameters,
    main,
    Plan,
    plan_spawn,
    plan_swarm,
    SpawnParameters,
)
from leader_election.ros.gazebo.world_file import Equipment
from leader_election.simulation.parameters import GazeboOdometryParameters
from leader_election.swarm.fleet.robot_list import RobotSpec
import pytest
import yaml

TWO = '{name: alice, id: 7, pose: {x: -8, y: 5}}; {name: bob, pose: {x: 8, y: 5}}'


@pytest.fixture
def depot(tmp_path: Path) -> str:
    """Return the path of a user's world."""
    (tmp_path / 'depot.sdf').write_text('<sdf version="1.7"><world name="my depot"></world></sdf>')
    return str(tmp_path / 'depot.sdf')


def plan(**given: object) -> Plan:
    return plan_swarm(build(GazeboParameters, given))


def test_equipment_is_declared_as_node_gazebo_odometry_has_it() -> None:
    node, own = ({p.name: replace(p, default=None) for p in table(kind)}
                 for kind in (GazeboOdometryParameters, Equipment))
    shared = node.keys() & own.keys()
    assert shared == {'ground_truth', 'odometry_drift', 'bumper'}
    assert all(node[name] == own[name] for name in shared)


def names(made: Plan) -> list[str]:
    return [robot.name for robot in made.robots]


@pytest.mark.parametrize('robots', ['3', TWO])
def test_all_parts_contain_the_same_robots(robots):
    made = plan(robots=robots, lidar=8)
    models = [model.get('name') for model in ElementTree.fromstring(made.sdf).iter('model')]
    topics = [row['ros_topic_name'].split('/')[0] for row in yaml.safe_load(made.bridge)]
    assert made.odometry['robots'].split(',') == names(made)
    assert models == ['ground', 'arena', *names(made)]
    assert list(dict.fromkeys(topics)) == names(made)
    assert (made.world_name, made.arena) == ('swarm', 'blocks')


def test_odometry_drifts_when_configured():
    made = plan(robots='2', seed=5, odometry_drift=True, ground_truth=True)
    assert made.odometry == {'robots': 'robot_1,robot_2', 'seed': 5, 'odometry_drift': True,
                             'ground_truth': True, 'bumper': True, 'scanner_height': 0.0}
    assert plan(robots='2', bumper=False).odometry == {}
    # The frame of the scanner, which Gazebo names after the model.
    assert plan(robots='2', lidar=36, bumper=False).odometry['scanner_height'] > 0.0
    assert spawn_plan().odometry['robots'] == 'robot_31'


def heights(made: Plan) -> list[float]:
    return [float(model.findtext('pose', '').split()[2])
            for model in ElementTree.fromstring(made.sdf).iter('model')
            if model.get('name', '').startswith('robot_')]


def test_robots_are_put_at_the_height_that_is_given(depot):
    assert heights(plan(robots='2', z=0.5)) == [0.5, 0.5]
    assert heights(plan(robots='2', world=depot, z=1.5)) == [1.5, 1.5]
    assert heights(spawn_plan(z=-0.5)) == [-0.5]


@pytest.mark.parametrize(('given', 'line'), [
    ({'robots': '0'}, 'parameter robots: 0 is not allowed; it takes 1 to 10000'),
    ({'robots': '4', 'spacing': 0.1, 'layout': 'grid', 'world': 'empty'},
     'robot_1 and robot_2 would start within each other'),
    ({'lidar': 1}, 'parameter lidar: 1 is not allowed; it takes 0, or at least 8 beams'),
    ({'robots': '9', 'spacing': 20, 'layout': 'grid'}, 'parameter robots: 9 do not fit'),
    ({'robots': '{name: a}'}, 'no room for a'),
    ({'world': 'nowhere'}, "parameter world: 'nowhere' is none of"),
    ({'world': 'no.sdf'}, "parameter world: 'no.sdf' cannot be read"),
])
def test_wrong_parameter_is_refused(given, line):
    with pytest.raises(ParameterError, match=line):
        plan(**given)


def spawn_plan(**given: object) -> Plan:
    return plan_spawn(build(SpawnParameters, {'id': 31, 'x': 9.0, 'y': 0.0} | given))


def test_robots_without_scanner_in_a_users_world_are_blind(depot):
    blind = {'world': '', 'blind': True}
    assert plan(robots='1', world=depot).wander == blind == spawn_plan(world=depot).wander
    assert plan(robots='1', world=depot, lidar=36).wander == {'world': ''}
    assert plan(robots='1').wander == spawn_plan().wander == {'world': 'blocks'}


def test_spawned_robot_has_the_name_of_its_world(depot):
    for given, name, arena in (
            ({}, 'swarm', 'blocks'), ({'world': depot, 'x': 99.0}, 'my depot', '')):
        made = spawn_plan(**given)
        assert (made.world_name, made.arena) == (name, arena)
        assert made.robots[0].name == 'robot_31'


@pytest.mark.parametrize('document', ['README.md', 'doc/tutorials/gazebo.md'])
def test_documented_pose_is_free(document):
    text = (Path(__file__).parents[3] / document).read_text()
    (words,) = re.findall(r'spawn\.launch\.py (.*)', text)
    given = dict(word.split(':=') for word in words.split())
    made = spawn_plan(id=int(given['id']), x=float(given['x']), y=float(given['y']))
    assert made.robots[0].id == 31


@pytest.mark.parametrize(('given', 'line'), [
    ({'x': 0.0}, r'parameter x, y: there is no room for robot_31 at \(0, 0\)'),
    ({'world': ''}, "parameter world: '' is not allowed"),
    ({'lidar': 7}, 'parameter lidar: 7'), ({'x': None}, 'parameter x is missing'),
    ({'name': 'a b'}, "'a b' is not a name")])
def test_wrong_parameter_of_a_spawned_robot_is_refused(given, line):
    with pytest.raises(ParameterError, match=line):
        spawn_plan(**given)


ROBOTS = [RobotSpec('alice', 1), RobotSpec('bob', 2)]
PLAIN_ROBOT = Equipment(bumper=False)
KEYS = {'ros_topic_name', 'gz_topic_name', 'ros_type_name', 'gz_type_name', 'direction', 'lazy'}


def rows(equipment: Equipment = PLAIN_ROBOT) -> dict[str, dict[str, Any]]:
    listed = yaml.safe_load(bridge_yaml(ROBOTS, equipment))
    assert all(row.keys() == KEYS for row in listed)
    by_name = {row['ros_topic_name']: row for row in listed}
    assert len(by_name) == len({row['gz_topic_name'] for row in listed}) == len(listed)
    return by_name


def test_each_robot_has_its_topics_and_the_clock_is_bridged_by_itself():
    assert list(rows()) == ['alice/odom', 'alice/cmd_vel', 'alice/tf',
                            'bob/odom', 'bob/cmd_vel', 'bob/tf']
    assert [row['ros_topic_name'] for row in yaml.safe_load(clock_bridge_yaml())] == ['/clock']


@pytest.mark.parametrize(('equipment', 'most'), [
    (Equipment(ground_truth=True, bumper=False), 1), (Equipment(), 0)])
def test_robot_has_few_topics_in_the_simulator(equipment, most):
    """
    Each is announced every second, all at once, and buffers overflow.

    The drive has two, odometry and tf. The pose publisher has one, and the bumper.
    """
    (model,) = ElementTree.fromstring(plan(
        robots='1', ground_truth=equipment.ground_truth, bumper=equipment.bumper).sdf).findall(
            'world/model[@name="robot_1"]')
    systems = [plugin.get('filename') for plugin in model.findall('plugin')]
    assert systems == ['gz-sim-diff-drive-system', *['gz-sim-pose-publisher-system'] * most]
    assert len(list(model.iter('sensor'))) == equipment.bumper
    assert len(rows(equipment)) <= 2 * 3
    if most:
        parts = {part.tag: part.text for part in model.findall('plugin')[1]}
        assert parts['use_pose_vector_msg'] == parts['publish_link_pose'] == 'false'
        assert parts['publish_model_pose'] == parts['publish_nested_model_pose'] == 'true'


def test_topics_are_the_simulators_defaults():
    found = rows(Equipment(36, ground_truth=True, bumper=True, imu=True))
    assert {row['ros_topic_name']: (row['gz_topic_name'], row['gz_type_name'])
            for row in found.values() if row['ros_topic_name'].startswith('bob')} == {
        'bob/wheel_odometry': ('/model/bob/odometry', 'gz.msgs.Odometry'),
        'bob/cmd_vel': ('/model/bob/cmd_vel', 'gz.msgs.Twist'),
        'bob/scan': ('/model/bob/scan', 'gz.msgs.LaserScan'),
        'bob/true_pose': ('/model/bob/pose', 'gz.msgs.Pose'),
        'bob/contacts': ('/model/bob/contacts', 'gz.msgs.Contacts'),
        'bob/imu': ('/model/bob/imu', 'gz.msgs.IMU')}
    assert rows()['bob/tf']['gz_topic_name'] == '/model/bob/tf'


# The command gazebo_world.


def test_command_writes_world_bridge_and_robots(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(['--robots', '3', '--world', 'rooms', '--output', 'new']) == 0
    out, err = capsys.readouterr()
    assert sorted(file.name for file in (tmp_path / 'new').iterdir()) == [
        'bridge.yaml', 'clock.yaml', 'robots.yaml', 'world.sdf']
    said, *commands = out.splitlines()
    assert err == '' and '3 robots in world swarm' in said
    assert all('new/' not in line.replace(f'{tmp_path}/new', '') for line in commands), 'absolute'
    nodes = yaml.safe_load((tmp_path / 'new' / 'robots.yaml').read_text())
    roster = nodes['/**']['ros__parameters']
    assert roster['roster'].startswith('{name: robot_1, id: 1') and roster['use_sim_time']
    for node in ('wander', 'gazebo_odometry'):
        assert nodes[node]['ros__parameters']['robots'] == 'robot_1,robot_2,robot_3'
        # Without them the robots stand still.
        assert f'ros2 run leader_election {node} ' in out
    assert nodes['wander']['ros__parameters']['world'] == 'rooms'


def test_printed_commands_are_complete_and_in_order(tmp_path, capsys):
    """The clock has a bridge of its own, and the robots' one is started when time passes."""
    folder = tmp_path / 'a b'
    assert main(['--robots', '2', '--output', str(folder), '--bumper', 'false']) == 0
    lines = capsys.readouterr().out.splitlines()[1:]
    assert [line.partition(' --ros-args')[0] for line in lines] == [
        f"gz sim -r '{folder}/world.sdf'", 'ros2 run ros_gz_bridge parameter_bridge',
        'ros2 run leader_election await_clock && ros2 run ros_gz_bridge parameter_bridge',
        'ros2 run leader_election fleet', 'ros2 run leader_election wander']
    assert f"config_file:='{folder}/clock.yaml'" in lines[1]
    assert all(f"'{folder}/robots.yaml'" in line for line in lines[3:])


@pytest.mark.parametrize('arguments', [
    ['--world', 'no.sdf'], ['--z', 'long'], ['--output', '/dev/null/a']])
def test_wrong_option_is_one_line_and_status_2(tmp_path, arguments, capsys):
    assert main(['--output', str(tmp_path / 'made'), *arguments]) == 2
    out, error = capsys.readouterr()
    assert out == '' and error.startswith('error: ') and error.count('\n') == 1
    assert not (tmp_path / 'made').exists()
