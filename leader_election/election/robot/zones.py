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

"""Regions as polygons in the shared frame: configured zones, and outlines of members."""

from collections.abc import Sequence
from functools import lru_cache
import math
from typing import Any

from leader_election.election.messages.codec import MAX_COORDINATE, Message, Position
from leader_election.election.part import Part, PartSetup
from leader_election.parameters import ParameterError
from leader_election.parameters.files import read_text, read_yaml
import numpy as np
import shapely

TOUCH = 1e-6
"""The overlap of polygons that counts as rounding [m^2]."""
LEAST_RADIUS = 5.0
"""The least radius of zones: candidacies reach at least this far [m]."""
PLACES_REMEMBERED = 4096
"""The size of the cache of looked-up positions: the same ones are received repeatedly."""


class Zones:
    """
    Polygons, by name.

    :param text: the path of a YAML file, or the YAML itself in braces.
    :raises ParameterError: for a polygon that is invalid, empty, crosses itself, or overlaps
        another.

    >>> zones = Zones('{west: [[0, 0], [2, 0], [2, 2], [0, 2]], east: [[2, 0], [4, 0], [4, 2]]}')
    >>> zones.at((1.0, 1.0)), zones.at((9.0, 9.0))
    ('west', None)
    """

    def __init__(self, text: str) -> None:
        self.polygons = _read(text)
        names = list(self.polygons)
        for k, name in enumerate(names):
            for other in names[:k]:
                shared = self.polygons[name].intersection(self.polygons[other]).area
                if shared > TOUCH:
                    raise ParameterError('zones', problem=f': {other} and {name} overlap, by '
                                         f'{shared:.3g} m^2; give each place to one of them')
        self._names, self._all = names, np.array(list(self.polygons.values()))
        shapely.prepare(self._all)
        self._looked_up = lru_cache(maxsize=PLACES_REMEMBERED)(self._look_up)

    @property
    def radius(self) -> float:
        """
        Return the distance beyond which a candidacy is dropped [m].

        The longest perimeter: at least twice the path between any two positions inside a zone, so
        that only candidacies of failed leaders exceed it.

        >>> Zones('{hall: [[0, 0], [12, 0], [12, 8], [0, 8]]}').radius
        40.0
        """
        return max(LEAST_RADIUS, *(float(p.length) for p in self.polygons.values()))

    def at(self, place: Position | None) -> str | None:
        """Return the name of the zone of a position [m]; on a border: of the first."""
        return None if place is None else self._looked_up(place)

    def _look_up(self, place: Position) -> str | None:
        # All at once: a single query takes as long.
        found = np.flatnonzero(shapely.intersects_xy(self._all, *place))
        return self._names[found[0]] if len(found) else None


class ZonePart(Part):
    """
    The zones of an instance: a robot takes part in the election of the zone that it is in.

    :ivar zone: its name, ``None`` if the robot is in none.
    """

    name = 'zones'

    def __init__(self, setup: PartSetup) -> None:
        self._zones = Zones(setup.parameters.zones)
        self.zone: str | None = None

    def settings(self, settings: dict[str, Any]) -> dict[str, Any]:
        """Return the settings with a radius that only candidacies of failed leaders exceed."""
        return settings | {'radius': self._zones.radius, 'radius_hysteresis': 0.0}

    def place(self, position: Position | None) -> None:
        """Find the zone of the robot's position."""
        self.zone = self._zones.at(position)

    def takes_part(self) -> bool:
        """Return whether the robot is in a zone."""
        return self.zone is not None

    def admits(self, message: Message) -> bool:
        """Return whether the sender is in the same zone."""
        return self.zone is not None and self._zones.at(message.position) == self.zone

    def radius(self, radius: float) -> float:
        """Return infinity: a zone has no radius."""
        return math.inf

    def corners(self) -> list[Position] | None:
        """Return the corners of the robot's zone [m], ``None`` if it is in none."""
        if self.zone is None:
            return None
        return list(self._zones.polygons[self.zone].exterior.coords[:-1])


def outline(positions: Sequence[Position], margin: float = 0.0) -> shapely.Polygon:
    """
    Return the convex outline of a region's members, widened by a margin.

    :param positions: the positions of the members, leader included [m], at least one.
    :param margin: the distance of the outline from the members [m], >= 0. With a margin of zero
        one or two members have no area: the polygon is empty.
    :return: the polygon, possibly empty.

    >>> outline([(0.0, 0.0), (2.0, 0.0), (2.0, 2.0), (0.0, 2.0), (1.0, 1.0)]).area
    4.0
    >>> outline([(0.0, 0.0)]).is_empty
    True
    """
    hull = shapely.multipoints(positions).convex_hull
    if margin > 0.0:
        hull = hull.buffer(margin, quad_segs=4)
    return hull if isinstance(hull, shapely.Polygon) else shapely.Polygon()


def _read(text: str) -> dict[str, shapely.Polygon]:
    try:
        document = read_yaml(text if text.lstrip().startswith('{') else read_text(text))
    except ValueError as error:
        raise ParameterError(f'parameter zones: {error}') from None
    if not isinstance(document, dict) or not document:
        raise ParameterError('zones', text, "polygons by name, for example '{hall: [[0, 0], [4, "
                             "0], [4, 3]]}'")
    return {str(name): _polygon(str(name), points) for name, points in document.items()}


def _polygon(name: str, points: Any) -> shapely.Polygon:
    if not isinstance(points, list) or len(points) < 3 or not all(map(_is_point, points)):
        raise ParameterError('zones', problem=f': {name} is not allowed; it takes three or more '
                             'points [x, y] with finite coordinates [m]')
    polygon = shapely.Polygon(points)
    if not polygon.is_valid:
        raise ParameterError('zones', problem=f': {name} is not a simple polygon: '
                             f'{shapely.is_valid_reason(polygon)}')
    return polygon


def _is_point(point: Any) -> bool:
    return (isinstance(point, Sequence) and len(point) == 2
            and all(type(x) in (int, float) and abs(x) <= MAX_COORDINATE for x in point))
