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

"""Errors of recorded odometry and sightings, and what the filter takes them to be."""

import math

from leader_election.localisation.noise import odometry_covariance
from leader_election.localisation.noise_estimation import ODOMETRY
from leader_election.localisation.recorded_errors import (
    compared_sightings,
    odometry_windows,
    Recorded,
    sampled,
    sighting_age,
    step_sources,
)
from localisation.recorded import NOISE, recorded
import numpy as np
import pytest


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
