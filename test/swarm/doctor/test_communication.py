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

"""The checks of whether robots hear each other."""

from leader_election.swarm.doctor import communication
from leader_election.swarm.doctor.observations import Endpoint, Level, Observations
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
    # Called otherwise it is known by the robot's saying and hearing it, or by the fleet file.
    called = rewired('bob', *wiring('bob', radio_topic='/bob/air'))
    assert signs(communication.shared_topic, endpoints=called) == [
        (('bob',), 'no other robot receives what it publishes on /bob/air')]
    # A radio carries it on.
    radio = Endpoint('/bob/neighbourhood', STRING, False, '/swarm_world')
    assert signs(communication.shared_topic, endpoints=[*alone, radio]) == []


def test_incompatible_qos_profiles_are_reported():
    def asks(**of_robot):
        *rest, hears, driver = wiring('bob')
        return rewired('bob', *rest, hears._replace(**of_robot), driver)

    begin = f'/bob/odom: {node("bob")} cannot receive from /bob/driver: '
    assert signs(communication.profiles, endpoints=asks(reliable=True)) == [], 'it is offered'
    for endpoints, fault in (
            (asks(latched=True), 'durability: volatile is offered, transient local requested'),):
        assert signs(communication.profiles, endpoints=endpoints) == [(('bob',), begin + fault)]


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


def test_range_that_is_too_small_is_a_warning():
    sign, = communication.reception(healthy(messages=without(2) + said(2, x=30.0), diagnostics=[
        s._replace(values={**s.values, 'neighbours': str(int(s.robot != 'bob'))})
        for s in healthy().diagnostics]))
    assert sign.level == Level.WARN


def test_robot_without_neighbours_is_reported_if_out_of_range():
    for x, signs_of_it in ((30.0, [(('bob',), 'it has no neighbours: the nearest robot is 24.0 m '
                                    'away, and communication_range is 5 m')]), (7.0, [])):
        assert signs(communication.reception, messages=without(2) + said(2, x=x),
                     diagnostics=[s._replace(values={**s.values, 'neighbours': str(int(
                         s.robot != 'bob'))}) for s in healthy().diagnostics]) == signs_of_it


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
