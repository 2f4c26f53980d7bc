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

"""Noise estimated from recordings of known noise; errors of recordings, by hand."""

import math

from hypothesis import given, settings
from hypothesis import strategies as st
from leader_election.localisation.noise import odometry_covariance
from leader_election.localisation.noise_estimation import Estimate, estimate, Figure, ODOMETRY
from leader_election.localisation.parameters import LocalisationParameters
from leader_election.localisation.recorded_errors import (
    compared_sightings,
    odometry_windows,
    Recorded,
    sampled,
    sighting_age,
    step_sources,
)
from leader_election.localisation.systematic_errors import scales
from leader_election.localisation.variance_components import fit, intervals
from localisation.recorded import NOISE, recorded
import numpy as np
import pytest

ALL = (*ODOMETRY, 'range_noise', 'range_noise_scale', 'bearing_noise')


def by_name(found: Estimate) -> dict[str, Figure]:
    return {figure.name: figure for figure in found.figures}


def notes(found: Estimate, part: str) -> list[str]:
    return [note for note in found.notes if part in note]


@pytest.fixture(scope='module')
def known() -> Estimate:
    return estimate(recorded(NOISE, every=7, length=700))


def test_known_noise_is_within_a_tenth_and_mostly_in_its_interval(known: Estimate) -> None:
    figures = by_name(known)
    assert tuple(figures) == ALL
    for name in ALL:
        figure, true = figures[name], getattr(NOISE, name)
        assert figure.kept == '' and figure.samples > 1000
        assert figure.value == pytest.approx(true, rel=0.25), name
        assert figure.lower <= figure.value <= figure.upper
    # Each of the seven is outside once in twenty.
    assert sum(figures[name].lower <= getattr(NOISE, name) <= figures[name].upper
               for name in ALL) >= 6


def test_intervals_hold_the_truth_19_times_in_20() -> None:
    """Over the parameters of several recordings; two in twenty outside are still likely."""
    inside = total = 0
    for seed in range(4):
        figures = by_name(estimate(recorded(NOISE, seed, robots=3, length=600), window=5.0))
        for name in ALL:
            if not figures[name].kept:
                total += 1
                inside += (figures[name].lower <= getattr(NOISE, name) <= figures[name].upper)
    assert total >= 20
    assert inside >= 0.82 * total


def test_windows_are_as_long_as_pairs_go_without_a_sighting(known: Estimate) -> None:
    assert known.window == 3.0
    assert by_name(known)[ODOMETRY[0]].samples == 5 * 233
    rare = recorded(NOISE, robots=3, every=25, length=300)
    age = sighting_age(rare, compared_sightings(rare, {}, 1.0))
    assert age is not None and 11.0 <= age <= 13.0
    assert estimate(rare).window == round(age)


def test_half_of_the_ranges_may_be_far_off() -> None:
    found = estimate(recorded(NOISE, robots=3, outliers=0.4, length=400))
    figures = by_name(found)
    assert math.hypot(figures['range_noise'].value, 4 * figures['range_noise_scale'].value) == (
        pytest.approx(math.hypot(NOISE.range_noise, 4 * NOISE.range_noise_scale), rel=0.15))
    [share] = notes(found, '(outliers)')[:1]
    assert 36.0 <= float(share.split(': ')[1].split('%')[0]) <= 42.0


def test_a_carried_robot_is_no_noise() -> None:
    robots = recorded(NOISE, every=7)
    one = robots[1].reference.copy()
    one[400:, 1:3] += (2.0, -1.0)
    robots[1] = robots[1]._replace(reference=one)
    with_it = by_name(estimate(robots))
    for name in ODOMETRY:
        assert with_it[name].value == pytest.approx(getattr(NOISE, name), rel=0.25)


