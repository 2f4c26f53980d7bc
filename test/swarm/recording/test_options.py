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

"""The command line of ``replay``."""

from leader_election.swarm.recording.options import is_recorded, ODOMETRY, RecorderParameters
from leader_election.swarm.recording.replay_command import main
import pytest


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
