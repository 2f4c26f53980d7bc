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

"""The client of nodes beside a robot, on messages that a test publishes."""

from collections.abc import Callable, Iterator
import math
import time

from diagnostic_msgs.msg import DiagnosticArray
from leader_election import LeaderClient
from leader_election.ros.nodes import clock
from leader_election.ros.nodes.clock import LeaseClock
from leader_election.ros.nodes.qos import EVENTS
import pytest
from rclpy.duration import Duration
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.publisher import Publisher
from rclpy.time import Time
from rosgraph_msgs.msg import Clock
from support import leadership, spin_until

LEADS = {'instance': 'main', 'leader': '3', 'leader_namespace': '/robot_3', 'is_leader': 'true',
         'distance': '0.000'}
FOLLOWS = {'instance': 'main', 'leader': '9', 'leader_namespace': '/fleet/nine',
           'is_leader': 'false', 'distance': '2.500'}
ClientMaker = Callable[..., LeaderClient]


def acts(stamped: float, lasts: tuple[float, ...]) -> dict[str, str]:
    """
    Return what a leader says under a mandate.

    :param stamped: the time of the message [s].
    :param lasts: how long after that it acts over itself, robot 3, and robot 4 [s].
    """
    ends = [f'{stamped + each}' for each in lasts]
    return {**LEADS, 'acting': 'true', 'term': '17', 'acts_over': '3,4', 'acting_until': ends[0],
            'acts_until': ','.join(ends)}


def matched(robot: Node, spun: list[Node]) -> Publisher:
    """Return the publisher of robot 3's leadership, once somebody listens."""
    publisher = robot.create_publisher(DiagnosticArray, '/robot_3/leadership', EVENTS)
    spin_until(spun, lambda: publisher.get_subscription_count() == 1)
    return publisher


@pytest.fixture
def client_of(ros: None) -> Iterator[ClientMaker]:
    """Return a function that makes a client which has just received a message of robot 3."""
    robot, user = Node('robot'), Node('user')

    def tell(values: dict[str, str], stamped: float = 0.0, lasts: tuple[float, ...] = (),
             expiry: float = 30.0) -> LeaderClient:
        """
        Tell.

        :param stamped: how much later than now the stamp of the message is [s].
        :param lasts: as of :func:`acts`.
        """
        client = LeaderClient(user, '/robot_3', expiry=expiry)
        publisher = matched(robot, [robot, user])
        now = robot.get_clock().now() + Duration(seconds=stamped)
        publisher.publish(leadership(
            acts(now.nanoseconds * 1e-9, lasts) if lasts else values, now,
            {'instance': 'other'}))
        spin_until([robot, user], lambda: client.age < math.inf)
        return client
    yield tell


def test_client_knows_nothing_before_the_first_message_and_when_its_node_is_destroyed(
        ros: None) -> None:
    node = Node('user')
    client = LeaderClient(node)
    assert client.age == client.distance == math.inf and math.isnan(client.since)
    assert client.refusal() == 'no message on the topic leadership yet'
    for _ in range(2):
        assert (client.leads, client.leader, client.leader_namespace) == (False, None, '')
        assert not client.may_act()
        node.destroy_node()


def test_client_returns_the_leader_and_for_how_long_it_is_the_same(client_of: ClientMaker) -> None:
    begin = Node('clock').get_clock().now().nanoseconds * 1e-9 - 60.0
    client = client_of({**FOLLOWS, 'since': f'{begin}'})
    assert not client.leads and (client.leader, client.distance) == (9, 2.5)
    assert client.leader_namespace == '/fleet/nine' and 60.0 <= client.since < 90.0


def test_client_waits_for_a_leader_without_being_spun(ros: None) -> None:
    robot, client = Node('robot'), LeaderClient(Node('user'), '/robot_3')
    assert client.wait_for_leader(0.01) is None
    matched(robot, [robot]).publish(leadership(LEADS, robot.get_clock().now()))
    assert client.wait_for_leader(60.0) == 3


def test_client_tells_of_each_leader_and_of_its_end(ros: None) -> None:
    robot, user = Node('robot'), Node('user')
    client, told = LeaderClient(user, '/robot_3', expiry=0.5), list[int | None]()
    client.on_change(told.append)
    publisher = matched(robot, [robot])
    spin_until([user], lambda: told == [None])
    for values in LEADS, LEADS, FOLLOWS:
        spin_until([robot, user], lambda values=values: publisher.publish(
            leadership(values, robot.get_clock().now())) or told[-1:] == [int(values['leader'])])
    spin_until([robot, user], lambda: told[-1] is None)
    assert told == [None, 3, 9, None]


def test_leading_client_may_not_act_without_mandates(client_of: ClientMaker) -> None:
    client = client_of(LEADS)
    assert client.leads and not client.has_mandates and not client.may_act()
    assert client.refusal() == 'the robot has no mandates: set its parameter mandate'


@pytest.mark.parametrize('stamped', [-40.0, 0.0])
def test_message_expires_by_its_age_since_its_stamp(
        client_of: ClientMaker, stamped: float) -> None:
    client = client_of(LEADS, stamped, expiry=30.0)
    assert client.leads == (stamped == 0.0) and (client.leader is None) == (stamped < 0.0)
    assert client.age == pytest.approx(-stamped, abs=10.0)


