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

from leader_election.localisation.parameters import LocalisationParameters
from leader_election.localisation.pose_estimates import (
    from_invariant,
    OFFSET,
    pose_rows,
    SIZE,
)
from leader_election.localisation.poses import Array, wrap
from leader_election.localisation.sighting import range_variance
from leader_election.localisation.updates import (
    Earlier,
    GATES,
    ITERATIONS,
    LANDMARK,
    Measurement,
    update,
)
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
