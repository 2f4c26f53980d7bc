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

"""Links between ROS domains: robots elect across them, and what is wrong is counted."""

from collections.abc import Iterator
from pathlib import Path
import socket
import time
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from leader_election.ros.nodes.election import ElectionNode
from leader_election.ros.nodes.link import Link
from leader_election.ros.nodes.qos import EVENTS
import pytest
import rclpy
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.parameter import Parameter
from serial_line import line
from std_msgs.msg import String
from support import PATIENCE

DOMAINS = (91, 92)


def free_port() -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as found:
        found.bind(('127.0.0.1', 0))
        return int(found.getsockname()[1])


def values(**given: Any) -> list[Parameter]:
    return [Parameter(name, value=value) for name, value in given.items()]


class Domain:
    """The nodes in one ROS domain of its own, and what they report."""

    def __init__(self, domain: int, **parameters: Any) -> None:
        self.context = Context()
        rclpy.init(context=self.context, domain_id=domain)
        self.executor = SingleThreadedExecutor(context=self.context)
        self.nodes: list[Node] = []
        self.link = Link(context=self.context, use_global_arguments=False, namespace='/r',
                         parameter_overrides=values(**parameters))
        self.add(self.link)
        self.observer = Node('observer', context=self.context, use_global_arguments=False)
        self.add(self.observer)
        self.status = DiagnosticStatus()
        self.observer.create_subscription(DiagnosticArray, '/diagnostics', self._note, EVENTS)

    def _note(self, message: DiagnosticArray) -> None:
        self.status = next((each for each in message.status if each.name == 'r: link'),
                           self.status)

    def count(self, name: str) -> int:
        return next((int(each.value) for each in self.status.values if each.key == name), 0)

    def add(self, node: Node) -> None:
        self.nodes.append(node)
        self.executor.add_node(node)

    def close(self) -> None:
        self.link.close()
        for node in self.nodes:
            node.destroy_node()
        rclpy.shutdown(context=self.context)


@pytest.fixture
def domains() -> Iterator[list[Domain]]:
    ports = [free_port(), free_port()]
    found = [Domain(domain, port=ports[i], peers=f'localhost:{ports[1 - i]}')
             for i, domain in enumerate(DOMAINS)]
    found[0].port = ports[0]  # type: ignore[attr-defined]
    yield found
    for each in found:
        each.close()


def until(domains: list[Domain], condition: Any) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, 'did not happen in time'
        for each in domains:
            each.executor.spin_once(timeout_sec=0.01)


def add_robots(domains: list[Domain], first: int = 1, **parameters: Any) -> None:
    for number, domain in enumerate(domains, first):
        domain.add(ElectionNode(
            context=domain.context, use_global_arguments=False, namespace='/r',
            parameter_overrides=values(
                robot_id=number, strength=float(number), metric='hops', round_period=0.2,
                communication_range=float('inf'), send_topic='outgoing', **parameters)))


def test_robots_of_two_domains_elect_one_leader(domains: list[Domain]) -> None:
    """The second domain has two robots behind one link, which also hear each other."""
    add_robots(domains)
    add_robots(domains[1:], first=3)
    robots = [node.robot for domain in domains for node in domain.nodes
              if isinstance(node, ElectionNode)]
    until(domains, lambda: all(robot.state.leader == 3 and len(robot.neighbours) == 2
                               for robot in robots))
    until(domains, lambda: all(domain.status.message == 'hears 1 link' for domain in domains))
    assert all(domain.count('heard') > 0 and domain.count('sent') > 0 for domain in domains)


def test_robots_with_a_key_elect_and_count_members_over_a_noisy_modem(tmp_path: Path) -> None:
    pytest.importorskip('serial', reason="needs pip install 'pyserial>=3.5'")
    key = tmp_path / 'swarm.key'
    key.write_text('0f' * 32)
    key.chmod(0o600)
    places = tmp_path / 'a', tmp_path / 'b'
    with line(places, 2e-4):
        domains = [Domain(domain, kind='serial', device=str(place), length=250)
                   for domain, place in zip(DOMAINS, places)]
        try:
            room = domains[0].link.message_room
            add_robots(domains, swarm_key_file=str(key), tasks='count', message_length=room)
            until(domains, lambda: all(
                domain.nodes[-1].robot.state.leader == 2  # type: ignore[attr-defined]
                for domain in domains) and domains[0].count('damaged') > 0)
            assert domains[0].count('too_long') == domains[1].count('too_long') == 0
            sender = domains[0].observer.create_publisher(String, '/r/outgoing', 10)
            until(domains, lambda: sender.publish(String(data='x' * (room + 1)))
                  or 'message_length' in domains[0].status.message)
        finally:
            for each in domains:
                each.close()


def test_strange_packets_are_counted_and_nothing_is_published(domains: list[Domain]) -> None:
    heard = list[String]()
    domains[0].observer.create_subscription(String, '/r/neighbourhood', heard.append, 10)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger:
        def disturb() -> bool:
            for data in b'', b'garbage', bytes(60000):
                stranger.sendto(data, ('127.0.0.1', domains[0].port))  # type: ignore[attr-defined]
            return domains[0].count('strange') > 20
        until(domains[:1], disturb)
    assert heard == []


def test_peer_without_an_address_is_a_warning(domains: list[Domain]) -> None:
    alone = Domain(DOMAINS[0], port=free_port(), peers='no-such-host.invalid, a..b')
    try:
        sender = alone.observer.create_publisher(String, '/r/outgoing', 10)
        until([alone], lambda: sender.publish(String(data='{}')) or alone.count('unsent') > 0)
        assert (alone.status.level, alone.status.message) == (
            DiagnosticStatus.WARN, 'no peer has an address: no-such-host.invalid, a..b')
        sender.publish(String(data='x' * 20000))
        until([alone], lambda: alone.count('too_long') > 0)
    finally:
        alone.close()
