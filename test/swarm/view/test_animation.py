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

"""The animation, read back."""

from leader_election.swarm.view.animation import animate, ANIMATION_WIDTH
from leader_election.swarm.view.picture import Canvas
import numpy as np
from PIL import Image
import pytest
from swarm.view.example import frame, RINGS


def test_an_animation_shows_its_frames_in_their_order_and_colours(tmp_path):
    path = tmp_path / 'run.gif'
    shifts = [0.0, 0.5, 1.0, 1.5]
    frames = [frame(shift, note='robot 40 was killed' if shift else '') for shift in shifts]
    animate(frames, RINGS, path, 2.5)
    canvas = Canvas(frames, RINGS, ANIMATION_WIDTH, 2.5)
    with Image.open(path) as image:
        assert image.n_frames == len(shifts) and image.width == ANIMATION_WIDTH
        for number, shift in enumerate(shifts):
            image.seek(number)
            pixels = np.asarray(image.convert('RGB'))
            column, row = canvas.place((4.0 + shift, 2.0))
            assert pixels[row, column] / 255 == pytest.approx(frames[0].colours[1], abs=0.03)
            assert pixels[2, 2].tolist() == [255, 255, 255]
            assert 80 <= image.info['duration'] <= 2000
    assert path.stat().st_size < 100_000
