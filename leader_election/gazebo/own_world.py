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

"""A user's own world file: the robots are put into a copy of it."""

from collections.abc import Sequence
from pathlib import Path
import re
from typing import NamedTuple
from xml.etree import ElementTree

from leader_election.gazebo.simulator import Extras, Simulator, world_plugins
from leader_election.gazebo.world import robot_models
from leader_election.gazebo.xml import document, Element
from leader_election.parameters import ParameterError
from leader_election.roster.entry import Entry

SUFFIXES = ('.sdf', '.world')
"""How the names of such files end; an arena's ends with .yaml."""


class OwnWorld(NamedTuple):
    """A world with robots in it."""

    name: str
    text: str


def is_own(world: str) -> bool:
    """
    Return whether parameter world names a world file, and no arena.

    >>> is_own('/home/me/depot.sdf'), is_own('blocks'), is_own('mine.yaml')
    (True, False, False)
    """
    return Path(world).suffix.lower() in SUFFIXES


def read_world(path: str) -> str:
    """Return the text of a world file, or refuse one that cannot be read."""
    try:
        return Path(path).read_text()
    except (OSError, ValueError) as error:
        raise ParameterError(f'parameter world: {path!r} cannot be read: {error}') from None


def into_world(path: str, text: str, robots: Sequence[Entry], simulator: Simulator,
               extras: Extras) -> OwnWorld:
    """
    Return a copy of a world with robots in it, and with the systems that they need.

    Gazebo Sim loads its usual systems into a world that names none; one more would be the only
    one, so that all that are missing are named.

    :param path: of the file, for messages.
    :raises ParameterError: for what is no XML, has no world with a name, or has a model already
        that is called as a robot is.
    """
    root, world = _world(path, text)
    name = world.get('name', '').strip()
    if not name:
        raise ParameterError(f'parameter world: file {path}: <world> has no name; write '
                             '<world name="..."> with a name of your own')
    models = {each.get('name') for each in world.findall('model')} | {
        each.findtext('name', '').strip() for each in world.findall('include')}
    for robot in robots:
        if robot.name in models:
            raise ParameterError(f'parameter world: file {path}: there is a model {robot.name} '
                                 'already, as one of the robots is called; rename it there')
    there = {_system(plugin) for plugin in world.findall('plugin')}
    world.extend(plugin for plugin in world_plugins(simulator, extras)
                 if _system(plugin) not in there)
    world.extend(robot_models(robots, simulator, extras))
    return OwnWorld(name, document(root))


def _world(path: str, text: str) -> tuple[Element, Element]:
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise ParameterError(f'parameter world: file {path} is no XML: {error}') from None
    world = root.find('world') if root.tag == 'sdf' else None
    if world is None:
        raise ParameterError(f'parameter world: file {path} is no world: it takes '
                             '<sdf><world name="...">...</world></sdf>')
    return root, world


def _system(plugin: Element) -> str:
    """
    Return which system of Gazebo Sim a plugin is, under whichever of its file names.

    >>> _system(Element('plugin', filename='libignition-gazebo-physics-system.so'))
    'physics'
    """
    name = plugin.get('filename', '')
    match = re.fullmatch(
        r'(?:lib)?(?:gz-sim|ignition-gazebo)\d*-(.+)-system(?:\.so)?', name)
    return match[1] if match else name
