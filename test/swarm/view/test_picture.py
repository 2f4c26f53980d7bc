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

"""The picture, by the colours at the places where something is."""

from leader_election.swarm.snapshot import RobotView, Snapshot
from leader_election.swarm.view.formatting import GONE
from leader_election.swarm.view.frame import Frame, patrol_parts, Rings
from leader_election.swarm.view.picture import (
    animate,
    ANIMATION_WIDTH,
    Canvas,
    draw,
    PICTURE_WIDTH,
)
import numpy as np
from PIL import Image
import pytest
from shapely import Polygon
from swarm.view.example import frame, PATROLLED, RINGS, working


@pytest.fixture(scope='module')
def canvas():
    return Canvas([frame()], RINGS, 800, 2.5)


def at(canvas, position):
    """Return the colour at a place, parts in [0, 1]."""
    column, row = canvas.place(position)
    return canvas.pixels()[row, column] / 255


def test_robots_and_leaders_have_their_leaders_colour_where_they_are(canvas):
    drawn = frame()
    canvas.show(drawn)
    for robot in drawn.snapshot.robots.values():
        if robot.position is not None:
            assert at(canvas, robot.position) == pytest.approx(
                drawn.colours[robot.leader], abs=0.02), robot
    assert at(canvas, (4.0, 6.5)) == pytest.approx(GONE, abs=0.02)


def test_regions_links_and_obstacles_are_seen_and_the_rest_is_white(canvas):
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


def test_patrolled_parts_and_counted_members_are_seen(canvas):
    drawn = frame()
    canvas.show(drawn)
    plain = canvas.pixels()
    canvas.show(working(drawn))
    # The border between the two parts is at x = 3, and the territory's outline at y = 5.
    for place in ((3.0, 4.6), (4.0, 5.0)):
        column, row = canvas.place(place)
        near = (slice(row - 1, row + 2), slice(column - 1, column + 2))
        assert (canvas.pixels()[near] < plain[near] - 20).any()
    canvas.show(frame())
    assert np.array_equal(canvas.pixels(), plain)
    canvas.show(working(drawn))
    assert [label.get_text() for label in canvas._labels if label.get_visible()] == [
        '1 (3)', '7 (3)']


def test_a_deviation_is_a_circle_round_the_robot(canvas):
    drawn = frame()
    canvas.show(drawn)
    plain = canvas.pixels()
    robots = drawn.snapshot.robots
    robots = robots | {2: robots[2]._replace(deviation=0.9)}
    canvas.show(drawn._replace(snapshot=drawn.snapshot._replace(robots=robots)))
    changed = (canvas.pixels() != plain).any(axis=2)
    for place in ((4.9, 2.0), (4.0, 2.9), (4.0, 1.1), (4.636, 2.636)):
        column, row = canvas.place(place)
        assert changed[row - 1:row + 2, column - 1:column + 2].any(), place
    # A thin line: nothing inside of it, nothing outside.
    rows, columns = np.nonzero(changed)
    centre, edge = canvas.place((4.0, 2.0)), canvas.place((4.9, 2.0))
    off = np.hypot(columns - centre[0], rows - centre[1])
    assert np.abs(off - (edge[0] - centre[0])).max() < 3.0
    canvas.show(drawn)
    assert np.array_equal(canvas.pixels(), plain)


def test_a_picture_is_a_file_of_its_width(tmp_path):
    draw(frame(), RINGS, tmp_path / 'a.png', 2.5)
    with Image.open(tmp_path / 'a.png') as image:
        assert image.format == 'PNG' and image.width == PICTURE_WIDTH


@pytest.mark.parametrize('swarm', [frame(), Frame(Snapshot(0.0, {}), {})])
def test_empty_picture_is_drawn(tmp_path, swarm):
    draw(swarm, Rings(), tmp_path / 'a.png', float('inf'))
    assert (tmp_path / 'a.png').stat().st_size > 1000


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


# The parts of patrolled territories, from what leaders say.

def told(decision, task='patrol'):
    views = (RobotView(1, None, -9.0, 0.0, 1, (task,), decision=decision),
             RobotView(2, None, -9.0, 1.0, 1, (task,), decision=decision))
    return patrol_parts(Snapshot(0.0, {view.id: view for view in views}))


def test_a_leaders_territory_is_split_among_its_members():
    # A square of 4 m and two robots: cut from north to south through the middle.
    found = told(PATROLLED)
    assert list(found) == [1]
    assert [Polygon(ring).bounds for ring in found[1]] == [
        pytest.approx((1, 1, 3, 5)), pytest.approx((3, 1, 5, 5))]


@pytest.mark.parametrize('decision', [
    '[null]', '[7]', '[[]]', '[{}]', '[{"area":[],"ids":[]}]', '[{"area":[],"ids":[1,2]}]',
    '[{"area":[[0,0,1]],"ids":[1]}]', '[{"area":[["x"]],"ids":[1]}]',
    '[{"area":[[0,0,1e300,0,1e300,1e300]],"ids":[1,2]}]', '[{"area":5,"ids":[1,2]}]',
    '[{"area":[[0,0,4,0,4,4]],"ids":7}]', '[{"area":[[0,0,4,0,4,4]],"ids":[' + '1,' * 999 + '1]}]',
])
def test_malformed_decision_is_not_drawn(decision):
    assert told(decision) == {1: ()}


def test_other_tasks_have_no_parts():
    assert told(PATROLLED, task='rally') == {} == told('')
