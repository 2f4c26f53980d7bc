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

"""Jobs: messages, assignment, and regions that do them while robots and leaders die."""

from collections import Counter
from collections.abc import Mapping
import itertools
import json
import math
import random
from typing import Any

from budget import examples
from election.robot.swarm import of_one, Swarm
from election.tasks.memory_context import MemoryContext
from hypothesis import given, Phase, settings
from hypothesis import strategies as st
from leader_election.election.regions.task import Member
from leader_election.election.tasks.dispatch import (
    assign,
    Dispatch,
    DispatchParameters,
    Job,
    job_of,
    JobBook,
    MOST_DONE,
    MOST_OPEN,
    parsed,
)
from leader_election.election.tasks.driving import Report
from leader_election.parameters import build
import pytest
from sensor_msgs.msg import BatteryState
from std_msgs.msg import String

SPEED = 1.0
"""Of the robots [m/s]."""
PLACES = {i: (4.0 * i, 0.0) for i in range(1, 6)}
"""Of five robots [m]."""


class Crew(Swarm):
    """
    A swarm without ROS whose robots drive to their goals and do jobs. Robot 1 is the strongest.

    :ivar done: how often each job was done.
    :ivar groups: robots of different groups do not hear each other.
    """

    def __init__(self, places: Mapping[int, tuple[float, float]] = PLACES,
                 of_task: Mapping[str, Any] | None = None, **common: Any) -> None:
        self.contexts = {i: MemoryContext() for i in places}
        self.tasks: dict[int, Dispatch] = {}
        self.done: Counter[int] = Counter()
        self.groups = dict.fromkeys(places, 0)
        self._heading: dict[int, tuple[float, float] | None] = dict.fromkeys(places)

        def dispatch(member: Member, _: Any) -> Dispatch:
            member.node = self.contexts[member.id]
            self.tasks[member.id] = Dispatch(member, build(DispatchParameters, {
                'drive_by': 'nav2', **(of_task or {})}))
            return self.tasks[member.id]

        super().__init__(places, lambda i: of_one(i, {k: -float(k) for k in places}),
                         {'dispatch': dispatch},  # type: ignore[dict-item]
                         **{'tasks': 'dispatch', 'radius': 500.0, 'communication_range': 100.0,
                            'top_speed': math.inf, **common})

    def put(self, robot: int, **job: Any) -> None:
        """Publish a job on the topic of a robot."""
        self.contexts[robot].deliver('jobs', String(data=json.dumps(job)))

    def tell(self, i: int, payload: str | None = None) -> None:
        silent, self.silent = self.silent, self.silent | {
            j for j in self.robots if self.groups[j] != self.groups[i]}
        super().tell(i, payload)
        self.silent = silent

    def run(self, rounds: int) -> None:
        """Let robots run rounds, drive, and report what Nav2 would."""
        for _ in range(rounds):
            self.sweep()
            for i, context in self.contexts.items():
                if i not in self.silent:
                    self._go(i, context)

    def _go(self, i: int, context: MemoryContext) -> None:
        nav2, sent, cancelled = context.nav2, len(context.nav2.goals), context.nav2.cancelled
        context.advance_to(self.now)
        if nav2.cancelled > cancelled and len(nav2.goals) == sent:
            self._heading[i] = None
            nav2.reports[-1](Report.CANCELLED)
        elif len(nav2.goals) > sent:
            self._heading[i] = nav2.goals[-1][:2]
        goal, here = self._heading[i], self.places[i]
        if goal is not None:
            left = math.dist(here, goal)
            share = min(SPEED / left, 1.0) if left else 1.0
            self.places[i] = tuple(  # type: ignore[assignment]
                a + share * (b - a) for a, b in zip(here, goal))
            nav2.reports[-1](Report.REACHED if share == 1.0 else Report.PROGRESS)
            self._heading[i] = None if share == 1.0 else goal
        for message in context.published('job'):
            if message.data and json.loads(message.data)['state'] == 'done':
                self.done[json.loads(message.data)['id']] += 1
        context.published('job').clear()

    def workers(self) -> dict[int, int]:
        """Return the robot that has each job, where it lives."""
        return {task.job.id: i for i, task in self.tasks.items()
                if task.job is not None and i not in self.silent}


# Messages.

def test_job_is_read_with_and_without_work_and_deadline() -> None:
    assert parsed('{"id": 0, "place": [-1, 2.5]}', 9.0) == Job(
        0, (-1.0, 2.5), 0.0, math.inf, since=9.0)
    assert parsed('{"id": 2147483647, "place": [0, 0], "seconds": 3, "deadline": 0.5}', 9.0) == (
        Job(2**31 - 1, (0.0, 0.0), 3.0, 9.5, since=9.0))


