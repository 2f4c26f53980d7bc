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

"""Tasks are found by name, and what is wrong with a name is said in one line."""

from leader_election.election.coordination.task import Task, task_class, task_names
from leader_election.parameters import build
import pytest


def test_included_tasks_are_found_with_default_parameters() -> None:
    assert set(task_names()) >= {'count', 'field', 'patrol', 'rally'}
    for name in task_names():
        task = task_class(name)
        assert issubclass(task, Task)
        build(task.parameters, {})


def test_task_is_found_by_module_and_class() -> None:
    assert task_class('leader_election.election.coordination.task:Task') is Task


@pytest.mark.parametrize(('name', 'line'), [
    ('dance', "unknown task 'dance'; known: count, field, patrol, rally, or module:Class"),
    ('partol', "unknown task 'partol'; did you mean patrol? known: count, field, patrol, rally, "
     'or module:Class'),
    ('', "unknown task ''; known: count, field, patrol, rally, or module:Class"),
    ('no_such_module:Dance', "task 'no_such_module:Dance' cannot be loaded: "
     "ModuleNotFoundError: No module named 'no_such_module'; known: count, field, patrol, rally"),
    ('math:pi', "task 'math:pi' is not a subclass of leader_election.Task"),
])
def test_a_wrong_name_is_refused_in_one_line(name: str, line: str) -> None:
    with pytest.raises(KeyError) as refused:
        task_class(name)
    assert refused.value.args == (line,)


@pytest.mark.parametrize('name', ['math:', ':pi', 'math:no:such', 'math:nothing', 'a b:c d'])
def test_malformed_module_and_class_is_refused(name: str) -> None:
    with pytest.raises(KeyError, match='cannot be loaded|no subclass'):
        task_class(name)
