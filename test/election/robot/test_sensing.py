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

"""Inputs of sensors: their limits, their expiry, and the counters of wrong ones."""

import math
from types import SimpleNamespace
from typing import Any

from election.robot.sensed import Sensed
from hypothesis import given
from hypothesis import strategies as st
from leader_election.election.messages.codec import MAX_COORDINATE
from leader_election.election.robot.metrics import Metric, RangingInput
from leader_election.election.robot.sensing import RangeSmoothing, REMEMBERED
from leader_election.localisation.sighting import Extraction, Sighting
from leader_election.localisation.source import Estimate
import pytest


def test_position_is_known_until_odometry_expires() -> None:
    sensing = Sensed().sensing
    assert sensing.locate(0.0) is None and sensing.odometry_age(0.0) is None
    assert sensing.take_odometry((3.0, 4.0, 0.0), 10.0, yaw=0.5)
    assert sensing.locate(11.0) == (3.0, 4.0) and sensing.pose(11.0) == (3.0, 4.0, 0.5)
    assert sensing.locate(11.1) is None and sensing.pose(11.1) is None
    assert sensing.odometry_age(12.5) == 2.5


def test_heading_includes_that_of_the_frame_of_odometry() -> None:
    sensing = Sensed(initial_pose=[1.0, 2.0, 0.25]).sensing
    assert sensing.take_odometry((0.0, 0.0, 0.0), 10.0, yaw=0.5)
    assert sensing.pose(10.0) == pytest.approx((1.0, 2.0, 0.75))
    assert sensing.take_odometry((0.0, 0.0, 0.0), 10.0)
    assert sensing.pose(10.0) is None


@pytest.mark.parametrize('point', [
    (math.nan, 0.0, 0.0), (0.0, math.inf, 0.0), (0.0, 0.0, math.nan),
    (1.1 * MAX_COORDINATE, 0.0, 0.0)])
def test_wrong_odometry_is_counted_once(point: tuple[float, ...]) -> None:
    made = Sensed()
    for number in (1, 2):
        assert not made.sensing.take_odometry(point, 10.0)
        assert made.counts['odometry_rejected'] == number and made.sensing.locate(10.0) is None


def test_odometry_without_a_heading_is_rejected_when_the_robot_needs_one() -> None:
    sensing = Sensed(pose_source='cooperative').sensing
    for yaw in (None, 0.5):
        assert sensing.take_odometry((0.0, 0.0, 0.0), 10.0, yaw=yaw) != sensing.has_no_heading
        assert sensing.has_no_heading == (yaw is None)


def test_robot_has_no_estimate_when_another_localisation_gives_its_pose() -> None:
    sensing = Sensed().sensing
    elsewhere = Sensed(initial_pose=[2.0, 0.0, 0.0]).sensing.initial_pose
    for origin, x, parts in ((elsewhere, 3.0, []), (None, 1.0, ['localisation'])):
        sensing.take_odometry((1.0, 0.0, 0.0), 10.0, origin, yaw=0.0)
        assert sensing.locate(10.0) == (x, 0.0) and list(sensing.sent()) == parts
    assert sensing.locate(11.1) is None and not sensing.sent()


def test_sensed_value_is_sent_until_it_expires() -> None:
    made = Sensed(metric='sensor_difference', communication_range=math.inf)
    made.sensing.take_message(SimpleNamespace(data=4.5), 10.0)
    for now, reading in ((12.0, (4.5,)), (12.1, ())):
        made.sensing.refresh(now)
        assert made.sensing.reading == reading
    for number in (1, 2):
        made.sensing.take_sensed(math.nan, 12.1)
        assert (made.counts['readings_rejected'], made.counts['metric_errors']) == (number, 0)
    for number in (1, 2):
        made.sensing.take_message(None, 12.1)
        assert (made.counts['readings_rejected'], made.counts['metric_errors']) == (2, number)


def test_reading_is_made_of_those_of_the_neighbours() -> None:
    made = Sensed(metric='round_trip', communication_range=math.inf)
    made.hear(2, 1.0, (7.5,))
    made.sensing.refresh(2.25)
    assert made.sensing.reading == (2.25, 2.0, 7.5, 2.25) and not made.counts['metric_errors']


def test_extracted_sightings_are_used_and_wrong_ones_counted() -> None:
    made = Sensed(metric='range', communication_range=5.0)
    made.sensing.take_extraction(Extraction([Sighting(2, 4.0)], rejected=3), 10.0)
    assert made.sensing.distance_to(made.hear(2, 9.0), 12.0) == 4.0
    assert made.counts['measurements_rejected'] == 3


