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
import math

from leader_election.parameters.command_line import how_to_install
from leader_election.swarm.recording import replay_command
from leader_election.swarm.recording.content import content, ODOMETRY, RecordingError
from leader_election.swarm.recording.options import is_recorded, RecorderParameters, ReplaySettings
from leader_election.swarm.recording.replay import is_relevant, Replay
from leader_election.swarm.recording.replay_command import main
from leader_election.swarm.recording.report import report
import pytest
from swarm.recording.made import (
    arena,
    distances,
    entries,
    pose,
    replay,
    status,
    story,
    tick,
    truth,
    word,
    write,
)
from test_packaging import VIEW, without


def test_recorded_pose_has_no_heading_when_its_quaternion_is_zero() -> None:
    message = truth((1.0, 2.0))
    message.pose.pose.orientation.w = 0.0
    x, y, yaw = content(ODOMETRY, message)
    assert (x, y) == (1.0, 2.0) and math.isnan(yaw)


def test_replay_asks_for_a_topic_when_several_swarms_are_recorded():
    said = entries((0.0, '/a/neighbourhood', word(1, 1)), (0.5, '/b/neighbourhood', word(2, 2)))
    with pytest.raises(RecordingError, match='/a/neighbourhood, /b/neighbourhood; choose one'):
        replay(said, ReplaySettings())
    assert list(replay(said[1:], ReplaySettings()).snapshots[-1].robots) == [2]


def test_algorithm_is_read_from_the_messages():
    said = word(1, 1)
    said.data = '{"v":1,"id":1,"frame":"map","a":"resilient","c":[-3,2,7,9,4,1,6]}'
    run = replay(entries((0.0, '/neighbourhood', said)), ReplaySettings())
    assert run.tracker.messages == 1
    strange = word(1, 1)
    strange.data = said.data.replace('resilient', 'none')
    with pytest.raises(RecordingError, match="the algorithm 'none', known: "):
        replay(entries((0.0, '/neighbourhood', strange)), ReplaySettings())
    nonsense = word(1, 1)
    nonsense.data = 'nonsense'
    with pytest.raises(RecordingError, match='no message on /neighbourhood comes from a '
                       'robot of this version; the first one has rejected_malformed'):
        replay(entries((0.0, '/neighbourhood', nonsense)), ReplaySettings())
    # Whatever came first.
    run = replay(entries((0.0, '/neighbourhood', nonsense), (0.1, '/neighbourhood', strange),
                         (0.2, '/neighbourhood', said)), ReplaySettings())
    assert list(run.snapshots[-1].robots) == [1]
    assert (run.tracker.messages, run.tracker.rejected) == (3, 2)


def test_distances_belong_to_the_robot_of_their_namespace():
    run = replay(entries(
        (0.0, '/neighbourhood', word(1, 1)), (1.0, '/robot_1/neighbour_distances',
                                              distances((2, 4.2, 0.1), (3, 1.0, 0.2))),
        (2.0, '/robot_1/neighbour_distances', distances()),
        (3.0, '/neighbourhood', word(1, 1))), ReplaySettings())
    assert run.distances == {1: [(1.0, 2, 4.2, 0.1), (1.0, 3, 1.0, 0.2)]}


@pytest.mark.parametrize('rows', [[1.0, 2.0], [float('nan'), 1.0, 1.0]])
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

FLOATS = 'std_msgs/msg/Float64MultiArray'


@pytest.mark.parametrize('options', [['--expiry', '-1'], ['--radius', 'far'], []])
def test_wrong_option_is_refused(options, capsys):
    with pytest.raises(SystemExit) as ended:
        main(['run.mcap', *options] if options else [])
    assert ended.value.code == 2 and 'error: ' in capsys.readouterr().err


@pytest.mark.parametrize(('topic', 'kind', 'is_taken'), [
    ('odometry/cooperative', ODOMETRY, True), ('ground_truth', ODOMETRY, True),
    ('neighbour_distances', FLOATS, True), ('measurements', FLOATS, True),
    ('odometry', ODOMETRY, False), ('odometry/filtered', ODOMETRY, False)])
