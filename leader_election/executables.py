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
The executables of the package: the one table for installation and command line.

``setup.py`` reads this file by its path, before anything is installed: only the standard library
is imported here.
"""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Requirement:
    """
    Modules that only some executables need, and that are not installed on every robot.

    :ivar modules: names as they are imported.
    :ivar purpose: subject of the error line if one is missing.
    """

    modules: tuple[str, ...]
    purpose: str


@dataclass(frozen=True, kw_only=True)
class Executable:
    """
    One executable.

    :ivar name: as in ``ros2 run leader_election <name>`` and ``leader_election <name>``.
    :ivar module: the module whose ``main()`` runs it and returns the exit status.
    :ivar description: one line, for ``leader_election --help``.
    :ivar stop_status: the exit status on a signal before ``main()`` handles them: 0 if a
        stop is the usual end (a node), 130 if the requested work is then incomplete.
    :ivar requires: the modules beyond those that every robot needs.
    :ivar parameter_file: of a node without its own options: the file in ``config`` that documents
        its parameters, empty if ``main()`` parses a command line.
    :ivar parser: the function that parses the command line, as module:name, for the help where
        required modules are missing.
    """

    name: str
    module: str
    description: str
    stop_status: int = 0
    requires: Requirement | None = None
    parameter_file: str = ''
    parser: str = ''


_VIEW = ('matplotlib', 'PIL', 'rich')
_RECORD = ('mcap', 'mcap_ros2')

_TO_VIEW = Requirement(modules=_VIEW, purpose='the view of a swarm')
_TO_RECORD = Requirement(modules=_RECORD, purpose='the recorder')
_TO_REPLAY = Requirement(modules=(*_RECORD, *_VIEW, 'shapely'), purpose='replay')
_TO_SHOW = Requirement(modules=('bokeh',), purpose='the page of a swarm')
_TO_MEASURE = Requirement(modules=('leader_election_lab',), purpose='the laboratory')

EXECUTABLES = (
    Executable(
        name='await_clock', module='leader_election.ros.nodes.clock',
        stop_status=130,
        description='wait until simulated time advances, then end'),
    Executable(
        name='demo', module='leader_election.ros.demo.main', stop_status=130, requires=_TO_VIEW,
        parser='leader_election.ros.demo.main:parse',
        description='demonstrate election and recovery: world, robots and monitor together'),
    Executable(
        name='election_node', module='leader_election.ros.nodes.election',
        parameter_file='election.yaml',
        description='run the node of one robot'),
    Executable(
        name='fleet', module='leader_election.ros.nodes.robot_host',
        parameter_file='fleet.yaml',
        description='run the nodes of many robots in one process'),
    Executable(
        name='gazebo_odometry', module='leader_election.ros.nodes.gazebo_odometry',
        parameter_file='gazebo_odometry.yaml',
        description='publish drifting odometry and the true poses of robots in Gazebo'),
    Executable(
        name='gazebo_world', module='leader_election.ros.gazebo.plan',
        description="write a swarm's world file for Gazebo, and the YAML of the bridge"),
    Executable(
        name='lab', module='leader_election_lab.commands', stop_status=130, requires=_TO_MEASURE,
        description='measure algorithms over many seeds, without ROS'),
    Executable(
        name='link', module='leader_election.ros.nodes.link', parameter_file='link.yaml',
        description='carry the messages of robots between ROS domains, by UDP, Zenoh or a modem'),
    Executable(
        name='logs', module='leader_election.simulation.log_conversion', stop_status=130,
        description='convert logs of real robots'),
    Executable(
        name='managed_election_node', module='leader_election.ros.nodes.managed_election_node',
        parameter_file='managed_election.yaml',
        description='run the node of one robot as a managed (lifecycle) node'),
    Executable(
        name='monitor', module='leader_election.ros.nodes.monitor', requires=_TO_VIEW,
        parameter_file='monitor.yaml',
        description='show the swarm in the terminal, and publish its state and markers'),
    Executable(
        name='play', module='leader_election.ros.demo.playground', stop_status=130,
        requires=_TO_SHOW,
        description='play with a swarm in a browser: parameters, faults, guided tours'),
    Executable(
        name='record', module='leader_election.ros.nodes.recorder', requires=_TO_RECORD,
        parser='leader_election.swarm.recording.options:recorder_options',
        description='record a swarm to a file (MCAP)'),
    Executable(
        name='replay', module='leader_election.swarm.recording.replay_command', stop_status=130,
        requires=_TO_REPLAY, parser='leader_election.swarm.recording.options:replay_options',
        description='evaluate a recording: a report and pictures, without ROS'),
    Executable(
        name='swarm_doctor', module='leader_election.ros.nodes.swarm_doctor', stop_status=130,
        description='check a running swarm for common faults, and suggest remedies'),
    Executable(
        name='swarm_key', module='leader_election.swarm.fleet.key_file', stop_status=130,
        description='make the key of a swarm, and change it'),
    Executable(
        name='swarm_roster', module='leader_election.ros.nodes.swarm_roster', stop_status=130,
        description='change the roster of running robots, step by step'),
    Executable(
        name='swarm_world', module='leader_election.ros.nodes.swarm_world',
        parameter_file='world.yaml',
        description='run the embedded world: motion, odometry, radio'),
    Executable(
        name='wander', module='leader_election.ros.nodes.wander',
        parameter_file='wander.yaml',
        description='drive robots on random walks'),
    Executable(
        name='web', module='leader_election.ros.nodes.web', requires=_TO_SHOW,
        parameter_file='web.yaml', description='show the swarm in a browser'),
)
