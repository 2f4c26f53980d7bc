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

"""The schedule of a robot's rounds: each period, on news, again after a change of leader."""

from collections.abc import Callable
from typing import Any

from leader_election.election.robot.robot import Outlook, phase, repeat_delays, Robot, wait

SHORTEST_TIMER = 1e-3
"""The shortest period of a timer [s]; zero is not a valid one."""


class RoundSchedule:
    """
    Runs a robot's rounds when they are due.

    A message that would change something has a round at once, but at most one per
    ``reactive_interval``, with schedule ``reactive``.
    """

    def __init__(self, robot: Robot, now: Callable[[], float],
                 run: Callable[[float, Outlook | None], None],
                 timer: Callable[[float, Callable[[], None]], Any]) -> None:
        """
        Start the timers; the first round is due by the robot's phase.

        :param now: returns the time on the robot's clock [s].
        :param run: runs a round at a time; it calls :meth:`has_run`.
        :param timer: creates a timer of a period [s] on that clock.
        """
        self._robot, self._now, self._run = robot, now, run
        self._last_check = self._last_beat = float('-inf')
        self._repeats: list[float] = []
        self._in_phase = False
        parameters = robot.parameters
        first = phase(parameters.round_phase, parameters.robot_id) * parameters.round_period
        self._heartbeat = timer(max(first, SHORTEST_TIMER), self._on_heartbeat)
        self._reaction = timer(parameters.reactive_interval, self._on_reaction)
        self._repeat = timer(parameters.reactive_interval, self._on_repeat)
        for each in (self._reaction, self._repeat):
            each.cancel()

    @property
    def is_reactive(self) -> bool:
        """Return whether messages may cause rounds."""
        return self._robot.parameters.schedule == 'reactive'

    def set_period(self, period: float) -> None:
        """Change the period of the rounds [s]."""
        _set(self._heartbeat, period)

    def catch_up(self, now: float) -> None:
        """
        Run the round of the period if it is overdue.

        Messages that arrived before the timer are processed first; a round must not wait for them.
        """
        if self._in_phase and now - self._last_beat >= self._robot.parameters.round_period:
            self._on_heartbeat()

    def take_news(self, now: float) -> None:
        """Run a round for a message that is news, or plan it, if the schedule is reactive."""
        if not self.is_reactive:
            return
        pause = wait(self._last_check, now, self._robot.parameters.reactive_interval)
        if pause < SHORTEST_TIMER:
            self._react(now)
        elif self._reaction.is_canceled():
            _set(self._reaction, pause)

    def has_run(self, now: float, changed: bool) -> None:
        """
        Note that a round has run, and plan the next one that repeats a change of the leader.

        :param changed: whether the leader has just changed, which restarts the repeats.
        """
        self._reaction.cancel()
        self._last_check = now
        parameters = self._robot.parameters
        if changed and self.is_reactive:
            self._repeats = list(repeat_delays(
                parameters.reactive_repeats, parameters.reactive_interval))
        if self._repeats and (changed or self._repeat.is_canceled()):
            _set(self._repeat, self._repeats.pop(0))

    def _on_heartbeat(self) -> None:
        now, period = self._now(), self._robot.parameters.round_period
        if now - self._last_beat < 0.5 * period:
            # The timer of the first, shorter period fired late, since the node was not spun yet.
            return
        if not self._in_phase:
            self._in_phase = True
            self.set_period(period)
        self._last_beat = now
        self._run(now, None)

    def _on_repeat(self) -> None:
        self._repeat.cancel()
        self._run(self._now(), None)

    def _on_reaction(self) -> None:
        self._react(self._now())

    def _react(self, now: float) -> None:
        """Run a round if it would change something."""
        self._reaction.cancel()
        self._last_check = now
        outlook = self._robot.would_change(now)
        if outlook is not None:
            self._run(now, outlook)


def _set(timer: Any, period: float) -> None:
    timer.timer_period_ns = int(period * 1e9)
    timer.reset()
