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

"""The command ``logs convert``."""

from leader_election.simulation.robot_logs import read_logs
from leader_election.swarm.recording.logs_command import main
import numpy as np
import pytest


def test_logs_convert_writes_logs_and_reports_what_it_left_out(tmp_path, capsys):
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
    [log] = read_logs(str(tmp_path / 'logs'))
    assert np.allclose(log.poses[-1], [0.2, 0, 0])


@pytest.mark.parametrize(('arguments', 'error'), [
    (['convert', '.', 'out'], '.: no data set of MRCLAM: Robot1_Odometry.dat is missing'),
    (['convert', 'a', 'b', '--rate', '-1'], "'-1' is not allowed; it takes more than 0"),
    ([], 'required: COMMAND'),
])
def test_logs_prints_one_line_when_input_or_options_are_wrong(
        arguments, error, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    try:
        status = main(arguments)
    except SystemExit as ended:
        status = ended.code
    written = capsys.readouterr().err
    assert status == 2
    assert written.startswith('error: ') and error in written and written.count('\n') == 1
