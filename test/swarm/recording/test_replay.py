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

"""A swarm is run once more: by which clock, which robots, by which algorithm and radius."""

import json

from leader_election.swarm.recording.mcap_files import RecordingError
from leader_election.swarm.recording.options import (
    is_recorded,
    ODOMETRY,
    RecorderParameters,
    ReplaySettings,
)
from leader_election.swarm.recording.replay import is_relevant, Replay
from leader_election.swarm.recording.replay_command import main
from PIL import Image
import pytest
from swarm.recording.made import distances, entries, pose, replay, tick, truth, word, write
from test_packaging import VIEW, without


def test_recording_of_several_swarms_needs_a_choice():
    said = entries((0.0, '/a/neighbourhood', word(1, 1)), (0.5, '/b/neighbourhood', word(2, 2)))
    with pytest.raises(RecordingError, match='/a/neighbourhood, /b/neighbourhood; choose one'):
        replay(said, ReplaySettings())
    assert list(replay(said[1:], ReplaySettings()).snapshots[-1].robots) == [2]


def test_algorithm_is_read_from_the_messages():
    said = word(1, 1)
    said.data = '{"v":1,"id":1,"frame":"map","a":"classic","c":[1,9.0,0.0,0.0,1]}'
    run = replay(entries((0.0, '/neighbourhood', said)), ReplaySettings())
    assert run.traffic.messages == 1
    strange = word(1, 1)
    strange.data = said.data.replace('classic', 'none')
    with pytest.raises(RecordingError, match="elect by 'none'"):
        replay(entries((0.0, '/neighbourhood', strange)), ReplaySettings())
    nonsense = word(1, 1)
    nonsense.data = 'nonsense'
    with pytest.raises(RecordingError, match='no message on /neighbourhood is one of a robot'):
        replay(entries((0.0, '/neighbourhood', nonsense)), ReplaySettings())
    # Whatever came first.
    run = replay(entries((0.0, '/neighbourhood', nonsense), (0.1, '/neighbourhood', strange),
                         (0.2, '/neighbourhood', said)), ReplaySettings())
    assert list(run.snapshots[-1].robots) == [1] and run.traffic[::2] == (3, 2)


def test_distances_are_those_of_the_robot_in_whose_namespace_they_were_published():
    run = replay(entries(
        (0.0, '/neighbourhood', word(1, 1)), (1.0, '/robot_1/neighbour_distances',
                                              distances((2, 4.2, 0.1), (3, 1.0, 0.2))),
        (2.0, '/robot_1/neighbour_distances', distances()),
        (3.0, '/neighbourhood', word(1, 1))), ReplaySettings())
    assert run.distances == {1: [(1.0, 2, 4.2, 0.1), (1.0, 3, 1.0, 0.2)]}


@pytest.mark.parametrize('rows', [[1.0, 2.0], [float('nan'), 1.0, 1.0], [float('inf'), 1.0, 1.0]])
def test_distances_of_another_form_are_counted(rows):
    message = distances()
    message.data = rows
    processor = Replay(ReplaySettings())
    for entry in entries((0.0, '/neighbourhood', word(1, 1)),
                         (1.0, '/robot_1/neighbour_distances', message)):
        processor.add(entry)
    assert processor.mismatched == 1 and processor.run().distances == {}


def test_true_positions_may_be_poses_of_another_name():
    said = entries((0.0, '/neighbourhood', word(1, 1)), (0.5, '/robot_1/mocap', pose((1.0, 2.0))),
                   (0.6, '/robot_1/ground_truth', truth((3.0, 4.0))),
                   (1.0, '/neighbourhood', word(1, 1)))
    for settings, place in ((ReplaySettings(), (0.6, 3.0, 4.0, 0.0)),
                            (ReplaySettings(truth='mocap'), (0.5, 1.0, 2.0, 0.0))):
        heard = [each for each in said if is_relevant(each.topic, each.kind, settings)]
        assert len(heard) == 3
        [found] = replay(heard, settings).true_tracks[1]
        assert found == pytest.approx(place)


# The command line of ``replay``.

@pytest.mark.parametrize('options', [['--to', '-1'], ['--from', '3', '--to', '3'],
                                     ['--look', '0'], ['--look', '1e-8'], ['--radius', 'far'], []])
def test_wrong_option_is_refused(options, capsys):
    with pytest.raises(SystemExit) as ended:
        main(['run.mcap', *options] if options else [])
    assert ended.value.code == 2 and 'error: ' in capsys.readouterr().err


@pytest.mark.parametrize(('topic', 'kind'), [
    ('/robot_3/odometry/cooperative', ODOMETRY), ('/robot_3/ground_truth', ODOMETRY),
    ('/robot_3/neighbour_distances', 'std_msgs/msg/Float64MultiArray'),
    ('/robot_3/measurements', 'std_msgs/msg/Float64MultiArray')])
