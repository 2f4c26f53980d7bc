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

"""A swarm in simulated time: robots without ROS, with the schedule of nodes."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
import heapq

from leader_election.election.robot.neighbourhood import Neighbour
from leader_election.election.robot.robot import Robot, RoundSchedule

FLIGHT = 1e-3
"""The time that a message takes [s]."""


class _Timer:
    """A timer of a robot in simulated time."""

    def __init__(self, swarm: 'SimulatedSwarm', robot: int, period: float,
                 callback: Callable[[], None]) -> None:
        self._swarm, self._robot, self._callback = swarm, robot, callback
        self.restart(period)

    def restart(self, period: float) -> None:
        """Start anew with another period [s]."""
        self._period = period
        number = self._swarm.at(self._swarm.now + period, lambda: self._fire(number))
        self._planned: int | None = number

    def cancel(self) -> None:
        """Stop."""
        self._planned = None

    def is_canceled(self) -> bool:
        """Return whether it is stopped."""
        return self._planned is None

    def _fire(self, number: int) -> None:
        if number == self._planned:
            self.restart(self._period)
            self._swarm._wake(self._robot, self._callback)


class SimulatedSwarm:
    """
    Robots that run rounds, react, repeat and receive, event by event.

    :ivar now: the simulated time [s].
    :ivar robots: the living ones, by id.
    """

    def __init__(self, robots: Mapping[int, Robot],
                 receivers: Callable[[int], Iterable[int]], flight: float = FLIGHT) -> None:
        """
        Plan the first rounds.

        :param receivers: returns the robots that receive a message of a robot that is sent now.
        :param flight: the time that a message takes [s].
        """
        self.now = 0.0
        self.robots = dict(robots)
        self._receivers = receivers
        self._flight = flight
        self._order = 0
        self._events: list[tuple[float, int, Callable[[], object]]] = []
        self._ran: int | None = None
        """The robot that has just run a round."""
        self._schedules: dict[int, RoundSchedule] = {}
        for number in self.robots:
            self._begin(number)

    def _begin(self, number: int) -> None:
        self._schedules[number] = RoundSchedule(
            self.robots[number], lambda: self.now,
            lambda now, pending: self._round(number, pending),
            partial(_Timer, self, number), _Timer.restart)

    def at(self, time: float, happen: Callable[[], object]) -> int:
        """
        Plan an event. Those at the same time happen in the order in which they were planned.

        :return: its number.
        """
        self._order += 1
        heapq.heappush(self._events, (time, self._order, happen))
        return self._order

    def run(self, seconds: float, until: Callable[[], bool] = lambda: False,
            each: Callable[[int], None] = lambda robot: None) -> bool:
        """
        Run for a time, or until a condition holds, which is checked after each round.

        :param each: called after each round with the robot's id.
        :return: whether the condition holds.
        """
        end = self.now + seconds
        while self._events and self._events[0][0] <= end:
            self.now, _, happen = heapq.heappop(self._events)
            self._ran = None
            happen()
            if self._ran is not None:
                each(self._ran)
                if until():
                    return True
        self.now = end
        return until()

    def _wake(self, robot: int, act: Callable[[], None]) -> None:
        """Let a robot act, whose timer has fired."""
        act()

    def _arrive(self, robot: int, payload: str) -> None:
        if robot in self.robots and self.robots[robot].receive(payload, self.now):
            self._schedules[robot].take_news(self.now)

    def _round(self, robot: int, pending: list[Neighbour] | None = None) -> None:
        self._ran = robot
        leader = self.robots[robot].state.leader
        payload = self.robots[robot].round(self.now, pending)
        self._schedules[robot].has_run(self.now, self.robots[robot].state.leader != leader)
        for near in self._receivers(robot):
            self._carry(near, payload)

    def _carry(self, receiver: int, payload: str) -> None:
        """Deliver a message that is sent now."""
        self.at(self.now + self._flight, partial(self._arrive, receiver, payload))

    def kill(self, robot: int) -> None:
        """End a robot without warning; messages under way still arrive."""
        self._schedules.pop(robot).stop()
        del self.robots[robot]

    def add(self, number: int, robot: Robot) -> None:
        """Add a robot, perhaps in place of one of that id that was killed."""
        self.robots[number] = robot
        self._begin(number)
