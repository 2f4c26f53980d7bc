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

"""What happened in a swarm, told from snapshots of it one after the other."""

from collections.abc import Sequence
from typing import NamedTuple

from leader_election.swarm.snapshot import orphans, regions, Snapshot


class Reign(NamedTuple):
    """How long a robot led itself, and whom, without a break."""

    leader: int
    begin: float
    """[s]."""
    end: float
    most: int
    """The most robots in its region at once, itself included."""


class Change(NamedTuple):
    """A robot took another leader."""

    time: float
    robot: int
    before: int
    after: int


class Loss(NamedTuple):
    """A leader fell silent that led others."""

    leader: int
    time: float
    """When it spoke last [s], to a look."""
    led: int
    """How many others it led then."""
    recovered: float | None
    """When each of these had a living leader again, or had gone, too; ``None``: never."""
    returned: float | None
    """When it was heard again itself; ``None``: never."""


def reigns(snapshots: Sequence[Snapshot]) -> list[Reign]:
    """
    Return who led when, in the order of their beginnings.

    >>> [reign[:3] for reign in reigns(_example())]
    [(1, 0.0, 2.0), (2, 6.0, 9.0)]
    """
    found: list[Reign] = []
    reigning: dict[int, Reign] = {}
    for snapshot in snapshots:
        for leader, members in regions(snapshot).items():
            view = snapshot.robots.get(leader)
            if view is None or view.leader != leader:
                continue
            reign = reigning.get(leader, Reign(leader, snapshot.time, snapshot.time, 0))
            reigning[leader] = reign._replace(
                end=snapshot.time, most=max(reign.most, len(members)))
        for leader in [i for i, reign in reigning.items() if reign.end != snapshot.time]:
            found.append(reigning.pop(leader))
    return sorted([*found, *reigning.values()], key=lambda reign: (reign.begin, reign.leader))


def changes(snapshots: Sequence[Snapshot]) -> list[Change]:
    """
    Return each time that a living robot was seen to have taken another leader.

    >>> changes(_example())
    [Change(time=6.0, robot=2, before=1, after=2), Change(time=6.0, robot=3, before=1, after=2)]
    """
    found, leaders = [], dict[int, int]()
    for snapshot in snapshots:
        for robot, view in snapshot.robots.items():
            before = leaders.get(robot, view.leader)
            if before != view.leader:
                found.append(Change(snapshot.time, robot, before, view.leader))
            leaders[robot] = view.leader
    return found


def losses(snapshots: Sequence[Snapshot], expiry: float) -> list[Loss]:
    """
    Return the leaders that fell silent and led others, and when their regions had recovered.

    :param expiry: after how long of silence a robot counts as gone in the snapshots [s].

    >>> losses(_example(), 3.0)
    [Loss(leader=1, time=2.0, led=2, recovered=6.0, returned=None)]
    """
    found = []
    for number, (before, after) in enumerate(zip(snapshots, snapshots[1:])):
        for robot, view in before.robots.items():
            if view.leader == robot and robot not in after.robots:
                loss = _loss(snapshots, number, robot, after.time - expiry)
                found += [loss] if loss.led else []
    return found


def _loss(snapshots: Sequence[Snapshot], last: int, leader: int, silent: float) -> Loss:
    """Return the loss of a leader that was last thought to be living in one of the snapshots."""
    first = last
    while first and snapshots[first].time > silent:
        first -= 1
    led = _led(snapshots[first], leader)
    # Until it counts as gone it is silent, though it looks as if it lived.
    recovered = (s.time for number, s in enumerate(snapshots[first + 1:], first + 1)
                 if _are_led(s, led, None if number > last else leader))
    returned = (s.time for s in snapshots[last + 1:] if leader in s.robots)
    return Loss(leader, snapshots[first].time, len(led), next(recovered, None),
                next(returned, None))


def _are_led(snapshot: Snapshot, robots: Sequence[int], lost: int | None) -> bool:
    """Return whether each of these robots that lives has a living leader, and not the lost one."""
    return not {*robots} & {*orphans(snapshot)} and all(
        snapshot.robots[robot].leader != lost for robot in robots if robot in snapshot.robots)


def _led(snapshot: Snapshot, leader: int) -> list[int]:
    """Return the others that a robot leads."""
    return [robot for robot, view in snapshot.robots.items()
            if view.leader == leader and robot != leader]


def _example() -> list[Snapshot]:
    """Return three robots; 1 leads, speaks for the last time at 2 s and is missed from 5 s on."""
    from leader_election.swarm.snapshot import RobotView

    def at(time: float, **leaders: int) -> Snapshot:
        return Snapshot(time, {
            int(robot[1:]): RobotView(int(robot[1:]), None, -9.0, 0.0, leader)
            for robot, leader in leaders.items()})

    return [at(0.0, r1=1, r2=1, r3=1), at(2.0, r1=1, r2=1, r3=1), at(5.5, r2=1, r3=1),
            at(6.0, r2=2, r3=2), at(9.0, r2=2, r3=2)]
