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

"""The accuracy of localisation: figures computed by hand, then properties."""

import math

from hypothesis import given
from hypothesis import strategies as st
from leader_election.localisation.poses import compose
from leader_election.swarm.accuracy import (
    Accuracy,
    accuracy_lines,
    compare_messages,
    relative_error,
)
from leader_election.swarm.recording.localisation_errors import (
    aligned,
    localisation_errors,
    localisation_lines,
    LocalisationErrors,
    true_positions,
)
from leader_election.swarm.snapshot import RobotView, Snapshot
import numpy as np
import pytest

coordinate = st.floats(-10, 10)
pose = st.tuples(coordinate, coordinate, st.floats(-3.1, 3.1))


def view(robot, pose, dead_reckoned=None, deviation=math.nan, heading_deviation=math.nan):
    return RobotView(robot, pose[:2], -9.0, 0.0, 1, deviation=deviation, yaw=pose[2],
                     heading_deviation=heading_deviation, dead_reckoned=dead_reckoned, heard=1.0)


def compared(*views, true, reach=math.inf):
    found = Accuracy(), Accuracy()
    compare_messages(Snapshot(1.0, {each.id: each for each in views}), true, reach, *found)
    return [each.figures() for each in found]


def test_accuracy_has_absolute_errors_of_the_team_and_of_each_robot():
    accuracy = Accuracy()
    for robot, x in ((1, 3.0), (1, 5.0), (2, 1.0)):
        accuracy.add_pose(robot, (x, 0.0, 0.0), (0.0, 0.0, 0.0))
    found = accuracy.figures()
    assert found.absolute == pytest.approx(math.sqrt(35 / 3))
    assert found.robots == {1: pytest.approx(math.sqrt(17)), 2: 1.0}
    assert found.relative is found.nees_pose is None


def test_nees_is_that_of_poses_with_known_covariances():
    accuracy = Accuracy()
    for x, known in ((3.0, True), (9.0, False), (3.0, True), (9.0, False)):
        accuracy.add_pose(1, (x, 0.0, 0.0), (0.0, 0.0, 0.0), np.eye(3) if known else None)
    accuracy.add_pose(2, (x, 0.0, 0.0), (0.0, 0.0, 0.0))
    found = accuracy.figures()
    assert found.nees_pose == pytest.approx(3.0)
    line = list(accuracy_lines({'filter': found}, math.inf))[-1]
    assert line.split()[3] == '3.00'


@given(pose, pose, pose, pose, pose)
def test_relative_errors_stay_when_the_frame_moves(frame, one, other, found, place):
    plain, moved = (compared(view(1, shift(found)), view(2, shift(place)),
                             true={1: one, 2: other})[0].relative
                    for shift in (lambda each: each, lambda each: compose(frame, each)))
    assert moved == pytest.approx(plain, abs=1e-9)
    assert relative_error(compose(frame, found), compose(frame, place)[:2], one, other[:2]) == (
        pytest.approx(relative_error(found, place[:2], one, other[:2]), abs=1e-9))


def test_relative_error_includes_the_heading_of_the_observer():
    true = {1: (0.0, 0.0, 0.0), 2: (2.0, 0.0, 0.0)}
    found, _ = compared(view(1, (0.0, 0.0, 0.5)), view(2, true[2]), true=true)
    # Robot 1 sees 2 in a wrong direction, 2 sees 1 right.
    assert found.relative == pytest.approx(2.0 * 2.0 * math.sin(0.25) / math.sqrt(2))
    assert found.absolute == 0.0


def test_accuracy_skips_pairs_out_of_range_and_robots_without_truth():
    views = [view(i, (3.0 * i, 0.5, 0.0)) for i in (1, 2, 3)]
    true = {1: (3.0, 0.0, 0.0), 2: (6.0, 0.0, 0.0)}
    found, _ = compared(*views, true=true, reach=2.9)
    assert found.relative is None and found.robots == {1: 0.5, 2: 0.5}
    assert compared(*views, true=true, reach=3.0)[0].relative == pytest.approx(0.0)


