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

from leader_election.doctor.buffers import DEFAULT, ENOUGH, LARGEST, receive_buffers, udp_counters
from leader_election.doctor.observations import Endpoint, Level, Observations
import pytest

SMALL = {DEFAULT: 212992, LARGEST: 212992}
BRIDGE = Endpoint('/clock', 'rosgraph_msgs/msg/Clock', True, '/clock_bridge')


def robots(number: int) -> tuple[Endpoint, ...]:
    return tuple(Endpoint(f'/r{i}/is_leader', 'std_msgs/msg/Bool', True, f'/r{i}/election_node')
                 for i in range(number))


@pytest.mark.parametrize(('buffers', 'udp', 'endpoints', 'level'), [
    (SMALL, {}, robots(30), None), (SMALL, {'InDatagrams': 900}, robots(30), None),
    ({}, {}, (*robots(30), BRIDGE), None),
    (SMALL, {}, (*robots(30), BRIDGE), Level.WARN), (SMALL, {}, (*robots(5), BRIDGE), Level.NOTE),
    ({DEFAULT: ENOUGH, LARGEST: ENOUGH}, {}, (*robots(30), BRIDGE), None),
    (SMALL, {'InDatagrams': 900, 'RcvbufErrors': 40}, robots(3), Level.WARN),
    (SMALL, {'InDatagrams': 10**6, 'RcvbufErrors': 3}, robots(3), Level.NOTE)])
def test_small_buffers_matter_where_bursts_come(
        buffers: dict[str, int], udp: dict[str, int], endpoints: tuple[Endpoint, ...],
        level: Level | None) -> None:
    found = list(receive_buffers(Observations(
        10.0, endpoints=endpoints, receive_buffers=buffers, udp=udp)))
    assert [symptom.level for symptom in found] == ([] if level is None else [level])
    assert all('net.core.rmem_default is 212992' in symptom.what for symptom in found)


def test_counters_are_those_of_linux() -> None:
    text = ('Ip: Forwarding\nIp: 1\nUdp: InDatagrams NoPorts RcvbufErrors\nUdp: 12 0 3\n'
            'UdpLite: InDatagrams\nUdpLite: 0\n')
    assert udp_counters(text) == {'InDatagrams': 12, 'NoPorts': 0, 'RcvbufErrors': 3}
    assert udp_counters('') == {}