def test_metric_gets_what_the_robot_knows_and_its_errors_are_counted() -> None:
    seen: list[RangingInput] = []

    def measure(ranging: RangingInput) -> float:
        seen.append(ranging)
        if len(seen) > 1:
            raise LookupError
        return 2.5
    made = Sensed()
    sensing, entry = made.sensing, made.hear(2, 9.0, (7.0,))
    sensing.metric, sensing.velocity = Metric('told', measure), (0.5, 1.0)
    sensing.take_odometry((1.0, 0.0, 0.0), 10.0)
    sensing.locate(10.0)
    moves = entry._replace(velocity=(2.0, 5.0), received=9.5)
    assert [sensing.distance_to(moves, 10.0) for _ in range(3)] == [2.5, None, None]
    assert made.counts['metric_errors'] == 2
    assert seen[0]._replace(parameters=None) == RangingInput(
        (1.0, 0.0), (9.0, 0.0), None, None, (), (7.0,), 1, 9.5, None, (1.5, 4.0))


def test_range_that_a_neighbour_measured_corrects_its_distance() -> None:
    """Its range to another robot does not count."""
    made = Sensed(metric='range', communication_range=20.0)
    sensing, entry = made.sensing, made.hear(2, 9.0)
    sensing.take_odometry((0.0, 0.0, 0.0), 10.0)
    sensing.locate(10.0)
    sensing.hear(entry.message, 10.0)
    sensing.hear(entry.message._replace(parts={'localisation': Estimate(
        None, 0.0, 0.1, 0.1, (Sighting(1, 4.0), Sighting(3, 7.0)))}), 10.0)
    sensing.take_odometry((2.0, 0.0, 0.0), 10.0)
    sensing.locate(10.0)
    assert sensing.distance_to(entry, 10.0) == 2.0


def test_message_is_used_by_the_neighbourhood_filter() -> None:
    """Robot 2 has turned by 90 degrees, and measures robot 1, which is elsewhere."""
    made = Sensed(pose_source='cooperative', metric='range', odometry_expiry=9.0)
    alone = Sensed(pose_source='cooperative', metric='range', odometry_expiry=9.0).sensing.source
    estimate = Estimate((9.0, 0.0, 1.57), 1.57, 0.1, 0.1, (Sighting(1, 4.0, 1.0),))
    message = made.hear(2, 9.0).message._replace(parts={'localisation': estimate})
    made.sensing.take_odometry((0.0, 0.0, 0.0), 10.0, yaw=0.0)
    alone.take_odometry((0.0, 0.0), 0.0, 10.0, False)
    made.sensing.hear(message, 10.0)
    alone.hear(2, (9.0, 0.0), estimate, 10.0)
    made.sensing.begin_round(10.5)
    alone.begin_round(10.5)
    [(robot, distance, deviation)] = alone.distances(10.5)
    assert made.sensing.localised(10.5) == [(message, distance, deviation)] and robot == 2
    assert made.sensing.place_of(message._replace(position=(8.0, 0.0))) == alone.place_of(2)
    unknown = made.hear(3, 5.0).message
    assert made.sensing.place_of(unknown) == unknown.position


def test_ranges_between_robots_of_different_heights_are_levelled() -> None:
    """Robot 1 stands on the ground, its radio at 0.5 m; robot 2 flies 3 m above that radio."""
    low, high = (Sensed(pose_source='cooperative', sensor_pose=[0.2, 0.0, radio, 0.0, 0.0, 0.0],
                        initial_pose=[x, 0.0, z, 0.0, 0.0, 0.0]).sensing
                 for x, z, radio in ((0.0, 0.0, 0.5), (4.0, 1.0, -0.1)))
    low.take_odometry((0.0, 0.0, 0.0), 10.0, yaw=0.0)
    high.take_odometry((0.0, 0.0, 2.6), 10.0, yaw=0.0)
    for each in (low, high):
        each.begin_round(10.0)
        each.locate(10.0)
    sent = high.sent()['localisation']
    assert sent.height == 3.5
    low.source.hear(2, (4.0, 0.0), sent, 10.0)
    (seen, bearing) = low.source.take_sightings(
        [Sighting(2, 5.0, range_deviation=0.1), Sighting(2, 5.0, 0.0)], 10.0)
    assert seen.range == 4.0 and seen.range_deviation == 0.125
    assert bearing.range == 5.0, 'a sensor of bearings measures in the plane'
    assert low.source.take_sightings([Sighting(3, 5.0)], 10.0)[0].range == 5.0, 'nobody heard it'


