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
The floor of a user's world: the planes and flat boxes of static models in its file.

Meshes, height maps and included models are not supported.
"""

from collections.abc import Iterator, Sequence
import math
from typing import NamedTuple

from leader_election.ros.gazebo.sdf import Element

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
