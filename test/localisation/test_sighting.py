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

"""Late sightings, and sensors that repeat themselves."""

from collections import Counter
import math
from types import SimpleNamespace
from typing import Any

from builtin_interfaces.msg import Time
from geometry_msgs.msg import Point, Pose, PoseWithCovariance, TransformStamped, Vector3
from leader_election.localisation.neighbourhood_filter import LateSightings, NeighbourhoodFilter
from leader_election.localisation.own_sightings import RepeatedSightings, Track, WaitingSighting
from leader_election.localisation.parameters import LocalisationParameters
from leader_election.localisation.pose_estimates import factor_rows, SIZE
from leader_election.localisation.poses import compose, PlanePose
from leader_election.localisation.sighting import (
    columns_of,
    of_detections,
    of_range,
    of_tags,
    PAIRS,
    SensorMount,
    Sighting,
    TRIPLES,
)
from leader_election.localisation.source import PoseSource
from leader_election.parameters import build, ParameterError
from localisation.simulation import Neighbourhood
import numpy as np
import pytest
from sensor_msgs.msg import Range
from std_msgs.msg import Header, MultiArrayDimension

# A late sighting corrects the present poses as it would have done at its own time.

STARTS: dict[int, PlanePose] = {1: (0.0, 0.0, 0.5), 2: (2.0, 1.0, -1.0), 3: (1.0, -2.0, 2.0)}
MOTIONS: dict[int, PlanePose] = {1: (0.4, 0.1, 0.3), 2: (0.6, 0.0, -0.2), 3: (0.3, -0.1, 0.1)}


def filter_of(starts: dict[int, PlanePose]) -> NeighbourhoodFilter:
    """Return a filter whose odometry has hardly any error, and whose headings are uncertain."""
    table = LocalisationParameters(odometry_noise_position=0.0, odometry_noise_turn=0.0)
    own = NeighbourhoodFilter(table, 3.0, {}, Counter())
    for robot, pose in starts.items():
        own.add(robot, pose, (0.1, 0.3), pose, 0.0)
        rows = factor_rows(len(own.state) - SIZE)
        own.covariance[rows, rows] = 0.0
    return own


def move(own: NeighbourhoodFilter) -> None:
    for robot, motion in MOTIONS.items():
        own.move(robot, compose(STARTS[robot], motion), 2.0)


@pytest.mark.parametrize('bearing', [math.nan, 0.02])
@pytest.mark.parametrize('seen', [(2,), (2, 3)])
def test_late_sighting_corrects_the_pose_of_its_own_time(
        bearing: float, seen: tuple[int, ...]) -> None:
    sightings = []
    for robot in seen:
        x, y = (b - a for a, b in zip(STARTS[1][:2], STARTS[robot][:2]))
        sightings.append(Sighting(robot, math.hypot(x, y) + 0.05,
                                  math.atan2(y, x) - STARTS[1][2] + bearing, age=2.0))
    prompt, late = filter_of(STARTS), filter_of(STARTS)
    prompt.see([(1, sighting) for sighting in sightings], 0.0)
    move(prompt)
    move(late)
    mover, waiting, tracks = LateSightings(1, late, {}), [], {}
    for sighting in sightings:
        waiting.append(WaitingSighting(sighting, STARTS[1], 2.0, 0.0))
        track = tracks[sighting.id] = Track()
        track.add(0.0, STARTS[sighting.id])
        track.add(2.0, late.odometry(sighting.id))
    due = mover.move(waiting, late.odometry(1), late.pose(1), tracks)
    late.see([(1, sighting) for sighting in due], 2.0, mover.late)
    for robot in STARTS:
        # The present heading is linearised, not that of the time of the sighting.
        assert late.pose(robot) == pytest.approx(prompt.pose(robot), abs=2e-3)
        assert late.covariance_of(robot) == pytest.approx(
            prompt.covariance_of(robot), abs=2e-3)
    assert abs(late.pose(1)[0] - compose(STARTS[1], MOTIONS[1])[0]) > 2e-3, 'it corrects'


# Repeated readings: what is recognised, and what is not taken for repeated.

