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

"""What the bridge is told."""

from typing import Any

from leader_election.fleet.entry import Entry
from leader_election.gazebo.bridge import bridge_yaml
from leader_election.gazebo.simulator import BARE, Extras, Lidar
import pytest
import yaml

ROBOTS = [Entry('alice', 1), Entry('bob', 2)]
KEYS = {'ros_topic_name', 'gz_topic_name', 'ros_type_name', 'gz_type_name', 'direction', 'lazy'}


def rows(extras: Extras = BARE, **options: bool) -> dict[str, dict[str, Any]]:
    listed = yaml.safe_load(bridge_yaml(ROBOTS, 'depot', extras, **options))
    assert all(row.keys() == KEYS for row in listed)
    by_name = {row['ros_topic_name']: row for row in listed}
    assert len(by_name) == len({row['gz_topic_name'] for row in listed}) == len(listed)
    return by_name


def test_each_robot_has_its_topics_and_the_clock_comes_once() -> None:
    assert list(rows()) == ['/clock', 'alice/odom', 'alice/cmd_vel', 'alice/tf',
                            'bob/odom', 'bob/cmd_vel', 'bob/tf']
    assert '/clock' not in rows(clock=False)


def test_topics_are_the_simulators_own() -> None:
    found = rows(Extras(Lidar(), ground_truth=True))
    assert {row['ros_topic_name']: (row['gz_topic_name'], row['gz_type_name'])
            for row in found.values() if row['ros_topic_name'].startswith('bob')} == {
        'bob/odom': ('/model/bob/odometry', 'gz.msgs.Odometry'),
        'bob/cmd_vel': ('/model/bob/cmd_vel', 'gz.msgs.Twist'),
        'bob/tf': ('/model/bob/tf', 'gz.msgs.Pose_V'),
        'bob/scan': ('/world/depot/model/bob/link/base_link/sensor/lidar/scan',
                     'gz.msgs.LaserScan'),
        'bob/ground_truth': ('/model/bob/ground_truth', 'gz.msgs.Odometry')}


@pytest.mark.parametrize(('world', 'part'), [
    ('my big depot', 'my_big_depot'), ('d@po~t', 'dpot'), ('a:=b', 'ab')])
def test_a_world_may_have_any_name(world: str, part: str) -> None:
    listed = yaml.safe_load(bridge_yaml(ROBOTS[:1], world, Extras(Lidar())))
    (scan,) = (row for row in listed if row['ros_topic_name'] == 'alice/scan')
    assert scan['gz_topic_name'] == f'/world/{part}/model/alice/link/base_link/sensor/lidar/scan'


def test_commands_go_in_and_all_else_comes_out() -> None:
    for name, row in rows(Extras(Lidar(), ground_truth=True)).items():
        into = name.endswith('cmd_vel')
        assert row['direction'] == ('ROS_TO_GZ' if into else 'GZ_TO_ROS')
        # What robots live by is there from the start.
        assert row['lazy'] == (not name.endswith(('cmd_vel', 'odom', 'clock')))
