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

"""The picture of the ways that robots took."""

from leader_election.view.colours import PALETTE
from leader_election.view.frame import Rings
from leader_election.view.paths import draw_paths
import numpy as np
from PIL import Image
from view.example import RINGS


def tinted(path, robot):
    """Return how many pixels have the colour of a robot."""
    with Image.open(path) as image:
        pixels = np.asarray(image.convert('RGB')) / 255
    return int((np.abs(pixels - PALETTE[robot]).max(axis=2) < 0.02).sum())


def test_each_way_has_a_colour_and_an_end(tmp_path):
    path = tmp_path / 'ways.png'
    draw_paths({1: [(1.0, 1.0), (8.0, 1.0)], 2: [(2.0, 2.0)], 3: []}, RINGS, path)
    # Of robot 2 only the ball at its end, of robot 3 nothing.
    assert tinted(path, 1) > tinted(path, 2) > 50 > tinted(path, 3) == 0


def test_nobody_who_went_anywhere_is_a_picture_too(tmp_path):
    draw_paths({}, Rings(), tmp_path / 'ways.png')
    assert (tmp_path / 'ways.png').stat().st_size > 1000
