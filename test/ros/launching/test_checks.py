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

"""Parameters of nodes from files and arguments, compared with ROS itself."""

from pathlib import Path

from leader_election.parameters import ParameterError
from leader_election.ros.launching.checks import (
    effective_parameters,
    global_parameters,
    refuse_quorum,
)
import pytest
import rclpy
import yaml

SECTIONS = {
    '/**': {'a': 'all', 'b': 'all', 'c': 'all', 'd': 'all'},
    '/alice/election_node': {'b': 'own', 'c': 'own', 'nested': {'e': 'own'}},
    '/**/election_node': {'c': 'named', 'f': 'named'},
    '/alice/*': {'f': 'beside', 'g': 'beside'},
    '/bob/election_node': {'a': 'another', 'h': 'another'},
}
ORDERS = (list(SECTIONS), list(reversed(SECTIONS)), [name for name in SECTIONS if name != '/**'])


@pytest.mark.parametrize('order', ORDERS)
def test_effective_parameters_are_those_of_ros(order: list[str], tmp_path: Path) -> None:
    file, arguments = tmp_path / 'mine.yaml', tmp_path / 'arguments.yaml'
    given = {'a': 'argument', 'c': 'argument', 'g': 'argument'}
    for path, sections in ((file, {name: SECTIONS[name] for name in order}),
                           (arguments, {'/**': given})):
        path.write_text(yaml.safe_dump(
            {name: {'ros__parameters': values} for name, values in sections.items()},
            sort_keys=False))
    context = rclpy.Context()
    rclpy.init(context=context, args=[
        '--ros-args', '--params-file', str(file), '--params-file', str(arguments)])
    try:
        node = rclpy.create_node('election_node', namespace='/alice', context=context,
                                 automatically_declare_parameters_from_overrides=True)
        found = {name: parameter.value for name, parameter in node.get_parameters_by_prefix(
            '').items() if name in {*'abcdfgh', 'nested.e'}}
        node.destroy_node()
    finally:
        rclpy.shutdown(context=context)
    assert effective_parameters(str(file), ['alice/election_node'], given) == [found]
    assert {'a', 'b', 'c', 'nested.e', 'f', 'g'} <= set(found) and 'h' not in found


def test_a_robot_that_joins_a_running_swarm_takes_no_quorum(tmp_path: Path) -> None:
    file, node = tmp_path / 'mine.yaml', '/robot_9/election_node'
    refuse_quorum('', node)
    file.write_text("/**: {ros__parameters: {quorum: 'none'}}")
    refuse_quorum(str(file), node)
    file.write_text('/**: {ros__parameters: {quorum: majority}}')
    with pytest.raises(ParameterError, match='parameter quorum: majority is not allowed'):
        refuse_quorum(str(file), node)


def test_global_parameters_are_those_for_all_nodes(tmp_path: Path) -> None:
    file = tmp_path / 'mine.yaml'
    file.write_text('/**:\n  ros__parameters:\n    radius: 3.0\n/a:\n  ros__parameters: {x: 1}\n')
    assert global_parameters(str(file)) == {'radius': 3.0} and global_parameters('') == {}
    with pytest.raises(ParameterError, match='parameter params_file'):
        global_parameters(str(tmp_path / 'no.yaml'))
