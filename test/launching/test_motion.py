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

"""Who drives: tasks wherever a file of parameters gives them, and wander the others alone."""

from pathlib import Path

from leader_election.launching.motion import check_scanner, tasks_of
from leader_election.parameters import ParameterError
import pytest

ROBOTS = ('alice', 'bob')


def settings(folder: Path, text: str = '', tasks: str = '') -> dict[str, str]:
    """Return the arguments, with a file of that text."""
    file = folder / 'mine.yaml'
    file.write_text(text)
    return {'tasks': tasks, 'params_file': str(file) if text else ''}


INSTANCE = '/**:\n  ros__parameters: {instances: "rescue, other", rescue.tasks: patrol}\n'
NESTED = '/**:\n  ros__parameters:\n    instances: rescue\n    rescue: {tasks: patrol}\n'
NOT_AN_INSTANCE = '/**:\n  ros__parameters: {rescue.tasks: patrol}\n'
ONE = '/alice/election_node:\n  ros__parameters: {tasks: patrol}\n'
SPLIT = (INSTANCE.replace(', rescue.tasks: patrol', '')
         + 'bob:\n  election_node:\n    ros__parameters: {rescue.tasks: "count,patrol"}\n')
OTHERS = ('/bob/election_nodes:\n  ros__parameters: {tasks: patrol}\n'
          'wander:\n  ros__parameters: {tasks: patrol}\n')
BOTH = '/**:\n  ros__parameters: {tasks: field}\n'


@pytest.mark.parametrize(('text', 'tasks', 'alice', 'bob'), [
    ('', '', [], []), ('', 'count,patrol', ['count', 'patrol'], ['count', 'patrol']),
    (INSTANCE, '', ['patrol'], ['patrol']), (NESTED, 'count', ['count', 'patrol'],
                                             ['count', 'patrol']),
    (NOT_AN_INSTANCE, '', [], []), (ONE, '', ['patrol'], []),
    (SPLIT, '', [], ['count', 'patrol']), (OTHERS, '', [], []),
    ('/*/election_node:\n  ros__parameters: {tasks: rally}\n', '', ['rally'], ['rally']),
    # As rcl has it: what stands behind /** goes before that, and before an argument.
    (BOTH, 'count', ['count'], ['count']), (BOTH + ONE, '', ['patrol'], ['field']),
    (BOTH + ONE, 'count', ['patrol'], ['count']), (ONE + BOTH, '', ['field'], ['field']),
    (ONE, 'count', ['count'], ['count'])])
def test_tasks_are_those_that_a_robots_node_is_told(
        tmp_path: Path, text: str, tasks: str, alice: list[str], bob: list[str]) -> None:
    assert tasks_of(settings(tmp_path, text, tasks), ROBOTS) == [alice, bob]


@pytest.mark.parametrize('text', [INSTANCE, NESTED, ONE, SPLIT])
def test_a_task_that_drives_by_a_scanner_is_found_wherever_it_is_given(
        tmp_path: Path, text: str) -> None:
    given = settings(tmp_path, text)
    with pytest.raises(ParameterError, match='lidar: 0 leaves robots blind, and patrol drives'):
        check_scanner(given, ROBOTS, 0)
    check_scanner(given, ROBOTS, 36)
    check_scanner(settings(tmp_path, OTHERS), ROBOTS, 0)
