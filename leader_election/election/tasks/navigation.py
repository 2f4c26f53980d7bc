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
from enum import Enum
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


class NavigationGoals:
    """
    Keeps a navigator's goal equal to the place that a task asks for.

    The navigator has one goal at most. Before it gets another one the last one is cancelled, and
    has ended or had :data:`CANCEL_WAIT` to end. A goal that has failed is sent again after a wait.

    :ivar counts: the failures, by the values of :data:`FAILURES`.
    """

    def __init__(self, navigator: Navigator, tolerance: float,
                 failed: Callable[[Report], None] = lambda report: None) -> None:
        """
        Begin without a goal.

        :param tolerance: a place that moves by less than this is the same goal [m].
        :param failed: called at each failure.
        """
        self.counts: Counter[str] = Counter({each.value: 0 for each in FAILURES})
        self._navigator, self._tolerance, self._failed = navigator, tolerance, failed
        self._goal: Position | None = None
        """The goal that the navigator has, or has reached."""
        self._ended = True
        self._number = 0
        self._now = self._heard = 0.0
        self._here: Pose = (0.0, 0.0, 0.0)
        self._cancelled: float | None = None
        self._retry: tuple[float, float] = (0.0, 0.0)
        """The times between which no goal is sent."""
        self._failures = 0

    def is_reached(self, place: Position) -> bool:
        """Return whether the navigator has reported that it reached this place."""
        return self._ended and self._is_near(place)

    def update(self, place: Position | None, here: Pose | None, now: float) -> None:
        """
        Send the place as goal, or cancel the last goal, if that is due.

        :param place: that the task asks for [m], ``None`` for none.
        :param here: the robot's pose, ``None`` if unknown; then there is no place.
        :param now: the present time [s].
        """
        self._now, self._here = now, here or self._here
        if not self._ended:
            self._supervise(place)
        if place is None or self._is_near(place):
            return
        since, until = self._retry
        is_ending = self._cancelled is not None and 0.0 <= now - self._cancelled < CANCEL_WAIT
        if is_ending or since <= now < until or not self._navigator.is_ready():
            return
        self._goal, self._ended, self._cancelled = place, False, None
        self._heard, self._number = now, self._number + 1
        yaw = math.atan2(place[1] - self._here[1], place[0] - self._here[0])
        number = self._number
        self._navigator.send((*place, yaw), lambda report: self._take(number, report))

    def cancel(self) -> None:
        """Cancel the goal, if there is one."""
        if not self._ended:
            self._navigator.cancel(self._here)

    def _supervise(self, place: Position | None) -> None:
        """Cancel the goal if it is no longer asked for, or if nothing is heard of it."""
        if not self._navigator.is_ready():
            self._take(self._number, Report.CANCELLED if self._cancelled is not None
                       else Report.LOST)
        elif self._cancelled is not None or place is None or not self._is_near(place):
            # Again in each step until the end is reported: the request may be lost.
            if self._cancelled is None:
                self._cancelled = self._now
            self._goal = None
            self._navigator.cancel(self._here)
        elif self._navigator.gives_feedback and not 0.0 <= self._now - self._heard <= SILENCE:
            self._navigator.cancel(self._here)
            self._take(self._number, Report.LOST)

    def _is_near(self, place: Position) -> bool:
        return self._goal is not None and math.dist(self._goal, place) <= self._tolerance

    def _take(self, number: int, report: Report) -> None:
        """Take a report on a goal. Those on goals before the last one are ignored."""
        if number != self._number or self._ended:
            return
        self._heard = self._now
        if report is Report.PROGRESS:
            return
        is_cancelled, self._cancelled, self._ended = self._cancelled is not None, None, True
        if report is Report.REACHED and not is_cancelled:
            self._failures = 0
            return
        self._goal = None
        if report in FAILURES and not is_cancelled:
            wait = min(RETRY * 2.0 ** min(self._failures, 10), LONGEST_RETRY)
            self._failures += 1
            self._retry = self._now, self._now + wait
            self.counts[report.value] += 1
            self._failed(report)


class Nav2Driver:
    """
    Drives a robot to the places that its task asks for by goals for Nav2.

    Without a pose or a place Nav2 has no goal. See :class:`NavigationGoals`.

    :ivar limits: of the robot's motion. Nav2 has limits of its own.
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
        self._context, self._goal, self._pose = context, goal, pose
        self._navigator: Navigator = context.navigator()
        self._here: Pose | None = None
        self.goals = NavigationGoals(self._navigator, self.limits.tolerance, self._warn)
        self._timer = context.every(PERIOD, self.step)

    @property
    def counts(self) -> Counter[str]:
        """Return the failures of goals, by kind."""
        return self.goals.counts

    def has_arrived(self, place: Position) -> bool:
        """Return whether the robot is at a place, or as near as Nav2 takes it."""
        return self.goals.is_reached(place) or (
            self._here is not None and math.dist(self._here[:2], place) <= self.limits.tolerance)

    def step(self) -> None:
        """Give Nav2 the present place of the task."""
        self._here, now = self._pose(), self._context.seconds()
        place = None if self._here is None else self._goal(*self._here[:2], now)
        self.goals.update(place, self._here, now)

    def close(self) -> None:
        """Cancel the goal for good."""
        self._timer.cancel()
        self.goals.cancel()
        self._navigator.close()

    def _warn(self, report: Report) -> None:
        self._context.node.get_logger().warning(
            f'Nav2: {report.value.replace("_", " ")} ({self.counts[report.value]} so far); '
            'the goal is tried again after a wait', throttle_duration_sec=10.0)
