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

"""The recorder, with real publishers over DDS: it writes what they publish."""

from pathlib import Path
from secrets import token_hex
import signal
import subprocess
import sys

from environment import disk_with_room
from leader_election.parameters import ParameterError
from leader_election.ros.nodes import recorder as recorder_node
from leader_election.ros.nodes.declare import overrides
from leader_election.ros.nodes.qos import EVENTS, NEIGHBOURHOOD, SENSOR, STATE
from leader_election.ros.nodes.recorder import main, Recorder
from leader_election.swarm.recording.options import ReplaySettings
from leader_election.swarm.recording.recording_files import Reader
from mcap.reader import make_reader
from mcap_ros2.decoder import DecoderFactory
from nav_msgs.msg import Odometry
import pytest
from rclpy.node import Node
from std_msgs.msg import Bool, Int64, String
from support import logged, spin_until
from swarm.recording.made import replay, word
from visualization_msgs.msg import Marker, MarkerArray
import yaml


def recorder(path: Path, **values) -> Recorder:
    return Recorder(parameter_overrides=overrides(
        {'output': str(path), **values}))


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let recorders search for topics and write often."""
    monkeypatch.setattr(recorder_node, 'DISCOVERY_PERIOD', 0.1)
    monkeypatch.setattr(recorder_node, 'FLUSH_PERIOD', 0.1)


def contents(path: Path) -> dict[str, list]:
    """Return the decoded messages of a finished file, by topic."""
    found: dict[str, list] = {}
    with path.open('rb') as file:
        for _, channel, _, message in make_reader(
                file, decoder_factories=[DecoderFactory()]).iter_decoded_messages():
            found.setdefault(channel.topic, []).append(message)
    return found


def profiles(path: Path) -> dict[str, tuple[str, str]]:
    """Return reliability and durability that were offered, by topic, as rosbag2 reads them."""
    with path.open('rb') as file:
        channels = make_reader(file).get_summary().channels.values()
    return {channel.topic: tuple(
        yaml.safe_load(channel.metadata['offered_qos_profiles'])[0][policy]
        for policy in ('reliability', 'durability')) for channel in channels}


def test_recorder_records_late_robots_and_latched_topics(ros, tmp_path):
    path = tmp_path / 'swarm.mcap'
    robots = Node('robots')
    robots.create_publisher(Int64, '/r1/leader', STATE).publish(Int64(data=7))
    node = recorder(path)
    nodes = [node, robots]
    spin_until(nodes, lambda: node.recording.messages == 1)
    voice = robots.create_publisher(String, '/neighbourhood', NEIGHBOURHOOD)
    world = robots.create_publisher(MarkerArray, '/world', STATE)
    drive = robots.create_publisher(Bool, '/r1/enable', EVENTS)
    world.publish(MarkerArray(markers=[Marker(ns='arena', id=3)]))
    spin_until(nodes, lambda: voice.get_subscription_count() == 1
               and node.recording.messages == 2)
    for text in ('one', 'two'):
        voice.publish(String(data=text))
    drive.publish(Bool())
    spin_until(nodes, lambda: node.recording.messages == 4)
    node.close()
    found = contents(path)
    assert found.keys() == {'/r1/leader', '/neighbourhood', '/world'}
    assert [message.data for message in found['/neighbourhood']] == ['one', 'two']
    assert found['/r1/leader'][0].data == 7
    assert [(m.ns, m.id) for m in found['/world'][0].markers] == [('arena', 3)]
    assert profiles(path) == {
        '/r1/leader': ('reliable', 'transient_local'), '/world': ('reliable', 'transient_local'),
        '/neighbourhood': ('best_effort', 'volatile')}


def test_recorder_records_requested_topics_and_thins_odometry(ros, tmp_path):
    path = tmp_path / 'all.mcap'
    robot = Node('robot')
    odometry = robot.create_publisher(Odometry, '/r1/odom', SENSOR)
    other = robot.create_publisher(Odometry, '/r2/odom', SENSOR)
    enable = robot.create_publisher(Bool, '/r1/enable', EVENTS)
    sent = []

    def drive() -> None:
        sent.append(Odometry())
        sent[-1].pose.pose.position.x = float(len(sent))
        odometry.publish(sent[-1])
        other.publish(sent[-1])
        enable.publish(Bool(data=True))

    robot.create_timer(0.02, drive)
    node = recorder(path, topics=['/r1/*'], odom_rate=5.0)
    spin_until([node, robot], lambda: odometry.get_subscription_count() == 1)
    begun = len(sent)
    spin_until([node, robot], lambda: len(sent) - begun >= 60)
    node.close()
    found = contents(path)
    assert found.keys() == {'/r1/odom', '/r1/enable'}
    assert len(found['/r1/enable']) >= 50
    assert 2 <= len(found['/r1/odom']) <= 15
    assert found['/r1/odom'][0].pose.pose.position.x > 0.0


def test_recorder_receives_messages_of_every_profile(ros, tmp_path):
    path = tmp_path / 'mixed.mcap'
    robots, listener = Node('robots'), Node('listener')
    latched = robots.create_publisher(Int64, '/r1/leader', STATE)
    hasty = robots.create_publisher(Int64, '/r1/leader', SENSOR)
    spin_until([robots, listener], lambda: listener.count_publishers('/r1/leader') == 2)
    node = recorder(path)
    spin_until([node, robots], lambda: (
        latched.get_subscription_count() == hasty.get_subscription_count() == 1))
    # Best effort: what is said before the recorder knows who speaks is lost.
    robots.create_timer(0.1, lambda: hasty.publish(Int64(data=9)))
    robots.create_timer(0.1, lambda: latched.publish(Int64(data=7)))
    spin_until([node, robots], lambda: node.recording.messages >= 8)
    node.close()
    assert {message.data for message in contents(path)['/r1/leader']} == {7, 9}


def test_recording_is_not_overwritten(ros, tmp_path):
    path = tmp_path / 'swarm.mcap'
    path.write_text('precious')
    with pytest.raises(ParameterError, match='parameter output: .*swarm.mcap.*File exists'):
        recorder(path)
    with pytest.raises(ParameterError, match='parameter output: .*No such file'):
        recorder(tmp_path / 'nowhere' / 'swarm.mcap')
    assert path.read_text() == 'precious'


def test_stopped_or_killed_recorder_leaves_a_readable_file(ros, tmp_path):
    """Only a stopped recorder writes the index at the end."""
    robots = Node('robots')
    voice = robots.create_publisher(String, '/neighbourhood', NEIGHBOURHOOD)
    robots.create_timer(0.05, lambda: voice.publish(word(3, 3)))
    started = {number: (path := tmp_path / f'{number}.mcap', subprocess.Popen(
        [sys.executable, '-m', 'leader_election', 'record', str(path), '--topics',
         'neighbourhood'], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))
        for number in (signal.SIGTERM, signal.SIGKILL)}
    try:
        spin_until([robots], lambda: all(
            path.exists() and path.stat().st_size > 2000 for path, _ in started.values()))
        for number, (path, process) in started.items():
            process.send_signal(number)
            out, err = process.communicate(timeout=60)
            reader = Reader(path)
            run = replay(reader.entries(lambda topic, kind: True), ReplaySettings())
            assert run.tracker.messages > 3 and run.snapshots[-1].robots[3].leader == 3
            if number == signal.SIGKILL:
                assert reader.damages == [path]
            else:
                assert (process.returncode, logged(err), reader.damages) == (0, [], [])
                assert out == f'wrote {path}: {run.tracker.messages} messages of 1 topic\n'
    finally:
        for _, process in started.values():
            process.kill()


def test_recorder_ends_with_one_line_when_the_disk_is_full(ros, tmp_path, capfd):
    """The disk has 8 kB left, and the messages cannot be compressed."""
    path = tmp_path / 'run.mcap'
    robots = Node('robots')
    voice = robots.create_publisher(String, '/neighbourhood', NEIGHBOURHOOD)
    robots.create_timer(0.02, lambda: voice.publish(String(data=token_hex(1000))))
    node = recorder(path)
    spin_until([node, robots], lambda: node.recording.messages > 0)
    with disk_with_room(path.stat().st_size + 8192):
        spin_until([node, robots], lambda: node.failure is not None)
        node.close()
    assert str(node.failure) == f'{path}: File too large; the recording ends here'
    assert 'wrote' not in capfd.readouterr().out
    assert len(list(Reader(path).entries(lambda topic, kind: True))) > 1


@pytest.mark.parametrize(('options', 'line'), [
    (['--odom-rate', '-1'], 'parameter odom_rate: -1.0 is not allowed'),
    (['--topics', 'leader', 'run.mcap'], 'run.mcap is a file and no topic')])
def test_recorder_ends_with_one_line_and_status_2_when_an_option_is_wrong(
        options, line, tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, 'argv', ['record', *options])
    try:
        status = main()
    except SystemExit as ended:
        status = ended.code
    out, err = capfd.readouterr()
    assert (status, out) == (2, '') and line in err.splitlines()[-1]
    assert list(tmp_path.iterdir()) == []
