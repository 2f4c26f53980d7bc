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

"""Arguments out of the tables of parameters."""

from pathlib import Path

from leader_election.launching.arguments import (
    described,
    given,
    in_file,
    named,
    switch,
    with_defaults,
)
from leader_election.parameters import ParameterError, table
from leader_election.world.parameters import SceneParameters, WorldParameters
import pytest


def test_what_is_given_is_checked_and_what_is_empty_is_not_given() -> None:
    settings = {'robots': '12', 'seed': '', 'world': 'rooms', 'spacing': '2'}
    assert given(settings, SceneParameters, ('robots', 'seed', 'world', 'layout')) == {
        'robots': 12, 'world': 'rooms'}
    assert given(settings, SceneParameters, ('spacing',)) == {'spacing': 2.0}
    # A text may look like a number.
    assert given({'world': '7'}, SceneParameters, ('world',)) == {'world': '7'}


@pytest.mark.parametrize('value', ['many', '[', '0', '1.5', '2026-13-45', 2000 * '[',
                                   '1' + 400 * '0'])
def test_what_is_wrong_is_named(value: str) -> None:
    with pytest.raises(ParameterError, match='parameter robots'):
        given({'robots': value}, SceneParameters, ('robots',))


def test_every_declaration_makes_a_described_argument() -> None:
    parameters = table(WorldParameters)
    for arguments in (described(parameters), with_defaults(parameters)):
        assert list(arguments) == [p.name for p in parameters]
        assert all(description for _, description in arguments.values())
    for p in parameters:
        default, _ = with_defaults([p])[p.name]
        if default:
            assert given({p.name: default}, WorldParameters, (p.name,)) == {p.name: p.default}


def test_names_have_the_order_that_they_are_asked_in() -> None:
    found = named((WorldParameters, SceneParameters), ('motion', 'robots'))
    assert [p.name for p in found] == ['motion', 'robots']


def test_a_switch_is_on_or_off() -> None:
    assert [switch({'gui': text}, 'gui') for text in ('true', 'false', 'True')] == [
        True, False, True]
    with pytest.raises(ParameterError, match='parameter gui'):
        switch({'gui': 'perhaps'}, 'gui')


def test_a_file_says_what_all_nodes_are_told(tmp_path: Path) -> None:
    file = tmp_path / 'mine.yaml'
    file.write_text('/**:\n  ros__parameters:\n    radius: 3.0\n/a:\n  ros__parameters: {x: 1}\n')
    assert in_file(str(file)) == {'radius': 3.0} and in_file('') == {}
    with pytest.raises(ParameterError, match='parameter params_file'):
        in_file(str(tmp_path / 'no.yaml'))
