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

"""A recording is shown once more: what came of it, in numbers and in pictures."""

import json
import re
import subprocess
import sys

from leader_election.recording.forms import RecordingError
from leader_election.recording.main import main
from leader_election.recording.reading import Entry
from leader_election.recording.report import report
from leader_election.recording.rerun import rerun
from leader_election.recording.settings import Settings
from PIL import Image
import pytest
from recording.made import arena, kind_of, START, status, story, tick, truth, word, write
from test_packaging import VIEW, without


@pytest.fixture(scope='module')
def recorded(tmp_path_factory):
    return write(tmp_path_factory.mktemp('made') / 'story.mcap', story())


def entries(*said):
    return [Entry(topic, kind_of(message), START + time, message)
            for time, topic, message in said]


def test_the_report_tells_the_story(recorded, capsys):
    assert main([str(recorded), '--json']) == 0
    told = json.loads(capsys.readouterr().out)
    assert told['robots'] == 4 and told['silent'] == 1 and told['rejected'] == 0
    assert told['duration'] == pytest.approx(20.5, abs=0.3)
    assert told['messages'] == 4 * 10 + 3 * 11
    assert (told['radius'], told['communication_range']) == (6.0, 2.5)
    assert told['regions'][0] == told['regions'][2] == 1
    assert told['largest'] == 4 and told['changes'] == 3
    # All are within 6 m of robot 4; when it is missed nobody has a leader, until 13 s.
    assert told['first_partition'] <= 0.3
    [loss] = told['losses']
    assert loss['leader'] == 4 and loss['led'] == 3
    assert loss['time'] == pytest.approx(9.0, abs=0.3)
    assert loss['recovered'] == pytest.approx(13.0, abs=0.3)
    assert [(reign['leader'], reign['most']) for reign in told['reigns']] == [(4, 4), (3, 3)]
    # Robot 1 counts 20 rounds between its first word on it and its last; all are there.
    assert told['missing'] == 0.0
    # While 4 is known, and from 13 s on; between 3 should have led at once.
    assert told['agreement'][0]['robots'] == 1.0
    assert 0.6 < told['agreement'][-1]['robots'] < 1.0


def test_the_report_is_for_people_too(recorded, tmp_path, capsys):
    copy = tmp_path / 'report.txt'
    assert main([str(recorded), '--report', str(copy), '--radius', '2']) == 0
    said = capsys.readouterr().out
    assert copy.read_text() == said
    assert '4 robots, 1 of them silent in the end' in said
    assert re.search('leader 4, who led 3 others, fell silent at 9.. s: recovered 4.. s '
                     'later', said)
    assert 'within 2 m' in said and 'by true places' in said


def test_a_part_is_shown_as_it_was_then(recorded, capsys):
    assert main([str(recorded), '--json', '--from', '14.5', '--to', '17.5']) == 0
    told = json.loads(capsys.readouterr().out)
    assert told['duration'] == pytest.approx(3.0, abs=0.3)
    assert told['robots'] == 3 and told['losses'] == [] and told['changes'] == 0
    assert told['messages'] == 9 and 50 < told['bytes'] / 9 < 70
    assert told['missing'] == 0.0 and told['agreement'][0]['begin'] == pytest.approx(14.5)
    assert main([str(recorded), '--from', '100']) == 2
    assert 'nothing from 100 s on; the recording holds 20.' in capsys.readouterr().err


def test_pictures_are_drawn(recorded, tmp_path, capsys):
    files = [tmp_path / name for name in ('p.png', 'a.gif', 't.png')]
    assert main([str(recorded), '--from', '16', '--look', '1', *(word for option, file in zip(
        ('--picture', '--animation', '--timeline'), files) for word in (option, str(file)))]) == 0
    sizes = []
    for file in files:
        with Image.open(file) as image:
            sizes.append((image.width, getattr(image, 'n_frames', 1)))
    assert sizes[0] == (1600, 1) and sizes[1][0] == 800 and 3 <= sizes[1][1] <= 7


@pytest.mark.parametrize('option', ['--picture', '--animation', '--timeline', '--report'])
def test_what_cannot_be_written_is_told_by_its_name(option, recorded, tmp_path, capsys):
    for path, why in (('/dev/full', 'No space left on device'),
                      (str(tmp_path / 'no' / 'file'), 'No such file or directory')):
        assert main([str(recorded), option, path, '--from', '20']) == 2
        assert capsys.readouterr().err == f'error: {path}: {why}\n'
    path = tmp_path / 'file'
    assert main([str(recorded), option, str(path), '--from', '20']) == 0
    assert list(tmp_path.iterdir()) == [path], 'it is called as was asked for'


