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

"""A task at work on one robot: called, and kept from doing harm."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
import math
import traceback
from typing import Any

from leader_election.coordination.aggregate import Aggregate, AggregateSet, count, extent
from leader_election.coordination.summary_layout import RANKED
from leader_election.coordination.task import Member, Task
from leader_election.parameters import ParameterError
from leader_election.robot.wire import decision_text, MAX_ID, MAX_NUMBER

ANNOUNCEMENT_SIZE = 3
"""So many numbers leaders tell each other over the borders of their regions."""
MEMBERS = 'members'
"""The number of a region's robots, which every summary begins with; relays do not count."""
OUTLINE = 'outline'
BORDERS = 'borders'
COMMON = (MEMBERS, OUTLINE, BORDERS)
"""What no task may collect by that name."""
MOST_BORDERS = 8
"""The most regions that a leader knows next to its own; those of the lowest ids."""
MOST_TROUBLE = 4000
"""The most that is kept of a traceback, of its end [characters]."""
ANYTHING = (Exception, SystemExit)
"""What a task may raise, and the robot goes on; but who stops the program stops it."""


class TaskRunner:
    """
    Calls a task; what it raises is counted, and the robot goes on without.

    :param name: of the task, as :func:`label` gives it.
    """

    def __init__(self, name: str, task: Task) -> None:
        self.name = name
        self.task = task
        self.aggregates = AggregateSet({part: self._guarded(aggregate)
                              for part, aggregate in task.collects.items()})
        self.errors = 0
        """How often the task raised, or returned what cannot be told."""
        self.trouble = ''
        """What the first error was, with its traceback."""
        self.told = self.logged = False
        """Whether people were told, in diagnostics and in the log."""
        self._most = _most_of(self.aggregates)

    def sense(self, robot_id: int) -> tuple[float, ...]:
        """Return the row that this robot contributes; the blank one where the task fails."""
        try:
            row = self.aggregates.contribution(robot_id, self.task.sense())
            for number, most in zip(row, self._most):
                if most < abs(number) < math.inf:
                    raise ValueError(f'sense: {number:g} is beyond {most:g}')
        except ANYTHING as error:
            self.fail(error)
            return self.aggregates.identity
        return row

    def decide(self, summary: Mapping[str, Any]) -> Any:
        """Return the leader's decision, something for JSON; ``None`` where the task fails."""
        try:
            decision = self.task.decide(summary)
            try:
                decision_text([decision])
            except ValueError as error:
                raise ValueError(f'decide: the decision cannot be told: {error}') from None
        except ANYTHING as error:
            self.fail(error)
            return None
        return decision

    def act(self, decision: Any) -> None:
        """Do this robot's part of the decision."""
        try:
            self.task.act(decision)
        except ANYTHING as error:
            self.fail(error)

    def announce(self) -> tuple[float, ...] | None:
        """Return ``ANNOUNCEMENT_SIZE`` numbers for the leaders of other regions, or ``None``."""
        try:
            said = self.task.announce()
            if said is None:
                return None
            words = [float(number) for number in islice(said, ANNOUNCEMENT_SIZE + 1)]
            if len(words) > ANNOUNCEMENT_SIZE or not all(
                abs(announcement) <= MAX_NUMBER for announcement in words
            ):
                raise ValueError(f'say: it takes up to {ANNOUNCEMENT_SIZE} numbers, each within '
                                 f'{MAX_NUMBER:g}')
            return (*words, 0.0, 0.0, 0.0)[:ANNOUNCEMENT_SIZE]
        except ANYTHING as error:
            self.fail(error)
            return None

    def close(self) -> None:
        """Stop."""
        try:
            self.task.close()
        except ANYTHING as error:
            self.fail(error)

    def fail(self, error: BaseException) -> None:
        """Count an error, and keep the first of them."""
        self.errors += 1
        if not self.trouble:
            self.trouble = ''.join(traceback.format_exception(error))[-MOST_TROUBLE:]

    def _guarded(self, aggregate: Aggregate) -> Aggregate:
        """Return an aggregate whose functions, which may be a user's, raise nothing."""
        def result(row: Sequence[float]) -> Any:
            try:
                return aggregate.result(row)
            except ANYTHING as error:
                self.fail(error)
                return None

        def combine(into: Sequence[float], other: Sequence[float]) -> Sequence[float]:
            try:
                found = _combined(aggregate.combine, into, other)
            except ANYTHING as error:
                self.fail(error)
                return into
            return found
        return replace(aggregate, result=result,
                       combine=None if aggregate.combine is None else combine)


