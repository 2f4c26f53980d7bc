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

"""The checks of members, and of what all have to have in common."""

from dataclasses import replace

from leader_election.election.messages.swarm_key import sign
from leader_election.swarm.doctor import membership
from leader_election.swarm.doctor.observations import (
    HeardMessage,
    KnownRobot,
    Level,
    Observations,
    RobotReport,
)
import pytest
from swarm.doctor.scene import (
    AIR,
    BOB,
    healthy,
    IDS,
    rewired,
    said,
    saying,
    signs,
    statuses,
    symptoms,
    told,
    wiring,
    without,
)

OTHERS = without(2)


def setting(key: str, *values: str, **common: str) -> list[RobotReport]:
    """Return the reports of robots with these values under a key, and common ones beside."""
    return [report._replace(values={**report.values, key: values[report.id - 1]})
            for report in saying(**common)]


def signed(*ids: int) -> list[HeardMessage]:
    """Return a signed message a second."""
    return [heard._replace(payload=sign(heard.payload, k, bytes(32)))
            for i in ids for k, heard in enumerate(said(i))]


def with_keys(*keys: str) -> list[RobotReport]:
    """Return reports of robots, each with the keys that it accepts, the first its own."""
    return [report._replace(values={
        **report.values, 'swarm_key': key.partition(',')[0], 'keys_accepted': key,
        'accept_unverified': 'False'})
        for key, (name, i) in zip(keys, IDS.items()) for report in statuses(name, i)]


def bob(*arguments, **growing) -> dict[str, list[RobotReport]]:
    return {'diagnostics': told('bob', *statuses('bob', 2, *arguments, **growing))}


FLEET = {'alice': 1, 'bob': 2, 'carol': 3}
RADII = setting('radius', '6', '6', '3')
CASES = {
    'differing frame': (membership.frames, {'messages': OTHERS + said(2, frame='odom')}, [
        (BOB, "the frame is 'odom', and 'map' with alice, carol")]),
    'two frames of two robots': (membership.frames, {
        'messages': said(1) + said(2, frame='odom')}, [
        (('alice', 'bob'), "the frame is 'map' with alice, 'odom' with bob")]),
    'setting that is planned': (membership.settings, {
        'diagnostics': RADII, 'planned': {'carol': {'radius': 3}}}, []),
    'radii with feedback': (membership.settings, {
        'diagnostics': setting('radius', '6', '5', '3', feedback_gain='0.5')}, []),
    'one signs': (membership.keys, {'messages': OTHERS + signed(2)}, [
        (BOB, 'the key is in use, and missing with alice, carol')]),
    'one id signs at times': (membership.keys, {'messages': signed(1, 2, 3) + said(2)}, [
        (BOB, 'the key is missing at times, and in use with alice, carol')]),
    'another key': (membership.keys, {'diagnostics': with_keys('aa', 'bb', 'aa')}, [
        (BOB, 'it does not accept the key aa of alice, carol')]),
    'key that is being changed': (membership.keys, {
        'diagnostics': with_keys('aa, bb', 'bb, aa', 'aa, bb')}, []),
    'no keys, and no diagnostics of one': (membership.keys, {'diagnostics': told('bob')}, []),
    'wrong id, missing robot': (membership.missing, {
        'expected': FLEET | {'bob': 9, 'dave': 4}}, [
        (BOB, 'its id is 2, but 9 is expected'), (('dave',), 'it was not found')]),
    'silent without diagnostics': (membership.silent, {
        'diagnostics': told('bob'), 'messages': OTHERS}, [
        (BOB, 'its node runs, but publishes no diagnostics')]),
    'silent with diagnostics': (membership.silent, {'messages': OTHERS}, [
        (BOB, 'no message of id 2 was heard')]),
    'robot that died': (membership.silent, {'messages': OTHERS + said(2)[:5]}, [
        (BOB, 'it was heard, and not any more: its last message came 5.8 s before the end')]),
    'robot that died before': (membership.silent, {
        'messages': OTHERS, 'endpoints': rewired('bob'), 'diagnostics': told('bob'),
        'known': [KnownRobot(AIR, i, name) for name, i in IDS.items()]}, [
        (BOB, 'it was here before, and not any more')]),
    'an id in two diagnostics': (membership.ids, {
        'diagnostics': told('bob', *statuses('bob', 1))}, [
        (('alice', 'bob'), 'they have the same id, 1')]),
    'own id heard': (membership.ids, bob(2, 'another robot uses id 2: give each its own robot_id'),
                     [(BOB, 'it receives messages of another robot with its id, 2')]),
    'messages dropped': (membership.refused, bob(rejected_no_position=3, rejected_own_id=5), [
        (BOB, '27 messages, or parts of them, were dropped: rejected_no_position')]),
    'messages dropped long ago': (membership.refused, bob(rejected_frame=0), []),
    'latest warning': (membership.self_reported, bob(1, 'no odometry yet'), [
        (BOB, 'it reports: no odometry yet')]),
    'warning that is over': (membership.self_reported, {'diagnostics': told(
        'bob', *statuses('bob', 2, 1, 'no odometry yet'), *statuses('bob', 2))}, []),
}


@symptoms(CASES)
def test_membership_checks_find_their_symptoms(check, changes, found):
    assert signs(check, **changes) == found


@pytest.mark.parametrize('key, values, level, told', [
    ('rescue.radius', ('6', 'inf', '6'), Level.WARN,
     'bob: rescue.radius is inf m, and 6 m with alice, carol'),
    ('metric', ('hops', 'odometry', 'odometry'), Level.ERROR,
     'alice: metric is hops, and odometry with bob, carol'),
    ('strength_limits', ('[0, 1]', '[0, 1]', '[-inf, inf]'), Level.WARN,
     'carol: strength_limits is [-inf, inf], and [0, 1] with alice, bob: robots with narrower '
     'limits refuse the messages of others'),
    ('radius_hysteresis', ('0', '0', '0.25'), Level.NOTE,
     'carol: radius_hysteresis is 0.25, and 0 with alice, bob')])
def test_differing_setting_has_the_level_of_its_consequence(key, values, level, told):
    sign, *_ = membership.settings(healthy(diagnostics=setting(key, *values)))
    assert sign.level == level and f'{sign.subjects[0]}: {sign.what}'.startswith(told)


def test_no_robot_found_is_reported_once():
    nobody = Observations(10.0, 10.0, environment={'ROS_DOMAIN_ID': '7'})
    assert [sign.what for sign in membership.found(nobody)] == [
        'no robot was found in 10 s (here: ROS_DOMAIN_ID=7)']
    assert list(membership.missing(nobody)) == [], 'once is enough'
    # Who speaks without any node of ours is there.
    assert not list(membership.found(Observations(10.0, 10.0, said(1))))


def test_single_robot_is_reported_with_other_domains():
    one = Observations(10.0, 10.0, said(1), diagnostics=statuses('alice', 1),
                       endpoints=wiring('alice'), environment={'ROS_DOMAIN_ID': '7'},
                       other_domains=(0, 3))
    sign, = membership.found(one)
    assert sign[:3] == (
        Level.WARN, ('alice',), 'it is alone: no other robot is visible from here (here: '
        'ROS_DOMAIN_ID=7); on this computer there are ROS nodes with ROS_DOMAIN_ID=0, 3')
    assert not list(membership.found(replace(one, messages=said(1) + said(2))))


def test_robot_with_rounds_longer_than_the_observation_is_not_silent():
    slow = [s._replace(values={'round_period': '30'}) for s in healthy().diagnostics]
    assert list(membership.silent(healthy(messages=OTHERS, diagnostics=slow))) == []
