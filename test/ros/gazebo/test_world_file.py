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

"""World files: robots, systems, and valid SDF."""

from pathlib import Path
from xml.etree import ElementTree

from leader_election.ros.gazebo.sdf import Equipment, Lidar
from leader_election.ros.gazebo.world_file import world_sdf
from leader_election.simulation.arena import load_arena, shipped_worlds
from leader_election.simulation.parameters import SceneParameters
from leader_election.simulation.scene import make_scene
from leader_election.swarm.fleet.hosting import scene_robots
import pytest
from ros.gazebo.sdf_tool import misspelled, needs_specification, needs_tool, verdict

ALL = Equipment(Lidar(), ground_truth=True)
CASES = [(world, robots) for world in shipped_worlds() for robots in (1, 30)]


def made(world: str, robots: int, equipment: Equipment = ALL) -> str:
    scene = make_scene(SceneParameters(robots=robots, world=world))
    return world_sdf(load_arena(world), scene_robots(scene), equipment)


def world_in(text: str) -> ElementTree.Element:
    world = ElementTree.fromstring(text).find('world')
    assert world is not None
    return world


@pytest.mark.parametrize(('world', 'robots'), CASES)
def test_world_contains_arena_ground_and_robots(world: str, robots: int) -> None:
    names = [model.get('name') for model in world_in(made(world, robots))
             if model.tag == 'model']
    assert names == ['ground', 'arena', *(f'robot_{i}' for i in range(1, robots + 1))]


def test_robots_have_their_initial_poses() -> None:
    robots = scene_robots(make_scene(SceneParameters(robots=5)))
    text = world_sdf(load_arena('blocks'), robots)
    models = {model.get('name'): model for model in world_in(text).iter('model')}
    for robot in robots:
        x, y, *above, yaw = map(float, models[robot.name].findtext('pose', '').split())
        assert (x, y, yaw) == pytest.approx(robot.pose) and above == [0, 0, 0]


def test_gazebo_sim_gets_the_systems_that_it_needs() -> None:
    def systems(equipment: Equipment) -> list[str]:
        return [plugin.get('filename', '')
                for plugin in world_in(made('empty', 1, equipment)).findall('plugin')]

    needed = [f'gz-sim-{name}-system' for name in
              ('physics', 'user-commands', 'scene-broadcaster')]
    assert systems(Equipment()) == needed
    assert systems(Equipment(bumper=True)) == [*needed, 'gz-sim-contact-system']
    assert systems(Equipment(imu=True)) == [*needed, 'gz-sim-imu-system']
    assert systems(Equipment(Lidar())) == [*needed, 'gz-sim-sensors-system']


def test_the_update_rate_gives_real_time_at_any_step() -> None:
    text = world_sdf(load_arena('empty'), [], step=0.004)
    physics = world_in(text).find('physics')
    assert physics is not None
    step, rate = (float(physics.findtext(name, ''))
                  for name in ('max_step_size', 'real_time_update_rate'))
    assert (step, rate) == (0.004, 250.0)
    assert '<real_time_factor>1<' in text


@needs_tool
@pytest.mark.parametrize(('world', 'robots'), [
    case for case in CASES if case in (('blocks', 30), ('rooms', 1), ('empty', 1))])
def test_the_sdf_tool_finds_it_valid(
        tmp_path: Path, world: str, robots: int) -> None:
    file = tmp_path / 'world.sdf'
    file.write_text(made(world, robots))
    assert verdict(file) == 'Valid.'


@needs_specification
def test_every_element_is_in_the_sdf_specification() -> None:
    assert misspelled(ElementTree.fromstring(made('blocks', 2))) == []
