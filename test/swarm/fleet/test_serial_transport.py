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

"""The transport of a modem, on pseudo-terminals: bit errors, a device that comes and goes."""

from collections.abc import Callable, Iterator
import os
from pathlib import Path
from queue import Empty, Queue
import sys
from typing import Any

from leader_election.election.messages.frames import frame, room
from leader_election.election.messages.packets import packet, PacketReader
from leader_election.parameters import ParameterError
from leader_election.swarm.fleet.transports import LinkParameters, TRANSPORTS
import pytest
from serial_line import line, plugged
from support import PATIENCE

LENGTH = 250


@pytest.fixture
def opened() -> Iterator[Callable[[Path], tuple[Any, 'Queue[bytes]']]]:
    """Return a function that makes the transport of a device, and the queue of its packets."""
    pytest.importorskip('serial', reason="needs pip install 'pyserial>=3.5'")
    made = []

    def make(device: Path) -> tuple[Any, 'Queue[bytes]']:
        queue: Queue[bytes] = Queue()
        made.append(TRANSPORTS.get('serial').make(
            LinkParameters(kind='serial', device=str(device), length=LENGTH), queue.put))
        return made[-1], queue
    yield make
    for each in made:
        each.close()


def heard(queue: 'Queue[bytes]', send: Callable[[], Any]) -> bytes:
    """Send until a packet comes, since an absent device loses all, and return that packet."""
    for _ in range(int(PATIENCE / 0.1)):
        send()
        try:
            return queue.get(timeout=0.1)
        except Empty:
            continue
    raise AssertionError('nothing was heard')


def test_messages_cross_a_line_with_bit_errors_whole_or_not_at_all(
        opened: Any, tmp_path: Path) -> None:
    places = tmp_path / 'a', tmp_path / 'b'
    with line(places, 0.002):
        sender, receiver = opened(places[0])[0], opened(places[1])
        heard(receiver[1], lambda: sender.send(b'ready'))
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
        opened: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr('leader_election.swarm.fleet.serial_transport.REOPEN_PERIOD', 0.05)
    place = tmp_path / 'modem'
    modem, queue = opened(place)
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


def test_modem_that_is_too_slow_is_not_waited_for(opened: Any, tmp_path: Path) -> None:
    ends = plugged(tmp_path / 'modem')
    modem, queue = opened(tmp_path / 'modem')
    heard(queue, lambda: os.write(ends[0], frame(b'there')))
    while not (problem := modem.send(b'x' * room(LENGTH))):
        pass
    assert str(tmp_path) in problem
    for end in ends:
        os.close(end)


def test_transport_without_its_library_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, 'serial', None)
    monkeypatch.delitem(sys.modules, 'leader_election.swarm.fleet.serial_transport', False)
    with pytest.raises(ParameterError, match=r"kind: serial .* apt install python3-serial, .*"
                       r"pip install 'pyserial>=3\.5'"):
        TRANSPORTS.get('serial').make(LinkParameters(kind='serial'), bytes)
