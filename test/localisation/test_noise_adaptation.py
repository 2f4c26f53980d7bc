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

"""Odometry that is worse than its parameters say: more noise, and wheels that slip."""

import math

from leader_election.localisation.noise import odometry_covariance
from leader_election.localisation.noise_adaptation import (
    FALL,
    GREATEST,
    INTERVAL,
    NoiseAdaptation,
    RISE,
    START,
)
from leader_election.localisation.parameters import LocalisationParameters
from leader_election.localisation.updates import Outcome
from localisation.simulation import Neighbourhood
import numpy as np
import pytest

ROBOTS, BEFORE = 5, 30.0


def outcome(error: float, accepted: bool = True) -> Outcome:
    """Return a range that tells of poses alone."""
    return Outcome(error, math.nan, accepted, 1.0)


def after(minutes: float, errors: dict[tuple[int, int], float],
          begin: float = 1.0) -> NoiseAdaptation:
    """Return factors after sightings with normalised errors, by observer and seen."""
    found = NoiseAdaptation(begin)
    for now in range(round(60.0 * minutes)):
        found.adapt(float(now))
        for pair, error in errors.items():
            found.note(*pair, outcome(error))
    found.adapt(60.0 * minutes + INTERVAL)
    return found


def test_errors_as_expected_leave_the_noise_as_it_is() -> None:
    found = after(10.0, {(2, 1): 1.0, (3, 1): -1.0, (4, 1): 1.0}, START)
    assert found.factor(1) == pytest.approx(START)


def test_small_errors_lower_the_noise_slowly_to_that_of_the_parameters() -> None:
    small = {(2, 1): 0.1, (3, 1): -0.1}
    assert after(INTERVAL / 60.0, small, START).factor(1) == pytest.approx(
        START * math.exp(-FALL))
    assert after(10.0, small, START).factor(1) == 1.0


def test_great_errors_raise_the_noise_step_by_step_to_a_bound() -> None:
    great = {(2, 1): 3.0, (3, 1): 3.0}
    once = after(INTERVAL / 60.0, great)
    assert once.factor(1) == pytest.approx(math.exp(RISE))
    assert after(30.0, great).factor(1) == pytest.approx(GREATEST)
    assert once.factor(77) == 1.0


def test_slip_that_one_robot_alone_measures_raises_the_noise_of_both() -> None:
    found = after(1.0, {(2, 1): 3.0})
    assert found.factor(1) == found.factor(2) > 1.0


@pytest.mark.parametrize(('successive', 'raised'), [(1, False), (4, True)])
def test_rejected_sightings_raise_the_noise_if_one_follows_another(
        successive: int, raised: bool) -> None:
    found = NoiseAdaptation(1.0)
    for now in range(600):
        accepted = now % (2 * successive) >= successive
        for observer in (2, 3, 4):
            found.note(observer, 1, outcome(1.0 if accepted else 20.0, accepted))
        found.adapt(float(now))
    assert (found.factor(1) > 1.0) == raised


def test_the_factor_is_of_distances_and_not_of_turns() -> None:
    table = LocalisationParameters()
    way, turn = (2.0, 0.0, 0.0), (0.0, 0.0, 2.0)
    assert odometry_covariance(way, 0.0, table, 4.0)[0, 0] == pytest.approx(
        4.0 * odometry_covariance(way, 0.0, table)[0, 0])
    assert (odometry_covariance(way, 0.0, table, 4.0)[2] == odometry_covariance(
        way, 0.0, table)[2]).all()
    assert (odometry_covariance(turn, 0.0, table, 4.0) == odometry_covariance(
        turn, 0.0, table)).all()


def test_one_wrong_sensor_does_not_raise_the_noise_of_those_that_it_sees() -> None:
    found = after(10.0, {(2, 1): 3.0, (2, 3): 3.0, (2, 4): 3.0,
                         (3, 1): 1.0, (4, 1): -1.0, (3, 4): 1.0})
    assert found.factor(1) == found.factor(3) == found.factor(4) == pytest.approx(1.0)
    assert found.factor(2) > 1.0


def test_noise_is_that_of_the_parameters_until_there_are_sightings() -> None:
    found = NoiseAdaptation()
    found.adapt(0.0)
    assert found.factor(1) == found.factor(2) == 1.0
    found.note(2, 1, outcome(1.0))
    assert found.factor(1) == found.factor(2) == pytest.approx(START)


def test_a_robot_that_is_forgotten_begins_anew() -> None:
    found = after(10.0, {(2, 1): 3.0, (3, 1): 3.0})
    found.forget(1)
    assert found.factor(1) == 1.0


class Held(Neighbourhood):
    """Robots that range each other; the first is held from 30 s to 75 s, and its wheels turn."""

    def _drive(self, robot: int) -> None:
        before = self.truth[robot]
        super()._drive(robot)
        if robot == 1 and BEFORE <= self.now < 75.0:
            self.truth[robot] = before


@pytest.mark.parametrize('seed', [1, 2])
def test_a_robot_that_is_held_blames_its_own_odometry_and_not_the_ranges(seed: int) -> None:
    swarm = Held(ROBOTS, seed)
    errors = [error for now in swarm.run(120) if now > BEFORE
              for error in swarm.errors(range(1, ROBOTS + 1))[0]]
    # Without this 472 and 479 ranges were rejected, and errors were 0.38 m and 0.57 m.
    assert sum(counts['sightings_rejected'] for counts in swarm.counts.values()) < 200
    assert np.sqrt(np.mean(np.square(errors))) < 0.3
