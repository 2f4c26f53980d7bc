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

"""Transports of links: a modem on pseudo-terminals, and sessions over Zenoh on this computer."""

from collections.abc import Callable, Iterator
import json
import os
from pathlib import Path
from queue import Empty, Queue
import socket
import sys
from typing import Any

from leader_election.election.messages.packets import frame, packet, PacketReader, room
from leader_election.parameters import ParameterError
from leader_election.swarm.fleet.transports import LinkParameters, TRANSPORTS
import pytest
from serial_line import line, plugged
from support import PATIENCE

LENGTH = 250


Opened = tuple[Any, 'Queue[bytes]']
"""A transport, and the queue of its packets."""


@pytest.fixture
def opened() -> Iterator[Callable[..., Opened]]:
    """Return a function that makes a transport from parameters of a link."""
    made = []

    def make(**parameters: Any) -> Opened:
        queue: Queue[bytes] = Queue()
        made.append(TRANSPORTS.get(parameters['kind'])(
            LinkParameters(**parameters), queue.put))
        return made[-1], queue
    yield make
    for each in made:
        each.close()


@pytest.fixture
def plugged_in(opened: Any) -> Callable[[Path], Opened]:
    """Return a function that makes the transport of a modem."""
    pytest.importorskip('serial', reason="needs pip install 'pyserial>=3.5'")
    return lambda device: opened(kind='serial', device=str(device), length=LENGTH)


@pytest.fixture
def joined(opened: Any) -> Callable[..., Opened]:
    """Return a function that makes a transport over Zenoh."""
    pytest.importorskip('zenoh', reason="needs pip install 'eclipse-zenoh>=1.2'")
    return lambda port, peers, swarm='red': opened(
        kind='zenoh', port=port, peers=peers, key_expression=swarm)


def heard(queue: 'Queue[bytes]', send: Callable[..., Any], *data: bytes) -> bytes:
    """Send until a packet comes, since it may be lost at first, and return that packet."""
    for _ in range(int(PATIENCE / 0.1)):
        send(*data)
        try:
            return queue.get(timeout=0.1)
        except Empty:
            continue
    raise AssertionError('nothing was heard')


def test_messages_cross_a_line_with_bit_errors_whole_or_not_at_all(
        plugged_in: Any, tmp_path: Path) -> None:
    places = tmp_path / 'a', tmp_path / 'b'
    with line(places, 0.002):
        sender, receiver = plugged_in(places[0])[0], plugged_in(places[1])
        heard(receiver[1], sender.send, b'ready')
        reader, found = PacketReader(1, 1e6), list[str | None]()
        texts = [f'message {n} {"x" * 150}' for n in range(200)]
        for number, text in enumerate(texts):
            while sender.send(packet(2, number, text)):
                pass
        while receiver[0].counts()['damaged'] + len(found) < 190:
            found.append(reader.read(receiver[1].get(timeout=PATIENCE), 0.0))
    assert receiver[0].counts()['damaged'] > 10 < len(found)
    assert {each for each in found if each} <= set(texts)


def test_device_that_disappears_is_opened_again(
        plugged_in: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr('leader_election.swarm.fleet.transports.REOPEN_PERIOD', 0.05)
    place = tmp_path / 'modem'
    modem, queue = plugged_in(place)
    assert str(place) in modem.send(b'early')
    for number in range(1, 4):
        end, own = plugged(place)
        assert heard(queue, lambda end=end: os.write(end, frame(b'there'))) == b'there'
        assert (modem.send(b'm'), os.read(end, 99)) == ('', frame(b'm'))
        assert (modem.problem, modem.counts()['opened']) == ('', number)
        os.close(end)
        os.close(own)
        while not modem.send(b'm'):
            pass
        assert str(place) in modem.problem or str(place) in modem.send(b'm')


def test_modem_that_is_too_slow_is_not_waited_for(plugged_in: Any, tmp_path: Path) -> None:
    ends = plugged(tmp_path / 'modem')
    modem, queue = plugged_in(tmp_path / 'modem')
    heard(queue, lambda: os.write(ends[0], frame(b'there')))
    while not (problem := modem.send(b'x' * room(LENGTH))):
        pass
    assert str(tmp_path) in problem
    for end in ends:
        os.close(end)


def test_transport_without_its_library_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, 'serial', None)
    with pytest.raises(ParameterError, match=r"kind: serial .* apt install python3-serial, .*"
                       r"pip install 'pyserial>=3\.5'"):
        TRANSPORTS.get('serial')(LinkParameters(kind='serial'), bytes)


def free_port() -> int:
    with socket.socket() as found:
        found.bind(('127.0.0.1', 0))
        return int(found.getsockname()[1])


def test_peer_that_comes_late_and_restarts_is_heard(joined: Any) -> None:
    here, there = free_port(), free_port()
    one, queue = joined(here, f'localhost:{there}')
    assert one.send(b'early') == 'no other link, and no router, is connected'
    for _ in range(2):
        other, others = joined(there, f'tcp/localhost:{here}')
        assert heard(others, one.send, b'm') == heard(queue, other.send, b'm') == b'm'
        other.close()


def test_peers_of_one_group_find_each_other_and_another_swarm_hears_nothing(joined: Any) -> None:
    group = f'239.255.76.69:{free_port()}'
    one, other, stranger = (
        joined(free_port(), group, swarm) for swarm in ('red', 'red', 'blue'))
    assert heard(other[1], one[0].send, b'm') == b'm'
    while one[0].counts()['connected'] < 2:
        heard(other[1], one[0].send, b'm')
    assert heard(stranger[1], stranger[0].send, b'own') == b'own'
    assert {stranger[1].get() for _ in range(stranger[1].qsize())} <= {b'own'}


def test_links_that_know_a_router_alone_hear_each_other(joined: Any) -> None:
    import zenoh
    endpoint = f'tcp/127.0.0.1:{free_port()}'
    config = zenoh.Config()
    for key, value in ('mode', 'router'), ('listen/endpoints', [endpoint]), (
            'scouting/multicast/enabled', False):
        config.insert_json5(key, json.dumps(value))
    with zenoh.open(config):
        one, other = joined(free_port(), endpoint), joined(free_port(), endpoint)
        assert heard(other[1], one[0].send, b'm') == b'm'


@pytest.mark.parametrize(('name', 'wrong'), [
    ('peers', ('alice:0',)), ('peers', ('a/b/c',)), ('key_expression', ('a:7447', 'a//b'))])
def test_wrong_parameter_is_refused(joined: Any, name: str, wrong: tuple[str, ...]) -> None:
    with pytest.raises(ParameterError, match=f'parameter {name}'):
        joined(free_port(), *wrong)
