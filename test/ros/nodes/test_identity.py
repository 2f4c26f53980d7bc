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

"""Robots with identities over real DDS: an insider, a robot without, and one that is revoked."""

from pathlib import Path
import time

from diagnostic_msgs.msg import DiagnosticStatus
from leader_election.election.identity.roster import sign as sign_bytes
from leader_election.election.identity.statements import (
    packed_proof,
    Proof,
    Signed,
    signed_text,
    Statement,
)
from leader_election.election.messages.swarm_key import sign
from leader_election.election.messages.wire import RejectReason
from leader_election.election.robot.robot import LEADER_CHANGES
from leader_election.parameters import ParameterError
from leader_election.ros.nodes.election_node import ElectionNode
from leader_election.swarm.fleet import key_command, key_file
import pytest
from ros.nodes.bench import Bench, DiagnosticsReader, leaders, robot
from std_msgs.msg import String
from support import spin_until

PLACES = {1: (0.0, 0.0), 2: (0.5, 0.0), 3: (1.0, 0.0)}

pytestmark = pytest.mark.usefixtures('ros')


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a swarm's key and the roster of three robots."""
    key_file.make_key(tmp_path / 'swarm.key')
    assert key_command.main([str(tmp_path / 'roster'), '--enrol', '1', '2', '3']) == 0
    return tmp_path


def identified(folder: Path, i: int, **parameters: object) -> ElectionNode:
    return robot(**{
        'robot_id': i, 'radius': 2.0, 'swarm_key_file': str(folder / 'swarm.key'),
        'roster_file': str(folder / 'roster'), 'identity_file': str(folder / 'roster.{id}.key'),
        'message_expiry': 10.0, **parameters})


def test_an_insider_changes_no_leader_and_a_revoked_leader_is_left(folder: Path) -> None:
    robots, bench = [identified(folder, i) for i in PLACES], Bench(PLACES)
    spin_until([bench, *robots], lambda: leaders(robots) == [3, 3, 3])
    settled = [node.robot.counts[LEADER_CHANGES] for node in robots]
    key = key_file.read_keys(folder / 'swarm.key')[0]

    def lie() -> None:
        now = robots[0].robot.authentication.time.read(robots[0].election._now())
        for who, leader in ((3, 9), (1, 1), (9, 9)):
            bench.voice.publish(String(data=sign(
                f'{{"v":1,"id":{who},"frame":"map","p":[0.5,0.5],"c":[-1e9,0,{leader}]}}',
                now, key)))
    bench.create_timer(0.2, lie)
    spin_until([bench, *robots], lambda: min(
        node.robot.counts[RejectReason.IDENTITY.value] for node in robots) > 10)
    assert leaders(robots) == [3, 3, 3]
    assert [node.robot.counts[LEADER_CHANGES] for node in robots] == settled
    # Only the first robot gets the new roster.
    for node in robots[1:]:
        node.election._roster_file._path = ''
    assert key_command.main([str(folder / 'roster'), '--revoke', '3']) == 0
    spin_until([bench, *robots], lambda: leaders(robots) == [2, 2, 2])


def test_a_robot_without_an_identity_is_not_believed_until_unverified_ones_are(
        folder: Path) -> None:
    robots = [identified(folder, 1), identified(folder, 2),
              robot(3, radius=2.0, swarm_key_file=str(folder / 'swarm.key'))]
    bench = Bench(PLACES)
    spin_until([bench, *robots], lambda: leaders(robots) == [2, 2, 3] and min(
        node.robot.counts[RejectReason.IDENTITY.value] for node in robots[:2]) > 3)


@pytest.mark.parametrize(('parameters', 'error'), [
    ({'roster_file': ''}, 'identity_file: it takes roster_file, which is not set'),
    ({'swarm_key_file': ''}, 'identity_file: it takes swarm_key_file, which is not set'),
    ({'algorithm': 'classic'}, 'identity_file: it takes algorithm bounded, which is classic'),
    ({'robot_id': 2}, 'identity_file: .*is of robot 1, not 2'),
    ({'roster_file': 'other'}, 'identity_file: .*the roster does not have robot 1 with this key'),
])
def test_files_that_do_not_fit_are_refused(
        folder: Path, monkeypatch: pytest.MonkeyPatch, parameters: dict[str, object],
        error: str) -> None:
    monkeypatch.chdir(folder)
    assert key_command.main(['other', '--enrol', '1']) == 0
    with pytest.raises(ParameterError, match=error):
        identified(folder, 1, **{'identity_file': str(folder / 'roster.1.key'), **parameters})


def test_grants_end_by_the_wall_clock_whatever_the_swarm_time_that_was_kept(folder: Path) -> None:
    """An insider can set the swarm time forward, and robots keep it over restarts."""
    roster, tomorrow = folder / 'roster', time.time() + 86400.0
    key_command.change(roster, key_command.RENEW, (1, 2), {'until': int(tomorrow)})
    (folder / 'swarm.key.1.time').write_text(f'{int(tomorrow + 1e6) * 1000}\n')
    robots, bench = [identified(folder, i) for i in (1, 2)], Bench(PLACES)
    spin_until([bench, *robots], lambda: leaders(robots) == [2, 2])


def test_diagnostics_name_a_liar_with_the_evidence(folder: Path) -> None:
    node, bench = identified(folder, 1), DiagnosticsReader('key')
    seed = key_file.read_file(folder / 'roster.2.key', key_file.IDENTITY).seed
    said = [Statement(2, 7, 1000, 2, -1.0, 0, 0.0, x, 0.0) for x in (0.0, 50.0)]
    liar = packed_proof(Proof(*(Signed(each, sign_bytes(signed_text(each), seed))
                                for each in said)))
    bench.create_timer(0.1, lambda: node.robot.identity.news.take(liar))
    spin_until([bench, node], lambda: bench.says(DiagnosticStatus.WARN, 'robots that lie: 2'))
    assert bench.values['liar 2'] == 'signed under one number: x 0 and 50'
