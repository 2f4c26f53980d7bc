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

"""Arenas from YAML files, included and wrong ones."""

from pathlib import Path

from leader_election.parameters import ParameterError
from leader_election.simulation.arena import load_arena, shipped_worlds
from leader_election.simulation.scene import free_space
import pytest
import shapely


@pytest.mark.parametrize('world', ['barriers', 'blocks', 'empty', 'rooms'])
def test_included_arenas_have_connected_free_space(world: str) -> None:
    arena = load_arena(world)
    assert world in shipped_worlds()
    assert all(arena.outline.covers(obstacle) for obstacle in arena.obstacles)
    assert free_space(*arena, 0.3).geom_type == 'Polygon'


def test_arena_is_read_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / 'mine.yaml'
    path.write_text('size: [4, 2]\nobstacles: [[[0, 0], [1, 0], [0, 1]]]\n')
    arena = load_arena(str(path))
    assert arena.outline.equals(shapely.box(-2, -1, 2, 1))
    assert [obstacle.area for obstacle in arena.obstacles] == [0.5]


@pytest.mark.parametrize(('text', 'problem'), [
    ('', 'expected the keys size and obstacles'),
    ('[1, 2]', 'expected the keys size and obstacles'),
    ('obstacles: []', 'size: expected two finite numbers, not None'),
    ('size: [4, big]', 'size: expected two finite numbers'),
    ('size: [4, .inf]', 'size: expected two finite numbers'),
    ('size: [4, 0]', 'size: [4, 0] is not greater than 0'),
    ('size: [4, 2]\nwalls: []', 'unknown key walls'),
    ('size: [4, 2]\nobstacles: 3', 'obstacles: expected a list'),
    ('size: [4, 2]\nobstacles: [[[0, 0], [1, 0]]]', 'obstacles[0]: expected a list of three'),
    ('size: [4, 2]\nobstacles: [[[0, 0], [1, 0], [1]]]', 'obstacles[0][2]: expected two'),
    ('size: [4, 2]\nobstacles: [[[0, 0], [1, 1], [1, 0], [0, 1]]]',
     'obstacles[0]: not a simple polygon: Self-intersection'),
    ('size: [4, 2', "expected ',' or ']'"),
])
def test_a_wrong_file_is_refused_with_file_and_key(
        tmp_path: Path, text: str, problem: str) -> None:
    path = tmp_path / 'wrong.yaml'
    path.write_text(text)
    with pytest.raises(ParameterError) as error:
        load_arena(str(path))
    assert 'parameter world' in str(error.value)
    assert str(path) in str(error.value)
    assert problem in str(error.value)


def test_an_unknown_name_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ParameterError, match="'blokcs' is none of barriers, blocks, empty, rooms"
                       '.*; did you mean blocks.$'):
        load_arena('blokcs')


def test_a_binary_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / 'noise.yaml'
    path.write_bytes(b'\xff\xfe\x00\x81')
    with pytest.raises(ParameterError, match='parameter world'):
        load_arena(str(path))
