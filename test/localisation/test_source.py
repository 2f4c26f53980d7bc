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

"""Pose sources: sightings, neighbours that come and go, odometry that begins anew."""

from collections import Counter
import math

from leader_election.localisation import cooperative
from leader_election.localisation.cooperative import CooperativeSource
from leader_election.localisation.own_sightings import MOST_SENT
from leader_election.localisation.parameters import LocalisationParameters
from leader_election.localisation.sighting import Sighting
from leader_election.localisation.source import Estimate, PoseSource
import pytest

THERE = Estimate((5.0, 0.0, 0.0), 0.0, 0.05, 0.03)


def estimate(x: float) -> Estimate:
    """Return the estimate of a robot whose odometry is at x."""
    return Estimate((x, 0.0, 0.0), 0.0, 0.05, 0.03)


def localisation(landmarks=None, **settings) -> CooperativeSource:
    """
    Return the localisation of robot 1, at the origin, which has met robot 2 at (5, 0).

    Landmarks have no height.
    """
    made = CooperativeSource(
        1, LocalisationParameters(**settings), expiry=3.0, top_speed=1.0, counts=Counter(),
        landmarks={each: (*place, math.nan) for each, place in (landmarks or {}).items()})
    made.take_odometry((0.0, 0.0), 0.0, 0.0)
    made.hear(2, (5.0, 0.0), THERE, 0.0)
    return made


@pytest.mark.parametrize('bearing', [math.nan, 0.0])
def test_sighting_is_moved_to_the_moment_of_sending(bearing):
    robot = localisation({9: (5.0, 0.0)})
    robot.take_sightings([Sighting(2, 5.0, bearing), Sighting(9, 5.0)], 0.1)
    robot.take_odometry((1.0, 0.0), 0.0, 0.9)
    robot.begin_round(1.0)
    sent, landmark = robot.estimate.sightings
    assert sent.id == 2 and sent.range == pytest.approx(4.0, abs=1e-3)
    assert math.isnan(sent.bearing) == math.isnan(bearing)
    assert landmark.id == 9 and landmark.range == pytest.approx(4.0, abs=1e-3)
    robot.begin_round(1.1)
    assert robot.estimate.sightings == (), 'each is sent once'


def test_range_stays_as_measured_when_the_robot_seen_is_unknown():
    robot = localisation()
    robot.take_sightings([Sighting(7, 5.0)], 0.1)
    robot.take_odometry((1.0, 0.0), 0.0, 0.9)
    robot.begin_round(1.0)
    assert robot.estimate.sightings == (Sighting(7, 5.0),)


@pytest.mark.parametrize('bearing', [math.nan, 0.0])
def test_late_sighting_uses_the_odometry_of_its_time(bearing):
    """The robots drive apart at 0.5 m/s from a distance of 5 m."""
    robot = localisation()
    for tenth in range(1, 26):
        robot.take_odometry((-0.05 * tenth, 0.0), 0.0, 0.1 * tenth)
        robot.hear(2, (5.0 + 0.05 * tenth, 0.0), estimate(5.0 + 0.05 * tenth), 0.1 * tenth)
    robot.take_sightings([Sighting(2, 5.0, bearing, age=2.5)], 2.5)
    robot.begin_round(2.5)
    (sent,) = robot.estimate.sightings
    assert sent.range == pytest.approx(7.5) and robot._counts['sightings_accepted'] == 1


def test_sighting_is_left_out_when_older_than_the_kept_odometry():
    robot = localisation()
    for second in range(1, 11):
        robot.take_odometry((0.1 * second, 0.0), 0.0, float(second))
    assert robot.take_sightings([Sighting(2, 5.0, age=5.1)], 10.0) == []
    assert robot._counts['sightings_late'] == 1
    assert len(robot.take_sightings([Sighting(2, 5.0, age=4.9)], 10.0)) == 1


@pytest.mark.parametrize('age', [-0.6, -1e9, 60.1, 1.7e9, math.inf])
def test_stamp_is_ignored_when_it_is_of_another_clock(age):
    robot = localisation()
    robot.take_sightings([Sighting(2, 5.0, age=age)], 0.1)
    robot.begin_round(0.1)
    assert robot._counts['stamps_ignored'] == robot._counts['sightings_accepted'] == 1