def test_topics_of_localisation_are_recorded(topic: str, kind: str) -> None:
    assert is_recorded(topic, kind, RecorderParameters())
    assert is_recorded(topic, kind, RecorderParameters(odom_rate=0.0)) == (kind != ODOMETRY)


def test_other_odometry_is_not_recorded() -> None:
    assert not is_recorded('/robot_3/odometry', ODOMETRY, RecorderParameters())
    assert not is_recorded('/robot_3/odometry/filtered', ODOMETRY, RecorderParameters())


# A recording is shown once more: what came of it, in numbers and in pictures.

def test_pictures_are_drawn(recorded, tmp_path, capsys):
    files = [tmp_path / name for name in ('p.png', 'a.gif', 't.png')]
    assert main([str(recorded), '--from', '16', '--look', '1', *(word for option, file in zip(
        ('--picture', '--animation', '--timeline'), files) for word in (option, str(file)))]) == 0
    sizes = []
    for file in files:
        with Image.open(file) as image:
            sizes.append((image.width, getattr(image, 'n_frames', 1)))
    assert sizes[0] == (1600, 1) and sizes[1][0] == 800 and 3 <= sizes[1][1] <= 7


@pytest.mark.parametrize(
    'option', ['--picture', '--animation', '--timeline', '--localisation', '--report'])
def test_unwritable_output_is_named(option, recorded, tmp_path, capsys):
    for path, why in (('/dev/full', 'No space left on device'),
                      (str(tmp_path / 'no' / 'file'), 'No such file or directory')):
        assert main([str(recorded), option, path, '--from', '18']) == 2
        assert capsys.readouterr().err == f'error: {path}: {why}\n'
    path = tmp_path / 'file'
    assert main([str(recorded), option, str(path), '--from', '18']) == 0
    assert list(tmp_path.iterdir()) == [path], 'it is called as was asked for'


def test_without_truth_and_deviations_there_are_no_errors_to_draw(tmp_path, capsys):
    file, chart = tmp_path / 'run.mcap', tmp_path / 'chart.png'
    write(file, [(float(second), '/neighbourhood', word(1, 1)) for second in range(4)])
    assert main([str(file), '--localisation', str(chart)]) == 2
    out, err = capsys.readouterr()
    assert err == (f'error: {chart}: there is nothing to draw: the recording holds neither true '
                   'positions nor deviations\n')
    assert '1 robot' in out and 'localisation' not in out and not chart.exists()


def test_truncated_recording_is_reported_and_shown(recorded, tmp_path, capsys):
    cut = tmp_path / 'cut.mcap'
    cut.write_bytes(recorded.read_bytes()[:recorded.stat().st_size // 4])
    assert main([str(cut), '--json']) == 0
    out, err = capsys.readouterr()
    seconds = json.loads(out)['duration']
    assert 3.0 < seconds < 15.0
    assert err.startswith(
        f'warning: {cut} is cut off or damaged; the intact part was read, up to ')
    assert err.count('\n') == 1 and f'up to {seconds:.1f} s' in err


def test_recording_without_a_swarm_is_one_line_and_status_2(tmp_path, capsys):
    silent = write(tmp_path / 'silent.mcap', [(0.0, '/clock', tick(1.0))])
    other = write(tmp_path / 'other.mcap', [(0.0, '/neighbourhood', word(1, 1))])
    for file, options, line in (
            (silent, [], 'there are no messages of robots in it, on a topic neighbourhood'),
            (other, ['--topic', '/said'], 'there are no messages of robots in it, on /said'),
            (tmp_path / 'none.mcap', [], 'No such file')):
        assert main([str(file), *options]) == 2
        out, err = capsys.readouterr()
        assert out == '' and err.startswith('error: ') and err.count('\n') == 1 and line in err


def test_replay_needs_no_ros_and_says_what_it_lacks(recorded):
    code = (f'import sys\nsys.argv = ["replay", {str(recorded)!r}]\n'
            'from leader_election import cli\nsys.exit(cli.run("replay"))')
    ran = without(('rclpy', 'std_msgs'), code)
    assert (ran.returncode, ran.stderr) == (0, '') and '4 robots' in ran.stdout
    ran = without(('mcap', *VIEW, 'shapely'), code)
    assert (ran.returncode, ran.stdout) == (2, '')
    assert ran.stderr == ('error: replay needs mcap, matplotlib, pillow, rich, shapely; '
                          "install it with: pip install 'leader_election[record]' "
                          '(beside a sourced ROS 2, in python3 -m venv --system-site-packages)\n')
