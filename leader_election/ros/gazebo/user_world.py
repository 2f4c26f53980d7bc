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
World files of users: robots are added to a copy; all other bytes do not change.

The floor on which they are put is that of planes and flat boxes of static models in the file;
meshes, height maps and included models are not supported.
"""

from collections.abc import Iterator, Sequence
import math
import os.path
from pathlib import Path
import re
from typing import NamedTuple
from xml.etree import ElementTree
from xml.parsers import expat

from leader_election.parameters import ParameterError
from leader_election.ros.gazebo.sdf import Element, Equipment, indented, world_plugins
from leader_election.ros.gazebo.world_file import robot_models
from leader_election.swarm.fleet.robot_list import RobotSpec

SUFFIXES = ('.sdf', '.world')
"""The suffixes of world files; an arena's is .yaml."""
_COMMENT = re.compile(rb'<!\[CDATA\[.*?\]\]>|(<!--.*?-->)', re.DOTALL)
"""CDATA sections or comments; the group matches comments only."""
_FILE_REFERENCE = re.compile(
    r'<!--.*?-->|<(uri|\w+_map|diffuse|normal)>\s*([^<]*?)\s*</\1>', re.DOTALL)
"""Comments, or elements that may name a file; only the latter have groups."""


class UserWorld(NamedTuple):
    """A world file with robots added."""

    name: str
    """The name of the world."""
    text: str
    """The text of the file."""


def is_user_world(world: str) -> bool:
    """
    Return whether the value of parameter ``world`` names a world file, not an arena.

    >>> is_user_world('/home/me/depot.sdf'), is_user_world('blocks'), is_user_world('mine.yaml')
    (True, False, False)
    """
    return Path(world).suffix.lower() in SUFFIXES


def read_world(path: str) -> str:
    """
    Return the text of a world file, with relative paths of existing files made absolute.

    A copy in another folder would not find them otherwise.

    :param path: of the world file.
    :raises ParameterError: for an unreadable file.
    """
    try:
        text = Path(path).read_bytes().decode()
        folder = Path(path).resolve().parent
        return _FILE_REFERENCE.sub(lambda found: _absolute(found, folder), text)
    except (OSError, ValueError) as error:
        raise ParameterError('world', problem=f': {path!r} cannot be read: {error}') from None


def _absolute(found: re.Match[str], folder: Path) -> str:
    named = found[2]
    # Absolute paths stay, and a URI with a scheme does not exist as a relative path.
    if not named or Path(named).is_absolute() or not os.path.exists(folder / named):
        return found[0]
    return found[0].replace(named, str(folder / named))


def world_name(path: str) -> str:
    """
    Return the name of the world in a file.

    :param path: of the world file.
    :raises ParameterError: for a file that is unreadable or wrong.
    """
    return _parse(path, read_world(path)).name


def floor_heights(path: str, places: Sequence[tuple[float, float]]) -> list[float | None]:
    """
    Return the height of the floor at some places of a world.

    :param path: of the world file.
    :param places: x, y [m].
    :return: for each place as of :func:`.floor_height` [m].
    :raises ParameterError: for a file that is unreadable or wrong.
    """
    slabs = floor_slabs(_parse(path, read_world(path)).world)
    return [floor_height(slabs, place) for place in places]


def add_robots(path: str, text: str, robots: Sequence[RobotSpec],
               equipment: Equipment, heights: Sequence[float] = ()) -> UserWorld:
    """
    Add robots to a copy of a world, and the systems needed by robots and missing in the world.

    Gazebo Sim loads its default systems only into a world without any. So all needed systems
    are added, not only those beyond the defaults.

    :param path: of the file, for messages.
    :param text: of the file, as of :func:`read_world`.
    :param robots: the robots to be added.
    :param equipment: what robots have in addition to their drive.
    :param heights: at which robots are put [m]; empty: all at 0.
    :raises ParameterError: for a text that is not XML or has no world with a name, and for a model
        with the same name as a robot.
    """
    found = _parse(path, text)
    world = found.world
    models = {each.get('name') for each in world.findall('model')} | {
        each.findtext('name', '').strip() for each in world.findall('include')}
    for robot in robots:
        if robot.name in models:
            raise ParameterError('world', problem=f': file {path}: there is a model {robot.name} '
                                 'already, as one of the robots is called; rename it there')
    there = {_system(plugin) for plugin in world.findall('plugin')}
    added = [plugin for plugin in world_plugins(equipment)
             if _system(plugin) not in there]
    added += robot_models(robots, equipment, heights)
    return UserWorld(found.name, _insert(text, found.end, added))


