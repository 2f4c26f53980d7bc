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

"""The transport over Zenoh: sessions on this computer, which come, go, and come back."""

from collections.abc import Callable, Iterator
import json
from queue import Empty, Queue
import socket
from typing import Any

from leader_election.parameters import ParameterError
from leader_election.swarm.fleet.transports import LinkParameters, TRANSPORTS
import pytest
from support import PATIENCE

zenoh = pytest.importorskip('zenoh', reason="needs pip install 'eclipse-zenoh>=1.2'")


def free_port() -> int:
    with socket.socket() as found:
        found.bind(('127.0.0.1', 0))
        return int(found.getsockname()[1])


@pytest.fixture
def opened() -> Iterator[Callable[..., tuple[Any, 'Queue[bytes]']]]:
    """Return a function that makes a transport, and the queue of its packets."""
    made = []

    def make(port: int, peers: str, swarm: str = 'red') -> tuple[Any, 'Queue[bytes]']:
        queue: Queue[bytes] = Queue()
        made.append(TRANSPORTS.get('zenoh').make(LinkParameters(
            kind='zenoh', port=port, peers=peers, key_expression=swarm), queue.put))
        return made[-1], queue
    yield make
    for each in made:
        each.close()


def heard(queue: 'Queue[bytes]', sender: Any, data: bytes = b'm') -> bytes:
    """Send until a packet comes, since it is lost before both are connected, and return it."""
    for _ in range(int(PATIENCE / 0.1)):
        sender.send(data)
        try:
            return queue.get(timeout=0.1)
        except Empty:
            continue
    raise AssertionError('nothing was heard')


def test_peer_that_comes_late_and_restarts_is_heard(opened: Any) -> None:
    here, there = free_port(), free_port()
    one, queue = opened(here, f'localhost:{there}')
    assert one.send(b'early') == 'no other link, and no router, is connected'
    for _ in range(2):
        other, others = opened(there, f'tcp/localhost:{here}')
        assert heard(others, one) == heard(queue, other) == b'm'
        other.close()


def test_peers_of_one_group_find_each_other_and_another_swarm_hears_nothing(opened: Any) -> None:
    group = f'239.255.76.69:{free_port()}'
    one, other, stranger = (
        opened(free_port(), group, swarm) for swarm in ('red', 'red', 'blue'))
    assert heard(other[1], one[0]) == b'm'
    while one[0].counts()['connected'] < 2:
        heard(other[1], one[0])
    assert heard(stranger[1], stranger[0], b'own') == b'own'
    assert {stranger[1].get() for _ in range(stranger[1].qsize())} <= {b'own'}


def test_links_that_know_a_router_alone_hear_each_other(opened: Any) -> None:
    endpoint = f'tcp/127.0.0.1:{free_port()}'
    config = zenoh.Config()
    for key, value in ('mode', 'router'), ('listen/endpoints', [endpoint]), (
            'scouting/multicast/enabled', False):
        config.insert_json5(key, json.dumps(value))
    with zenoh.open(config):
        one, other = opened(free_port(), endpoint), opened(free_port(), endpoint)
        assert heard(other[1], one[0]) == b'm'


@pytest.mark.parametrize(('name', 'wrong'), [
    ('peers', {'peers': 'tcp/'}), ('peers', {'peers': 'alice:0'}), ('peers', {'peers': 'a/b/c'}),
    ('key_expression', {'key_expression': 'a//b'})])
def test_wrong_parameter_is_refused(name: str, wrong: dict[str, str]) -> None:
    with pytest.raises(ParameterError, match=f'parameter {name}'):
        TRANSPORTS.get('zenoh').make(
            LinkParameters(kind='zenoh', port=free_port(), **wrong), bytes)  # type: ignore[arg-type]
