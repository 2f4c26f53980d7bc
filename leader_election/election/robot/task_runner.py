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

"""The execution of tasks on one robot, guarded against their errors, and their aggregates."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
import math
import traceback
from typing import Any, TypeVar

from leader_election.election.messages.wire import decision_text, MAX_ID, MAX_NUMBER
from leader_election.election.regions.aggregate import Aggregate, AggregateSet, count
from leader_election.election.regions.collection import RANKED
from leader_election.election.regions.task import Member, Task
from leader_election.parameters import ParameterError

ANNOUNCEMENT_SIZE = 3
"""The numbers in an announcement, which leaders of neighbouring regions exchange."""
MEMBERS = 'members'
"""The number of a region's robots, the first entry of each summary. Relays do not count."""
BORDERS = 'borders'
COMMON = (MEMBERS, BORDERS)
"""Reserved names, under which no task may collect."""
MOST_BORDERS = 8
"""The greatest number of neighbouring regions known to a leader: those with the lowest ids."""
MAX_TRACEBACK = 4000
"""The length of the kept end of a traceback [characters]."""
T = TypeVar('T')
ANYTHING = (Exception, SystemExit)
"""The exceptions of tasks that do not stop the robot. KeyboardInterrupt stops the program."""


class TaskRunner:
    """
    Calls a task. An error that it raises is counted, and the robot continues without its result.

    :param name: the task's name, as :func:`task_label` returns it.
    :param task: the task of a user or of this package.
    """

    def __init__(self, name: str, task: Task) -> None:
        self.name = name
        self.task = task
        self.aggregates = AggregateSet({part: self._guarded(aggregate)
                                        for part, aggregate in task.collects.items()})
        self.errors = 0
        """The number of errors: exceptions, and results that cannot be sent."""
        self.first_error = ''
        """The first error with its traceback, empty for none."""
        self.reported = self.logged = False
        """Whether the first error was published in diagnostics, and written to the log."""
        self.term: int | None = None
        """The term under which this robot acts as a leader, ``None`` if it does not."""
        self._most = _most_of(self.aggregates)

    def sense(self, robot_id: int) -> tuple[float, ...]:
        """Return the row that this robot contributes; the identity where the task fails."""
        def sensed() -> tuple[float, ...]:
            row = self.aggregates.contribution(robot_id, self.task.sense())
            for number, most in zip(row, self._most):
                if most < abs(number) < math.inf:
                    raise ValueError(f'sense: {number:g} is beyond {most:g}')
            return row
        return self._call(self.aggregates.identity, sensed)

    def decide(self, summary: Mapping[str, Any]) -> Any:
        """Return the leader's decision, a JSON value, ``None`` if the task fails."""
        def decided() -> Any:
            decision = self.task.decide(summary)
            try:
                decision_text([decision])
            except ValueError as error:
                raise ValueError(f'decide: the decision cannot be sent: {error}') from None
            return decision
        return self._call(None, decided)

    def act(self, decision: Any) -> None:
        """Execute this robot's part of the decision."""
        self._call(None, self.task.act, decision)

    def take_term(self, term: int | None) -> None:
        """Tell the task that this robot acts as a leader under another term, or no longer."""
        before, self.term = self.term, term
        if before == term:
            return

        def take() -> None:
            if before is not None:
                self.task.on_lost()
            if term is not None:
                self.task.on_acquired(term)
        self._call(None, take)

    def announce(self) -> tuple[float, ...] | None:
        """Return ``ANNOUNCEMENT_SIZE`` numbers for the leaders of other regions, or ``None``."""
        def announced() -> tuple[float, ...] | None:
            said = self.task.announce()
            if said is None:
                return None
            numbers = [float(number) for number in islice(said, ANNOUNCEMENT_SIZE + 1)]
            if len(numbers) > ANNOUNCEMENT_SIZE or not all(
                    abs(number) <= MAX_NUMBER for number in numbers):
                raise ValueError(f'announce: it takes up to {ANNOUNCEMENT_SIZE} numbers, each '
                                 f'within {MAX_NUMBER:g}')
            return (*numbers, 0.0, 0.0, 0.0)[:ANNOUNCEMENT_SIZE]
        return self._call(None, announced)

    def counts(self) -> dict[str, int]:
        """Return the numbers of the task for diagnostics, by name."""
        return self._call({}, lambda: {
            str(name): int(value) for name, value in self.task.counts.items()})

    def close(self) -> None:
        """Stop the task."""
        self.take_term(None)
        self._call(None, self.task.close)

    def _call(self, otherwise: T, call: Callable[..., T], *arguments: Any) -> T:
        """Return the result of a user's function, or another value if it raises."""
        try:
            return call(*arguments)
        except ANYTHING as error:
            self.fail(error)
            return otherwise

    def fail(self, error: BaseException) -> None:
        """Count an error, and keep the first one."""
        self.errors += 1
        if not self.first_error:
            self.first_error = ''.join(traceback.format_exception(error))[-MAX_TRACEBACK:]

    def _guarded(self, aggregate: Aggregate) -> Aggregate:
        """Return a copy of a user's aggregate whose functions do not raise."""
        def combine(into: Sequence[float], other: Sequence[float]) -> Sequence[float]:
            return self._call(into, _combined, aggregate.combine, into, other)
        return replace(aggregate, result=lambda row: self._call(None, aggregate.result, row),
                       combine=None if aggregate.combine is None else combine)


