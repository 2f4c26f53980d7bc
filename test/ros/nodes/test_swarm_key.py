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

"""Robots with a key over real DDS: outsiders, replays, a change of the key, observers."""

from pathlib import Path

from diagnostic_msgs.msg import DiagnosticArray
from leader_election.election.messages.swarm_key import fingerprint
from leader_election.election.messages.wire import RejectReason
from leader_election.ros.nodes.declare import overrides
from leader_election.ros.nodes.election import ElectionNode
from leader_election.ros.nodes.monitor import Monitor
from leader_election.ros.nodes.qos import EVENTS
from leader_election.ros.nodes.recorder import Recorder
from leader_election.ros.nodes.swarm_world import SwarmWorld
from leader_election.swarm.fleet import key_file
from leader_election.swarm.recording.options import ReplaySettings
from leader_election.swarm.recording.recording_files import Reader
from leader_election.swarm.recording.replay import is_relevant
import pytest
from ros.nodes.bench import Bench, leaders, robot
from support import spin_until
from swarm.recording.made import replay

PLACES = {1: (0.0, 0.0), 2: (0.5, 0.0), 3: (1.0, 0.0)}


pytestmark = pytest.mark.usefixtures('ros')


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return the path of a new key file."""
    key_file.make_key(tmp_path / 'swarm.key')
    return tmp_path / 'swarm.key'


def keyed(path: Path, number: int = 3, **parameters: object) -> list[ElectionNode]:
    """Return robots 1, 2, ... with the key, in reach of each other. The last is the strongest."""
    return [robot(i, radius=2.0, swarm_key_file=str(path), **parameters)
            for i in range(1, number + 1)]


def counts(robots: list[ElectionNode], name: str) -> list[int]:
    return [node.robot.counts[name] for node in robots]


def test_key_stays_and_an_error_is_reported_when_the_key_file_becomes_wrong(path: Path) -> None:
    robots, bench = keyed(path, 2), Bench(PLACES)
    told: list[DiagnosticArray] = []
    bench.create_subscription(DiagnosticArray, '/diagnostics', told.append, EVENTS)

    def status() -> tuple[int, str, dict[str, str]]:
        each = [status for message in told for status in message.status
                if status.name == 'r1: key'][-1:]
        return ((each[0].level[0], each[0].message,
                 {value.key: value.value for value in each[0].values}) if each else (9, '', {}))

    spin_until([bench, *robots], lambda: status()[0] == 0 and leaders(robots) == [2, 2])
    assert status()[2]['swarm_key'] == fingerprint(robots[0].robot.authentication.keys[0])
    path.chmod(0o644)
    spin_until([bench, *robots], lambda: status()[0] == 1)
    assert f'chmod 600 {path}' in status()[1] and 'stay in use' in status()[1]
    path.chmod(0o600)
    spin_until([bench, *robots], lambda: status()[0] == 0)
    assert leaders(robots) == [2, 2]
    key_file.change_key(path, 'next')
    spin_until([bench, *robots], lambda: {
        node.robot.authentication.keys for node in robots} == {key_file.read_keys(path)})


def relayed(robot_id: int, path: Path) -> ElectionNode:
    """Return a robot of the embedded world, whose radio carries its messages."""
    values = {'robot_id': robot_id, 'strength': float(robot_id), 'round_period': 0.1,
              'swarm_key_file': str(path), 'send_topic': '/neighbourhood'}
    return ElectionNode(
        namespace=f'/robot_{robot_id}', use_global_arguments=False,
        cli_args=['--ros-args', '-r', f'neighbourhood:=/robot_{robot_id}/heard'],
        parameter_overrides=overrides(values))


def test_relay_monitor_and_recorder_need_no_key(path: Path) -> None:
    world = SwarmWorld(use_global_arguments=False, parameter_overrides=overrides({
        'robots': 3, 'world': 'empty', 'layout': 'grid', 'spacing': 1.0, 'radio': 'relay'}))
    monitor = Monitor(use_global_arguments=False)
    recording = path.with_name('swarm.mcap')
    recorder = Recorder(parameter_overrides=overrides({'output': str(recording)}))
    robots = [relayed(i, path) for i in (1, 2, 3)]
    spin_until([world, monitor, recorder, *robots], lambda: leaders(robots) == [3, 3, 3]
               and {each.leader for each in monitor.snapshot.robots.values()} == {3}
               and len(monitor.snapshot.robots) == 3 and recorder.recording.messages > 100)
    for reason in (RejectReason.UNSIGNED, RejectReason.SIGNATURE, RejectReason.REPLAY):
        assert counts(robots, reason.value) == [0, 0, 0]
    recorder.close()
    settings = ReplaySettings()
    run = replay(Reader(recording).entries(
        lambda topic, kind: is_relevant(topic, kind, settings)), settings)
    assert {i: each.leader for i, each in run.snapshots[-1].robots.items()} == {1: 3, 2: 3, 3: 3}
    assert run.tracker.rejected == 0
