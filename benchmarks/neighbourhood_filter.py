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
The cost of the neighbourhood filter: processor time of messages and rounds, bytes, fleets.

Alternatives are measured in turns, in one process: their ratios differ little between machines.
"""

from collections.abc import Callable, Mapping, Sequence
import json
import math
import random
import statistics
import sys
import time
from typing import Any

from benchmarks.hosted_swarm import hosted_swarm
from leader_election.election.robot.parameters import ElectionParameters
from leader_election.election.robot.robot import Robot
from leader_election.localisation.sighting import Sighting

NEIGHBOURS = (5, 10, 12, 20)
SECONDS = 20
"""The simulated time of each swarm in one process [s]."""
ALL_NEAR, ROBOTS = 11, 100
REACH = 1.65
"""The communication range with which 100 robots of the lattice hear 10 others on average [m]."""
SETTLE, MEASURE = 15.0, 20.0
SOURCES = ('odometry', 'cooperative')
RANGES = {'ranging_rate': 1.0, 'ranging_range': REACH}
"""The embedded world's ranging radios, one range of each neighbour a second."""

Place = tuple[float, float]


class MovingSwarm:
    """
    Robots without ROS that drive around small circles, and measure their ranges.

    Odometry comes at 10 Hz and is right. Once a second each robot has new ranges, runs a round,
    and the others in reach receive its message. Processor time is measured by activity.

    :ivar spent: processor time by activity [s].
    :ivar calls: the number of calls by activity.
    """

    def __init__(self, places: Sequence[Place], reach: float, bearings: bool = False,
                 **parameters: Any) -> None:
        """
        Start robots 0, 1, ...

        :param places: the centres of the circles [m].
        :param bearings: whether ranges come with bearings.
        :param parameters: of all robots.
        """
        self.robots = [Robot(ElectionParameters(
            robot_id=i, strength=float(i), radius=8.0, communication_range=reach, **parameters))
            for i in range(len(places))]
        self.near = [[j for j in range(len(places)) if j != i and math.dist(
            places[i], places[j]) <= reach - 0.3] for i in range(len(places))]
        self._places = places
        self._bearings = bearings
        self._draw = random.Random(0)
        self.sizes: list[int] = []
        self.spent = {'odometry': 0.0, 'sightings': 0.0, 'round': 0.0, 'hear': 0.0}
        self.calls = dict.fromkeys(self.spent, 0)

    def clear(self) -> None:
        """Restart the measurement."""
        self.spent, self.calls = dict.fromkeys(self.spent, 0.0), dict.fromkeys(self.spent, 0)
        self.sizes.clear()

    def second(self, second: int) -> None:
        """Run all robots for one second."""
        for i, robot in enumerate(self.robots):
            for tenth in range(10):
                now = second + tenth / 10.0
                x, y, yaw = self._pose(i, now)
                self._time('odometry', robot.sensing.take_odometry, (x, y, 0.0), now, None, yaw)
        now = second + 0.9
        for i, robot in enumerate(self.robots):
            seen = self._seen(i, now)
            if robot.sensing.cooperates:
                self._time('sightings', robot.sensing.take_sightings, seen, now)
            payload = self._time('round', robot.round, now)
            self.sizes.append(len(payload))
            for j in self.near[i]:
                self._time('hear', self.robots[j].receive, payload, now)

    def _time(self, what: str, call: Callable[..., Any], *arguments: Any) -> Any:
        begin = time.process_time()
        result = call(*arguments)
        self.spent[what] += time.process_time() - begin
        self.calls[what] += 1
        return result

    def _pose(self, i: int, now: float) -> tuple[float, float, float]:
        angle = now + i
        x, y = self._places[i]
        return x + 0.1 * math.cos(angle), y + 0.1 * math.sin(angle), angle + math.pi / 2.0

    def _seen(self, i: int, now: float) -> list[Sighting]:
        x, y, yaw = self._pose(i, now)
        sightings = []
        for j in self.near[i]:
            far_x, far_y, _ = self._pose(j, now)
            distance = math.dist((x, y), (far_x, far_y)) + self._draw.gauss(0.0, 0.1)
            bearing = math.atan2(far_y - y, far_x - x) - yaw + self._draw.gauss(0.0, 0.04)
            if self._draw.random() < 0.05:
                distance += self._draw.expovariate(1.0 / 1.5)
            sightings.append(Sighting(
                j, max(distance, 0.05),
                math.remainder(bearing, 2.0 * math.pi) if self._bearings else math.nan))
        return sightings

    def cost(self, what: str) -> float:
        """Return the time of one call [us]."""
        return self.spent[what] / self.calls[what] * 1e6


def around(number: int) -> list[Place]:
    """Return places of robots that all hear each other, a number of them beside the first [m]."""
    draw = random.Random(number)
    return [(draw.uniform(-2.0, 2.0), draw.uniform(-2.0, 2.0)) for _ in range(number + 1)]


