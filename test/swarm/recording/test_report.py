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

"""The report on a recording, for people and for programs."""

import json
import re
import sys

from leader_election.swarm.recording.replay_command import main
import pytest
from swarm.recording.made import distances, localised, status, truth, write


def test_report_has_leaders_changes_and_traffic(recorded, capsys):
    assert main([str(recorded), '--json']) == 0
    told = json.loads(capsys.readouterr().out)
    assert told['robots'] == 4 and told['silent'] == 1 and told['rejected'] == 0
    assert told['duration'] == pytest.approx(20.5, abs=0.3)
    assert told['messages'] == 4 * 10 + 3 * 11
    assert (told['radius'], told['communication_range']) == (6.0, 2.5)
    assert told['regions'][0] == told['regions'][2] == 1
    assert told['changes'] == 3
    # All are within 6 m of robot 4. When it is missed nobody has a leader, until 13 s.
    assert told['first_partition'] <= 0.3
    [loss] = told['losses']
    assert loss['leader'] == 4 and loss['led'] == 3
    assert loss['time'] == pytest.approx(9.0, abs=0.3)
    assert loss['recovered'] == pytest.approx(13.0, abs=0.3)
    # While 4 is known, and from 13 s on. Between 3 should have led at once.
    assert told['agreement'][0]['robots'] == 1.0
    assert 0.6 < told['agreement'][-1]['robots'] < 1.0


def test_report_is_printed_as_text(recorded, capsys):
    assert main([str(recorded), '--radius', '2']) == 0
    said = capsys.readouterr().out
    # Sentences may be longer. A terminal breaks them, but a broken table cannot be read.
    wide = [line for line in said.splitlines() if len(line) > 79]
    assert 'localisation' in said
    assert not any(line.startswith((' ', 'localisation', 'agreement')) for line in wide)
    assert '4 robots, 1 of them silent at the end' in said
    assert re.search('leader 4, which led 3 others, fell silent at 9.. s: its region recovered '
                     '4.. s later', said)
    assert 'within 2 m' in said and 'by true positions' in said


def drifting_story():
    """
    Return 10 s of three robots, whose odometry drifts by 0.1 m/s, 0.2 m/s ... apart.

    Their filters are wrong by 1 cm in x, robot by robot, and say so.
    """
    messages = [(0.0, '/diagnostics', status(1, strength=1.0, radius=9.0,
                                             communication_range=4.5))]
    for second in range(11):
        for robot, (x, y) in enumerate(((0.0, 0.0), (4.0, 0.0), (0.0, 3.0)), start=1):
            time = second + 0.01 * robot
            messages.append((time, '/neighbourhood', localised(
                robot, 3, (x + 0.01 * robot, y), (x + 0.1 * robot * second, y), 0.1 * robot)))
            messages.append((time, f'/robot_{robot}/ground_truth', truth((x, y))))
        messages.append((second + 0.5, '/robot_1/neighbour_distances',
                         distances((2, 4.02, 0.01), (3, 3.0, 0.01))))
    return messages


def test_errors_and_deviations_are_reported_against_truth(tmp_path, capsys):
    path, chart = write(tmp_path / 'run.mcap', drifting_story()), tmp_path / 'chart.png'
    assert main([str(path), '--json', '--localisation', str(chart)]) == 0
    told = json.loads(capsys.readouterr().out)
    shares = told['localisation']
    overall = shares[-1]
    # Robot i is off by i cm, with a deviation of i dm. Its heading is right.
    corrected, by_odometry = told['accuracy']['filter'], told['accuracy']['odometry']
    assert list(corrected['robots'].values()) == pytest.approx([0.01, 0.02, 0.03], abs=1e-6)
    assert corrected['nees_pose'] == pytest.approx(0.01 / 3, abs=1e-6)
    # Of the pairs 1-2 and 1-3, seen from both ends.
    assert corrected['relative'] == pytest.approx(((0.01 ** 2 + 0.02 ** 2) / 2) ** 0.5, abs=1e-6)
    assert by_odometry['robots']['3'] > by_odometry['robots']['1'] > 0.3
    # Pairs 1-2 and 1-3 are in range. Their distances are off by 0.1 m/s and hardly.
    assert shares[-2]['distances_by_odometry'] > 3 * shares[0]['distances_by_odometry']
    assert overall['distances_by_odometry'] == pytest.approx(0.43, abs=0.05)
    assert overall['positions_by_odometry'] > 0.2 > 0.02 > overall['positions']
    # What robot 1 publishes, off by 2 cm and 0, with deviations of 1 cm.
    assert overall['distances'] == pytest.approx(0.02 / 2 ** 0.5, abs=1e-6)
    assert overall['normalised'] == pytest.approx(2.0, abs=1e-6)
    assert overall['deviation'] == pytest.approx(0.2)
    assert chart.stat().st_size > 10000
    assert main([str(path)]) == 0
    text = capsys.readouterr().out
    assert 'distances of pairs within 4.5 m' in text
    assert re.search(r'overall .* 0.01 +0.20 +0.01 +2.00', text)
    assert re.search(r'filter +0.02 +0.02 +0.00  1: 0.01 2: 0.02 3: 0.03', text)


def test_printed_report_breaks_lines_between_words_when_a_terminal_is_narrow(
        recorded, capsys, monkeypatch):
    assert main([str(recorded)]) == 0
    whole = capsys.readouterr().out
    monkeypatch.setenv('COLUMNS', '80')
    monkeypatch.setattr(sys.stdout, 'isatty', lambda: True)
    assert main([str(recorded)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) < 80
    assert ' '.join(' '.join(lines).split()) == ' '.join(whole.split())
