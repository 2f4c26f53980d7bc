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

"""The floor of a world: what robots can stand on, in models, links and collisions."""

import math
from xml.etree import ElementTree

from leader_election.ros.gazebo.floor import floor_height, floor_slabs
import pytest


def height(models: str, place: tuple[float, float] = (0.0, 0.0)) -> float | None:
    return floor_height(floor_slabs(ElementTree.fromstring(f'<world>{models}</world>')), place)


def model(shape: str, pose: str = '', static: str = 'true', link: str = '') -> str:
    def place(text: str) -> str:
        return f'<pose>{text}</pose>' if text else ''
    return (f'<model><static>{static}</static>{place(pose)}<link>{place(link)}<collision>'
            f'<geometry>{shape}</geometry></collision></link></model>')


PLANE = '<plane><normal>0 0 1</normal><size>1 1</size></plane>'
GROUND = model(PLANE)
FLAT = '<box><size>4 2 0.2</size></box>'


@pytest.mark.parametrize(('models', 'place', 'found'), [
    ('', (0.0, 0.0), None), (GROUND, (50.0, 0.0), 0.0),
    (model(PLANE, '0 0 -1 0 0 0', link='0 0 0.25 0 0 0'), (0.0, 0.0), -0.75),
    (model(FLAT), (1.9, 0.9), 0.1), (model(FLAT), (0.9, 1.9), None),
    (model(FLAT, f'0 0 0 0 0 {math.pi / 2}'), (0.9, 1.9), 0.1),
    (model(FLAT, '1 0 0 0 0 1.5708', link='2 0 0.3 0 0 0'), (1.0, 2.0), 0.4),
    # What moves, walls, what is tilted, and other shapes are no floor.
    (model(FLAT, static='false'), (0.0, 0.0), None),
    (model('<box><size>4 0.1 2</size></box>'), (0.0, 0.0), None),
    (model(FLAT, '0 0 0 0.2 0 0'), (0.0, 0.0), None),
    (model('<mesh><uri>floor.dae</uri></mesh>'), (0.0, 0.0), None),
    (model(PLANE.replace('0 0 1', '1 0 0')), (0.0, 0.0), None),
    (model(FLAT).replace('<static>', '<pose relative_to="a">0 0 1 0 0 0</pose><static>'),
     (0.0, 0.0), None),
    # A slab on the ground, one in it, a table above it.
    (GROUND + model(FLAT, '0 0 0.1 0 0 0'), (0.0, 0.0), 0.2),
    (GROUND + model(FLAT, '0 0 -0.5 0 0 0'), (0.0, 0.0), 0.0),
    (GROUND + model(FLAT, '0 0 0.8 0 0 0'), (0.0, 0.0), 0.0)])
def test_the_floor_is_the_lowest_slab_and_what_lies_on_it(
        models: str, place: tuple[float, float], found: float | None) -> None:
    assert height(models, place) == (None if found is None else pytest.approx(found))
