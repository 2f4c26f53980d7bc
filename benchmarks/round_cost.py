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

"""What one round costs, against the number of neighbours: a straight line."""

import random
import time

from leader_election.robot.codec import codec_for, Message
from leader_election.robot.parameters import ElectionParameters
from leader_election.robot.robot import Robot
import numpy as np

NEIGHBOURS = (5, 10, 20, 50, 100, 200, 500)
REPEATS = 60
CALLS = 20


def robot_among(number: int) -> Robot:
    """Return a robot that has heard that many neighbours."""
    draw = random.Random(number)
    robot = Robot(ElectionParameters(robot_id=0, radius=10.0, communication_range=5.0))
    robot.odometry((0.0, 0.0, 0.0), 0.0)
    codec = codec_for(robot.algorithm)
    for i in range(1, number + 1):
        export = robot.algorithm.state(-draw.random(), draw.uniform(0.0, 9.0), draw.randrange(999))
        place = (draw.uniform(-3.0, 3.0), draw.uniform(-3.0, 3.0))
        robot.hear(codec.encode(Message(i, 'map', place, export)), 0.0)
    assert len(robot.mailbox.messages(0.0)) == number
    return robot


def microseconds(number: int) -> float:
    """Return the time of a whole round, encoding included: the least of many [us]."""
    robot = robot_among(number)
    times = []
    for _ in range(REPEATS):
        begin = time.perf_counter()
        for _ in range(CALLS):
            robot.round(0.1)
        times.append((time.perf_counter() - begin) / CALLS * 1e6)
    return min(times)


def main() -> None:
    """Print the table and the line through it."""
    print('## One round against the number of neighbours')
    costs = [microseconds(number) for number in NEIGHBOURS]
    for number, cost in zip(NEIGHBOURS, costs):
        print(f'{number:4d} neighbours  {cost:8.1f} us a round  '
              f'{cost / number:6.2f} us a neighbour')
    slope, offset = np.polyfit(NEIGHBOURS, costs, 1)
    linear = np.corrcoef(NEIGHBOURS, costs)[0, 1] ** 2
    print(f'line: {offset:.1f} us + {slope:.2f} us a neighbour, r^2 = {linear:.4f}')


if __name__ == '__main__':
    main()
