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

"""The first example of the concepts page is what robots do by default."""

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
import re

from election.robot.swarm import Swarm
from environment import needs
from leader_election.election.robot.parameters import ElectionParameters

DOC = Path(__file__).parents[1] / 'doc'


@needs('matplotlib', 'PIL')
def test_first_example_is_what_robots_do_by_default() -> None:
    """Run the six robots of the picture, and compare with picture and text."""
    spec = spec_from_file_location('figures', DOC / 'figures.py')
    assert spec is not None and spec.loader is not None
    figures = module_from_spec(spec)
    spec.loader.exec_module(figures)
    row, radius = figures.ROW, ElectionParameters.radius
    robots = Swarm(
        dict(enumerate(map(tuple, row.places.tolist()))),
        lambda i: {'strength': float(row.strengths[i])}, communication_range=row.range,
        radius=radius, radius_hysteresis=ElectionParameters.radius_hysteresis)
    robots.sweep(12)
    drawn, _ = figures.settled(row, figures.started(row), radius)
    assert robots.leaders() == {i: state.leader for i, state in drawn.items()} == {
        0: 0, 1: 0, 2: 0, 3: 0, 4: 5, 5: 5}
    text = ' '.join((DOC / 'concepts.md').read_text().split())
    at_4 = drawn[3].distance + row.apart(3, 4)
    assert f'At robot 4 it would be {at_4:.1f} m, more than the radius of {radius:g} m' in text
    joining = radius * (1.0 - ElectionParameters.radius_hysteresis)
    assert re.search(f'the two are {joining:g} m and {radius:g} m: robot 3, '
                     f'{drawn[3].distance:.1f} m from robot 0, still joins', text)
