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

"""The arena, the scene, and the world that moves robots in it."""

import math

from hypothesis import given
from hypothesis import strategies as st
from leader_election.parameters import build, ParameterError
from leader_election.simulation import world as world_module
from leader_election.simulation.motion import Array, relative
from leader_election.simulation.parameters import SceneParameters, WorldParameters
from leader_election.simulation.scene import (
    as_rectangle,
    EDGE_THICKNESS,
    free_space,
    LineOfSight,
    load_arena,
    make_scene,
    obstacle_rectangles,
    outer_walls,
    Rectangle,
    shipped_worlds,
)
from leader_election.simulation.world import World
import numpy as np
import pytest
import shapely
from shapely.affinity import rotate, translate


@pytest.mark.parametrize('world', ['barriers', 'blocks', 'empty', 'rooms'])
def test_included_arenas_have_connected_free_space(world):
    arena = load_arena(world)
    assert world in shipped_worlds()
    assert all(arena.outline.covers(obstacle) for obstacle in arena.obstacles)
    assert free_space(*arena, 0.3).geom_type == 'Polygon'


def test_arena_is_read_from_a_file(tmp_path):
    path = tmp_path / 'mine.yaml'
    path.write_text('size: [4, 2]\nobstacles: [[[0, 0], [1, 0], [0, 1]]]\n')
    arena = load_arena(str(path))
    assert arena.outline.equals(shapely.box(-2, -1, 2, 1))
    assert [obstacle.area for obstacle in arena.obstacles] == [0.5]


@pytest.mark.parametrize(('text', 'problem'), [
    ('[1, 2]', 'expected the keys size and obstacles'),
    ('obstacles: []', 'size: expected two finite numbers, not None'),
    ('size: [4, ' + 400 * '9' + ']', 'size: expected two finite numbers'),
    ('size: [4, 0]', 'size: [4, 0] is not greater than 0'),
    ('size: [4, 2]\nwalls: []', 'unknown key walls'),
    ('size: [4, 2]\nobstacles: 3', 'obstacles: expected a list'),
    ('size: [4, 2]\nobstacles: [[[0, 0], [1, 0]]]', 'obstacles[0]: expected a list of three'),
    ('size: [4, 2]\nobstacles: [[[0, 0], [1, 0], [1]]]', 'obstacles[0][2]: expected two'),
    ('size: [4, 2]\nobstacles: [[[0, 0], [1, 1], [1, 0], [0, 1]]]',
     'obstacles[0]: not a simple polygon: Self-intersection'),
    ('size: [4, 2', "expected ',' or ']'"),
])
def test_arena_is_refused_with_file_and_key_when_wrong(tmp_path, text, problem):
    path = tmp_path / 'wrong.yaml'
    path.write_text(text)
    with pytest.raises(ParameterError) as error:
        load_arena(str(path))
    assert 'parameter world' in str(error.value)
    assert str(path) in str(error.value)
    assert problem in str(error.value)


def test_arena_is_refused_with_the_known_names_when_unknown():
    with pytest.raises(ParameterError, match="'blokcs' is none of barriers, blocks, empty, rooms"
                       '.*; did you mean blocks.$'):
        load_arena('blokcs')


def area(rectangle: Rectangle) -> shapely.Polygon:
    """Return the polygon of a rectangle."""
    x, y, length, width, yaw = rectangle
    box = shapely.box(-length / 2, -width / 2, length / 2, width / 2)
    return translate(rotate(box, yaw, origin=(0, 0), use_radians=True), x, y)


@given(st.floats(0.1, 20.0), st.floats(0.1, 20.0), st.floats(-4.0, 4.0),
       st.floats(-10.0, 10.0), st.floats(-10.0, 10.0))
def test_rotated_rectangle_is_one_box(length, width, yaw, x, y):
    polygon = area(Rectangle(x, y, length, width, yaw))
    rectangle = as_rectangle(polygon)
    assert rectangle is not None
    assert area(rectangle).symmetric_difference(polygon).area < 1e-5 * polygon.area


@pytest.mark.parametrize('corners', [
    [(0, 0), (1, 0), (0, 1)], [(0, 0), (2, 0), (2.2, 1), (0, 1)],
    [(0, 0), (2, 0), (2, 2), (1, 2), (1, 1), (0, 1)]])
def test_polygon_is_no_box_unless_a_rectangle(corners):
    assert as_rectangle(shapely.Polygon(corners)) is None


@pytest.mark.parametrize('clockwise', [False, True])
def test_edges_of_obstacles_are_closed_and_inside(clockwise):
    triangle = shapely.Polygon([(0, 0), (4, 0), (0, 3)])
    for obstacle in (triangle, *load_arena('blocks').obstacles):
        polygon = obstacle.reverse() if clockwise else obstacle
        slabs = shapely.union_all([area(rectangle) for rectangle in obstacle_rectangles(polygon)])
        assert slabs.buffer(1e-6).covers(obstacle.exterior)
        assert obstacle.buffer(EDGE_THICKNESS).covers(slabs)
        # Along an edge nothing stands out. Beyond a pointed corner a little of it does.
        assert slabs.difference(obstacle.buffer(1e-6)).area < 0.01 * slabs.area


