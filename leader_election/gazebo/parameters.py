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

"""What a swarm in Gazebo is made from."""

import dataclasses
from dataclasses import dataclass
import math
from typing import Any

from leader_election.gazebo.simulator import FEWEST_BEAMS
from leader_election.gazebo.world import STEP, WORLD_NAME
from leader_election.parameters import parameter, REQUIRED_INT
from leader_election.robot.region_codec import MAX_ID
from leader_election.world.parameters import SceneParameters

NOWHERE = 'none'
"""The world of one more robot where nobody knows it."""


def _as_in(parameters: type, name: str) -> Any:
    """Declare a parameter as it is declared there."""
    field = next(f for f in dataclasses.fields(parameters) if f.name == name)
    return dataclasses.field(default=field.default, metadata=field.metadata)


@dataclass(frozen=True)
class GazeboParameters:
    """The robots, the world that they are in, and what they have beside wheels."""

    robots: str = parameter(
        '30', "How many robots there are; or a list of them, as nav2 has it: '{name: robot_1, "
        "pose: {x: 0.5, y: 0.5, yaw: 0.0}}; {...}', each with an id if you like.", empty=False)
    first_id: int = _as_in(SceneParameters, 'first_id')
    seed: int = _as_in(SceneParameters, 'seed')
    layout: str = _as_in(SceneParameters, 'layout')
    spacing: float = _as_in(SceneParameters, 'spacing')
    world: str = parameter(
        'blocks', 'The arena: blocks, rooms, empty, or the path of a YAML file; or a world file '
        'of your own, .sdf or .world, where layouts place robots as if it were empty.',
        empty=False)
    lidar: int = parameter(
        0, f'The beams of a laser scanner on each robot, {FEWEST_BEAMS} at least; 0 for none. In '
        'Gazebo Sim scanners are rendered, which costs much.', lower=0, upper=3600)
    ground_truth: bool = parameter(
        False, 'Publish where each robot truly is, as topic ground_truth.')
    step: float = parameter(
        STEP, "A step of the simulator's physics.", unit='s', lower=1e-4, upper=0.02)


@dataclass(frozen=True)
class SpawnParameters:
    """One more robot, for a world that is running."""

    id: int = parameter(
        REQUIRED_INT, 'The number of the robot, unique in the swarm.', lower=0, upper=MAX_ID,
        required=True)
    name: str = parameter('', 'Its name and namespace. Empty: robot_ and its id.')
    x: float = parameter(
        math.nan, 'Where it starts.', unit='m', lower=-1e6, upper=1e6, required=True)
    y: float = parameter(
        math.nan, 'Where it starts.', unit='m', lower=-1e6, upper=1e6, required=True)
    yaw: float = parameter(0.0, 'Where it looks.', unit='rad', lower=-10.0, upper=10.0)
    world: str = parameter(
        'blocks', 'The arena, by which it wanders if it has no laser scanner; or the world file '
        f'of your own; {NOWHERE} where nobody knows it.', empty=False)
    world_name: str = parameter(
        '', f'The name of the world that is running. Empty: what the world file says, '
        f'{WORLD_NAME} in an arena, and where nobody knows it.')
    lidar: int = _as_in(GazeboParameters, 'lidar')
    ground_truth: bool = _as_in(GazeboParameters, 'ground_truth')