def _insert(text: str, end: int, added: Sequence[Element]) -> str:
    """Insert elements at the end of the world, which is at byte ``end`` of the text."""
    data = text.encode()
    inside = ''.join(f'{indented(element, 2)}\n    ' for element in added).rstrip()
    before, after = data[:end].decode(), data[end:].decode()
    if after.startswith('</world'):
        return f'{before}  {inside}\n  {after}'
    # An empty world: <world name="..."/>.
    return f"{before.removesuffix('/>')}>\n    {inside}\n  </world>{after}"


class _ParsedWorld(NamedTuple):
    """The parts of a world file that are needed to add robots."""

    world: Element
    name: str
    end: int
    """The byte at which the world's end tag begins, or at which its only tag ends."""


def _parse(path: str, text: str) -> _ParsedWorld:
    reader = _Reader()
    try:
        reader.read(text)
    except expat.ExpatError as error:
        raise ParameterError('world', problem=f': file {path} is no XML: {error}') from None
    if reader.root != 'sdf' or reader.world is None:
        raise ParameterError('world', problem=f': file {path} is not a world: it takes '
                             '<sdf><world name="...">...</world></sdf>')
    name = reader.world.get('name', '').strip()
    if not name:
        raise ParameterError('world', problem=f': file {path}: <world> has no name; write <world '
                             'name="..."> with a name of your own')
    return _ParsedWorld(reader.world, name, reader.end)


class _Reader:
    """
    Parses world files as leniently as Gazebo does.

    Comments may contain ``--``, namespace prefixes need not be declared, and white space is
    allowed before ``<?xml``.

    :ivar root: the name of the outermost element.
    :ivar world: the first world in it.
    :ivar end: the byte at which the world's end tag begins, or at which its only tag ends.
    """

    def __init__(self) -> None:
        self.root = ''
        self.world: Element | None = None
        self.end = 0
        self._open: list[Element] = []
        self._builder = ElementTree.TreeBuilder()
        # A parser without namespaces takes prefixes as parts of names.
        self._parser = expat.ParserCreate('utf-8')
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._finish
        self._parser.CharacterDataHandler = self._builder.data

    def read(self, text: str) -> None:
        """
        Parse a whole file.

        :raises xml.parsers.expat.ExpatError: for a text that is not XML.
        """
        data = text.encode()
        start = len(data) - len(data.lstrip())
        self._parser.Parse(_COMMENT.sub(_blanked, data[start:]), True)
        self.end += start

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self.root = self.root or name
        self._open.append(self._builder.start(name, attributes))

    def _finish(self, name: str) -> None:
        element = self._open.pop()
        self._builder.end(name)
        if len(self._open) == 1 and name == 'world' and self.world is None:
            self.world, self.end = element, self._parser.CurrentByteIndex


def _blanked(found: re.Match[bytes]) -> bytes:
    """Replace a comment by spaces; byte offsets and lines stay the same, for messages."""
    return re.sub(rb'[^\n]', b' ', found[1]) if found[1] else found[0]


def _system(plugin: Element) -> str:
    """
    Return the name of the system of Gazebo Sim that a plugin loads, by any of its file names.

    >>> _system(Element('plugin', filename='libignition-gazebo-physics-system.so'))
    'physics'
    """
    name = plugin.get('filename', '')
    match = re.fullmatch(
        r'(?:lib)?(?:gz-sim|ignition-gazebo)\d*-(.+)-system(?:\.so)?', name)
    return match[1] if match else name


_STEEP = 1e-3
"""The greatest tilt of a floor [rad]."""
_GAP = 0.02
"""The greatest height above the floor at which a slab lies on it [m]."""


