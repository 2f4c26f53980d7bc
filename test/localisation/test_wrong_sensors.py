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

"""Sensors that contradict the others: noisy readings that stay the same, and trust."""

from collections import Counter
import math
import random

from leader_election.localisation.localisation import Estimate, Localisation
from leader_election.localisation.parameters import LocalisationParameters
from leader_election.localisation.rejections import Rejections, SensorTrust
from leader_election.localisation.repeated_sightings import StillReadings
from leader_election.localisation.sighting import Sighting
from localisation.simulation import Neighbourhood
import pytest

HERE = (0.0, 0.0, 0.0)


def judged(turn: float, way: float, gap: float = 1.0, bearing: float = 0.0) -> list[bool]:
    """Return when readings of one place count as still, of an observer that turns."""
    sensor = StillReadings(LocalisationParameters())
    return [sensor.pose_without(
        Sighting(2, 2.0 + 0.1 * (k % 2), bearing * k), (0.0, 0.0, turn * k), HERE, way * k,
        gap * k) is not None for k in range(12)]


def test_readings_that_do_not_follow_a_turn_are_still():
    assert judged(0.3, 0.1)[:4] == [False] * 4
    assert all(judged(0.3, 0.1)[8:])


@pytest.mark.parametrize('setting', [
    {'turn': 0.0, 'way': 0.1}, {'turn': 0.3, 'way': 0.7}, {'turn': 0.3, 'way': 0.1, 'gap': 4.0},
    {'turn': 0.3, 'way': 0.1, 'bearing': -0.3}])
def test_readings_with_a_reason_to_stay_the_same_or_that_change_are_not(setting):
    assert not any(judged(**setting))


def test_a_robot_beyond_the_filter_may_keep_pace():
    """How far it drives is not known: it is not heard, or farther than the localised ones."""
    draw = random.Random(0)
    robot = Localisation(1, LocalisationParameters(), cooperates=True, expiry=3.0, top_speed=1.0,
                         counts=Counter())
    for k in range(60):
        robot.take_odometry((0.3 * k, 0.0, 0.0), 1.0 * k)
        robot.take_sightings([Sighting(9, draw.gauss(1.0, 0.02), 1.5)], 1.0 * k)
        robot.begin_round(1.0 * k)
        assert robot.distrusted == []


def test_a_robot_that_is_localised_again_may_have_driven_meanwhile():
    sensor = StillReadings(LocalisationParameters())
    assert not any(sensor.pose_without(
        Sighting(2, 1.0, 1.5 + 0.01 * (k % 2)), (0.3 * k, 0.0, 0.0), HERE,
        0.3 * (k % 6), 1.0 * k) for k in range(24))


def test_a_sensor_is_wrong_where_others_see_its_robot_as_expected():
    rejections, trust = Rejections(), SensorTrust()
    for k in range(4):
        rejections.note(1, 2, k, True)
        assert not rejections.is_of_sensor(1)
    for k in range(2):
        rejections.note(3, 1, 4.0 + k, False)
    assert rejections.is_of_sensor(1) and not rejections.is_of_sensor(2)
    trust.distrust(1)
    for k in range(8):
        assert trust.distrusted == [1]
        trust.judge(1, k > 1)
    assert trust.distrusted == []


def test_a_sensor_is_believed_again_by_right_readings_that_change_not_by_one_that_stays():
    robot = Localisation(1, LocalisationParameters(), cooperates=True, expiry=3.0, top_speed=1.0,
                         counts=Counter())

    def hear(k: int, y: float) -> None:
        robot.take_odometry(HERE, 1.0 * k)
        robot.hear(2, (2.0, y), Estimate((2.0, y, 0.0), 0.0, 0.1, 0.1, (Sighting(
            1, math.hypot(2.0, y) + 0.01 * (k % 2), math.atan2(-y, -2.0)),)), 1.0 * k)

    hear(0, 0.0)
    robot._filter.trust.distrust(2)
    for k in range(1, 30):
        hear(k, 0.0)
        assert robot.distrusted == [2]
    for k in range(30, 38):
        hear(k, 0.6 * (k % 2))
    assert robot.distrusted == []


class Noisy(Neighbourhood):
    """Robots with cameras; from 60 s to 160 s the last one repeats a frame, with noise on it."""

    def sightings(self, robot: int) -> list[Sighting]:
        """Return what a robot sees now, or what its sensor repeats."""
        seen = super().sightings(robot)
        if robot == self.liar:
            frame = self.__dict__.setdefault('frame', [])
            if self.now < 60.0:
                frame[:] = seen or frame
            elif self.now < 160.0:
                return [each._replace(range=each.range + float(self.rng.normal(0.0, 0.05)),
                                      bearing=each.bearing + float(self.rng.normal(0.0, 0.02)))
                        for each in frame]
        return seen


def test_the_damage_of_a_noisy_frozen_camera_stays_with_its_robot():
    errors, swarm = [], Noisy(5, 0, camera=True)
    for now in swarm.run(200):
        if 60.0 < now:
            errors += swarm.errors(range(1, 5))[0]
    assert math.sqrt(sum(error ** 2 for error in errors) / len(errors)) < 0.3
    assert swarm.counts[1]['sightings_distrusted'] > 30
