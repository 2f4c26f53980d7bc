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

"""When rounds run: by period, caught up, on news, and again after a change of the leader."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from leader_election.election.robot.robot import phase, REACTIVE_INTERVAL, REPEATS, RoundSchedule
import pytest


class Timer:
    """A timer that the test fires."""

    def __init__(self, period: float, callback: Callable[[], None]) -> None:
        self.period, self.fire, self._canceled = period, callback, False

    def cancel(self) -> None:
        """Stop."""
        self._canceled = True

    def is_canceled(self) -> bool:
        """Return whether it is stopped."""
        return self._canceled

    def restart(self, period: float) -> None:
        """Start anew with another period [s]."""
        self.period, self._canceled = period, False


class Scheduled:
    """A schedule and the times of its rounds."""

    def __init__(self, robot_id: int = 1, period: float = 1.0,
                 schedule: str = 'reactive') -> None:
        self.now, self.rounds = 0.0, list[float]()
        self.timers: list[Timer] = []
        self.pending: str | None = None
        self.given: list[Any] = []
        parameters = SimpleNamespace(robot_id=robot_id, round_period=period, schedule=schedule)
        self.robot: Any = SimpleNamespace(
            would_change=lambda now: self.pending, parameters=parameters)
        self.schedule = RoundSchedule(
            self.robot, lambda: self.now, self._run, self._timer, Timer.restart)

    def _run(self, now: float, pending: Any) -> None:
        self.rounds.append(now)
        self.given.append(pending)

    def _timer(self, period: float, callback: Callable[[], None]) -> Timer:
        self.timers.append(Timer(period, callback))
        return self.timers[-1]

    def fire(self, now: float) -> None:
        """Fire the timer of the period at a time."""
        self.now = now
        self.timers[0].fire()


def test_first_round_is_due_by_the_phase_and_the_next_a_period_later() -> None:
    made = Scheduled()
    assert made.timers[0].period == phase(1)
    made.fire(phase(1))
    assert made.timers[0].period == 1.0
    made.fire(phase(1) + 1.0)
    assert made.rounds == [phase(1), phase(1) + 1.0]
    assert Scheduled(period=4.0).timers[0].period == 4.0 * phase(1)


def test_overdue_round_is_caught_up_before_the_timer_fires() -> None:
    made = Scheduled()
    made.schedule.catch_up(9.0)
    assert made.rounds == [], 'the first round is due by the phase'
    made.fire(10.0)
    for now in (10.9, 11.0, 11.1):
        made.now = now
        made.schedule.catch_up(now)
    assert made.rounds == [10.0, 11.0]
    made.fire(11.2)
    assert made.rounds == [10.0, 11.0], 'the timer was late for the round that was caught up'
    made.fire(12.0)
    made.fire(12.5)
    assert made.rounds == [10.0, 11.0, 12.0, 12.5], 'half a period later it is no late timer'


def test_news_runs_a_round_at_once_or_when_the_interval_is_over() -> None:
    made = Scheduled()
    made.pending = 'change'
    reaction = made.timers[1]
    made.schedule.has_run(10.0, False)
    made.schedule.take_news(10.0 + REACTIVE_INTERVAL / 4)
    assert made.rounds == [] and not reaction.is_canceled()
    assert reaction.period == pytest.approx(0.75 * REACTIVE_INTERVAL)
    made.schedule.take_news(10.0 + REACTIVE_INTERVAL / 2)
    assert reaction.period == pytest.approx(0.75 * REACTIVE_INTERVAL), 'it is planned already'
    made.now = 10.0 + REACTIVE_INTERVAL
    reaction.fire()
    assert made.rounds == [made.now] and made.given == ['change'] and reaction.is_canceled()
    made.schedule.take_news(20.0)
    assert made.rounds[1:] == [20.0] and reaction.is_canceled()
    made.schedule.take_news(20.0 + REACTIVE_INTERVAL / 2)
    assert made.rounds[2:] == [] and not reaction.is_canceled(), 'the interval begins anew'
    made.schedule.has_run(20.2, False)
    assert reaction.is_canceled(), 'the round has used the news'
    made.schedule.has_run(0.0, False)
    made.schedule.take_news(REACTIVE_INTERVAL)
    assert made.rounds[2:] == [REACTIVE_INTERVAL]


def test_news_runs_no_round_that_would_change_nothing_or_without_a_reactive_schedule() -> None:
    made = Scheduled()
    made.schedule.take_news(10.0)
    assert made.rounds == []
    made = Scheduled(schedule='periodic')
    made.pending = 'change'
    made.schedule.take_news(20.0)
    made.schedule.has_run(20.0, True)
    assert made.rounds == [] and made.timers[1].is_canceled() and made.timers[2].is_canceled()


def test_change_of_the_leader_is_repeated_with_growing_delays() -> None:
    made = Scheduled()
    repeat, delays = made.timers[2], []
    made.schedule.has_run(10.0, False)
    assert repeat.is_canceled()
    made.schedule.has_run(11.0, True)
    first = repeat.period
    made.schedule.has_run(11.1, False)
    assert (repeat.period, repeat.is_canceled()) == (first, False), 'a round between'
    while not repeat.is_canceled():
        delays.append(repeat.period)
        made.now = 12.0 + len(delays)
        repeat.fire()
        made.schedule.has_run(made.now, False)
    assert tuple(delays) == REPEATS
    assert made.rounds == [12.0 + n for n in range(1, len(REPEATS) + 1)]
    assert made.given == [None] * len(REPEATS)
    made.schedule.has_run(30.0, True)
    repeat.fire()
    made.schedule.has_run(30.1, True)
    assert repeat.period == first, 'a further change begins anew'


def test_period_changes() -> None:
    made = Scheduled()
    made.schedule.set_period(2.0)
    made.fire(10.0)
    assert made.timers[0].period == 2.0
    made.fire(10.9)
    assert made.rounds == [10.0]
