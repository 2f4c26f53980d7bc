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

"""Sightings under the id of another robot."""

from collections import Counter
import math

from leader_election.localisation.association import associated
from leader_election.localisation.neighbourhood_filter import NeighbourhoodFilter
from leader_election.localisation.parameters import LocalisationParameters
from leader_election.localisation.sighting import Sighting
from localisation.simulation import Neighbourhood
import numpy as np
import pytest

TABLE = LocalisationParameters()


def neighbourhood(deviation: float = 0.1) -> NeighbourhoodFilter:
    """Return robot 1 at the origin, 2 two metres ahead, 3 two metres to the left."""
    found = NeighbourhoodFilter(TABLE, 3.0, {}, Counter())
    for robot, pose, off in ((1, (0.0, 0.0, 0.0), 0.01), (2, (2.0, 0.0, 0.0), deviation),
                             (3, (0.0, 2.0, 0.0), 0.1)):
        found.add(robot, pose, (off, 0.02), pose, 0.0)
    return found


def ids(*sightings: Sighting, deviation: float = 0.1, unsure: tuple[int, ...] = ()) -> list[int]:
    """Return the ids that sightings by robot 1 have afterwards."""
    found, _ = associated([(1, each) for each in sightings], neighbourhood(deviation), TABLE,
                          unsure.__contains__, 0.0)
    return [each.id for _, each in found]


def test_a_sighting_that_fits_another_robot_is_that_robots():
    left = 0.5 * math.pi
    assert ids(Sighting(2, 2.0, 0.0), Sighting(3, 2.0, left)) == [2, 3]
    assert ids(Sighting(3, 2.0, 0.0), Sighting(2, 2.1, left + 0.03)) == [2, 3]


def test_a_sighting_that_fits_no_robot_keeps_its_id():
    assert ids(Sighting(2, 4.0, -1.0)) == [2]


def test_sightings_of_a_poorly_known_robot_are_not_stolen():
    assert ids(Sighting(2, 2.0, 0.5 * math.pi), deviation=2.0) == [2]
    assert ids(Sighting(2, 2.0, 0.5 * math.pi), unsure=(2,)) == [2]


def test_ranges_alone_and_unknown_robots_keep_their_ids():
    assert ids(Sighting(2, 5.0), Sighting(9, 2.0, 0.0), Sighting(1, 2.0, 0.0)) == [2, 9, 1]


class Mistaken(Neighbourhood):
    """Robots with cameras that mistake every fifth robot for another one."""

    def sightings(self, robot: int) -> list[Sighting]:
        """Return what a robot sees."""
        draw = self.__dict__.setdefault('draw', np.random.default_rng(1))
        return [each._replace(id=int(draw.choice([other for other in self.truth if other not in (
            robot, each.id)]))) if draw.random() < 0.2 else each
            for each in super().sightings(robot)]


@pytest.mark.parametrize('seed', range(2))
def test_robots_that_mistake_every_fifth_robot_know_their_distances(seed):
    swarm, errors = Mistaken(5, seed, camera=True), []
    for now in swarm.run(120):
        if now > 10.0:
            errors += swarm.errors(range(1, 6))[0]
    assert np.sqrt(np.mean(np.square(errors))) < 0.5
    assert sum(counts['sightings_reassigned'] for counts in swarm.counts.values()) > 20