class Slab(NamedTuple):
    """A horizontal rectangle that robots can stand on."""

    x: float
    """Of its centre [m]."""
    y: float
    """Of its centre [m]."""
    yaw: float
    """[rad]."""
    length: float
    """In the direction of its yaw [m]; infinite for a plane, as in any simulator."""
    width: float
    """Perpendicular to that [m]."""
    bottom: float
    """The height of its lower side [m]."""
    top: float
    """The height of its upper side [m]."""

    def contains(self, place: tuple[float, float]) -> bool:
        """Return whether a place x, y [m] is above or below it."""
        dx, dy = place[0] - self.x, place[1] - self.y
        along = dx * math.cos(self.yaw) + dy * math.sin(self.yaw)
        across = -dx * math.sin(self.yaw) + dy * math.cos(self.yaw)
        return abs(along) <= self.length / 2 and abs(across) <= self.width / 2


Pose = tuple[float, float, float, float]
"""x, y, z, yaw [m, rad]."""


def floor_slabs(world: Element) -> list[Slab]:
    """
    Return the planes and flat boxes of a world's static models.

    A box is flat if it is at most half as high as it is wide: others are walls and pillars.

    :param world: the element of the world.
    """
    return [slab for model in world.findall('model')
            if model.findtext('static', '').strip() in ('1', 'true')
            for slab in _slabs(model, (0.0, 0.0, 0.0, 0.0))]


def _slabs(element: Element, frame: Pose) -> Iterator[Slab]:
    """Yield the slabs in a model, link or collision, whose parent is at a pose."""
    pose = _pose(element, frame)
    if pose is None:
        return
    for kind in ('model', 'link', 'collision'):
        for part in element.findall(kind):
            yield from _slabs(part, pose)
    x, y, z, yaw = pose
    if element.find('geometry/plane') is not None:
        if _numbers(element.findtext('geometry/plane/normal', '0 0 1'))[:2] == [0.0, 0.0]:
            yield Slab(x, y, yaw, math.inf, math.inf, -math.inf, z)
    size = _numbers(element.findtext('geometry/box/size', ''))
    if len(size) == 3 and size[2] <= min(size[:2]) / 2:
        yield Slab(x, y, yaw, size[0], size[1], z - size[2] / 2, z + size[2] / 2)


def _pose(element: Element, frame: Pose) -> Pose | None:
    """Return the pose of an element in the world; ``None`` if it is tilted or unknown."""
    found = element.find('pose')
    if found is None:
        return frame
    numbers = _numbers(found.text or '')
    if not numbers:
        numbers = [0.0] * 6
    if len(numbers) != 6 or found.get('relative_to'):
        return None
    x, y, z, roll, pitch, yaw = numbers
    if found.get('degrees') in ('1', 'true'):
        roll, pitch, yaw = map(math.radians, (roll, pitch, yaw))
    if abs(roll) > _STEEP or abs(pitch) > _STEEP:
        return None
    ahead, left = math.cos(frame[3]), math.sin(frame[3])
    return (frame[0] + x * ahead - y * left, frame[1] + x * left + y * ahead, frame[2] + z,
            frame[3] + yaw)


def _numbers(text: str) -> list[float]:
    """Return the numbers of a text; none if it has anything else."""
    try:
        return [float(word) for word in text.split()]
    except ValueError:
        return []


def floor_height(slabs: Sequence[Slab], place: tuple[float, float]) -> float | None:
    """
    Return the height of the floor at a place: of the lowest slab with the slabs that lie on it.

    :param slabs: of the world.
    :param place: x, y [m].
    :return: [m]; ``None`` where no floor is known.

    >>> ground = Slab(0.0, 0.0, 0.0, math.inf, math.inf, -math.inf, 0.0)
    >>> floor = Slab(0.0, 0.0, 0.0, 10.0, 10.0, -0.1, 0.3)
    >>> roof = Slab(0.0, 0.0, 0.0, 10.0, 10.0, 3.0, 3.2)
    >>> [floor_height([roof, floor, ground], place) for place in ((1.0, 2.0), (20.0, 0.0))]
    [0.3, 0.0]
    """
    below = sorted((slab for slab in slabs if slab.contains(place)), key=lambda slab: slab.bottom)
    if not below:
        return None
    height = below[0].top
    for slab in below[1:]:
        if slab.bottom <= height + _GAP:
            height = max(height, slab.top)
    return height
