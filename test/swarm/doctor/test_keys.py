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

"""Checks of the swarm key, on what an observer sees."""

from leader_election.election.robot.swarm_key import sign
from leader_election.swarm.doctor import keys
from leader_election.swarm.doctor.observations import HeardMessage, RobotReport
from swarm.doctor.scene import AIR, healthy, payload, said, saying, signs, statuses, told, without


def signed(robot_id: int) -> list[HeardMessage]:
    """Return a signed message a second."""
    return [heard._replace(payload=sign(heard.payload, k, bytes(32)))
            for k, heard in enumerate(said(robot_id))]


def with_key(name: str, robot_id: int, key: str, accepted: str = '') -> list[RobotReport]:
    return [report._replace(values={
        **report.values, 'swarm_key': key, 'keys_accepted': accepted or key,
        'accept_unverified': 'False'}) for report in statuses(name, robot_id)]


def test_unsigned_and_signed_robots_are_reported() -> None:
    assert signs(keys.keys, messages=without(2) + signed(2)) == [
        (('bob',), 'its messages are signed; those of alice, carol are not')]
    assert signs(keys.keys, messages=signed(1) + said(2) + signed(3)) == [
        (('bob',), 'its messages are not signed; those of alice, carol are signed')]
    assert signs(keys.keys, messages=signed(1) + signed(2) + signed(3)) == []


def test_id_with_signed_and_unsigned_messages_is_reported() -> None:
    outsider = HeardMessage(3.0, payload(2), AIR)
    assert signs(keys.keys, messages=[*signed(1), *signed(2), *signed(3), outsider]) == [
        (('bob',), 'some messages of id 2 are signed and some are not: another sender uses its '
         'id, or it was given its key while this listened')]


def test_robot_with_another_key_is_reported() -> None:
    swarm = with_key('alice', 1, 'aa') + with_key('bob', 2, 'bb') + with_key('carol', 3, 'aa')
    assert signs(keys.keys, diagnostics=swarm) == [
        (('bob',), 'it does not accept the key aa that alice, carol sign with')]


def test_key_that_is_being_changed_is_reported() -> None:
    swarm = (with_key('alice', 1, 'aa', 'aa, bb') + with_key('bob', 2, 'bb', 'bb, aa')
             + with_key('carol', 3, 'aa', 'aa, bb'))
    assert signs(keys.keys, diagnostics=swarm) == [
        ((), 'the key is being changed: alice, carol with aa, bob with bb')]


def test_acceptance_of_unsigned_messages_is_reported() -> None:
    swarm = saying(swarm_key='aa', keys_accepted='aa', accept_unverified='True')
    assert signs(keys.keys, diagnostics=swarm) == [
        (('alice', 'bob', 'carol'),
         'unsigned messages are believed, too: accept_unverified')]


def test_without_any_key_nothing_is_found() -> None:
    assert list(keys.keys(healthy())) == []
    assert signs(keys.keys, diagnostics=told('bob')) == []
