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

"""The chart of errors, looked at pixel by pixel."""

from leader_election.swarm.view.error_chart import Curve, draw_errors, Panel, STYLES
from matplotlib.colors import to_rgb
import numpy as np
from PIL import Image


def tinted(path, kind):
    """Return how many pixels have the colour of a kind of curve, and the picture's height."""
    with Image.open(path) as image:
        pixels = np.asarray(image.convert('RGB')) / 255
    near = np.abs(pixels - to_rgb(STYLES[kind]['color'])).max(axis=2) < 0.02
    return int(near.sum()), len(pixels)


def panels(values):
    times = [0.0, 1.0, 2.0]
    return [Panel('positions [m]', [Curve('by odometry', 'odometry', times, [0.1, 0.5, 0.9]),
                                    Curve('with the filter', 'filter', times, values)]),
            Panel('distances [m]', [Curve('deviation', 'deviation', times, [None] * 3)])]


def test_unknown_curves_and_panels_are_left_out(tmp_path):
    draw_errors(panels([0.1, 0.1, None]), tmp_path / 'some.png')
    draw_errors(panels([None, None, None]), tmp_path / 'fewer.png')
    some, height = tinted(tmp_path / 'some.png', 'filter')
    assert some > 100 and tinted(tmp_path / 'some.png', 'odometry')[0] > some
    assert tinted(tmp_path / 'some.png', 'deviation')[0] == 0
    assert tinted(tmp_path / 'fewer.png', 'filter') == (0, height)
    full = panels([0.1, 0.1, 0.1])
    full[1].curves[0] = full[1].curves[0]._replace(values=[0.1, 0.2, 0.3])
    draw_errors(full, tmp_path / 'full.png')
    assert tinted(tmp_path / 'full.png', 'deviation')[0] > 20
    assert tinted(tmp_path / 'full.png', 'deviation')[1] > 1.5 * height
