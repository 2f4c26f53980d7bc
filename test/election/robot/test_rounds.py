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

from leader_election.election.robot.rounds import phase, RoundSchedule


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
    """A schedule with a period of 1 s, and the times of its rounds."""

    def __init__(self, robot_id: int = 1) -> None:
        self.now, self.rounds = 0.0, list[float]()
        self.timers: list[Timer] = []
        robot: Any = SimpleNamespace(would_change=lambda now: None, parameters=SimpleNamespace(
            robot_id=robot_id, round_period=1.0, schedule='reactive'))
        self.schedule = RoundSchedule(
            robot, lambda: self.now, lambda now, pending: self.rounds.append(now),
            self._timer, Timer.restart)

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


def test_late_first_timer_runs_one_round_when_it_fires_twice() -> None:
    """The node was not spun for 5 s, so its timer is due again at once."""
    made = Scheduled()
    for now in (5.0, 5.01, 6.0):
        made.fire(now)
    assert made.rounds == [5.0, 6.0]


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
    assert made.rounds == [10.0, 11.0, 12.0]
