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

"""Rosters that change while robots run: two leaders never act, in any order, with any cuts."""

from collections.abc import Iterable
from typing import Any

from election.mandates.adversary import Adversary
from election.mandates.mandated_swarm import Case, Clock, Clocked, MandatedSwarm, SWARM
from leader_election.election.mandates.memory import MandateTool, Memory
from leader_election.election.robot.parameters import ElectionParameters
from leader_election.election.robot.robot import Robot
from leader_election.parameters import build, ParameterError

SMALL, LARGE = '0-4', '0-10'
FIRST, SECOND = f'v1 {SMALL} to {LARGE}', f'v1 {LARGE}'
MINORITY = frozenset({0, 1, 2})
"""More than half of the small roster, less than half of the large one."""


class ReformedSwarm(MandatedSwarm):
    """
    Eleven robots at rest within reach of each other, with rosters that change.

    :ivar rosters: the parameter of each robot, which a restart keeps.
    :ivar apart: robots that no message leaves or reaches.
    """

    def __init__(self, seed: int, roster: str = SMALL) -> None:
        self.rosters = dict.fromkeys(range(11), roster)
        self.apart = frozenset[int]()
        self.memories = [Memory() for _ in range(11)]
        super().__init__(Case(robots=11, speed=0.0, quorum=True), seed)

    def parameters(self, i: int) -> dict[str, Any]:
        """Return the parameters of a robot."""
        return {**super().parameters(i), 'roster': self.rosters[i], 'metric': 'hops',
                'communication_range': float('inf')}

    def _make(self, i: int, now: float) -> Any:
        self.memories[i] = Memory(self.memories[i].kept)
        tool = MandateTool(None, lambda: self.memories[i])
        return Clocked(
            Robot(build(ElectionParameters, self.parameters(i)),
                  tools={'mandates': lambda instance: tool}, first_number=int((now + 1.0) * 1e3)),
            Clock(self.case.rate_error, self.chance, now))

    def _hearers(self, robot: int) -> list[int]:
        return [other for other in self.robots
                if other != robot and (other in self.apart) == (robot in self.apart)]

    def restart(self, robots: Iterable[int], roster: str) -> None:
        """Restart robots with another roster, once no messages are under way."""
        for i in robots:
            self.kill(i)
        self.run(1.0)
        for i in robots:
            self.rosters[i] = roster
            self.add(i, self._make(i, self.now))

    def take(self, i: int, roster: str) -> bool:
        """Set the roster of a running robot, and return whether the robot takes it."""
        before = self.rosters[i]
        self.rosters[i] = roster
        clocked: Any = self.robots[i]
        try:
            clocked.robot.configure(build(ElectionParameters, self.parameters(i)))
        except ParameterError:
            self.rosters[i] = before
        return self.rosters[i] == roster

    def acting(self) -> list[int]:
        """Return the leaders that act now."""
        return [i for i in self.robots if SWARM in self.over(i)]


def test_one_leader_acts_when_robots_restart_with_another_roster_before_a_cut() -> None:
    for seed in range(3):
        swarm = ReformedSwarm(seed)
        assert swarm.run(20.0, until=lambda swarm=swarm: swarm.acting() != [])
        for i in sorted(swarm.robots.keys() - MINORITY):
            swarm.restart([i], LARGE)
            swarm.run(1.0)
        swarm.apart = MINORITY
        swarm.run(20.0)
        assert swarm.faults == [], seed


def test_only_the_larger_part_acts_when_a_cut_follows_a_grown_roster() -> None:
    swarm = ReformedSwarm(1)
    swarm.run(10.0)
    for step in (FIRST, SECOND):
        assert not swarm.take(0, f'v2 {SMALL}')
        for i in swarm.robots:
            assert swarm.take(i, step)
            swarm.run(0.5)
        assert swarm.run(20.0, until=lambda: swarm.acting() != [])
        swarm.run(3.0)
    swarm.apart = MINORITY
    swarm.run(20.0)
    [leader] = swarm.acting()
    assert leader not in MINORITY and swarm.faults == []


def test_restarted_robot_grants_nothing_until_it_takes_the_new_roster(
        ) -> None:
    swarm = ReformedSwarm(2)
    swarm.run(20.0)
    for step in (FIRST, SECOND):
        assert all([swarm.take(i, step) for i in swarm.robots])
        swarm.run(10.0)
    swarm.restart(MINORITY, SMALL)
    swarm.run(10.0)
    swarm.apart = MINORITY
    swarm.run(20.0)
    assert swarm.faults == [] and not MINORITY & {*swarm.acting()}
    swarm.apart = frozenset()
    swarm.run(5.0)
    assert not swarm.take(0, FIRST) and all([swarm.take(i, SECOND) for i in MINORITY])
    swarm.run(10.0)
    assert len(swarm.acting()) == 1 and swarm.faults == []
    assert MINORITY <= swarm.over(swarm.acting()[0]).keys()


def test_one_leader_acts_when_robots_restart_with_an_older_roster_inside_a_cut() -> None:
    swarm = ReformedSwarm(3, f'v1 {SMALL}')
    swarm.run(20.0)
    for step in (f'v2 {SMALL} to {LARGE}', f'v2 {LARGE}'):
        assert all([swarm.take(i, step) for i in swarm.robots])
        swarm.run(10.0)
    swarm.apart = MINORITY
    swarm.restart(MINORITY, f'v1 {SMALL}')
    swarm.run(20.0)
    assert len(swarm.acting()) == 1 and swarm.faults == []
    swarm.apart = frozenset()
    swarm.run(5.0)
    assert all([swarm.take(i, f'v2 {LARGE}') for i in MINORITY])
    swarm.run(10.0)
    assert MINORITY <= swarm.over(swarm.acting()[0]).keys() and swarm.faults == []


STEPS = (
    (0, set(), {1, 2, 3}), (1, {1, 2, 3}, {4}), (1, set(), {4}), (2, {4}, {1, 2}),
    (2, set(), {1, 2}),
    # What another operator wants at the same time.
    (1, {1, 2, 3}, {3, 4}), (1, set(), {3, 4}), (2, {3, 4}, {1, 2}))
"""Rosters that may follow one another, and some that must not."""


def test_one_leader_acts_when_an_adversary_sets_rosters_in_any_order() -> None:
    under = set[int]()
    for seed in range(40):
        adversary = Adversary(seed, quorum=True, rosters=STEPS)
        assert adversary.play(1000) == [], seed
        under |= adversary.under
    assert under >= {0, 1, 2, 5}
