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

"""The checks of the members of a swarm, and of what all have to have in common."""

from dataclasses import replace

from leader_election.election.algorithms import ALGORITHMS, Device
from leader_election.election.robot.codec import codec_for, Message
from leader_election.election.robot.swarm_key import sign
from leader_election.swarm.doctor import membership
from leader_election.swarm.doctor.observations import (
    HeardMessage,
    Level,
    Observations,
    RobotReport,
)
import pytest
from swarm.doctor.scene import (
    AIR,
    healthy,
    IDS,
    payload,
    rewired,
    said,
    saying,
    signs,
    statuses,
    told,
    wiring,
    without,
)


def test_differing_frame_is_reported() -> None:
    assert signs(membership.frames, messages=without(2) + said(2, frame='odom')) == [
        (('bob',), "the frame is 'odom', and 'map' with alice, carol")]


def test_differing_algorithm_is_reported() -> None:
    resilient = ALGORITHMS.get('resilient')
    said_by_bob = Message(2, 'map', None, resilient.start(Device(2, 1.0)))
    other = [HeardMessage(1.0, codec_for(resilient).encode(said_by_bob), AIR)]
    assert signs(membership.algorithms, messages=without(2) + other) == [
        (('bob',), 'the algorithm is resilient, and bounded with alice, carol')]


def test_two_robots_that_differ_are_both_named() -> None:
    assert signs(membership.frames, messages=said(1) + said(2, frame='odom')) == [
        (('alice', 'bob'), "the frame is 'map' with alice, 'odom' with bob")]


def setting(key: str, *values: str, **common: str) -> list[RobotReport]:
    """Return the reports of robots with these values under a key, and common ones beside."""
    return [report._replace(values={**report.values, key: values[report.id - 1]})
            for report in saying(**common)]


@pytest.mark.parametrize('key, values, level, told', [
    ('radius', ('6', '6', '3'), Level.WARN, ('carol: radius is 3 m, and 6 m with alice, bob')),
    ('rescue.radius', ('6', 'inf', '6'), Level.WARN,
     'bob: rescue.radius is inf m, and 6 m with alice, carol'),
    ('communication_range', ('5', '4', '4'), Level.WARN,
     'alice: communication_range is 5 m, and 4 m with bob, carol'),
    ('metric', ('hops', 'odometry', 'odometry'), Level.ERROR,
     'alice: metric is hops, and odometry with bob, carol'),
    ('radius_hysteresis', ('0', '0', '0.25'), Level.NOTE,
     'carol: radius_hysteresis is 0.25, and 0 with alice, bob'),
    ('round_period', ('1', '1', '2'), Level.WARN,
     'alice: message_expiry is 3 s, less than 2 times the round_period 2 s of carol')])
def test_differing_setting_has_the_level_of_its_consequence(
        key: str, values: tuple[str, ...], level: Level, told: str) -> None:
    sign, *_ = membership.settings(healthy(diagnostics=setting(key, *values)))
    assert sign.level == level and f'{sign.subjects[0]}: {sign.what}'.startswith(told)


def test_settings_are_compared_with_the_fleet_file() -> None:
    radii = setting('radius', '6', '6', '3')
    fleet = {name: {'radius': 6.0} for name in IDS}
    assert signs(membership.settings, diagnostics=radii, planned=fleet) == [
        (('carol',), 'radius is 3 m, and 6 m in the fleet file')]
    assert signs(membership.settings, diagnostics=radii,
                 planned=fleet | {'carol': {'radius': 3}}) == []


def test_radii_differ_freely_with_feedback() -> None:
    assert signs(membership.settings,
                 diagnostics=setting('radius', '6', '5', '3', feedback_gain='0.5')) == []


def signed(robot_id: int) -> list[HeardMessage]:
    """Return a signed message a second."""
    return [heard._replace(payload=sign(heard.payload, k, bytes(32)))
            for k, heard in enumerate(said(robot_id))]


def with_key(name: str, robot_id: int, key: str, accepted: str = '') -> list[RobotReport]:
    return [report._replace(values={
        **report.values, 'swarm_key': key, 'keys_accepted': accepted or key,
        'accept_unverified': 'False'}) for report in statuses(name, robot_id)]


