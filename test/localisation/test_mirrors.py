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

"""Mirrored poses of three robots."""

from collections import Counter
import math

from leader_election.localisation.mirrors import may_be_mirrored, signed_area
from leader_election.localisation.neighbourhood_filter import NeighbourhoodFilter
from leader_election.localisation.parameters import LocalisationParameters
from leader_election.localisation.pose_estimates import correct, SIZE
from localisation.simulation import Neighbourhood
import numpy as np
import pytest


def test_slopes_of_the_area_equal_numeric_derivatives() -> None:
    state, small = np.random.default_rng(1).normal(size=3 * SIZE), 1e-6
    area, slopes = signed_area(state)
    for error, slope in zip(small * np.eye(3 * SIZE), slopes):
        moved = state.copy()
        correct(moved, error)
        assert (signed_area(moved)[0] - area) / small == pytest.approx(slope, abs=1e-5)


@pytest.mark.parametrize(('aside', 'turned', 'possible'), [
    (0.0, 0.6, True), (0.1, 0.6, True), (0.1, 0.4, False), (2.0, 0.6, False)])
def test_mirror_image_is_possible_when_robots_without_headings_are_almost_on_a_line(
        aside: float, turned: float, possible: bool) -> None:
    own = NeighbourhoodFilter(LocalisationParameters(), 3.0, {}, Counter())
    for robot, place in enumerate(((1.0, 2.0), (3.0, 2.0), (5.0, 2.0 - aside))):
        own.add(robot, (*place, 0.0), (0.2, turned), (*place, 0.0), 0.0)
    assert signed_area(own.state)[0] == pytest.approx(-2.0 * aside)
    assert may_be_mirrored(own.state, own.covariance) == possible


@pytest.mark.parametrize(('robots', 'camera', 'ambiguous'), [
    (3, False, True), (4, False, False), (3, True, False)])
def test_poses_are_ambiguous_when_three_robots_have_ranges_alone(
        robots: int, camera: bool, ambiguous: bool) -> None:
    swarm = Neighbourhood(robots, 4, camera=camera, reach=8.0, odometry_noise_turn=1.2)
    own = swarm.robots[1]
    found = []
    for now in swarm.run(60):
        found.append(own.is_ambiguous(now))
        if found[-1]:
            assert own.claimed(now) is None and own.values(now)['pose_covariance'] == 'ambiguous'
            assert own.text(now).endswith('a fourth robot or bearings decide')
    assert any(found) == ambiguous
    assert math.isfinite(own.deviation)