HERE = (0.0, 0.0, 0.0)


def test_equal_reading_counts_as_repeated_when_a_robot_has_moved():
    sensor = RepeatedSightings()
    assert not sensor.is_repeated(Sighting(2, 1.5), HERE, HERE)
    assert not sensor.is_repeated(Sighting(2, 1.5), HERE, HERE)
    assert not sensor.is_repeated(Sighting(3, 1.5), HERE, HERE)
    assert sensor.is_repeated(Sighting(2, 1.5), HERE, (0.2, 0.0, 0.0))
    assert not sensor.is_repeated(Sighting(2, 1.51), HERE, (0.2, 0.0, 0.0))
    # A turn changes bearings only.
    assert not sensor.is_repeated(Sighting(2, 1.51), (0.0, 0.0, 1.0), (0.2, 0.0, 1.0))
    assert not sensor.is_repeated(Sighting(2, 1.51, 0.2), HERE, HERE)
    assert not sensor.is_repeated(Sighting(2, 1.51, 0.2), HERE, (0.0, 0.0, 1.0))
    assert sensor.is_repeated(Sighting(2, 1.51, 0.2), (0.0, 0.0, 0.1), HERE)


def test_earlier_series_counts_as_repeated_when_the_robot_is_elsewhere():
    sensor = RepeatedSightings()
    series = [Sighting(2 + k % 3, 1.0 + 0.1 * k, 0.05 * k) for k in range(20)]
    assert not any(sensor.is_repeated(each, (0.1 * k, 0.0, 0.0), None)
                   for k, each in enumerate(series))
    again = [sensor.is_repeated(each, (5.0 + 0.1 * k, 0.0, 0.0), None)
             for k, each in enumerate(series[3:])]
    assert again == [False, *[True] * 16]


def test_readings_are_forgotten_beyond_the_memory():
    sensor = RepeatedSightings(memory=10)
    series = [Sighting(2, 1.0 + 0.1 * k) for k in range(12)]
    for k, each in enumerate(series * 2):
        assert not sensor.is_repeated(each, (k, 0.0, 0.0), None)


@pytest.mark.parametrize('bearings', [False, True])
@pytest.mark.parametrize('noise', [0.0, 0.1])
def test_readings_are_used_when_a_sensor_quantises(bearings, noise):
    repeated = 0
    for seed in range(20):
        rng, sensor, here = np.random.default_rng(seed), RepeatedSightings(), HERE
        for _ in range(200):
            yaw = here[2] + rng.choice((-0.1, 0.0, 0.1))
            here = here[0] + 0.05 * math.cos(yaw), here[1] + 0.05 * math.sin(yaw), yaw
            distance = math.dist(here[:2], (5.0, 3.0)) + noise * rng.normal()
            bearing = math.atan2(3.0 - here[1], 5.0 - here[0]) - yaw + 0.4 * noise * rng.normal()
            repeated += sensor.is_repeated(Sighting(
                2, round(distance, 2), math.radians(round(math.degrees(bearing)))
                if bearings else math.nan), here, None)
    # A noiseless reading stays the same within the resolution while the robot passes by.
    assert repeated <= (0.005 if noise else 0.03) * 20 * 200


def test_equal_reading_is_used_when_robots_stand_still():
    sensor = RepeatedSightings()
    assert not any(sensor.is_repeated(Sighting(2, 1.5, 0.1), (0.001 * (k % 2), 0.0, 0.0), HERE)
                   for k in range(100))


class Lying(Neighbourhood):
    """
    Robots with cameras, of which the last one repeats from 40 s on what it saw.

    :ivar again: whether a series, for 35 s, or its last frame, for 50 s, ``None`` if it does not.
    """

    again: bool | None = None

    def sightings(self, robot: int) -> list[Sighting]:
        """Return the present sightings of a robot, or those that its sensor repeats."""
        seen = super().sightings(robot)
        frames = self.__dict__.setdefault('frames', {})
        if robot == self.liar and self.again is not None:
            frames[self.now] = seen
            if 40.0 <= self.now < (75.0 if self.again else 90.0):
                return frames[self.now - 35.0] if self.again else next(
                    frame for time, frame in reversed(frames.items()) if time < 40.0 and frame)
        return seen

    def off(self) -> float:
        """Return the greatest error of a robot's own position [m]."""
        return max(math.dist(own.pose[:2], self.truth[robot][:2])
                   for robot, own in self.robots.items())


