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
Tasks: the base class of a region's joint behaviour, for users to derive from.

::

    class Warmest(Task):
        collects = {'warmest': top(1)}

        def sense(self):
            return {'warmest': self.temperature}

        def decide(self, summary):
            return {'go to': summary['warmest'][0][1]}

        def act(self, decision):
            ...

The parameter ``tasks`` selects a task, by the name of its entry point in the group
``leader_election.election.tasks`` or as ``module:Class``.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint
from typing import Any, ClassVar, NamedTuple

from leader_election.election.regions.aggregate import Aggregate
from leader_election.parameters import did_you_mean, NoParameters
from leader_election.parameters.registry import installed_entry_points

Position = tuple[float, float]
"""x, y in the shared frame [m]."""
GROUP = 'leader_election.tasks'


class DecisionOrigin(NamedTuple):
    """Whose decision ``act`` is given, and which one."""

    leader: int
    term: int | None
    """With mandates, the term of that leader's mandate over this robot, otherwise ``None``."""
    number: int
    """Greater than in all decisions of this leader before, 0 if unknown."""
    age: float
    """The time since this robot received it first [s]."""


@dataclass
class Member:
    """The state of a robot that its tasks can read, updated in each round."""

    id: int  # noqa: A003
    node: Any = None
    """The robot's ``rclpy`` node, to subscribe, publish and set timers with; ``None`` in tests."""
    pose: Callable[[], tuple[float, float, float] | None] = lambda: None
    """Returns the current x, y, yaw in the shared frame [m, rad], ``None`` if unknown."""
    leader: int = -1
    """The leader's id, -1 for none."""
    leads: bool = False
    distance: float = 0.0
    """Distance to the leader along the path of the messages [m]."""
    radius: float = 0.0
    """The radius of the region [m]."""
    neighbours: Mapping[int, Position | None] = field(default_factory=dict)
    """The neighbours of the same region by id, with their positions [m]."""
    zone: list[Position] | None = None
    """With fixed regions, the corners of the zone that contains the robot [m]."""
    borders: Mapping[int, tuple[float, ...]] = field(default_factory=dict)
    """With connected leaders, on a leader: announcements of adjacent leaders by their id."""
    decided: DecisionOrigin | None = None
    """In ``act``, whose decision it is, ``None`` if there is none."""
    above: Any = None
    """The decision of the leader of leaders for this task, if there is one."""


class Task:
    """
    The joint behaviour of the robots of a region, in every round.

    Exceptions in its methods are caught and counted; the robot continues without the task's part.
    """

    parameters: ClassVar[type[Any]] = NoParameters
    """
    A frozen dataclass of :func:`leader_election.parameter` fields. The node declares them
    as ``<task>.<name>``, and they are in ``self.settings``.
    """
    needs_mandate: ClassVar[bool] = False
    """
    Whether ``decide`` is called only while the leader may act, and ``act`` is given only decisions
    of the leader with the mandate over this robot. It takes the parameter ``mandate``.
    """
    obeys_mandate: ClassVar[bool] = False
    """As ``needs_mandate`` where there are mandates. Without, as any other task."""
    max_age: ClassVar[float | None] = None
    """
    The age at which ``act`` is given ``None`` in place of a decision [s]. ``None``:
    ``message_expiry`` and two periods a hop. A leader makes a new decision each round, and while
    it reaches a member, none is older: a hop waits for the next round and for a message, and one
    link at a time may be silent for as long as it still counts as one.
    """
    collects: Mapping[str, Aggregate] = {}
    """The aggregates by name. May be set in ``__init__``; the same on all robots."""

    def __init__(self, member: Member, settings: Any) -> None:
        self.member = member
        self.settings = settings

    def sense(self) -> Mapping[str, Any]:
        """Return this robot's readings, by names of ``collects``, called in each round."""
        return {}

    def decide(self, summary: Mapping[str, Any]) -> Any:
        """
        Return a decision for the region: a JSON value, ``None`` for none.

        Called in each round on the leader.

        :param summary: the collected results, by names of ``collects``.
        """
        return None

    def act(self, decision: Any) -> None:
        """
        Carry out the leader's decision on this robot, called in each round on every member.

        :param decision: the result of ``decide`` on the leader, after JSON, ``None`` for no
            decision, because there is no leader, it has not arrived yet, or it is too old. It is
            never an older one of the same leader than before; ``self.member.decided`` tells which
            it is.
        """

    def on_acquired(self, term: int) -> None:
        """Begin to act as a leader; with mandates, called before ``decide``."""

    def on_lost(self) -> None:
        """Stop to act as a leader: the mandate has ended, or the node ends."""

    def announce(self) -> tuple[float, ...] | None:
        """Return up to three numbers for the leaders of adjacent regions, ``None`` for none."""
        return None

    @property
    def counts(self) -> Mapping[str, int]:
        """Return numbers that ``/diagnostics`` shows for people who look for a fault, by name."""
        return {}

    def close(self) -> None:
        """Release resources. Called when the node ends."""


_SHIPPED = {name: EntryPoint(name, value, GROUP) for name, value in (
    ('count', 'leader_election.election.tasks.count:Count'),
    ('dispatch', 'leader_election.election.tasks.dispatch:Dispatch'),
    ('field', 'leader_election.election.tasks.field:Field'),
    ('patrol', 'leader_election.election.tasks.patrol:Patrol'),
    ('rally', 'leader_election.election.tasks.rally:Rally'),
)}


def task_names() -> tuple[str, ...]:
    """Return all names, sorted."""
    return tuple(sorted(_known()))


def plug_in_tasks() -> dict[str, type[Task]]:
    """Return the tasks of users' packages that can be loaded, by name."""
    found = {}
    for name in task_names():
        if name not in _SHIPPED:
            with suppress(KeyError):
                found[name] = task_class(name)
    return found


def task_class(name: str) -> type[Task]:
    """
    Return the task of that name, or of ``module:Class``.

    :raises KeyError: with a one-line text, if there is none or it cannot be loaded.

    >>> task_class('count').__name__
    'Count'
    >>> task_class('leader_election.election.tasks.rally:Rally').__name__
    'Rally'
    """
    # Only for other names the metadata of all installed packages are read.
    point = _SHIPPED.get(name) or _known().get(name)
    if point is None and ':' not in name:
        known = task_names()
        raise KeyError(f'unknown task {name!r}; {did_you_mean(name, known)}'
                       f'known: {", ".join(known)}, or module:Class')
    try:
        task = (point or EntryPoint(name, name, GROUP)).load()
    except Exception as error:  # The import of a user's module may raise anything.
        raise KeyError(f'task {name!r} cannot be loaded: {type(error).__name__}: {error}; '
                       f'known: {", ".join(task_names())}') from error
    if not (isinstance(task, type) and issubclass(task, Task)):
        raise KeyError(f'task {name!r} is not a subclass of leader_election.Task')
    return task


def _known() -> dict[str, EntryPoint]:
    found = {point.name: point for point in installed_entry_points().select(group=GROUP)}
    # The tasks of this package come last, so that other packages cannot replace them.
    return {**found, **_SHIPPED}