@pytest.mark.parametrize('world', ['barriers', 'blocks', 'rooms', 'empty'])
def test_outer_walls_are_closed_and_outside_of_the_arena(world):
    outline = load_arena(world).outline
    slabs = [area(rectangle) for rectangle in outer_walls(outline)]
    walls = shapely.union_all(slabs)
    assert len(slabs) == 4
    assert walls.intersection(outline).area == pytest.approx(0.0, abs=1e-9)
    assert walls.buffer(1e-9).covers(outline.exterior)
    assert math.isclose(walls.envelope.area, walls.area + outline.area)


WALL = shapely.box(1.0, -1.0, 2.0, 1.0)


def test_line_of_sight_accepts_pairs_or_one_common_place():
    sight = LineOfSight([WALL])
    there = np.array([[3.0, 0.0], [0.5, 0.0], [0.0, 5.0]])
    assert sight.clear(np.zeros(2), there).tolist() == [False, True, True]
    assert sight.clear(there[[0, 0, 0]], there).tolist() == [True, False, True]
    assert sight.clear(np.zeros(2), np.empty((0, 2))).tolist() == []


def test_touching_an_obstacle_blocks_the_line_of_sight():
    there = np.array([[3.0, 1.0]])
    assert LineOfSight([WALL]).clear(np.array([0.0, 1.0]), there).tolist() == [False]
    assert LineOfSight([]).clear(np.zeros(2), there).tolist() == [True]


@pytest.mark.parametrize('world', ['barriers', 'blocks', 'empty', 'rooms'])
def test_random_poses_are_free_disjoint_and_repeatable(world):
    parameters = SceneParameters(robots=100, seed=7, world=world)
    scene = make_scene(parameters)
    starts = np.array(scene.starts)
    free = free_space(scene.arena, scene.obstacles, 0.15)
    assert scene.ids == tuple(range(1, 101))
    assert shapely.covers(free, shapely.points(starts[:, :2])).all()
    apart = np.hypot(*(starts[:, np.newaxis, :2] - starts[:, :2]).T)
    assert apart[~np.eye(100, dtype=bool)].min() >= 0.3
    assert make_scene(parameters).starts == scene.starts
    assert make_scene(SceneParameters(robots=100, seed=8, world=world)).starts != scene.starts


def test_scene_is_independent_of_parameters_of_the_world():
    fleet = make_scene(SceneParameters(robots=10, seed=3))
    world = make_scene(WorldParameters(robots=10, seed=3, motion='levy', angular_noise=0.1))
    assert fleet.starts == world.starts


def test_grid_is_a_square_round_the_centre():
    scene = make_scene(SceneParameters(robots=9, world='empty', layout='grid', spacing=2.0))
    assert scene.starts == tuple((x, y, 0.0) for y in (-2.0, 0.0, 2.0) for x in (-2.0, 0.0, 2.0))


def test_grid_avoids_obstacles():
    scene = make_scene(SceneParameters(robots=100, world='blocks', layout='grid'))
    free = free_space(scene.arena, scene.obstacles, 0.15)
    assert len(set(scene.starts)) == 100
    assert shapely.covers(free, shapely.points(np.array(scene.starts)[:, :2])).all()


def test_circle_has_the_spacing_and_faces_outwards():
    scene = make_scene(SceneParameters(robots=6, world='empty', layout='circle', spacing=2.0))
    x, y, yaw = np.array(scene.starts).T
    assert np.hypot(x, y) == pytest.approx(2.0)
    assert np.hypot(x - np.roll(x, 1), y - np.roll(y, 1)) == pytest.approx(2.0)
    assert np.cos(yaw - np.arctan2(y, x)) == pytest.approx(1.0)
    alone = make_scene(SceneParameters(robots=1, world='empty', layout='circle'))
    assert alone.starts == ((0.0, 0.0, 0.0),)


@pytest.mark.parametrize(('layout', 'robots', 'world'), [
    ('random', 5000, 'blocks'), ('grid', 1000, 'blocks'), ('circle', 30, 'blocks'),
    *((layout, 1, 'empty:0.2x9') for layout in ('grid', 'random', 'circle'))])
def test_robots_are_refused_when_they_do_not_fit(layout, robots, world):
    parameters = SceneParameters(robots=robots, layout=layout, world=world)
    with pytest.raises(ParameterError, match=f'robots: {robots} do not fit into world {world}'):
        make_scene(parameters)


def test_logs_determine_poses_number_and_arena():
    scene = make_scene(SceneParameters(robots=40, logs='physics5'))
    assert scene.ids == (1, 2, 3, 4, 5)
    assert scene.starts[0] == (0.0556, 3.0181, -2.2358)
    assert scene.starts[scene.ids.index(5)] == (-0.8003, 1.9325, -1.2366)
    paths = shapely.MultiPoint(np.vstack([log.poses[:, :2] for log in scene.logs]))
    assert scene.arena.covers(paths)
    assert scene.obstacles == ()