def test_accuracy_separates_odometry_from_filter():
    true = {1: (0.0, 0.0, 0.0), 2: (2.0, 0.0, 0.0)}
    plain = view(1, (0.2, 0.0, 0.1), None, 0.1, 0.1)
    filtered = view(2, (2.1, 0.0, 0.0), (3.0, 0.0, 0.0), 0.1, 0.1)
    odometry, corrected = compared(plain, filtered, true=true)
    assert odometry.robots == {1: pytest.approx(0.2), 2: 1.0}
    assert odometry.nees_pose == pytest.approx((4.0 + 1.0) / 3)
    assert corrected.robots == {2: pytest.approx(0.1)}
    assert corrected.nees_pose == pytest.approx(1.0 / 3)


# Errors of localisation over time: figures computed by hand.


TRUE = {1: (0.0, 0.0), 2: (4.0, 0.0), 3: (0.0, 3.0)}
TRACKS = {robot: [(t, *place, 0.0) for t in (0.0, 2.0, 4.0)] for robot, place in TRUE.items()}


def seen(robot, place, heard, dead_reckoned=None, deviation=math.nan):
    return RobotView(robot, place, -9.0, 0.0, 1, deviation=deviation,
                     dead_reckoned=dead_reckoned, heard=heard)


def snapshots(places, times=(1.0, 2.0), **more):
    return [Snapshot(t, {i: seen(i, place, t, **more) for i, place in places.items()})
            for t in times]


def test_aligned_errors_stay_when_all_positions_move_rigidly():
    rng = np.random.default_rng(1)
    true = rng.uniform(-5, 5, (6, 2))
    angle = 2.5
    turn = np.array([[math.cos(angle), math.sin(angle)], [-math.sin(angle), math.cos(angle)]])
    assert aligned(true @ turn + (7.0, -3.0), true) == pytest.approx(true)
    # A mirrored swarm is not a moved one.
    assert abs(aligned(true * (1.0, -1.0), true) - true).max() > 0.5
    off = rng.normal(0.0, 0.1, true.shape)
    found = np.square(aligned(true @ turn + off, true) - true).sum()
    assert 0.0 < found < np.square(off).sum()
    # No other motion is better.
    for other in np.linspace(0.0, 2.0 * np.pi, 100):
        spun = (true @ turn + off) @ np.array([[math.cos(other), math.sin(other)],
                                               [-math.sin(other), math.cos(other)]])
        left = spun - spun.mean(axis=0) - (true - true.mean(axis=0))
        assert np.square(left).sum() >= found - 1e-9


def test_true_positions_are_aligned_at_the_times_of_messages():
    believed = {1: (0.0, 0.0), 2: (4.0, 0.0), 3: (9.0, 9.0)}
    # Turned by 90 degrees. Robot 1 drives on after its last message, robot 3 has no true pose.
    tracks = {1: [(0.0, 7.0, 1.0, 0.0), (1.0, 7.0, 1.0, 0.0), (2.0, 5.0, 1.0, 0.0)],
              2: [(0.0, 7.0, 6.0, 0.0), (2.0, 7.0, 6.0, 0.0)], 3: []}
    [found, alone] = true_positions([
        Snapshot(2.0, {i: seen(i, place, 1.0) for i, place in believed.items()}),
        Snapshot(2.0, {1: seen(1, (0.0, 0.0), 1.0)})], tracks)
    # The pair is 5 m apart, not 4 m.
    assert {*found} == {1, 2} and alone == {}
    assert [*found[1], *found[2]] == pytest.approx([-0.5, 0.0, 4.5, 0.0])


def test_odometry_and_filter_errors_are_separate():
    # By odometry robot 2 is 1 m too far away along x. The filter knows better.
    drifted = {**TRUE, 2: (5.0, 0.0)}
    swarm = [Snapshot(t, {i: seen(i, TRUE[i], t, drifted[i], 0.1 * i) for i in TRUE})
             for t in (1.0, 2.0)]
    found = localisation_errors(swarm, TRACKS, {}, 4.5).between(0.0, 5.0)
    assert found.positions == pytest.approx(0.0, abs=1e-9)
    assert found.distances == pytest.approx(0.0, abs=1e-9)
    assert found.deviation == pytest.approx(0.2)
    assert found.normalised is None and found.distance_deviation is None
    # Pairs 1-2 and 1-3 are within 4.5 m, 2-3 is not: errors 1 and 0.
    assert found.distances_by_odometry == pytest.approx(math.sqrt(0.5))
    assert 0.2 < found.positions_by_odometry < math.sqrt(1 / 3)


