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

"""Streets of OpenStreetMap extracts; village.osm is made by hand."""

from pathlib import Path

from leader_election.parameters import ParameterError
from leader_election_lab.experiment import scenario
from leader_election_lab.motions.streets import lengths, read_street_map
from leader_election_lab.simulation.simulate import simulate
from leader_election_lab.topologies.openstreetmap import read_streets, to_metres
import numpy as np
import pytest

VILLAGE = Path(__file__).with_name('village.osm')
EAST, NORTH = 80.205, 111.112
"""
A thousandth of a degree at 44.001 degrees north [m]: of a circle of 6388.458 km cos(latitude), the
radius of curvature to the east, and of 6366.263 km, that to the north.
"""


def test_village_by_hand() -> None:
    pairs, position = read_streets(str(VILLAGE))
    # West end, junction, east end, the two bends of the footway, its end; the path on its own.
    places = [(0, 0), (1, 0), (1, 1), (2, 0), (2, 1), (2, 2), (3, 2), (4, 2)]
    assert position == pytest.approx(np.array(places) * [EAST, NORTH], abs=0.01)
    links = [(places[a], places[b]) for a, b in pairs.tolist()]
    assert sorted(links) == [
        ((0, 0), (1, 0)), ((1, 0), (1, 1)), ((1, 0), (2, 0)), ((1, 1), (2, 1)), ((2, 1), (2, 2)),
        ((3, 2), (4, 2))]


def test_degrees_at_the_equator_are_those_of_the_ellipsoid() -> None:
    # Lengths of a degree of latitude and of longitude there: 110.574 and 111.320 km.
    metres = to_metres(np.array([[-0.01, 7.0], [0.01, 7.02]]))
    assert metres == pytest.approx(np.array([[0.0, 0.0], [2226.4, 2211.5]]), abs=0.1)


def test_street_map_is_the_largest_part() -> None:
    streets = read_street_map('path', str(VILLAGE), '')
    assert len(streets.crossing) == 6
    assert sorted(lengths(streets)) == pytest.approx([EAST] * 3 + [NORTH] * 2, abs=0.01)


def test_devices_walk_along_the_streets_of_the_village() -> None:
    walking = scenario.parse({
        'duration': 60, 'algorithms': [{'name': 'bounded', 'radius': 100}],
        'devices': [{'kind': 'uniform', 'count': 12, 'low': [0, 0], 'high': [160, 222]}],
        'motion': {'kind': 'streets', 'path': str(VILLAGE), 'speed': 5},
        'messages': {'range': 100}}, 'village')
    for snapshot in simulate(walking, 'bounded', 0, snapshots=[1.0, 30.0, 59.0]).snapshots:
        x, y = snapshot.position.T
        main = (abs(y) < 0.01) & (x < 2 * EAST + 0.01)
        footway = (abs(x - EAST) < 0.01) | (abs(y - NORTH) < 0.01) | (abs(x - 2 * EAST) < 0.01)
        assert np.all(main | footway)


@pytest.mark.parametrize(('text', 'problem'), [
    ('<osm><node', 'unclosed token'),
    ('', 'no element found'),
    ('<gpx></gpx>', 'is <gpx>, not <osm>'),
    ('<osm><node id="1" lat="1"/></osm>', 'a node has no lon'),
    ('<osm><node id="1" lat="north" lon="1"/></osm>', "'north'"),
    ('<osm><node id="1" lat="1" lon="1"/></osm>', 'no ways with a highway'),
    ('<osm><node id="1" lat="1" lon="1"/><node id="2" lat="91" lon="1"/>'
     '<way><nd ref="1"/><nd ref="2"/><tag k="highway" v="path"/></way></osm>', 'within 90'),
    ('<osm><node id="1" lat="1" lon="1"/><node id="2" lat="3" lon="1"/>'
     '<way><nd ref="1"/><nd ref="2"/><tag k="highway" v="path"/></way></osm>', '2 degrees wide'),
    ('<osm><node id="1" lat="1" lon="1"/><node id="2" lat="nan" lon="1"/>'
     '<way><nd ref="1"/><nd ref="2"/><tag k="highway" v="path"/></way></osm>', 'within 90'),
])
def test_wrong_extract_is_refused_in_one_line(tmp_path: Path, text: str, problem: str) -> None:
    file = tmp_path / 'town.osm'
    file.write_text(text)
    with pytest.raises(ParameterError, match=problem) as error:
        read_street_map('path', str(file), '')
    assert 'parameter path' in str(error.value) and '\n' not in str(error.value)


def test_positions_beside_an_extract_are_refused() -> None:
    with pytest.raises(ParameterError, match='parameter positions'):
        read_street_map('path', str(VILLAGE), 'places.txt')


def test_missing_extract_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match='No such file'):
        read_street_map('path', str(tmp_path / 'town.osm'), '')