@contextmanager
def creating(prefix: str, task: str) -> Iterator[None]:
    """
    Convert the errors of a task's constructor into parameter errors.

    :param prefix: the prefix of the instance's parameters.
    :param task: the task's name in the parameter ``tasks``.
    """
    try:
        yield
    except ParameterError:
        raise
    except ANYTHING as error:
        raise ParameterError(f'{prefix}tasks', problem=f': {task!r} cannot be made: '
                             f'{type(error).__name__}: {error}') from error


def deciding_copy(runner: TaskRunner) -> TaskRunner:
    """
    Return a second task of the same class and settings, which decides but does not act.

    :param runner: the runner of the task that acts.
    :raises ParameterError: when the task cannot be created.
    """
    task = runner.task
    member = Member(task.member.id, NullTaskContext(task.member.node), task.member.pose)
    with creating('', runner.name):
        return TaskRunner(runner.name, type(task)(member, task.settings))


def task_label(task: str) -> str:
    """
    Return the name of a task in messages and in the prefix of its parameters.

    >>> task_label('count'), task_label('my_robots.tasks:FindWarmth')
    ('count', 'findwarmth')
    """
    return task.partition(':')[2].lower() or task


def region_aggregates(task_runners: Sequence[TaskRunner], connected: bool) -> AggregateSet:
    """
    Return the aggregates of an instance, by name: ``members``, ``<task>.<name>``, and of variants.

    :param task_runners: the runners of the instance's tasks.
    :param connected: whether the announcements of neighbouring regions are collected.
    """
    # Shares are sent with few digits. Below a thousandth of a robot is a rounding error.
    members = replace(count(), result=lambda row: round(float(row[0]), 3))
    parts: dict[str, Aggregate] = {MEMBERS: members}
    for runner in task_runners:
        parts.update({f'{runner.name}.{name}': aggregate
                      for name, aggregate in runner.aggregates.by_name.items()})
    if connected:
        width = 2 + ANNOUNCEMENT_SIZE
        parts[BORDERS] = Aggregate(
            BORDERS, RANKED, (math.inf,) * width * MOST_BORDERS, lambda _, reading: reading,
            lambda row: [list(row[at:at + width]) for at in range(0, len(row), width)
                         if row[at] < math.inf], width)
    return AggregateSet(parts)


def of_task(task: str, results: Mapping[str, Any]) -> dict[str, Any]:
    """
    Return the results for one task: its own, and those common to all tasks.

    >>> of_task('count', {'members': 3.0, 'count.centre': [1.0, 2.0], 'field.mean': 9.0})
    {'members': 3.0, 'centre': [1.0, 2.0]}
    """
    start = f'{task}.'
    return {name.removeprefix(start): value for name, value in results.items()
            if name.startswith(start) or '.' not in name}


class NullEntity:
    """A publisher that publishes nothing, a timer that never fires, a navigator without robot."""

    gives_feedback = False

    def is_ready(self) -> bool:
        """Return that no goals are taken."""
        return False

    def publish(self, *arguments: Any) -> None:
        """Do nothing."""

    cancel = close = publish


class NullTaskContext:
    """
    A task's context without subscriptions, publishers and timers: it has the time only.

    For a task on a level above, which only decides: another task on the robot drives it.

    :param host: the context of the task that acts, which provides the time.
    """

    def __init__(self, host: Any) -> None:
        self._host = host

    @property
    def node(self) -> Any:
        """Return the node itself, for example for its logger."""
        return self._host.node

    def listen(self, topic: str, kind: Any, callback: Callable[[Any], None],
               every: bool = False) -> None:
        """Subscribe to nothing."""

    def publisher(self, *arguments: Any, **options: Any) -> NullEntity:
        """Return a publisher, a timer or a navigator that does nothing."""
        return NullEntity()

    every = navigator = publisher

    def seconds(self) -> float:
        """Return the time on the robot's clock [s]."""
        return float(self._host.seconds())


def _combined(combine: Callable[..., Any] | None, into: Sequence[float],
              other: Sequence[float]) -> tuple[float, ...]:
    """Return a user's combination of two rows, checked for its length and for numbers."""
    assert combine is not None
    row = tuple(float(number) for number in islice(combine(into, other), len(into) + 1))
    if len(row) != len(into) or not all(number > -math.inf for number in row):
        raise ValueError(f'combine: {len(into)} numbers have to come of it, none of them NaN or '
                         '-infinity')
    return row


def _most_of(aggregates: AggregateSet) -> tuple[float, ...]:
    """Return the largest allowed absolute value of each number of a row. Records hold ids."""
    start = aggregates.layout.start
    return tuple(
        MAX_ID if kind == RANKED else MAX_NUMBER
        for part, kind in enumerate(aggregates.layout.kind)
        for _ in range(start[part], start[part + 1]))
