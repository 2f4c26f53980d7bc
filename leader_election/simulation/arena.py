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
Arenas from YAML files: ``size: [w, h]`` and ``obstacles:``, a list of polygons.

All lengths are in metres; the arena is centred on the origin; a polygon is a list of three or more
points ``[x, y]``.
"""

from importlib.resources import files
import math
from pathlib import Path
import re
from typing import Any, NamedTuple

from leader_election.parameters import as_number, did_you_mean, ParameterError
import shapely
import yaml

_EMPTY = r'empty:([0-9]+(?:\.[0-9]+)?)x([0-9]+(?:\.[0-9]+)?)'
"""An empty arena by its width and height [m]."""
_SHIPPED = files('leader_election.simulation').joinpath('worlds')


class Arena(NamedTuple):
    """The static part of a world."""

    outline: shapely.Polygon
    """The inside of the outer walls [m]."""
    obstacles: tuple[shapely.Polygon, ...]


def shipped_worlds() -> tuple[str, ...]:
    """Return the names of the arenas included in the package, sorted."""
    return tuple(sorted(
        entry.name.removesuffix('.yaml') for entry in _SHIPPED.iterdir()
        if entry.name.endswith('.yaml')))


def load_arena(world: str) -> Arena:
    """
    Load an arena.

    :param world: the name of an arena included in the package, or the path of a YAML file.
        ``empty:60x40`` is an arena of 60 m by 40 m with nothing but walls.
    :raises ParameterError: for a missing or wrong file; the message names file and key.

    >>> arena = load_arena('blocks')
    >>> arena.outline.bounds
    (-10.0, -7.0, 10.0, 7.0)
    """
    sized = re.fullmatch(_EMPTY, world)
    if sized is not None:
        text = f'size: [{sized[1]}, {sized[2]}]'
    elif world in shipped_worlds():
        text = _SHIPPED.joinpath(world + '.yaml').read_text()
    else:
        try:
            text = Path(world).read_text()
        except (OSError, ValueError) as error:
            hint = did_you_mean(world, shipped_worlds()).rstrip()
            raise ParameterError('world', problem=f': {world!r} is none of '
                                 f"{', '.join(shipped_worlds())} and not a file that can be read: "
                                 f"{error}{hint and '; ' + hint}") from error
    try:
        return _arena(yaml.safe_load(text))
    except (ValueError, yaml.YAMLError) as error:
        raise ParameterError('world', problem=f': file {world}: {error}') from error


def _arena(document: Any) -> Arena:
    if not isinstance(document, dict):
        raise ValueError('expected the keys size and obstacles')
    for key in document:
        if key not in ('size', 'obstacles'):
            raise ValueError(f'unknown key {key}; known: size, obstacles')
    width, height = _pair('size', document.get('size'))
    if not (width > 0 and height > 0):
        raise ValueError(f'size: [{width:g}, {height:g}] is not greater than 0')
    outline = shapely.box(-width / 2, -height / 2, width / 2, height / 2)
    listed = document.get('obstacles') or []
    if not isinstance(listed, list):
        raise ValueError('obstacles: expected a list of polygons')
    return Arena(outline, tuple(
        _polygon(f'obstacles[{i}]', points) for i, points in enumerate(listed)))


def _polygon(key: str, points: Any) -> shapely.Polygon:
    if not isinstance(points, list) or len(points) < 3:
        raise ValueError(f'{key}: expected a list of three or more points [x, y]')
    polygon = shapely.Polygon([_pair(f'{key}[{i}]', p) for i, p in enumerate(points)])
    if not polygon.is_valid or polygon.area == 0.0:
        raise ValueError(f'{key}: not a simple polygon: {shapely.is_valid_reason(polygon)}')
    return polygon


def _pair(key: str, value: Any) -> tuple[float, float]:
    numbers = [as_number(x) for x in value] if isinstance(value, list) else []
    if (len(numbers) == 2
            and all(type(x) in (int, float) and math.isfinite(x) for x in numbers)):
        return float(numbers[0]), float(numbers[1])
    raise ValueError(f'{key}: expected two finite numbers, not {value!r}')
