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

"""The transports of node ``link``, by name: they carry packets to the links of other robots."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
import ipaddress
import json
import socket
import struct
from threading import Event, Lock, Thread
from typing import Any

from leader_election.election.messages.packets import frame, FrameReader, HEADER, LARGEST, room
from leader_election.parameters import parameter, ParameterError
from leader_election.parameters.command_line import how_to_install
from leader_election.parameters.registry import Registry

GROUP = '239.255.76.69'
REOPEN_PERIOD = 2.0
"""The time between two looks at the interfaces and names of peers, which come and go [s]."""
WAIT = 0.2
"""The time after which the receiving thread looks whether it has to end [s]."""


@dataclass(frozen=True)
class LinkParameters:
    """The parameters of node ``link``."""

    kind: str = parameter(
        'udp', 'What carries the messages: udp, zenoh, serial (a modem: ESP-NOW, LoRa, XBee), or '
        'a transport of another package.',
        choices=lambda: TRANSPORTS.names())
    peers: str = parameter(
        GROUP, 'Where messages go, a list: a multicast group, which all computers of the network '
        'hear, a broadcast address (192.168.1.255), and names or addresses of single computers, '
        'each with another port behind a colon. With zenoh: also endpoints, of a router for '
        'example (tcp/192.168.1.5:7447, tls/...).', empty=False)
    port: int = parameter(
        7447, 'The port of UDP, or that on which zenoh listens.', lower=1024, upper=65535)
    key_expression: str = parameter(
        'leader_election/swarm', 'With zenoh: the key expression of the swarm.', empty=False)
    device: str = parameter(
        '/dev/ttyUSB0', 'With serial: the port of a modem. It may come and go.', empty=False)
    baud_rate: int = parameter(
        57600, 'With serial: the speed of the port.', unit='bit/s', lower=1200, upper=4000000)
    length: int = parameter(
        250, 'With serial: the longest frame that the modem sends in one piece, 250 with '
        'ESP-NOW, 255 with LoRa. Longer messages are left out and counted. The launch file lets '
        'the robot leave out parts of its messages instead (message_length).', unit='bytes',
        lower=128, upper=16400)
    most_packets: float = parameter(
        50.0, 'The most messages of one sender that are passed on. More are left out and counted.',
        unit='1/s', lower=1.0, upper=10000.0)


class Transport:
    """
    Carries packets. An entry of :data:`TRANSPORTS` is a subclass with a name.

    :ivar problem: why no packet can be sent now, empty if there is no reason.
    """

    name = problem = ''

    def __init__(self, parameters: LinkParameters, take: Callable[[bytes], None]) -> None:
        """
        Begin to receive.

        :param take: called with each packet, from a thread.
        """
        self._take = take

    @staticmethod
    def room(parameters: LinkParameters) -> int:
        """Return the length of the longest message [bytes]."""
        return LARGEST

    def send(self, data: bytes) -> str:
        """Send a packet, and return the reason why that failed, empty if it did not."""
        raise NotImplementedError

    def counts(self) -> Mapping[str, int]:
        """Return counters of its own, by name."""
        return {}

    def close(self) -> None:
        """End. No packet is passed on any more."""


TRANSPORTS: Registry[type[Transport]] = Registry('transport', 'leader_election.transports')


class Udp(Transport):
    """UDP: by multicast, by broadcast, or to peers by name."""

    name = 'udp'

    def __init__(self, parameters: LinkParameters, take: Callable[[bytes], None]) -> None:
        """
        Open the port.

        :raises ParameterError: for a wrong peer, or a port that is taken.
        """
        self._take, self._over = take, Event()
        self._peers = [peer(text, parameters.port) for text in parameters.peers.split(',')]
        self._places: list[tuple[str, int, int]] = []
        """Addresses and ports of peers, with the index of an interface for a multicast group."""
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        for option in (socket.SO_REUSEADDR, socket.SO_REUSEPORT, socket.SO_BROADCAST):
            self._socket.setsockopt(socket.SOL_SOCKET, option, 1)
        self._socket.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, 1)
        try:
            self._socket.bind(('', parameters.port))
        except OSError as error:
            self._socket.close()
            raise ParameterError('port', problem=f': {parameters.port} cannot be used '
                                 f'({error.strerror})') from None
        self._socket.settimeout(WAIT)
        self._look()
        self._threads = [Thread(target=each, daemon=True)
                         for each in (self._receive, self._keep_looking)]
        for thread in self._threads:
            thread.start()

    def send(self, data: bytes) -> str:
        """Send a packet to all peers, multicast by all interfaces, of which one suffices."""
        if not self._places:
            return f'no peer has an address: {", ".join(name for name, _ in self._peers)}'
        sent, failed = set[str](), dict[str, str]()
        for host, port, index in self._places:
            try:
                if index:
                    self._socket.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF,
                                            struct.pack('@4s4si', bytes(4), bytes(4), index))
                self._socket.sendto(data, (host, port))
                sent.add(host)
            except OSError as error:
                failed[host] = f'{host}: {error.strerror or error}'
        return next((reason for host, reason in failed.items() if host not in sent), '')

    def close(self) -> None:
        """Close the port."""
        self._over.set()
        for thread in self._threads:
            thread.join()
        self._socket.close()

    def _receive(self) -> None:
        while not self._over.is_set():
            try:
                self._take(self._socket.recv(HEADER.size + LARGEST + 1))
            except TimeoutError:
                continue
            except OSError:
                # It may last, as that of an interface which is down.
                self._over.wait(WAIT)

    def _keep_looking(self) -> None:
        while not self._over.wait(REOPEN_PERIOD):
            self._look()

    def _look(self) -> None:
        """Find the addresses of peers, and join groups on interfaces that have come."""
        found = []
        for name, port in self._peers:
            # UnicodeError: a part of the name is empty, or too long.
            with suppress(OSError, UnicodeError):
                host = socket.gethostbyname(name)
                interfaces = socket.if_nameindex() if is_group(host) else [(0, '')]
                found += [(host, port, index) for index, _ in interfaces]
        for host, _, index in found:
            # A group may be joined there already. Other hosts cannot be joined.
            with suppress(OSError):
                self._socket.setsockopt(
                    socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP,
                    struct.pack('@4s4si', socket.inet_aton(host), bytes(4), index))
        self._places = found


def is_group(host: str) -> bool:
    """
    Return whether a host is the address of a multicast group.

    >>> is_group(GROUP), is_group('192.168.1.255'), is_group('alice')
    (True, False, False)
    """
    with suppress(ValueError):
        return ipaddress.ip_address(host).is_multicast
    return False


def peer(text: str, port: int) -> tuple[str, int]:
    """
    Return the name of a peer, and its port.

    >>> peer(' alice:7000', 7447), peer('192.168.1.255', 7447)
    (('alice', 7000), ('192.168.1.255', 7447))
    """
    name, _, own = text.strip().partition(':')
    if not name or own and not (own.isdecimal() and 0 < int(own) < 2**16):
        raise ParameterError('peers', text.strip(), 'a name or an address, and a port behind a '
                             'colon, as alice:7447')
    return name, int(own or port)


def _library(kind: str, requirement: str, package: str = '') -> Any:
    """
    Return the library of a kind of transport, which has its name.

    :param requirement: the library, as pip takes it.
    :param package: how to install the library's package of Ubuntu, empty if there is none.
    :raises ParameterError: if it is not installed.
    """
    try:
        return import_module(kind)
    except ImportError as error:
        raise ParameterError('kind', problem=f': {kind} cannot be used ({error}); {package}'
                             f'{how_to_install([requirement])}') from None


WRITE_WAIT = 0.02
"""The longest wait for a modem that takes no bytes [s]. Robots' messages wait meanwhile."""


