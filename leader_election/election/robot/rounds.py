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

from leader_election.election.robot.neighbourhood import Neighbour
from leader_election.election.robot.robot import Robot

GOLDEN = 0.6180339887498949
"""The golden ratio minus one, whose multiples modulo 1 spread evenly."""
REACTIVE_INTERVAL = 0.1
"""The least time from a round to one that a message causes [s]."""
REPEATS = (REACTIVE_INTERVAL, 2.0 * REACTIVE_INTERVAL)
"""
The delays of the rounds that follow a change of the leader one by one, so that a neighbour which
lost the message receives the change before the next period [s].
"""


class RoundSchedule:
    """
    Runs a robot's rounds when they are due.

    A message that would change something has a round at once, but at most one per
    :data:`REACTIVE_INTERVAL`, with schedule ``reactive``.
    """

    def __init__(self, robot: Robot, now: Callable[[], float],
                 run: Callable[[float, list[Neighbour] | None], None],
                 timer: Callable[[float, Callable[[], None]], Any],
                 restart: Callable[[Any, float], None]) -> None:
        """
        Start the timers. The first round is due by the robot's phase.

        :param now: returns the time on the robot's clock [s].
        :param run: runs a round at a time. It calls :meth:`has_run`.
        :param timer: creates a timer of a period [s] on that clock. It has ``cancel()`` and
            ``is_canceled()``.
        :param restart: starts a timer anew with another period [s].
        """
        self._robot, self._now, self._run, self._restart = robot, now, run, restart
        self._last_check = self._last_beat = float('-inf')
        self._period = robot.parameters.round_period
        self._repeats: list[float] = []
        self._in_phase = False
        parameters = robot.parameters
        first = phase(parameters.robot_id) * parameters.round_period
        self._heartbeat = timer(first, self._on_heartbeat)
        self._reaction = timer(REACTIVE_INTERVAL, lambda: self._react(self._now()))
        self._repeat = timer(REACTIVE_INTERVAL, self._on_repeat)
        for each in (self._reaction, self._repeat):
            each.cancel()

    @property
    def is_reactive(self) -> bool:
        """Return whether messages may cause rounds."""
        return self._robot.parameters.schedule == 'reactive'

    def set_period(self, period: float) -> None:
        """Change the period of the rounds [s]."""
        self._period = period
        self._restart(self._heartbeat, period)

    def stop(self) -> None:
        """Stop the timers. No round follows."""
        for each in (self._heartbeat, self._reaction, self._repeat):
            each.cancel()

    def catch_up(self, now: float) -> None:
        """
        Run the round of the period if it is overdue.

        Messages that arrived before the timer are processed first. A round must not wait for them.
        """
        if self._in_phase and now - self._last_beat >= self._period:
            self._on_heartbeat()

    def take_news(self, now: float) -> None:
        """Run a round for a message that is news, or plan it, if the schedule is reactive."""
        if not self.is_reactive:
            return
        pause = REACTIVE_INTERVAL - (now - self._last_check)
        if pause <= 0.0:
            self._react(now)
        elif self._reaction.is_canceled():
            self._restart(self._reaction, pause)

    def has_run(self, now: float, changed: bool) -> None:
        """
        Note that a round has run, and plan the next one that repeats a change of the leader.

        :param changed: whether the leader has just changed, which restarts the repeats.
        """
        self._reaction.cancel()
        self._last_check = now
        if changed and self.is_reactive:
            self._repeats = list(REPEATS)
        if self._repeats and (changed or self._repeat.is_canceled()):
            self._restart(self._repeat, self._repeats.pop(0))

    def _on_heartbeat(self) -> None:
        now, period = self._now(), self._period
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

    def _react(self, now: float) -> None:
        """Run a round if it would change something."""
        self._reaction.cancel()
        self._last_check = now
        pending = self._robot.would_change(now)
        if pending is not None:
            self._run(now, pending)


def phase(robot_id: int) -> float:
    """
    Return the phase of a robot's rounds within the period, as a fraction in [0, 1).

    The phases of consecutive ids, multiples of the golden ratio, are spread evenly.

    >>> [round(phase(robot), 2) for robot in (0, 1, 2, 3)]
    [0.0, 0.62, 0.24, 0.85]
    """
    return (robot_id * GOLDEN) % 1.0