def test_estimates_stay_when_a_sensor_repeats_its_reading():
    worst, repeated = dict[bool | None, float](), dict[bool | None, int]()
    for again in (None, False, True):
        swarm = Lying(5, 0, camera=True)
        swarm.again = again
        worst[again] = max(swarm.off() for _ in swarm.run(100))
        repeated[again] = swarm.counts[5]['sightings_repeated']
    assert min(repeated[False], repeated[True]) > 10 + 3 * repeated[None]
    assert max(worst[False], worst[True]) < worst[None] + 0.3


OPTICAL = (0.1, 0.0, 0.2, -math.pi / 2, 0.0, -math.pi / 2)
"""A camera that looks ahead: x to its right, y down, z ahead."""


def mount(**parameters: Any) -> SensorMount:
    return SensorMount(build(LocalisationParameters, parameters))


def dimension(size: int, label: str = '') -> MultiArrayDimension:
    return MultiArrayDimension(label=label, size=size, stride=size)


def transform(child: str, place: tuple[float, float, float],
              frame: str = 'camera') -> TransformStamped:
    message = TransformStamped(child_frame_id=child)
    message.header.frame_id = frame
    message.transform.translation = Vector3(x=place[0], y=place[1], z=place[2])
    return message


def hypothesis(name: str, score: float, place: tuple[float, float, float]) -> SimpleNamespace:
    """Return a vision_msgs/ObjectHypothesisWithPose. The package is not on PyPI."""
    return SimpleNamespace(
        hypothesis=SimpleNamespace(class_id=name, score=score),
        pose=PoseWithCovariance(pose=Pose(position=Point(x=place[0], y=place[1], z=place[2]))))


