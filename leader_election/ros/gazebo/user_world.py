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

"""World files of users: a copy with robots, and with the systems of Gazebo that they need."""

from collections.abc import Sequence
from pathlib import Path
import re
from typing import NamedTuple

from leader_election.parameters import ParameterError
from leader_election.ros.gazebo.sdf import Equipment, indented, world_plugins
from leader_election.ros.gazebo.world_file import robot_models
from leader_election.swarm.fleet.robot_list import RobotSpec

SUFFIXES = ('.sdf', '.world')
"""The suffixes of world files; an arena's is .yaml."""
_WORLD = re.compile(r'<world\s[^>]*?\bname\s*=\s*["\'](.*?)["\']')
_REFERENCE = re.compile(r'<(uri|\w+_map)>\s*([^<:]+?)\s*</\1>')
"""An element that names a file; a URI with a scheme is left out."""
_SYSTEM = re.compile(r'(?:lib)?(?:gz-sim|ignition-gazebo)\d*-(.+)-system(?:\.so)?')


class UserWorld(NamedTuple):
    """A world file of a user."""

    name: str
    """The name of the world."""
    text: str


def is_user_world(world: str) -> bool:
    """
    Return whether the value of parameter ``world`` names a world file, not an arena.

    >>> is_user_world('/home/me/depot.sdf'), is_user_world('blocks'), is_user_world('mine.yaml')
    (True, False, False)
    """
    return Path(world).suffix.lower() in SUFFIXES


def read_world(path: str) -> UserWorld:
    """
    Read a world file; make relative paths of files beside it absolute.

    :raises ParameterError: for an unreadable file, and for one that is not a world with a name.
    """
    try:
        text = Path(path).read_bytes().decode()
        folder = Path(path).resolve().parent
    except (OSError, ValueError) as error:
        raise ParameterError('world', problem=f': {path!r} cannot be read: {error}') from None
    name = _WORLD.search(text)
    if name is None or '</world>' not in text:
        raise ParameterError('world', problem=f': file {path} is not a world: it takes '
                             '<sdf><world name="...">...</world></sdf>')

    def absolute(found: re.Match[str]) -> str:
        file = folder / found[2]
        return found[0].replace(found[2], str(file)) if file.exists() else found[0]

    return UserWorld(name[1], _REFERENCE.sub(absolute, text))


def add_robots(world: UserWorld, robots: Sequence[RobotSpec], equipment: Equipment,
               z: float = 0.0) -> str:
    """
    Return the text of a world with robots, and with the systems that they need.

    Gazebo Sim loads its default systems only into a world without any, so all needed systems
    that the world lacks are added.

    :param equipment: what robots have in addition to their drive.
    :param z: the height at which robots are put [m].
    :raises ParameterError: for a model with the name of a robot.
    """
    for robot in robots:
        if re.search(rf'<model\s[^>]*["\']{robot.name}["\']|<name>\s*{robot.name}\s*</name>',
                     world.text):
            raise ParameterError('world', problem=f': there is a model {robot.name} already, as '
                                 'one of the robots is called; rename it there')
    there = {_system(name) for name in re.findall(r'filename\s*=\s*["\'](.*?)["\']', world.text)}
    added = [plugin for plugin in world_plugins(equipment)
             if _system(plugin.get('filename', '')) not in there]
    added += robot_models(robots, equipment, z)
    before, _, after = world.text.rpartition('</world>')
    inside = ''.join(f'  {indented(element, 2)}\n  ' for element in added)
    return f'{before}{inside}</world>{after}'


def _system(file: str) -> str:
    """
    Return the name of a system of Gazebo Sim, by any of its file names.

    >>> _system('libignition-gazebo-physics-system.so')
    'physics'
    """
    match = _SYSTEM.fullmatch(file)
    return match[1] if match else file
