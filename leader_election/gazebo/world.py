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

"""
A whole world as SDF: an arena, the ground, light, and all robots.

It holds the robots itself: of many that are spawned into a running world at once, some never come.
"""

from collections.abc import Sequence

from leader_election.fleet.entry import Entry
from leader_election.gazebo.colours import robot_colour
from leader_election.gazebo.model import robot_model, SDF_VERSION
from leader_election.gazebo.simulator import BARE, Extras, Simulator, world_plugins
from leader_election.gazebo.walls import arena_model, material
from leader_election.gazebo.xml import document, Element, tag
from leader_election.world.arena import Arena

WORLD_NAME = 'swarm'
"""Of the worlds that are made here."""
_GROUND = (0.83, 0.84, 0.82)
_MARGIN = 10.0
"""The ground reaches so far beyond the arena [m]."""
STEP = 0.002
"""
Of physics [s].

A robot of Gazebo Classic drives 1 % faster than it was told with this one, 3 % with the double.
"""
_ITERATIONS = 20
"""Of Gazebo Classic's solver; 50, its own, give the same speeds within 1 % for 1.6 of the work."""


def world_sdf(arena: Arena, robots: Sequence[Entry], simulator: Simulator,
              extras: Extras = BARE, step: float = STEP, pace: float = 1.0) -> str:
    """
    Return a world file.

    :param extras: what robots have beside wheels.
    :param step: of physics [s].
    :param pace: how much of the world's time passes in a real second at most.

    >>> from leader_election.world.arena import load_arena
    >>> 'robot_7' in world_sdf(load_arena('blocks'), [Entry('robot_7', 7)], Simulator.GZ_SIM)
    True
    """
    left, bottom, right, top = arena.outline.bounds
    size = (right - left + 2 * _MARGIN, top - bottom + 2 * _MARGIN)
    world = tag(
        'world', _physics(step, pace), *world_plugins(simulator, extras), _scene(), _sun(),
        _ground(size), arena_model(arena), *robot_models(robots, simulator, extras),
        name=WORLD_NAME)
    return document(tag('sdf', world, version=SDF_VERSION))


def robot_models(robots: Sequence[Entry], simulator: Simulator, extras: Extras) -> list[Element]:
    """Return all robots, each in a colour of its own."""
    return [robot_model(robot.name, robot.pose, robot_colour(robot.id), simulator, extras)
            for robot in robots]


def _physics(step: float, pace: float) -> Element:
    return tag(
        'physics', tag('max_step_size', step), tag('real_time_factor', pace),
        tag('real_time_update_rate', pace / step),
        tag('ode', tag('solver', tag('type', 'quick'), tag('iters', _ITERATIONS))),
        name='step', type='ode')


def _scene() -> Element:
    return tag(
        'scene', tag('ambient', (0.5, 0.5, 0.5, 1.0)), tag('background', (0.7, 0.75, 0.8, 1.0)),
        # A shadow a robot is dear, and shows nothing.
        tag('shadows', False))


def _sun() -> Element:
    return tag(
        'light', tag('pose', (0.0, 0.0, 10.0, 0.0, 0.0, 0.0)), tag('cast_shadows', False),
        tag('diffuse', (0.9, 0.9, 0.9, 1.0)), tag('specular', (0.1, 0.1, 0.1, 1.0)),
        tag('direction', (-0.4, 0.2, -0.9)), name='sun', type='directional')


def _ground(size: tuple[float, float]) -> Element:
    plane = tag('geometry', tag('plane', tag('normal', (0.0, 0.0, 1.0)), tag('size', size)))
    return tag(
        'model', tag('static', True), tag(
            'link', tag('collision', plane, name='plane_shape'),
            tag('visual', plane, material(_GROUND), name='plane'), name='link'),
        name='ground')