def test_what_is_cut_off_is_said_and_the_rest_is_shown(recorded, tmp_path, capsys):
    cut = tmp_path / 'cut.mcap'
    cut.write_bytes(recorded.read_bytes()[:recorded.stat().st_size // 4])
    assert main([str(cut), '--json']) == 0
    out, err = capsys.readouterr()
    seconds = json.loads(out)['duration']
    assert 3.0 < seconds < 15.0
    assert err.startswith(f'warning: {cut} is cut off or damaged; what is whole was read, up to ')
    assert err.count('\n') == 1 and f'up to {seconds:.1f} s' in err


def test_what_is_no_recording_of_a_swarm_is_one_line_and_status_2(tmp_path, capsys):
    silent = write(tmp_path / 'silent.mcap', [(0.0, '/clock', tick(1.0))])
    other = write(tmp_path / 'other.mcap', [(0.0, '/neighbourhood', word(1, 1))])
    for file, options, line in (
            (silent, [], 'there are no messages of robots in it, on a topic neighbourhood'),
            (other, ['--topic', '/said'], 'there are no messages of robots in it, on /said'),
            (tmp_path / 'none.mcap', [], 'No such file')):
        assert main([str(file), *options]) == 2
        out, err = capsys.readouterr()
        assert out == '' and err.startswith('error: ') and err.count('\n') == 1 and line in err


@pytest.mark.parametrize('options', [['--to', '-1'], ['--from', '3', '--to', '3'],
                                     ['--look', '0'], ['--look', '1e-8'], ['--radius', 'far'], []])
def test_a_wrong_option_is_refused(options, capsys):
    with pytest.raises(SystemExit) as ended:
        main(['run.mcap', *options] if options else [])
    assert ended.value.code == 2 and 'error: ' in capsys.readouterr().err


def test_of_several_swarms_one_has_to_be_chosen():
    said = entries((0.0, '/a/neighbourhood', word(1, 1)), (0.5, '/b/neighbourhood', word(2, 2)))
    with pytest.raises(RecordingError, match='/a/neighbourhood, /b/neighbourhood; choose one'):
        rerun(said, Settings())
    assert list(rerun(said[1:], Settings()).snapshots[-1].robots) == [2]


def test_times_are_those_of_the_simulation_where_there_is_its_clock():
    """Ten times as fast: what takes 2 s there takes 0.2 s of the recorder's."""
    said = [(0.0, '/neighbourhood', word(1, 1)), (0.0, '/clock', tick(5.0))]
    for step in range(30):
        said.append((0.01 * step, '/clock', tick(5.0 + 0.1 * step)))
        if not step % 10:
            said.append((0.01 * step, '/neighbourhood', word(1, 1)))
    run = rerun(entries(*said), Settings(expiry=1.05))
    assert run.snapshots[-1].time - run.begin == pytest.approx(2.0, abs=0.11)
    assert run.jumps == []
    assert all(1 in snapshot.robots for snapshot in run.snapshots)


def test_a_clock_that_was_set_does_no_harm():
    said = [(0.0, '/neighbourhood', word(1, 1)), (1.0, '/neighbourhood', word(1, 1)),
            (1e7, '/neighbourhood', word(1, 1)), (1e7 + 1, '/neighbourhood', word(1, 1)),
            (2.0, '/neighbourhood', word(1, 1)), (3.0, '/neighbourhood', word(1, 1))]
    run = rerun(entries(*said), Settings())
    assert list(run.snapshots[-1].robots) == [1] and len(run.snapshots) == 13
    told = report(run, Settings())
    # What passed while it was set forward and back is not known: nothing.
    assert told.duration == pytest.approx(3.0) and told.losses == []
    assert [jump.time for jump in run.jumps] == [1.0, 2.0]
    assert [(reign.begin, reign.end) for reign in told.reigns] == [(0.25, 3.0)]


@pytest.mark.parametrize('topic, ticks', [('/clock', 1), ('/robot_1/clock', 9)])
def test_a_clock_that_does_not_tick_or_is_another_is_none(topic, ticks, tmp_path, capsys):
    said = [(float(t), '/neighbourhood', word(1, 1)) for t in range(20)]
    clocks = [(10.0 + 0.1 * t, topic, tick(5.0 + t)) for t in range(ticks)]
    path = write(tmp_path / 'run.mcap', [*said[:10], *clocks, *said[11:]])
    assert main([str(path), '--json']) == 0
    told = json.loads(capsys.readouterr().out)
    assert told['duration'] == pytest.approx(19.0) and told['messages'] == 19
    assert told['losses'] == []


def test_a_simulation_that_begins_anew_goes_on(capsys, tmp_path):
    said = []
    for step in range(600):
        said.append((0.1 * step, '/clock', tick(100.0 + 0.1 * step if step < 300 else
                                                0.1 * (step - 300))))
        said += [(0.1 * step, '/neighbourhood', word(1, 1))] * (step % 10 == 0)
    assert main([str(write(tmp_path / 'run.mcap', said)), '--json']) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)['duration'] == pytest.approx(59.0, abs=0.3)
    assert json.loads(out)['losses'] == [] and json.loads(out)['messages'] == 60
    assert err.startswith('warning: a clock was set 1 time, ') and err.count('\n') == 1


def test_robots_are_known_by_what_they_say_whatever_their_namespaces():
    """Those of tb3_0, tb3_1, tb3_2 are 1, 2, 3; the last is far away."""
    said = []
    for second in range(10):
        for robot, x in ((1, 0.0), (2, 1.0), (3, 50.0)):
            name = f'tb3_{robot - 1}'
            said += [(second, f'/{name}/ground_truth', truth((x, 0.0))),
                     (second, '/neighbourhood', word(robot, max(2, robot), (x, 0.0))),
                     (second, '/diagnostics', status(
                         robot, name, strength=robot, radius=6, communication_range=2.5))]
    told = report(rerun(entries(*said), Settings()), Settings())
    assert told.agreement[-1].robots == told.agreement[-1].partitions == 1.0
    of_rescue = Settings(instance='rescue')
    with pytest.raises(RecordingError, match="no robot in it runs an instance 'rescue'"):
        rerun(entries(*said), of_rescue)


def test_an_instance_is_judged_by_its_own_radius():
    both = word(1, 1)
    both.data = both.data.replace('}', ',"i":{"rescue":{"c":[-2.0,9.0,2]}}}')
    other = word(2, 1, distance=2.0)
    other.data = other.data.replace('}', ',"i":{"rescue":{"c":[-2.0,0.0,2]}}}')
    said = [(float(t), '/neighbourhood', one) for t in range(5) for one in (both, other)]
    said.insert(0, (0.0, '/diagnostics', status(
        1, radius=0.5, communication_range=2.5, **{'rescue.radius': 20.0})))
    for instance, radius, whole in (('main', 0.5, 0.0), ('rescue', 20.0, 1.0)):
        settings = Settings(instance=instance)
        told = report(rerun(entries(*said), settings), settings)
        assert told.radius == radius and told.whole == pytest.approx(whole, abs=0.1)
        assert told.agreement == []


def test_nonsense_on_other_topics_does_no_harm(tmp_path, capsys):
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
    assert '1 robot\n' in out and err == ''
    point = write(tmp_path / 'point.mcap', [(0.0, '/world', arena((1, 1))), *said[2:]])
    assert main([str(point), '--picture', str(tmp_path / 'p.png')]) == 0


def test_other_algorithms_are_told_by_the_messages():
    said = word(1, 1)
    said.data = '{"v":1,"id":1,"frame":"map","a":"classic","c":[1,9.0,0.0,0.0,1]}'
    run = rerun(entries((0.0, '/neighbourhood', said)), Settings())
    assert run.heard.messages == 1
    strange = word(1, 1)
    strange.data = said.data.replace('classic', 'none')
    with pytest.raises(RecordingError, match="elect by 'none'"):
        rerun(entries((0.0, '/neighbourhood', strange)), Settings())
    nonsense = word(1, 1)
    nonsense.data = 'nonsense'
    with pytest.raises(RecordingError, match='no message on /neighbourhood is one of a robot'):
        rerun(entries((0.0, '/neighbourhood', nonsense)), Settings())
    # Whatever came first.
    run = rerun(entries((0.0, '/neighbourhood', nonsense), (0.1, '/neighbourhood', strange),
                        (0.2, '/neighbourhood', said)), Settings())
    assert list(run.snapshots[-1].robots) == [1] and run.heard[::2] == (3, 2)


def test_replay_needs_no_ros_and_says_what_it_lacks(recorded):
    code = (f'import sys\nsys.argv = ["replay", {str(recorded)!r}]\n'
            'from leader_election import cli\ncli.replay()')
    ran = without(('rclpy', 'std_msgs'), code)
    assert (ran.returncode, ran.stderr) == (0, '') and '4 robots' in ran.stdout
    ran = without(('mcap', *VIEW, 'shapely'), code)
    assert (ran.returncode, ran.stdout) == (2, '')
    assert ran.stderr == ('error: replay needs mcap, matplotlib, pillow, rich, shapely; in a '
                          'checkout, install it with: pip install -r requirements/run.txt '
                          '-r requirements/view.txt -r requirements/record.txt\n')


def test_replay_runs_by_its_name(recorded):
    ran = subprocess.run([sys.executable, '-m', 'leader_election', 'replay', str(recorded)],
                         capture_output=True, text=True, timeout=60)
    assert (ran.returncode, ran.stderr) == (0, '') and '4 robots' in ran.stdout
