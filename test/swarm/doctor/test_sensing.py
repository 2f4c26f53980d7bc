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

"""The checks of odometry and places."""

from dataclasses import replace
import math

from leader_election.swarm.doctor import sensing
from leader_election.swarm.doctor.observations import Endpoint, Level, ODOMETRY, SCAN
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
    wiring,
    without,
)

ODOM = '/bob/odom'


def of_bob(bobs: list) -> dict:
    """Return the odometry of all, bob's as given."""
    return {f'/{name}/odom': readings() for name in NAMES} | {ODOM: bobs}


def test_unpublished_odometry_is_reported() -> None:
    assert signs(sensing.odometry, odometry=of_bob([]),
                 endpoints=rewired('bob', *wiring('bob')[:-1])) == [
        (('bob',), f'no node publishes {ODOM}')]
    none = [e for e in healthy().endpoints if not e.node.endswith('/driver')]
    assert signs(sensing.odometry, odometry={}, endpoints=none) == [
        (NAMES, 'no node publishes /alice/odom, /bob/odom, /carol/odom')]
    *robots_own, driver = wiring('bob')
    driver, truth = (driver._replace(topic=topic) for topic in ('/odom', '/bob/ground_truth'))
    assert signs(sensing.odometry, odometry=of_bob([]),
                 endpoints=rewired('bob', *robots_own, driver, truth)) == [
        (('bob',), f'no node publishes {ODOM}; odometry is published on /odom, which no node '
         'uses')]


def test_odometry_that_does_not_arrive_is_reported() -> None:
    assert signs(sensing.odometry, odometry=of_bob([])) == [
        (('bob',), f'{ODOM} is published by /bob/driver, but no message was received')]


def test_missing_scans_of_a_task_are_reported() -> None:
    listens = Endpoint('/bob/scan', SCAN, False, node('bob'))
    bridge = Endpoint('/bob/scan', SCAN, True, '/gazebo_bridge')
    assert signs(sensing.scans) == []
    assert signs(sensing.scans, endpoints=rewired('bob', *wiring('bob'), listens)) == [
        (('bob',), 'no node publishes /bob/scan')]
    both = rewired('bob', *wiring('bob'), listens, bridge)
    assert signs(sensing.scans, endpoints=both) == [
        (('bob',), '/bob/scan is published by /gazebo_bridge, but no message was received')]
    assert signs(sensing.scans, endpoints=both, scanned={'/bob/scan'}) == []


def test_odometry_of_two_publishers_is_reported() -> None:
    ghost = Endpoint(ODOM, ODOMETRY, True, '/bob/ekf')
    assert signs(sensing.odometry, endpoints=rewired('bob', *wiring('bob'), ghost)) == [
        (('bob',), f'2 nodes publish {ODOM}: /bob/driver, /bob/ekf')]


def test_stopped_slow_or_infinite_odometry_is_reported() -> None:
    assert signs(sensing.odometry, odometry=of_bob(readings(until=6.0))) == [
        (('bob',), f'{ODOM} has stopped: the last message was received 4.0 s ago')]
    assert signs(sensing.odometry, odometry=of_bob(readings(10))) == [
        (('bob',), f'{ODOM} has a rate of only 1.0 Hz')]
    assert signs(sensing.odometry, odometry=of_bob(readings(30))) == []
    wild = [reading._replace(position=(math.nan, 0.0)) for reading in readings()]
    assert signs(sensing.odometry, odometry=of_bob(wild)) == [
        (('bob',), f'{ODOM} has a position that is not finite')]


def test_odometry_is_old_after_the_published_expiry() -> None:
    late = of_bob(readings(until=6.0))
    assert signs(sensing.odometry, odometry=late, diagnostics=saying(odometry_expiry='5')) == []
    assert len(signs(sensing.odometry, odometry=late,
                     diagnostics=saying(odometry_expiry='3'))) == 1


def test_odometry_is_ignored_where_positions_are_not_needed() -> None:
    assert signs(sensing.odometry, odometry=of_bob([])) != []
    for look, wrong in ((sensing.odometry, {'odometry': of_bob([])}),
                        (sensing.odometry_frames, {'odometry': of_bob(readings(frame=''))}),
                        (sensing.places, {'messages': without(2) + said(2, x=2.0)})):
        for needed in ('True', 'False'):
            found = signs(look, diagnostics=saying(odometry_needed=needed), **wrong)
            assert bool(found) == (needed == 'True')


def test_remapped_odometry_is_found_by_its_subscription() -> None:
    """The topic is known by the subscription, not by its name."""
    hears = [replace_topic(endpoint) for endpoint in wiring('bob')]
    assert signs(sensing.odometry, endpoints=rewired('bob', *hears),
                 odometry=of_bob([]) | {'/ekf/filtered': readings()}) == []


def replace_topic(endpoint: Endpoint) -> Endpoint:
    return endpoint._replace(topic=endpoint.topic.replace(ODOM, '/ekf/filtered'))


def test_wrong_odometry_frames_are_reported() -> None:
    for wrong, what in (
            (readings(frame=''), f'{ODOM} names no frame (header.frame_id)'),
            (readings(frame='base_link'), f"{ODOM} goes from 'base_link' to itself "
             '(child_frame_id)'),
            (readings() + readings(frame='map'), f"{ODOM} alternates between frames: 'map' "
             "to 'base_link', 'odom' to 'base_link'")):
        assert signs(sensing.odometry_frames, odometry=of_bob(wrong)) == [(('bob',), what)]
    note, = sensing.odometry_frames(healthy(odometry=of_bob(readings(child=''))))
    assert note.level == Level.NOTE


def test_robots_at_one_place_are_reported() -> None:
    at_origin = [h for i in (1, 2) for h in said(i, x=1e-9)]
    low = [replace_y(heard) for heard in at_origin]
    assert signs(sensing.places, messages=low + said(3)) == [
        (('alice', 'bob'), '2 robots publish the same position, at the origin of map')]
    assert signs(sensing.places, messages=without(2) + said(2, x=2.0)) == [
        (('alice', 'bob'), '2 robots publish the same position, at (2, 1)')]
    assert signs(sensing.places, messages=without(2) + said(2, x=2.01)) == []


def replace_y(heard):
    return heard._replace(payload=heard.payload.replace(',1.0]', ',0.0]'))


def test_inputs_are_the_subscriptions_with_or_without_messages() -> None:
    swarm = healthy()
    assert swarm.inputs(ODOMETRY) == [(name, f'/{name}/odom') for name in NAMES]
    assert node('bob') in {e.node for e in swarm.subscriptions(AIR)}
    assert replace(swarm, odometry={}).inputs(ODOMETRY) == swarm.inputs(ODOMETRY)