def lattice() -> list[Place]:
    """Return the places of 100 robots, each of which hears 10 others on average [m]."""
    return [(0.8 * (i % 10), 0.8 * (i // 10)) for i in range(ROBOTS)]


def run_by_turns(swarms: Mapping[str, MovingSwarm]) -> None:
    """Run alternatives in turns, second by second, after some seconds of warm-up."""
    for second in range(SECONDS):
        for swarm in swarms.values():
            if second == 5:
                swarm.clear()
            swarm.second(second)


def one_robot() -> None:
    """Print the costs of messages and rounds against the number of neighbours."""
    print('## The filter against the number of neighbours, which all see each other')
    for number in NEIGHBOURS:
        places = around(number)
        more = {'localised_neighbours': max(12, number)}
        swarms = {
            'odometry': MovingSwarm(places, 9.0),
            'ranges': MovingSwarm(places, 9.0, pose_source='cooperative', **more),
            'bearings': MovingSwarm(places, 9.0, True, pose_source='cooperative', **more)}
        run_by_turns(swarms)
        told = []
        for what in ('hear', 'round'):
            costs = {name: swarm.cost(what) for name, swarm in swarms.items()}
            told.append(f'{what} {costs["odometry"]:4.0f} us, ranges {costs["ranges"]:5.0f} us '
                        f'(x {costs["ranges"] / costs["odometry"]:.1f}), with bearings '
                        f'{costs["bearings"]:5.0f} us '
                        f'(x {costs["bearings"] / costs["odometry"]:.1f})')
        told.append('all together, odometry at 10 Hz and a message of each a second: ' + ', '.join(
            f'{name} {1e3 * sum(swarm.spent.values()) / (SECONDS - 5) / len(swarm.robots):.1f}'
            for name, swarm in swarms.items()) + ' ms a robot and second')
        print(f'{number:3d} neighbours: {"; ".join(told)}', flush=True)


def fleet() -> None:
    """Print the cost of 100 robots without ROS."""
    print(f'\n## {ROBOTS} robots that hear 10 others, without ROS: processor time a second')
    swarms = {source: MovingSwarm(lattice(), REACH + 0.3, pose_source=source)
              for source in SOURCES}
    assert round(statistics.mean(map(len, swarms['odometry'].near)), 1) == 10.0
    run_by_turns(swarms)
    times = {}
    for source, swarm in swarms.items():
        times[source] = sum(swarm.spent.values()) / (SECONDS - 5)
        told = ', '.join(f'{what} {1e3 * spent / (SECONDS - 5):.0f} ms'
                         for what, spent in swarm.spent.items())
        print(f'{source:12s} {1e3 * times[source]:5.0f} ms ({told}), '
              f'{statistics.mean(swarm.sizes):.0f} bytes a message')
    print(f'ratio {times["cooperative"] / times["odometry"]:.2f}', flush=True)


def message_bytes() -> None:
    """Print the bytes that localisation adds to a message."""
    print('\n## Bytes that localisation adds to a message, on average')
    for name, seen, bearings in (
            ('no sightings (odometry)', 0.0, False), ('no sightings', 0.0, False),
            ('camera of MRCLAM, 0.4 sightings', 0.4, True), ('UWB, 3.6 sightings', 3.6, False),
            ('8.5 sightings', 8.5, False), ('8.5 sightings with bearings', 8.5, True)):
        draw = random.Random(1)
        source = 'odometry' if 'odometry' in name else 'cooperative'
        robot = Robot(ElectionParameters(robot_id=0, pose_source=source))
        added = []
        for second in range(400):
            now = float(second)
            x, y, yaw = draw.uniform(-9.9, 9.9), draw.uniform(-9.9, 9.9), draw.uniform(-3.1, 3.1)
            robot = Robot(ElectionParameters(robot_id=0, pose_source=source))
            robot.sensing.take_odometry((x, y, 0.0), now, yaw=yaw)
            number = math.floor(seen) + (draw.random() < seen % 1.0)
            robot.sensing.take_sightings([Sighting(
                i + 1, draw.uniform(0.1, 9.9), draw.uniform(-0.6, 0.6) if bearings else math.nan)
                for i in range(number)], now)
            payload = robot.round(now)
            document = json.loads(payload)
            for key in 'eoz':
                document.pop(key, None)
            added.append(len(payload) - len(json.dumps(document, separators=(',', ':'))))
        print(f'{name:32s} {statistics.mean(added):4.0f}')


def hosted(source: str, robots: int, spacing: float) -> float:
    """Return the processor time of a robot in one process with others [ms/s]; print it."""
    world = {'motion': 'static', **(RANGES if source == 'cooperative' else {})}
    layout = {'layout': 'grid', 'spacing': spacing}
    with hosted_swarm(robots, 1, 'relay', layout, world, schedule='periodic', radius=8.0,
                      communication_range=REACH, pose_source=source) as swarm:
        swarm.go()
        swarm.observer.wait(SETTLE)
        cost = swarm.cost(lambda: swarm.observer.wait(MEASURE))
        spent = 1e3 * cost.cores / robots
        print(f'{source:12s} {robots:4d} robots: {spent:5.2f} ms a robot and second, '
              f'{cost.messages / robots:.2f} messages a robot and second, '
              f'{cost.size:.1f} bytes a message', flush=True)
        return spent


def hosted_fleets() -> None:
    """Print the cost of robots that hear 10 others, in one process, over DDS."""
    print('\n## Nodes in one process, 10 neighbours each, odometry at 10 Hz, ranges at 1 Hz')
    for robots, spacing in ((ALL_NEAR, 0.3), (ROBOTS, 0.8)):
        parts = [hosted(source, robots, spacing) for source in SOURCES]
        print(f'ratio {parts[1] / parts[0]:.2f}', flush=True)


def main(words: Sequence[str]) -> None:
    """Print the figures."""
    for part in (one_robot, fleet, message_bytes, hosted_fleets):
        if not words or part.__name__ in words:
            part()


if __name__ == '__main__':
    main(sys.argv[1:])
