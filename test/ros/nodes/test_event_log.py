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

"""The log of events of real robots over DDS, and their numbers for tools that plot."""

import json
import math
from pathlib import Path
import resource
import subprocess
import sys

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from leader_election.parameters import ParameterError
from leader_election.ros.nodes.event_log import EventLog
from leader_election.ros.nodes.qos import EVENTS
import pytest
from ros.nodes.bench import Bench, leaders, robot
from support import PATIENCE, spin_until

pytestmark = pytest.mark.usefixtures('ros')


def lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def kinds(path: Path) -> list[str]:
    """Return the events except those of odometry, whose times vary."""
    return [line['event'] for line in lines(path) if not line['event'].startswith('odometry')]


def test_events_are_written_as_they_happen(tmp_path):
    weak = robot(1, event_log=str(tmp_path / '{id}_{name}.jsonl'), message_expiry=2.0)
    bench = Bench({1: (0.0, 0.0)})
    path = tmp_path / '1_r1.jsonl'
    assert path.read_text() == ''
    spin_until([bench, weak], lambda: kinds(path)[:2] == ['leader_gained', 'became_leader']
               and weak.robot.position is not None)
    assert lines(path)[0].keys() == {'t', 'robot', 'event', 'leader'}
    assert lines(path)[0]['t'] > 1.7e9 and lines(path)[0]['robot'] == 1
    begun = len(kinds(path))
    bench.others[8] = 8.0
    spin_until([bench, weak], lambda: leaders([weak]) == [8])
    assert kinds(path)[begun:] == [
        'stepped_down', 'leader_changed', 'region_joined', 'role_changed']
    [change] = [line for line in lines(path) if line['event'] == 'leader_changed']
    assert (change['leader'], change['before']) == (8, 1)
    assert (change['reason'], change['because']) == ('stronger', 'stronger, and within 7.5 m')
    bench.others.clear()
    spin_until([bench, weak], lambda: 'region_left' in kinds(path))
    assert kinds(path)[begun + 4:] == [
        'region_left', 'leader_changed', 'became_leader', 'role_changed']
    change = next(line for line in lines(path) if line.get('before') == 8)
    assert change['because'] == '8 has been silent for 2.0 s'
    bench.places.clear()
    spin_until([bench, weak], lambda: 'odometry_lost' in path.read_text())


def test_robot_continues_and_reports_when_the_disk_is_full():
    one = robot(1, event_log='/dev/full')
    bench = Bench({1: (0.0, 0.0)})
    told: list[DiagnosticStatus] = []
    bench.create_subscription(
        DiagnosticArray, '/diagnostics', lambda message: told.extend(message.status), EVENTS)
    spin_until([bench, one], lambda: any(
        status.name == 'r1: event_log' and status.level == DiagnosticStatus.WARN
        and status.message == '/dev/full: No space left on device'
        and int(status.values[0].value) >= 2 for status in told))
    assert one.robot.leads


def test_line_is_ended_when_a_full_disk_has_cut_it(tmp_path):
    """The disk has room for one and a half lines, and later for more."""
    path = tmp_path / 'events'
    node = robot(1)
    log = EventLog(node, node.robot, str(path))
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, hard))
    try:
        for leader in (2, 3, 4):
            log._write('main', {'event': 'leader_changed', 'leader': leader})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    assert (log.lost, log.last_error) == (2, 'File too large')
    log._write('main', {'event': 'strength_changed', 'strength': math.inf, 'before': math.nan})
    log._write('main', {'event': 'became_leader'})
    log.close()
    first, half, *rest = path.read_text().splitlines()
    assert json.loads(first)['leader'] == 2 and '"robot":1' in half and 'leader":3' not in half
    changed, last = map(json.loads, rest)
    assert (changed['strength'], changed['before']) == (None, None)
    assert last['event'] == 'became_leader'


@pytest.mark.parametrize('left, begins', [
    (b'', b'{'), (b'{"t":1.0}\n', b'{"t":1.0}\n{'),
    (b'{"t":1.0}\n{"t":2', b'{"t":1.0}\n{"t":2\n{')])
def test_line_is_ended_after_a_restart_when_it_was_cut(tmp_path, left, begins):
    path = tmp_path / 'events'
    path.write_bytes(left)
    node = robot(1)
    log = EventLog(node, node.robot, str(path))
    log._write('main', {'event': 'became_leader'})
    log._write('main', {'event': 'stepped_down'})
    log.close()
    assert path.read_bytes().startswith(begins + b'"t":1')
    assert [json.loads(line)['event'] for line in path.read_text().splitlines()[-2:]] == [
        'became_leader', 'stepped_down']


def test_event_log_is_refused_when_unwritable(tmp_path):
    with pytest.raises(ParameterError, match='parameter event_log: .*nowhere.*No such file'):
        robot(1, event_log=str(tmp_path / 'nowhere' / 'events'))


def test_events_are_written_to_standard_output():
    process = subprocess.Popen(
        [sys.executable, '-m', 'leader_election', 'election_node', '--ros-args', '-p',
         'robot_id:=7', '-p', "event_log:='-'"],
        stdout=subprocess.PIPE, text=True)
    try:
        first = json.loads(process.stdout.readline())
        assert (first['event'], first['leader']) == ('leader_gained', 7)
    finally:
        process.terminate()
        assert process.wait(PATIENCE) == 0
        process.stdout.close()
