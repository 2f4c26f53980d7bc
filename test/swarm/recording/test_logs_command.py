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

"""The command ``logs``: conversion, and noise out of logs and recordings."""

import math
from pathlib import Path
from typing import Any

from leader_election.localisation.noise_estimation import Estimate, estimate, Figure
from leader_election.localisation.parameters import LocalisationParameters
from leader_election.localisation.recorded_errors import Recorded
from leader_election.parameters import build
from leader_election.simulation.parameters import WorldParameters
from leader_election.simulation.robot_logs import LogError, logs_folder
from leader_election.swarm.recording.logs_command import (
    as_yaml,
    from_logs,
    from_recording,
    main,
    Topics,
)
from leader_election.swarm.recording.noise_check import checked, quality
from nav_msgs.msg import Odometry
import numpy as np
import pytest
from std_msgs.msg import Float64MultiArray, MultiArrayDimension
from swarm.recording.made import pose, Said, status, write
import yaml


def placed(message: Any, pose: Any, x: float, y: float, yaw: float) -> Any:
    """Return a message whose pose is set."""
    pose.position.x, pose.position.y = x, y
    pose.orientation.w, pose.orientation.z = math.cos(0.5 * yaw), math.sin(0.5 * yaw)
    return message


def odometry(x: float, y: float, yaw: float) -> Odometry:
    message = Odometry()
    return placed(message, message.pose.pose, x, y, yaw)


def ranges(*numbers: float) -> Float64MultiArray:
    return Float64MultiArray(data=list(numbers))


