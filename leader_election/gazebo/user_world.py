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

"""A user's own world file: the robots are put into a copy of it, all else stays as it is."""

from collections.abc import Sequence
import os.path
from pathlib import Path
import re
from typing import NamedTuple
from xml.etree import ElementTree
from xml.parsers import expat

from leader_election.fleet.robot_list import Entry
from leader_election.gazebo.sdf import Element, indented
from leader_election.gazebo.simulator import Extras, Simulator, world_plugins
from leader_election.gazebo.world import robot_models
from leader_election.parameters import ParameterError

SUFFIXES = ('.sdf', '.world')
"""How the names of such files end; an arena's ends with .yaml."""
_COMMENT = re.compile(rb'<!\[CDATA\[.*?\]\]>|(<!--.*?-->)', re.DOTALL)
"""What is in the second form only is a comment."""
_NAMING = re.compile(r'<!--.*?-->|<(uri|\w+_map|diffuse|normal)>\s*([^<]*?)\s*</\1>', re.DOTALL)
"""Elements that name files; what is in a comment is none."""


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
    """
    Return the text of a world file; files beside it are named by where they are.

    A copy elsewhere would not find them.

    :raises ParameterError: for one that cannot be read.
    """
    try:
        text = Path(path).read_bytes().decode()
        folder = Path(path).resolve().parent
        return _NAMING.sub(lambda found: _placed(found, folder), text)
    except (OSError, ValueError) as error:
        raise ParameterError(f'parameter world: {path!r} cannot be read: {error}') from None


def _placed(found: re.Match[str], folder: Path) -> str:
    named = found[2]
    # Of /a and b together there is left /a; what has a scheme is not there.
    if not named or Path(named).is_absolute() or not os.path.exists(folder / named):
        return found[0]
    return found[0].replace(named, str(folder / named))


def world_name(path: str) -> str:
    """Return the name of the world in a file, or refuse it."""
    return _read(path, read_world(path)).name


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
    found = _read(path, text)
    world = found.world
    models = {each.get('name') for each in world.findall('model')} | {
        each.findtext('name', '').strip() for each in world.findall('include')}
    for robot in robots:
        if robot.name in models:
            raise ParameterError(f'parameter world: file {path}: there is a model {robot.name} '
                                 'already, as one of the robots is called; rename it there')
    there = {_system(plugin) for plugin in world.findall('plugin')}
    added = [plugin for plugin in world_plugins(simulator, extras) if _system(plugin) not in there]
    added += robot_models(robots, simulator, extras)
    return OwnWorld(found.name, _with(text, found.end, added))


def _with(text: str, end: int, added: Sequence[Element]) -> str:
    """Return a text with elements where the world ends, at that byte of it."""
    data = text.encode()
    inside = ''.join(f'{indented(element, 2)}\n    ' for element in added).rstrip()
    before, after = data[:end].decode(), data[end:].decode()
    if after.startswith('</world'):
        return f'{before}  {inside}\n  {after}'
    # <world name="..."/>: nothing was in it.
    return f"{before.removesuffix('/>')}>\n    {inside}\n  </world>{after}"


class _Found(NamedTuple):
    """What is known of a world file."""

    world: Element
    name: str
    end: int
    """The byte where the world's end tag begins, or where its only tag ends."""


def _read(path: str, text: str) -> _Found:
    reader = _Reader()
    try:
        reader.read(text)
    except expat.ExpatError as error:
        raise ParameterError(f'parameter world: file {path} is no XML: {error}') from None
    if reader.root != 'sdf' or reader.world is None:
        raise ParameterError(f'parameter world: file {path} is no world: it takes '
                             '<sdf><world name="...">...</world></sdf>')
    name = reader.world.get('name', '').strip()
    if not name:
        raise ParameterError(f'parameter world: file {path}: <world> has no name; write '
                             '<world name="..."> with a name of your own')
    return _Found(reader.world, name, reader.end)


class _Reader:
    """
    Reads world files as leniently as Gazebo does.

    That is: a comment may hold ``--``, a prefix need not be declared, and a line may be left free
    before ``<?xml``.

    :ivar root: the name of the outermost element.
    :ivar world: the first world in it.
    :ivar end: the byte where that one's end tag begins, or where its only tag ends.
    """

    def __init__(self) -> None:
        self.root = ''
        self.world: Element | None = None
        self.end = 0
        self._open: list[Element] = []
        self._builder = ElementTree.TreeBuilder()
        # Without namespaces prefixes are just a part of names.
        self._parser = expat.ParserCreate('utf-8')
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._finish
        self._parser.CharacterDataHandler = self._builder.data

    def read(self, text: str) -> None:
        """Read all; what is no XML is an ``ExpatError``."""
        data = text.encode()
        start = len(data) - len(data.lstrip())
        self._parser.Parse(_COMMENT.sub(_blank, data[start:]), True)
        self.end += start

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self.root = self.root or name
        self._open.append(self._builder.start(name, attributes))

    def _finish(self, name: str) -> None:
        element = self._open.pop()
        self._builder.end(name)
        if len(self._open) == 1 and name == 'world' and self.world is None:
            self.world, self.end = element, self._parser.CurrentByteIndex


def _blank(found: re.Match[bytes]) -> bytes:
    """Return a comment as so many spaces; lines end where they did, for messages."""
    return re.sub(rb'[^\n]', b' ', found[1]) if found[1] else found[0]


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
