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
Tasks: what a region does. This is what a user writes.

::

    class Warmest(Task):
        collects = {'warmest': top(1)}

        def sense(self):
            return {'warmest': self.temperature}

        def decide(self, summary):
            return {'go to': summary['warmest'][0][1]}

        def act(self, decision):
            ...

It is chosen by parameter ``tasks``, by a name that an entry point of group
``leader_election.tasks`` gives it, or as ``module:Class``.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from importlib.metadata import entry_points, EntryPoint
from typing import Any, ClassVar

from leader_election.coordination.aggregate import Aggregate
from leader_election.parameters import NoParameters

Position = tuple[float, float]
"""x, y in the shared frame [m]."""
GROUP = 'leader_election.tasks'
"""The entry point group by which a user's package gives its tasks names."""


@dataclass
class Member:
    """What a task knows of its robot; kept up to date from round to round."""

    id: int
    node: Any = None
    """The robot's ``rclpy`` node, to subscribe, publish and set timers with; ``None`` in tests."""
    pose: Callable[[], tuple[float, float, float] | None] = lambda: None
    """Returns x, y, yaw in the shared frame as of now [m, rad], ``None`` where it is not known."""
    leader: int = -1
    """The leader's id; -1 for none."""
    leads: bool = False
    distance: float = 0.0
    """To the leader, along the way of the news [m]."""
    radius: float = 0.0
    """Of the region [m]."""
    neighbours: Mapping[int, Position | None] = field(default_factory=dict)
    """The neighbours of the same region, and where they are [m]."""
    zone: list[Position] | None = None
    """The corners of the zone that the robot is in, where regions are fixed beforehand [m]."""
    borders: Mapping[int, tuple[float, ...]] = field(default_factory=dict)
    """On the leader, where leaders are connected: what other regions' leaders say, by their id."""
    above: Any = None
    """What the leader of leaders has decided for this task, where there is one."""


class Task:
    """
    What the robots of a region do together, over and over.

    Whatever a method raises is caught and counted, and the robot goes on without.
    """

    parameters: ClassVar[type[Any]] = NoParameters
    """
    A frozen dataclass of ``leader_election.parameters.parameter`` fields. The node declares them
    as ``<task>.<name>``, and they are in ``self.settings``.
    """
    collects: Mapping[str, Aggregate] = {}
    """What is collected, by name. May be set in ``__init__``; the same on all robots."""

    def __init__(self, member: Member, settings: Any) -> None:
        self.member = member
        self.settings = settings

    def sense(self) -> Mapping[str, Any]:
        """Return what this robot contributes, by names of ``collects``; called each round."""
        return {}

    def decide(self, summary: Mapping[str, Any]) -> Any:
        """
        Return a decision for the region: what JSON can tell, ``None`` for none.

        Called each round on the leader.

        :param summary: what was collected, by names of ``collects``.
        """
        return None

    def act(self, decision: Any) -> None:
        """
        Do one's part of the leader's decision; called each round on every member.

        :param decision: as ``decide`` returned it on the leader, through JSON; ``None``: there is
            none, since nobody leads or the news is not here yet.
        """

    def announce(self) -> tuple[float, ...] | None:
        """Return up to three numbers for the leaders of other regions; ``None``: nothing."""
        return None

    def close(self) -> None:
        """Stop what was started, at the end of the node."""


_SHIPPED = tuple(EntryPoint(name, value, GROUP) for name, value in (
    ('count', 'leader_election.tasks.count:Count'),
    ('field', 'leader_election.tasks.field:Field'),
    ('patrol', 'leader_election.tasks.patrol:Patrol'),
    ('rally', 'leader_election.tasks.rally:Rally'),
))


def task_names() -> tuple[str, ...]:
    """Return all names, sorted."""
    return tuple(sorted(_known()))


def plug_in_tasks() -> dict[str, type[Task]]:
    """Return the tasks of users' packages that can be loaded, by name."""
    shipped = {point.name for point in _SHIPPED}
    found = {}
    for name in task_names():
        if name not in shipped:
            with suppress(KeyError):
                found[name] = task_class(name)
    return found


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
        raise KeyError(f'task {name!r} is no subclass of leader_election.Task')
    return task


def _known() -> dict[str, EntryPoint]:
    # What ships comes last: nobody takes its names.
    return {point.name: point for point in (*entry_points(group=GROUP), *_SHIPPED)}
