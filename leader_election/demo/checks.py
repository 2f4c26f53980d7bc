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

"""The last lines of a demonstration: what was checked, and whether it held."""

from collections.abc import Iterable
from typing import NamedTuple

from leader_election.robot.codec import Position
from leader_election.swarm.snapshot import is_partition, Snapshot
from nav_msgs.msg import Odometry
from rclpy.node import Node


class Check(NamedTuple):
    """One thing that was checked."""

    holds: bool
    text: str


def show(checks: list[Check], pictures: list[str]) -> int:
    """Print the checks, one a line, and the verdict; return the exit status."""
    print('\nWhat was checked:')
    for check in checks:
        print(f'  {"ok  " if check.holds else "FAIL"}  {check.text}')
    for picture in pictures:
        print(f'  wrote {picture}')
    failed = sum(not check.holds for check in checks)
    print('demo: everything held' if not failed else f'demo: {failed} of {len(checks)} failed')
    return 1 if failed else 0


def seconds(since: float | None, until: float | None) -> str:
    """Return how long something took, for people."""
    if since is None or until is None:
        return 'it did not happen'
    return f'{max(0.0, until - since):.1f} s'


class Watch:
    """
    What is checked of a run.

    :param ids: of all robots.
    :param radius: of a region [m].
    """

    def __init__(self, ids: tuple[int, ...], radius: float) -> None:
        self.living = set(ids)
        self.radius = radius
        self.all_heard: float | None = None
        """When the last robot had been heard for the first time."""
        self.first_partition: float | None = None
        """When the robots first were a partition: all leaders living, leading, within radius."""
        self.killed: float | None = None
        self.recovered: float | None = None
        """When every living robot had a living leader again."""
        self.looks = 0
        """How many snapshots there were since the first partition."""
        self.partitions = 0
        """How many of them were partitions."""

    def look(self, snapshot: Snapshot, first_heard: dict[int, float]) -> None:
        """Take in a snapshot, and when each robot was heard for the first time."""
        if self.all_heard is None:
            if not self.living <= first_heard.keys():
                return
            self.all_heard = max(first_heard[robot] for robot in self.living)
        whole = is_partition(self.of_living(snapshot), self.radius)
        whole = whole and not self.missing(snapshot)
        if self.first_partition is None and whole:
            self.first_partition = snapshot.time
        if self.first_partition is not None:
            self.looks += 1
            self.partitions += whole
        if self.killed is not None and self.recovered is None and self.holds(snapshot):
            self.recovered = snapshot.time

    def kill(self, robot: int, now: float) -> None:
        """Note that a robot is dead from now on."""
        self.living.discard(robot)
        self.killed = now

    def holds(self, snapshot: Snapshot) -> bool:
        """Return whether every living robot has a living leader within the radius."""
        return not self.missing(snapshot) and not self.astray(snapshot)

    def missing(self, snapshot: Snapshot) -> list[int]:
        """Return the living robots that are not heard."""
        return sorted(self.living - snapshot.robots.keys())

    def astray(self, snapshot: Snapshot) -> list[int]:
        """Return the living robots that are heard but have no living leader within the radius."""
        return sorted(
            robot for robot, view in snapshot.robots.items() if robot in self.living
            and not (view.leader in self.living and view.distance <= self.radius))

    def calm_for(self, now: float) -> float:
        """Return for how long all has been well: since the first partition, or a recovery [s]."""
        if self.first_partition is None or (self.killed is not None and self.recovered is None):
            return 0.0
        return now - (self.first_partition if self.recovered is None else self.recovered)

    def of_living(self, snapshot: Snapshot) -> Snapshot:
        """Return a snapshot without those that are known to be dead, and not yet forgotten."""
        robots = {i: view for i, view in snapshot.robots.items() if i in self.living}
        return snapshot._replace(robots=robots)


class Truth(Node):
    """
    Hears ``robot_<id>/ground_truth``.

    :ivar places: the last x, y of each robot that was heard of [m], by id.
    """

    def __init__(self, ids: Iterable[int]) -> None:
        super().__init__('truth')
        self.places: dict[int, Position] = {}
        for robot in ids:
            def hear(message: Odometry, robot: int = robot) -> None:
                point = message.pose.pose.position
                self.places[robot] = (point.x, point.y)
            self.create_subscription(Odometry, f'robot_{robot}/ground_truth', hear, 10)
