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
"""The neighbourhood filter: cases by hand, and what holds for all inputs."""

from collections import Counter
from collections.abc import Sequence
import math
from typing import Any, NamedTuple

from hypothesis import given
from hypothesis import strategies as st
from leader_election.localisation.neighbourhood_filter import (
    ACCEPTED,
    CARRIED_OFF,
    NeighbourhoodFilter,
    REJECTED,
    UNKNOWN,
)
from leader_election.localisation.parameters import LocalisationParameters
from leader_election.localisation.pose_estimates import (
    corrected,
    factor_rows,
    Factors,
    from_invariant,
    odometry_covariance,
    OFFSET,
    pose_rows,
    SIZE,
    WALK,
)
from leader_election.localisation.poses import compose, PlanePose, wrap
from leader_election.localisation.sighting import Sighting
import numpy as np
import pytest

ORIGIN = (0.0, 0.0, 0.0)
CERTAIN = (1e-9, 1e-9)
SEEDS = st.integers(0, 2 ** 32 - 1)


def empty(landmarks: dict[int, tuple[float, float]] | None = None,
          **parameters: Any) -> tuple[NeighbourhoodFilter, Counter[str]]:
    """Return a filter without robots, and its counters. The noise of ranges does not grow."""
    counts: Counter[str] = Counter()
    table = LocalisationParameters(**{'range_noise_scale': 0.0, **parameters})
    return NeighbourhoodFilter(table, 3.0, landmarks or {}, counts), counts


def calibrate(own: NeighbourhoodFilter) -> None:
    """Make the offsets of all radios known."""
    own.covariance[OFFSET::SIZE] = 0.0
    own.covariance[:, OFFSET::SIZE] = 0.0


# By hand.

def test_range_halves_variance_and_error_when_as_good_as_the_position():
    own, counts = empty(range_noise=0.01)
    own.add(1, ORIGIN, CERTAIN, ORIGIN, 0.0)
    own.add(2, (2.0, 0.0, 0.0), (0.01, 1e-9), (2.0, 0.0, 0.0), 0.0)
    calibrate(own)
    own.see([(1, Sighting(2, 2.02))], 0.0)
    assert own.pose(2)[0] == pytest.approx(2.01, abs=1e-4)
    assert own.covariance_of(2)[0, 0] == pytest.approx(0.5e-4, rel=1e-3)
    assert own.covariance_of(2)[1, 1] == pytest.approx(1e-4, rel=1e-3), 'nothing said of the side'
    assert own.distance(1, 2, 0.0)[1] == pytest.approx(0.01 / math.sqrt(2.0), rel=1e-3)
    assert counts == {ACCEPTED: 1, UNKNOWN: 0}


def test_relative_position_includes_the_heading_error_of_the_observer():
    own, _ = empty()
    own.add(1, (1.0, 1.0, math.pi / 2), (0.1, 0.05), ORIGIN, 0.0)
    own.add(2, (1.0, 3.0, 0.0), (0.2, 1.0), ORIGIN, 0.0)
    place, covariance = own.relative(1, 2, 0.0)
    assert place == pytest.approx((2.0, 0.0))
    # To the side the heading adds its error times the distance.
    assert covariance == pytest.approx(np.diag((0.05, 0.05 + 0.1 ** 2)))
    assert np.trace(own.relative(1, 2, 2.0)[1]) > np.trace(covariance), 'odometry is old'
    # A frame that is moved as a whole, with its errors, does not matter.
    along = own.distance(1, 2, 0.0)
    assert along == pytest.approx((2.0, math.sqrt(covariance[0, 0])))


def test_sighting_corrects_a_third_robot_by_common_errors():
    own, _ = empty({9: (0.0, 0.0)}, range_noise=0.01)
    own.add(1, (2.0, 0.0, 0.0), (0.1, 1e-9), (2.0, 0.0, 0.0), 0.0)
    own.add(2, (4.0, 0.0, 0.0), (0.1, 1e-9), (4.0, 0.0, 0.0), 0.0)
    calibrate(own)
    own.see([(1, Sighting(2, 2.0))], 0.0)
    own.see([(1, Sighting(9, 2.1))], 0.0)
    assert own.pose(1)[0] == pytest.approx(2.1, abs=0.02)
    assert own.pose(2)[0] == pytest.approx(4.1, abs=0.02)
    assert own.distance(1, 2, 0.0)[0] == pytest.approx(2.0, abs=0.02)


