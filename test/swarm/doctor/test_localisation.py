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

"""The checks of deviations, sightings and sensors."""

from typing import Any

from leader_election.election.algorithms import BOUNDED
from leader_election.election.robot.codec import codec_for, Message
from leader_election.localisation.localisation import Estimate
from leader_election.localisation.sighting import Sighting
from leader_election.swarm.doctor import localisation
from leader_election.swarm.doctor.checks import examine
from leader_election.swarm.doctor.observations import HeardMessage, Level, RobotReport
import pytest
from swarm.doctor.scene import AIR, healthy, IDS, SECONDS, signs, statuses

FINE = {'pose_source': 'cooperative', 'deviation': '0.8', 'distance_deviation': '0.1',
        'max_deviation': 'inf', 'communication_range': '5', 'radius': '8', 'landmarks': '0',
        'range_bias': '0.02', 'range_bias_deviation': '0.03'}


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
        localisation=Estimate((0.0, 0.0, 0.0), 0.0, 0.1, 0.1, tuple(
            Sighting(seen, 1.0) for seen in ids) if i == IDS['bob'] else ()))), AIR, 0.001)
            for t in range(SECONDS) for i in IDS.values()]


def test_robots_that_cooperate_well_have_no_symptom() -> None:
    swarm = healthy(diagnostics=reports(), messages=seeing(1, 3))
    for look in (localisation.deviation, localisation.sightings, localisation.sensor_bias):
        assert list(look(swarm)) == []
    assert [found.check for found in examine(swarm)] == []


def test_robots_of_another_version_have_no_symptom() -> None:
    for look in (localisation.deviation, localisation.sightings, localisation.sensor_bias):
        assert signs(look) == []


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
def test_deviations_are_judged_by_limit_range_and_radius(
        values: dict[str, str], level: Level | None, text: str) -> None:
    found = list(localisation.deviation(healthy(diagnostics=reports(values))))
    assert [(symptom.subjects, symptom.what, symptom.level) for symptom in found] == (
        [] if level is None else [(('bob',), text, level)])


@pytest.mark.parametrize(('counts', 'texts'), [
    ({'sightings_rejected': 3}, []),
    ({'sightings_rejected': 12},
     ['108 of 144 sightings contradict odometry and the other sightings']),
    ({'sightings_accepted': 0, 'sightings_rejected': 1}, []),
    ({'sightings_accepted': 0, 'sightings_unknown': 2},
     ['18 sightings are of robots that it does not hear']),
    ({'sightings_accepted': 0, 'names_passed_over': 3},
     ["27 detections have names that are no robot's"]),
    ({'sightings_accepted': 0},
     ['cooperates, but neither it nor a neighbour of it has seen anything'])])
def test_sightings_are_judged_by_what_became_of_them(
        counts: dict[str, int], texts: list[str]) -> None:
    assert signs(localisation.sightings, diagnostics=reports(bobs_counts=counts)) == [
        (('bob',), text) for text in texts]


def test_odometry_alone_needs_no_sightings() -> None:
    assert signs(localisation.sightings, diagnostics=reports(
        {'pose_source': 'odometry'}, {'sightings_accepted': 0})) == []


def test_seen_ids_that_are_not_heard_are_reported() -> None:
    heard: Any = seeing(1, 3, 12, 7)
    assert signs(localisation.sightings, diagnostics=reports(), messages=heard) == [
        (('bob',), 'sees ids of which nothing is heard: 7, 12')]
    assert signs(localisation.sightings, diagnostics=reports({'landmarks': '15'}),
                 messages=heard) == []


@pytest.mark.parametrize(('error', 'deviation', 'text'), [
    ('0.19', '0.03', 'its ranges are 0.19 m too long'),
    ('-0.25', '0.05', 'its ranges are 0.25 m too short'),
    ('0.19', '0.07', ''), ('0.09', '0.01', ''), ('0.0', '1.0', ''), ('nan', '0.01', '')])
def test_constant_range_error_is_reported_if_significant(
        error: str, deviation: str, text: str) -> None:
    assert signs(localisation.sensor_bias, diagnostics=reports(
        {'range_bias': error, 'range_bias_deviation': deviation})) == (
        [(('bob',), text)] if text else [])


@pytest.mark.parametrize(('slips', 'text'), [
    (0, ''), (2, 'its wheels slipped 18 times: they turned while it did not move as they say')])
def test_slipping_wheels_are_reported(slips: int, text: str) -> None:
    assert signs(localisation.slip, diagnostics=reports({}, {'slips': slips})) == (
        [(('bob',), text)] if text else [])
