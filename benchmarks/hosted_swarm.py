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

"""A swarm hosted on this machine, and an observer of its messages."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
import os
from pathlib import Path
import tempfile
from typing import Any, NamedTuple

from leader_election.election.algorithms import BOUNDED
from leader_election.election.messages.codec import codec_for, Message
from leader_election.parameters import format_ids
from leader_election.ros.demo.processes import Processes
from leader_election.ros.nodes import clock
from leader_election.ros.nodes.process import spin
from leader_election.ros.nodes.qos import NEIGHBOURHOOD
from leader_election.swarm.tracker import SwarmTracker
import rclpy
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from std_msgs.msg import String

LATTICE = {'layout': 'grid', 'spacing': 0.8}
STATIC = {'motion': 'static'}
START_UP = 180.0
"""The timeout for the start of hundreds of nodes [s]."""


class Cost(NamedTuple):
    """The cost of a swarm over some time."""

    seconds: float
    cores: float
    """Processor time of the robots' processes, per second."""
    messages: float
    """Per second."""
    size: float
    """Of a message, on average [bytes]."""


def cpu_seconds(pids: Iterable[int]) -> float:
    """Return the processor time of these processes [s]."""
    # Not imported with the module: make chaos does without.
    import psutil
    return sum(times.user + times.system
               for times in (psutil.Process(pid).cpu_times() for pid in pids))


class Observer(Node):
    """
    Receives all messages of the swarm.

    :ivar heard: the number of messages of each robot.
    :ivar leaders: the leader of each robot.
    :ivar last_sender: of the last message.
    :ivar longest: the length of the longest message [bytes].
    :ivar last_change: the time of the last message with a changed leader [s].
    """

    def __init__(self) -> None:
        super().__init__('observer')
        self.tracker = SwarmTracker(expiry=1e6)
        self.longest = 0
        self.last_change = 0.0
        self.heard: Counter[int] = Counter()
        self.leaders: dict[int, int] = {}
        self.last_sender = -1
        self._codec = codec_for(BOUNDED)
        self.create_subscription(String, 'neighbourhood', self._hear, NEIGHBOURHOOD)

    def now(self) -> float:
        """Return the time [s]."""
        return clock.seconds(self.get_clock())

    def _hear(self, message: String) -> None:
        now = self.now()
        self.tracker.hear(message.data, now)
        self.longest = max(self.longest, len(message.data.encode()))
        said = self._codec.decode(message.data)
        if isinstance(said, Message):
            self.heard[said.id] += 1
            self.last_sender = said.id
            if self.leaders.get(said.id) != said.export.leader:
                self.leaders[said.id] = said.export.leader
                self.last_change = now

    def wait(self, seconds: float, until: Callable[[], bool] = lambda: False) -> None:
        """Receive for a time, or until a condition holds."""
        end = self.now() + seconds
        spin([self], lambda: self.now() >= end or until())


class HostedSwarm:
    """Robots in a few processes. They run, but have no positions before ``go``."""

    def __init__(self, children: Processes, robots: int, members: Sequence[str], radio: str,
                 layout: Mapping[str, Any], world: Mapping[str, Any],
                 parameters: Mapping[str, Any], observer: Observer) -> None:
        self.robots = robots
        self.observer = observer
        self._children = children
        self._range = parameters['communication_range']
        self._world = world
        self._scene = {'robots': robots, 'world': 'empty', **layout, 'radio': radio}
        for i, ids in enumerate(members):
            children.run(f'fleet_{i}', 'fleet', {**self._scene, **parameters, 'members': ids})
        self.pids = [*children.pids.values()]
        self.until(lambda: self.observer.count_publishers('/neighbourhood') == robots,
                   'the nodes did not come up')

    def go(self) -> None:
        """Start the world: from now on the robots have positions."""
        self._children.run('world', 'swarm_world', {
            **self._scene, **self._world, 'radio_range': self._range})
        tracker = self.observer.tracker
        self.until(lambda: len(tracker.first_heard) == self.robots,
                   'not all robots were heard')

    def kill(self, process: int) -> None:
        """Kill a process by its index, like a power failure."""
        self._children.kill(f'fleet_{process}')

    def cost(self, act: Callable[[], object]) -> Cost:
        """Return the cost of the swarm while a function runs."""
        tracker = self.observer.tracker
        before, begin = cpu_seconds(self.pids), self.observer.now()
        messages, size = tracker.messages, tracker.bytes
        act()
        seconds, sent = self.observer.now() - begin, tracker.messages - messages
        return Cost(seconds, (cpu_seconds(self.pids) - before) / seconds, sent / seconds,
                    (tracker.bytes - size) / max(sent, 1))

    def until(self, condition: Callable[[], bool], otherwise: str) -> None:
        """Wait until a condition holds. After the timeout the process ends with a text."""
        def check() -> bool:
            self._children.check()
            return bool(condition())
        spin([self.observer], check, deadline=START_UP)
        if not condition():
            raise SystemExit(f'benchmark: {otherwise} within {START_UP:.0f} s')


@contextmanager
def ros() -> Iterator[None]:
    """Initialise rclpy for the length of a ``with``; Ctrl-C raises ``KeyboardInterrupt``."""
    rclpy.init(args=[], signal_handler_options=SignalHandlerOptions.NO)
    try:
        yield
    finally:
        rclpy.try_shutdown()


@contextmanager
def hosted_swarm(robots: int, processes: int | Sequence[str], radio: str,
                 layout: Mapping[str, Any] = LATTICE,
                 world: Mapping[str, Any] = STATIC, observer: Callable[[], Observer] = Observer,
                 **parameters: Any) -> Iterator[HostedSwarm]:
    """
    Host a swarm for the length of a ``with``, on a shared topic or with the world's radio.

    :param processes: the number of processes that share the robots evenly, or the ids of each.
    :param world: parameters of the embedded world, and ``parameters`` those of the robots.
    :param observer: makes the observer.
    """
    os.environ.setdefault('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
    with ros(), tempfile.TemporaryDirectory() as folder, Processes(Path(folder)) as children:
        if isinstance(processes, int):
            ids, each = tuple(range(1, robots + 1)), -(-robots // processes)
            processes = [format_ids(ids[i * each:(i + 1) * each]) for i in range(processes)]
        yield HostedSwarm(children, robots, processes, radio, layout, world, parameters,
                          observer())
