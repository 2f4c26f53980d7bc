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

"""A task context in memory, and a region of robots with a task in the embedded world."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
import json
import math
from types import SimpleNamespace
from typing import Any

from leader_election.election.regions import collection
from leader_election.election.regions.aggregate import AggregateSet
from leader_election.election.regions.task import Member, Task
from leader_election.election.tasks.driving import Report
from leader_election.parameters import build
from leader_election.simulation.motion import least_distance
from leader_election.simulation.parameters import WorldParameters
from leader_election.simulation.world import World
import numpy as np
from sensor_msgs.msg import LaserScan

HIT = 0.3
"""Two robots of 0.15 m whose centres are nearer than this have collided [m]."""


@dataclass
class Publisher:
    topic_name: str
    messages: list[Any] = field(default_factory=list)

    def publish(self, message: Any) -> None:
        self.messages.append(message)


@dataclass
class Timer:
    period: float
    callback: Callable[[], None]
    due: float
    cancelled: bool = False

    def cancel(self) -> None:
        self.cancelled = True


class MemoryNavigator:
    """A navigation stack in memory, which does what a test tells it to."""

    def __init__(self, gives_feedback: bool = True) -> None:
        self.gives_feedback, self.ready = gives_feedback, True
        self.goals: list[tuple[float, float, float]] = []
        self.reports: list[Callable[[Report], None]] = []
        self.cancelled = 0
        self.closed = False

    def is_ready(self) -> bool:
        return self.ready

    def send(self, goal: tuple[float, float, float], report: Callable[[Report], None]) -> None:
        self.goals.append(goal)
        self.reports.append(report)

    def cancel(self, here: tuple[float, float, float]) -> None:
        self.cancelled += 1

    def close(self) -> None:
        self.closed = True


class MemoryContext:
    """A task context without ROS: messages are delivered, and time advances, by calls."""

    def __init__(self) -> None:
        self.now = 0.0
        self.warnings: list[str] = []
        self.node: Any = SimpleNamespace(
            get_logger=lambda: SimpleNamespace(
                warning=lambda text, **options: self.warnings.append(text)))
        self.listeners: dict[str, tuple[type, Callable[[Any], None]]] = {}
        self.publishers: dict[str, Publisher] = {}
        self.latched: dict[str, bool] = {}
        self.timers: list[Timer] = []
        self.nav2 = MemoryNavigator()

    def navigator(self) -> MemoryNavigator:
        return self.nav2

    def listen(self, topic: str, kind: type, callback: Callable[[Any], None],
               every: bool = False) -> None:
        self.listeners[topic] = (kind, callback)

    def publisher(self, topic: str, kind: type, latched: bool = False) -> Publisher:
        self.latched[topic] = latched
        return self.publishers.setdefault(topic, Publisher(topic))

    def every(self, period: float, callback: Callable[[], None]) -> Timer:
        self.timers.append(Timer(period, callback, self.now + period))
        return self.timers[-1]

    def seconds(self) -> float:
        return self.now

    def deliver(self, topic: str, message: Any) -> None:
        """Call back with a message on a topic."""
        kind, callback = self.listeners[topic]
        assert isinstance(message, kind)
        callback(message)

    def advance_to(self, now: float) -> None:
        """Set the time [s]. Call the timers that are due."""
        self.now = now
        for timer in self.timers:
            while not timer.cancelled and timer.due <= now + 1e-9:
                timer.due += timer.period
                timer.callback()

    def published(self, topic: str) -> list[Any]:
        """Return the messages that were published on a topic."""
        return self.publishers[topic].messages


def scan_of(ranges: Any, increment: float, reach: float) -> LaserScan:
    """Return the message of a scan whose first beam is straight ahead."""
    return LaserScan(ranges=[float(r) for r in ranges], angle_min=0.0,
                     angle_increment=increment, range_max=reach)


def collected(**places: tuple[float, float]) -> dict[str, list[Any]]:
    """Return the summary of some robots that are at places: r2=(x, y), ..."""
    return {'places': [[x, int(robot[1:]), y] for robot, (x, y) in places.items()],
            'visited': []}


def summary_of(
    task: type[Task] | Task, contributions: Mapping[int, Mapping[str, Any]],
) -> dict[str, Any]:
    """Return the combined contributions of robots, given by their ids, and their number."""
    aggregates = AggregateSet(task.collects)
    row = list(aggregates.identity)
    for robot, values in contributions.items():
        collection.combine(aggregates.layout, row, aggregates.contribution(robot, values), 1.0)
    return {'members': float(len(contributions))} | aggregates.results(row)


class Swarm:
    """
    One region in the embedded world: all robots are members, and the leader is given.

    There is a round each second. A decision reaches the others one round later. There are five
    scans a second, which are one step of the world old.
    """

    def __init__(self, task: type[Task], settings: Mapping[str, Any], *, leader: int = 1,
                 radius: float = 6.0, poses: np.ndarray | None = None, **world: Any) -> None:
        self.world = World(WorldParameters(motion='cmd_vel', **world))
        if poses is not None:
            self.world.poses = np.array(poses)
        self.contexts, self.tasks, self.decision = [], [], None
        self.closest, self.paths = math.inf, [self.world.poses[:, :2]]
        for place, robot in enumerate(self.world.scene.ids):
            self.contexts.append(MemoryContext())
            member = Member(
                robot, self.contexts[-1],
                pose=lambda place=place: tuple(self.world.poses[place].tolist()),
                leader=leader, leads=robot == leader, radius=radius)
            self.tasks.append(task(member, build(task.parameters, settings)))
        self.leader = next(task for task in self.tasks if task.member.leads)

    def round(self) -> None:  # noqa: A003
        """Collect, decide and act, once."""
        before = self.decision
        summary = summary_of(self.leader, {t.member.id: t.sense() for t in self.tasks})
        self.decision = json.dumps(self.leader.decide(summary))
        assert len(self.decision) < 512
        for task in self.tasks:
            decision = self.decision if task is self.leader else before
            task.act(None if decision is None else json.loads(decision))

    def run(self, seconds: float, until: Callable[[], bool] = lambda: False) -> bool:
        """Advance by a time [s], or until a condition holds, and return whether it does."""
        world, robots = self.world, range(len(self.contexts))
        assert world.commands is not None
        for _ in range(round(seconds / world.dt)):
            if world.steps % 10 == 0:
                self.round()
            if world.steps % 2 == 0:
                scans = world.lidar.scan(world.poses, robots)
            else:
                for context, ranges in zip(self.contexts, scans, strict=True):
                    context.deliver('scan', scan_of(ranges, world.lidar.increment, 4.0))
            for place, context in enumerate(self.contexts):
                context.advance_to(world.time)
                for command in context.published('cmd_vel'):
                    world.commands.command(
                        place, command.linear.x, command.angular.z, world.time)
                context.published('cmd_vel').clear()
            world.step()
            self.closest = min(self.closest, least_distance(world.poses))
            self.paths.append(world.poses[:, :2])
            if until():
                return True
        return False
