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
One robot that lies with the swarm's key: the time of honest robots without the right leader.

The robots and their schedule are the package's own, in simulated time: 25 robots, 3 m apart, with
a range of 4.5 m, a radius of 10 m and strengths by chance. After 15 s one near the middle, which
led nobody, begins to lie. Right is the partition of the honest robots by their true positions. A
swarm key does not protect from a liar: see doc/security.md.

``python -m benchmarks.insiders --seeds 3``
"""

import argparse
from collections.abc import Callable, Iterator
from functools import partial
import math
import random
from statistics import fmean
from typing import NamedTuple

from benchmarks.simulated_swarm import SimulatedSwarm
from leader_election.election.algorithms import BOUNDED
from leader_election.election.messages.codec import codec_for, Message, Position
from leader_election.election.robot.neighbourhood import Neighbour
from leader_election.election.robot.parameters import ElectionParameters
from leader_election.election.robot.robot import Robot
from leader_election.parameters import build
from leader_election.swarm.reference_partition import links_within, PartitionJudge

ROBOTS, APART, RANGE, RADIUS = 25, 3.0, 4.5, 10.0
QUIET, SECONDS, LOOK = 15.0, 60.0, 0.25
"""The time before the liar begins, of lies, and between two observations [s]."""
STRONGEST, GHOST = 1e9, 10**6
KEY = bytes(32)


class LyingSwarm(SimulatedSwarm):
    """
    The robots, of which one lies.

    :ivar judge: of the leaders of honest robots, since the liar began.
    """

    def __init__(self, kind: str, seed: int) -> None:
        self._lie, self._draw = LIES[kind], random.Random(seed)
        draw, width = self._draw.uniform, math.ceil(math.sqrt(ROBOTS))
        self.places: dict[int, Position] = {
            i: (i % width * APART + draw(-0.1, 0.1), i // width * APART + draw(-0.1, 0.1))
            for i in range(ROBOTS)}
        self.liar = -1
        strengths = {i: self._draw.random() for i in self.places}
        self.judge = PartitionJudge(strengths, RADIUS, ElectionParameters.radius_hysteresis)
        self._links = links_within(self.places, RANGE)
        super().__init__({i: Robot(build(ElectionParameters, {
            'robot_id': i, 'radius': RADIUS, 'communication_range': RANGE,
            'strength': strengths[i]}), keys=(KEY,)) for i in self.places},
            self._links.__getitem__)
        for i in self.robots:
            self.at(0.0, partial(self._locate, i))
        self.at(QUIET, self._start_to_lie)

    def own(self, value: float, distance: float = 0.0, leader: int | None = None,
            hops: int = 0) -> Message:
        """Return a message of the liar under its own id."""
        return Message(self.liar, 'map', self.places[self.liar], BOUNDED.state(
            value, distance, self.liar if leader is None else leader, hops))

    def _locate(self, i: int) -> None:
        self.robots[i].sensing.take_odometry((*self.places[i], 0.0), self.now)
        self.at(self.now + 1.0, partial(self._locate, i))

    def _start_to_lie(self) -> None:
        middle = tuple(fmean(axis) for axis in zip(*self.places.values()))
        leading = {robot.state.leader for robot in self.robots.values()}
        self.liar = min(self.places.keys() - leading,
                        key=lambda i: math.dist(self.places[i], middle))
        self.at(self.now, partial(self._tell, 0))
        self.at(self.now, self._look)

    def _tell(self, number: int) -> None:
        robot = self.robots[self.liar]
        for message in self._lie.tell(self, number):
            payload = robot.authentication.sign(
                codec_for(BOUNDED).encode(message), message.id, self.now)
            for near in self._receivers(self.liar):
                self._carry(near, payload)
        self.at(self.now + self._lie.every, partial(self._tell, number + 1))

    def _round(self, robot: int, pending: list[Neighbour] | None = None) -> None:
        if robot != self.liar:
            super()._round(robot, pending)
        else:
            self.robots[robot].round(self.now, pending)

    def _look(self) -> None:
        honest = self.robots.keys() - {self.liar}
        self.judge.observe(
            self.now, {i: self.robots[i].main.leader for i in honest},
            {i: {j: length for j, length in self._links[i].items() if j in honest}
             for i in honest})
        self.at(self.now + LOOK, self._look)


Lies = Iterator[Message]


def claim(swarm: LyingSwarm, number: int) -> Lies:
    """Claim to lead, stronger than all."""
    yield swarm.own(-STRONGEST)


def invent(swarm: LyingSwarm, number: int) -> Lies:
    """Relay the candidacy of a leader that never was."""
    yield swarm.own(-STRONGEST, 1.0, GHOST, 1)


def alternate(swarm: LyingSwarm, number: int) -> Lies:
    """Claim the greatest strength and the least by turns."""
    yield swarm.own(-STRONGEST if number % 2 else 0.0)


def impersonate(swarm: LyingSwarm, number: int) -> Lies:
    """Announce in the name of all robots that they follow a leader that never was."""
    for robot in swarm.places:
        if robot != swarm.liar:
            yield Message(robot, 'map', swarm.places[swarm.liar], BOUNDED.state(
                -STRONGEST, 1.0, GHOST, 1))


class Lie(NamedTuple):
    """A kind of lies."""

    every: float
    """The time from one to the next [s]."""
    tell: Callable[[LyingSwarm, int], Lies]


LIES = {
    'the strongest claim': Lie(1.0, claim),
    'the strongest claim each 5 s, then silence': Lie(5.0, claim),
    'an invented leader': Lie(1.0, invent),
    'strong and weak by turns': Lie(1.0, alternate),
    'in the names of all others': Lie(1.0, impersonate),
}


def misled(kind: str, seed: int) -> float:
    """Return the share of time of honest robots without the right leader."""
    swarm = LyingSwarm(kind, seed)
    swarm.run(QUIET + SECONDS)
    return 1.0 - swarm.judge.right_time.share


def main() -> None:
    """Print the share for each kind of lies."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--seeds', type=int, default=3)
    seeds = parser.parse_args().seeds
    for kind in LIES:
        print(f'{fmean(misled(kind, seed) for seed in range(seeds)):6.1%}  {kind}')


if __name__ == '__main__':
    main()
