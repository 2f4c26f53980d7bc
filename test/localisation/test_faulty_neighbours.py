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
"""
Faults of one robot: the distances among the others stay good.

Each lie is told in swarms with ranges all round and in swarms with cameras. The distances among
the honest robots stay as good as where nobody lies, but for a factor.
"""

from collections.abc import Callable
from functools import cache
import math
import random

from leader_election.localisation.poses import compose, wrap
from leader_election.localisation.sighting import Sighting
from localisation.simulation import honest, Lie, Neighbourhood, Told
import numpy as np
import pytest

ROBOTS = 6
HONEST = range(1, ROBOTS)
FACTOR = 1.6
"""By which the error of the honest robots' distances may grow."""
ALL = range(1, 6)


def moved(told: Told, x: float, y: float) -> Told:
    """Return a message with displaced odometry [m]."""
    place, estimate = told
    return place, estimate._replace(odometry=compose((x, y, 0.0), estimate.odometry))


def seen(told: Told, change: Callable[[Sighting], float]) -> Told:
    """Return a message with changed ranges [m]."""
    place, estimate = told
    return place, estimate._replace(sightings=tuple(
        sighting._replace(range=max(change(sighting), 0.05)) for sighting in estimate.sightings))


def slides(now: float, receiver: int, told: Told) -> Told:
    """Let odometry slide away slowly."""
    return moved(told, 0.2 * now, 0.0)


def jumps(now: float, receiver: int, told: Told) -> Told:
    """Let odometry jump to and fro."""
    draw = random.Random(int(now))
    return moved(told, draw.uniform(-2.0, 2.0), draw.uniform(-2.0, 2.0))


def leaps(now: float, receiver: int, told: Told) -> Told:
    """Begin anew all the time, each time at another place, and very sure of it."""
    (x, y), estimate = moved(told, 100.0 * now, 0.0)
    return (x + 0.4, y), estimate._replace(deviation=1e-3, heading_deviation=1e-3)


def is_elsewhere(now: float, receiver: int, told: Told) -> Told:
    """Claim to be two metres aside, and very sure of it."""
    (x, y), estimate = moved(told, 2.0, 0.0)
    return (x + 2.0, y), estimate._replace(deviation=1e-3, heading_deviation=1e-3)


def lengthens(now: float, receiver: int, told: Told) -> Told:
    """See all others a metre too far away."""
    return seen(told, lambda sighting: sighting.range + 1.0)


def maligns_one(now: float, receiver: int, told: Told) -> Told:
    """See one robot a metre too far away."""
    return seen(told, lambda sighting: sighting.range + (sighting.id == 1))


def turns_round(now: float, receiver: int, told: Told) -> Told:
    """See all others in the wrong direction."""
    place, estimate = told
    return place, estimate._replace(sightings=tuple(
        sighting if math.isnan(sighting.bearing)
        else sighting._replace(bearing=wrap(sighting.bearing + 0.5))
        for sighting in estimate.sightings))


@cache
def lied_to(lie: Lie, camera: bool) -> tuple[float, Neighbourhood]:
    """Return the RMS of the errors of honest robots' distances to each other [m], and the end."""
    swarm = Neighbourhood(ROBOTS, 0, camera, lie)
    errors = [error for second in swarm.run(20) if second > 5.0
              for error in swarm.errors(HONEST)[0]]
    return float(np.sqrt(np.mean(np.square(errors)))), swarm


@pytest.mark.parametrize(('lie', 'camera'), [
    *((lie, False) for lie in (slides, jumps, leaps, is_elsewhere, lengthens, maligns_one)),
    (lengthens, True), (turns_round, True)])
def test_distances_among_honest_robots_stay_accurate_when_one_lies(lie, camera):
    assert lied_to(lie, camera)[0] < FACTOR * lied_to(honest, camera)[0]


def test_sightings_are_ignored_when_their_observer_was_just_carried():
    _, swarm = lied_to(jumps, False)
    for robot in HONEST:
        assert swarm.counts[robot]['robots_carried_off'] >= 1
        assert swarm.counts[robot]['sightings_distrusted'] > 0


@pytest.mark.parametrize('camera', [False, True])
def test_no_sensor_is_distrusted_when_nobody_lies(camera):
    _, swarm = lied_to(honest, camera)
    assert not any(counts['sightings_distrusted'] for counts in swarm.counts.values())


