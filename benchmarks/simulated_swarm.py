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

"""A swarm of robots at rest in simulated time."""

from collections.abc import Sequence
import random
from typing import Any

from leader_election.election.robot.parameters import ElectionParameters
from leader_election.election.robot.robot import Robot
from leader_election.swarm.reference_partition import links_within
from leader_election.swarm.simulated_swarm import SimulatedSwarm

Place = tuple[float, float]


class RestingSwarm(SimulatedSwarm):
    """
    Robots at rest that hear the robots within their communication range.

    Equal seeds give equal runs.
    """

    def __init__(self, places: Sequence[Place], seed: int = 0, loss: float = 0.0,
                 **parameters: Any) -> None:
        """
        Start robots 1, 2, ... whose strengths are their ids; the last one is the strongest.

        :param places: [m], in the order of the ids.
        :param loss: the probability that a robot does not receive a message.
        :param parameters: of all robots.
        """
        draw = random.Random(seed)
        robots = {number: Robot(ElectionParameters(
            robot_id=number, strength=float(number), odometry_expiry=1e9, **parameters))
            for number in range(1, len(places) + 1)}
        for number, robot in robots.items():
            robot.sensing.take_odometry((*places[number - 1], 0.0), 0.0)
        reach = next(iter(robots.values())).parameters.communication_range
        near = links_within(dict(enumerate(places, 1)), reach)
        super().__init__(robots, lambda robot: [
            other for other in near[robot] if draw.random() >= loss])