def test_position_is_compared_with_the_truth_at_the_time_of_its_message():
    moving = {i: [(0.0, x, y, 0.0), (2.0, x + 2.0 * i, y, 0.0)] for i, (x, y) in TRUE.items()}
    views = {i: seen(i, (TRUE[i][0] + i * heard, TRUE[i][1]), heard)
             for i, heard in ((1, 1.0), (2, 0.25), (3, 0.5))}
    found = localisation_errors([Snapshot(1.0, views)], moving, {}, math.inf).between(0.0, 2.0)
    assert found.positions_by_odometry == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize('track', [
    [(3.0, 0.0, 0.0, 0.0), (4.0, 0.0, 0.0, 0.0)],
    [(0.0, 9.0, 9.0, 0.0), (0.5, 9.0, 9.0, 0.0), (4.0, 9.0, 9.0, 0.0)],
    [(0.0, math.nan, 0.0, 0.0), (4.0, 0.0, 0.0, 0.0)]],
    ids=['before it begins', 'in a gap', 'not finite'])
def test_errors_skip_unknown_true_positions(track):
    found = localisation_errors(snapshots({1: (0.0, 0.0), 2: (5.0, 0.0)}),
                                {1: TRACKS[1], 2: track}, {}, math.inf)
    assert found.empty


def test_published_distances_are_compared_with_true_ones_and_their_own_deviations():
    rows = {1: [(1.0, 2, 4.2, 0.1), (1.0, 3, 3.0, 0.1), (1.0, 9, 1.0, 0.5)],
            3: [(2.0, 1, 2.9, 0.1), (2.0, 2, 5.4, 0.1), (2.0, 1, math.nan, 0.1)]}
    found = localisation_errors(snapshots(TRUE, dead_reckoned=(0.0, 0.0)), TRACKS, rows, 4.5)
    share = found.between(0.0, 5.0)
    # 2 and 3 are 5 m apart: out of range. The true place of 9 is not known.
    assert share.distances == pytest.approx(math.sqrt((0.2 ** 2 + 0.0 + 0.1 ** 2) / 3))
    assert share.normalised == pytest.approx((4.0 + 0.0 + 1.0) / 3)
    assert share.distance_deviation == pytest.approx((0.1 * 4 + 0.5) / 5)
    # A deviation of zero makes no normalised error.
    zero = localisation_errors([], TRACKS, {1: [(1.0, 2, 4.2, 0.0)]}, math.inf).between(0.0, 2.0)
    assert zero.normalised is None and zero.distances == pytest.approx(0.2)


def test_interval_end_is_exclusive_except_for_the_last():
    errors = LocalisationErrors()
    errors.add('deviation', [0.0, 1.0, 3.0], [1.0, 2.0, 4.0])
    assert [(s.begin, s.deviation) for s in errors.over_time(0.0, 4.0, 4)] == [
        (0.0, 1.0), (1.0, 2.0), (3.0, 4.0)]
    errors.add('deviation', 4.0, [6.0])
    assert errors.over_time(0.0, 4.0, 4)[-1].deviation == 5.0


def test_report_lines_are_aligned_with_gaps_for_unknown_values():
    errors = LocalisationErrors()
    errors.add('deviation', [0.0, 1.0], [0.25, 0.75])
    errors.add('positions', [0.0], [1.0])
    shares = [errors.between(0.0, 1.0), errors.between(1.0, 2.0), errors.between(0.0, 2.0)]
    lines = list(localisation_lines(shares, 2.5))
    assert 'pairs within 2.5 m' in lines[1]
    assert lines[-1].split() == ['overall', '-', '1.00', '-', '-', '0.50', '-', '-']
    assert {len(line) for line in lines[2:]} == {79}
    assert 'within' not in ''.join(localisation_lines(shares, math.inf))
    assert list(localisation_lines([], 2.5)) == []