def test_parameters_without_data_keep_their_defaults() -> None:
    robots = {robot: one._replace(sightings=np.zeros((0, 4)))
              for robot, one in recorded(NOISE, robots=2, length=600).items()}
    found = estimate(robots)
    figures = by_name(found)
    for name in ('range_noise', 'range_noise_scale', 'bearing_noise'):
        assert figures[name] == Figure(name, getattr(LocalisationParameters, name), 0,
                                       kept='nothing was recorded')
    assert found.window == 10.0
    assert notes(found, 'no sightings of robots')


def test_robots_that_never_turn_tell_nothing_of_turning() -> None:
    robots = {}
    rng = np.random.default_rng(2)
    for robot in range(1, 6):
        t = np.arange(600.0)
        straight = np.column_stack((t, 0.3 * t, 0.0 * t, 0.0 * t))
        truth = straight.copy()
        truth[:, 1] += np.cumsum(0.02 * rng.normal(size=600))
        truth[:, 2] += np.cumsum(0.01 * rng.normal(size=600))
        truth[:, 3] += np.cumsum(0.01 * rng.normal(size=600))
        robots[robot] = Recorded(straight, truth)
    figures = by_name(estimate(robots, window=4.0))
    turn = figures['odometry_noise_turn']
    assert (turn.value, turn.kept != '') == (0.20, True)


def test_perfect_odometry_has_no_more_noise_than_its_upper_bound() -> None:
    """Not the defaults, which the recording contradicts."""
    robots = {robot: one._replace(odometry=one.reference)
              for robot, one in recorded(NOISE, robots=2, length=300).items()}
    figures = by_name(estimate(robots))
    for name in ODOMETRY:
        assert figures[name].value <= 1e-4


def test_too_few_samples_keep_the_defaults() -> None:
    figures = by_name(estimate(recorded(NOISE, robots=2, length=30, every=15), window=10.0))
    assert all(figure.kept for figure in figures.values())
    assert figures['odometry_noise_turn'].kept == '6 samples are too few'


def test_systematic_errors_are_said() -> None:
    """The scale of odometry, a bias of ranges, and successive errors that are not independent."""
    robots = {}
    for robot, one in recorded(NOISE, robots=3, bias=0.6, length=400).items():
        odometry = one.odometry.copy()
        odometry[:, 1:3] *= 1.1
        robots[robot] = one._replace(odometry=odometry)
    found = estimate(robots)
    assert scales(robots) == pytest.approx((1 / 1.1, 1.0), rel=0.02)
    assert notes(found, 'the true way is 0.9')
    [off] = notes(found, 'ranges: off by')
    assert float(off.split('by ')[1].split()[0]) == pytest.approx(0.6, abs=0.05)
    assert notes(found, 'ranges: successive errors')
    assert not notes(found, 'bearings: successive errors')


def test_a_reference_that_looks_elsewhere_is_said() -> None:
    robots = {}
    for robot, one in recorded(NOISE, robots=2, length=200, every=9).items():
        turned = one.reference.copy()
        turned[:, 3] += 0.4
        robots[robot] = one._replace(reference=turned)
    assert len(notes(estimate(robots), 'the reference has its front +0.40 rad')) == 0
    assert len(notes(estimate(robots), 'the reference has its front -0.4')) == 2


# Components of variance: found again where they are known.

FREE = np.array((False, False))


