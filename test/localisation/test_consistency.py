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
"""Whether robots know how wrong they are: errors against deviations in swarms of known truth."""

import math

from leader_election.localisation.sighting import Sighting
from localisation.simulation import Neighbourhood
import numpy as np
import pytest

ROBOTS, SETTLED, DURATION = 5, 10, 60


@pytest.mark.parametrize('camera', [False, True])
def test_normalised_errors_of_distances_are_consistent(camera):
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
def test_distances_remain_good_where_much_is_lost_or_wrong(conditions):
    swarm = Neighbourhood(ROBOTS, 2, **conditions)
    errors = [error for _ in swarm.run(60) for error in swarm.errors(range(1, ROBOTS + 1))[0]]
    assert np.median(np.abs(errors)) < 0.15


class Late(Neighbourhood):
    """Robots whose sensors are late, and say so or not."""

    def __init__(self, seed: int, camera: bool, delay: float, stamped: bool) -> None:
        self._delay, self._age = delay, delay if stamped else 0.0
        self._seen: dict[int, list[tuple[float, list[Sighting]]]] = {}
        super().__init__(ROBOTS, seed, camera)

    def sightings(self, robot: int) -> list[Sighting]:
        """Return what a robot saw a while ago."""
        self._seen.setdefault(robot, []).append((self.now, super().sightings(robot)))
        return [sighting._replace(age=self._age) for time, seen in self._seen[robot]
                if time == self.now - self._delay for sighting in seen]


@pytest.mark.parametrize('camera, on_time, unstamped', [(False, 4.0, 0.7), (True, 1.5, 0.3)])
def test_sightings_that_are_two_seconds_late(camera, on_time, unstamped):
    """Robots turn by up to 1.6 rad meanwhile; ranges alone do not tell the heading again."""
    errors = []
    for delay, stamped in ((0.0, True), (2.0, True), (2.0, False)):
        squares = []
        for seed in range(2):
            swarm = Late(seed, camera, delay, stamped)
            for second in swarm.run(DURATION):
                if second > SETTLED:
                    squares += np.square(swarm.errors(range(1, ROBOTS + 1))[0]).tolist()
        errors.append(math.sqrt(np.mean(squares)))
    assert errors[1] < on_time * errors[0] and errors[1] < unstamped * errors[2]
