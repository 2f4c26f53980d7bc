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

"""The initial state of a region. Tasks by their names."""

from collections.abc import Iterator
from math import inf
from pathlib import Path

from leader_election.election.regions.region import (
    initial_region,
    MOST_RECIPIENTS,
    Region,
    RegionSettings,
    RELAY,
)
from leader_election.election.regions.task import plug_in_tasks, Task, task_class, task_names
from leader_election.parameters import build
from leader_election.parameters.registry import installed_entry_points
import pytest


@pytest.mark.parametrize('collection, recipients, members', [
    ('tree', 0, 0), ('multi-path', MOST_RECIPIENTS, 0), ('gossip', 0, 2)])
def test_initial_region_is_empty_with_room_for_the_collection(collection, recipients, members):
    settings = RegionSettings(collection=collection, gossip_members=2, role='relay',
                              feedback_target=6.0)
    assert initial_region(settings, [1.0, 2.0], [0.0, inf], undecided=(inf,)) == Region(
        device=-1, role=RELAY, contribution=(1.0, 2.0), load=6.0, own_announcement=(), parent=-1,
        summary=(0.0, inf), reach=0.0, recipients=(-1,) * recipients, shares=(0.0,) * recipients,
        announcement=(), members=(-1,) * members, ages=(0,) * members,
        contributions=(inf,) * 2 * members, decision_version=0, decision_age=0, decision=(inf,))
    told = initial_region(settings, [1.0], [0.0], announcement_size=2, undecided=(inf,))
    assert told.announcement == told.own_announcement == (inf, inf)


# Tasks are found by name, and what is wrong with a name is said in one line.

def test_included_tasks_are_found_with_default_parameters() -> None:
    assert set(task_names()) >= {'count', 'dispatch', 'field', 'patrol', 'rally'}
    for name in task_names():
        task = task_class(name)
        assert issubclass(task, Task)
        build(task.parameters, {})


def test_task_is_found_by_module_and_class() -> None:
    assert task_class('leader_election.election.regions.task:Task') is Task


KNOWN = 'known: count, dispatch, field, patrol, rally'


@pytest.mark.parametrize(('name', 'line'), [
    ('dance', f"unknown task 'dance'; {KNOWN}, or module:Class"),
    ('partol', f"unknown task 'partol'; did you mean patrol? {KNOWN}, or module:Class"),
    ('', f"unknown task ''; {KNOWN}, or module:Class"),
    ('no_such_module:Dance', "task 'no_such_module:Dance' cannot be loaded: "
     f"ModuleNotFoundError: No module named 'no_such_module'; {KNOWN}"),
    ('math:pi', "task 'math:pi' is not a subclass of leader_election.Task"),
])
def test_task_is_refused_in_one_line_when_its_name_is_wrong(name: str, line: str) -> None:
    with pytest.raises(KeyError) as refused:
        task_class(name)
    assert refused.value.args == (line,)


@pytest.mark.parametrize('name', ['math:', ':pi', 'math:no:such', 'math:nothing', 'a b:c d'])
def test_task_is_refused_when_module_and_class_are_malformed(name: str) -> None:
    with pytest.raises(KeyError, match='cannot be loaded|no subclass'):
        task_class(name)


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Install a package with the tasks dance, one that cannot be imported, and another rally."""
    (tmp_path / 'dances.py').write_text(
        'from leader_election.election.regions.task import Task\nclass Dance(Task):\n    pass\n')
    package = tmp_path / 'dances-1.0.dist-info'
    package.mkdir()
    (package / 'METADATA').write_text('Name: dances\nVersion: 1.0\n')
    (package / 'entry_points.txt').write_text(
        '[leader_election.tasks]\nbroken = no_such_module:Dance\ndance = dances:Dance\n'
        'rally = dances:Dance\n')
    monkeypatch.syspath_prepend(str(tmp_path))
    installed_entry_points.cache_clear()
    yield
    installed_entry_points.cache_clear()


def test_task_of_an_installed_package_is_found_by_its_name(installed: None) -> None:
    found = plug_in_tasks()
    assert found['dance'] is task_class('dance') and issubclass(task_class('dance'), Task)
    assert not {'broken', 'rally'} & found.keys() and 'broken' in task_names()
    assert task_class('rally').__name__ == 'Rally'
