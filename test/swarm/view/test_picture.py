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

"""Pictures and charts, by the colours at the places where something is."""

from pathlib import Path

from leader_election.swarm.snapshot import RobotView, Snapshot
from leader_election.swarm.view.charts import draw_errors, draw_timeline, STYLES
from leader_election.swarm.view.formatting import GONE
from leader_election.swarm.view.frame import Frame, patrol_parts, Rings
from leader_election.swarm.view.picture import (
    animate,
    ANIMATION_WIDTH,
    Canvas,
    draw,
    PICTURE_WIDTH,
)
from matplotlib.colors import to_rgb
import numpy as np
from PIL import Image
import pytest
from shapely import Polygon
from swarm.view.example import frame, mandated, PATROLLED, RINGS


@pytest.fixture(scope='module')
def canvas():
    return Canvas([frame()], RINGS, 800, 2.5)


def place(canvas, position):
    """Return column and row of the pixel at a position."""
    x, y = canvas._axes.transData.transform(position)
    return round(x), round(canvas._agg.get_width_height()[1] - y)


def at(canvas, position):
    """Return the colour at a place, parts in [0, 1]."""
    column, row = place(canvas, position)
    return canvas.pixels()[row, column] / 255


def test_robots_and_leaders_have_their_leaders_colour_where_they_are(canvas):
    drawn = frame()
    canvas.show(drawn)
    for robot in drawn.snapshot.robots.values():
        if robot.position is not None:
            assert at(canvas, robot.position) == pytest.approx(
                drawn.colours[robot.leader], abs=0.02), robot
    assert at(canvas, (4.0, 6.5)) == pytest.approx(GONE, abs=0.02)


def test_robots_are_hollow_without_a_mandate():
    drawn = mandated(frame())
    canvas = Canvas([drawn], RINGS, 800, 2.5)
    canvas.show(drawn)
    robots, hollow = drawn.snapshot.robots, [1.0, 1.0, 1.0]
    assert {i for i, robot in robots.items()
            if robot.position and at(canvas, robot.position).tolist() == hollow} == {7, 8}
    assert at(canvas, robots[1].position) == pytest.approx(drawn.colours[1], abs=0.02)


def test_picture_shows_regions_links_and_obstacles(canvas):
    drawn = frame()
    canvas.show(drawn)
    assert at(canvas, (6.0, 4.5)).tolist() == [1, 1, 1]
    tint = at(canvas, (2.7, 2.7))
    assert 1 - tint == pytest.approx(0.13 * (1 - np.array(drawn.colours[1])), abs=0.02)
    assert at(canvas, (10.0, 6.0)) == pytest.approx((0.835, 0.847, 0.863), abs=0.02)
    link = at(canvas, (3.0, 2.0))
    assert link.sum() < tint.sum() - 0.1
    assert link.sum() < at(canvas, (3.0, 2.3)).sum() - 0.1


def test_frames_are_drawn_from_scratch(canvas):
    canvas.show(frame(note='something happened'))
    first = canvas.pixels()
    canvas.show(frame(shift=1.5))
    assert at(canvas, (2.0, 4.0)).tolist() == [1, 1, 1]
    assert at(canvas, (3.5, 4.0)) == pytest.approx(frame().colours[1], abs=0.02)
    canvas.show(frame(note='something happened'))
    assert np.array_equal(canvas.pixels(), first)


def test_event_does_not_cover_the_counts_when_robots_have_mandates():
    drawn = mandated(frame(note='robot 37 killed; recovered in 3.4 s'))
    canvas = Canvas([drawn], RINGS, 800, 2.5)
    canvas.show(drawn, -100.0)
    counts, event = (text.get_window_extent(canvas._agg.get_renderer())
                     for text in (canvas._caption, canvas._note))
    assert not counts.overlaps(event) and min(counts.y0, event.y0) > 0.0
    [legend] = canvas._agg.figure.legends
    assert max(counts.y1, event.y1) < legend.get_window_extent().y0


def test_picture_shows_a_deviation_as_a_circle(canvas):
    drawn = frame()
    canvas.show(drawn)
    plain = canvas.pixels()
    robots = drawn.snapshot.robots
    robots = robots | {2: robots[2]._replace(deviation=0.9)}
    canvas.show(drawn._replace(snapshot=drawn.snapshot._replace(robots=robots)))
    changed = (canvas.pixels() != plain).any(axis=2)
    for spot in ((4.9, 2.0), (4.0, 2.9), (4.0, 1.1), (4.636, 2.636)):
        column, row = place(canvas, spot)
        assert changed[row - 1:row + 2, column - 1:column + 2].any(), spot
    # A thin line: nothing inside of it, nothing outside.
    rows, columns = np.nonzero(changed)
    centre, edge = place(canvas, (4.0, 2.0)), place(canvas, (4.9, 2.0))
    off = np.hypot(columns - centre[0], rows - centre[1])
    assert np.abs(off - (edge[0] - centre[0])).max() < 3.0
    canvas.show(drawn)
    assert np.array_equal(canvas.pixels(), plain)


def test_picture_is_a_file_of_its_width_even_if_empty(tmp_path):
    draw(Frame(Snapshot(0.0, {}), {}), Rings(), tmp_path / 'a.png', float('inf'))
    with Image.open(tmp_path / 'a.png') as image:
        assert image.format == 'PNG' and image.width == PICTURE_WIDTH


