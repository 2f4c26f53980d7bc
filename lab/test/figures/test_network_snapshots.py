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

"""Pictures and animations of networks."""

from leader_election_lab.figures import network_snapshots
from leader_election_lab.figures.network_snapshots import animate
from leader_election_lab.runs.files import ResultError
from PIL import Image
import pytest
from small_scenario import row


@pytest.mark.parametrize(('duration', 'frames'), [(3, 3), (9, 5)])
def test_animation_has_a_frame_a_second_up_to_the_limit(tmp_path, monkeypatch, duration, frames):
    monkeypatch.setattr(network_snapshots, 'FRAMES', 5)
    path = animate(row(duration=duration), 'bounded', 0, tmp_path / 'new' / 'run.gif')
    with Image.open(path) as image:
        assert image.n_frames == frames
        assert image.info['duration'] == 100
        assert min(image.size) > 200


def test_animation_of_another_kind_is_refused(tmp_path):
    with pytest.raises(ResultError, match='takes one of .gif'):
        animate(row(), 'bounded', 0, tmp_path / 'run.avi')


def test_animation_is_refused_when_its_path_is_a_folder(tmp_path):
    (tmp_path / 'run.gif').mkdir()
    with pytest.raises(ResultError, match='run.gif cannot be written: it is a folder'):
        animate(row(), 'bounded', 0, tmp_path / 'run.gif')
