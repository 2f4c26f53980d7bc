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

"""Zones, and outlines of members."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

from leader_election.election.messages.codec import MAX_COORDINATE
from leader_election.election.robot.zones import outline, ZonePart, Zones
from leader_election.parameters import ParameterError
import pytest
from shapely import Point

TRIANGLE = [(0.0, 0.0), (4.0, 0.0), (0.0, 3.0), (1.0, 1.0)]
SQUARES = '{west: [[0, 0], [2, 0], [2, 2], [0, 2]], east: [[2, 0], [4, 0], [4, 2], [2, 2]]}'


def test_zone_is_found_by_position():
    zones = Zones(SQUARES)
    assert zones.at((1.0, 1.0)) == 'west' and zones.at((3.0, 1.0)) == 'east'
    assert zones.at((5.0, 1.0)) is None and zones.at(None) is None
    assert zones.at((0.0, 0.0)) == 'west', 'a corner belongs to it'
    assert zones.at((2.0, 1.0)) == 'west', 'on the border of two: the first'
    assert Zones(f'{{far: [[0, 0], [{MAX_COORDINATE}, 0], [0, 1]]}}').at((1.0, 0.5)) == 'far'


def test_radius_of_zones_is_the_longest_outline():
    """Both squares have sides of 2 m and so an outline of 8 m. Small zones get a minimum."""
    assert Zones(SQUARES).radius == 8.0
    assert Zones(' {dot: [[0, 0], [0.1, 0], [0, 0.1]]}').radius == 5.0


def test_position_is_outside_the_inner_corner_of_a_concave_zone():
    """The zone is L-shaped."""
    zones = Zones('{hall: [[0, 0], [4, 0], [4, 1], [1, 1], [1, 4], [0, 4]]}')
    assert zones.at((0.5, 3.0)) == 'hall' and zones.at((3.0, 3.0)) is None


def test_zones_are_read_from_a_file(tmp_path: Path):
    path = tmp_path / 'zones.yaml'
    path.write_text('hall: [[0, 0], [4, 0], [4, 3]]\n1: [[4, 0], [8, 0], [8, 3]]\n')
    assert list(Zones(str(path)).polygons) == ['hall', '1']


def test_missing_file_of_zones_is_refused(tmp_path: Path):
    with pytest.raises(ParameterError, match='^parameter zones: .*No such file'):
        Zones(str(tmp_path / 'none.yaml'))


@pytest.mark.parametrize('text, says', [
    ('{}', 'it takes polygons by name'),
    ('{a: [', 'parameter zones: is not YAML'),
    *((f'{{a: {value}}}', 'a is not allowed; it takes three or more points') for value in (
        '', '5', '[[0, 0], [1, 0]]', *(f'[[0, 0], [1, 0], [1{last}]]' for last in (
            '', ', x', ', .nan', ', true', ', ' + 400 * '9')))),
    ('{a: [[0, 0], [1, 1], [1, 0], [0, 1]]}', 'a is not a simple polygon: Self-intersection'),
    ('{a: [[0, 0], [1, 0], [2, 0]]}', 'a is '),
    ('{a: [[0, 0], [4, 0], [4, 4]], b: [[3, 0], [9, 0], [9, 9]]}', 'a and b overlap'),
    ('{a: [[0, 0], [9, 0], [9, 9], [0, 9]], b: [[3, 3], [4, 3], [4, 4]]}',
     r'a and b overlap, by 0.5 m\^2'),
])
def test_zones_are_refused_in_one_line_when_wrong(text, says):
    with pytest.raises(ParameterError, match=says) as error:
        Zones(text)
    assert '\n' not in str(error.value) and str(error.value).startswith('parameter zones: ')


def test_overlap_within_rounding_is_allowed():
    dot = '[[0, 0], [0.001, 0], [0.001, 0.001], [0, 0.001]]'
    assert len(Zones(f'{{a: {dot}, b: {dot}}}').polygons) == 2


def test_outline_is_parsed_from_numbers():
    assert outline(TRIANGLE).area == 6.0
    assert len(outline(TRIANGLE).exterior.coords) == 4, 'the inner one is not a corner'
    assert len(outline([(0.0, 0.0)], margin=1.0).exterior.coords) == 17, 'a circle has 16 corners'


def test_robot_takes_part_once_it_is_in_a_zone():
    setup: Any = SimpleNamespace(parameters=SimpleNamespace(zones=SQUARES))
    zones = ZonePart(setup)
    found = [zones.takes_part()]
    for place in ((1.0, 1.0), None, (3.0, 1.0), (9.0, 9.0)):
        zones.place(place)
        found.append(zones.takes_part())
        assert zones.takes_part() == (zones.corners() is not None)
    assert found == [False, True, False, True, False]


@pytest.mark.parametrize('positions', [
    [(1.0, 1.0)], [(1.0, 1.0), (1.0, 1.0)], [(0.0, 0.0), (1.0, 1.0)],
    [(0.0, 0.0), (1.0, 1.0), (2.0, 2.0)]])
def test_area_is_none_when_smaller_than_its_margin(positions):
    assert outline(positions).is_empty
    wide = outline(positions, margin=0.5)
    assert all(wide.contains(Point(p)) for p in positions)
    assert wide.exterior.distance(Point(positions[0])) == pytest.approx(0.5, abs=0.05)
