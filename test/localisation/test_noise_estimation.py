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

"""Parameters of noise are found again in recordings made with known ones."""

import math

from leader_election.localisation.noise_estimation import Estimate, estimate, Figure, ODOMETRY
from leader_election.localisation.parameters import LocalisationParameters
from leader_election.localisation.recorded_errors import (
    compared_sightings,
    Recorded,
    sighting_age,
)
from leader_election.localisation.systematic_errors import scales
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


def test_the_result_does_not_depend_on_where_odometry_started() -> None:
    robots = recorded(NOISE, robots=2, length=200, every=5)
    turned = {}
    for robot, one in robots.items():
        moved = one.odometry.copy()
        moved[:, 1] = 5.0 - one.odometry[:, 2]
        moved[:, 2] = one.odometry[:, 1] - 3.0
        moved[:, 3] += math.pi / 2
        turned[robot] = one._replace(odometry=moved)
    for one, other in zip(estimate(robots).figures, estimate(turned).figures):
        assert other.value == pytest.approx(one.value, rel=1e-3)