def two_sources(rng: np.random.Generator, deviations: tuple[float, float],
                n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return errors of one dimension, whose second source grows with a length."""
    lengths = rng.uniform(0.0, 5.0, n)
    sources = np.ones((n, 2, 1, 1))
    sources[:, 1, 0, 0] = lengths ** 2
    errors = np.hypot(deviations[0], deviations[1] * lengths) * rng.normal(size=n)
    return errors[:, np.newaxis], sources


@settings(max_examples=20)
@given(st.floats(0.05, 1.0), st.floats(0.05, 1.0), st.integers(0, 2**32 - 1))
def test_two_sources_are_told_apart(first: float, second: float, seed: int) -> None:
    errors, sources = two_sources(np.random.default_rng(seed), (first, second), 8000)
    found = fit(errors, sources, np.array((0.3, 0.3)), FREE).deviations
    # The smaller of both is found less well.
    total = np.hypot(first, 2.5 * second)
    assert np.hypot(found[0], 2.5 * found[1]) == pytest.approx(total, rel=0.06)
    assert abs(found[0] ** 2 - first ** 2) < 0.15 * total ** 2
    assert abs(found[1] ** 2 - second ** 2) < 0.03 * total ** 2


def test_a_single_source_is_the_root_mean_square() -> None:
    rng = np.random.default_rng(0)
    errors = rng.normal(size=(500, 1)).clip(-3.0, 3.0)
    found = fit(errors, np.ones((500, 1, 1, 1)), np.array((7.0,)), np.array((False,)))
    assert found.deviations[0] == pytest.approx(np.sqrt((errors ** 2).mean() / 0.98838), rel=1e-3)
    assert not found.outliers.any()


def test_a_known_source_stays() -> None:
    errors, sources = two_sources(np.random.default_rng(1), (0.2, 0.1), 4000)
    found = fit(errors, sources, np.array((0.2, 5.0)), np.array((True, False))).deviations
    assert found[0] == 0.2
    assert found[1] == pytest.approx(0.1, rel=0.1)


def test_a_source_that_is_not_there_is_zero() -> None:
    errors, sources = two_sources(np.random.default_rng(2), (0.3, 0.0), 3000)
    found = fit(errors, sources, np.array((0.3, 0.3)), FREE).deviations
    assert found[0] == pytest.approx(0.3, rel=0.05)
    assert found[1] < 0.03


def test_outliers_are_left_out_and_named() -> None:
    errors, sources = two_sources(np.random.default_rng(3), (0.2, 0.05), 1000)
    errors[::5] += 8.0
    found = fit(errors, sources, np.array((1.0, 1.0)), FREE)
    assert found.outliers[::5].all()
    assert found.outliers.mean() < 0.21
    assert found.deviations == pytest.approx([0.2, 0.05], abs=0.02)


def test_intervals_of_more_errors_are_shorter_and_of_copies_are_not() -> None:
    """Errors that belong together count as one block."""
    rng = np.random.default_rng(5)
    free = np.array((False,))
    widths = []
    for n, copies in ((50, 1), (800, 1), (50, 16)):
        errors = np.repeat(rng.normal(size=(n, 1)), copies, axis=0)
        sources = np.ones((n * copies, 1, 1, 1))
        found = fit(errors, sources, np.ones(1), free).deviations
        lower, upper = intervals(
            errors, sources, np.repeat(np.arange(n), copies), found, free)
        assert lower[0] <= found[0] <= upper[0]
        widths.append(float(upper[0] - lower[0]))
    assert widths[1] < 0.4 * widths[0]
    assert widths[2] > 0.6 * widths[0]


# Errors of recorded odometry and sightings, and what the filter takes them to be.

def test_sources_are_the_covariance_of_the_filter() -> None:
    """For one step they are the same matrix; so a change of the filter's noise is noticed."""
    motion = (0.4, -0.1, 0.3)
    sources = step_sources(np.array(motion), 2.0)
    squares = np.square([getattr(NOISE, name) for name in ODOMETRY])
    along = odometry_covariance(motion, 2.0, NOISE)
    assert np.tensordot(squares, sources, 1) == pytest.approx(along)


def test_long_windows_carry_the_noise_of_their_steps() -> None:
    """Normalised errors over windows of 12 s have the expectation 1 with the true parameters."""
    data = odometry_windows(recorded(NOISE), 12.0)
    squares = np.square([getattr(NOISE, name) for name in ODOMETRY])
    covariances = np.einsum('p,npij->nij', squares, data.sources)
    normalised = np.einsum('ni,ni->n', data.errors,
                           np.linalg.solve(covariances, data.errors[:, :, None])[:, :, 0]) / 3.0
    assert normalised.mean() == pytest.approx(1.0, abs=0.15)


def test_gaps_are_left_out() -> None:
    robots = recorded(NOISE, robots=2, length=300)
    hole = (robots[1].reference[:, 0] < 100.0) | (robots[1].reference[:, 0] > 150.0)
    robots[1] = robots[1]._replace(reference=robots[1].reference[hole])
    data = odometry_windows(robots, 10.0)
    assert len(data.errors) == 30 + 30 - 7
    seen = compared_sightings(robots, {}, 1.0)
    assert not ((seen.time > 100.0) & (seen.time < 150.0)).any()


def test_landmarks_count_and_strangers_do_not() -> None:
    robots = recorded(NOISE, robots=2, length=60)
    one = robots[1]
    x, y = one.reference[5, 1:3]
    rows = np.array([(5.0, 77.0, math.hypot(3.0 - x, 1.0 - y) + 0.5, math.nan),
                     (6.0, 78.0, 2.0, 0.0), (7.0, 1.0, 2.0, 0.0)])
    robots = {1: one._replace(sightings=rows)}
    seen = compared_sightings(robots, {77: (3.0, 1.0)}, 1.0)
    assert seen.seen.tolist() == [77]
    assert seen.range_error.tolist() == pytest.approx([0.5])
    assert np.isnan(seen.bearing_error).all()


def test_of_a_fast_sensor_one_sighting_an_interval_counts() -> None:
    robots = recorded(NOISE, robots=2, length=60)
    fast = np.array([(0.1 * k, 2.0, 3.0, 0.0) for k in range(100)])
    robots = {1: robots[1]._replace(sightings=fast), 2: robots[2]}
    assert len(compared_sightings(robots, {}, 1.0).time) == 10 + (len(robots[2].sightings))


def test_an_error_by_hand() -> None:
    """Odometry says 1 m ahead; the robot went 1.1 m, 0.2 m to the left and turned by 0.3 rad."""
    x, y = 5.0 + math.cos(1.0), 5.0 + math.sin(1.0)
    odometry = np.array([(0.0, 5.0, 5.0, 1.0), (1.0, x, y, 1.0), (2.0, x, y, 1.0)])
    truth = np.array([(0.0, 0.0, 0.0, math.pi / 2), (1.0, -0.2, 1.1, math.pi / 2 + 0.3),
                      (2.0, -0.2, 1.1, math.pi / 2 + 0.3)])
    data = odometry_windows({1: Recorded(odometry, truth)}, 1.0)
    assert data.errors[0].tolist() == pytest.approx([0.1, 0.2, 0.3])
    assert data.errors[1].tolist() == pytest.approx([0.0, 0.0, 0.0])
    assert data.sources[1, :3] == pytest.approx(np.zeros((3, 3, 3)))
    corrected = odometry_windows({1: Recorded(odometry, truth)}, 1.0, (1.1, 1.0))
    assert corrected.errors[0].tolist() == pytest.approx([0.0, 0.2, 0.3])


def test_values_in_a_gap_are_not_numbers() -> None:
    rows = np.array([(0.0, 1.0), (1.0, 2.0), (9.0, 10.0)])
    found = sampled(rows, np.array((-1.0, 0.5, 5.0, 9.0, 9.5)))[:, 0]
    assert found.tolist() == pytest.approx([math.nan, 1.5, math.nan, math.nan, math.nan],
                                           nan_ok=True)


def test_the_age_of_sightings_by_hand() -> None:
    """Seen at 0 and 10 s by either: ages are 0 to 9 s twice."""
    t = np.arange(21.0)
    still = np.column_stack((t, 0.0 * t, 0.0 * t, 0.0 * t))
    there = still + (0.0, 2.0, 0.0, 0.0)
    robots = {1: Recorded(still, still, np.array([(0.0, 2.0, 2.0, 0.0)])),
              2: Recorded(there, there, np.array([(10.0, 1.0, 2.0, 3.1)]))}
    assert sighting_age(robots, compared_sightings(robots, {}, 1.0)) == 4.5
    assert sighting_age({1: robots[1]}, compared_sightings({1: robots[1]}, {}, 1.0)) is None
