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


from leader_election.swarm.recording.mcap_files import RecordingError
from leader_election.swarm.recording.options import ReplaySettings
from leader_election.swarm.recording.replay import is_relevant, Replay, replay
import pytest
from swarm.recording.made import distances, entries, pose, truth, word


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
