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

"""
The strongest leader dies: rounds until every robot has a living leader, against the bound.

Robots without ROS on a medium that delivers at once, each round a sweep in a random order. The
candidacy of a dead leader can only survive by growing, at each round by the smallest distance
between neighbours at least, until it is beyond the radius; the news of the next best
leader then crosses the network: radius / smallest distance + diameter.
"""

import math
import random
import statistics

from leader_election.robot.parameters import ElectionParameters
from leader_election.robot.robot import Robot

ROBOTS = 100
SIDE = 20.0
RANGE = 3.5
RADIUS = 8.0
SEEDS = 20
PERIOD = 1.0
EXPIRY = 1.5

Place = tuple[float, float]


def connected_places(draw: random.Random) -> list[Place]:
    """Return places of robots, a network in one piece."""
    while True:
        places = [(draw.uniform(0.0, SIDE), draw.uniform(0.0, SIDE)) for _ in range(ROBOTS)]
        if -1 not in hops(places, 0):
            return places


def hops(places: list[Place], source: int) -> list[int]:
    """Return the number of hops from a robot to each, -1 where there is no way."""
    found = [-1] * len(places)
    found[source] = 0
    edge = [source]
    while edge:
        edge_next = []
        for i in edge:
            for j, place in enumerate(places):
                if found[j] < 0 and math.dist(places[i], place) <= RANGE:
                    found[j] = found[i] + 1
                    edge_next.append(j)
        edge = edge_next
    return found


def sweep(robots: dict[int, Robot], near: list[list[int]], now: float, draw: random.Random,
          ) -> list[int]:
    """Run one round of each robot in a random order, heard at once; return all leaders."""
    for sender in draw.sample(sorted(robots), len(robots)):
        payload = robots[sender].round(now)
        for receiver in near[sender]:
            if receiver in robots:
                robots[receiver].receive(payload, now)
    return [robot.state.leader for robot in robots.values()]


def rounds_to_recover(seed: int) -> tuple[int, float]:
    """Return the rounds from the expiry of the dead leader's messages on, and the bound."""
    draw = random.Random(seed)
    places = connected_places(draw)
    robots = {i: Robot(ElectionParameters(
        robot_id=i, strength=float(i), radius=RADIUS, communication_range=RANGE,
        message_expiry=EXPIRY, odometry_expiry=1e6, schedule='periodic'))
        for i in range(ROBOTS)}
    for i, robot in robots.items():
        robot.sensing.take_odometry((*places[i], 0.0), 0.0)
    near = [[j for j in range(ROBOTS) if j != i and math.dist(places[i], places[j]) <= RANGE]
            for i in range(ROBOTS)]
    now, before, after = 0.0, None, [-1]
    while after != before:
        now += PERIOD
        before, after = after, sweep(robots, near, now, draw)
    dead = ROBOTS - 1
    assert after.count(dead) > 1
    del robots[dead]
    for _ in range(math.floor(EXPIRY / PERIOD)):
        # The last words of the dead still count.
        now += PERIOD
        sweep(robots, near, now, draw)
    rounds = 0
    while dead in (robot.state.leader for robot in robots.values()):
        now += PERIOD
        rounds += 1
        sweep(robots, near, now, draw)
    closest = min(math.dist(a, b) for i, a in enumerate(places) for b in places[:i])
    diameter = max(max(hops(places, i)) for i in range(ROBOTS))
    return rounds, RADIUS / closest + diameter


def main() -> None:
    """Print the rounds measured and the bound."""
    print(f'## Leader killed: {ROBOTS} robots, {SEEDS} networks, range {RANGE} m, '
          f'radius {RADIUS} m')
    measured, bounds = zip(*(rounds_to_recover(seed) for seed in range(SEEDS)))
    print(f'rounds until every robot has a living leader: median {statistics.median(measured):g}, '
          f'worst {max(measured)}')
    print(f'bound (radius / smallest distance + diameter): {min(bounds):.0f} to {max(bounds):.0f} '
          f'rounds; worst share of it used: '
          f'{max(m / b for m, b in zip(measured, bounds)):.1%}')


if __name__ == '__main__':
    main()
