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

"""Repeated readings: what is recognised, and what is not taken for repeated."""

from collections import Counter
from collections.abc import Callable
from itertools import product
import math

from leader_election.localisation.repeated_sightings import RepeatedSightings
from leader_election.localisation.sighting import Sighting
from localisation.simulation import Neighbourhood, Told
import numpy as np
import pytest

HERE = (0.0, 0.0, 0.0)


def test_an_equal_reading_of_a_robot_that_moved_is_repeated():
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


def test_an_earlier_series_at_another_pose_is_repeated_from_its_second_reading_on():
    sensor = RepeatedSightings()
    series = [Sighting(2 + k % 3, 1.0 + 0.1 * k, 0.05 * k) for k in range(20)]
    assert not any(sensor.is_repeated(each, (0.1 * k, 0.0, 0.0), None)
                   for k, each in enumerate(series))
    again = [sensor.is_repeated(each, (5.0 + 0.1 * k, 0.0, 0.0), None)
             for k, each in enumerate(series[3:])]
    assert again == [False, *[True] * 16]


def test_old_readings_are_forgotten():
    sensor = RepeatedSightings(memory=10)
    series = [Sighting(2, 1.0 + 0.1 * k) for k in range(12)]
    for k, each in enumerate(series * 2):
        assert not sensor.is_repeated(each, (k, 0.0, 0.0), None)


@pytest.mark.parametrize('bearings', [False, True])
@pytest.mark.parametrize('noise', [0.0, 0.1])
def test_a_sensor_that_quantises_to_a_centimetre_and_a_degree_is_used(bearings, noise):
    repeated = 0
    for seed in range(50):
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
    assert repeated <= (0.005 if noise else 0.03) * 50 * 200


def test_robots_that_stand_still_are_seen():
    sensor = RepeatedSightings()
    assert not any(sensor.is_repeated(Sighting(2, 1.5, 0.1), (0.001 * (k % 2), 0.0, 0.0), HERE)
                   for k in range(100))


class Lying(Neighbourhood):
    """
    Robots with cameras, of which the last one repeats from 60 s on what it saw.

    :ivar again: whether a series, for 55 s, or its last frame, for 100 s; ``None``: it does not.
    """

    again: bool | None = None

    def sightings(self, robot: int) -> list[Sighting]:
        """Return what a robot sees now, or what its sensor repeats."""
        seen = super().sightings(robot)
        frames = self.__dict__.setdefault('frames', {})
        if robot == self.liar and self.again is not None:
            frames[self.now] = seen
            if 60.0 <= self.now < (115.0 if self.again else 160.0):
                return frames[self.now - 55.0] if self.again else next(
                    frame for time, frame in reversed(frames.items()) if time < 60.0 and frame)
        return seen

    def off(self) -> float:
        """Return the greatest error of a robot's own position [m]."""
        return max(math.dist(own.pose[:2], self.truth[robot][:2])
                   for robot, own in self.robots.items())


def test_a_sensor_that_repeats_itself_leaves_the_swarm_where_it_is():
    worst = dict.fromkeys((None, False, True), 0.0)
    repeated = Counter[bool | None]()
    # Without sensors to the outside the frame of all drifts, in each swarm to another side.
    for seed, again in product(range(3), worst):
        swarm = Lying(5, seed, camera=True)
        swarm.again = again
        worst[again] += max(swarm.off() for _ in swarm.run(190)) / 3
        repeated[again] += swarm.counts[5]['sightings_repeated']
    assert min(repeated[False], repeated[True]) > 60 + 3 * repeated[None]
    assert max(worst[False], worst[True]) < worst[None] + 0.3


def frozen(first: dict[int, tuple[Sighting, ...]]) -> Callable[[float, int, Told], Told]:
    """Tell the sightings of a moment, from 60 s on."""
    def lie(now: float, receiver: int, told: Told) -> Told:
        if now < 60.0 or not first:
            first[0] = told[1].sightings or first.get(0, ())
            return told
        return told[0], told[1]._replace(sightings=first[0])
    return lie


def test_repeated_sightings_in_the_messages_of_an_earlier_version_are_not_used():
    swarm = Neighbourhood(5, 0, camera=True, lie=frozen({}))
    for _ in swarm.run(160):
        pass
    for robot in range(1, 5):
        assert swarm.counts[robot]['sightings_repeated'] > 80
        assert math.dist(swarm.robots[robot].pose[:2], swarm.truth[robot][:2]) < 1.0