def test_speed_factor_is_refused_without_a_clock():
    with pytest.raises(ParameterError, match='real_time_factor: 2.0 needs publish_clock'):
        build(WorldParameters, {'real_time_factor': 2.0})
    assert build(WorldParameters, {'real_time_factor': 2, 'publish_clock': True})
    assert math.isinf(build(WorldParameters, {'radio_range': math.inf}).radio_range)


# The world as a whole: seeds, odometry and its errors, replay.

def after(steps: int, **settings: object) -> World:
    world = World(WorldParameters(**settings))  # type: ignore[arg-type]
    for _ in range(steps):
        world.step()
    return world


def composed(world: World) -> Array:
    """Return the poses by odometry, from the true starts."""
    x, y, yaw = np.array(world.scene.starts).T
    dx, dy, turn = world.odometry.T
    return np.column_stack((x + np.cos(yaw) * dx - np.sin(yaw) * dy,
                            y + np.sin(yaw) * dx + np.cos(yaw) * dy, yaw + turn))


def test_odometry_is_exact_by_default_along_walls() -> None:
    world = after(300, robots=20, motion='levy', speed=1.0)
    assert np.hypot(*(world.poses - np.array(world.scene.starts))[:, :2].T).max() > 2.0
    assert np.allclose(composed(world), world.poses, atol=1e-8)
    assert world.measured.tolist() == world.velocities.tolist()
    assert world.time == pytest.approx(30.0)


def test_motion_is_repeated_by_the_seed_and_independent_of_errors() -> None:
    noisy = {'robots': 10, 'motion': 'levy', 'linear_noise': 0.1, 'angular_bias': 0.1}
    first, again = after(50, seed=4, **noisy), after(50, seed=4, **noisy)
    assert first.poses.tolist() == again.poses.tolist()
    assert first.odometry.tolist() == again.odometry.tolist()
    assert after(50, seed=4, robots=10, motion='levy').poses.tolist() == first.poses.tolist()
    assert after(50, seed=5, **noisy).poses.tolist() != first.poses.tolist()


@pytest.mark.parametrize('step', [0.1, 0.025])
def test_noise_grows_with_the_root_of_time_at_any_step(
        step: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(world_module, 'STEP', step)
    world = after(round(4 / step), robots=400, world='empty', linear_noise=0.05)
    assert 0.085 < world.odometry[:, 0].std() < 0.115  # 0.05 * sqrt(4 s)
    assert world.poses.tolist() == np.array(world.scene.starts).tolist()


def test_replayed_odometry_drifts_from_the_replayed_truth() -> None:
    world = after(1200, logs='physics5')
    assert world.ended
    assert [log.poses[-1].tolist() for log in world.scene.logs] == world.poses.tolist()
    drift = np.hypot(*(composed(world) - world.poses)[:, :2].T)
    assert np.all(drift > 0.01) and np.all(drift < 4.0)
    # The same as integrating every row from the true start, with the book's formula.
    log = world.scene.logs[1]
    x, y, yaw = log.poses[0]
    for v, omega, _ in log.velocities[:-1]:
        middle = yaw + omega * 0.05
        x, y, yaw = x + v * 0.1 * np.cos(middle), y + v * 0.1 * np.sin(middle), yaw + omega * 0.1
    assert np.allclose(composed(world)[1], (x, y, yaw), atol=0.01)
    last = world.poses.tolist(), world.odometry.tolist()
    world.step()
    assert (world.poses.tolist(), world.odometry.tolist()) == last, 'they stand still after it'
    assert not world.velocities.any()


def test_true_pose_can_be_replayed_as_odometry() -> None:
    world = after(200, logs='physics5', odom_source='truth', angular_bias=1.0)
    assert not world.ended
    assert np.allclose(composed(world), world.poses, atol=1e-9)
    assert np.allclose(world.odometry, relative(np.array(world.scene.starts), world.poses))
    assert world.measured.tolist() == world.velocities.tolist()


def test_radio_addresses_messages_by_id() -> None:
    world = after(0, robots=3, world='empty', layout='grid', radio_range=1.2)
    assert [world.send(robot, f'of {robot}', 0.0) for robot in (1, 2, 4)] == [True, True, False]
    assert [(copy.receiver, copy.message) for copy in world.radio.arrived(0.0)] == [
        (1, 'of 1'), (2, 'of 1'), (0, 'of 2')]


def test_odometry_fails_for_the_configured_robots_and_time() -> None:
    settings = {'robots': 3, 'world': 'empty', 'layout': 'grid'}
    world = after(0, **settings)
    right = world.odometry.tolist()
    world.configure(WorldParameters(**settings, odom_silent='2', odom_shifted='1,3',
                                    odom_shift=2.0))
    assert world.odom_silent == {1}
    assert (world.odometry - right).tolist() == [[2.0, 0.0, 0.0], [0.0] * 3, [2.0, 0.0, 0.0]]
    world.configure(WorldParameters(**settings))
    assert world.odom_silent == set() and world.odometry.tolist() == right
