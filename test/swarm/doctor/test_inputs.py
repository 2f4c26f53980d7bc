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

"""Checks of odometry and clocks."""

from dataclasses import replace

from leader_election.swarm.doctor import inputs
from leader_election.swarm.doctor.diagnoses import examine
from leader_election.swarm.doctor.observations import CLOCK, Endpoint, ODOMETRY
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

ODOM = '/bob/odom'


def of_bob(bobs: list) -> dict:
    """Return the odometry of all, bob's as given."""
    return {f'/{name}/odom': readings() for name in NAMES} | {ODOM: bobs}


def test_unpublished_odometry_is_reported():
    assert signs(inputs.odometry, odometry=of_bob([]),
                 endpoints=rewired('bob', *wiring('bob')[:-1])) == [
        (('bob',), f'no node publishes {ODOM}')]
    none = [e for e in healthy().endpoints if not e.node.endswith('/driver')]
    assert signs(inputs.odometry, odometry={}, endpoints=none) == [
        (NAMES, 'no node publishes /alice/odom, /bob/odom, /carol/odom')]
    *robots_own, driver = wiring('bob')
    driver, truth = (driver._replace(topic=topic) for topic in ('/odom', '/bob/ground_truth'))
    assert signs(inputs.odometry, odometry=of_bob([]),
                 endpoints=rewired('bob', *robots_own, driver, truth)) == [
        (('bob',), f'no node publishes {ODOM}; odometry is published on /odom, which no node '
         'uses')]


def test_odometry_is_not_missed_where_a_localisation_gives_the_pose():
    given = [each._replace(values={**each.values, 'pose_source': 'tf'})
             for each in statuses('bob', 2)]
    assert signs(inputs.odometry, odometry=of_bob([]), diagnostics=given,
                 endpoints=rewired('bob', *wiring('bob')[:-1])) == []


@pytest.mark.parametrize(('driver', 'base', 'noted'), [
    ('/bob/election_node', '/bob/driver', True), ('/bob/wander', '/bob/driver', True),
    ('/wander', '/bob/driver', True), ('/bob/teleop', '/bob/driver', False),
    ('/bob/wander', '/swarm_world', False), ('/bob/wander', '/gazebo_bridge', False)])
def test_base_that_the_package_drives_is_asked_for_its_timeout(
        driver: str, base: str, noted: bool) -> None:
    wires = [Endpoint('/bob/cmd_vel', 'geometry_msgs/msg/TwistStamped', publishes, of)
             for publishes, of in ((True, driver), (False, base))]
    found = signs(inputs.wheels, endpoints=[*healthy().endpoints, *wires])
    assert [what.partition(';')[0] for _, what in found] == [
        f'{base} drive by /bob/cmd_vel'] * noted


def test_missing_stopped_or_slow_odometry_is_reported():
    for row, what in (
            ([], ' is published by /bob/driver, but no message was received'),
            (readings(until=6.0), ' has stopped: the last message was received 4.0 s ago'),
            (readings(10), ' has a rate of only 1.0 Hz')):
        assert signs(inputs.odometry, odometry=of_bob(row)) == [(('bob',), ODOM + what)]
    assert signs(inputs.odometry, odometry=of_bob(readings(30))) == []


def test_odometry_is_old_after_the_published_expiry():
    late = of_bob(readings(until=6.0))
    for expiry, found in ('5', 0), ('3', 1):
        assert len(signs(inputs.odometry, odometry=late,
                         diagnostics=saying(odometry_expiry=expiry))) == found


def test_odometry_is_ignored_where_positions_are_not_needed():
    assert signs(inputs.odometry, odometry=of_bob([])) != []
    for needed in ('True', 'False'):
        found = signs(inputs.odometry, diagnostics=saying(odometry_needed=needed),
                      odometry=of_bob([]))
        assert bool(found) == (needed == 'True')


def test_remapped_odometry_is_found_by_its_subscription():
    """The topic is known by the subscription, not by its name."""
    hears = [endpoint._replace(topic=endpoint.topic.replace(ODOM, '/ekf/filtered'))
             for endpoint in wiring('bob')]
    assert signs(inputs.odometry, endpoints=rewired('bob', *hears),
                 odometry=of_bob([]) | {'/ekf/filtered': readings()}) == []


def test_inputs_are_the_subscriptions_with_or_without_messages():
    swarm = healthy()
    assert swarm.inputs(ODOMETRY) == [(name, f'/{name}/odom') for name in NAMES]
    assert node('bob') in {e.node for e in swarm.subscriptions(AIR)}
    assert replace(swarm, odometry={}).inputs(ODOMETRY) == swarm.inputs(ODOMETRY)


SIMULATOR = Endpoint(CLOCK, 'rosgraph_msgs/msg/Clock', True, '/gazebo')


def goes_by_it(robot: str) -> Endpoint:
    return SIMULATOR._replace(publishes=False, node=node(robot))


ALL = [e for name in NAMES for e in (*wiring(name), goes_by_it(name))]


def test_simulated_time_that_stands_still_or_is_used_by_some_is_reported():
    still = 'use_sim_time is true, but no node advances /clock: its time stands still'
    assert signs(inputs.simulated_time, endpoints=[*ALL, SIMULATOR]) == []
    assert signs(inputs.simulated_time, endpoints=ALL) == [(NAMES, still)]
    assert signs(inputs.simulated_time, endpoints=[*ALL, SIMULATOR], pace=0.0) == [(NAMES, still)]
    mixed = [*rewired('bob', *wiring('bob')), goes_by_it('alice'), SIMULATOR]
    used = 'use_sim_time is false, but /clock is used by alice'
    assert signs(inputs.simulated_time, endpoints=mixed) == [(('bob', 'carol'), used)]
    assert signs(inputs.simulated_time, endpoints=mixed, diagnostics=told('bob')) == [
        (('carol',), used)]


def test_time_that_stands_still_explains_silence():
    found = examine(healthy(endpoints=ALL, messages=[], diagnostics=()))
    assert {(f.check, f.explained_by) for f in found} == {
        ('simulated_time', ''), ('silent', 'simulated_time')}


def test_differing_clocks_are_reported():
    late, unknown = ([heard._replace(delay=delay) for heard in said(2)] for delay in (0.4, None))
    assert signs(inputs.offsets, messages=without(2) + late) == [
        (('bob',), 'its computer is 0.40 s behind the time here')]
    assert signs(inputs.offsets, messages=without(2) + unknown) == []
    ahead = {ODOM: readings(delay=-3.0)}
    assert signs(inputs.offsets, odometry=ahead) == [
        (('bob',), f'the stamp of {ODOM} is 3.00 s ahead of the time here')]
    assert signs(inputs.offsets, odometry=ahead, endpoints=[*ALL, SIMULATOR]) == []
