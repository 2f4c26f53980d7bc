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

"""The checks of odometry."""

from dataclasses import replace
import math

from leader_election.swarm.doctor import odometry
from leader_election.swarm.doctor.observations import (
    Endpoint,
    ODOMETRY,
)
from swarm.doctor.scene import (
    AIR,
    healthy,
    NAMES,
    node,
    readings,
    rewired,
    saying,
    signs,
    wiring,
)

ODOM = '/bob/odom'


def of_bob(bobs: list) -> dict:
    """Return the odometry of all, bob's as given."""
    return {f'/{name}/odom': readings() for name in NAMES} | {ODOM: bobs}


def test_unpublished_odometry_is_reported():
    assert signs(odometry.odometry, odometry=of_bob([]),
                 endpoints=rewired('bob', *wiring('bob')[:-1])) == [
        (('bob',), f'no node publishes {ODOM}')]
    none = [e for e in healthy().endpoints if not e.node.endswith('/driver')]
    assert signs(odometry.odometry, odometry={}, endpoints=none) == [
        (NAMES, 'no node publishes /alice/odom, /bob/odom, /carol/odom')]
    *robots_own, driver = wiring('bob')
    driver, truth = (driver._replace(topic=topic) for topic in ('/odom', '/bob/ground_truth'))
    assert signs(odometry.odometry, odometry=of_bob([]),
                 endpoints=rewired('bob', *robots_own, driver, truth)) == [
        (('bob',), f'no node publishes {ODOM}; odometry is published on /odom, which no node '
         'uses')]


def test_missing_stopped_slow_or_infinite_odometry_is_reported():
    wild = [reading._replace(position=(math.nan, 0.0)) for reading in readings()]
    for row, what in (
            ([], ' is published by /bob/driver, but no message was received'),
            (readings(until=6.0), ' has stopped: the last message was received 4.0 s ago'),
            (readings(10), ' has a rate of only 1.0 Hz'),
            (wild, ' has a position that is not finite')):
        assert signs(odometry.odometry, odometry=of_bob(row)) == [(('bob',), ODOM + what)]
    assert signs(odometry.odometry, odometry=of_bob(readings(30))) == []
    ghost = Endpoint(ODOM, ODOMETRY, True, '/bob/ekf')
    assert signs(odometry.odometry, endpoints=rewired('bob', *wiring('bob'), ghost)) == [
        (('bob',), f'2 nodes publish {ODOM}: /bob/driver, /bob/ekf')]


def test_odometry_is_old_after_the_published_expiry():
    late = of_bob(readings(until=6.0))
    for expiry, found in ('5', 0), ('3', 1):
        assert len(signs(odometry.odometry, odometry=late,
                         diagnostics=saying(odometry_expiry=expiry))) == found


def test_odometry_is_ignored_where_positions_are_not_needed():
    assert signs(odometry.odometry, odometry=of_bob([])) != []
    for needed in ('True', 'False'):
        found = signs(odometry.odometry, diagnostics=saying(odometry_needed=needed),
                      odometry=of_bob([]))
        assert bool(found) == (needed == 'True')


def test_remapped_odometry_is_found_by_its_subscription():
    """The topic is known by the subscription, not by its name."""
    hears = [endpoint._replace(topic=endpoint.topic.replace(ODOM, '/ekf/filtered'))
             for endpoint in wiring('bob')]
    assert signs(odometry.odometry, endpoints=rewired('bob', *hears),
                 odometry=of_bob([]) | {'/ekf/filtered': readings()}) == []


def test_inputs_are_the_subscriptions_with_or_without_messages():
    swarm = healthy()
    assert swarm.inputs(ODOMETRY) == [(name, f'/{name}/odom') for name in NAMES]
    assert node('bob') in {e.node for e in swarm.subscriptions(AIR)}
    assert replace(swarm, odometry={}).inputs(ODOMETRY) == swarm.inputs(ODOMETRY)
