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

"""Sightings and landmarks in logs."""

import math
from pathlib import Path

from leader_election.parameters import ParameterError
from leader_election.simulation.logged_sightings import (
    LoggedSightings,
    read_scene_landmarks,
    read_sightings,
)
from leader_election.simulation.parameters import WorldParameters
from leader_election.simulation.world import World
import numpy as np
import pytest

LOG = 't,v,omega,x,y,theta\n0,0,0,0,0,0\n9,0,0,0,0,0\n'
HEADER = 't,subject,range,bearing\n'
LANDMARKS = 'subject,x,y\n7,1,2\n8,3,4\n'


def folder(tmp_path: Path, robots: tuple[str, ...] = ('robot_1', 'robot_2'),
           **files: str) -> Path:
    """Write logs of robots, and files of measurements by their names."""
    (tmp_path / 'measurements').mkdir()
    for robot in robots:
        (tmp_path / f'{robot}.csv').write_text(LOG)
    for name, text in files.items():
        (tmp_path / 'measurements' / f'{name}.csv').write_text(text)
    return tmp_path


def errors(logs: str) -> tuple[float, float]:
    """Return the median errors of ranges and bearings of robots in a minute [m, rad]."""
    world = World(WorldParameters(logs=logs, logged_sightings=True))
    off = []
    while world.time < 60.0:
        world.step()
        for row, subject, distance, bearing in world.sightings(range(5)).tolist():
            if subject <= 5:
                x, y = world.poses[int(subject) - 1, :2] - world.poses[int(row), :2]
                turn = math.remainder(
                    math.atan2(y, x) - world.poses[int(row), 2] - bearing, math.tau)
                off.append((abs(math.hypot(x, y) - distance), abs(turn)))
    assert len(off) > 100
    distance, bearing = np.median(off, axis=0).tolist()
    return distance, bearing


def test_sightings_of_the_sample_are_near_the_truth():
    distance, bearing = errors('physics5')
    assert 0.01 < distance < 0.15 and 0.005 < bearing < 0.03


def test_real_sightings_are_near_the_truth(real_logs):
    distance, bearing = errors(real_logs)
    assert distance < 0.1 and bearing < 0.03


def test_sightings_are_replayed_once_in_their_order(tmp_path):
    logs = str(folder(
        tmp_path, robot_1=HEADER + '2.0,2,1.5,\n1.0,2,1.0,0.5\n0.5,2,9,9\n',
        robot_2=HEADER + '1.05,1,,-0.5\n1.05,7,2,0\n', landmarks=LANDMARKS))
    replay = LoggedSightings(read_sightings(logs, (1, 2)), 0.9)
    poses = np.zeros((2, 3))
    both = [0, 1]
    assert replay.observe(0.05, poses, both).tolist() == []
    first = replay.observe(0.15, poses, both)
    assert first[:, :2].tolist() == [[0, 2], [1, 1], [1, 7]]
    np.testing.assert_equal(first[:, 2:], [[1.0, 0.5], [math.nan, -0.5], [2.0, 0.0]])
    assert replay.observe(0.2, poses, both).tolist() == []
    # What no observer takes is over, too.
    assert replay.observe(1.1, poses, [1]).tolist() == []
    assert replay.observe(9.0, poses, both).tolist() == []


def test_sighting_is_left_out_when_its_subject_has_no_log(tmp_path):
    logs = str(folder(tmp_path, ('robot_3', 'robot_11'), landmarks=LANDMARKS,
                      robot_11=HEADER + '1,3,1,0\n1,7,2,0\n1,5,3,0\n1,40,3,0\n1,3.5,3,0\n'))
    assert read_sightings(logs, (40, 41)).tolist() == [[1, 1, 40, 1, 0], [1, 1, 7, 2, 0]]


def test_sightings_are_read_without_a_column_of_bearings(tmp_path):
    logs = str(folder(tmp_path, robot_1='t,range,subject\n1,2.5,2\n'))
    np.testing.assert_equal(read_sightings(logs, (1, 2)), [[1.0, 0.0, 2.0, 2.5, math.nan]])


def test_landmark_beside_the_logs_is_no_robot(tmp_path):
    logs = folder(tmp_path, robot_1=HEADER + '1,8,2,0\n')
    (logs / 'landmarks.csv').write_text('id,x,y\n8,1,2\n')
    assert read_scene_landmarks(str(logs), '', (1, 2)) == {8: (1.0, 2.0)}
    world = World(WorldParameters(logs=str(logs), logged_sightings=True))
    assert world.scene.ids == (1, 2)
    for _ in range(10):
        world.step()
    assert world.sightings([0, 1]).tolist() == [[0, 8, 2, 0]]


