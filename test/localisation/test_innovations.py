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

"""What innovations tell: the honesty of covariances, and the noise of odometry."""

import math

from hypothesis import given
from hypothesis import strategies as st
from leader_election.localisation.innovations import (
    ACCEPTABLE,
    Consistency,
    EXPECTED,
    FALL,
    GREATEST,
    Innovation,
    INTERVAL,
    NoiseAdaptation,
    RECENT,
    RecentConsistency,
    RISE,
    START,
    SURE,
    WrongIds,
)
from leader_election.localisation.updates import Outcome
from localisation.simulation import Neighbourhood
import numpy as np
import pytest

ROBOTS, SETTLED, DURATION = 5, 10, 60


@pytest.mark.parametrize('camera', [False, True])
def test_deviations_of_distances_cover_the_errors(camera):
    squares, swarms = [], []
    for seed in range(3):
        swarm = Neighbourhood(ROBOTS, seed, camera)
        found = []
        for second in swarm.run(DURATION):
            if second > SETTLED and second % 10 == 0:
                found += swarm.errors(range(1, ROBOTS + 1))[1]
        squares += found
        swarms.append(np.mean(found))
    assert 0.5 < np.mean(squares) < 2.0
    # Chi-square, 99.9 % of both sides: of 3 (5 - 1) + 1 independent numbers a moment, the
    # distances among five robots, taken ten seconds apart.
    number = 3 * (2 * ROBOTS - 3) * 5
    chi = number * np.mean(squares)
    assert abs(chi - number) < 3.3 * math.sqrt(2.0 * number) * 1.5
    assert max(swarms) < 3.0


@pytest.mark.parametrize('conditions', [
    {'loss': 0.3}, {'outliers': 0.4}, {'camera': True, 'loss': 0.3}])
def test_distances_stay_accurate_when_messages_are_lost_and_sightings_wrong(conditions):
    swarm = Neighbourhood(ROBOTS, 2, **conditions)
    errors = [error for _ in swarm.run(60) for error in swarm.errors(range(1, ROBOTS + 1))[0]]
    assert np.median(np.abs(errors)) < 0.15


def ranges(*errors):
    """Return innovations of ranges. Beyond the gate they are rejected."""
    return [Innovation(1, 2, error, math.nan, abs(error) < 3.29) for error in errors]


def test_factor_is_the_mean_square_over_the_low_quantile_of_chi_square():
    consistency = Consistency()
    assert consistency.factor == math.inf and not consistency.known
    consistency.take(ranges(*(1.0, -1.0) * 50), 1.0)
    assert consistency.mean == 1.0
    # scipy.stats.chi2.ppf(0.001, 100) is 61.918.
    assert consistency.factor == pytest.approx(100.0 / 61.918, rel=2e-3)


@given(st.integers(0, 2 ** 32 - 1), st.integers(50, 400))
def test_factor_exceeds_the_true_factor_at_its_level(seed, number):
    """At a level of 0.1 % three of 20 draws are below the true factor once in 900,000 cases."""
    rng, below = np.random.default_rng(seed), 0
    for draw in np.clip(rng.standard_normal((20, number)), -3.29, 3.29):
        consistency = Consistency()
        consistency.take(ranges(*draw.tolist()), 0.0)
        below += consistency.factor < 0.99
    assert below < 3


@given(st.integers(0, 2 ** 32 - 1))
def test_covariance_becomes_known_when_innovations_are_consistent(seed):
    consistency = Consistency()
    errors = 0.8 * np.random.default_rng(seed).standard_normal(3000)
    known = []
    for now, error in enumerate(errors.tolist()):
        consistency.take(ranges(error), float(now))
        known.append(consistency.known)
    assert all(known[1000:])


@given(st.integers(0, 2 ** 32 - 1))
def test_covariance_becomes_unknown_when_too_small_and_recovers(seed):
    """After 400 consistent innovations the errors double, and a fifth is rejected."""
    rng, consistency, now = np.random.default_rng(seed), Consistency(), 0.0
    for scale, number, known in ((0.8, 400, True), (2.0, 400, False), (0.8, 8000, True)):
        for error in (scale * rng.standard_normal(number)).tolist():
            now += 1.0
            consistency.take(ranges(error), now)
        assert consistency.known == known


def test_rejected_sighting_enters_the_statistics_with_the_gate():
    consistency = Consistency()
    consistency.take([Innovation(1, 2, 50.0, math.nan, False)], 0.0)
    assert consistency.mean == 10.83
    consistency.take([Innovation(1, 2, math.nan, 1.0, True)], 1.0)
    assert consistency.mean == pytest.approx(11.83 / 2)


def test_knowledge_stays_when_the_factor_is_between_the_limits():
    steady, fresh = Consistency(), Consistency()
    steady.take(ranges(*[0.9] * 2000), 0.0)
    assert steady.known and steady.factor < SURE
    while steady.factor < 1.01 * SURE:
        steady.take(ranges(2.0), 0.0)
    assert steady.known and steady.factor < ACCEPTABLE
    fresh.take(ranges(*[1.04] * 500), 0.0)
    assert SURE < fresh.factor < ACCEPTABLE and not fresh.known


