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

"""The cost of one round against the number of neighbours: a straight line."""

from collections.abc import Callable
import math
import random
import time

from leader_election.election.algorithms import Device
from leader_election.election.messages.codec import codec_for, Message
from leader_election.election.regions.aggregate import AggregateSet, count, mean
from leader_election.election.regions.pattern import coordinate
from leader_election.election.regions.region import (
    COLLECTIONS,
    initial_region,
    parameters_of,
    RegionSettings,
)
from leader_election.election.regions.task import Member
from leader_election.election.robot.parameters import ElectionParameters
from leader_election.election.robot.robot import Robot
from leader_election.election.robot.task_runner import TaskRunner
from leader_election.election.tasks.count import Count
from leader_election_lab.simulation.variants import coordinated
import numpy as np

NEIGHBOURS = (5, 10, 20, 50, 100, 200, 500)
IN_REGIONS = (5, 10, 20, 40, 80)
REPEATS = 60
CALLS = 20


def robot_among(number: int) -> Robot:
    """Return a robot that has heard that many neighbours."""
    draw = random.Random(number)
    robot = Robot(ElectionParameters(robot_id=0, radius=10.0, communication_range=5.0))
    robot.sensing.take_odometry((0.0, 0.0, 0.0), 0.0)
    codec = codec_for(robot.main.algorithm)
    for i in range(1, number + 1):
        export = robot.main.algorithm.state(
            -draw.random(), draw.uniform(0.0, 9.0), draw.randrange(999))
        place = (draw.uniform(-3.0, 3.0), draw.uniform(-3.0, 3.0))
        robot.receive(codec.encode(Message(i, 'map', place, export)), 0.0)
    assert len(robot.mailbox.valid(0.0)) == number
    return robot


def microseconds(number: int) -> float:
    """Return the time of a whole round, encoding included: the least of many [us]."""
    robot = robot_among(number)
    return least_time(lambda: robot.round(0.1))


def whole_in_region(number: int, collection: str) -> float:
    """
    Return the time of a whole round with regions and task ``count``, as :func:`microseconds`.

    All robots are in one region, some nearer to its leader than this robot, others farther away.
    """
    draw = random.Random(number)
    here: dict[int, tuple[float, float]] = {0: (0.0, 0.0)}
    here |= {i: (draw.uniform(-3.0, 3.0), draw.uniform(-3.0, 3.0)) for i in range(1, number + 1)}
    robots = {i: counting(i, here[i], collection) for i in here}
    for _ in range(4):
        for i, robot in robots.items():
            payload = robot.round(0.0)
            for j in robots:
                if j != i:
                    robots[j].receive(payload, 0.0)
    assert len(robots[0].neighbours) == number
    return least_time(lambda: robots[0].round(0.1))


def counting(i: int, place: tuple[float, float], collection: str) -> Robot:
    """Return a robot with task ``count``. Number 1 is the strongest."""
    def runner(task: str) -> TaskRunner:
        return TaskRunner(task, Count(Member(i, pose=lambda: (*place, 0.0)), None))
    robot = Robot(ElectionParameters(
        robot_id=i, strength=float(i == 1), radius=20.0, communication_range=10.0, tasks='count',
        collection=collection), tools={'regions': lambda instance: runner})
    robot.sensing.take_odometry((*place, 0.0), 0.0, yaw=0.0)
    return robot


def in_regions(number: int, collection: str) -> float:
    """
    Return the time that regions add to a round, without the codec: the least of many [us].

    A count and the mean of two numbers are collected. All neighbours are in one region: half of
    them name the robot as their parent, all give it a half, and by gossip each knows as many of 20
    robots as fit.
    """
    draw = random.Random(number)
    aggregates = AggregateSet({'robots': count(), 'where': mean(2)})
    settings = RegionSettings(collection=collection)
    undecided = (math.inf,) * len(aggregates.identity)
    identity = initial_region(
        settings, (1.0, 1.0, 3.0, 4.0), aggregates.identity, undecided=undecided
    )
    algorithm = coordinated('bounded', identity)
    p = parameters_of(
        settings, aggregates.layout, radius=10.0, link_range=5.0, undecided=undecided
    )
    told = []
    for i in range(1, number + 1):
        members = (i, *draw.sample(range(100, 119), len(identity.members) - 1)) \
            if identity.members else ()
        told.append(
            algorithm.start(Device(i, 0.0))._replace(
                leader=999,
                distance=draw.uniform(0.0, 9.0),
                parent=i % 2 * i,
                summary=(1.0, 1.0, 3.0, 4.0),
                recipients=(0, *identity.recipients[1:])[: len(identity.recipients)],
                shares=(0.5, *identity.shares[1:])[: len(identity.recipients)],
                members=members,
                ages=tuple(range(len(members))),
                contributions=(1.0, 1.0, 3.0, 4.0) * len(members),
            )
        )
    own = algorithm.start(Device(0, 0.0))
    columns = algorithm.columns(*zip(*told))
    metric = [draw.uniform(0.1, 5.0) for _ in told]
    return least_time(lambda: coordinate(
        Device(0, 0.0), 999, 4.5, own, columns, metric, p, lambda summary: ()))


def least_time(call: Callable[[], object]) -> float:
    """Return the time of a call: the least of many [us]."""
    times = []
    for _ in range(REPEATS):
        begin = time.perf_counter()
        for _ in range(CALLS):
            call()
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
    print('\n## The same with regions and one task')
    for collection in COLLECTIONS:
        times = [whole_in_region(number, collection) for number in IN_REGIONS]
        slope, offset = np.polyfit(IN_REGIONS, times, 1)
        told = ', '.join(f'{cost:.0f}' for cost in times)
        print(f'{collection:10s}  {told} us for {", ".join(map(str, IN_REGIONS))}: '
              f'{offset:.0f} us + {slope:.1f} us a neighbour')
    print('\n## What regions add, without the wire: at most twice for twice the neighbours')
    for collection in COLLECTIONS:
        times = [in_regions(number, collection) for number in IN_REGIONS]
        ratios = ', '.join(f'x {b / a:.2f}' for a, b in zip(times, times[1:]))
        told = ', '.join(f'{cost:.0f}' for cost in times)
        print(f'{collection:10s}  {told} us for {", ".join(map(str, IN_REGIONS))}: {ratios}')


if __name__ == '__main__':
    main()