@pytest.mark.parametrize(('text', 'problem'), [
    ('t,bearing\n', 'line 1: missing columns subject'),
    (HEADER + '1,2,far,0\n', "line 2: range is not a finite number: 'far'"),
])
def test_sighting_is_refused_with_file_and_line_when_wrong(tmp_path, text, problem):
    logs = folder(tmp_path, robot_1=text)
    with pytest.raises(ParameterError) as error:
        read_sightings(str(logs), (1, 2))
    said = str(error.value)
    assert said.startswith(f'log {logs / "measurements" / "robot_1.csv"}: {problem}')
    assert len(said.splitlines()) == 1


@pytest.mark.parametrize(('robots', 'files', 'problem'), [
    (('robot_1',), {}, 'parameter logged_sightings: no sightings in '),
    (('a', 'b'), {'a': HEADER}, 'a number of its own'),
    (('a_1', 'b_1'), {'a_1': HEADER}, 'a number of its own'),
    (('robot_1',), {'robot_1': HEADER, 'landmarks': 'subject,x\n'}, 'landmarks.csv: line 1: '),
    (('robot_1',), {'robot_1': HEADER, 'landmarks': 'id,x,y\n1,0,0\n'},
     'landmark 1 has the id of a robot'),
])
def test_folder_is_refused_when_unusable(tmp_path, robots, files, problem):
    logs = str(folder(tmp_path, robots, **files))
    with pytest.raises(ParameterError) as error:
        World(WorldParameters(logs=logs, logged_sightings=True))
    assert problem in str(error.value) and len(str(error.value).splitlines()) == 1


def test_landmarks_of_a_file_replace_those_of_the_logs(tmp_path):
    path = tmp_path / 'places.csv'
    path.write_text(LANDMARKS)
    assert read_scene_landmarks('physics5', str(path), (1, 2)) == {7: (1.0, 2.0), 8: (3.0, 4.0)}
    assert len(read_scene_landmarks('physics5', '', (1, 2))) == 16
    assert read_scene_landmarks('', '', (1, 2)) == {}
    with pytest.raises(ParameterError, match='^parameter landmarks: nowhere.csv: '):
        read_scene_landmarks('', 'nowhere.csv', ())


def test_landmarks_are_read_when_spaces_follow_commas_and_ids_have_points(tmp_path):
    path = tmp_path / 'table.csv'
    path.write_text('\ufeffid, x, y\n1.0, 2, 3\n')
    assert read_scene_landmarks('', str(path), ()) == {1: (2.0, 3.0)}


@pytest.mark.parametrize(('text', 'problem'), [
    ('id,x,y\n1,2,3\n1,8,9\n', 'line 3: id 1 is there twice'),
    ('id,x,y\n1,2,3\n2.5,8,9\n', 'line 3: not a whole number'),
    ('id,x,y\n1,2,far\n', "line 2: not a number: 'far'"), ('id,x,y\n', 'line 2: no rows'),
    ('id,x,y\n1,nan,2\n', 'line 2: nan, 2 is no place'),
    ('id,x,y,z\n1,2,3,1e5\n', 'line 2: 2, 3, 100000 is no place'),
    ('id;x;y\n1;2;3\n', 'line 1: missing columns x, y; it takes names between commas: '),
    ('x,y\n2,3\n', 'line 1: it takes the columns id, x, y')])
def test_landmarks_are_refused_with_their_line(tmp_path, text, problem):
    path = tmp_path / 'table.csv'
    path.write_text(text)
    with pytest.raises(ParameterError, match=f'^parameter landmarks: .*table.csv: {problem}'):
        read_scene_landmarks('', str(path), ())


def test_sightings_are_refused_when_all_are_outside_of_the_logs(tmp_path):
    logs = str(folder(tmp_path, ('robot_1', 'robot_2'), robot_1=HEADER + '5e9,2,1.5,0.1\n'))
    with pytest.raises(ParameterError, match='no sighting is within the time of the logs, .* one '
                       r'is at 5000000000 s \(nanoseconds\?\)'):
        World(WorldParameters(logs=logs, logged_sightings=True))


@pytest.mark.parametrize(('settings', 'problem'), [
    ({'logged_sightings': True}, 'parameter logs is missing; logged_sightings needs it'),
    ({'logs': 'physics5', 'logged_sightings': True, 'carried_robots': '2'},
     'parameter carried_robots: 2 is not allowed with logged_sightings'),
])
def test_settings_are_refused_when_contradictory(settings, problem):
    with pytest.raises(ParameterError, match=problem):
        WorldParameters(**settings)  # type: ignore[arg-type]
