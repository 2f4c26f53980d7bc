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

"""The parts of diagnostics that a report uses: names, radius, range, strengths."""


from leader_election.swarm.recording.mcap_reader import RecordingError
from leader_election.swarm.recording.options import ReplaySettings
from leader_election.swarm.recording.replay import replay
from leader_election.swarm.recording.report import report
import pytest
from swarm.recording.made import entries, status, truth, word


def test_robots_are_identified_by_their_diagnostics():
    """Those of tb3_0, tb3_1, tb3_2 are 1, 2, 3; the last is far away."""
    said = []
    for second in range(10):
        for robot, x in ((1, 0.0), (2, 1.0), (3, 50.0)):
            name = f'tb3_{robot - 1}'
            said += [(second, f'/{name}/ground_truth', truth((x, 0.0))),
                     (second, '/neighbourhood', word(robot, max(2, robot), (x, 0.0))),
                     (second, '/diagnostics', status(
                         robot, name, strength=robot, radius=6, communication_range=2.5))]
    told = report(replay(entries(*said), ReplaySettings()), ReplaySettings())
    assert told.agreement[-1].robots == told.agreement[-1].partitions == 1.0
    of_rescue = ReplaySettings(instance='rescue')
    with pytest.raises(RecordingError, match="no robot in it runs an instance 'rescue'"):
        replay(entries(*said), of_rescue)


def test_instance_is_judged_by_its_own_radius():
    both = word(1, 1)
    both.data = both.data.replace('}', ',"i":{"rescue":{"c":[-2.0,9.0,2]}}}')
    other = word(2, 1, distance=2.0)
    other.data = other.data.replace('}', ',"i":{"rescue":{"c":[-2.0,0.0,2]}}}')
    said = [(float(t), '/neighbourhood', one) for t in range(5) for one in (both, other)]
    said.insert(0, (0.0, '/diagnostics', status(
        1, radius=0.5, communication_range=2.5, **{'rescue.radius': 20.0})))
    for instance, radius, whole in (('main', 0.5, 0.0), ('rescue', 20.0, 1.0)):
        settings = ReplaySettings(instance=instance)
        told = report(replay(entries(*said), settings), settings)
        assert told.radius == radius and told.whole == pytest.approx(whole, abs=0.1)
        assert told.agreement == []