def test_animation_shows_its_frames_in_their_order_and_colours(tmp_path):
    path = tmp_path / 'run.gif'
    shifts = [0.0, 1.5]
    frames = [frame(shift, note='robot 40 was killed' if shift else '') for shift in shifts]
    animate(frames, RINGS, path, 2.5)
    canvas = Canvas(frames, RINGS, ANIMATION_WIDTH, 2.5)
    with Image.open(path) as image:
        assert image.n_frames == len(shifts) and image.width == ANIMATION_WIDTH
        for number, shift in enumerate(shifts):
            image.seek(number)
            pixels = np.asarray(image.convert('RGB'))
            column, row = place(canvas, (4.0 + shift, 2.0))
            assert pixels[row, column] / 255 == pytest.approx(frames[0].colours[1], abs=0.03)
            assert pixels[2, 2].tolist() == [255, 255, 255]
            assert 80 <= image.info['duration'] <= 2000
    assert path.stat().st_size < 100_000


# The parts of patrolled territories, from the decisions of leaders.

def told(decision, task='patrol'):
    views = (RobotView(1, None, -9.0, 0.0, 1, (task,), decision=decision),
             RobotView(2, None, -9.0, 1.0, 1, (task,), decision=decision))
    return patrol_parts(Snapshot(0.0, {view.id: view for view in views}))


def test_leaders_territory_is_split_among_its_members():
    # A square of 4 m and two robots: cut from north to south through the middle.
    found = told(PATROLLED)
    assert list(found) == [1] and told(PATROLLED, task='rally') == {} == told('')
    assert [Polygon(ring).bounds for ring in found[1]] == [
        pytest.approx((1, 1, 3, 5)), pytest.approx((3, 1, 5, 5))]


@pytest.mark.parametrize('decision', [
    '[null]', '[[]]', '[{}]', '[{"area":[],"ids":[1,2]}]', '[{"area":[[0,0,1]],"ids":[1]}]',
    '[{"area":[["x"]],"ids":[1]}]', '[{"area":[[0,0,1e300,0,1e300,1e300]],"ids":[1,2]}]',
    '[{"area":[[0,0,4,0,4,4]],"ids":7}]', '[{"area":[[0,0,4,0,4,4]],"ids":[' + '1,' * 999 + '1]}]',
])
def test_malformed_decision_is_not_drawn(decision):
    assert told(decision) == {1: ()}


RED, BLUE = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)


def led(time: float, leaders: dict[int, int]) -> Frame:
    views = {i: RobotView(i, None, 0.0, 0.0, leader) for i, leader in leaders.items()}
    return Frame(Snapshot(time, views), {1: RED, 2: BLUE})


def shares(path: Path) -> tuple[float, float]:
    """Return the shares of red and blue in a picture."""
    pixels = np.asarray(Image.open(path).convert('RGB')).reshape(-1, 3)
    return tuple(float(np.mean(np.all(pixels == colour, axis=1)))
                 for colour in ((255, 0, 0), (0, 0, 255)))


def test_robots_are_lines_in_the_colours_of_their_leaders(tmp_path):
    path = tmp_path / 'leaders.png'
    draw_timeline([led(float(t), {3: 1, 4: 1 if t < 20 else 2}) for t in range(40)], path)
    red, blue = shares(path)
    assert red > 0.2 and 0.3 < blue / red < 0.37, 'three quarters, and one'


@pytest.mark.parametrize('number', [1, 5000])
def test_long_and_single_observation_runs_are_drawn(tmp_path, number):
    draw_timeline([led(float(t), {1: 1}) for t in range(number)], tmp_path / 'a.png', start=0.0)
    assert shares(tmp_path / 'a.png')[0] > 0.2


def pixels_of(path, curve):
    """Return the number of pixels in the colour of a curve, and the height."""
    with Image.open(path) as image:
        pixels = np.asarray(image.convert('RGB')) / 255
    near = np.abs(pixels - to_rgb(STYLES[curve]['color'])).max(axis=2) < 0.02
    return int(near.sum()), len(pixels)


def panels(values, deviation=None):
    return {'positions [m]': [[0.1, 0.5, 0.9], values, [None] * 3],
            'distances [m]': [[None] * 3, [None] * 3, [deviation] * 3]}


def test_unknown_curves_and_panels_are_left_out(tmp_path):
    times = [0.0, 1.0, 2.0]
    draw_errors(tmp_path / 'some.png', times, panels([0.1, 0.1, None]))
    draw_errors(tmp_path / 'fewer.png', times, panels([None, None, None]))
    some, height = pixels_of(tmp_path / 'some.png', 1)
    assert some > 100 and pixels_of(tmp_path / 'some.png', 0)[0] > some
    assert pixels_of(tmp_path / 'some.png', 2)[0] == 0
    assert pixels_of(tmp_path / 'fewer.png', 1) == (0, height)
    draw_errors(tmp_path / 'full.png', times, panels([0.1, 0.1, 0.1], 0.2))
    drawn, taller = pixels_of(tmp_path / 'full.png', 2)
    assert drawn > 20 and taller > 1.5 * height