def test_unsigned_and_signed_robots_are_reported() -> None:
    assert signs(membership.keys, messages=without(2) + signed(2)) == [
        (('bob',), 'its messages are signed; those of alice, carol are not')]
    assert signs(membership.keys, messages=signed(1) + said(2) + signed(3)) == [
        (('bob',), 'its messages are not signed; those of alice, carol are signed')]
    assert signs(membership.keys, messages=signed(1) + signed(2) + signed(3)) == []


def test_id_with_signed_and_unsigned_messages_is_reported() -> None:
    outsider = HeardMessage(3.0, payload(2), AIR)
    assert signs(membership.keys, messages=[*signed(1), *signed(2), *signed(3), outsider]) == [
        (('bob',), 'some messages of id 2 are signed and some are not: another sender uses its '
         'id, or it was given its key while this listened')]


def test_robot_with_another_key_is_reported() -> None:
    swarm = with_key('alice', 1, 'aa') + with_key('bob', 2, 'bb') + with_key('carol', 3, 'aa')
    assert signs(membership.keys, diagnostics=swarm) == [
        (('bob',), 'it does not accept the key aa that alice, carol sign with')]


def test_key_that_is_being_changed_is_reported() -> None:
    swarm = (with_key('alice', 1, 'aa', 'aa, bb') + with_key('bob', 2, 'bb', 'bb, aa')
             + with_key('carol', 3, 'aa', 'aa, bb'))
    assert signs(membership.keys, diagnostics=swarm) == [
        ((), 'the key is being changed: alice, carol with aa, bob with bb')]


def test_acceptance_of_unsigned_messages_is_reported() -> None:
    swarm = saying(swarm_key='aa', keys_accepted='aa', accept_unverified='True')
    assert signs(membership.keys, diagnostics=swarm) == [
        (('alice', 'bob', 'carol'),
         'unsigned messages are believed, too: accept_unverified')]


def test_without_any_key_nothing_is_found() -> None:
    assert list(membership.keys(healthy())) == []
    assert signs(membership.keys, diagnostics=told('bob')) == []


# The checks of presence and identity, each with and without a symptom.

def test_no_robot_found_is_reported_once() -> None:
    nobody = Observations(10.0, 10.0, environment={'ROS_DOMAIN_ID': '7'})
    assert [sign.what for sign in membership.found(nobody)] == [
        'no robot was found in 10 s (here: ROS_DOMAIN_ID=7)']
    assert list(membership.missing(nobody)) == [], 'once is enough'
    # Who speaks without any node of ours is there.
    assert not list(membership.found(Observations(10.0, 10.0, said(1))))


def test_single_robot_is_reported_with_other_domains() -> None:
    one = Observations(10.0, 10.0, said(1), diagnostics=statuses('alice', 1),
                       endpoints=wiring('alice'), environment={'ROS_DOMAIN_ID': '7'},
                       other_domains=(0, 3))
    sign, = membership.found(one)
    assert sign[:3] == (
        Level.WARN, ('alice',), 'it is alone: no other robot is visible from here (here: '
        'ROS_DOMAIN_ID=7); on this computer there are ROS nodes with ROS_DOMAIN_ID=0, 3')
    assert not list(membership.found(replace(one, messages=said(1) + said(2))))


def test_missing_wrong_or_unexpected_robot_is_reported() -> None:
    fleet = {'alice': 1, 'bob': 2, 'carol': 3}
    assert signs(membership.missing, expected=fleet, only_expected=True) == []
    assert signs(membership.missing, expected={'alice': None}) == []
    assert signs(membership.missing, expected=fleet | {'bob': 9, 'dave': 4}) == [
        (('bob',), 'its id is 2, but 9 is expected'), (('dave',), 'it was not found')]
    extra = list(membership.missing(healthy(expected={'alice': 1, 'bob': 2}, only_expected=True)))
    assert [(sign.level, sign.subjects) for sign in extra] == [(Level.NOTE, ('carol',))]


