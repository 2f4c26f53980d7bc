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

"""
What ``ros_gz_bridge`` carries between Gazebo Sim and ROS, as the YAML that it reads.

Topics of Gazebo are those that the systems have by default, which hold the model's name; those of
ROS are in the robot's namespace, which is the same name.
"""

from collections.abc import Iterator, Sequence
import re
from typing import Any

from leader_election.fleet.entry import Entry
from leader_election.gazebo.simulator import BARE, Extras, truth_topic
import yaml

_FROM, _TO = 'GZ_TO_ROS', 'ROS_TO_GZ'


def bridge_yaml(robots: Sequence[Entry], world: str, extras: Extras = BARE,
                clock: bool = True) -> str:
    """
    Return the bridge's configuration.

    :param world: the world's name, which is in the topics of sensors.
    :param clock: once for all bridges of a world: of two clocks time would stutter.

    >>> print(bridge_yaml([], 'swarm'), end='')
    - ros_topic_name: /clock
      gz_topic_name: /clock
      ros_type_name: rosgraph_msgs/msg/Clock
      gz_type_name: gz.msgs.Clock
      direction: GZ_TO_ROS
      lazy: false
    """
    rows = [_row('/clock', '/clock', 'rosgraph_msgs/msg/Clock', 'Clock', _FROM)] if clock else []
    for robot in robots:
        rows += _of_robot(robot.name, world, extras)
    return str(yaml.safe_dump(rows, sort_keys=False))


def _of_robot(name: str, world: str, extras: Extras) -> Iterator[dict[str, Any]]:
    """Yield the rows of one robot; what perhaps nobody hears is carried when somebody does."""
    model = f'/model/{name}'
    yield _row(f'{name}/odom', f'{model}/odometry', 'nav_msgs/msg/Odometry', 'Odometry', _FROM)
    yield _row(f'{name}/cmd_vel', f'{model}/cmd_vel', 'geometry_msgs/msg/Twist', 'Twist', _TO)
    yield _row(f'{name}/tf', f'{model}/tf', 'tf2_msgs/msg/TFMessage', 'Pose_V', _FROM, lazy=True)
    if extras.lidar:
        scan = topic(f'/world/{world}{model}/link/base_link/sensor/lidar/scan')
        yield _row(f'{name}/scan', scan, 'sensor_msgs/msg/LaserScan', 'LaserScan', _FROM,
                   lazy=True)
    if extras.ground_truth:
        yield _row(f'{name}/ground_truth', truth_topic(name), 'nav_msgs/msg/Odometry',
                   'Odometry', _FROM, lazy=True)


def topic(text: str) -> str:
    """
    Return a topic of Gazebo Sim as its transport makes it out of a text: names may be any.

    >>> topic('/world/my @world/clock')
    '/world/my_world/clock'
    """
    return re.sub('@|~|//|:=', '', text.replace(' ', '_'))


def _row(ros: str, gazebo: str, ros_type: str, gazebo_type: str, direction: str,
         lazy: bool = False) -> dict[str, Any]:
    return {'ros_topic_name': ros, 'gz_topic_name': gazebo, 'ros_type_name': ros_type,
            'gz_type_name': f'gz.msgs.{gazebo_type}', 'direction': direction, 'lazy': lazy}
