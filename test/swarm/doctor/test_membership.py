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

"""The checks of inputs, clocks, members, and of what all have to have in common."""

from dataclasses import replace

from leader_election.election.messages.swarm_key import sign
from leader_election.swarm.doctor import inputs, membership
from leader_election.swarm.doctor.diagnoses import examine
from leader_election.swarm.doctor.observations import (
    CLOCK,
    Endpoint,
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
    NAMES,
    node,
    readings,
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


@pytest.mark.parametrize('needed', ['True', 'False'])
def test_odometry_is_ignored_where_positions_are_not_needed(needed):
    found = signs(inputs.odometry, odometry=of_bob([]), diagnostics=saying(odometry_needed=needed))
    assert bool(found) == (needed == 'True')


def test_remapped_odometry_is_found_by_its_subscription():
    """The topic is known by the subscription, not by its name."""
    hears = [endpoint._replace(topic=endpoint.topic.replace(ODOM, '/ekf/filtered'))
             for endpoint in wiring('bob')]
    assert signs(inputs.odometry, endpoints=rewired('bob', *hears),
                 odometry=of_bob([]) | {'/ekf/filtered': readings()}) == []


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
    'unsigned messages accepted': (membership.keys, {'diagnostics': saying(
        swarm_key='aa', keys_accepted='aa', accept_unverified='True')}, [
        (NAMES, 'unsigned messages are believed, too: accept_unverified')]),
    'no keys, and no diagnostics of one': (membership.keys, {'diagnostics': told('bob')}, []),
    'one of any id expected': (membership.missing, {'expected': {'alice': None}}, []),
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
