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
from leader_election.localisation.plane import compose
from leader_election.swarm.accuracy import (
    Accuracy,
    accuracy_lines,
    compare_messages,
    nees,
    seen_from,
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


def test_absolute_errors_are_of_the_team_and_by_robot():
    accuracy = Accuracy()
    for robot, x in ((1, 3.0), (1, 5.0), (2, 1.0)):
        accuracy.add_pose(robot, (x, 0.0, 0.0), (0.0, 0.0, 0.0))
    found = accuracy.figures()
    assert found.absolute == pytest.approx(math.sqrt(35 / 3))
    assert found.robots == {1: pytest.approx(math.sqrt(17)), 2: 1.0}
    assert found.relative is found.nees_pose is found.nees_relative is None
    accuracy.add(accuracy)
    assert accuracy.figures() == found


def test_nees_is_of_known_covariances_and_unknown_ones_are_a_share():
    accuracy = Accuracy()
    for x, known in ((3.0, True), (9.0, False), (3.0, True), (9.0, False)):
        accuracy.add_pose(1, (x, 0.0, 0.0), (0.0, 0.0, 0.0), np.eye(3) if known else None,
                          not known)
    accuracy.add_pose(2, (x, 0.0, 0.0), (0.0, 0.0, 0.0))
    found = accuracy.figures()
    assert found.nees_pose == pytest.approx(3.0) and found.unknown == 0.5
    line = list(accuracy_lines({'filter': found}, None))[-1]
    assert line.split()[3:5] == ['3.00', '50%']


@given(pose, pose, pose, pose, pose)
def test_common_frame_changes_no_relative_position(frame, one, other, found, place):
    plain, moved = (compared(view(1, shift(found)), view(2, shift(place)),
                             true={1: one, 2: other})[0].relative
                    for shift in (lambda each: each, lambda each: compose(frame, each)))
    assert moved == pytest.approx(plain, abs=1e-9)
    assert math.dist(*(seen_from(compose(frame, one), compose(frame, each)[:2])
                       for each in (found, place))) == pytest.approx(
        math.dist(found[:2], place[:2]), abs=1e-9)


def test_heading_of_the_observer_counts():
    true = {1: (0.0, 0.0, 0.0), 2: (2.0, 0.0, 0.0)}
    found, _ = compared(view(1, (0.0, 0.0, 0.5)), view(2, true[2]), true=true)
    # Robot 1 sees 2 in a wrong direction, 2 sees 1 right.
    assert found.relative == pytest.approx(2.0 * 2.0 * math.sin(0.25) / math.sqrt(2))
    assert found.absolute == 0.0


def test_pairs_out_of_range_and_robots_without_truth_are_left_out():
    views = [view(i, (3.0 * i, 0.5, 0.0)) for i in (1, 2, 3)]
    true = {1: (3.0, 0.0, 0.0), 2: (6.0, 0.0, 0.0)}
    found, _ = compared(*views, true=true, reach=2.9)
    assert found.relative is None and found.robots == {1: 0.5, 2: 0.5}
    assert compared(*views, true=true, reach=3.0)[0].relative == pytest.approx(0.0)


def test_odometry_and_filter_are_told_apart_and_deviations_are_those_of_the_own_estimate():
    true = {1: (0.0, 0.0, 0.0), 2: (2.0, 0.0, 0.0)}
    plain = view(1, (0.2, 0.0, 0.1), None, 0.1, 0.1)
    filtered = view(2, (2.1, 0.0, 0.0), (3.0, 0.0, 0.0), 0.1, 0.1)
    odometry, corrected = compared(plain, filtered, true=true)
    assert odometry.robots == {1: pytest.approx(0.2), 2: 1.0}
    assert odometry.nees_pose == pytest.approx((4.0 + 1.0) / 3)
    assert corrected.robots == {2: pytest.approx(0.1)}
    assert corrected.nees_pose == pytest.approx(1.0 / 3)


def test_nees_of_right_covariances_is_one():
    rng = np.random.default_rng(1)
    root = rng.standard_normal((3, 3))
    values = [nees(root @ rng.standard_normal(3), root @ root.T) for _ in range(4000)]
    # Its variance is 2 / 3: four standard errors.
    assert np.mean(values) == pytest.approx(1.0, abs=4 * math.sqrt(2 / 3 / 4000))


def test_lines_are_left_out_without_a_figure():
    found = compared(view(1, (0.0, 3.0, 0.0)), true={1: (0.0, 0.0, 0.0)})
    lines = list(accuracy_lines(dict(zip(('odometry', 'filter'), found)), 2.5))
    assert 'within 2.5 m' in lines[0] and len(lines) == 4
    assert lines[-1].split() == ['odometry', '-', '3.00', '-', '-', '1:', '3.00']
    assert list(accuracy_lines({'filter': found[1]}, None)) == []
