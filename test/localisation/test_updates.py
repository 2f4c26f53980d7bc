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


"""Updates by sightings: the same as the equations with whole matrices give."""

from collections.abc import Sequence
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
from leader_election.localisation.parameters import LocalisationParameters
from leader_election.localisation.pose_estimates import from_invariant, OFFSET, pose_rows, SIZE
from leader_election.localisation.poses import Array, wrap
from leader_election.localisation.sighting import range_variance
from leader_election.localisation.updates import (
    Earlier,
    GATES,
    ITERATIONS,
    LANDMARK,
    Measurement,
    Outcome,
    update,
)
from localisation.simulation import Neighbourhood
import numpy as np
import pytest

NOISE = LocalisationParameters()
NONE = math.nan
PLACE = (6.0, -2.0)


def swarm(robots: int = 4, deviation: float = 0.1) -> tuple[Array, Array]:
    """Return a state and a covariance in which everything depends on everything."""
    draw = np.random.default_rng(robots)
    size = SIZE * robots
    state = draw.uniform(-3.0, 3.0, size)
    state[OFFSET::SIZE] *= 0.05
    root = draw.normal(size=(size, size)) * deviation / math.sqrt(size)
    covariance = root @ root.T + 1e-4 * np.eye(size)
    return state, _transformed(np.linalg.inv(plain(state)), covariance)


def plain(state: Array) -> Array:
    """Return the derivatives of errors of the state by invariant ones, shape (n, n)."""
    found = np.eye(len(state))
    for first in range(0, len(state), SIZE):
        rows = pose_rows(first)
        found[rows, rows] = from_invariant(*state[first:first + 2])
    return found


def _transformed(by: Array, covariance: Array) -> Array:
    found: Array = by @ covariance @ by.T
    return (found + found.T) / 2.0


def expected(state: Array, line: Measurement) -> tuple[Array, Array]:
    """
    Return range and bearing, shape (2,), and their derivatives by the state, shape (2, n).

    Offsets lengthen a range without a bearing, which a radio measures.
    """
    there = line.place if line.there == LANDMARK else state[line.there:line.there + 2]
    x, y = there - state[line.here:line.here + 2]
    square = x * x + y * y
    rows = np.zeros((2, len(state)))
    by_place = np.array(((x, y), (-y / math.sqrt(square), x / math.sqrt(square))))
    by_place /= math.sqrt(square)
    rows[:, line.here:line.here + 2] = -by_place
    rows[1, line.here + 2] = -1.0
    if line.there != LANDMARK:
        rows[:, line.there:line.there + 2] = by_place
    length = math.sqrt(square)
    if math.isnan(line.bearing):
        for first in {line.here, line.there} - {LANDMARK}:
            rows[0, first + OFFSET] = 1.0
            length += state[first + OFFSET]
    return np.array((length, math.atan2(y, x) - state[line.here + 2])), rows


def by_matrices(state: Array, covariance: Array, lines: Sequence[Measurement],
                iterations: int) -> tuple[Array, Array, float]:
    """
    Return state, covariance and squared normalised error of an iterated Kalman update.

    All of it is computed, and returned, with errors of x, y and yaw.
    """
    covariance = _transformed(plain(state), covariance)
    given = ~np.isnan([number for line in lines for number in (line.range, line.bearing)])
    measured = np.array([number for line in lines for number in (line.range, line.bearing)])
    bends, variances = [], []
    for line in lines:
        _, rows = expected(state, line)
        length = 1.0 / math.hypot(*rows[1, line.here:line.here + 2])
        across = rows[1].copy()
        across[line.here + 2] = 0.0
        # In the shared frame, or in that of the observer.
        bend = min(float(side @ covariance @ side) for side in (across, rows[1])) * length / 2.0
        bends += [bend, 0.0]
        variances += [
            (range_variance(length, NOISE) if math.isnan(line.range_deviation)
             else line.range_deviation ** 2) + 2.0 * bend ** 2 + line.stale,
            (NOISE.bearing_noise if math.isnan(line.bearing_deviation)
             else line.bearing_deviation) ** 2 + line.stale / length ** 2]
    step, square = np.zeros(len(state)), math.nan
    for _ in range(iterations):
        told = [expected(state + step, line) for line in lines]
        rows = np.vstack([derivatives for _, derivatives in told])[given]
        error = measured - np.concatenate([numbers for numbers, _ in told]) - bends
        error[1::2] = [wrap(angle) for angle in error[1::2]]
        innovation = error[given] + rows @ step
        total = rows @ covariance @ rows.T + np.diag(variances)[np.ix_(given, given)]
        gain = np.linalg.solve(total, rows @ covariance).T
        if math.isnan(square):
            square = float(innovation @ np.linalg.solve(total, innovation))
        step = gain @ innovation
    return state + step, covariance - gain @ rows @ covariance, square


