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

"""Faults that come and go: a minute off with new odometry, two minutes without sightings."""

from localisation.simulation import Neighbourhood
import numpy as np
import pytest

BEGIN, RESTARTED = 40.0, 3
ALL = range(1, 6)


class Interrupted(Neighbourhood):
    """A swarm that is interrupted for a time: one robot is off, or no robot sees anything."""

    def __init__(self, seed: int, camera: bool, duration: float, is_off: bool) -> None:
        super().__init__(len(ALL), seed, camera, reach=8.0)
        self.end, self._is_off = BEGIN + duration, is_off
        self._start = self.odometry[RESTARTED]

    @property
    def interrupted(self) -> bool:
        return BEGIN <= self.now < self.end

    def _drive(self, robot: int) -> None:
        if self._is_off and robot == RESTARTED and self.now == self.end:
            # Its odometry begins anew, where it was switched on the first time.
            self.robots[robot] = self.localisation(robot)
            self.odometry[robot] = self._start
        super()._drive(robot)

    def sightings(self, robot):
        return [] if self.interrupted and not self._is_off else super().sightings(robot)

    def _round(self, robot: int) -> None:
        if not (self.interrupted and self._is_off and robot == RESTARTED):
            super()._round(robot)


def error(swarm: Interrupted) -> float:
    """Return the RMS of the errors of all distances [m]."""
    return float(np.sqrt(np.mean(np.square(swarm.errors(ALL)[0]))))


@pytest.mark.parametrize('camera', [False, True])
def test_a_robot_that_was_off_is_found_although_its_odometry_begins_anew(camera):
    swarm = Interrupted(1, camera, 60.0, is_off=True)
    errors = {second: error(swarm) for second in swarm.run(swarm.end + 45.0)}
    before = max(errors[second] for second in errors if 20.0 < second < BEGIN)
    assert errors[swarm.end + 1.0] > 1.5 * before, 'it is elsewhere'
    assert all(errors[second] < 1.5 * before for second in errors if second > swarm.end + 30.0)


@pytest.mark.parametrize('camera', [False, True])
def test_after_two_minutes_without_sightings_distances_are_as_uncertain_as_wrong(camera):
    swarm = Interrupted(2, camera, 120.0, is_off=False)
    for second in swarm.run(swarm.end - 1.0):
        if second == BEGIN - 1.0:
            before = error(swarm)
    deviations = [deviation for _, _, deviation in swarm.robots[1].distances(swarm.now)]
    assert len(deviations) == len(ALL) - 1
    assert 2.0 * before < error(swarm) < 2.0 * max(deviations)
