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

"""
Tasks by their names: those that ship, and those that users add.

Only the one that is asked for is imported.
"""

from importlib.metadata import entry_points, EntryPoint

from leader_election.coordination.task import Task

GROUP = 'leader_election.tasks'
"""The entry point group by which a user's package gives its tasks names."""

_SHIPPED = tuple(EntryPoint(name, value, GROUP) for name, value in (
    ('count', 'leader_election.tasks.count:Count'),
    ('field', 'leader_election.tasks.field:Field'),
    ('patrol', 'leader_election.tasks.patrol:Patrol'),
    ('rally', 'leader_election.tasks.rally:Rally'),
))


def task_names() -> tuple[str, ...]:
    """Return all names, sorted."""
    return tuple(sorted(_known()))


def task_class(name: str) -> type[Task]:
    """
    Return the task of that name, or the one that ``module:Class`` says.

    :raises KeyError: with one line for people, where there is none, or it cannot be loaded.

    >>> task_class('count').__name__, task_class('leader_election.tasks.rally:Rally').__name__
    ('Count', 'Rally')
    """
    known = _known()
    if name not in known and ':' not in name:
        raise KeyError(
            f'unknown task {name!r}; known: {", ".join(sorted(known))}, or module:Class')
    try:
        task = known.get(name, EntryPoint(name, name, GROUP)).load()
    except Exception as error:  # Whatever a module of the user's may raise when it is imported.
        raise KeyError(f'task {name!r} cannot be loaded: {type(error).__name__}: {error}; '
                       f'known: {", ".join(sorted(known))}') from error
    if not (isinstance(task, type) and issubclass(task, Task)):
        raise KeyError(f'task {name!r} is no subclass of {Task.__module__}.Task')
    return task


def _known() -> dict[str, EntryPoint]:
    # What ships comes last: nobody takes its names.
    return {point.name: point for point in (*entry_points(group=GROUP), *_SHIPPED)}
