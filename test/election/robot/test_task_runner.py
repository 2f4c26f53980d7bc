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

"""A task at work: whatever it does, nothing is raised, and what went wrong is counted."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
import itertools
import math
from types import SimpleNamespace
from typing import Any

from leader_election.election.messages.wire import MAX_DECISION, MAX_ID, MAX_NUMBER, MOST_LEVELS
from leader_election.election.regions.aggregate import Aggregate, count, mean, top, total, union
from leader_election.election.regions.collection import combine, OWN
from leader_election.election.regions.task import Member, Task
from leader_election.election.robot.task_runner import (
    deciding_copy,
    region_aggregates,
    task_label,
    TaskRunner,
)
from leader_election.parameters import ParameterError
import pytest


class Told(Task):
    """Does what the test says."""

    collects = {'robots': count(), 'place': mean(2), 'weight': total()}
    counts: Mapping[str, Any] = {'lost': 2}

    def __init__(self, does: Callable[[], Any] = lambda: None) -> None:
        super().__init__(Member(7), None)
        self.does = does

    def sense(self) -> Any:
        return self.does()

    def decide(self, summary: Any) -> Any:
        return self.does()

    def act(self, decision: Any) -> None:
        self.does()

    def announce(self) -> Any:
        return self.does()

    def close(self) -> None:
        self.does()


def fails() -> Any:
    raise LookupError('no such shelf')


def endless() -> Iterator[float]:
    return itertools.repeat(1.0)


def deep(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


def own(function: Callable[[Any, Any], Any]) -> Task:
    """Return a task with an aggregate that a user wrote."""
    task = Told()
    task.collects = {'own': Aggregate(
        'own', OWN, (0.0, 0.0), lambda _, reading: reading, list, combine=function)}
    return task


def test_results_of_a_task_are_unchanged_without_errors():
    task = Told(lambda: {'robots': True, 'place': (3.0, 4.0)})
    runner = TaskRunner('told', task)
    assert runner.sense(7) == (1.0, 1.0, 3.0, 4.0, 0.0)
    assert runner.decide({}) == {'robots': True, 'place': (3.0, 4.0)}
    runner.act(None)
    runner.close()
    assert TaskRunner('told', Told(lambda: (1, 2))).announce() == (1.0, 2.0, 0.0)
    assert TaskRunner('told', Told(lambda: (1, 2, MAX_NUMBER))).announce() == (1, 2, MAX_NUMBER)
    assert TaskRunner('told', Told(tuple)).announce() == (0.0, 0.0, 0.0)
    assert TaskRunner('told', Told()).announce() is None
    assert runner.counts() == {'lost': 2}
    assert (runner.errors, runner.first_error) == (0, '')
    task.counts = {'lost': 'many'}
    assert runner.counts() == {} and runner.errors == 1


def test_label_of_a_task_is_its_name_or_its_class_in_small_letters():
    assert (task_label('Warm'), task_label('mine.tasks:Warm')) == ('Warm', 'warm')


def test_task_is_notified_when_its_term_changes_or_ends():
    task, told = Told(), list[Any]()
    task.on_acquired = told.append  # type: ignore[method-assign]
    task.on_lost = lambda: told.append('lost')  # type: ignore[method-assign]
    runner = TaskRunner('told', task)
    for term in (None, 5, 5, 9, None, None, 12):
        runner.take_term(term)
    runner.close()
    assert told == [5, 'lost', 9, 'lost', 12, 'lost']


def test_number_is_bounded_and_an_id_is_not_in_each_part_of_a_summary():
    for name in ('weight', 'other'):
        task = Told(lambda name=name: {'best': 1.0, name: 1.1 * MAX_NUMBER})
        task.collects = {'weight': total(), 'best': top(1), 'other': total()}
        runner = TaskRunner('told', task)
        assert runner.sense(MAX_ID) == runner.aggregates.identity and runner.errors == 1
        task.does = lambda: {'best': 1.0}
        assert runner.sense(MAX_ID) != runner.aggregates.identity


def test_copy_of_a_task_has_the_clock_and_the_node_of_the_robot():
    member = Member(7, SimpleNamespace(seconds=lambda: 5, node='node'))
    copy = deciding_copy(TaskRunner('task', Task(member, None))).task
    assert (copy.member.node.seconds(), copy.member.node.node) == (5.0, 'node')
    assert not copy.member.node.navigator().is_ready()


@pytest.mark.parametrize('call', [
    lambda runner: runner.decide({}), lambda runner: runner.act(None), TaskRunner.announce,
    TaskRunner.close, lambda runner: runner.take_term(5),
    lambda runner: runner.aggregates.results((0.0,) * 9)])
def test_error_of_each_function_of_a_task_is_kept(call):
    task = Told(fails)
    task.on_acquired = lambda term: fails()  # type: ignore[method-assign]
    task.collects = {'own': replace(count(), result=lambda row: fails())}
    runner = TaskRunner('told', task)
    call(runner)
    assert runner.first_error.startswith('Traceback (most recent call last):\n  File ')
    assert runner.first_error.endswith('LookupError: no such shelf\n')


def test_copy_of_a_task_decides_for_the_same_robot_without_its_topics():
    class Placed(Task):
        made = 0

        def __init__(self, member: Member, settings: Any) -> None:
            super().__init__(member, settings)
            Placed.made += 1
            if Placed.made > 2:
                raise LookupError('no more')
    runner = TaskRunner('placed', Placed(Member(7, pose=lambda: (1.0, 2.0, 3.0)), 'settings'))
    copy = deciding_copy(runner).task
    assert (copy.member.id, copy.member.pose(), copy.settings) == (
        7, (1.0, 2.0, 3.0), 'settings')
    with pytest.raises(ParameterError, match="^parameter tasks: 'placed' cannot be made: Lookup"):
        deciding_copy(runner)


def test_number_of_members_is_rounded_to_thousandths():
    aggregates = region_aggregates([], connected=False)
    assert [aggregates.results((sent,))['members'] for sent in (2.9996, 2.9994, 2.0)] == [
        3.0, 2.999, 2.0]


def test_exit_of_a_task_is_caught_but_not_an_interrupt():
    def leaves() -> None:
        raise SystemExit(3)

    def interrupts() -> None:
        raise KeyboardInterrupt
    runner = TaskRunner('told', Told(leaves))
    runner.act(None)
    assert runner.sense(7) == runner.aggregates.identity
    assert runner.errors == 2 and runner.first_error.endswith('SystemExit: 3\n')
    with pytest.raises(KeyboardInterrupt):
        TaskRunner('told', Told(interrupts)).act(None)


def test_error_without_a_text_is_reported():
    class Mute(Exception):
        def __str__(self) -> str:
            raise LookupError

    def raises() -> None:
        raise Mute
    runner = TaskRunner('told', Told(raises))
    runner.act(None)
    assert runner.errors == 1 and 'Mute' in runner.first_error


@pytest.mark.parametrize('reading', [
    5, [1, 2], {'other': 1}, {'weight': math.nan}, {'weight': 1.1 * MAX_NUMBER},
    {'weight': 10**400}, {'weight': 'heavy'}, {'place': 3.0}, {'place': (1.0,)},
    {'place': range(10**9)}, {'place': endless()}, {'robots': True, 'weight': None, 'x': 1}])
def test_contribution_without_numbers_is_the_identity(reading):
    runner = TaskRunner('told', Told(lambda: reading))
    assert runner.sense(7) == runner.aggregates.identity
    assert runner.errors == 1


def test_ids_may_be_greater_than_readings():
    task = Told(lambda: {'who': [MAX_ID]})
    task.collects = {'who': union(2)}
    runner = TaskRunner('told', task)
    assert runner.sense(1) == (0.0, MAX_ID, math.inf, math.inf) and runner.errors == 0


ITSELF: list[Any] = []
ITSELF.append(ITSELF)


@pytest.mark.parametrize('decision', [
    ITSELF, math.nan, math.inf, [-math.inf], {1, 2}, b'bytes', object(), endless(),
    range(10**9), {(1, 2): 3}, 'x' * MAX_DECISION, list(range(MAX_DECISION)),
    deep(MOST_LEVELS), deep(10**5)])
def test_decision_is_dropped_when_json_cannot_hold_it(decision):
    runner = TaskRunner('told', Told(lambda: decision))
    assert runner.decide({}) is None
    assert runner.errors == 1


def test_longest_and_deepest_decisions_are_sent():
    # ["..."] has four characters beside the text. The list of decisions is a level itself.
    for decision in ('x' * (MAX_DECISION - 4), deep(MOST_LEVELS - 1)):
        runner = TaskRunner('told', Told(lambda decision=decision: decision))
        assert runner.decide({}) == decision and runner.errors == 0


@pytest.mark.parametrize('said', [
    5.0, 'abc', (1, 2, 3, 4), endless(), range(10**9), (math.nan,), (1.1 * MAX_NUMBER,), (None,)])
def test_announcement_is_dropped_unless_it_has_three_numbers(said):
    runner = TaskRunner('told', Told(lambda: said))
    assert runner.announce() is None and runner.errors == 1


@pytest.mark.parametrize('function', [
    lambda a, b: fails(), lambda a, b: None, lambda a, b: (1.0,), lambda a, b: (1.0, 2.0, 3.0),
    lambda a, b: endless(), lambda a, b: (math.nan, 0.0), lambda a, b: (0.0, -math.inf),
    lambda a, b: 'ab'])
def test_combination_of_a_user_changes_nothing_when_it_fails(function):
    runner = TaskRunner('told', own(function))
    row = [3.0, 4.0]
    combine(runner.aggregates.layout, row, (1.0, 1.0), 1.0)
    assert row == [3.0, 4.0] and runner.errors == 1 and 'Error' in runner.first_error


def test_combination_of_a_user_gets_and_changes_its_part_alone():
    task = own(lambda a, b: (max(a[0], b[0]), a[1] + b[1]))
    task.collects = {'robots': count(), **task.collects}
    runner = TaskRunner('told', task)
    row = [2.0, 3.0, 4.0]
    combine(runner.aggregates.layout, row, (1.0, 5.0, 6.0, 1.0, 7.0, 1.0), 1.0, 0, 2)
    assert row == [4.0, 7.0, 11.0] and runner.errors == 0
    task.collects = {'own': task.collects['own'], 'robots': count()}
    runner = TaskRunner('told', task)
    row = [3.0, 4.0, 2.0]
    combine(runner.aggregates.layout, row, (5.0, 6.0, 1.0), 1.0)
    assert row == [5.0, 10.0, 3.0] and runner.errors == 0
