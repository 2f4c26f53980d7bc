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

from leader_election.recording.main import main
from PIL import Image
import pytest
from recording.made import arena, status, story, tick, truth, word, write
from test_packaging import VIEW, without


@pytest.fixture(scope='module')
def recorded(tmp_path_factory):
    return write(tmp_path_factory.mktemp('made') / 'story.mcap', story())


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


def test_replay_needs_no_ros_and_says_what_it_lacks(recorded):
    code = (f'import sys\nsys.argv = ["replay", {str(recorded)!r}]\n'
            'from leader_election import cli\nsys.exit(cli.run("replay"))')
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
