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
from itertools import product
import math

from leader_election.localisation.late_sightings import LateSightings
from leader_election.localisation.neighbourhood_filter import NeighbourhoodFilter
from leader_election.localisation.own_sightings import Track, WaitingSighting
from leader_election.localisation.parameters import LocalisationParameters
from leader_election.localisation.pose_estimates import factor_rows, SIZE
from leader_election.localisation.poses import compose, PlanePose
from leader_election.localisation.repeated_sightings import RepeatedSightings
from leader_election.localisation.sighting import Sighting
from localisation.simulation import Neighbourhood
import numpy as np
import pytest

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


def test_equal_reading_is_used_when_robots_stand_still():
    sensor = RepeatedSightings()
    assert not any(sensor.is_repeated(Sighting(2, 1.5, 0.1), (0.001 * (k % 2), 0.0, 0.0), HERE)
                   for k in range(100))


class Lying(Neighbourhood):
    """
    Robots with cameras, of which the last one repeats from 60 s on what it saw.

    :ivar again: whether a series, for 55 s, or its last frame, for 100 s, ``None`` if it does not.
    """

    again: bool | None = None

    def sightings(self, robot: int) -> list[Sighting]:
        """Return the present sightings of a robot, or those that its sensor repeats."""
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


def test_estimates_stay_when_a_sensor_repeats_its_reading():
    worst = dict.fromkeys((None, False, True), 0.0)
    repeated = Counter[bool | None]()
    # Without sensors to the outside the frame of all drifts, in each swarm to another side.
    for seed, again in product(range(2), worst):
        swarm = Lying(5, seed, camera=True)
        swarm.again = again
        worst[again] += max(swarm.off() for _ in swarm.run(190)) / 2
        repeated[again] += swarm.counts[5]['sightings_repeated']
    assert min(repeated[False], repeated[True]) > 40 + 3 * repeated[None]
    assert max(worst[False], worst[True]) < worst[None] + 0.3
