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

"""The localisation of one robot: waiting sightings."""

from collections import Counter
import math

from leader_election.localisation.localisation import Estimate, Localisation
from leader_election.localisation.parameters import LocalisationParameters
from leader_election.localisation.sighting import Sighting
import pytest


def localisation(**settings) -> Localisation:
    """Return the localisation of robot 1, at the origin, which has met robot 2 at (5, 0)."""
    made = Localisation(
        1, LocalisationParameters(**settings), cooperates=True, expiry=3.0, top_speed=1.0,
        counts=Counter())
    made.take_odometry((0.0, 0.0, 0.0), 0.0)
    made.hear(2, (5.0, 0.0), Estimate((5.0, 0.0, 0.0), 0.0, 0.05, 0.03), 0.0)
    return made


@pytest.mark.parametrize('bearing', [math.nan, 0.0])
def test_a_sighting_is_turned_to_the_moment_of_sending(bearing):
    robot = localisation()
    robot.take_sightings([Sighting(2, 5.0, bearing)], 0.1)
    robot.take_odometry((1.0, 0.0, 0.0), 0.9)
    robot.begin_round(1.0)
    (sent,) = robot.estimate.sightings
    assert sent.id == 2 and sent.range == pytest.approx(4.0, abs=1e-3)
    assert math.isnan(sent.bearing) == math.isnan(bearing)
    robot.begin_round(1.1)
    assert robot.estimate.sightings == (), 'each is sent once'


def test_the_range_of_a_stranger_stays_as_it_was_measured():
    robot = localisation()
    robot.take_sightings([Sighting(7, 5.0)], 0.1)
    robot.take_odometry((1.0, 0.0, 0.0), 0.9)
    robot.begin_round(1.0)
    assert robot.estimate.sightings == (Sighting(7, 5.0),)