@pytest.mark.parametrize(('text', 'said'), [
    ('', 'Expecting value'), ('[]', 'an object'), ('{"id": 1}', 'id, place'),
    ('{"id": 1, "place": [0, 0], "colour": 1}', 'no more than'),
    ('{"id": -1, "place": [0, 0]}', 'id is -1'), ('{"id": 1.5, "place": [0, 0]}', 'whole'),
    ('{"id": true, "place": [0, 0]}', 'id is True'), ('{"id": 1, "place": [0]}', 'place'),
    ('{"id": 2147483648, "place": [0, 0]}', 'id is'),
    ('{"id": 1, "place": [NaN, 0]}', 'x is nan'), ('{"id": 1, "place": [0, 1e999]}', 'y is inf'),
    ('{"id": 1, "place": [0, 0], "seconds": -1}', 'seconds is -1'),
    ('{"id": 1, "place": [0, 0], "deadline": 0}', 'deadline is 0'),
    ('{"id": 1, "place": [0, 0], "deadline": 1e6}', 'deadline is'),
    ('[' * 200, 'Expecting')])
def test_wrong_job_is_refused_with_the_reason(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        parsed(text, 0.0)


def test_wrong_jobs_are_counted_and_warned_of() -> None:
    crew = Crew()
    for text in 'go', '[' * 100000:
        crew.contexts[2].deliver('jobs', String(data=text))
    assert crew.tasks[2].counts['jobs_rejected'] == 2
    warning, deep = crew.contexts[2].warnings
    assert 'a job is rejected: Expecting value' in warning and '(2 so far)' in deep
    crew.run(8)
    assert crew.workers() == {} and crew.places == PLACES


@settings(max_examples=examples(200))
@given(st.integers(0, 2**31 - 1), st.floats(-1e4, 1e4), st.floats(-1e4, 1e4),
       st.floats(0.0, 86400.0), st.floats(0.1, 86399.0) | st.just(math.inf))
def test_job_is_the_same_after_its_row(
        number: int, x: float, y: float, seconds: float, left: float) -> None:
    job = Job(number, (x, y), seconds, 50.0 + left, since=50.0)
    after = job_of(job.row(50.0), 50.0)
    assert after.id == number and math.dist(after.place, job.place) < 0.02
    assert abs(after.seconds - seconds) < 0.06
    assert after.until == job.until or 0.0 <= after.until - job.until <= 1.0


def job(number: int, until: float = math.inf) -> Job:
    return Job(number, (0.0, 0.0), 0.0, until, since=0.0)


def test_book_keeps_bounds_and_the_earlier_deadline() -> None:
    book = JobBook()
    assert all(book.add(job(k)) for k in range(MOST_OPEN)) and not book.add(job(MOST_OPEN))
    assert book.add(job(0, until=7.0)) and book.open[0].until == 7.0
    assert book.add(job(0, until=9.0)) and book.open[0].until == 7.0
    assert book.drop_expired(7.0) == 0 and book.drop_expired(7.1) == 1
    for k in range(2 * MOST_DONE):
        book.close(k, 1.0)
    assert len(book.done) == MOST_DONE and not book.open
    book.close(MOST_DONE, 2.0)
    assert [*book.done.items()][-1] == (MOST_DONE, 2.0)
    assert not book.add(job(2 * MOST_DONE - 1))


# Assignment.

@settings(max_examples=examples(300))
@given(st.integers(1, 4).flatmap(lambda columns: st.lists(st.lists(
    st.floats(-100.0, 100.0) | st.integers(0, 2).map(float),
    min_size=columns, max_size=columns), max_size=4)))
def test_assignment_costs_the_least_of_all(costs: list[list[float]]) -> None:
    found = assign(costs)
    rows, columns = len(costs), len(costs[0]) if costs else 0
    assert len(found) == len({row for row, _ in found}) == len({column for _, column in found})
    table = costs if rows <= columns else [*zip(*costs)]
    least = min(sum(table[row][column] for row, column in enumerate(each))
                for each in itertools.permutations(range(max(rows, columns)), min(rows, columns)))
    assert len(found) == min(rows, columns)
    assert sum(costs[row][column] for row, column in found) == pytest.approx(least)


def test_jobs_go_to_the_nearest_robots_one_each() -> None:
    crew = Crew()
    crew.put(3, id=7, place=[8.5, 0])
    crew.put(5, id=8, place=[19.0, 0], seconds=3)
    crew.put(5, id=9, place=[17.0, 0], seconds=3)
    crew.run(8)
    # Robot 5 is at 20, robot 4 at 16: together they drive the least.
    assert crew.workers() | {7: 2} == {7: 2, 8: 5, 9: 4}
    crew.run(8)
    assert crew.done == {7: 1, 8: 1, 9: 1} and crew.workers() == {}
    assert all({7, 8, 9} <= task.book.done.keys() for task in crew.tasks.values())


def test_robot_with_an_empty_battery_gets_no_job_and_with_a_low_one_is_farther_away() -> None:
    crew = Crew()
    crew.contexts[2].deliver('battery_state', BatteryState(percentage=0.1))
    crew.contexts[3].deliver('battery_state', BatteryState(percentage=0.3))
    crew.contexts[4].deliver('battery_state', BatteryState(percentage=math.nan))
    crew.put(1, id=7, place=[10.0, 0], seconds=9)
    crew.run(8)
    # Robot 3 counts as 2 + 7 m away, the robots 1 and 4 as 6 m.
    assert crew.workers() == {7: 1}


def test_work_takes_its_time_and_a_robot_says_what_it_does() -> None:
    crew, said = Crew({1: (0.0, 0.0)}), []
    crew.put(1, id=7, place=[2.0, 0], seconds=3.0)
    for _ in range(14):
        crew.sweep()
        said += [json.loads(message.data)['state']
                 for message in crew.contexts[1].published('job')]
        crew._go(1, crew.contexts[1])
    begun, working, done = (said.index(each) for each in ('driving', 'working', 'done'))
    assert begun < working < done and said[-1] == 'done'
    crew.tasks[1].close()
    assert crew.contexts[1].published('job')[-1].data == ''


def test_job_is_dropped_and_counted_when_its_deadline_is_over() -> None:
    crew = Crew()
    crew.put(1, id=7, place=[90.0, 0], deadline=15)
    crew.run(10)
    assert crew.workers() == {7: 5}
    crew.run(12)
    assert crew.workers() == {} and crew.done == {} and crew.tasks[1].book.open == {}
    assert crew.tasks[1].counts['jobs_expired'] == 1
    places = dict(crew.places)
    crew.run(3)
    assert crew.places == places


def test_robot_that_makes_no_progress_leaves_its_job_to_another() -> None:
    crew = Crew()
    crew.put(1, id=7, place=[30.0, 0])
    crew.run(8)
    assert crew.workers() == {7: 5}
    # It is stuck: Nav2 has no way, and the robot stays where it is.
    stuck = crew.places[5]
    for _ in range(45):
        crew.places[5] = stuck
        crew.run(1)
    assert crew.done == {7: 1} and crew.places[4] == (30.0, 0.0)


def test_more_jobs_than_fit_into_a_message_are_all_done() -> None:
    crew = Crew()
    draw = random.Random(1)
    for k in range(60):
        crew.put(1 + k % 5, id=1000000 + k, place=[draw.uniform(-9, 9), draw.uniform(-9, 9)])
    for _ in range(25):
        crew.run(10)
        if len(crew.done) == 60:
            break
    crew.run(10)
    assert crew.done == {1000000 + k: 1 for k in range(60)}


@pytest.mark.parametrize('decision', [
    [], {'jobs': []}, {'jobs': [[7, 0, 0, 0, 0]], 'done': []}, {'jobs': 7, 'done': []},
    {'jobs': [[7, 0, 0, 0, 0, 2, 2]], 'done': []}, {'jobs': [], 'done': ['x']},
    {'jobs': [[7, 'nan', 0, 0, 0, 2]], 'done': []}])
def test_robot_stands_with_an_unreadable_decision(decision: Any) -> None:
    task = Crew().tasks[2]
    task.act({'jobs': [[7, 30.0, 0, 0, 0, 2]], 'done': []})
    assert task.job is not None
    with pytest.raises((ValueError, TypeError, KeyError)):
        task.act(decision)
    assert task.job is None


# What outlives a robot and a leader.

@settings(max_examples=examples(15), phases=[Phase.generate])
@given(st.integers(0, 2**32), st.integers(0, 3))
def test_all_jobs_are_done_whatever_robots_die(seed: int, deaths: int) -> None:
    draw, crew = random.Random(seed), Crew()
    kills = dict(zip(draw.sample(sorted(PLACES), deaths), draw.sample(range(3, 60), deaths)))
    holders = {k: draw.randint(1, 5) for k in range(12)}
    begins = {k: draw.randrange(40) for k in holders}
    # A robot that dies at once, perhaps with its leader, takes the job along.
    held = {k for k, robot in holders.items() if kills.get(robot, math.inf) > begins[k] + 10}
    for now in range(250):
        for k, robot in holders.items():
            if begins[k] == now:
                crew.put(robot, id=k, place=[draw.uniform(0, 25), draw.uniform(-5, 5)],
                         seconds=draw.choice([0, 2, 5]))
        crew.silent |= {robot for robot, when in kills.items() if when == now}
        crew.run(1)
        if now > 60 and held <= crew.done.keys():
            break
    crew.run(10)
    assert held <= crew.done.keys(), (kills, holders, begins)
    if not deaths:
        assert set(crew.done.values()) == {1}


def cut(mandate: float) -> Counter[int]:
    """Return how often a job is done whose robot is cut off with another one, and works on."""
    crew = Crew(mandate=mandate, quorum='majority' if mandate else 'none',
                **({'roster': '1-5'} if mandate else {}))
    crew.put(1, id=7, place=[21.0, 0], seconds=30)
    crew.run(15)
    assert crew.workers() == {7: 5}
    crew.groups = {1: 0, 2: 0, 3: 0, 4: 1, 5: 1}
    crew.run(60)
    crew.groups = dict.fromkeys(crew.robots, 0)
    crew.run(40)
    return crew.done


def test_job_is_done_once_under_mandates_when_its_robot_is_cut_off() -> None:
    assert cut(3.0) == {7: 1} != cut(0.0)
