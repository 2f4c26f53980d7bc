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

"""A swarm in simulated time: robots without ROS, with the schedule that their nodes have."""

from collections.abc import Callable, Sequence
import heapq
import math
import random
from typing import Any

from leader_election.robot.parameters import ElectionParameters
from leader_election.robot.robot import phase, repeat_delays, Robot, wait

FLIGHT = 1e-3
"""The time that a message takes [s]."""
_BEAT, _REACTION, _REPEAT, _ARRIVAL = range(4)

Place = tuple[float, float]


class SimulatedSwarm:
    """
    Robots at rest that hear those within their communication range; the same seed, the same run.

    :ivar now: the simulated time [s].
    :ivar robots: those that live, by id: 1, 2, ... in the order of their places.
    """

    def __init__(self, places: Sequence[Place], seed: int = 0, loss: float = 0.0,
                 **parameters: Any) -> None:
        """
        Start robots whose strengths are their ids; the last one is the strongest.

        :param places: [m].
        :param loss: the probability that a robot does not receive a message.
        :param parameters: of all robots.
        """
        self.now = 0.0
        self._draw = random.Random(seed)
        self._loss = loss
        self._order = 0
        self._events: list[tuple[float, int, int, int, str]] = []
        self.robots = {number: Robot(ElectionParameters(
            robot_id=number, strength=float(number), odometry_expiry=1e9, **parameters))
            for number in range(1, len(places) + 1)}
        self._last_check = dict.fromkeys(self.robots, -math.inf)
        self._reaction: dict[int, int] = {}
        self._repeat: dict[int, int] = {}
        self._repeats: dict[int, list[float]] = {robot: [] for robot in self.robots}
        for number, robot in self.robots.items():
            robot.sensing.take_odometry((*places[number - 1], 0.0), 0.0)
            period = robot.parameters.round_period
            self._plan(phase(robot.parameters.round_phase, number) * period, _BEAT, number)
        reach = next(iter(self.robots.values())).parameters.communication_range
        self._near = {number: [other for other in self.robots if other != number and math.dist(
            places[number - 1], places[other - 1]) <= reach] for number in self.robots}

    def _plan(self, time: float, kind: int, robot: int, payload: str = '') -> int:
        self._order += 1
        heapq.heappush(self._events, (time, self._order, kind, robot, payload))
        return self._order

    def run(self, seconds: float, until: Callable[[], bool] = lambda: False,
            each: Callable[[int], None] = lambda robot: None) -> bool:
        """
        Run for so long, or until a condition holds, which is checked after each round.

        :param each: called after each round with the robot's id.
        :return: whether the condition holds.
        """
        end = self.now + seconds
        while self._events[0][0] <= end:
            self.now, order, kind, robot, payload = heapq.heappop(self._events)
            if robot not in self.robots or not self._happens(order, kind, robot, payload):
                continue
            each(robot)
            if until():
                return True
        self.now = end
        return until()

    def _happens(self, order: int, kind: int, robot: int, payload: str) -> bool:
        """Let an event happen; return whether a round was run."""
        if kind == _BEAT:
            self._plan(self.now + self.robots[robot].parameters.round_period, _BEAT, robot)
            return self._round(robot)
        if kind == _REACTION:
            return self._reaction.get(robot) == order and self._run_if_changed(robot)
        if kind == _REPEAT:
            if self._repeat.get(robot) != order:
                return False
            del self._repeat[robot]
            return self._round(robot)
        parameters = self.robots[robot].parameters
        if not self.robots[robot].receive(payload, self.now) or parameters.schedule == 'periodic':
            return False
        pause = wait(self._last_check[robot], self.now, parameters.reactive_interval)
        if pause <= 0.0:
            return self._run_if_changed(robot)
        if robot not in self._reaction:
            self._reaction[robot] = self._plan(self.now + pause, _REACTION, robot)
        return False

    def _run_if_changed(self, robot: int) -> bool:
        self._reaction.pop(robot, None)
        self._last_check[robot] = self.now
        return self.robots[robot].would_change(self.now) and self._round(robot)

    def _round(self, robot: int) -> bool:
        self._reaction.pop(robot, None)
        self._last_check[robot] = self.now
        leader = self.robots[robot].state.leader
        payload = self.robots[robot].round(self.now)
        self._plan_repeats(robot, self.robots[robot].state.leader != leader)
        for near in self._near[robot]:
            if self._draw.random() >= self._loss:
                self._plan(self.now + FLIGHT, _ARRIVAL, near, payload)
        return True

    def _plan_repeats(self, robot: int, changed: bool) -> None:
        parameters = self.robots[robot].parameters
        if changed and parameters.schedule == 'reactive':
            self._repeats[robot] = list(repeat_delays(
                parameters.reactive_repeats, parameters.reactive_interval))
        if self._repeats[robot] and (changed or robot not in self._repeat):
            self._repeat[robot] = self._plan(
                self.now + self._repeats[robot].pop(0), _REPEAT, robot)

    def kill(self, robot: int) -> None:
        """End a robot without warning; what it has sent still arrives."""
        del self.robots[robot]

    def led_by(self, leader: int) -> int:
        """Return how many robots follow this one, itself included."""
        return sum(robot.state.leader == leader for robot in self.robots.values())
