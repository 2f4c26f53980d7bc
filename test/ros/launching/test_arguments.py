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

"""Arguments derived from declarations of parameters."""


from leader_election.parameters import ParameterError, table
from leader_election.ros.gazebo.plan import SpawnParameters
from leader_election.ros.launching.arguments import (
    arguments_with_defaults,
    check_argument_names,
    given_values,
    optional_arguments,
    parse_bool,
    select_parameters,
)
from leader_election.simulation.parameters import SceneParameters, WorldParameters
import pytest


def test_given_values_are_checked_and_empty_ones_are_not_given():
    settings = {'robots': '12', 'seed': '', 'world': 'rooms', 'spacing': '2'}
    assert given_values(settings, SceneParameters, ('robots', 'seed', 'world', 'layout')) == {
        'robots': 12, 'world': 'rooms'}
    assert given_values(settings, SceneParameters, ('spacing',)) == {'spacing': 2.0}
    # A text may look like a number.
    assert given_values({'world': '7'}, SceneParameters, ('world',)) == {'world': '7'}
    assert given_values({'world': 'none'}, SpawnParameters, ('world',)) == {'world': 'none'}


@pytest.mark.parametrize('value', ['many', '[', '0', '1.5', '2026-13-45', 2000 * '[',
                                   '1' + 400 * '0'])
def test_a_wrong_parameter_is_refused(value):
    with pytest.raises(ParameterError, match='parameter robots'):
        given_values({'robots': value}, SceneParameters, ('robots',))


def test_each_declaration_gives_an_argument_with_a_description():
    parameters = table(WorldParameters)
    for arguments in (optional_arguments(parameters), arguments_with_defaults(parameters)):
        assert list(arguments) == [p.name for p in parameters]
        assert all(description for _, description in arguments.values())
    for p in parameters:
        default, _ = arguments_with_defaults([p])[p.name]
        if default:
            assert given_values({p.name: default}, WorldParameters, (p.name,)) == {
                p.name: p.default}


def test_selected_parameters_keep_the_order_of_the_names():
    found = select_parameters((WorldParameters, SceneParameters), ('motion', 'robots'))
    assert [p.name for p in found] == ['motion', 'robots']


def test_a_boolean_argument_is_true_or_false():
    assert [parse_bool({'gui': text}, 'gui') for text in ('true', 'false', 'True')] == [
        True, False, True]
    with pytest.raises(ParameterError, match='parameter gui'):
        parse_bool({'gui': 'perhaps'}, 'gui')


def test_argument_names_are_checked_if_the_command_names_the_file(tmp_path, monkeypatch):
    file = tmp_path / 'ours' / 'robot.launch.py'
    file.parent.mkdir()
    file.touch()
    (tmp_path / 'link.launch.py').symlink_to(file)
    monkeypatch.chdir(file.parent)
    for command in (['leader_election', 'robot.launch.py'], [str(file)], ['robot.launch.py'],
                    ['../ours/robot.launch.py'], [str(tmp_path / 'link.launch.py')]):
        words = ['ros2', 'launch', *command, 'model:=lite']
        with pytest.raises(ParameterError, match='^parameter model: robot.launch.py has no such'):
            check_argument_names(words, str(file), ['robot'])
        check_argument_names(words, str(file), ['robot', 'model'])


def test_a_launch_file_of_the_same_name_that_includes_ours_has_its_own_arguments(tmp_path):
    file, other = (tmp_path / folder / 'robot.launch.py' for folder in ('ours', 'theirs'))
    for each in (file, other):
        each.parent.mkdir()
        each.touch()
    for command in (['turtlebot4_bringup', 'robot.launch.py'], [str(other)],
                    ['leader_election', 'mine.launch.py']):
        check_argument_names(['ros2', 'launch', *command, 'model:=lite'], str(file), ['robot'])
