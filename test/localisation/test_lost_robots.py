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

"""Robots that were carried off: which one is suspected, and where it is found."""

from collections import Counter
from collections.abc import Sequence
import math

from leader_election.localisation.innovations import Rejections, REMEMBERED_FOR
from leader_election.localisation.lost_robots import (
    Evidence,
    LostRobots,
    OF_NEWCOMERS,
    search,
)
from leader_election.localisation.neighbourhood_filter import NeighbourhoodFilter
from leader_election.localisation.parameters import LocalisationParameters
from leader_election.localisation.poses import between, compose, PlanePose, wrap
from leader_election.localisation.sighting import Sighting
from localisation.simulation import Neighbourhood
import numpy as np
import pytest

NOISE = LocalisationParameters()
OTHERS = {2: (0.5, 1.0, 0.4), 3: (4.0, 0.5, 2.0), 4: (3.0, 4.5, -1.5), 5: (0.5, 4.0, -0.7)}


def path(turns: Sequence[float], speed: float = 0.2) -> list[PlanePose]:
    """Return the poses of a robot that drives, one a second."""
    poses = [(2.0, 2.0, 0.3)]
    for turn in turns:
        poses.append(compose(poses[-1], (speed, 0.0, turn)))
    return poses


def sightings(poses: list[PlanePose], bearings: bool, others: Sequence[int] = (2, 3, 4, 5),
              both: bool = True) -> list[Evidence]:
    """Return the sightings between the robot and the others."""
    rng, found = np.random.default_rng(0), []
    for second, pose in enumerate(poses):
        for other in others:
            for by_it in (True, False) if both else (True,):
                here, there = (pose, OTHERS[other]) if by_it else (OTHERS[other], pose)
                bearing = wrap(math.atan2(there[1] - here[1], there[0] - here[0]) - here[2]
                               + 0.02 * rng.normal())
                found.append(Evidence(
                    by_it, other, between(poses[-1], pose), OTHERS[other], (0.01, 0.01),
                    math.dist(here[:2], there[:2]) + 0.1 * rng.normal(),
                    bearing if bearings else math.nan, float(len(poses) - 1 - second)))
    return found


@pytest.mark.parametrize('bearings', [False, True])
def test_search_finds_a_robot_that_was_carried_off(bearings):
    poses = path([0.2, 0.2, -0.3, 0.3, 0.0, -0.2, 0.1, 0.3])
    found = search(sightings(poses, bearings), compose(poses[-1], (3.0, -1.0, 2.0)), NOISE)
    assert found is not None
    # Three standard deviations: some 0.05 m and 0.1 rad by ranges alone.
    assert math.dist(found[0][:2], poses[-1][:2]) < 0.2
    assert abs(wrap(found[0][2] - poses[-1][2])) < 0.3
    assert np.linalg.eigvalsh(found[1]).min() > 0.0


def test_search_finds_nothing_when_the_pose_is_right():
    poses = path([0.1] * 8)
    assert search(sightings(poses, True), compose(poses[-1], (0.05, 0.0, 0.05)), NOISE) is None


def test_search_finds_the_robot_when_a_quarter_are_outliers():
    poses = path([0.2] * 8)
    evidence = [each._replace(range=each.range + 2.0) if k % 4 == 0 else each
                for k, each in enumerate(sightings(poses, True))]
    found = search(evidence, compose(poses[-1], (3.0, 0.0, 0.0)), NOISE)
    assert found is not None and math.dist(found[0][:2], poses[-1][:2]) < 0.2


def test_search_finds_nothing_when_the_pose_is_ambiguous():
    lost = (9.0, 9.0, 0.0)
    straight = path([0.0] * 8)
    # Ranges to one robot leave a circle; to two of them, a robot at rest any heading.
    assert search(sightings(straight, False, others=(2,)), lost, NOISE) is None
    resting = path([0.0] * 8, speed=0.0)
    assert search(sightings(resting, False, others=(2, 3)), lost, NOISE) is None
    assert search(sightings(straight, True)[:2], lost, NOISE) is None


def test_search_finds_nothing_when_only_one_resting_sensor_sees_the_robot():
    resting = path([0.0] * 8, speed=0.0)
    assert search(sightings(resting, True, both=False), (9.0, 9.0, 0.0), NOISE) is None
    assert search(sightings(resting, True), (9.0, 9.0, 0.0), NOISE) is not None


def test_search_finds_nothing_when_only_one_robot_sees_the_target():
    evidence = sightings(path([0.2] * 8), True)
    by_one = [each for each in evidence if not each.by_it and each.partner == 2]
    assert search(by_one, (9.0, 9.0, 0.0), NOISE) is None


