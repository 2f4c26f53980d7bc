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

"""Messages whose fields are not those of our types."""


from leader_election.swarm.recording.main import main
from swarm.recording.made import arena, status, truth, word, write


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
    assert '1 robot\n' in out and err == ''
    point = write(tmp_path / 'point.mcap', [(0.0, '/world', arena((1, 1))), *said[2:]])
    assert main([str(point), '--picture', str(tmp_path / 'p.png')]) == 0
