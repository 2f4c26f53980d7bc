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

"""The checks of what arrives: messages, odometry, clocks."""

from typing import Any

from leader_election.election.robot.diagnostics import Status
from leader_election.swarm.doctor import communication
from leader_election.swarm.doctor.diagnoses import examine
from leader_election.swarm.doctor.observations import CLOCK, Endpoint, Level, Observations
from leader_election.swarm.fleet.receive_buffers import BUFFER_DEFAULT, ENOUGH_BUFFER
import pytest
from swarm.doctor.scene import (
    AIR,
    healthy,
    NAMES,
    node,
    readings,
    rewired,
    said,
    saying,
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


def test_link_that_reports_a_problem_is_found_with_a_remedy() -> None:
    well = Status('alice: link', 'link a', {}, 0, 'hears 1 link')
    alone = Status('/bob: link', 'link b', {}, 1, 'no other link was heard for 17 s')
    swarm: dict[str, Any] = {'links': [well, alone]}
    assert signs(communication.links, **swarm) == [
        (('bob',), 'its link reports: no other link was heard for 17 s')]
    (finding,) = [each for each in examine(healthy(**swarm)) if each.check == 'links']
    assert finding.remedy.startswith('Start the other links')


ODOM = '/bob/odom'


def of_bob(bobs: list) -> dict:
    """Return the odometry of all, bob's as given."""
    return {f'/{name}/odom': readings() for name in NAMES} | {ODOM: bobs}


def test_unpublished_odometry_is_reported():
    assert signs(communication.odometry, odometry=of_bob([]),
                 endpoints=rewired('bob', *wiring('bob')[:-1])) == [
        (('bob',), f'no node publishes {ODOM}')]
    none = [e for e in healthy().endpoints if not e.node.endswith('/driver')]
    assert signs(communication.odometry, odometry={}, endpoints=none) == [
        (NAMES, 'no node publishes /alice/odom, /bob/odom, /carol/odom')]
    *robots_own, driver = wiring('bob')
    driver, truth = (driver._replace(topic=topic) for topic in ('/odom', '/bob/ground_truth'))
    assert signs(communication.odometry, odometry=of_bob([]),
                 endpoints=rewired('bob', *robots_own, driver, truth)) == [
        (('bob',), f'no node publishes {ODOM}; odometry is published on /odom, which no node '
         'uses')]


def test_odometry_is_not_missed_where_a_localisation_gives_the_pose():
    given = [each._replace(values={**each.values, 'pose_source': 'tf'})
             for each in statuses('bob', 2)]
    assert signs(communication.odometry, odometry=of_bob([]), diagnostics=given,
                 endpoints=rewired('bob', *wiring('bob')[:-1])) == []


def test_missing_stopped_or_slow_odometry_is_reported():
    for row, what in (
            ([], ' is published by /bob/driver, but no message was received'),
            (readings(until=6.0), ' has stopped: the last message was received 4.0 s ago'),
            (readings(10), ' has a rate of only 1.0 Hz')):
        assert signs(communication.odometry, odometry=of_bob(row)) == [(('bob',), ODOM + what)]
    assert signs(communication.odometry, odometry=of_bob(readings(30))) == []


def test_odometry_is_old_after_the_published_expiry():
    late = of_bob(readings(until=6.0))
    for expiry, found in ('5', 0), ('3', 1):
        assert len(signs(communication.odometry, odometry=late,
                         diagnostics=saying(odometry_expiry=expiry))) == found


@pytest.mark.parametrize('needed', ['True', 'False'])
def test_odometry_is_ignored_where_positions_are_not_needed(needed):
    found = signs(communication.odometry, odometry=of_bob([]),
                  diagnostics=saying(odometry_needed=needed))
    assert bool(found) == (needed == 'True')


def test_remapped_odometry_is_found_by_its_subscription():
    """The topic is known by the subscription, not by its name."""
    hears = [endpoint._replace(topic=endpoint.topic.replace(ODOM, '/ekf/filtered'))
             for endpoint in wiring('bob')]
    assert signs(communication.odometry, endpoints=rewired('bob', *hears),
                 odometry=of_bob([]) | {'/ekf/filtered': readings()}) == []


SIMULATOR = Endpoint(CLOCK, 'rosgraph_msgs/msg/Clock', True, '/gazebo')


def goes_by_it(robot: str) -> Endpoint:
    return SIMULATOR._replace(publishes=False, node=node(robot))


ALL = [e for name in NAMES for e in (*wiring(name), goes_by_it(name))]


def test_simulated_time_that_stands_still_or_is_used_by_some_is_reported():
    still = 'use_sim_time is true, but no node advances /clock: its time stands still'
    assert signs(communication.simulated_time, endpoints=[*ALL, SIMULATOR]) == []
    assert signs(communication.simulated_time, endpoints=ALL) == [(NAMES, still)]
    assert signs(communication.simulated_time, endpoints=[*ALL, SIMULATOR], pace=0.0) == [
        (NAMES, still)]
    mixed = [*rewired('bob', *wiring('bob')), goes_by_it('alice'), SIMULATOR]
    used = 'use_sim_time is false, but /clock is used by alice'
    assert signs(communication.simulated_time, endpoints=mixed) == [(('bob', 'carol'), used)]
    assert signs(communication.simulated_time, endpoints=mixed, diagnostics=told('bob')) == [
        (('carol',), used)]


def test_time_that_stands_still_explains_silence():
    found = examine(healthy(endpoints=ALL, messages=[], diagnostics=()))
    assert {(f.check, f.explained_by) for f in found} == {
        ('simulated_time', ''), ('silent', 'simulated_time')}


def test_differing_clocks_are_reported():
    late, unknown = ([heard._replace(delay=delay) for heard in said(2)] for delay in (0.4, None))
    assert signs(communication.offsets, messages=without(2) + late) == [
        (('bob',), 'its computer is 0.40 s behind the time here')]
    assert signs(communication.offsets, messages=without(2) + unknown) == []
    ahead = {ODOM: readings(delay=-3.0)}
    assert signs(communication.offsets, odometry=ahead) == [
        (('bob',), f'the stamp of {ODOM} is 3.00 s ahead of the time here')]
    assert signs(communication.offsets, odometry=ahead, endpoints=[*ALL, SIMULATOR]) == []