def sightings(*numbers: float) -> Float64MultiArray:
    message = ranges(*numbers)
    message.layout.dim = [
        MultiArrayDimension(label='sightings', size=len(numbers) // 3, stride=len(numbers)),
        MultiArrayDimension(label='id,range,bearing', size=3, stride=3)]
    return message


def two_robots(seconds: int = 40) -> list[Said]:
    """Return two robots, 4 m from each other; one drives in circles, odometry 5 % too long."""
    said: list[Said] = []
    for second in range(seconds):
        yaw = 0.2 * second
        x, y = 1.5 * math.sin(yaw), 1.5 - 1.5 * math.cos(yaw)
        said += [
            (second, '/robot_1/odom', odometry(1.05 * x, 1.05 * y, yaw)),
            (second, '/robot_1/ground_truth', odometry(x, y, yaw)),
            (second, '/robot_2/odom', odometry(0.0, 0.0, 0.0)),
            (second, '/robot_2/ground_truth', odometry(4.0, 0.0, 0.0)),
            (second + 0.5, '/robot_2/measurements', sightings(
                1.0, 4.0, math.nan, 9.0, 1.0, 0.5)),
            (second + 0.5, '/robot_1/measurements', ranges(2.0, 4.0))]
    return said


def test_recording_is_converted_to_logs(tmp_path):
    found = from_recording(write(tmp_path / 'run.mcap', two_robots()), Topics())
    assert (list(found.robots), found.landmarks) == ([1, 2], {})
    assert found.length == pytest.approx(39.5)
    one = found.robots[1]
    assert one.odometry[3].tolist() == pytest.approx(
        [3.0, 1.05 * 1.5 * math.sin(0.6), 1.05 * (1.5 - 1.5 * math.cos(0.6)), 0.6])
    # Its yaw is continuous over more than one turn.
    assert one.reference[-1, 3] == pytest.approx(0.2 * 39)
    assert one.sightings[0].tolist() == pytest.approx([0.5, 2.0, 4.0, math.nan], nan_ok=True)
    assert found.robots[2].sightings[:2].tolist() == [
        pytest.approx([0.5, 1.0, 4.0, math.nan], nan_ok=True), [0.5, 9.0, 1.0, 0.5]]
    assert found.warnings == ('poses were recorded every 1.0 s only, and turns in between are not '
                              'known; record with --odom-rate 10',)


def test_reference_of_another_topic_and_type_is_read(tmp_path):
    """Ids are those of diagnostics, or the numbers at the end of namespaces."""
    said: list[Said] = [(0.0, '/diagnostics', status(7, 'alice', rounds=1))]
    for tenth in range(30):
        said += [(0.1 * tenth, '/alice/wheels', odometry(0.1 * tenth, 0.0, 0.0)),
                 (0.1 * tenth, '/alice/mocap', pose((0.1 * tenth, 1.0)))]
    path = write(tmp_path / 'run.mcap', said)
    found = from_recording(path, Topics(odometry='wheels', reference='/*/mocap'))
    assert list(found.robots) == [7]
    assert found.robots[7].reference[-1].tolist() == pytest.approx([2.9, 2.9, 1.0, 0.0])
    assert found.warnings == ()
    with pytest.raises(LogError, match=r'no robot has both odometry \(odom: 0 robots\) and a '
                       r'reference \(ground_truth: 0 robots\)$'):
        from_recording(path, Topics())


def test_the_parameter_file_is_one_that_a_robot_takes(tmp_path, capsys):
    path = write(tmp_path / 'run.mcap', two_robots(60))
    assert main(['noise', str(path), '--window', '2']) == 0
    text = capsys.readouterr().out
    values = yaml.safe_load(text)['/**']['ros__parameters']
    assert build(LocalisationParameters, values).odometry_noise_position > 0.0
    assert list(values) == [
        'odometry_noise_position', 'odometry_noise_turn', 'odometry_noise_heading',
        'odometry_noise_rest', 'range_noise', 'range_noise_scale', 'bearing_noise']
    assert values['bearing_noise'] == LocalisationParameters.bearing_noise
    assert '# not compared with the defaults: --check replays the recording with both' in text
    assert '# odometry: the true way is 0.952 of that reported' in text
    assert '# warning: poses were recorded every 1.0 s only' in text
    assert '    # the default: nothing was recorded\n    bearing_noise: 0.04\n' in text


def test_logs_are_read_with_their_sightings():
    found = from_logs('physics5')
    assert (list(found.robots), found.length, len(found.landmarks)) == ([1, 2, 3, 4, 5], 120.0, 16)
    one = found.robots[1]
    assert one.odometry[0, 1:].tolist() == one.reference[0, 1:].tolist()
    assert set(one.sightings[:, 1]) - set(found.landmarks) <= {2.0, 3.0, 4.0, 5.0}


def test_noise_of_the_sample_is_estimated(capsys):
    """The cameras' is that of the model that made the sightings; that of wheels was simulated."""
    assert main(['noise', 'physics5']) == 0
    values = yaml.safe_load(capsys.readouterr().out)['/**']['ros__parameters']
    sensor = WorldParameters()
    assert values['range_noise'] == pytest.approx(sensor.camera_noise, rel=0.2)
    assert values['range_noise_scale'] == pytest.approx(sensor.camera_noise_scale, rel=0.1)
    assert values['bearing_noise'] == pytest.approx(sensor.camera_bearing_noise, rel=0.1)
    assert 0.005 < values['odometry_noise_position'] < 0.03
    assert 0.01 < values['odometry_noise_turn'] < 0.04


def test_noise_of_real_robots_is_estimated(real_logs, capsys):
    """Ranges by the camera are off by some 5 %, bearings by 0.01 rad."""
    assert main(['noise', real_logs]) == 0
    values = yaml.safe_load(capsys.readouterr().out)['/**']['ros__parameters']
    assert 0.03 < values['odometry_noise_position'] < 0.15
    assert 0.02 < values['range_noise_scale'] < 0.08
    assert 0.005 < values['bearing_noise'] < 0.03


@pytest.fixture(scope='module')
def minute(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the logs of the package, the first half."""
    folder = tmp_path_factory.mktemp('minute')
    with logs_folder('physics5') as logs:
        for path in [*logs.glob('*.csv'), *logs.glob('measurements/*.csv')]:
            head, *rows = path.read_text().splitlines()
            kept = rows if path.name == 'landmarks.csv' else [
                row for row in rows if float(row.split(',')[0]) <= 60.0]
            target = folder / path.relative_to(logs)
            target.parent.mkdir(exist_ok=True)
            target.write_text('\n'.join([head, *kept]))
    return folder


def test_a_recording_in_which_odometry_does_not_go_with_true_poses_is_refused(
        minute, tmp_path, capsys):
    """Odometry reports a tenth of the turns, and the front of the reference is off by 0.3 rad."""
    for path in minute.glob('robot_*.csv'):
        rows = np.loadtxt(path, delimiter=',', skiprows=1)
        rows[:, 2] *= 0.1
        rows[:, 5] += 0.3
        np.savetxt(tmp_path / path.name, rows, delimiter=',', header='t,v,omega,x,y,theta',
                   comments='')
    assert main(['noise', str(tmp_path)]) == 2
    written = capsys.readouterr()
    assert written.out == '' and written.err.count('\n') == 1
    assert written.err.startswith('error: windows of odometry: 100% of 30 fit no noise, so there '
                                  'is no estimate; it needs odometry and true poses that belong')
    assert 'the true turn is 8.' in written.err or 'the true turn is 9.' in written.err


def test_check_keeps_the_better_parameters(minute):
    found = from_logs(str(minute))
    estimated = estimate(found.robots, found.landmarks)
    kept = checked(estimated, found.robots)
    assert kept.notes[0].startswith('replayed: same leader as by true poses, RMS error')
    bad = estimated._replace(figures=tuple(
        figure._replace(value=1.0)
        for figure in estimated.figures))
    refused = checked(bad, found.robots)
    assert refused.notes[0].endswith('the defaults are kept')
    assert [figure.value for figure in refused.figures] == [
        getattr(LocalisationParameters, figure.name) for figure in estimated.figures]
    assert all(figure.kept for figure in refused.figures)


def test_a_replay_with_true_odometry_and_ranges_has_no_errors(minute):
    """The robots' odometry is in frames of their own."""
    frame = np.array((0.0, 3.0, -2.0, 0.5))
    exact = {}
    for robot, each in from_logs(str(minute)).robots.items():
        moved = each.reference.copy()
        x, y = moved[:, 1].copy(), moved[:, 2].copy()
        moved[:, 1] = math.cos(0.5) * x - math.sin(0.5) * y
        moved[:, 2] = math.sin(0.5) * x + math.cos(0.5) * y
        exact[robot] = Recorded(moved + frame, each.reference)
    found = quality(exact, 2.5, {})
    # A neighbour's last position is up to a second old.
    assert found.error < 0.15 and found.leaders > 0.9


def test_check_names_what_it_lacks(minute, tmp_path, capsys):
    for path in minute.glob('robot_*.csv'):
        (tmp_path / path.name).write_text(path.read_text())
    assert main(['noise', '--check', str(tmp_path)]) == 2
    assert capsys.readouterr().err == ('error: the check needs sightings of robots by each other, '
                                       'and this recording has none\n')


def test_parameter_file_has_rounded_numbers_with_comments():
    result = Estimate((
        Figure('odometry_noise_rest', 1e-6, 90, 0.0, 2e-6),
        Figure('range_noise', 0.0123456, 1000, 0.0, 0.0123456, at_most=True),
        Figure('odometry_noise_turn', 2.0, 30, kept='it is hidden')), ('a note',), 10.0)
    assert as_yaml(result, 'Title', ['slow']) == (
        '# Title\n# warning: slow\n# a note\n/**:\n  ros__parameters:\n'
        '    # 95 %: 0.0 to 2.0e-06 (m, rad)/sqrt(s), by 90 samples\n'
        '    odometry_noise_rest: 1.0e-06\n'
        '    # 95 %: at most 0.0123 m, by 1000 samples\n    range_noise: 0.0123\n'
        '    # the default: it is hidden\n    odometry_noise_turn: 2.0\n')


@pytest.mark.parametrize(('arguments', 'error'), [
    (['noise', 'nowhere'], 'nowhere: No such file or directory'),
    (['noise', '.', '--landmarks', 'x.csv'], '. holds no file *.mcap'),
    (['convert', '.', 'out'], '.: no data set of MRCLAM: Robot1_Odometry.dat is missing'),
    (['noise', 'physics5', '--window', '0.5'], 'takes whole seconds, 1 to 3600'),
    (['convert', 'a', 'b', '--rate', '-1'], "'-1' is not allowed; it takes more than 0"),
    ([], 'required: COMMAND'),
])
def test_unreadable_input_and_wrong_options_are_one_line(
        arguments, error, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    try:
        status = main(arguments)
    except SystemExit as ended:
        status = ended.code
    written = capsys.readouterr().err
    assert status == 2
    assert written.startswith('error: ') and error in written and written.count('\n') == 1


def test_conversion_reports_what_it_left_out(tmp_path, capsys):
    source = tmp_path / 'set'
    source.mkdir()
    (source / 'Barcodes.dat').write_text('1 5\n')
    (source / 'Landmark_Groundtruth.dat').write_text('6 1 2 0 0\n')
    (source / 'Robot1_Odometry.dat').write_text('100 0.1 0\n')
    (source / 'Robot1_Groundtruth.dat').write_text('100 0 0 0\n102 0.2 0 0\n')
    (source / 'Robot1_Measurement.dat').write_text('101 77 1 0\n')
    assert main(['convert', str(source), str(tmp_path / 'logs')]) == 0
    assert capsys.readouterr().out == (
        f'{tmp_path}/logs: robots 1; 2.0 s from 100.000 s of the data set on; 0 sightings\n'
        '1 sightings of unknown barcodes left out\n'
        '1 gaps of more than a second in true paths, interpolated\n')
    assert np.allclose(from_logs(str(tmp_path / 'logs')).robots[1].odometry[-1, 1:], [0.2, 0, 0])
