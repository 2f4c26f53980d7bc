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

"""The checks of whether robots, and links between domains, hear each other."""

from typing import Any

from leader_election.election.robot.diagnostics import Status
from leader_election.swarm.doctor import communication
from leader_election.swarm.doctor.diagnoses import examine
from leader_election.swarm.doctor.observations import Endpoint, Level, Observations
from leader_election.swarm.fleet.link_status import LinkReport, parse_link, PeerCounts
from leader_election.swarm.fleet.robot_list import BUFFER_DEFAULT, ENOUGH_BUFFER
import pytest
from swarm.doctor.scene import (
    AIR,
    healthy,
    node,
    rewired,
    said,
    signs,
    statuses,
    told,
    wiring,
    without,
)

STRING = 'std_msgs/msg/String'


def test_topic_of_one_robot_alone_is_reported():
    alone = rewired('bob', *wiring('bob', radio_topic='/bob/neighbourhood'))
    assert signs(communication.shared_topic, endpoints=alone) == [
        (('bob',), 'no other robot receives what it publishes on /bob/neighbourhood')]
    assert signs(communication.shared_topic, endpoints=wiring('bob')) == [], 'there is nobody else'
    each = [*wiring('alice', '/alice/neighbourhood'), *wiring('bob', '/bob/neighbourhood')]
    assert signs(communication.shared_topic, endpoints=each) == [
        (('alice', 'bob'), 'no other robot receives what it publishes on /alice/neighbourhood, '
         '/bob/neighbourhood')]
    # A radio carries it on.
    radio = Endpoint('/bob/neighbourhood', STRING, False, '/swarm_world')
    assert signs(communication.shared_topic, endpoints=[*alone, radio]) == []


def test_incompatible_qos_profiles_are_reported():
    def asks(**of_robot):
        *rest, hears, driver = wiring('bob')
        return rewired('bob', *rest, hears._replace(**of_robot), driver)

    begin = f'/bob/odom: {node("bob")} cannot receive from /bob/driver: '
    assert signs(communication.profiles, endpoints=asks(reliable=True)) == [], 'it is offered'
    assert signs(communication.profiles, endpoints=asks(latched=True)) == [
        (('bob',), begin + 'durability: volatile is offered, transient local requested')]


def test_reliable_subscription_is_reported_with_all_publishers():
    """No robot offers these: one finding names all publishers."""
    hears = Endpoint(AIR, STRING, False, node('bob'), reliable=True)
    others = [e for e in wiring('bob') if e.publishes or e.topic != AIR]
    assert signs(communication.profiles, endpoints=rewired('bob', *others, hears)) == [
        (('alice', 'bob', 'carol'), f'{AIR}: {node("bob")} cannot receive from {node("alice")}, '
         f'{node("bob")}, {node("carol")}: reliability: best effort is offered, reliable '
         'requested')]


def test_incompatible_tool_is_a_warning():
    tool = Endpoint(AIR, STRING, False, '/logger', reliable=True)
    sign, = communication.profiles(healthy(endpoints=rewired('bob', *wiring('bob'), tool)))
    assert sign.level == Level.WARN and '/logger cannot receive from' in sign.what
    elsewhere = [Endpoint('/rosout', STRING, False, '/a', True), Endpoint(
        '/rosout', STRING, True, '/b')]
    assert signs(communication.profiles,
                 endpoints=rewired('bob', *wiring('bob'), *elsewhere)) == []


def test_robot_that_receives_nothing_is_reported_when_near_others():
    deaf = statuses('bob', 2, messages_heard=0)
    assert signs(communication.reception, diagnostics=told('bob', *deaf)) == [
        (('bob',), 'it received nothing, while messages of robots near it arrived here')]
    # Bob is 3 m from Carol, or 3.3 m.
    for reach, reported in (('3.1', 1), ('2.9', 0)):
        ranges = [report._replace(values={**report.values, 'communication_range': reach})
                  for report in told('bob', *deaf)]
        assert len(signs(communication.reception, diagnostics=ranges,
                         messages=without(2) + said(2, x=9.0))) == reported


def test_robot_without_neighbours_is_reported_if_out_of_range():
    alone = [s._replace(values={**s.values, 'neighbours': str(int(s.robot != 'bob'))})
             for s in healthy().diagnostics]
    for x, found in ((30.0, [(Level.WARN, ('bob',), 'it has no neighbours: the nearest robot is '
                              '24.0 m away, and communication_range is 5 m')]), (7.0, [])):
        assert [sign[:3] for sign in communication.reception(healthy(
            messages=without(2) + said(2, x=x), diagnostics=alone))] == found


def test_lost_messages_are_counted():
    fewer = [heard for k, heard in enumerate(said(2)) if k % 2]
    assert signs(communication.loss, messages=without(2) + fewer) == [
        (('bob',), 'of 9 messages sent 4 arrived here')]
    # One less than it sent may be on its way.
    assert signs(communication.loss, messages=without(2) + said(2)[1:]) == []


