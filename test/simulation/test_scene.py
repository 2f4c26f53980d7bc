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

"""Initial poses of robots."""

import math

from leader_election.parameters import build, ParameterError
from leader_election.simulation.parameters import SceneParameters, WorldParameters
from leader_election.simulation.scene import free_space, make_scene
import numpy as np
import pytest
import shapely


@pytest.mark.parametrize('world', ['barriers', 'blocks', 'empty', 'rooms'])
def test_random_poses_are_free_without_overlaps_and_repeatable(world: str) -> None:
    parameters = SceneParameters(robots=100, seed=7, world=world, robot_radius=0.2, first_id=5)
    scene = make_scene(parameters)
    starts = np.array(scene.starts)
    free = free_space(scene.arena, scene.obstacles, 0.2)
    assert scene.ids == tuple(range(5, 105))
    assert shapely.covers(free, shapely.points(starts[:, :2])).all()
    apart = np.hypot(*(starts[:, np.newaxis, :2] - starts[:, :2]).T)
    assert apart[~np.eye(100, dtype=bool)].min() >= 0.4
    assert make_scene(parameters).starts == scene.starts
    assert make_scene(SceneParameters(robots=100, seed=8, world=world)).starts != scene.starts


def test_parameters_of_the_world_alone_do_not_change_the_scene() -> None:
    fleet = make_scene(SceneParameters(robots=10, seed=3))
    world = make_scene(WorldParameters(robots=10, seed=3, motion='levy', angular_noise=0.1))
    assert fleet.starts == world.starts


def test_a_grid_is_a_square_round_the_centre() -> None:
    scene = make_scene(SceneParameters(robots=9, world='empty', layout='grid', spacing=2.0))
    assert scene.starts == tuple((x, y, 0.0) for y in (-2.0, 0.0, 2.0) for x in (-2.0, 0.0, 2.0))


def test_a_grid_avoids_obstacles() -> None:
    scene = make_scene(SceneParameters(robots=100, world='blocks', layout='grid'))
    free = free_space(scene.arena, scene.obstacles, 0.15)
    assert len(set(scene.starts)) == 100
    assert shapely.covers(free, shapely.points(np.array(scene.starts)[:, :2])).all()


def test_a_circle_has_the_spacing_and_faces_outwards() -> None:
    scene = make_scene(SceneParameters(robots=6, world='empty', layout='circle', spacing=2.0))
    x, y, yaw = np.array(scene.starts).T
    assert np.hypot(x, y) == pytest.approx(2.0)
    assert np.hypot(x - np.roll(x, 1), y - np.roll(y, 1)) == pytest.approx(2.0)
    assert np.cos(yaw - np.arctan2(y, x)) == pytest.approx(1.0)
    alone = make_scene(SceneParameters(robots=1, world='empty', layout='circle'))
    assert alone.starts == ((0.0, 0.0, 0.0),)


def test_a_circle_grows_until_it_avoids_obstacles() -> None:
    scene = make_scene(SceneParameters(robots=5, world='blocks', layout='circle'))
    starts = np.array(scene.starts)
    free = free_space(scene.arena, scene.obstacles, 0.15)
    assert shapely.covers(free, shapely.points(starts[:, :2])).all()
    assert np.hypot(*starts[:, :2].T) == pytest.approx(np.hypot(*starts[0, :2]))
    assert np.hypot(*starts[0, :2]) > 1 / (2 * math.sin(math.pi / 5))


@pytest.mark.parametrize(('layout', 'robots', 'radius'), [
    ('random', 50, 1.0), ('grid', 1000, 0.15), ('grid', 1, 50.0), ('random', 1, 50.0),
    ('circle', 30, 0.15), ('circle', 1, 50.0)])
def test_robots_that_do_not_fit_are_refused(layout: str, robots: int, radius: float) -> None:
    parameters = SceneParameters(robots=robots, layout=layout, robot_radius=radius)
    with pytest.raises(ParameterError, match=f'robots: {robots} do not fit into world blocks'):
        make_scene(parameters)


def test_logs_determine_poses_number_and_arena() -> None:
    scene = make_scene(SceneParameters(robots=40, logs='physics5', first_id=11))
    assert scene.ids == (11, 12, 13, 14, 15)
    assert scene.starts[0] == (0.0556, 3.0181, -2.2358)
    assert scene.starts[scene.ids.index(15)] == (-0.8003, 1.9325, -1.2366)
    paths = shapely.MultiPoint(np.vstack([log.poses[:, :2] for log in scene.logs]))
    assert scene.arena.covers(paths)
    assert scene.obstacles == ()


def test_replay_without_logs_and_a_factor_without_a_clock_are_refused() -> None:
    with pytest.raises(ParameterError, match='parameter logs is missing'):
        build(WorldParameters, {'motion': 'replay'})
    with pytest.raises(ParameterError, match='real_time_factor: 2.0 needs publish_clock'):
        build(WorldParameters, {'real_time_factor': 2.0})
    assert build(WorldParameters, {'real_time_factor': 2, 'publish_clock': True})
    assert math.isinf(build(WorldParameters, {'radio_range': math.inf}).radio_range)