def test_inconsistent_minute_is_forgotten_when_landmarks_are_seen():
    consistency = Consistency(half_life=60.0)
    consistency.take(ranges(*[3.0] * 100), 0.0)
    for second in range(1, 600):
        consistency.take(ranges(0.7, -0.7), float(second))
    assert consistency.known and consistency.mean < 0.6


def test_recent_factor_uses_the_last_sightings_of_a_robot():
    recent = RecentConsistency()
    assert recent.factor(1, 0.0) == 1.0, 'nothing is known'
    recent.take([Innovation(1, 2, 3.0, math.nan, True), Innovation(3, 1, 9.0, 2.0, False)], 10.0)
    seen = {1: (9.0 + 10.83 + 4.0, 3), 2: (9.0, 1), 3: (10.83 + 4.0, 2)}
    for robot, (squares, number) in seen.items():
        assert recent.factor(robot, 10.0) == (squares + EXPECTED) / (number + EXPECTED)
    squares, number = seen[1]
    assert recent.factor(1, 10.0 + RECENT) == pytest.approx(
        (squares / 2 + EXPECTED) / (number / 2 + EXPECTED))
    recent.keep([1, 3])
    assert recent.factor(2, 10.0) == 1.0 < recent.factor(3, 10.0)


@given(st.lists(st.floats(-1.0, 1.0), max_size=20))
def test_recent_factor_is_at_least_one(errors):
    recent = RecentConsistency()
    recent.take(ranges(*errors), 0.0)
    assert recent.factor(1, 1.0) == recent.factor(2, 0.0) == 1.0


# Adaptation of noise.

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


def test_noise_stays_when_errors_are_as_expected() -> None:
    found = after(10.0, {(2, 1): 1.0, (3, 1): -1.0, (4, 1): 1.0}, START)
    assert found.factor(1) == pytest.approx(START)


def test_noise_falls_slowly_to_the_parameters_when_errors_are_small() -> None:
    small = {(2, 1): 0.1, (3, 1): -0.1}
    assert after(INTERVAL / 60.0, small, START).factor(1) == pytest.approx(
        START * math.exp(-FALL))
    assert after(10.0, small, START).factor(1) == 1.0


def test_noise_rises_to_a_bound_when_errors_are_large() -> None:
    great = {(2, 1): 3.0, (3, 1): 3.0}
    once = after(INTERVAL / 60.0, great)
    assert once.factor(1) == pytest.approx(math.exp(RISE))
    assert after(30.0, great).factor(1) == pytest.approx(GREATEST)
    assert once.factor(77) == 1.0


def test_noise_of_both_robots_rises_when_only_their_pair_is_inconsistent() -> None:
    found = after(1.0, {(2, 1): 3.0})
    assert found.factor(1) == found.factor(2) > 1.0


@pytest.mark.parametrize(('successive', 'raised'), [(1, False), (4, True)])
def test_noise_rises_when_several_rejections_follow_each_other(
        successive: int, raised: bool) -> None:
    found = NoiseAdaptation(1.0)
    for now in range(600):
        accepted = now % (2 * successive) >= successive
        for observer in (2, 3, 4):
            found.note(observer, 1, outcome(1.0 if accepted else 20.0, accepted))
        found.adapt(float(now))
    assert (found.factor(1) > 1.0) == raised


def test_noise_of_others_stays_when_one_sensor_is_wrong() -> None:
    found = after(10.0, {(2, 1): 3.0, (2, 3): 3.0, (2, 4): 3.0,
                         (3, 1): 1.0, (4, 1): -1.0, (3, 4): 1.0})
    assert found.factor(1) == found.factor(3) == found.factor(4) == pytest.approx(1.0)
    assert found.factor(2) > 1.0


def test_noise_is_that_of_the_parameters_before_the_first_sighting() -> None:
    found = NoiseAdaptation()
    found.adapt(0.0)
    assert found.factor(1) == found.factor(2) == 1.0
    found.note(2, 1, outcome(1.0))
    assert found.factor(1) == found.factor(2) == pytest.approx(START)


def test_noise_starts_anew_when_a_robot_is_forgotten() -> None:
    found = after(10.0, {(2, 1): 3.0, (3, 1): 3.0})
    found.forget(1)
    assert found.factor(1) == 1.0


def test_wrong_ids_are_common_when_most_observers_have_rejections() -> None:
    wrong = WrongIds()
    for observer in (1, 2):
        wrong.note(observer, 10, 3, 0.0)
    for observer in (3, 4, 5):
        wrong.note(observer, 10, 1, 0.0)
    assert not wrong.are_common, 'a carried robot and the one that sees it most'
    wrong.note(3, 5, 2, 0.0)
    assert wrong.are_common
    wrong.note(3, 20, 0, 600.0)
    assert not wrong.are_common, 'that was long ago'


def test_wrong_ids_are_not_common_when_few_sightings_tell() -> None:
    wrong = WrongIds()
    wrong.note(1, 5, 5, 0.0)
    assert not wrong.are_common
    wrong.note(2, 0, 0, 0.0)
    wrong.note(1, 5, 5, 0.0)
    assert wrong.are_common
    wrong.forget(1)
    wrong.note(2, 9, 0, 0.0)
    assert not wrong.are_common