# What is taken in.

@pytest.mark.parametrize('wrong', [
    Sighting(2, math.nan, math.nan), Sighting(2, 0.0), Sighting(2, -1.0), Sighting(2, 1e5),
    Sighting(2, math.inf), Sighting(2, 1.0, math.inf), Sighting(2, 1.0, 7.0), Sighting(-1, 1.0),
    Sighting(1, 1.0)])
def test_sighting_is_counted_and_ignored_when_invalid(wrong):
    robot = localisation()
    assert robot.take_sightings([wrong, Sighting(2, 5.0)], 0.1) == [Sighting(2, 5.0)]
    robot.begin_round(0.2)
    assert robot._counts['measurements_rejected'] == 1
    assert [sighting.id for sighting in robot.estimate.sightings] == [2]


def test_sightings_of_a_robot_are_used_once_per_interval():
    robot = localisation()
    used = 0
    for tenth in range(1, 51):
        now = tenth / 10
        robot.take_sightings([Sighting(2, 5.0)], now)
        robot.begin_round(now)
        used += len(robot.estimate.sightings)
        robot.hear(2, (5.0, 0.0), THERE, now)
    assert used == robot._counts['sightings_accepted'] == 6, 'at 0.1 s, then each second'


def test_sighting_is_dropped_when_it_waits_longer_than_the_interval():
    robot = localisation()
    robot.take_sightings([Sighting(2, 5.0)], 0.1)
    robot.begin_round(1.2)
    assert robot.estimate.sightings == ()


def test_sightings_take_turns_when_a_message_does_not_hold_all():
    robot, others = localisation(), set(range(2, 2 + 2 * MOST_SENT))
    seen = set()
    for second in (1.0, 2.0):
        robot.take_sightings([Sighting(other, 3.0) for other in others], second)
        robot.begin_round(second)
        assert len(robot.estimate.sightings) == MOST_SENT
        seen |= {sighting.id for sighting in robot.estimate.sightings}
    assert seen == others


def dense(neighbours: int, of_other: list[float]) -> CooperativeSource:
    """Return robot 1 after 2 told each second a range of robot 3, 1 m away, and one of robot 1."""
    robot = localisation()
    for second, distance in enumerate(of_other):
        robot.take_odometry((0.0, 0.0), 0.0, float(second))
        for other in range(neighbours + 1, 1, -1):
            seen = (Sighting(3, distance), Sighting(1, 5.0)) if other == 2 else ()
            robot.hear(other, (other + 3.0, 0.0),
                       estimate(other + 3.0)._replace(sightings=seen), float(second))
    return robot


@pytest.mark.parametrize('neighbours, used', [(2, 6), (5, 6), (6, 3), (11, 3), (12, 3)])
def test_sightings_of_others_take_turns_when_there_are_many_neighbours(neighbours, used):
    assert dense(neighbours, 6 * [1.0])._counts['sightings_accepted'] == 6 + used


def test_every_sighting_of_others_is_used_in_turn_when_they_do_not_fit():
    counts = dense(12, [1.0, 1.0, 3.0, 3.1, 1.0, 1.0, 3.0])._counts
    assert counts['sightings_rejected'] == 2 and counts['sightings_accepted'] == 7 + 3


def reckoning(top_speed: float = 1.0) -> PoseSource:
    """Return robot 1, which goes by odometry alone."""
    return PoseSource(1, LocalisationParameters(), expiry=3.0, top_speed=top_speed,
                      counts=Counter())


def test_odometry_source_ignores_neighbours():
    robot = reckoning()
    assert robot.pose is None and robot.estimate is None and robot.deviation == math.inf
    robot.take_odometry((0.0, 0.0), 0.0, 0.0)
    robot.hear(2, (5.0, 0.0), THERE, 0.0)
    robot.take_odometry((0.5, 0.0), 0.0, 1.0)
    robot.begin_round(1.0)
    assert robot.distances(1.0) == [] and robot.pose == (0.5, 0.0, 0.0)
    assert robot.estimate.odometry is None and robot.estimate.deviation > 0.05


# Neighbours come and go.

