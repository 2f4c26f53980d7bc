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

"""Checks of this computer: its load, and the receive buffers of UDP, which bursts overflow."""

from collections.abc import Collection, Iterator
from typing import NamedTuple

from leader_election.swarm.doctor.observations import Level, Observations, Symptom

ENOUGH = 4 * 2**20
"""A receive buffer that holds the announcements of Gazebo Sim with a hundred robots [B]."""
DEFAULT, LARGEST = 'net.core.rmem_default', 'net.core.rmem_max'
"""The settings of Linux: the default size of a buffer, and the largest allowed one [B]."""
OVERLOAD = 3.0
"""The load of a processor from which on rounds and messages are late [processes]."""
LOSSES = 1e-3
"""The share of lost datagrams from which on a warning is given."""
MANY_ROBOTS = 20
"""The most robots in Gazebo Sim for buffers of Linux's default size."""
BRIDGES = ('clock_bridge', 'gazebo_bridge')
"""The names of the nodes that connect Gazebo Sim."""
FIRST_PORT, PORTS, DOMAINS = 7400, 250, 233
"""The ports of a domain: so many from ``FIRST_PORT + PORTS * domain`` on (RTPS 2.3, 9.6.1)."""
OVERLOADED = ('The buffers are as large as advised. Start again what ran before they were; '
              'otherwise the computer is overloaded: fewer robots on it, or radio:=relay.')


class Socket(NamedTuple):
    """A socket of UDP."""

    port: int
    inode: str
    lost: int
    """The number of datagrams that its full buffer lost since it was opened."""


def sockets(text: str) -> list[Socket]:
    r"""
    Return the sockets of UDP in the network namespace of this process.

    :param text: of the file ``/proc/net/udp``; may be empty.

    >>> row = '732: 0100007F:1CE8 00000000:0000 07 0:0 00:0 0 1000 0 38477 2 0a56cfa0 5'
    >>> sockets('sl local_address ... drops' + chr(10) + row)
    [Socket(port=7400, inode='38477', lost=5)]
    """
    rows = [line.split() for line in text.splitlines()[1:]]
    return [Socket(int(row[1].rpartition(':')[2], 16), row[9], int(row[12]))
            for row in rows if len(row) >= 13]


def losses(before: Collection[Socket], now: Collection[Socket], domain: int,
           own: Collection[str]) -> tuple[int, int]:
    """
    Return the datagrams that sockets of a domain lost: those of others, and those of an observer.

    :param before: all sockets at the beginning.
    :param now: all sockets at the end.
    :param own: the inodes of the observer's sockets.

    >>> losses([Socket(7410, 'a', 2)], [Socket(7410, 'a', 5), Socket(7660, 'b', 9)], 0, ['b'])
    (3, 0)
    """
    lost_before = {socket.inode: socket.lost for socket in before}
    others = here = 0
    for socket in now:
        if (socket.port - FIRST_PORT) // PORTS == domain:
            growth = max(socket.lost - lost_before.get(socket.inode, 0), 0)
            if socket.inode in own:
                here += growth
            else:
                others += growth
    return others, here


def domains(found: Collection[Socket]) -> set[int]:
    """
    Return the domains of which processes run here, by the ports on which they are announced.

    >>> domains([Socket(7400, 'a', 0), Socket(7411, 'b', 0), Socket(8150, 'c', 0)])
    {0, 3}
    """
    offsets = {socket.port - FIRST_PORT for socket in found}
    return {offset // PORTS for offset in offsets
            if offset % PORTS == 0 and offset // PORTS in range(DOMAINS)}


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
    small = [f'{name} is {swarm.receive_buffers[name]}' for name in (DEFAULT, LARGEST)
             if swarm.receive_buffers.get(name, ENOUGH) < ENOUGH]
    sizes = f' ({", ".join(small)})' if small else ''
    remedy = '' if small or not swarm.receive_buffers else OVERLOADED
    if swarm.lost:
        share = swarm.lost / (swarm.lost + max(swarm.datagrams, 0))
        yield Symptom(Level.WARN if share >= LOSSES else Level.NOTE, (),
                      f'{swarm.lost} datagrams to processes of this domain ({share:.2%}) were '
                      f'lost on this computer, as receive buffers were full{sizes}', remedy)
    if swarm.lost_here:
        yield Symptom(Level.NOTE, (), f'{swarm.lost_here} datagrams to swarm_doctor itself were '
                      f'lost, so what it missed others may have received{sizes}', remedy)
    bridged = any(endpoint.node.rpartition('/')[2] in BRIDGES for endpoint in swarm.endpoints)
    if small and bridged and not swarm.lost:
        level = Level.WARN if len(swarm.robots) > MANY_ROBOTS else Level.NOTE
        yield Symptom(level, (), 'Gazebo Sim announces all topics at once, every second: '
                      f'{", ".join(small)}')


def load(swarm: Observations) -> Iterator[Symptom]:
    """Find a computer with too many processes."""
    if swarm.load >= OVERLOAD:
        yield Symptom(Level.WARN, (), f'this computer is overloaded: {swarm.load:.1f} processes '
                      'for each processor; robots on it are late, and so is swarm_doctor')