BRIDGE = Endpoint('/robot_1/cmd_vel', 'geometry_msgs/msg/Twist', True, '/gazebo_bridge')


@pytest.mark.parametrize(('size', 'robots', 'endpoints', 'level'), [
    (212992, 30, (), None), (212992, 30, (BRIDGE,), Level.WARN),
    (212992, 5, (BRIDGE,), Level.NOTE), (ENOUGH_BUFFER, 30, (BRIDGE,), None)])
def test_small_buffers_are_reported_beside_gazebo(size, robots, endpoints, level):
    wires = [wire for k in range(robots) for wire in wiring(f'robot_{k}')]
    found = list(communication.receive_buffers(Observations(
        10.0, endpoints=(*wires, *endpoints), receive_buffers={BUFFER_DEFAULT: size})))
    assert [each.level for each in found] == ([] if level is None else [level])
    assert all('net.core.rmem_default is 212992' in each.what for each in found)


OF_2 = PeerCounts((2,), 100, 0, 90, 0)
UP = (2,), 200, 0, 190, 0


def reports(peer: PeerCounts | None = None, **grown: int) -> list[LinkReport]:
    """Return alice's first and last reports, with these increases, and this peer at last."""
    return [
        LinkReport(0.0, 'alice', 'a', 'hears 1 link', dict.fromkeys(grown, 5) | {'heard': 100},
                   {'b': OF_2}),
        LinkReport(9.0, 'alice', 'a', 'why', {k: 5 + n for k, n in grown.items()} | {'heard': 150},
                   {'b': peer or PeerCounts(*UP)})]


def test_links_that_hear_each_other_are_well() -> None:
    assert signs(communication.links, links=reports(strange=0, too_long=0, lost=3)) == []
    assert all(f.check != 'links' for f in examine(healthy(links=reports())))


@pytest.mark.parametrize(('grown', 'what'), [
    ({'too_long': 3}, 'its link left out 3 packets that are too long for it: why'),
    ({'unsent': 1}, 'its link could not send a packet: why'),
    ({'flooded': 2}, 'its link left out 2 packets, more than most_packets of one sender'),
    ({'strange': 2}, 'at its link 2 packets arrived that are not from a link'),
    ({'damaged': 50}, 'at its link 50 of 100 frames were damaged')])
def test_counter_of_a_link_that_grows_is_a_finding_with_a_remedy(
        grown: dict[str, int], what: str) -> None:
    swarm: dict[str, Any] = {'links': reports(**grown)}
    assert signs(communication.links, **swarm) == [(('alice',), what)]
    (finding,) = [each for each in examine(healthy(**swarm)) if each.check == 'links']
    assert finding.remedy != 'See the parameters of link.'


@pytest.mark.parametrize(('peer', 'what'), [
    (PeerCounts((2,), 200, 0, 0, 0), 'its link is not heard by that of bob, which it hears'),
    (PeerCounts((), 200, 0, 0, 0), 'its link is not heard by that of link b, which it hears'),
    (PeerCounts((2, 9), 130, 30, 190, 0), 'its link lost 30 of 60 packets of bob, id 9'),
    (PeerCounts((2,), 200, 0, 130, 30), '30 of 70 packets of its link were lost before bob')])
def test_loss_between_links_is_found_in_both_directions(peer: PeerCounts, what: str) -> None:
    swarm: dict[str, Any] = {'links': reports(peer)}
    assert signs(communication.links, **swarm) == [(('alice',), what)]
    (finding,) = [each for each in examine(healthy(**swarm)) if each.check == 'links']
    assert finding.remedy != 'See the parameters of link.'


def test_link_without_others_is_found_and_few_lost_packets_are_not() -> None:
    silent = reports()[1]._replace(peers={}, message='no other link was heard for 17 s')
    assert signs(communication.links, links=[silent]) == [
        (('alice',), 'its link hears no other link: no other link was heard for 17 s')]
    assert signs(communication.links, links=reports(PeerCounts((2,), 101, 4, None, 0))) == []


@pytest.mark.parametrize('value', [
    '', '[]', '{"robots": 1, "heard": 1, "lost": 0}', '[' * 100000,
    '{"robots": [1.5], "heard": 1, "lost": 0}', '{"robots": [], "heard": true}'])
def test_wrong_value_of_a_link_is_left_out(value: str) -> None:
    status = Status('r/a: link', 'link 00000000000000ff',
                    {'peer 01': value, 'heard': '7', 'sent': 'x', 'lost': '-1'})
    assert parse_link(status, 1.0) == LinkReport(
        1.0, 'r/a', '00000000000000ff', '', {'heard': 7, 'lost': -1}, {})
    assert parse_link(status._replace(hardware_id='robot 1'), 1.0) is None