def test_search_finds_the_place_of_a_newcomer_by_two_sightings_of_one_robot():
    poses = path([0.2] * 8)
    by_one = [each for each in sightings(poses, True) if not each.by_it and each.partner == 2]
    lost = compose(poses[-1], (3.0, 0.0, 0.0))
    assert search(by_one[-1:], lost, NOISE, OF_NEWCOMERS) is None
    found = search(by_one[-2:], lost, NOISE, OF_NEWCOMERS)
    assert found is not None and math.dist(found[0][:2], poses[-1][:2]) < 0.3
    assert found[1][2, 2] > 1.0, 'it may look anywhere'
    assert search(by_one[-2:], lost, NOISE) is None


@pytest.mark.parametrize(('place', 'is_placed'), [((4.0, 0.2), False), ((3.0, 3.0), True)])
def test_newcomer_is_not_placed_where_another_robot_is(place, is_placed):
    """Two sightings of a robot by another one whose detector may have taken it for a third."""
    own = NeighbourhoodFilter(NOISE, 3.0, {}, Counter())
    lost = LostRobots(own, NOISE, {})
    for robot, x in ((1, 0.0), (2, 4.0), (3, -4.0)):
        own.add(robot, (x, 0.0, 0.0), (0.1, 0.1), (x, 0.0, 0.0), 0.0)
    found = []
    for now, seen, (x, y) in ((0.0, 2, (4.0, 0.0)), (1.0, 3, place), (2.0, 3, place)):
        for robot in own.ids:
            own.move(robot, own.odometry(robot), now)
        sightings = [(1, Sighting(seen, math.hypot(x, y), math.atan2(y, x)))]
        innovations = own.see(sightings, now)
        lost.take(sightings, innovations, now)
        found.append(lost.find(1, innovations, now))
    assert found == [None, None, 3 if is_placed else None]
    assert (math.dist(own.pose(3)[:2], place) < 0.3) == is_placed


def test_search_finds_no_newcomer_beside_one_robot_when_a_circle_of_places_fits():
    by_it = [each for each in sightings(path([0.0] * 8, speed=0.0), True, (2,)) if each.by_it]
    assert search(by_it, (9.0, 9.0, 0.0), NOISE, OF_NEWCOMERS) is None


@pytest.mark.parametrize('camera', [False, True])
def test_swarm_finds_a_robot_when_it_was_carried_by_three_metres(camera):
    swarm = Neighbourhood(5, 1, camera=camera, reach=8.0)
    errors, suspected = [], set()
    for now in swarm.run(60):
        suspected |= {*swarm.robots[1].elsewhere(now)}
        if now == 15.0:
            x, y, yaw = swarm.truth[3]
            swarm.truth[3] = (x + math.copysign(2.1, 2.5 - x), y + math.copysign(2.1, 2.5 - y),
                              wrap(yaw + 2.0))
        if now >= 55.0:
            # Of distances, since the frame drifts.
            errors += swarm.errors(range(1, 6))[0]
    assert max(map(abs, errors)) < 0.5 and (3 in suspected or not camera)


# Rejections.

def test_rejections_are_forgotten_after_their_time() -> None:
    rejections = Rejections()
    for second in range(4):
        rejections.note(1, 2, float(second), rejected=True)
    assert rejections.suspect(range(5), (), 4.0) == 2 and not rejections.fits(1, 2)
    assert rejections.suspect(range(5), (), 2.0 + REMEMBERED_FOR) is None


def test_landmark_is_never_suspected() -> None:
    rejections = Rejections()
    for time in range(4):
        rejections.note(1, 9, float(time), True)
    assert rejections.suspect(range(5), (), 4.0) == 1
    assert rejections.suspect((), (), 4.0) is None


def test_suspect_of_two_robots_is_the_one_whose_pose_is_only_claimed() -> None:
    rejections = Rejections()
    for second in range(4):
        rejections.note(1, 2, float(second), True)
    assert rejections.suspect((1, 2), {2}, 4.0) == 1
    assert rejections.suspect((1, 2), {1}, 4.0) == 2


def test_suspect_is_the_robot_that_contradicts_every_other() -> None:
    rejections = Rejections()
    for second in range(4):
        for seen in (1, 2, 3):
            rejections.note(9, seen, float(second), True)
        rejections.note(1, 9, float(second), False)
    assert rejections.suspect((1, 2, 3, 9), (), 4.0) == 9
    rejections.forget(9)
    assert rejections.suspect((1, 2, 3, 9), (), 4.0) is None