def test_topics_of_localisation_are_recorded_and_no_other_odometry(
        topic: str, kind: str, is_taken: bool) -> None:
    topic = f'/robot_3/{topic}'
    assert is_recorded(topic, kind, RecorderParameters()) == is_taken
    assert is_recorded(topic, kind, RecorderParameters(odom_rate=0.0)) == (kind != ODOMETRY)


# A recording is shown once more: what came of it, in numbers and in pictures.

@pytest.mark.parametrize(
    'option', ['--picture', '--animation', '--timeline', '--localisation'])
def test_unwritable_output_is_named(option, recorded, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(replay_command, 'MOST_FRAMES', 3)
    assert main([str(recorded), option, '/dev/full']) == 2
    assert capsys.readouterr().err == 'error: /dev/full: No space left on device\n'
    path = tmp_path / 'file'
    assert main([str(recorded), option, str(path)]) == 0
    assert list(tmp_path.iterdir()) == [path], 'it is called as was asked for'


def test_replay_ends_with_one_line_and_status_2_without_a_swarm(tmp_path, capsys):
    silent = write(tmp_path / 'silent.mcap', [(0.0, '/clock', tick(1.0))])
    other = write(tmp_path / 'other.mcap', [(0.0, '/neighbourhood', word(1, 1))])
    for file, options, line in (
            (silent, [], 'the recording holds no messages of robots on a topic neighbourhood'),
            (other, ['--topic', '/said'], 'the recording holds no messages of robots on /said'),
            (tmp_path / 'none.mcap', [], 'No such file')):
        assert main([str(file), *options]) == 2
        out, err = capsys.readouterr()
        assert out == '' and err.startswith('error: ') and err.count('\n') == 1 and line in err


def test_replay_names_missing_packages_and_needs_no_ros(recorded):
    code = (f'import sys\nsys.argv = ["replay", {str(recorded)!r}]\n'
            'from leader_election import cli\nsys.exit(cli.run("replay"))')
    ran = without(('rclpy', 'std_msgs'), code)
    assert (ran.returncode, ran.stderr) == (0, '') and '4 robots' in ran.stdout
    ran = without(('mcap', *VIEW, 'shapely'), code)
    assert (ran.returncode, ran.stdout) == (2, '')
    names = ['mcap', 'matplotlib', 'pillow', 'rich', 'shapely']
    assert ran.stderr == f'error: replay needs {", ".join(names)}; {how_to_install(names)}\n'


@pytest.mark.parametrize('message', [
    truth((0.0, -1e10)), distances((2, 1e200, 0.1)), distances((2, 1.0, 1e200))])
def test_message_is_left_out_when_no_place_is_so_far(message, recorded, tmp_path, capsys):
    said = story()
    topic = '/robot_1/' + ('neighbour_distances' if hasattr(message, 'data') else 'ground_truth')
    assert main([str(recorded)]) == 0
    out, _ = capsys.readouterr()
    said.insert(len(said) // 2, (said[len(said) // 2][0], topic, message))
    assert main([str(write(tmp_path / 'huge.mcap', said))]) == 0
    assert capsys.readouterr() == (
        out, 'warning: messages that do not match their types, or hold no possible place or '
        'time, were left out: 1\n')


# Messages whose fields are not those of our types.


def test_malformed_messages_on_other_topics_are_ignored(tmp_path, capsys):
    huge = status(1, strength=1.0)
    huge.status[0].hardware_id = 'robot ' + 5000 * '9'
    nan = float('nan')
    said = [(0.0, '/world', arena((nan, nan), (0, 0))), (0.0, '/diagnostics', huge)]
    for second in range(3):
        said += [(float(second), '/neighbourhood', word(1, 1)),
                 (float(second), '/robot_1/ground_truth', truth((nan, 0.0))),
                 (float(second), '/diagnostics', status(
                     1, strength='nan', radius='nan', communication_range='-inf'))]
    assert main([str(write(tmp_path / 'run.mcap', said)), '--picture', str(tmp_path / 'p.png'),
                 '--radius', '6', '--range', '3']) == 0
    out, err = capsys.readouterr()
    assert '1 robot\n' in out and err == (
        'warning: messages that do not match their types, or hold no possible place or time, '
        'were left out: 4\n')


def test_robots_are_identified_by_their_diagnostics():
    """Those of tb3_0, tb3_1, tb3_2 are 1, 2, 3. The last is far away."""
    said = []
    for second in range(10):
        for robot, x in ((1, 0.0), (2, 1.0), (3, 50.0)):
            name = f'tb3_{robot - 1}'
            said += [(second, f'/{name}/ground_truth', truth((x, 0.0))),
                     (second, '/neighbourhood', word(robot, max(2, robot), (x, 0.0))),
                     (second, '/diagnostics', status(
                         robot, name, strength=robot, radius=6, communication_range=2.5))]
    told = report(replay(entries(*said), ReplaySettings()))
    assert told.agreement[-1].robots == told.agreement[-1].partitions == 1.0


def test_times_are_simulated_when_a_clock_is_recorded():
    """Ten times as fast: what takes 2 s there takes 0.2 s of the recorder's."""
    said = [(0.0, '/neighbourhood', word(1, 1)), (0.0, '/clock', tick(5.0))]
    for step in range(30):
        said.append((0.01 * step, '/clock', tick(5.0 + 0.1 * step)))
        if not step % 10:
            said.append((0.01 * step, '/neighbourhood', word(1, 1)))
    run = replay(entries(*said), ReplaySettings(expiry=1.05))
    assert run.snapshots[-1].time - run.begin == pytest.approx(2.0, abs=0.11)
    assert run.jumps == 0
    assert all(1 in snapshot.robots for snapshot in run.snapshots)


def test_messages_keep_their_order_when_a_clock_was_set():
    said = [(0.0, '/neighbourhood', word(1, 1)), (1.0, '/neighbourhood', word(1, 1)),
            (1e7, '/neighbourhood', word(1, 1)), (1e7 + 1, '/neighbourhood', word(1, 1)),
            (2.0, '/neighbourhood', word(1, 1)), (3.0, '/neighbourhood', word(1, 1))]
    run = replay(entries(*said), ReplaySettings())
    assert list(run.snapshots[-1].robots) == [1] and run.jumps == 2
    told = report(run)
    # What passed while it was set forward and back is not known: nothing.
    assert told.duration == pytest.approx(3.0) and told.losses == []


@pytest.mark.parametrize('topic, ticks', [('/clock', 1), ('/robot_1/clock', 9)])
def test_stopped_or_foreign_clock_is_ignored(topic, ticks, tmp_path, capsys):
    said = [(float(t), '/neighbourhood', word(1, 1)) for t in range(20)]
    clocks = [(10.0 + 0.1 * t, topic, tick(5.0 + t)) for t in range(ticks)]
    path = write(tmp_path / 'run.mcap', [*said[:10], *clocks, *said[11:]])
    assert main([str(path), '--json']) == 0
    told = json.loads(capsys.readouterr().out)
    assert told['duration'] == pytest.approx(19.0) and told['messages'] == 19
    assert told['losses'] == []


def test_restarted_simulation_continues_the_times(capsys, tmp_path):
    said = []
    for step in range(600):
        said.append((0.1 * step, '/clock', tick(100.0 + 0.1 * step if step < 300 else
                                                0.1 * (step - 300))))
        said += [(0.1 * step, '/neighbourhood', word(1, 1))] * (step % 10 == 0)
    assert main([str(write(tmp_path / 'run.mcap', said)), '--json']) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)['duration'] == pytest.approx(59.0, abs=0.3)
    assert json.loads(out)['losses'] == [] and json.loads(out)['messages'] == 60
    assert err.startswith('warning: a clock was set 1 time; ') and err.count('\n') == 1


def test_localisation_chart_is_refused_without_truth_and_deviations(tmp_path, capsys):
    file, chart = tmp_path / 'run.mcap', tmp_path / 'chart.png'
    write(file, [(float(second), '/neighbourhood', word(1, 1)) for second in range(4)])
    assert main([str(file), '--localisation', str(chart)]) == 2
    out, err = capsys.readouterr()
    assert err == (f'error: {chart}: there is nothing to draw: the recording holds neither true '
                   'positions nor deviations\n')
    assert '1 robot' in out and 'localisation' not in out and not chart.exists()