def test_silent_robot_is_reported_with_what_is_missing() -> None:
    assert signs(membership.silent, diagnostics=told('bob'), messages=without(2)) == [
        (('bob',), 'its node runs, but publishes no diagnostics')]
    assert signs(membership.silent, diagnostics=told('bob')) == [
        (('bob',), 'its diagnostics do not arrive here, while messages of id 2 do')]
    assert signs(membership.silent, messages=without(2)) == [
        (('bob',), 'no message of id 2 was heard')]
    # What cannot be read is another matter.
    broken = HeardMessage(1.0, payload(2).replace('"v":1', '"v":9'), AIR)
    assert signs(membership.silent, messages=[*without(2), broken]) == []
    slow = [s._replace(values={'round_period': '30'}) for s in healthy().diagnostics]
    sign, = membership.silent(healthy(messages=without(2), diagnostics=slow))
    assert sign[:3] == (Level.NOTE, ('bob',), 'its rounds are 30 s apart, too long for an '
                        'observation of 10 s; use --seconds 60')


def test_nodes_of_one_name_are_reported() -> None:
    assert signs(membership.names, endpoints=rewired('bob', *wiring('bob'), *wiring('bob'))) == [
        (('bob',), '2 nodes are called /bob/election_node')]


def test_one_id_in_two_diagnostics_is_reported() -> None:
    assert signs(membership.ids, diagnostics=told('bob', *statuses('bob', 1))) == [
        (('alice', 'bob'), 'they have the same id, 1')]


def test_own_id_heard_by_a_robot_is_reported() -> None:
    twin = statuses('bob', 2, 2, 'another robot uses id 2: give each its own robot_id')
    assert signs(membership.ids, diagnostics=told('bob', *twin)) == [
        (('bob',), 'it receives messages of another robot with its id, 2')]


def test_id_that_alternates_between_places_is_reported() -> None:
    def walk(*places: float) -> list[HeardMessage]:
        return [HeardMessage(0.1 * k, payload(2, x), AIR) for k, x in enumerate(places)]

    turns = 'messages of id 2 alternate between two positions, 6.0 m apart'
    twins = walk(1.0, 7.0, 1.0, 7.0, 1.0)
    assert signs(membership.ids, messages=twins) == [(('bob',), turns)]
    assert signs(membership.ids, messages=twins, diagnostics=()) == [(('id 2',), turns)]
    assert signs(membership.ids, messages=walk(1.0, 2.0, 3.0, 4.0, 5.0, 6.0)) == [], 'it drives'
    assert signs(membership.ids, messages=walk(1.0, 7.0, 7.0, 7.0, 7.0, 7.0)) == [], 'it was moved'
    assert signs(membership.ids, messages=walk(1.0, 1.1, 1.0, 1.1, 1.0, 1.1)) == [], 'it shakes'


def test_unreadable_messages_are_reported_by_reason() -> None:
    bad = [HeardMessage(1.0, 'hello', AIR),
           HeardMessage(2.0, payload(2).replace('"v":1', '"v":9'), AIR),
           HeardMessage(3.0, payload(2, more=',"a":"dance"'), AIR)]
    assert signs(membership.readable, messages=without(2) + bad) == [
        ((), f'1 of 23 messages cannot be read ({reason}), for example on {AIR}: '
         f'{bad[k].payload[:60]!r}')
        for k, reason in enumerate((
            'rejected_malformed', 'rejected_version', 'rejected_algorithm'))]


def test_dropped_messages_are_reported_while_they_increase() -> None:
    drops = statuses('bob', 2, rejected_no_position=3, rejected_own_id=5)
    assert signs(membership.refused, diagnostics=told('bob', *drops)) == [
        (('bob',), '27 messages, or parts of them, were dropped: rejected_no_position')]
    # Long ago, and no more.
    assert signs(membership.refused,
                 diagnostics=told('bob', *statuses('bob', 2, rejected_frame=0))) == []


def test_latest_warning_of_a_robot_is_reported() -> None:
    warns = statuses('bob', 2, 1, 'no odometry yet: no position is announced')
    assert signs(membership.self_reported, diagnostics=told('bob', *warns)) == [
        (('bob',), 'it reports: no odometry yet: no position is announced')]
    assert signs(membership.self_reported,
                 diagnostics=told('bob', *warns, *statuses('bob', 2))) == [], 'it is over'