def detection(name: str, *results: SimpleNamespace,
              box: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> SimpleNamespace:
    return SimpleNamespace(
        id=name, results=list(results), bbox=SimpleNamespace(
            center=Pose(position=Point(x=box[0], y=box[1], z=box[2]))))


def detections(*found: SimpleNamespace, frame: str = 'camera') -> SimpleNamespace:
    return SimpleNamespace(header=Header(frame_id=frame), detections=list(found))


def rounded(sightings: list[Sighting]) -> list[tuple[float, ...]]:
    return [(s.id, round(s.range, 3), round(s.bearing, 3)) for s in sightings]


def test_columns_follow_the_layout() -> None:
    assert columns_of([], 7) == PAIRS
    assert columns_of([dimension(6)], 6) == PAIRS, 'a layout was not looked at before'
    assert columns_of([dimension(3, 'sightings'), dimension(2, 'id,range')], 6) == PAIRS
    assert columns_of([dimension(2, 'sightings'), dimension(3, 'id,range,bearing')], 6) == TRIPLES
    assert columns_of([dimension(2), dimension(3, 'id, range, bearing')], 6) == TRIPLES
    assert columns_of([dimension(0), dimension(3)], 0) == TRIPLES
    assert columns_of([dimension(1), dimension(4, 'id,range,range_deviation,stamp')], 4) == (
        'id', 'range', 'range_deviation', 'stamp')


@pytest.mark.parametrize('dimensions', [
    *([dimension(2), dimension(3, label)] for label in (
        'id,bearing,range', 'id,range,colour', 'id,range,range', 'id,range')),
    [dimension(3), dimension(2, 'id,range,bearing')],
    *([dimension(rows), dimension(columns)] for rows, columns in ((5, 3), (6, 1), (1, 6), (0, 0))),
    [dimension(1), dimension(2), dimension(3)]])
def test_columns_are_unknown_when_the_layout_does_not_fit(dimensions: list[Any]) -> None:
    assert columns_of(dimensions, 6) is None


def test_detection_has_the_position_of_its_best_hypothesis() -> None:
    found = of_detections(detections(
        detection('robot_3', hypothesis('x', 0.2, (9.0, 9.0, 9.0)),
                  hypothesis('y', 0.9, (0.0, -0.5, 1.9))),
        detection('', hypothesis('7', 0.5, (0.0, 0.0, 0.0)), box=(1.0, 0.0, 0.9)),
        detection('12', box=(-2.0, 0.0, -0.1))), mount(sensor_pose=OPTICAL))
    assert rounded(found.sightings) == [
        (3, 2.0, 0.0), (7, 1.414, -0.785), (12, 2.0, 1.571)]
    assert found.rejected == 0 and found.passed_over == ()


def test_detection_is_left_out_when_it_has_no_robot_or_position() -> None:
    found = of_detections(detections(
        detection('person', box=(1.0, 0.0, 0.0)), detection('', box=(1.0, 0.0, 0.0)),
        detection('9' * 30, box=(1.0, 0.0, 0.0)), detection('-1', box=(1.0, 0.0, 0.0)),
        detection('4', box=(math.nan, 0.0, 0.0)), detection('5')), mount())
    assert found.sightings == [] and found.rejected == 2
    assert found.passed_over == ('person', '', '9' * 30, '-1')


def test_tag_is_named_by_its_child_frame() -> None:
    message = SimpleNamespace(transforms=[
        transform('tag36h11:7', (0.5, 0.0, 0.9)), transform('/robot_2', (0.0, 0.0, 0.4)),
        transform('3', (0.0, 0.0, 1.9)), transform('base_link', (1.0, 0.0, 0.0)),
        transform('robot_2', (0.0, 0.0, 1.0), frame='robot_4/camera')])
    found = of_tags(message, mount(sensor_pose=OPTICAL, sensor_frame='/camera'))
    assert rounded(found.sightings) == [
        (7, round(math.hypot(1.0, 0.5), 3), round(-math.atan2(0.5, 1.0), 3)),
        (2, 0.5, 0.0), (3, 2.0, 0.0)]
    assert found.passed_over == ('base_link',)
    assert len(of_tags(message, mount()).sightings) == 4, 'any frame'


def test_detections_are_ignored_when_of_another_sensor() -> None:
    message = detections(detection('3', box=(1.0, 0.0, 0.0)))
    assert of_detections(message, mount(sensor_frame='lidar')).sightings == []
    assert len(of_detections(message, mount(sensor_frame='camera')).sightings) == 1


def test_name_matches_a_pattern_literally_except_for_the_id() -> None:
    assert mount(tag_names='r.{id}').id_of('r.3') == 3
    assert mount(tag_names='r.{id}').id_of('rx3') is None
    assert mount(tag_names='').id_of('robot_3') is None
    assert mount(tag_names='').id_of('3') == 3
    assert mount(tag_names='robot_{id}_front, robot_{id}_back').id_of('robot_3_back') == 3


@pytest.mark.parametrize(('value', 'limits', 'expected'), [
    (1.5, (0.1, 4.0), 1.5), (0.1, (0.1, 4.0), 0.1), (4.0, (0.1, 4.0), 4.0),
    (0.05, (0.1, 4.0), None), (4.1, (0.1, 4.0), None),
    (math.inf, (0.1, math.inf), None), (-math.inf, (0.1, 4.0), None),
    (math.nan, (0.1, 4.0), None), (1.5, (0.0, 0.0), 1.5), (-1.0, (0.0, 0.0), None)])
def test_range_counts_only_within_its_limits(
        value: float, limits: tuple[float, float], expected: float | None) -> None:
    message = Range(range=value, min_range=limits[0], max_range=limits[1])
    found = of_range(message, 3)
    assert found.rejected == 0
    assert [s.range for s in found.sightings] == (
        [] if expected is None else [pytest.approx(expected)])
    assert all(s.id == 3 and math.isnan(s.bearing) for s in found.sightings)


def test_covariance_of_a_detection_gives_deviations_of_range_and_bearing() -> None:
    """The camera looks to the left, so its z axis is the direction to the robot seen."""
    left = mount(sensor_pose=(0.0, 0.0, 0.2, -math.pi / 2, 0.0, 0.0))
    found = hypothesis('3', 1.0, (0.0, 0.0, 2.0))
    found.pose.covariance[0::7] = [0.04 ** 2, 1.0, 0.3 ** 2, 0.0, 0.0, 0.0]
    [seen] = of_detections(detections(detection('3', found)), left).sightings
    assert (seen.range, seen.bearing) == pytest.approx((2.0, math.pi / 2))
    assert (seen.range_deviation, seen.bearing_deviation) == pytest.approx((0.3, 0.02))
    for unknown in (0.0, -1.0, math.nan):
        found.pose.covariance[0::7] = [unknown] * 6
        [seen] = of_detections(detections(detection('3', found)), left).sightings
        assert math.isnan(seen.range_deviation) and math.isnan(seen.bearing_deviation)


def test_variance_of_a_range_is_used_when_positive() -> None:
    message = Range(range=1.5, variance=0.04)
    assert of_range(message, 3).sightings[0].range_deviation == pytest.approx(0.2)
    message.variance = 0.0
    assert math.isnan(of_range(message, 3).sightings[0].range_deviation)


def test_age_follows_from_the_stamp() -> None:
    stamp = Time(sec=100, nanosec=500_000_000)
    scan, tag = Range(range=1.5), transform('3', (0.0, 0.0, 1.0))
    scan.header.stamp = tag.header.stamp = stamp
    seen = detections(detection('3', box=(1.0, 0.0, 0.0)))
    seen.header.stamp = stamp
    tags = SimpleNamespace(transforms=[tag])
    for of, message, what in ((of_range, scan, 3), (of_tags, tags, mount()),
                              (of_detections, seen, mount())):
        assert of(message, what, clock=101.0).sightings[0].age == pytest.approx(0.5)
        assert of(message, what).sightings[0].age == 0.0, 'the time is not known'
    scan.header.stamp = Time()
    assert of_range(scan, 3, clock=101.0).sightings[0].age == 0.0, 'there is no stamp'


def test_offset_is_added_to_ranges_only() -> None:
    source = PoseSource(1, LocalisationParameters(range_offset=0.2), expiry=3.0, top_speed=1.0,
                        counts=Counter())
    seen, turned = source.take_sightings(
        [Sighting(3, 2.0, 0.5), Sighting(4, math.nan, 0.5)], 0.0)
    assert seen[:3] == (3, 2.2, 0.5) and math.isnan(turned.range) and turned.bearing == 0.5


@pytest.mark.parametrize(('parameters', 'error'), [
    ({'sighting_sources': 'measurements, radar'},
     "parameter sighting_sources: 'radar' is not allowed; it takes a list of measurements, "
     'detections, tags, ranges'),
    ({'tag_names': 'robot'},
     "parameter tag_names: 'robot' is not allowed; it takes a list of names with {id} in each, "
     "for example 'robot_{id}'"),
    ({'sighting_sources': 'ranges'},
     "parameter range_ids: '' is not allowed; sighting_sources has ranges, so it takes ids, for "
     "example '1-5'"),
    ({'range_ids': '1-101'},
     "parameter range_ids: '1-101' is not allowed; it takes at most 100 ids from 0 to "
     '9007199254740991'),
    ({'range_ids': '-1'},
     "parameter range_ids: '-1' is not allowed; it takes ids and ranges of ids, for example "
     "'1-20,25'"),
])
def test_parameters_are_refused_when_wrong(parameters: dict[str, Any], error: str) -> None:
    with pytest.raises(ParameterError) as refused:
        build(LocalisationParameters, parameters)
    assert str(refused.value) == error


def test_lists_keep_their_order_and_each_entry_once() -> None:
    read = build(LocalisationParameters, {
        'sighting_sources': ' tags,measurements , tags', 'range_ids': '3,1-2,2'})
    assert read.sources == ('tags', 'measurements') and read.ranged == (3, 1, 2)
    assert build(LocalisationParameters, {'sighting_sources': ''}).sources == ()