@given(SEEDS)
def test_motion_maps_the_covariance_as_a_numeric_derivative_does(seed):
    rng = np.random.default_rng(seed)
    own, _ = empty()
    for robot in (1, 2):
        x, y, yaw = rng.uniform(-3.0, 3.0, 3).tolist()
        own.add(robot, (x, y, yaw), (0.1, 0.1), ORIGIN, 0.0)
    own.state[factor_rows(SIZE)] = rng.uniform(
        (0.7, 0.7, -0.1, -0.2), (1.3, 1.3, 0.1, 0.2))
    square = rng.normal(size=(2 * SIZE, 2 * SIZE))
    # The variances of factors stay below those of the start, which bound them.
    own.covariance = 2e-5 * square @ square.T
    motion = tuple(rng.uniform(-1.0, 1.0, 3).tolist())

    def after(state):
        factors = Factors(*state[factor_rows(SIZE)])
        pose = compose(tuple(state[pose_rows(SIZE)]), corrected(motion, factors))
        return np.concatenate((state[:SIZE], pose, factors))

    begin, small = own.state.copy(), 1e-6
    derivative = np.column_stack([
        (after(begin + small * axis) - after(begin - small * axis)) / (2.0 * small)
        for axis in np.eye(2 * SIZE)])
    derivative[SIZE + 2, SIZE + 2] = 1.0  # But for a jump where the angle wraps.
    cos, sin = math.cos(begin[SIZE + 2]), math.sin(begin[SIZE + 2])
    turned = np.array(((cos, -sin, 0.0), (sin, cos, 0.0), (0.0, 0.0, 1.0)))
    noise = np.zeros((2 * SIZE, 2 * SIZE))
    rows = pose_rows(SIZE)
    noise[rows, rows] = turned @ odometry_covariance(
        corrected(motion, Factors(*begin[factor_rows(SIZE)])), 2.0, own.parameters) @ turned.T
    noise[factor_rows(SIZE), factor_rows(SIZE)] = 2.0 * np.diag(np.square(WALK))
    before = in_plain(own)
    own.move(2, motion, 2.0)
    np.testing.assert_allclose(
        in_plain(own), derivative @ before @ derivative.T + noise, atol=1e-8)
    np.testing.assert_allclose(own.state, after(begin), atol=1e-12)


def in_plain(own: NeighbourhoodFilter) -> np.ndarray:
    """Return the covariance of the errors of the state itself, not of invariant ones."""
    slopes = np.eye(len(own.state))
    for first in range(0, len(own.state), SIZE):
        rows = pose_rows(first)
        slopes[rows, rows] = from_invariant(*own.state[first:first + 2])
    return slopes @ own.covariance @ slopes.T


def test_odometry_is_cumulative_when_messages_are_lost():
    one, other = empty()[0], empty()[0]
    for own in (one, other):
        own.add(1, (5.0, 5.0, 1.0), CERTAIN, ORIGIN, 0.0)
    one.move(1, (1.0, 0.2, 0.3), 1.0)
    one.move(1, (1.5, 0.9, 0.9), 2.0)
    other.move(1, (1.5, 0.9, 0.9), 2.0)
    assert one.pose(1) == pytest.approx(other.pose(1))


def test_rejected_sighting_changes_nothing():
    own, counts = empty()
    own.add(1, ORIGIN, (0.1, 0.1), ORIGIN, 0.0)
    own.add(2, (2.0, 0.0, 0.0), (0.1, 0.1), ORIGIN, 0.0)
    state, covariance = own.state.copy(), own.covariance.copy()
    (innovation,) = own.see([(1, Sighting(2, 4.0))], 0.0)
    assert counts[REJECTED] == 1 and not innovation.accepted and innovation.range > 5.0
    assert (own.state == state).all() and (own.covariance == covariance).all()


@pytest.mark.parametrize('observer, seen', [(1, 3), (3, 1), (1, 1), (3, 3), (1, 77)])
def test_sighting_is_ignored_when_a_robot_is_unknown(observer, seen):
    own, counts = empty()
    own.add(1, ORIGIN, (0.1, 0.1), ORIGIN, 0.0)
    assert own.see([(observer, Sighting(seen, 1.0))], 0.0) == [] and counts[UNKNOWN] == 1


def test_robot_counts_as_unknown_when_silent_beyond_the_expiry():
    own, counts = empty()
    own.add(1, ORIGIN, (0.1, 0.1), ORIGIN, 0.0)
    own.add(2, (2.0, 0.0, 0.0), (0.1, 0.1), ORIGIN, 0.0)
    own.move(1, ORIGIN, 3.1)
    assert own.see([(1, Sighting(2, 2.0))], 3.1) == [] and counts[UNKNOWN] == 1
    own.move(2, ORIGIN, 3.2)
    assert len(own.see([(1, Sighting(2, 2.0))], 3.2)) == 1


def test_distance_becomes_less_certain_when_odometry_is_old():
    own, _ = empty()
    own.add(1, ORIGIN, CERTAIN, ORIGIN, 0.0)
    own.add(2, (2.0, 0.0, 0.0), CERTAIN, ORIGIN, 0.0)
    own.move(1, ORIGIN, 2.0)
    assert own.distance(1, 2, 2.0) == pytest.approx((2.0, 0.2), rel=0.01)