class Misreading(Neighbourhood):
    """A swarm with cameras, which often take one robot for another."""

    def sightings(self, robot):
        draw = random.Random(f'{robot} {self.now}')
        return [sighting._replace(id=draw.choice([
            other for other in self.robots if other not in (robot, sighting.id)]))
            if draw.random() < 0.2 else sighting for sighting in super().sightings(robot)]


def test_distances_stay_accurate_when_one_in_five_ids_is_wrong():
    right, wrong = (
        np.sqrt(np.mean([error ** 2 for second in swarm.run(40) if second > 5.0
                         for error in swarm.errors(ALL)[0]]))
        for swarm in (kind(len(ALL), 3, True, reach=8.0) for kind in (Neighbourhood, Misreading)))
    assert wrong < FACTOR * right


class Elsewhere(Neighbourhood):
    """Five robots with cameras, of which 4 and 5 are not where they say that they start."""

    def take_odometry(self, robot: int) -> None:
        if self.now == 0.0 and robot > 3:
            x, y, yaw = self.odometry[robot]
            self.odometry[robot] = x + 2.0, y - 1.5, wrap(yaw + 1.0)
        super().take_odometry(robot)


def test_two_of_five_robots_are_found_when_they_start_elsewhere():
    swarm = Elsewhere(len(ALL), 1, True, reach=8.0)
    errors = [rms_error(swarm) for _ in swarm.run(20)]
    assert max(errors) > 1.0 and max(errors[-5:]) < 0.4


# Faults that come and go: a robot off with new odometry, two minutes without sightings.

BEGIN, RESTARTED = 30.0, 3


class Interrupted(Neighbourhood):
    """A swarm that is interrupted for a time: one robot is off, or no robot sees anything."""

    def __init__(self, seed: int, camera: bool, duration: float, is_off: bool) -> None:
        super().__init__(len(ALL), seed, camera, reach=8.0)
        self.end, self._is_off = BEGIN + duration, is_off
        self._start = self.odometry[RESTARTED]

    @property
    def interrupted(self) -> bool:
        return BEGIN <= self.now < self.end

    def _drive(self, robot: int) -> None:
        if self._is_off and robot == RESTARTED and self.now == self.end:
            # Its odometry begins anew, where it was switched on the first time.
            self.robots[robot] = self.localisation(robot)
            self.odometry[robot] = self._start
        super()._drive(robot)

    def sightings(self, robot):
        return [] if self.interrupted and not self._is_off else super().sightings(robot)

    def _round(self, robot: int) -> None:
        if not (self.interrupted and self._is_off and robot == RESTARTED):
            super()._round(robot)


def rms_error(swarm: Neighbourhood) -> float:
    """Return the RMS of the errors of all distances [m]."""
    return float(np.sqrt(np.mean(np.square(swarm.errors(ALL)[0]))))


@pytest.mark.parametrize(('seed', 'camera'), [(2, False), (3, False), (1, True)])
def test_robot_is_found_when_its_odometry_restarts_elsewhere(seed, camera):
    swarm = Interrupted(seed, camera, 15.0, is_off=True)
    errors = {second: rms_error(swarm) for second in swarm.run(swarm.end + 40.0)}
    before = max(errors[second] for second in errors if 20.0 < second < BEGIN)
    assert errors[swarm.end + 1.0] > 1.5 * before, 'it is elsewhere'
    assert all(errors[second] < 1.5 * before for second in errors if second > swarm.end + 30.0)


@pytest.mark.parametrize('seed', [1, 6])
def test_robot_that_was_off_for_a_minute_is_found_by_its_first_sightings(seed):
    swarm = Interrupted(seed, True, 60.0, is_off=True)
    errors = {second: rms_error(swarm) for second in swarm.run(swarm.end + 8.0)}
    assert errors[swarm.end + 1.0] > 0.5, 'it is elsewhere'
    assert all(errors[second] < 0.25 for second in errors if second >= swarm.end + 3.0)


def test_deviation_covers_the_error_after_two_minutes_without_sightings():
    swarm = Interrupted(2, False, 120.0, is_off=False)
    for second in swarm.run(swarm.end - 1.0):
        if second == BEGIN - 1.0:
            before = rms_error(swarm)
    deviations = [deviation for _, _, deviation in swarm.robots[1].distances(swarm.now)]
    assert len(deviations) == len(ALL) - 1
    assert 2.0 * before < rms_error(swarm) < 2.0 * max(deviations)
