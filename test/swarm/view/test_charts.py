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

"""Charts of whole runs, looked at pixel by pixel."""

from pathlib import Path

from leader_election.swarm.snapshot import RobotView, Snapshot
from leader_election.swarm.view.charts import (
    Curve,
    draw_errors,
    draw_paths,
    draw_timeline,
    Panel,
    STYLES,
)
from leader_election.swarm.view.formatting import distinct_colours, PALETTE
from leader_election.swarm.view.frame import Frame, Rings
from matplotlib.colors import to_rgb
import numpy as np
from PIL import Image
from swarm.view.example import RINGS


def tinted(path, robot):
    """Return how many pixels have the colour of a robot."""
    with Image.open(path) as image:
        pixels = np.asarray(image.convert('RGB')) / 255
    return int((np.abs(pixels - PALETTE[robot - 1]).max(axis=2) < 0.02).sum())


def test_paths_have_a_colour_and_an_end(tmp_path):
    path = tmp_path / 'ways.png'
    draw_paths({1: [(1.0, 1.0), (8.0, 1.0)], 2: [(2.0, 2.0)], 3: []}, RINGS, path)
    # Of robot 2 only the ball at its end, of robot 3 nothing.
    assert tinted(path, 1) > tinted(path, 2) > 50 > tinted(path, 3) == 0


def test_colours_are_distinct(tmp_path):
    path = tmp_path / 'ways.png'
    draw_paths({k: [(1.0, 0.5 * k), (8.0, 0.5 * k)] for k in range(15)}, RINGS, path)
    with Image.open(path) as image:
        pixels = image.convert('RGB').tobytes()
    for red, green, blue in distinct_colours(15):
        colour = bytes(round(255 * part) for part in (red, green, blue))
        assert pixels.count(colour) > 100, colour


def test_chart_without_motion_is_drawn(tmp_path):
    draw_paths({}, Rings(), tmp_path / 'ways.png')
    assert (tmp_path / 'ways.png').stat().st_size > 1000


RED, BLUE = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)


def frame(time: float, leaders: dict[int, int]) -> Frame:
    views = {i: RobotView(i, None, 0.0, 0.0, leader) for i, leader in leaders.items()}
    return Frame(Snapshot(time, views), {1: RED, 2: BLUE})


def shares(path: Path) -> tuple[float, float]:
    """Return how much of a picture is red, and blue."""
    pixels = np.asarray(Image.open(path).convert('RGB')).reshape(-1, 3)
    return tuple(float(np.mean(np.all(pixels == colour, axis=1)))
                 for colour in ((255, 0, 0), (0, 0, 255)))


def test_robots_are_lines_in_the_colours_of_their_leaders(tmp_path):
    path = tmp_path / 'leaders.png'
    draw_timeline([frame(float(t), {3: 1, 4: 1 if t < 20 else 2}) for t in range(40)], path)
    red, blue = shares(path)
    assert red > 0.2 and 0.3 < blue / red < 0.37, 'three quarters, and one'
    draw_timeline([frame(float(t), {3: 1} if t < 20 else {}) for t in range(40)], path)
    assert 0.2 < shares(path)[0] < 0.5, 'and silence is white'


def test_long_and_single_observation_runs_are_drawn(tmp_path):
    for number in (1, 5000):
        path = tmp_path / f'{number}.png'
        draw_timeline([frame(float(t), {1: 1}) for t in range(number)], path, start=0.0)
        assert shares(path)[0] > 0.2


def test_colours_are_at_their_times(tmp_path):
    """Ten looks within a second, then none for 59 s, then ten more."""
    path = tmp_path / 'gap.png'
    draw_timeline([frame(60.0 * minute + 0.1 * look, {1: 1 + minute})
                   for minute in (0, 1) for look in range(10)], path)
    pixels = np.asarray(Image.open(path).convert('RGB'))
    width = pixels.shape[1]
    for colour, begin, end in (((255, 0, 0), 0.0, 0.1), ((0, 0, 255), 0.9, 1.0)):
        columns = np.flatnonzero(np.all(pixels == colour, axis=2).any(axis=0)) / width
        assert len(columns) and begin < columns.min() and columns.max() <= end


def pixels_of(path, kind):
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
    some, height = pixels_of(tmp_path / 'some.png', 'filter')
    assert some > 100 and pixels_of(tmp_path / 'some.png', 'odometry')[0] > some
    assert pixels_of(tmp_path / 'some.png', 'deviation')[0] == 0
    assert pixels_of(tmp_path / 'fewer.png', 'filter') == (0, height)
    full = panels([0.1, 0.1, 0.1])
    full[1].curves[0] = full[1].curves[0]._replace(values=[0.1, 0.2, 0.3])
    draw_errors(full, tmp_path / 'full.png')
    assert pixels_of(tmp_path / 'full.png', 'deviation')[0] > 20
    assert pixels_of(tmp_path / 'full.png', 'deviation')[1] > 1.5 * height
