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

"""Navigation by Nav2: which goal it has, when it gets another one, and when to try again."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from functools import partial
import math
from typing import Any, Protocol

from leader_election.election.regions.task import Position
from leader_election.election.tasks.steering import DrivingParameters, Pose

PERIOD = 0.5
"""The time between two looks at the goal of the task [s]."""
RETRY, LONGEST_RETRY = 2.0, 30.0
"""The wait after a failed goal. It doubles with each further failure, up to the longest [s]."""
CANCEL_WAIT = 2.0
"""The time that a cancelled goal has to end before another one replaces it [s]."""
SILENCE = 10.0
"""The time without feedback after which a goal has failed [s]."""


class Report(str, Enum):
    """What a navigator reports of a goal. The value names the counter of a failure."""

    PROGRESS = 'progress'
    REACHED = 'reached'
    CANCELLED = 'cancelled'
    REFUSED = 'goals_refused'
    ABORTED = 'goals_aborted'
    LOST = 'goals_lost'
    """The navigator has ended, or has given no feedback for :data:`SILENCE`."""


FAILURES = (Report.REFUSED, Report.ABORTED, Report.LOST)


class Navigator(Protocol):
    """The edge to a navigation stack, which has one goal at a time."""

    gives_feedback: bool
    """Whether it reports on goals. Otherwise the robot's own pose tells whether one is reached."""

    def is_ready(self) -> bool:
        """Return whether somebody takes goals."""

    def send(self, goal: Pose, report: Callable[[Report], None]) -> None:
        """
        Send a goal.

        :param goal: x, y, yaw in the shared frame [m, rad].
        :param report: called with each report on this goal.
        """

    def cancel(self, here: Pose) -> None:
        """Cancel the last goal. The robot is here, where it may be sent to instead."""

    def close(self) -> None:
        """Release resources, after the last goal was cancelled."""


@dataclass
class _SentGoal:
    """The last goal of a navigator, and what became of it."""

    place: Position | None = None
    """``None`` once it has failed, or was cancelled."""
    ended: bool = True
    heard: float = 0.0
    """When the last report on it came [s]."""
    cancelled: float | None = None
    """When it was cancelled first [s]."""


class Nav2Driver:
    """
    Drives a robot to the places that its task asks for by goals for Nav2.

    Nav2 has one goal at most, none without a pose or a place. Before it gets another one the last
    one is cancelled, and has ended or had :data:`CANCEL_WAIT` to end. A goal that has failed is
    sent again after a wait. A place that moves by less than the tolerance is the same goal.

    :ivar limits: of the robot's motion. Nav2 has limits of its own.
    :ivar counts: the failures of goals, by the values of :data:`FAILURES`.
    """

    def __init__(
        self,
        context: Any,
        parameters: DrivingParameters,
        goal: Callable[[float, float, float], Position | None],
        pose: Callable[[], Pose | None],
    ) -> None:
        """
        Connect to Nav2. It gets no goal yet.

        :param context: of the task, which makes the navigator and has the clock of ages.
        :param goal: returns the place x, y [m] for a robot at x, y [m] at a time [s].
        :param pose: returns the robot's present x, y, yaw [m, rad], ``None`` if not known.
        """
        self.limits = parameters
        self.counts: Counter[str] = Counter({each.value: 0 for each in FAILURES})
        self._context, self._goal, self._pose = context, goal, pose
        self._navigator: Navigator = context.navigator()
        self._here: Pose = (0.0, 0.0, 0.0)
        """The last known pose."""
        self._sent = _SentGoal()
        self._retry: tuple[float, float] = (0.0, 0.0)
        """The times between which no goal is sent."""
        self._failures = 0
        self._timer = context.every(PERIOD, self._step)

    def is_reached(self, place: Position) -> bool:
        """Return whether Nav2 has reported that it reached a place [m]."""
        return self._sent.ended and self._is_sent(place)

    def close(self) -> None:
        """Cancel the goal for good."""
        self._timer.cancel()
        if not self._sent.ended:
            self._navigator.cancel(self._here)
        self._navigator.close()

    def _step(self) -> None:
        """Send the present place of the task as goal, or cancel the last one, if that is due."""
        pose, now = self._pose(), self._context.seconds()
        self._here = pose or self._here
        place = None if pose is None else self._goal(*pose[:2], now)
        if not self._sent.ended:
            self._supervise(place, now)
        if place is None or self._is_sent(place):
            return
        cancelled, (since, until) = self._sent.cancelled, self._retry
        is_ending = cancelled is not None and 0.0 <= now - cancelled < CANCEL_WAIT
        if is_ending or since <= now < until or not self._navigator.is_ready():
            return
        self._sent = _SentGoal(place, ended=False, heard=now)
        yaw = math.atan2(place[1] - self._here[1], place[0] - self._here[0])
        self._navigator.send((*place, yaw), partial(self._receive, self._sent))

    def _supervise(self, place: Position | None, now: float) -> None:
        """Cancel the goal if it is no longer asked for, or if nothing is heard of it."""
        sent = self._sent
        if not self._navigator.is_ready():
            self._receive(sent, Report.LOST)
        elif place is None or not self._is_sent(place):
            # Again in each step until the end is reported: the request may be lost.
            sent.place, sent.cancelled = None, now if sent.cancelled is None else sent.cancelled
            self._navigator.cancel(self._here)
        elif self._navigator.gives_feedback and not 0.0 <= now - sent.heard <= SILENCE:
            self._navigator.cancel(self._here)
            self._receive(sent, Report.LOST)

    def _is_sent(self, place: Position) -> bool:
        sent = self._sent.place
        return sent is not None and math.dist(sent, place) <= self.limits.tolerance

    def _receive(self, goal: _SentGoal, report: Report) -> None:
        """Take a report on a goal. Those on goals before the last one are ignored."""
        if goal is not self._sent or goal.ended:
            return
        goal.heard = now = self._context.seconds()
        if report is Report.PROGRESS:
            return
        is_cancelled, goal.cancelled, goal.ended = goal.cancelled is not None, None, True
        if report is Report.REACHED and not is_cancelled:
            self._failures = 0
            return
        goal.place = None
        if report in FAILURES and not is_cancelled:
            wait = min(RETRY * 2.0 ** min(self._failures, 10), LONGEST_RETRY)
            self._failures += 1
            self._retry = now, now + wait
            self.counts[report.value] += 1
            self._context.node.get_logger().warning(
                f'Nav2: {report.value.replace("_", " ")} ({self.counts[report.value]} so far); '
                'the goal is tried again after a wait', throttle_duration_sec=10.0)