def test_ranges_to_landmarks_of_known_height_are_levelled(tmp_path) -> None:
    path = tmp_path / 'anchors.csv'
    path.write_text('id,x,y,z\n7,4,0,3\n8,4,0,\n')
    sensing = Sensed(pose_source='cooperative', landmarks=str(path)).sensing
    sensing.take_odometry((0.0, 0.0, 0.0), 10.0, yaw=0.0)
    seen = sensing.source.take_sightings([Sighting(7, 5.0), Sighting(8, 5.0)], 10.0)
    assert [each.range for each in seen] == [4.0, 5.0]


@pytest.mark.parametrize(('metric', 'changed'), [('look_ahead', True), ('odometry', False)])
def test_round_of_a_robot_that_has_stopped_changes_distances_by_its_velocity(
        metric: str, changed: bool) -> None:
    made = Sensed(metric=metric)
    sensing = made.sensing
    for now, x in ((10.0, 0.0), (11.0, 1.0)):
        sensing.take_odometry((x, 0.0, 0.0), now)
        sensing.begin_round(now)
    sensing.take_odometry((1.0, 0.0, 0.0), 12.0)
    assert sensing.begin_round(12.0) == changed
    assert sensing.distance_to(made.hear(2, 9.0), 12.0) == 8.0


def test_measurement_has_the_age_of_its_stamp(monkeypatch: pytest.MonkeyPatch) -> None:
    sensing, taken = Sensed().sensing, list[Sighting]()
    monkeypatch.setattr(sensing, 'take_sightings', lambda sightings, now: taken.extend(sightings))
    sensing.take_measurements([2.0, 4.0, 99.5], 10.0, ('id', 'range', 'stamp'), 100.0)
    assert [sighting.age for sighting in taken] == [0.5]


def test_measured_distance_counts_until_it_expires() -> None:
    made = Sensed(metric='range', communication_range=5.0)
    entry = made.hear(2, 9.0)
    assert made.sensing.reaches(2, None, 10.0), 'it may be in range'
    made.sensing.take_measurements([2.0, 4.0], 10.0)
    assert made.sensing.distance_to(entry, 12.0) == 4.0
    made.sensing.refresh(12.1)
    assert made.sensing.distance_to(entry, 12.1) is None
    made.sensing.take_measurements([2.0, 6.0], 20.0)
    assert not made.sensing.reaches(2, None, 20.0)
    assert made.counts['measurements_rejected'] == 0
    for number, row in ((1, [2.0]), (2, [2.0]), (3, [1.0, 4.0])):
        made.sensing.take_measurements(row, 20.0)
        assert made.counts['measurements_rejected'] == number


def test_measured_range_is_corrected_and_reached_up_to_the_communication_range() -> None:
    """Robot 2 is at 9 m, and its range at the first place is 4 m."""
    made = Sensed(metric='range', communication_range=5.0)
    sensing, entry = made.sensing, made.hear(2, 9.0)
    sensing.take_odometry((0.0, 0.0, 0.0), 10.0)
    sensing.take_sightings([Sighting(3, math.nan, 1.0), Sighting(2, 4.0)], 10.0)
    assert sensing.reaches(2, (10.0, 0.0), 10.0) and not sensing.reaches(2, (10.1, 0.0), 10.0)
    sensing.take_odometry((1.0, 0.0, 0.0), 10.5)
    sensing.locate(10.5)
    assert sensing.distance_to(entry, 10.5) == 3.0


def test_range_of_links_is_known_only_for_metrics_of_lengths() -> None:
    for metric, within in (('odometry', 5.0), ('hops', math.inf)):
        assert Sensed(metric=metric, communication_range=5.0).sensing.link_range == within
    for metric, within, needed in (('odometry', math.inf, True), ('hops', math.inf, False),
                                   ('hops', 5.0, True), ('range', 5.0, False)):
        sensing = Sensed(metric=metric, communication_range=within).sensing
        assert sensing.positions_matter == needed
        assert sensing.velocity == (0.0, 0.0)