def test_client_knows_nothing_until_simulated_time_begins(ros: None) -> None:
    """Before, all ages are 0, so a message would count although its robot has long ended."""
    robot, user = Node('robot'), Node('user', parameter_overrides=[
        Parameter('use_sim_time', value=True)])
    clients = LeaderClient(user, '/robot_3'), LeaderClient(robot, '/robot_3')
    publisher = robot.create_publisher(DiagnosticArray, '/robot_3/leadership', EVENTS)
    simulator = robot.create_publisher(Clock, '/clock', 1)

    def publish() -> None:
        publisher.publish(leadership(LEADS, robot.get_clock().now()))

    timer = robot.create_timer(0.02, publish)
    spin_until([robot, user], lambda: publisher.get_subscription_count() == 2 and (
        clients[1].leads))
    spin_until([robot, user], lambda: simulator.get_subscription_count() == 1)
    assert clients[0].age == math.inf and not clients[0].leads
    simulator.publish(Clock(clock=robot.get_clock().now().to_msg()))
    spin_until([robot, user], lambda: clients[0].leads)
    timer.cancel()


def test_mandates_over_robots_end_one_by_one(client_of: ClientMaker) -> None:
    """The message was 30 s on its way. Only the mandate over robot 4 has ended."""
    client = client_of(LEADS, -30.0, lasts=(600.0, 29.0))
    assert client.may_act() and client.may_act(over=3) and client.term == 17
    assert not client.may_act(over=4) and not client.may_act(over=5)
    assert client.refusal(over=4).startswith('the mandate over robot 4 ended ')
    assert client.refusal(over=5) == 'robot 5 is under no mandate of this leader'


def test_mandate_ends_also_when_no_further_message_arrives(client_of: ClientMaker) -> None:
    client = client_of(LEADS, -1.0, lasts=(1.0, 600.0))
    assert not client.may_act() and client.term is None
    assert client.refusal(over=4).startswith('the mandate ended '), 'it is no leader any more'


def test_mandate_is_not_prolonged_when_the_wall_clock_is_set_back_while_messages_wait(
        ros: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two messages wait for 20 s, in which somebody sets the wall clock back by 30 s."""
    shown: list[float] = []
    take = LeaderClient._take
    monkeypatch.setattr(LeaderClient, '_take', lambda self, message: (
        shown.append(0.0), take(self, message)))
    robot, user = Node('robot'), Node('user')
    client = LeaderClient(user, '/robot_3')
    publisher = matched(robot, [robot, user])

    def publish() -> None:
        now = clock.seconds(robot.get_clock())
        publisher.publish(leadership(acts(now, (10.0,)), Time(seconds=now)))

    publish()
    publish()
    seconds, passed = clock.seconds, LeaseClock.seconds
    monkeypatch.setattr(clock, 'seconds', lambda of: seconds(of) - 10.0)
    monkeypatch.setattr(LeaseClock, 'seconds', lambda self: passed(self) + 20.0)
    spin_until([robot, user], lambda: len(shown) == 2)
    assert not client.may_act() and client.age == pytest.approx(20.0, abs=5.0)
    publish()
    spin_until([robot, user], lambda: len(shown) == 3)
    assert client.may_act() and client.age == pytest.approx(0.0, abs=5.0)


def test_mandate_is_not_prolonged_when_the_client_freezes_between_clock_readings(
        client_of: ClientMaker, monkeypatch: pytest.MonkeyPatch) -> None:
    """The client freezes for 50 s after it has read either of the two clocks."""
    frozen, freezes = 0.0, False
    take = LeaderClient._take

    def freezing(read: Callable[..., float]) -> Callable[..., float]:
        def reading(*arguments: object) -> float:
            nonlocal frozen
            found = read(*arguments) + frozen
            frozen = 50.0 if freezes else frozen
            return found
        return reading

    def taking(self: LeaderClient, message: DiagnosticArray) -> None:
        nonlocal freezes
        freezes = True
        take(self, message)

    monkeypatch.setattr(LeaderClient, '_take', taking)
    monkeypatch.setattr(clock, 'seconds', freezing(clock.seconds))
    monkeypatch.setattr(LeaseClock, 'seconds', freezing(LeaseClock.seconds))
    client = client_of(LEADS, lasts=(40.0, 40.0))
    assert not client.may_act()


def test_client_reads_waiting_messages_when_its_node_is_busy(client_of: ClientMaker) -> None:
    """The node was not spun since the robot lost its mandate."""
    client = client_of(LEADS, lasts=(600.0, 600.0))
    assert client.may_act()
    robot = Node('later')
    publisher = robot.create_publisher(DiagnosticArray, '/robot_3/leadership', EVENTS)
    deadline = time.monotonic() + 20.0
    while client.may_act() and time.monotonic() < deadline:
        publisher.publish(leadership(
            {'instance': 'main', 'acting': 'false'}, robot.get_clock().now()))
        time.sleep(0.1)
    assert client.refusal() == 'the robot has no mandate'


def test_mandate_is_not_taken_up_again_when_threads_take_messages_in_another_order(
        ros: None) -> None:
    """One thread takes an old message, another one a newer message before the first goes on."""
    node = Node('user')
    client, now = LeaderClient(node), node.get_clock().now()

    def message(stamped: float, acting: bool) -> DiagnosticArray:
        sent = now + Duration(seconds=stamped)
        return leadership(acts(sent.nanoseconds * 1e-9, (600.0, 600.0))
                          | {'acting': str(acting).lower()}, sent)

    for stamped, acting, may_act in ((1.0, True, True), (3.0, False, False), (2.0, True, False),
                                     (4.0, True, True)):
        client._receive(message(stamped - 60.0, acting))
        assert client.may_act(over=4) == may_act, stamped


@pytest.mark.parametrize('lasts', [0.0, 600.0])
def test_mandate_is_not_prolonged_when_the_clock_of_the_robot_is_ahead(
        client_of: ClientMaker, lasts: float) -> None:
    """The stamp is an hour ahead. The mandate counts from the receipt."""
    client = client_of(LEADS, 3600.0, lasts=(lasts, lasts))
    assert client.may_act(over=4) == (lasts > 0.0)
