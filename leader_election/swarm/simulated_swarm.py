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
import math

from leader_election.election.robot.robot import Outlook, phase, repeat_delays, Robot, wait

FLIGHT = 1e-3
"""The time that a message takes [s]."""


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
        self._events: list[tuple[float, int, Callable[[], bool | None]]] = []
        self._last_check = dict.fromkeys(self.robots, -math.inf)
        self._reaction: dict[int, int] = {}
        self._repeat: dict[int, int] = {}
        self._repeats: dict[int, list[float]] = {robot: [] for robot in self.robots}
        for number in self.robots:
            self._begin(number)

    def _begin(self, number: int) -> None:
        parameters = self.robots[number].parameters
        self.at(self.now + phase(parameters.round_phase, number) * parameters.round_period,
                lambda: self._beat(number))

    def at(self, time: float, happen: Callable[[], bool | None]) -> int:
        """
        Plan an event; those at the same time happen in the order in which they were planned.

        :param happen: executes it; returns whether a robot has run a round.
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
            if happen():
                each(self._last)
                if until():
                    return True
        self.now = end
        return until()

    def _beat(self, robot: int) -> bool:
        if robot not in self.robots:
            return False
        self.at(self.now + self.robots[robot].parameters.round_period, lambda: self._beat(robot))
        return self._round(robot)

    def _arrive(self, robot: int, payload: str) -> bool:
        if robot not in self.robots:
            return False
        parameters = self.robots[robot].parameters
        if not self.robots[robot].receive(payload, self.now) or parameters.schedule == 'periodic':
            return False
        pause = wait(self._last_check[robot], self.now, parameters.reactive_interval)
        if pause <= 0.0:
            return self._run_if_changed(robot)
        if robot not in self._reaction:
            number = self.at(self.now + pause, lambda: self._reaction.get(robot) == number
                             and robot in self.robots and self._run_if_changed(robot))
            self._reaction[robot] = number
        return False

    def _run_if_changed(self, robot: int) -> bool:
        self._reaction.pop(robot, None)
        self._last_check[robot] = self.now
        outlook = self.robots[robot].would_change(self.now)
        return outlook is not None and self._round(robot, outlook)

    def _round(self, robot: int, outlook: Outlook | None = None) -> bool:
        self._last = robot
        self._reaction.pop(robot, None)
        self._last_check[robot] = self.now
        leader = self.robots[robot].state.leader
        payload = self.robots[robot].round(self.now, outlook)
        self._plan_repeats(robot, self.robots[robot].state.leader != leader)
        for near in self._receivers(robot):
            self._carry(near, payload)
        return True

    def _carry(self, receiver: int, payload: str) -> None:
        """Deliver a message that is sent now."""
        self.at(self.now + self._flight, partial(self._arrive, receiver, payload))

    def _plan_repeats(self, robot: int, changed: bool) -> None:
        parameters = self.robots[robot].parameters
        if changed and parameters.schedule == 'reactive':
            self._repeats[robot] = list(repeat_delays(
                parameters.reactive_repeats, parameters.reactive_interval))
        if self._repeats[robot] and (changed or robot not in self._repeat):
            number = self.at(self.now + self._repeats[robot].pop(0), lambda: self._repeat.get(
                robot) == number and robot in self.robots and self._run_repeat(robot))
            self._repeat[robot] = number

    def _run_repeat(self, robot: int) -> bool:
        del self._repeat[robot]
        return self._round(robot)

    def kill(self, robot: int) -> None:
        """End a robot without warning; messages under way still arrive."""
        del self.robots[robot]

    def add(self, number: int, robot: Robot) -> None:
        """Add a robot, a period or more after a robot of that id was killed."""
        self.robots[number] = robot
        self._begin(number)

    def led_by(self, leader: int) -> int:
        """Return the number of robots that follow this one, itself included."""
        return sum(robot.state.leader == leader for robot in self.robots.values())