@pytest.mark.parametrize(('settings', 'limit'), [
    ({}, math.inf), ({'pose_source': 'cooperative'}, 2.0), ({'max_deviation': 0.3}, 0.3),
    ({'pose_source': 'cooperative', 'max_deviation': math.inf}, math.inf),
    ({'pose_source': 'cooperative', 'metric': 'hops', 'communication_range': math.inf}, math.inf)])
def test_deviation_is_limited_by_the_radius_when_robots_cooperate(
        settings: dict[str, Any], limit: float) -> None:
    assert Sensed(radius=4.0, **settings).sensing.source.limit == limit


@pytest.mark.parametrize(('x', 'within', 'reached'), [
    (5.0, 5.0, True), (5.1, 5.0, False), (5.1, math.inf, True)])
def test_neighbour_is_reached_up_to_the_communication_range(
        x: float, within: float, reached: bool) -> None:
    made = Sensed(communication_range=within)
    made.sensing.take_odometry((0.0, 0.0, 0.0), 10.0)
    made.sensing.locate(10.0)
    assert made.sensing.reaches(2, (x, 0.0), 10.0) == reached
    assert made.sensing.reaches(2, None, 10.0) == math.isinf(within)


def test_round_may_change_distances_only_when_the_robot_has_moved() -> None:
    made = Sensed()
    for now, x, moved in ((10.0, 0.0, True), (10.5, 0.0, False), (11.0, 1.0, True)):
        made.sensing.take_odometry((x, 0.0, 0.0), now)
        assert made.sensing.begin_round(now) == moved
    assert made.sensing.velocity == (1.0, 0.0)
    made.sensing.begin_round(20.0)
    assert made.sensing.velocity == (0.0, 0.0)


LENGTHS = st.floats(0.1, 20.0)


def test_distance_is_odometry_plus_the_median_difference() -> None:
    ranges = RangeSmoothing(expiry=3.0)
    assert ranges.distance(7, 2.0, 0.0) is None
    measured = [(9.0, 2.0)] * 5 + [(2.5, 2.0), (3.25, 3.0)] + [(3.5, 3.0)] * 3
    for k, (metres, apart) in enumerate(measured):
        ranges.take(7, metres, apart, 0.5 * k)
    # The last five differences are 0.5, 0.25, 0.5, 0.5, 0.5.
    assert ranges.distance(7, 4.0, 4.5) == 4.5
    # Where positions are missing, the median of the ranges.
    assert ranges.distance(7, None, 4.5) == 3.5
    assert ranges.distance(8, 4.0, 4.5) is None


def test_distance_is_unknown_when_ranges_have_expired() -> None:
    ranges = RangeSmoothing(expiry=3.0)
    ranges.take(7, 2.5, 2.0, 0.0)
    assert ranges.distance(7, 2.0, 3.0) == 2.5
    assert ranges.distance(7, 2.0, 3.1) is None
    ranges.expiry = 5.0
    assert ranges.distance(7, 2.0, 3.1) == 2.5


def test_difference_is_remembered_up_to_its_age() -> None:
    ranges = RangeSmoothing(expiry=3.0)
    ranges.take(7, 3.0, 2.0, 10.0)
    later = 10.0 + REMEMBERED
    ranges.forget(later)
    ranges.take(7, 2.5, 2.0, later)
    assert ranges.distance(7, 2.0, later) == 2.75
    assert ranges.distance(7, 2.0, later + 0.1) == 2.5


def test_distance_stays_positive() -> None:
    """Two robots approach each other, and odometry is wrong by a metre."""
    ranges = RangeSmoothing(expiry=3.0)
    ranges.take(7, 1.0, 2.0, 0.0)
    assert ranges.distance(7, 0.5, 0.0) == 1e-3


@given(st.lists(LENGTHS, min_size=5, max_size=9), LENGTHS, st.floats(-0.4, 2.0),
       st.sets(st.integers(0, 4), max_size=2), st.floats(3.0, 50.0))
def test_distance_is_right_when_two_of_five_ranges_are_wrong(
        path: list[float], now: float, drift: float, wrong: set[int], by: float) -> None:
    """All other ranges show the error of odometry exactly."""
    ranges = RangeSmoothing(expiry=30.0)
    drift = max(drift, 0.01 - min(*path, now))
    for k, apart in enumerate(path):
        ranges.take(7, apart + drift + (by if k in {len(path) - 5 + w for w in wrong} else 0.0),
                    apart, 0.1 * k)
    assert ranges.distance(7, now, 2.0) == pytest.approx(max(now + drift, 1e-3))
