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

"""Checks of the receive buffers of UDP on this computer, which bursts of messages overflow."""

from collections.abc import Iterator

from leader_election.doctor.observations import Level, Observations, Symptom

ENOUGH = 4 * 2**20
"""A receive buffer that holds the announcements of Gazebo Sim with a hundred robots [B]."""
DEFAULT, LARGEST = 'net.core.rmem_default', 'net.core.rmem_max'
"""The settings of Linux: the default size of a buffer, and the largest allowed one [B]."""
LOSSES = 1e-3
"""The share of lost datagrams from which on a warning is given."""
MANY_ROBOTS = 20
"""The most robots in Gazebo Sim for buffers of Linux's default size."""
BRIDGES = ('clock_bridge', 'gazebo_bridge')
"""The names of the nodes that connect Gazebo Sim."""


def udp_counters(text: str) -> dict[str, int]:
    r"""
    Return the counters of UDP by name.

    :param text: of the file ``/proc/net/snmp``; may be empty.

    >>> udp_counters('Ip: A\nIp: 1\nUdp: InDatagrams RcvbufErrors\nUdp: 900 7\n')
    {'InDatagrams': 900, 'RcvbufErrors': 7}
    """
    rows = [line.split()[1:] for line in text.splitlines() if line.startswith('Udp: ')]
    return {name: int(value) for name, value in zip(*rows)} if len(rows) == 2 else {}


def receive_buffers(swarm: Observations) -> Iterator[Symptom]:
    """Find buffers that overflowed, and those too small for Gazebo with many robots."""
    lost = swarm.udp.get('RcvbufErrors', 0)
    small = [f'{name} is {swarm.receive_buffers[name]}' for name in (DEFAULT, LARGEST)
             if swarm.receive_buffers.get(name, ENOUGH) < ENOUGH]
    sizes = f' ({", ".join(small)})' if small else ''
    if lost:
        share = lost / (lost + max(swarm.udp.get('InDatagrams', 0), 0))
        yield Symptom(Level.WARN if share >= LOSSES else Level.NOTE, (),
                      f'{lost} datagrams ({share:.2%}) were lost on this computer, as receive '
                      f'buffers of UDP were full{sizes}')
    bridged = any(endpoint.node.rpartition('/')[2] in BRIDGES for endpoint in swarm.endpoints)
    if small and bridged and not lost:
        level = Level.WARN if len(swarm.robots) > MANY_ROBOTS else Level.NOTE
        yield Symptom(level, (), 'Gazebo Sim announces all topics at once, every second: '
                      f'{", ".join(small)}')