class SerialTransport(Transport):
    """
    A modem, which sends each frame to all others.

    Its device may be absent, disappear, and come back.
    """

    name = 'serial'

    @staticmethod
    def room(parameters: LinkParameters) -> int:
        """Return the length of the longest message that fits into a frame [bytes]."""
        return room(parameters.length) - HEADER.size

    def __init__(self, parameters: LinkParameters, take: Callable[[bytes], None]) -> None:
        """
        Begin to look for the device.

        :raises ParameterError: without the library.
        """
        self._serial = _library('serial', 'pyserial>=3.5', 'sudo apt install python3-serial, or ')
        self.problem = f'{parameters.device} is not open yet'
        self._parameters, self._take, self._over = parameters, take, Event()
        self._reader = FrameReader(parameters.length)
        self._opened = 0
        self._lock = Lock()
        """Held to write, and to close the device."""
        self._device: Any = None
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()

    def send(self, data: bytes) -> str:
        """Write a frame, unless the one before still waits: old messages are of no use."""
        with self._lock:
            if self._device is None:
                return self.problem
            try:
                if self._device.out_waiting > self._parameters.length:
                    return (f'{self._parameters.device} is slower than the messages; raise '
                            'baud_rate, or round_period of the robot')
                self._device.write(frame(data))
            except OSError as error:
                return f'{self._parameters.device}: {error}'
        return ''

    def counts(self) -> Mapping[str, int]:
        """Return how many frames were damaged, and how often the device was opened."""
        return {'damaged': self._reader.damaged, 'opened': self._opened}

    def close(self) -> None:
        """Close the device."""
        self._over.set()
        self._thread.join()

    def _run(self) -> None:
        """Open the device, read, and begin again where it has disappeared."""
        while not self._over.is_set():
            # ValueError: a baud rate that the device does not have.
            try:
                device = self._serial.Serial(
                    self._parameters.device, self._parameters.baud_rate, timeout=WAIT,
                    write_timeout=WRITE_WAIT, exclusive=True)
                self._opened += 1
                self._device, self.problem = device, ''
                while not self._over.is_set():
                    for packet in self._reader.read(device.read(max(device.in_waiting, 1))):
                        self._take(packet)
            except (OSError, ValueError) as error:
                self.problem = f'{self._parameters.device}: {error}'
            with self._lock, suppress(OSError):
                device, self._device = self._device, None
                if device is not None:
                    device.close()
            self._over.wait(REOPEN_PERIOD)