def test_other_robots_keep_their_estimates_when_one_is_dropped():
    own, _ = empty()
    for robot in (1, 2, 3):
        own.add(robot, (float(robot), 0.5, 0.1), (0.1, 0.1), ORIGIN, 0.0)
    own.see([(1, Sighting(2, 1.1)), (2, Sighting(3, 1.1)), (3, Sighting(1, 1.9))], 0.0)
    kept = {robot: (own.pose(robot), own.covariance_of(robot)) for robot in (1, 3)}
    apart = own.distance(1, 3, 0.0)
    own.drop(2)
    assert own.ids == [1, 3] and 2 not in own and own.distance(1, 3, 0.0) == apart
    for robot, (pose, covariance) in kept.items():
        assert own.pose(robot) == pose
        np.testing.assert_array_equal(own.covariance_of(robot), covariance)


# For all inputs.

class Step(NamedTuple):
    """What happens to a filter at a time: a robot moves, then some are sighted."""

    time: float
    robot: int
    odometry: PlanePose
    seen: list[tuple[int, Sighting]]


def scenario(seed: int) -> tuple[dict[int, PlanePose], tuple[float, float], list[Step]]:
    """Return poses at the start, their deviations, and steps. Some sightings are outliers."""
    rng = np.random.default_rng(seed)
    robots = range(1, int(rng.integers(2, 5)) + 1)
    places = {robot: tuple(rng.uniform((-3, -3, -math.pi), (3, 3, math.pi)).tolist())
              for robot in robots}
    odometry, truth = dict(places), dict(places)
    steps = []
    for k in range(12):
        mover = int(rng.choice(robots))
        motion = tuple(rng.uniform(-0.4, 0.4, 3).tolist())
        odometry[mover], truth[mover] = (
            compose(poses[mover], motion) for poses in (odometry, truth))
        seen = []
        for observer in robots:
            x, y, yaw = truth[observer]
            for other in robots:
                if other != observer and rng.random() < 0.5:
                    distance = math.dist((x, y), truth[other][:2])
                    bearing = math.atan2(truth[other][1] - y, truth[other][0] - x) - yaw
                    errors = rng.normal(0.0, (0.1, 0.04)) * rng.choice((1.0, 1.0, 10.0))
                    given = rng.integers(3)
                    seen.append((observer, Sighting(
                        other, math.nan if given == 2 else max(distance + errors[0], 0.01),
                        math.nan if given == 1 else wrap(bearing + errors[1]))))
        steps.append(Step(0.5 * k, mover, odometry[mover], seen))
    return places, (float(rng.choice((0.05, 0.5))), 0.1), steps


def play(seed: int, order: Sequence[int] = (), by: PlanePose = ORIGIN) -> NeighbourhoodFilter:
    """Return a filter after a scenario, with its robots in an order, everything moved rigidly."""
    places, deviations, steps = scenario(seed)
    own, _ = empty({50: compose(by, (1.0, 1.0, 0.0))[:2]})
    for robot in order or places:
        moved = compose(by, places[robot])
        own.add(robot, moved, deviations, moved, 0.0)
    for step in steps:
        own.move(step.robot, compose(by, step.odometry), step.time)
        own.see(step.seen, step.time)
    return own


@given(SEEDS)
def test_covariance_stays_symmetric_and_positive_semi_definite(seed):
    own = play(seed)
    np.testing.assert_allclose(own.covariance, own.covariance.T, rtol=0, atol=1e-12)
    assert np.linalg.eigvalsh(own.covariance).min() >= -1e-10
    assert np.isfinite(own.state).all()


@given(SEEDS)
def test_result_does_not_depend_on_the_order_of_robots(seed):
    one = play(seed)
    other = play(seed, one.ids[::-1])
    for robot in one.ids:
        np.testing.assert_allclose(one.pose(robot)[:2], other.pose(robot)[:2], atol=1e-6)
        np.testing.assert_allclose(
            one.covariance_of(robot), other.covariance_of(robot), atol=1e-6)


@given(SEEDS, st.tuples(st.floats(-50, 50), st.floats(-50, 50), st.floats(-3, 3)))
def test_result_moves_with_a_rigid_motion_of_everything(seed, by):
    here, there = play(seed), play(seed, by=by)
    for robot in here.ids:
        expected = compose(by, here.pose(robot))
        np.testing.assert_allclose(there.pose(robot)[:2], expected[:2], atol=1e-5)
        assert abs(wrap(there.pose(robot)[2] - expected[2])) < 1e-5
        for other in here.ids:
            if other != robot:
                assert here.distance(robot, other, 6.0) == pytest.approx(
                    there.distance(robot, other, 6.0), abs=1e-5)


@given(SEEDS)
def test_sighting_never_increases_the_covariance(seed):
    places, deviations, steps = scenario(seed)
    own, counts = empty()
    for robot, place in places.items():
        own.add(robot, place, deviations, place, 0.0)
    before = own.covariance.copy()
    own.see(steps[0].seen, 0.0)
    if not counts[CARRIED_OFF]:
        assert np.linalg.eigvalsh(before - own.covariance).min() >= -1e-9
