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
Streets of an OpenStreetMap extract, as a graph: crossings in local metres, and straight streets.

An extract is OSM XML (``.osm``): openstreetmap.org and the Overpass API export parts of a town;
``osmium extract`` cuts them out of the files of geofabrik.de. Data: (c) OpenStreetMap
contributors, Open Database License.

Format: https://wiki.openstreetmap.org/wiki/OSM_XML. Radii of curvature: NIMA TR8350.2, WGS 84.
"""

from collections.abc import Iterator
import math
from xml.etree.ElementTree import iterparse

import numpy as np
from numpy.typing import NDArray
import shapely

NOT_WALKED = frozenset((
    'motorway', 'motorway_link', 'trunk', 'trunk_link', 'raceway', 'construction', 'proposed',
    'platform', 'elevator'))
"""Values of ``highway`` of ways that nobody walks along."""
WIDEST = 1.0
"""Greatest extent of a map [degrees]: farther off the plane differs from the globe."""
TOLERANCE = 2.0
"""A street's bends are straightened as long as it stays this close to the way [m]."""

Pairs = NDArray[np.int32]
Places = NDArray[np.float64]


def read_streets(path: str) -> tuple[Pairs, Places]:
    """
    Return the streets of an extract: ways with ``highway``, without motorways and areas.

    Crossings are where streets meet, end, or bend; ways without a common node do not meet, as at a
    bridge. Nodes that the extract does not contain end a street.

    :return: the crossings at the two ends of each street, shape (m, 2), and their positions [m],
        x east and y north of the map's south-west corner, shape (n, 2).
    :raises OSError: where the file cannot be read.
    :raises ValueError: where it is no extract, has no streets, or is too wide.
    """
    degrees, ways = _read(path)
    steps = {tuple(sorted(step)) for way in ways for step in _steps(way, degrees)}
    if not steps:
        raise ValueError('there are no ways with a highway to walk along')
    used = sorted({node for step in steps for node in step})
    place = dict(zip(used, to_metres(np.array([degrees[node] for node in used]))))
    # Merged where exactly two steps meet; coordinates are kept exactly.
    lines = shapely.line_merge(shapely.multilinestrings(
        [[place[a], place[b]] for a, b in sorted(steps)]))
    straight = shapely.simplify(shapely.get_parts(lines), TOLERANCE)
    bends, line = shapely.get_coordinates(straight, return_index=True)
    position, index = np.unique(bends, axis=0, return_inverse=True)
    index = index.ravel().astype(np.int32)
    pairs = np.stack([index[:-1], index[1:]], axis=1)[line[:-1] == line[1:]]
    pairs = np.unique(np.sort(pairs[pairs[:, 0] != pairs[:, 1]], axis=1), axis=0)
    return pairs, position


def to_metres(degrees: Places) -> Places:
    """
    Return positions in a plane, from the south-west corner of all.

    :param degrees: latitude and longitude, shape (n, 2).
    :return: x to the east and y to the north [m], shape (n, 2).
    :raises ValueError: for positions that are not on the globe, or too far from each other.

    >>> to_metres(np.array([[45.0, 9.0], [45.001, 9.001]])).round(1).tolist()
    [[0.0, 0.0], [78.8, 111.1]]
    """
    if not np.all(np.abs(degrees) <= [90.0, 180.0]):
        raise ValueError('a latitude is not within 90 degrees, or a longitude not within 180')
    extent = np.ptp(degrees, axis=0)
    if extent.max() > WIDEST:
        raise ValueError(f'the map is {extent.max():.3g} degrees wide; it may be {WIDEST:g}')
    latitude = math.radians(float(degrees[:, 0].min() + extent[0] / 2.0))
    equator, eccentricity = 6378137.0, 6.69437999014e-3  # The second one is squared.
    bulge = 1.0 - eccentricity * math.sin(latitude) ** 2
    north = equator * (1.0 - eccentricity) / bulge ** 1.5
    east = equator / math.sqrt(bulge) * math.cos(latitude)
    found: Places = np.radians(degrees - degrees.min(axis=0))[:, ::-1] * [east, north]
    return found


def _read(path: str) -> tuple[dict[str, tuple[float, float]], list[list[str]]]:
    """Return latitude and longitude of all nodes, and the nodes of each way that is a street."""
    degrees: dict[str, tuple[float, float]] = {}
    ways: list[list[str]] = []
    elements = iterparse(path, ('start', 'end'))
    _, root = next(elements)
    if root.tag != 'osm':
        raise ValueError(f'the document is <{root.tag}>, not <osm>')
    for when, element in elements:
        if when == 'start' or element.tag not in ('node', 'way', 'relation'):
            continue
        if element.tag == 'node':
            try:
                degrees[element.attrib['id']] = (
                    float(element.attrib['lat']), float(element.attrib['lon']))
            except KeyError as error:
                raise ValueError(f'a node has no {error.args[0]}') from None
        elif element.tag == 'way':
            tags = {tag.get('k'): tag.get('v') for tag in element.iter('tag')}
            if tags.get('highway', 'proposed') not in NOT_WALKED and tags.get('area') != 'yes':
                ways.append([node.get('ref', '') for node in element.iter('nd')])
        root.clear()  # A regional file does not fit into memory.
    return degrees, ways


def _steps(way: list[str], known: dict[str, tuple[float, float]]) -> Iterator[tuple[str, str]]:
    """Yield the pairs of consecutive nodes of a way that are known and different."""
    for a, b in zip(way, way[1:]):
        if a in known and b in known and known[a] != known[b]:
            yield a, b
