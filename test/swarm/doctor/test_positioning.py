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
from typing import Any

from leader_election.election.algorithms import BOUNDED
from leader_election.election.messages.codec import codec_for, Message
from leader_election.localisation.sighting import Sighting
from leader_election.localisation.source import Estimate
from leader_election.swarm.doctor import positioning
from leader_election.swarm.doctor.diagnoses import examine
from leader_election.swarm.doctor.observations import (
    Endpoint,
    HeardMessage,
    Level,
    ODOMETRY,
    RobotReport,
    SCAN,
)
import pytest
from swarm.doctor.scene import (
    AIR,
    healthy,
    IDS,
    NAMES,
    node,
    readings,
    rewired,
    said,
    saying,
    SECONDS,
    signs,
    statuses,
    wiring,
    without,
)

ODOM = '/bob/odom'


def of_bob(bobs: list) -> dict:
    """Return the odometry of all, bob's as given."""
    return {f'/{name}/odom': readings() for name in NAMES} | {ODOM: bobs}


def test_unpublished_odometry_is_reported():
    assert signs(positioning.odometry, odometry=of_bob([]),
                 endpoints=rewired('bob', *wiring('bob')[:-1])) == [
        (('bob',), f'no node publishes {ODOM}')]
    none = [e for e in healthy().endpoints if not e.node.endswith('/driver')]
    assert signs(positioning.odometry, odometry={}, endpoints=none) == [
        (NAMES, 'no node publishes /alice/odom, /bob/odom, /carol/odom')]
    *robots_own, driver = wiring('bob')
    driver, truth = (driver._replace(topic=topic) for topic in ('/odom', '/bob/ground_truth'))
    assert signs(positioning.odometry, odometry=of_bob([]),
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
        assert signs(positioning.odometry, odometry=of_bob(row)) == [(('bob',), ODOM + what)]
    assert signs(positioning.odometry, odometry=of_bob(readings(30))) == []
    ghost = Endpoint(ODOM, ODOMETRY, True, '/bob/ekf')
    assert signs(positioning.odometry, endpoints=rewired('bob', *wiring('bob'), ghost)) == [
        (('bob',), f'2 nodes publish {ODOM}: /bob/driver, /bob/ekf')]


def test_missing_scans_of_a_task_are_reported():
    listens = Endpoint('/bob/scan', SCAN, False, node('bob'))
    bridge = Endpoint('/bob/scan', SCAN, True, '/gazebo_bridge')
    assert signs(positioning.scans) == []
    assert signs(positioning.scans, endpoints=rewired('bob', *wiring('bob'), listens)) == [
        (('bob',), 'no node publishes /bob/scan')]
    both = rewired('bob', *wiring('bob'), listens, bridge)
    assert signs(positioning.scans, endpoints=both) == [
        (('bob',), '/bob/scan is published by /gazebo_bridge, but no message was received')]
    assert signs(positioning.scans, endpoints=both, scanned={'/bob/scan'}) == []


def test_odometry_is_old_after_the_published_expiry():
    late = of_bob(readings(until=6.0))
    for expiry, found in ('5', 0), ('3', 1):
        assert len(signs(positioning.odometry, odometry=late,
                         diagnostics=saying(odometry_expiry=expiry))) == found


def test_odometry_is_ignored_where_positions_are_not_needed():
    assert signs(positioning.odometry, odometry=of_bob([])) != []
    for look, wrong in ((positioning.odometry, {'odometry': of_bob([])}),
                        (positioning.odometry_frames, {'odometry': of_bob(readings(frame=''))}),
                        (positioning.places, {'messages': without(2) + said(2, x=2.0)})):
        for needed in ('True', 'False'):
            found = signs(look, diagnostics=saying(odometry_needed=needed), **wrong)
            assert bool(found) == (needed == 'True')


def test_remapped_odometry_is_found_by_its_subscription():
    """The topic is known by the subscription, not by its name."""
    hears = [endpoint._replace(topic=endpoint.topic.replace(ODOM, '/ekf/filtered'))
             for endpoint in wiring('bob')]
    assert signs(positioning.odometry, endpoints=rewired('bob', *hears),
                 odometry=of_bob([]) | {'/ekf/filtered': readings()}) == []


def test_wrong_odometry_frames_are_reported():
    for wrong, what in (
            (readings(frame=''), f'{ODOM} names no frame (header.frame_id)'),
            (readings(frame='base_link'), f"{ODOM} goes from 'base_link' to itself "
             '(child_frame_id)'),
            (readings() + readings(frame='map'), f"{ODOM} alternates between frames: 'map' "
             "to 'base_link', 'odom' to 'base_link'")):
        assert signs(positioning.odometry_frames, odometry=of_bob(wrong)) == [(('bob',), what)]
    note, = positioning.odometry_frames(healthy(odometry=of_bob(readings(child=''))))
    assert note.level == Level.NOTE


def test_robots_at_one_place_are_reported():
    low = [heard._replace(payload=heard.payload.replace(',1.0]', ',0.0]'))
           for i in (1, 2) for heard in said(i, x=1e-9)]
    assert signs(positioning.places, messages=low + said(3)) == [
        (('alice', 'bob'), '2 robots publish the same position, at the origin of map')]
    assert signs(positioning.places, messages=without(2) + said(2, x=2.0)) == [
        (('alice', 'bob'), '2 robots publish the same position, at (2, 1)')]
    assert signs(positioning.places, messages=without(2) + said(2, x=2.01)) == []


def test_inputs_are_the_subscriptions_with_or_without_messages():
    swarm = healthy()
    assert swarm.inputs(ODOMETRY) == [(name, f'/{name}/odom') for name in NAMES]
    assert node('bob') in {e.node for e in swarm.subscriptions(AIR)}
    assert replace(swarm, odometry={}).inputs(ODOMETRY) == swarm.inputs(ODOMETRY)


FINE = {'pose_source': 'cooperative', 'deviation': '0.8', 'distance_deviation': '0.1',
        'max_deviation': 'inf', 'communication_range': '5', 'radius': '8', 'landmarks': '0'}


def reports(bob: dict[str, str] | None = None, bobs_counts: dict[str, int] | None = None,
            ) -> list[RobotReport]:
    """Return reports of robots that cooperate; bob's with other values and counters."""
    found = []
    for name, i in IDS.items():
        counts = {'sightings_accepted': 4, **((bobs_counts or {}) if name == 'bob' else {})}
        values = FINE | ((bob or {}) if name == 'bob' else {})
        found += [report._replace(values={**report.values, **values})
                  for report in statuses(name, i, **counts)]
    return found


def seeing(*ids: int) -> list[HeardMessage]:
    """Return messages of all robots, bob's with sightings."""
    return [HeardMessage(t + 0.1 * i, codec_for(BOUNDED).encode(Message(
        i, 'map', (2.0 * i, 1.0), BOUNDED.state(-3.0, 1.0, 3, 1),
        parts={'localisation': Estimate((0.0, 0.0, 0.0), 0.0, 0.1, 0.1, tuple(
            Sighting(seen, 1.0) for seen in ids) if i == IDS['bob'] else ())})), AIR, 0.001)
            for t in range(SECONDS) for i in IDS.values()]


def test_robots_that_cooperate_well_or_not_at_all_have_no_symptom():
    swarm = healthy(diagnostics=reports(), messages=seeing(1, 3))
    for look in (positioning.deviation, positioning.sightings):
        assert list(look(swarm)) == [] == list(look(healthy()))
    assert [found.check for found in examine(swarm)] == []


@pytest.mark.parametrize(('values', 'level', 'text'), [
    ({'pose_source': 'odometry', 'deviation': '1.234'}, Level.NOTE,
     'its position by odometry may be 1.2 m off, with communication_range 5 m'),
    ({'pose_source': 'odometry', 'deviation': '0.9'}, None, ''),
    ({'pose_source': 'odometry', 'deviation': '0.9', 'radius': '4'}, Level.NOTE,
     'its position by odometry may be 0.9 m off, with radius 4 m'),
    ({'pose_source': 'odometry', 'deviation': '0.9', 'communication_range': 'inf',
      'radius': '100'}, None, ''),
    ({'pose_source': 'odometry', 'deviation': '2', 'max_deviation': '1.5'}, Level.ERROR,
     'its position by odometry may be 2.0 m off, beyond max_deviation 1.5 m'),
    ({'pose_source': 'odometry', 'deviation': '2', 'max_deviation': '1.5',
      'odometry_needed': 'False'}, None, ''),
    ({'deviation': '9', 'max_deviation': '1.5'}, None, ''),
    ({'distance_deviation': '1.7', 'max_deviation': '1.5'}, Level.ERROR,
     'its distances to neighbours may be 1.7 m off, beyond max_deviation 1.5 m'),
    ({'distance_deviation': 'nan', 'deviation': '3'}, Level.WARN,
     'its position may be 3.0 m off, with communication_range 5 m'),
    ({'distance_deviation': '1.2', 'leader_doubt': 'nan'}, Level.WARN,
     'its distances to neighbours may be 1.2 m off, with communication_range 5 m'),
    ({'distance_deviation': '1.2', 'leader_doubt': '0.150'}, None, ''),
    ({'distance_deviation': '0.6', 'leader_doubt': '0.310'}, Level.WARN,
     'its leader is wrong with a probability of 31%: its distances to neighbours may be 0.6 m '
     'off'),
    ({'distance_deviation': '1.7', 'max_deviation': '1.5', 'leader_doubt': '0.000'}, Level.ERROR,
     'its distances to neighbours may be 1.7 m off, beyond max_deviation 1.5 m')])
def test_deviations_are_judged_by_limit_range_and_radius(values, level, text):
    found = list(positioning.deviation(healthy(diagnostics=reports(values))))
    assert [(symptom.subjects, symptom.what, symptom.level) for symptom in found] == (
        [] if level is None else [(('bob',), text, level)])


def test_a_doubtful_leader_is_told_once_with_the_cause_that_the_robot_names():
    said_so = 'the leader is wrong with a probability of 31%, since the deviation of distances is '
    doubted = [report._replace(level=1, message=f'{said_so}0.60 m: no sighting for 40 s')
               if report.robot == 'bob' else report
               for report in reports({'distance_deviation': '0.6', 'leader_doubt': '0.310'})]
    found = {each.check: (each.what, each.explained_by)
             for each in examine(healthy(diagnostics=doubted, messages=seeing(1, 3)))}
    assert found['deviation'] == (
        'its leader is wrong with a probability of 31%: its distances to neighbours may be 0.6 m '
        'off; no sighting for 40 s', '')
    assert found['self_reported'][1] == 'deviation' and len(found) == 2


@pytest.mark.parametrize(('counts', 'own', 'texts'), [
    ({'sightings_rejected': 3}, {}, []),
    ({'sightings_rejected': 12}, {},
     ['108 of 144 sightings contradict odometry and the other sightings']),
    ({'sightings_accepted': 0, 'sightings_rejected': 1}, {}, []),
    ({'sightings_accepted': 0, 'sightings_unknown': 2}, {},
     ['18 sightings are of robots that it does not hear']),
    ({'sightings_accepted': 0, 'names_passed_over': 3}, {},
     ["27 detections have names that are no robot's"]),
    ({'sightings_accepted': 0}, {},
     ['cooperates, but neither it nor a neighbour of it has seen anything']),
    ({'sightings_accepted': 0}, {'pose_source': 'odometry'}, [])])
def test_sightings_are_judged_by_what_became_of_them(counts, own, texts):
    assert signs(positioning.sightings, diagnostics=reports(own, counts)) == [
        (('bob',), text) for text in texts]


def test_seen_ids_that_are_not_heard_are_reported():
    heard: Any = seeing(1, 3, 12, 7)
    assert signs(positioning.sightings, diagnostics=reports(), messages=heard) == [
        (('bob',), 'sees ids of which nothing is heard: 7, 12')]
    assert signs(positioning.sightings, diagnostics=reports({'landmarks': '15'}),
                 messages=heard) == []


def test_slip_check_reports_slipping_wheels():
    wrong = reports(bobs_counts={'slips': 2})
    assert signs(positioning.slip, diagnostics=wrong) == [(('bob',), (
        'its wheels slipped 18 times: they turned while it did not move as they say'))]
    assert signs(positioning.slip, diagnostics=reports()) == []
