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

"""The checks of what all robots have to have in common."""

from leader_election.election.algorithms import ALGORITHMS, Device
from leader_election.election.robot.codec import codec_for, Message
from leader_election.election.robot.swarm_key import sign
from leader_election.swarm.doctor import agreement
from leader_election.swarm.doctor.observations import HeardMessage, Level, RobotReport
import pytest
from swarm.doctor.scene import (
    AIR,
    healthy,
    IDS,
    payload,
    said,
    saying,
    signs,
    statuses,
    told,
    without,
)


def test_differing_frame_is_reported() -> None:
    assert signs(agreement.frames, messages=without(2) + said(2, frame='odom')) == [
        (('bob',), "the frame is 'odom', and 'map' with alice, carol")]


def test_differing_algorithm_is_reported() -> None:
    resilient = ALGORITHMS.get('resilient')
    said_by_bob = Message(2, 'map', None, resilient.start(Device(2, 1.0)))
    other = [HeardMessage(1.0, codec_for(resilient).encode(said_by_bob), AIR)]
    assert signs(agreement.algorithms, messages=without(2) + other) == [
        (('bob',), 'the algorithm is resilient, and bounded with alice, carol')]


def test_two_robots_that_differ_are_both_named() -> None:
    assert signs(agreement.frames, messages=said(1) + said(2, frame='odom')) == [
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
    sign, *_ = agreement.settings(healthy(diagnostics=setting(key, *values)))
    assert sign.level == level and f'{sign.subjects[0]}: {sign.what}'.startswith(told)


def test_settings_are_compared_with_the_fleet_file() -> None:
    radii = setting('radius', '6', '6', '3')
    fleet = {name: {'radius': 6.0} for name in IDS}
    assert signs(agreement.settings, diagnostics=radii, planned=fleet) == [
        (('carol',), 'radius is 3 m, and 6 m in the fleet file')]
    assert signs(agreement.settings, diagnostics=radii,
                 planned=fleet | {'carol': {'radius': 3}}) == []


def test_radii_differ_freely_with_feedback() -> None:
    assert signs(agreement.settings,
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
    assert signs(agreement.keys, messages=without(2) + signed(2)) == [
        (('bob',), 'its messages are signed; those of alice, carol are not')]
    assert signs(agreement.keys, messages=signed(1) + said(2) + signed(3)) == [
        (('bob',), 'its messages are not signed; those of alice, carol are signed')]
    assert signs(agreement.keys, messages=signed(1) + signed(2) + signed(3)) == []


def test_id_with_signed_and_unsigned_messages_is_reported() -> None:
    outsider = HeardMessage(3.0, payload(2), AIR)
    assert signs(agreement.keys, messages=[*signed(1), *signed(2), *signed(3), outsider]) == [
        (('bob',), 'some messages of id 2 are signed and some are not: another sender uses its '
         'id, or it was given its key while this listened')]


def test_robot_with_another_key_is_reported() -> None:
    swarm = with_key('alice', 1, 'aa') + with_key('bob', 2, 'bb') + with_key('carol', 3, 'aa')
    assert signs(agreement.keys, diagnostics=swarm) == [
        (('bob',), 'it does not accept the key aa that alice, carol sign with')]


def test_key_that_is_being_changed_is_reported() -> None:
    swarm = (with_key('alice', 1, 'aa', 'aa, bb') + with_key('bob', 2, 'bb', 'bb, aa')
             + with_key('carol', 3, 'aa', 'aa, bb'))
    assert signs(agreement.keys, diagnostics=swarm) == [
        ((), 'the key is being changed: alice, carol with aa, bob with bb')]


def test_acceptance_of_unsigned_messages_is_reported() -> None:
    swarm = saying(swarm_key='aa', keys_accepted='aa', accept_unverified='True')
    assert signs(agreement.keys, diagnostics=swarm) == [
        (('alice', 'bob', 'carol'),
         'unsigned messages are believed, too: accept_unverified')]


def test_without_any_key_nothing_is_found() -> None:
    assert list(agreement.keys(healthy())) == []
    assert signs(agreement.keys, diagnostics=told('bob')) == []
