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

"""A late sighting corrects the present poses as it would have done at its own time."""

from collections import Counter
import math

from leader_election.localisation.late_sightings import SightingQueue, Track
from leader_election.localisation.neighbourhood_filter import NeighbourhoodFilter
from leader_election.localisation.parameters import LocalisationParameters
from leader_election.localisation.plane import compose, PlanePose
from leader_election.localisation.sighting import Sighting
import numpy as np
import pytest

STARTS: dict[int, PlanePose] = {1: (0.0, 0.0, 0.5), 2: (2.0, 1.0, -1.0), 3: (1.0, -2.0, 2.0)}
MOTIONS: dict[int, PlanePose] = {1: (0.4, 0.1, 0.3), 2: (0.6, 0.0, -0.2), 3: (0.3, -0.1, 0.1)}


def filter_of(starts: dict[int, PlanePose]) -> NeighbourhoodFilter:
    """Return a filter whose odometry has hardly any error, and whose headings are uncertain."""
    table = LocalisationParameters(
        odometry_noise_position=0.0, odometry_noise_turn=0.0, odometry_noise_heading=0.0,
        odometry_noise_rest=1e-6)
    own = NeighbourhoodFilter(table, 3.0, {}, Counter())
    own.factor_start = np.zeros_like(own.factor_start)
    for robot, pose in starts.items():
        own.add(robot, pose, (0.1, 0.3), pose, 0.0)
    return own


def move(own: NeighbourhoodFilter) -> None:
    for robot, motion in MOTIONS.items():
        own.move(robot, compose(STARTS[robot], motion), 2.0)


@pytest.mark.parametrize('bearing', [math.nan, 0.02])
@pytest.mark.parametrize('seen', [(2,), (2, 3)])
def test_it_is_used_as_at_its_own_time(bearing: float, seen: tuple[int, ...]) -> None:
    sightings = []
    for robot in seen:
        x, y = (b - a for a, b in zip(STARTS[1][:2], STARTS[robot][:2]))
        sightings.append(Sighting(robot, math.hypot(x, y) + 0.05,
                                  math.atan2(y, x) - STARTS[1][2] + bearing, age=2.0))
    prompt, late = filter_of(STARTS), filter_of(STARTS)
    prompt.see([(1, sighting) for sighting in sightings], 0.0)
    move(prompt)
    move(late)
    queue, tracks = SightingQueue(1, late, {}), {}
    for sighting in sightings:
        queue.put(sighting, STARTS[1], 2.0, 0.0)
        track = tracks[sighting.id] = Track()
        track.add(0.0, STARTS[sighting.id])
        track.add(2.0, late.odometry(sighting.id))
    due = queue.due(2.0, late.odometry(1), late.pose(1), tracks)
    late.see([(1, sighting) for sighting in due], 2.0, queue.late)
    for robot in STARTS:
        # The present heading is linearised, not that of the time of the sighting.
        assert late.pose(robot) == pytest.approx(prompt.pose(robot), abs=2e-3)
        assert late.covariance_of(robot) == pytest.approx(
            prompt.covariance_of(robot), abs=2e-3)
    assert abs(late.pose(1)[0] - compose(STARTS[1], MOTIONS[1])[0]) > 2e-3, 'it corrects'
