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

"""The checks of presence and identity, each with and without a symptom."""

from dataclasses import replace

from leader_election.swarm.doctor import identity
from leader_election.swarm.doctor.observations import HeardMessage, Level, Observations
from swarm.doctor.scene import (
    AIR,
    healthy,
    payload,
    rewired,
    said,
    signs,
    statuses,
    told,
    wiring,
    without,
)


def test_no_robot_found_is_reported_once() -> None:
    nobody = Observations(10.0, 10.0, environment={'ROS_DOMAIN_ID': '7'})
    assert [sign.what for sign in identity.found(nobody)] == [
        'no robot was found in 10 s (here: ROS_DOMAIN_ID=7)']
    assert list(identity.missing(nobody)) == [], 'once is enough'
    # Who speaks without any node of ours is there.
    assert not list(identity.found(Observations(10.0, 10.0, said(1))))


def test_single_robot_is_reported_with_other_domains() -> None:
    one = Observations(10.0, 10.0, said(1), diagnostics=statuses('alice', 1),
                       endpoints=wiring('alice'), environment={'ROS_DOMAIN_ID': '7'},
                       other_domains=(0, 3))
    sign, = identity.found(one)
    assert sign[:3] == (
        Level.WARN, ('alice',), 'it is alone: no other robot is visible from here (here: '
        'ROS_DOMAIN_ID=7); on this computer there are ROS nodes with ROS_DOMAIN_ID=0, 3')
    assert not list(identity.found(replace(one, messages=said(1) + said(2))))


def test_missing_wrong_or_unexpected_robot_is_reported() -> None:
    fleet = {'alice': 1, 'bob': 2, 'carol': 3}
    assert signs(identity.missing, expected=fleet, only_expected=True) == []
    assert signs(identity.missing, expected={'alice': None}) == []
    assert signs(identity.missing, expected=fleet | {'bob': 9, 'dave': 4}) == [
        (('bob',), 'its id is 2, but 9 is expected'), (('dave',), 'it was not found')]
    extra = list(identity.missing(healthy(expected={'alice': 1, 'bob': 2}, only_expected=True)))
    assert [(sign.level, sign.subjects) for sign in extra] == [(Level.NOTE, ('carol',))]


def test_silent_robot_is_reported_with_what_is_missing() -> None:
    assert signs(identity.silent, diagnostics=told('bob'), messages=without(2)) == [
        (('bob',), 'its node runs, but publishes no diagnostics')]
    assert signs(identity.silent, diagnostics=told('bob')) == [
        (('bob',), 'its diagnostics do not arrive here, while messages of id 2 do')]
    assert signs(identity.silent, messages=without(2)) == [
        (('bob',), 'no message of id 2 was heard')]
    # What cannot be read is another matter.
    broken = HeardMessage(1.0, payload(2).replace('"v":1', '"v":9'), AIR)
    assert signs(identity.silent, messages=[*without(2), broken]) == []
    slow = [s._replace(values={'round_period': '30'}) for s in healthy().diagnostics]
    sign, = identity.silent(healthy(messages=without(2), diagnostics=slow))
    assert sign[:3] == (Level.NOTE, ('bob',), 'its rounds are 30 s apart, too long for an '
                        'observation of 10 s; use --seconds 60')


def test_nodes_of_one_name_are_reported() -> None:
    assert signs(identity.names, endpoints=rewired('bob', *wiring('bob'), *wiring('bob'))) == [
        (('bob',), '2 nodes are called /bob/election_node')]


def test_one_id_in_two_diagnostics_is_reported() -> None:
    assert signs(identity.ids, diagnostics=told('bob', *statuses('bob', 1))) == [
        (('alice', 'bob'), 'they have the same id, 1')]


def test_own_id_heard_by_a_robot_is_reported() -> None:
    twin = statuses('bob', 2, 2, 'another robot uses id 2: give each its own robot_id')
    assert signs(identity.ids, diagnostics=told('bob', *twin)) == [
        (('bob',), 'it receives messages of another robot with its id, 2')]


def test_id_that_alternates_between_places_is_reported() -> None:
    def walk(*places: float) -> list[HeardMessage]:
        return [HeardMessage(0.1 * k, payload(2, x), AIR) for k, x in enumerate(places)]

    turns = 'messages of id 2 alternate between two positions, 6.0 m apart'
    twins = walk(1.0, 7.0, 1.0, 7.0, 1.0)
    assert signs(identity.ids, messages=twins) == [(('bob',), turns)]
    assert signs(identity.ids, messages=twins, diagnostics=()) == [(('id 2',), turns)]
    assert signs(identity.ids, messages=walk(1.0, 2.0, 3.0, 4.0, 5.0, 6.0)) == [], 'it drives'
    assert signs(identity.ids, messages=walk(1.0, 7.0, 7.0, 7.0, 7.0, 7.0)) == [], 'it was moved'
    assert signs(identity.ids, messages=walk(1.0, 1.1, 1.0, 1.1, 1.0, 1.1)) == [], 'it shakes'


def test_unreadable_messages_are_reported_by_reason() -> None:
    bad = [HeardMessage(1.0, 'hello', AIR),
           HeardMessage(2.0, payload(2).replace('"v":1', '"v":9'), AIR),
           HeardMessage(3.0, payload(2, more=',"a":"dance"'), AIR)]
    assert signs(identity.readable, messages=without(2) + bad) == [
        ((), f'1 of 23 messages cannot be read ({reason}), for example on {AIR}: '
         f'{bad[k].payload[:60]!r}')
        for k, reason in enumerate((
            'rejected_malformed', 'rejected_version', 'rejected_algorithm'))]


def test_dropped_messages_are_reported_while_they_increase() -> None:
    drops = statuses('bob', 2, rejected_no_position=3, rejected_own_id=5)
    assert signs(identity.refused, diagnostics=told('bob', *drops)) == [
        (('bob',), '27 messages, or parts of them, were dropped: rejected_no_position')]
    # Long ago, and no more.
    assert signs(identity.refused,
                 diagnostics=told('bob', *statuses('bob', 2, rejected_frame=0))) == []


def test_latest_warning_of_a_robot_is_reported() -> None:
    warns = statuses('bob', 2, 1, 'no odometry yet: no position is announced')
    assert signs(identity.self_reported, diagnostics=told('bob', *warns)) == [
        (('bob',), 'it reports: no odometry yet: no position is announced')]
    assert signs(identity.self_reported,
                 diagnostics=told('bob', *warns, *statuses('bob', 2))) == [], 'it is over'