class ZenohTransport(Transport):
    """A peer of Zenoh, which connects again by itself."""

    name = 'zenoh'

    def __init__(self, parameters: LinkParameters, take: Callable[[bytes], None]) -> None:
        """
        Open the session.

        :raises ParameterError: for a wrong peer or key expression, and without the library.
        """
        zenoh = _library('zenoh', 'eclipse-zenoh>=1.2')
        texts = [text.strip() for text in parameters.peers.split(',')]
        peers = [peer(text, parameters.port) for text in texts if '/' not in text]
        groups = [f'{host}:{port}' for host, port in peers if is_group(host)]
        endpoints = [*(text for text in texts if '/' in text), *(
            f'tcp/{host}:{port}' for host, port in peers if not is_group(host))]
        config, name = zenoh.Config(), 'key_expression'
        try:
            swarm = zenoh.KeyExpr(parameters.key_expression)
            name = 'peers'
            for key, value in (
                    ('mode', 'peer'), ('connect/endpoints', endpoints),
                    ('listen/endpoints', [f'tcp/[::]:{parameters.port}']),
                    # A router on this computer has the port.
                    ('listen/exit_on_failure', False), ('connect/exit_on_failure', False),
                    ('scouting/multicast/enabled', bool(groups)),
                    *[('scouting/multicast/address', each) for each in groups[:1]]):
                config.insert_json5(key, json.dumps(value))
            self._session = zenoh.open(config)
        except zenoh.ZError as error:
            raise ParameterError(name, problem=f': {getattr(parameters, name)!r} cannot be used '
                                 f'({error})') from None
        self._session.declare_subscriber(swarm, lambda sample: take(bytes(sample.payload)))
        self._publisher = self._session.declare_publisher(swarm)

    def send(self, data: bytes) -> str:
        """Send a packet to all that are connected."""
        if not self.counts()['connected']:
            return 'no other link, and no router, is connected'
        self._publisher.put(data)
        return ''

    def counts(self) -> Mapping[str, int]:
        """Return the number of peers and routers that are connected."""
        info = self._session.info
        return {'connected': len([*info.peers_zid(), *info.routers_zid()])}

    def close(self) -> None:
        """Close the session."""
        self._session.close()


for _kind in (Udp, ZenohTransport, SerialTransport):
    TRANSPORTS.add(_kind)
