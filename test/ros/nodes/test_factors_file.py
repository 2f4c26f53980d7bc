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

"""Robots over real DDS that keep the factors of their odometry over a restart."""

import json
import math
from pathlib import Path
import shutil
from typing import Any

from diagnostic_msgs.msg import DiagnosticStatus
from leader_election.localisation.odometry_errors import (
    Factors,
    Kept,
    LONGEST,
    START,
    text_of,
    WALK,
)
from leader_election.parameters import ParameterError
from leader_election.ros.nodes.election_node import ElectionNode
from leader_election.ros.nodes.qos import SENSOR
import numpy as np
import pytest
from ros.nodes.bench import DiagnosticsReader, robot
from std_msgs.msg import Float64MultiArray
from support import spin_until

TRUE = 0.8
"""The true distance for each metre of odometry."""
STEP = 0.1
"""The way by odometry between two messages [m]."""
LANDMARKS = {91: (0.0, 2.0), 92: (10.0, -2.0), 93: (20.0, 2.0)}


@pytest.fixture(autouse=True)
def quick(ros: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Look often whether there is anything to write."""
    monkeypatch.setattr('leader_election.ros.nodes.pose_topics.PERIOD', 0.2)


class Road(DiagnosticsReader):
    """
    Drives robot 1 along a straight line, with ranges to landmarks, and reads its diagnostics.

    :ivar sees: whether it measures.
    """

    def __init__(self) -> None:
        self.sees = True
        super().__init__('localisation')
        self._ranges = self.create_publisher(Float64MultiArray, '/r1/measurements', SENSOR)
        self.create_timer(0.05, self._measure)

    def _measure(self) -> None:
        x, y = self.places[1]
        self.places[1] = x + STEP, y
        if self.sees:
            self._ranges.publish(Float64MultiArray(data=[
                number for landmark, place in LANDMARKS.items()
                for number in (float(landmark), math.dist((TRUE * x, y), place))]))


def keeping(path: Path, tmp_path: Path) -> ElectionNode:
    places = tmp_path / 'landmarks.csv'
    places.write_text('id,x,y\n' + ''.join(
        f'{landmark},{x},{y}\n' for landmark, (x, y) in LANDMARKS.items()))
    return robot(1, pose_source='cooperative', sighting_interval=0.1,
                 landmarks=str(places), odometry_factors_file=str(path))


def distance_of(node: ElectionNode) -> tuple[float, float]:
    """Return the factor of distances that a robot has found, and its deviation."""
    factors, deviations = node.robot.sensing.source.odometry_factors
    return factors.distance, deviations.distance


def has_learnt(node: ElectionNode) -> bool:
    factor, deviation = distance_of(node)
    return abs(factor - TRUE) < 0.05 and deviation < START.distance / 2.0


def restarted(node: ElectionNode, road: Road, path: Path, tmp_path: Path) -> ElectionNode:
    """Return the node of the robot after a restart; it measures nothing yet."""
    road.sees = False
    node.destroy_node()
    again = keeping(path, tmp_path)
    spin_until([road, again], lambda: again.robot.position is not None)
    return again


def written(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text()) if path.exists() else {'factors': {'distance': 0.0}}


def test_a_robot_that_lost_its_power_begins_with_its_factors(tmp_path):
    path, road = tmp_path / '{name}_{id}.json', Road()
    file = tmp_path / 'r1_1.json'
    node = keeping(path, tmp_path)
    assert not file.exists()
    spin_until([road, node], lambda: has_learnt(node) and abs(
        written(file)['factors']['distance'] - TRUE) < 0.05)
    again = restarted(node, road, path, tmp_path)
    kept = written(file)
    factor, deviation = distance_of(again)
    assert factor == kept['factors']['distance']
    variance = kept['variances']['distance']
    assert math.sqrt(variance) < deviation < math.sqrt(variance + LONGEST * WALK.distance ** 2)
    assert sorted(each.name for each in tmp_path.iterdir()) == ['landmarks.csv', 'r1_1.json']


def test_last_factors_are_written_at_the_end(tmp_path, monkeypatch):
    monkeypatch.setattr('leader_election.ros.nodes.pose_topics.PERIOD', 3600.0)
    path, road = tmp_path / 'factors.json', Road()
    node = keeping(path, tmp_path)
    spin_until([road, node], lambda: has_learnt(node))
    assert not path.exists()
    node.close()
    factor, _ = distance_of(node)
    assert distance_of(restarted(node, road, path, tmp_path))[0] == factor


@pytest.mark.parametrize(('text', 'why'), [
    (text_of(2, Kept(Factors(1.3, 1.3, 0.1), np.full(3, 1e-6), 0.0)), 'holds those of robot 2'),
    ('robots: 20\n', 'holds no factors')])
def test_a_file_that_is_not_its_own_is_told_and_neither_used_nor_overwritten(text, why, tmp_path):
    path, road = tmp_path / 'factors.json', Road()
    path.write_text(text)
    node = keeping(path, tmp_path)
    assert distance_of(node) == (1.0, START.distance)
    spin_until([road, node], lambda: has_learnt(node) and road.says(DiagnosticStatus.WARN, why))
    node.close()
    assert path.read_text() == text


def test_factors_of_another_robot_in_the_file_stay(tmp_path):
    path, road = tmp_path / 'factors.json', Road()
    node = keeping(path, tmp_path)
    other = text_of(2, Kept(Factors(), np.full(3, 1e-6), 0.0))
    path.write_text(other)
    spin_until([road, node], lambda: road.says(
        DiagnosticStatus.WARN, 'holds those of robot 2: it is neither used nor overwritten'))
    assert path.read_text() == other


def test_a_disk_that_fails_later_is_told_until_it_works_again(tmp_path):
    folder, road = tmp_path / 'disk', Road()
    folder.mkdir()
    node = keeping(folder / 'factors.json', tmp_path)
    shutil.rmtree(folder)
    spin_until([road, node], lambda: road.says(DiagnosticStatus.WARN, 'No such file'))
    folder.mkdir()
    spin_until([road, node], lambda: road.says(DiagnosticStatus.OK, 'deviation'))
    assert written(folder / 'factors.json')['robot_id'] == 1


@pytest.mark.parametrize('path', ['{tmp}/nowhere/factors.json', '/proc/factors.json', '{tmp}'])
def test_a_folder_that_cannot_be_written_ends_the_start(path, tmp_path):
    with pytest.raises(ParameterError, match=r'^parameter odometry_factors_file: .* is not '
                       r'allowed: .*; it takes a file in a folder that can be written$'):
        keeping(Path(path.format(tmp=tmp_path)), tmp_path)


def test_factors_without_the_filter_are_refused(tmp_path):
    with pytest.raises(ParameterError, match='odometry_factors_file: .* takes pose_source coop'):
        robot(1, odometry_factors_file=str(tmp_path / 'factors.json'))