def test_filter_holds_the_nearest_neighbours(monkeypatch):
    monkeypatch.setattr(cooperative, 'LOCALISED_NEIGHBOURS', 2)
    robot = localisation()
    robot.hear(3, (3.0, 0.0), estimate(3.0), 0.0)
    robot.hear(4, (4.5, 0.0), estimate(4.5), 0.0)
    assert robot.localised == [2, 3], 'not so much nearer that it takes the place of 2'
    robot.hear(5, (1.0, 0.0), estimate(1.0), 0.0)
    assert robot.localised == [3, 5]
    robot.hear(6, (8.0, 0.0), estimate(8.0), 0.0)
    assert robot.localised == [3, 5]


def test_neighbour_becomes_uncertain_and_is_forgotten_when_silent():
    robot = localisation()
    deviations = []
    for second in range(1, 10):
        robot.begin_round(float(second))
        deviations += [deviation for _, _, deviation in robot.distances(float(second))]
    assert deviations == sorted(deviations) and len(deviations) == 3
    assert robot.localised == [2]
    robot.begin_round(9.5)
    assert robot.localised == [] and robot.place_of(2) is None
    robot.hear(2, (2.0, 1.0), estimate(7.0), 60.0)
    assert robot.place_of(2) == (2.0, 1.0), 'it begins with its own estimate'


def test_neighbour_enters_with_at_least_the_initial_deviation():
    robot = localisation()
    robot.hear(3, (3.0, 0.0), Estimate((3.0, 0.0, 0.0), 0.0, 1e-3, 1e-3), 0.0)
    deviations = {other: deviation for other, _, deviation in robot.distances(0.0)}
    assert deviations[3] == pytest.approx(math.hypot(0.05, 0.05))


def test_neighbour_without_a_sensor_is_localised_by_its_observers():
    robot = localisation()
    for second in range(1, 6):
        now = float(second)
        robot.hear(2, (5.0 + 0.1 * second, 0.0), estimate(5.0 + 0.1 * second), now)
        robot.take_sightings([Sighting(2, 5.0 + 0.001 * second)], now)
        robot.begin_round(now)
    assert math.dist(robot.pose[:2], robot.place_of(2)) < 5.45, 'by odometry it is 5.5 m'


def test_distance_becomes_less_certain_when_ranges_contradict_it():
    sure, robot = localisation(), localisation()
    for each, measured in ((sure, 5.0), (robot, 9.0)):
        each.take_sightings([Sighting(2, measured)], 1.0)
        each.begin_round(1.0)
    [(_, distance, deviation)] = robot.distances(1.0)
    # The one range of 9 m counts as the gate, beside four right ones, for each of the two.
    factor = (4.0 + 10.83) / 5.0
    assert distance == pytest.approx(5.0)
    assert deviation == pytest.approx(factor * robot._filter.distance(1, 2, 1.0)[1])
    assert robot.relative(2, 1.0)[1] == pytest.approx(
        factor ** 2 * robot._filter.relative(1, 2, 1.0)[1])
    assert sure.distances(1.0)[0][2] < deviation


# Odometry that begins anew.

def test_pose_stays_and_becomes_uncertain_when_odometry_restarts():
    robot = localisation()
    robot.take_odometry((0.5, 0.0), 0.0, 1.0)
    robot.begin_round(1.0)
    before = robot.deviation
    robot.take_odometry((90.0, 50.0), 1.0, 1.1)
    robot.take_odometry((90.0, 50.0), 1.0, 1.2)
    robot.begin_round(1.2)
    assert robot.pose == pytest.approx((0.5, 0.0, 0.0)) and robot._counts['odometry_restarts'] == 1
    assert robot.estimate.odometry == pytest.approx((0.5, 0.0, 0.0)), 'others see no leap'
    assert before < 0.1 and robot.deviation > 1.0


def test_neighbour_enters_anew_when_its_odometry_leaps():
    robot = localisation()
    robot.hear(2, (5.2, 0.0), estimate(60.0), 1.0)
    assert robot._counts['odometry_leaps'] == 1 and robot.place_of(2) == (5.2, 0.0)


def test_dead_reckoning_has_the_deviation_of_noise_without_scale_errors() -> None:
    robot = reckoning(2.0)
    for second in range(31):
        robot.take_odometry((float(second), 0.0), 0.0, float(second))
        robot.begin_round(float(second))
    assert robot.deviation == pytest.approx(2.99, abs=0.01)