@pytest.mark.parametrize('there', [2 * SIZE, LANDMARK])
@pytest.mark.parametrize('off', [(0.1, NONE), (NONE, -0.05), (-0.08, 0.04)])
@pytest.mark.parametrize('deviations', [(NONE, NONE), (0.3, NONE), (0.05, 0.1)])
def test_update_equals_an_iterated_update_by_whole_matrices(
        there: int, off: tuple[float, float], deviations: tuple[float, float]) -> None:
    state, covariance = swarm()
    line = Measurement(SIZE, there, PLACE, NONE, off[1], 0.002, *deviations)
    near, _ = expected(state, line)
    line = line._replace(range=near[0] + off[0], bearing=wrap(near[1] + off[1]))
    new, less, square = by_matrices(
        state, covariance, [line], 1 if math.isnan(off[1]) else ITERATIONS)
    before = state.copy()
    outcome = update(state, covariance, line, NOISE)
    assert outcome.accepted and square < GATES[1]
    assert math.isnan(outcome.range) == math.isnan(off[0])
    assert math.isnan(outcome.bearing) == math.isnan(off[1])
    np.testing.assert_allclose(state, new, rtol=0.0, atol=1e-12)
    np.testing.assert_allclose(
        _transformed(plain(before), covariance), less, rtol=0.0, atol=1e-13)
    assert np.array_equal(covariance, covariance.T)


@pytest.mark.parametrize('accepted', [True, False])
def test_gate_judges_range_and_bearing_together(accepted: bool) -> None:
    state, covariance = swarm()
    before = state.copy(), covariance.copy()
    line = Measurement(0, 2 * SIZE, PLACE, NONE, NONE, 0.0)
    near, _ = expected(state, line)

    def off(scale: float) -> Measurement:
        return line._replace(range=near[0] + scale, bearing=wrap(near[1] - scale))
    low, high = 0.0, 3.0
    for _ in range(40):
        middle = (low + high) / 2.0
        inside = by_matrices(state, covariance, [off(middle)], 1)[2] <= GATES[2]
        low, high = (middle, high) if inside else (low, middle)
    outcome = update(state, covariance, off(low - 1e-6 if accepted else high + 1e-6), NOISE)
    assert outcome.accepted == accepted
    assert np.array_equal(state, before[0]) != accepted
    assert np.array_equal(covariance, before[1]) != accepted


def test_wrong_pose_does_not_pass_for_the_offset_of_a_radio() -> None:
    state, covariance = np.zeros(2 * SIZE), 1e-4 * np.eye(2 * SIZE)
    state[SIZE] = 2.0
    covariance[OFFSET, OFFSET] = covariance[SIZE + OFFSET, SIZE + OFFSET] = 1.0
    line = Measurement(0, SIZE, PLACE, 3.0, NONE, 0.0)
    outcome = update(state, covariance, line, NOISE)
    assert outcome.range ** 2 < 1.0 and not outcome.accepted
    assert update(state, covariance, line._replace(range=2.3), NOISE).accepted
    assert state[OFFSET] == pytest.approx(0.15, abs=0.01)


def test_earlier_sighting_changes_errors_as_at_the_earlier_poses() -> None:
    state, covariance = swarm()
    line = Measurement(0, 2 * SIZE, PLACE, 2.5, 0.5, 0.001)
    late = line._replace(earlier=Earlier((0.3, -0.2, 0.4), (-0.1, 0.2)))
    then, other = state.copy(), covariance.copy()
    then[:3] += late.earlier.observer
    then[2 * SIZE:2 * SIZE + 2] += late.earlier.target
    assert update(state, covariance, late, NOISE) == pytest.approx(
        update(then, other, line, NOISE), rel=1e-12)
    np.testing.assert_allclose(covariance, other, rtol=0.0, atol=1e-13)


def test_update_stays_finite_when_robots_are_at_the_same_place() -> None:
    for bearing in (NONE, 1.0):
        state, covariance = swarm()
        state[12:14] = state[:2]
        update(state, covariance, Measurement(0, 2 * SIZE, PLACE, 0.05, bearing, 0.0), NOISE)
        assert np.isfinite(state).all() and np.isfinite(covariance).all()


ROBOTS, SETTLED, DURATION = 5, 10, 40


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
    number = 3 * (2 * ROBOTS - 3) * 3
    chi = number * np.mean(squares)
    assert abs(chi - number) < 3.3 * math.sqrt(2.0 * number) * 1.5
    assert max(swarms) < 3.0


@pytest.mark.parametrize('conditions', [{'outliers': 0.4}, {'camera': True, 'loss': 0.3}])
def test_distances_stay_accurate_when_messages_are_lost_and_sightings_wrong(conditions):
    swarm = Neighbourhood(ROBOTS, 2, **conditions)
    errors = [error for _ in swarm.run(25) for error in swarm.errors(range(1, ROBOTS + 1))[0]]
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
