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

"""Receive buffers: what overflowed while the doctor listened, and what is too small for Gazebo."""

from leader_election.swarm.doctor.buffers import (
    DEFAULT,
    ENOUGH,
    LARGEST,
    losses,
    receive_buffers,
    sockets,
    udp_counters,
)
from leader_election.swarm.doctor.checks import examine
from leader_election.swarm.doctor.observations import Endpoint, Level, Observations
import pytest
from swarm.doctor.scene import healthy, NAMES, readings

SMALL = {DEFAULT: 212992, LARGEST: 212992}
LARGE = {DEFAULT: ENOUGH, LARGEST: ENOUGH}
BRIDGE = Endpoint('/clock', 'rosgraph_msgs/msg/Clock', True, '/clock_bridge')


def robots(number: int) -> tuple[Endpoint, ...]:
    return tuple(Endpoint(f'/r{i}/is_leader', 'std_msgs/msg/Bool', True, f'/r{i}/election_node')
                 for i in range(number))


@pytest.mark.parametrize(('buffers', 'lost', 'endpoints', 'level'), [
    (SMALL, 0, robots(30), None), ({}, 0, (*robots(30), BRIDGE), None),
    (SMALL, 0, (*robots(30), BRIDGE), Level.WARN), (SMALL, 0, (*robots(5), BRIDGE), Level.NOTE),
    (LARGE, 0, (*robots(30), BRIDGE), None), (SMALL, 100, robots(3), Level.WARN),
    (LARGE, 100, robots(3), Level.WARN), (SMALL, 1, robots(3), Level.NOTE)])
def test_small_buffers_are_reported_with_losses_or_a_bridge(
        buffers: dict[str, int], lost: int, endpoints: tuple[Endpoint, ...],
        level: Level | None) -> None:
    found = list(receive_buffers(Observations(
        10.0, endpoints=endpoints, receive_buffers=buffers, datagrams=9900, lost=lost)))
    assert [symptom.level for symptom in found] == ([] if level is None else [level])
    # Whoever has followed the advice is not given it again.
    assert all(('net.core.rmem_default is 212992' in symptom.what) == (buffers == SMALL)
               == (symptom.remedy == '') for symptom in found)


def test_losses_count_sockets_of_this_domain_only() -> None:
    """Nor are those of the observer, or those before it came."""
    row = '{}: 0100007F:{:04X} 0:0 07 0:0 00:0 0 1000 0 {} 2 0a56cfa0 {}'
    before, after = (sockets('\n'.join([
        'sl local_address', *(row.format(k, port, k, lost) for k, (port, lost) in enumerate(rows))
    ])) for rows in (
        [(7400 + 250 * 7, 5), (7411 + 250 * 8, 0), (7411 + 250 * 7, 2), (53, 0)],
        [(7400 + 250 * 7, 9), (7411 + 250 * 8, 800), (7411 + 250 * 7, 3), (53, 900),
         (7413 + 250 * 7, 30)]))
    assert losses(before, after, 7, own={'2'}) == (34, 1)
    assert losses(before, before, 7, own=()) == (0, 0) and sockets('') == []
    swarm = Observations(10.0, receive_buffers=SMALL, lost_here=4)
    assert [symptom.level for symptom in receive_buffers(swarm)] == [Level.NOTE]


def test_udp_counters_reads_the_format_of_linux() -> None:
    text = ('Ip: Forwarding\nIp: 1\nUdp: InDatagrams NoPorts RcvbufErrors\nUdp: 12 0 3\n'
            'UdpLite: InDatagrams\nUdpLite: 0\n')
    assert udp_counters(text) == {'InDatagrams': 12, 'NoPorts': 0, 'RcvbufErrors': 3}
    assert udp_counters('') == {}


def test_overloaded_computer_explains_late_messages() -> None:
    silent = [report for report in healthy().diagnostics if report.robot != 'bob']
    found = examine(healthy(diagnostics=silent, load=9.0, odometry={
        f'/{name}/odom': readings(12) for name in NAMES}))
    assert [f.check for f in found if not f.explained_by] == ['load']
    assert {f.check for f in found if f.explained_by == 'load'} >= {'silent', 'odometry'}
    assert examine(healthy(load=1.0)) == []
