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
The documented configuration files, generated from the declarations of the parameters.

``python -m leader_election.config config`` writes them into a folder.
"""

from pathlib import Path
import sys

from leader_election.election.regions.task import plug_in_tasks
from leader_election.election.robot.parameters import (
    ElectionParameters,
    ManagedParameters,
    own_sections,
)
from leader_election.election.tasks.goals import WanderParameters
from leader_election.parameters import to_yaml
from leader_election.simulation.parameters import GazeboOdometryParameters, WorldParameters
from leader_election.swarm.fleet.robot_list import RobotHostParameters
from leader_election.swarm.fleet.transports import LinkParameters
from leader_election.swarm.recording.options import RecorderParameters
from leader_election.swarm.tracker import MonitorParameters, WebParameters

FILES = {
    'election.yaml': (ElectionParameters, "The parameters of election_node, a robot's node."),
    'fleet.yaml': (
        RobotHostParameters,
        "The parameters of fleet, beside those of its robots' nodes.",
    ),
    'gazebo_odometry.yaml': (
        GazeboOdometryParameters,
        'The parameters of gazebo_odometry: the errors of odometry of robots in Gazebo.',
    ),
    'link.yaml': (
        LinkParameters,
        'The parameters of link, which carries messages between ROS domains.',
    ),
    'managed_election.yaml': (
        ManagedParameters,
        'The parameters of managed_election_node, beside those of election_node.',
    ),
    'monitor.yaml': (MonitorParameters, 'The parameters of monitor.'),
    'wander.yaml': (WanderParameters, 'The parameters of wander, which drives robots at random.'),
    'record.yaml': (RecorderParameters, 'The parameters of record.'),
    'web.yaml': (WebParameters, 'The parameters of web, the page of a swarm in a browser.'),
    'world.yaml': (WorldParameters, 'The parameters of swarm_world, the embedded world.'),
}


def text(name: str) -> str:
    """Return the content of a file, by its name."""
    parameters, title = FILES[name]
    return to_yaml(parameters, title, sections(parameters))


def sections(parameters: type) -> dict[str, type]:
    """Return the further parameters of a file, which are a robot's, by their prefix."""
    if parameters is not ElectionParameters:
        return {}
    return own_sections() | {f'{name}.': task.parameters
                             for name, task in plug_in_tasks().items()}


def write(folder: Path) -> None:
    """Write all files into a folder that exists."""
    for name in FILES:
        (folder / name).write_text(text(name), encoding='utf-8')


if __name__ == '__main__':
    write(Path(sys.argv[1]))