@contextmanager
def making(prefix: str, task: str) -> Iterator[None]:
    """
    Make a task; whatever it raises by that is a wrong parameter.

    :param prefix: what the instance's parameters begin with.
    """
    try:
        yield
    except ParameterError:
        raise
    except ANYTHING as error:
        raise ParameterError(f'parameter {prefix}tasks: {task!r} cannot be made: '
                             f'{type(error).__name__}: {error}') from error


def quiet(prefix: str, runner: TaskRunner) -> TaskRunner:
    """
    Return a second task of a kind, with the same settings, which only decides.

    :param prefix: what the parameters of its own instance begin with.
    :raises ParameterError: when it cannot be made.
    """
    task = runner.task
    member = Member(task.member.id, NullTaskContext(task.member.node), task.member.pose)
    with making(prefix, runner.name):
        return TaskRunner(runner.name, type(task)(member, task.settings))


def label(task: str) -> str:
    """
    Return what a task is called in messages and before its parameters.

    >>> label('count'), label('my_robots.tasks:FindWarmth')
    ('count', 'findwarmth')
    """
    return task.partition(':')[2].lower() or task


def region_aggregates(
    task_runners: Sequence[TaskRunner], outline: bool, connected: bool
) -> AggregateSet:
    """Return what is collected, by name: ``members``, ``<task>.<name>``, and of variants."""
    # Shares are told in so many digits only; a thousandth of a robot is none.
    members = replace(count(), result=lambda row: round(float(row[0]), 3))
    parts: dict[str, Aggregate] = {MEMBERS: members}
    for runner in task_runners:
        parts.update({f'{runner.name}.{name}': aggregate
                      for name, aggregate in runner.aggregates.by_name.items()})
    if outline:
        parts[OUTLINE] = extent()
    if connected:
        width = 2 + ANNOUNCEMENT_SIZE
        parts[BORDERS] = Aggregate(
            BORDERS, RANKED, (math.inf,) * width * MOST_BORDERS, lambda _, reading: reading,
            lambda row: [list(row[at:at + width]) for at in range(0, len(row), width)
                         if row[at] < math.inf], width)
    return AggregateSet(parts)


def of_task(task: str, results: Mapping[str, Any]) -> dict[str, Any]:
    """
    Return what was collected for a task, and what all get.

    >>> of_task('count', {'members': 3.0, 'count.centre': [1.0, 2.0], 'field.mean': 9.0})
    {'members': 3.0, 'centre': [1.0, 2.0]}
    """
    start = f'{task}.'
    return {name.removeprefix(start): value for name, value in results.items()
            if name.startswith(start) or '.' not in name}


class NullEntity:
    """A publisher that says nothing, and a timer that never calls."""

    def publish(self, message: Any) -> None:
        """Say nothing."""

    def cancel(self) -> None:
        """Go on calling nobody."""


class NullTaskContext:
    """
    Hears nothing, says nothing, and knows the time.

    A task that only decides, for a leader of leaders, has it: the wheels are the other one's.
    """

    def __init__(self, host: Any) -> None:
        """:param host: what the task that is at work has; it is asked for the time."""
        self._host = host

    @property
    def node(self) -> Any:
        """The node itself, which is not kept quiet: for a logger, say."""
        return self._host.node

    def listen(self, topic: str, kind: Any, callback: Callable[[Any], None]) -> None:
        """Hear nothing."""

    def publisher(self, topic: str, kind: Any, latched: bool = False) -> NullEntity:
        """Return what takes messages for nobody."""
        return NullEntity()

    def every(self, period: float, callback: Callable[[], None]) -> NullEntity:
        """Return what is no timer, but can be cancelled."""
        return NullEntity()

    def seconds(self) -> float:
        """Return the time on the robot's clock [s]."""
        return float(self._host.seconds())


def _combined(combine: Callable[..., Any] | None, into: Sequence[float],
              other: Sequence[float]) -> tuple[float, ...]:
    """Return what a user's function makes of two rows; as long as they are, and of numbers."""
    assert combine is not None
    row = tuple(float(number) for number in islice(combine(into, other), len(into) + 1))
    if len(row) != len(into) or not all(number > -math.inf for number in row):
        raise ValueError(f'combine: {len(into)} numbers have to come of it, none of them NaN or '
                         '-infinity')
    return row


def _most_of(aggregates: AggregateSet) -> tuple[float, ...]:
    """Return how large each number of a row may be; in records there are ids."""
    start = aggregates.layout.start
    return tuple(
        MAX_ID if kind == RANKED else MAX_NUMBER
        for part, kind in enumerate(aggregates.layout.kind)
        for _ in range(start[part], start[part + 1]))
