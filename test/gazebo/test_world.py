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

"""World files: arenas as boxes, robots, systems, and valid SDF."""

import math
from pathlib import Path
from xml.etree import ElementTree

from gazebo.sdf_tool import misspelled, needs_specification, needs_tool, verdict
from hypothesis import given
from hypothesis import strategies as st
from leader_election.fleet.hosting import scene_robots
from leader_election.gazebo.simulator import Equipment, Lidar, Simulator
from leader_election.gazebo.world import (
    as_rectangle,
    edge_rectangles,
    EDGE_THICKNESS,
    outer_walls,
    Rectangle,
    world_sdf,
)
from leader_election.world.arena import load_arena, shipped_worlds
from leader_election.world.parameters import SceneParameters
from leader_election.world.scene import make_scene
import pytest
import shapely
from shapely.affinity import rotate, translate


def area(rectangle: Rectangle) -> shapely.Polygon:
    """Return the polygon of a rectangle."""
    x, y, length, width, yaw = rectangle
    box = shapely.box(-length / 2, -width / 2, length / 2, width / 2)
    return translate(rotate(box, yaw, origin=(0, 0), use_radians=True), x, y)


@given(st.floats(0.1, 20.0), st.floats(0.1, 20.0), st.floats(-4.0, 4.0),
       st.floats(-10.0, 10.0), st.floats(-10.0, 10.0))
def test_a_rotated_rectangle_is_one_box(
        length: float, width: float, yaw: float, x: float, y: float) -> None:
    polygon = area(Rectangle(x, y, length, width, yaw))
    rectangle = as_rectangle(polygon)
    assert rectangle is not None
    assert area(rectangle).symmetric_difference(polygon).area < 1e-5 * polygon.area


@pytest.mark.parametrize('corners', [
    [(0, 0), (1, 0), (0, 1)], [(0, 0), (2, 0), (2.2, 1), (0, 1)],
    [(0, 0), (2, 0), (2, 2), (1, 2), (1, 1), (0, 1)]])
def test_other_polygons_are_not_rectangles(corners: list[tuple[float, float]]) -> None:
    assert as_rectangle(shapely.Polygon(corners)) is None


@pytest.mark.parametrize('clockwise', [False, True])
def test_edges_are_closed_and_stay_inside(clockwise: bool) -> None:
    for obstacle in load_arena('blocks').obstacles:
        polygon = obstacle.reverse() if clockwise else obstacle
        slabs = shapely.union_all([area(rectangle) for rectangle in edge_rectangles(polygon)])
        assert slabs.buffer(1e-6).covers(obstacle.exterior)
        assert obstacle.buffer(EDGE_THICKNESS).covers(slabs)
        # Along an edge nothing stands out; beyond a pointed corner a little of it does.
        assert slabs.difference(obstacle.buffer(1e-6)).area < 0.01 * slabs.area


@pytest.mark.parametrize('world', ['blocks', 'rooms', 'empty'])
def test_outer_walls_are_closed_and_outside(world: str) -> None:
    outline = load_arena(world).outline
    slabs = [area(rectangle) for rectangle in outer_walls(outline)]
    walls = shapely.union_all(slabs)
    assert len(slabs) == 4
    assert walls.intersection(outline).area == pytest.approx(0.0, abs=1e-9)
    assert walls.buffer(1e-9).covers(outline.exterior)
    assert math.isclose(walls.envelope.area, walls.area + outline.area)


ALL = Equipment(Lidar(), ground_truth=True)
CASES = [(world, robots, simulator)
         for world in shipped_worlds() for robots in (1, 30) for simulator in Simulator]


def made(world: str, robots: int, simulator: Simulator, equipment: Equipment = ALL) -> str:
    scene = make_scene(SceneParameters(robots=robots, world=world))
    return world_sdf(load_arena(world), scene_robots(scene), simulator, equipment)


def world_in(text: str) -> ElementTree.Element:
    world = ElementTree.fromstring(text).find('world')
    assert world is not None
    return world


@pytest.mark.parametrize(('world', 'robots', 'simulator'), CASES)
def test_it_contains_arena_ground_and_robots(
        world: str, robots: int, simulator: Simulator) -> None:
    names = [model.get('name') for model in world_in(made(world, robots, simulator))
             if model.tag == 'model']
    assert names == ['ground', 'arena', *(f'robot_{i}' for i in range(1, robots + 1))]


def test_robots_have_their_initial_poses() -> None:
    robots = scene_robots(make_scene(SceneParameters(robots=5)))
    text = world_sdf(load_arena('blocks'), robots, Simulator.GZ_SIM)
    models = {model.get('name'): model for model in world_in(text).iter('model')}
    for robot in robots:
        x, y, *above, yaw = map(float, models[robot.name].findtext('pose', '').split())
        assert (x, y, yaw) == pytest.approx(robot.pose) and above == [0, 0, 0]


def test_gazebo_sim_gets_the_systems_that_it_needs() -> None:
    def systems(equipment: Equipment, simulator: Simulator = Simulator.GZ_SIM) -> list[str]:
        return [plugin.get('filename', '')
                for plugin in world_in(made('empty', 1, simulator, equipment)).findall('plugin')]

    needed = [f'gz-sim-{name}-system' for name in
              ('physics', 'user-commands', 'scene-broadcaster')]
    assert systems(Equipment()) == needed
    assert systems(Equipment(bumper=True)) == [*needed, 'gz-sim-contact-system']
    assert systems(Equipment(Lidar())) == [*needed, 'gz-sim-sensors-system']
    assert systems(ALL, Simulator.GZ_CLASSIC) == []


def test_the_update_rate_gives_real_time_at_any_step() -> None:
    text = world_sdf(load_arena('empty'), [], Simulator.GZ_CLASSIC, step=0.004)
    physics = world_in(text).find('physics')
    assert physics is not None
    step, rate = (float(physics.findtext(name, ''))
                  for name in ('max_step_size', 'real_time_update_rate'))
    assert (step, rate) == (0.004, 250.0)
    assert '<real_time_factor>1<' in text
    swift = world_sdf(load_arena('empty'), [], Simulator.GZ_SIM, step=0.004, real_time_factor=2.0)
    assert '<real_time_factor>2<' in swift and '<real_time_update_rate>500<' in swift


@needs_tool
@pytest.mark.parametrize(('world', 'robots', 'simulator'), [
    case for case in CASES if case[:2] in (('blocks', 30), ('rooms', 1), ('empty', 1))])
def test_the_sdf_tool_finds_it_valid(
        tmp_path: Path, world: str, robots: int, simulator: Simulator) -> None:
    file = tmp_path / 'world.sdf'
    file.write_text(made(world, robots, simulator))
    assert verdict(file) == 'Valid.'


@needs_specification
@pytest.mark.parametrize('simulator', Simulator)
def test_every_element_is_in_the_sdf_specification(simulator: Simulator) -> None:
    assert misspelled(ElementTree.fromstring(made('blocks', 2, simulator))) == []
