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

"""A swarm under test: robots in Gazebo or in the embedded world, their nodes, and who watches."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
import math
from pathlib import Path
import time
from types import MappingProxyType
from typing import Any

from leader_election.demo.checks import GroundTruth
from leader_election.demo.processes import Processes
from leader_election.fleet.hosting import scene_robots
from leader_election.fleet.robot_list import format_ids
from leader_election.gazebo.simulator import Lidar, NO_EQUIPMENT
from leader_election.gazebo.simulator import Simulator as Kind
from leader_election.gazebo.world import WORLD_NAME, world_sdf
from leader_election.nodes import clock
from leader_election.nodes.process import spin
from leader_election.nodes.qos import NEIGHBOURHOOD
from leader_election.parameters import build
from leader_election.robot.parameters import ElectionParameters
from leader_election.swarm.history import Statistics
from leader_election.swarm.partition import Agreement, Hysteresis, NO_HYSTERESIS, partition
from leader_election.swarm.snapshot import is_partition, RobotView, Snapshot
from leader_election.swarm.tracker import SwarmTracker
from leader_election.world.arena import load_arena
from leader_election.world.parameters import SceneParameters, WorldParameters
from leader_election.world.scene import make_scene
from leader_election.world.sightings import SightingSensor
from leader_election.world.world import make_sighting_sensors
from physics.bridge import Bridge
from physics.messages import Messages
from physics.simulator import Simulator
from rclpy.node import Node
from rclpy.parameter import Parameter
from std_msgs.msg import String

STEP = 0.002
"""Of physics [s]."""
PACE = 1.1
"""
The real-time factor that Gazebo aims at.

It never makes up for a step that came late, as on a shared machine many do: at 1.0 it would fall
behind for good.
"""
SCANNER = Lidar()
NO_SIGHTINGS: Mapping[str, Any] = MappingProxyType({})
START_UP = 60.0
"""So long all nodes may take to come up [s]."""
EXPIRY = 3.0
"""A robot that was not heard for so long is gone [s]."""

CONTROL, COOPERATIVE, STEADY = '/control', '/cooperative', '/steady'
"""The namespaces of swarms of the same robots beside the first, which goes by its odometry."""
BESIDE: Mapping[str, dict[str, Any]] = {
    CONTROL: {'odom_topic': '/robot_{id}/ground_truth'},
    STEADY: {'odom_topic': '/robot_{id}/ground_truth',
             'radius_hysteresis': ElectionParameters.radius_hysteresis},
    COOPERATIVE: {'odom_topic': '/robot_{id}/odom', 'pose_source': 'cooperative',
                  'measurements_topic': '/robot_{id}/measurements'}}
"""The parameters of their nodes."""

Places = Mapping[int, tuple[float, float]]


@dataclass(frozen=True)
class Settings:
    """What the swarm in Gazebo and the one in the embedded world have in common."""

    robots: int = 20
    world: str = 'blocks'
    seed: int = 1
    radius: float = 6.0
    reach: float = 4.0
    """The range of communication [m]."""
    speed: float = 0.3
    """The most that robots drive [m/s]."""

    @property
    def scene(self) -> SceneParameters:
        """
        Return where everything starts.

        :raises ParameterError: for robots, or a seed, that are none.
        """
        return build(SceneParameters, {
            'robots': self.robots, 'world': self.world, 'seed': self.seed})

    def sensors(self, chosen: Mapping[str, Any]) -> tuple[SightingSensor, ...]:
        """
        Return sensors of the robots that identify neighbours.

        :param chosen: parameters of the embedded world, whose sensors they are.
        """
        parameters = build(WorldParameters, {
            'robots': self.robots, 'world': self.world, 'seed': self.seed, **chosen})
        return make_sighting_sensors(make_scene(parameters), parameters)


def direct(places: Places, settings: Settings,
           hysteresis: Hysteresis = NO_HYSTERESIS) -> dict[int, int]:
    """
    Return each robot's leader, computed from where all are; the strength of each is its id.

    :param hysteresis: what the robots follow already.

    >>> direct({1: (0.0, 0.0), 2: (3.0, 0.0), 9: (20.0, 0.0)}, Settings(reach=4.0))
    {9: 9, 2: 2, 1: 2}
    """
    graph = {one: {other: math.dist(here, there) for other, there in places.items()
                   if other != one and math.dist(here, there) <= settings.reach}
             for one, here in places.items()}
    found = partition(graph, {robot: float(robot) for robot in places}, settings.radius, 'id',
                      hysteresis)
    return {robot: led[0] for robot, led in found.items()}


@dataclass
class Watch:
    """
    One swarm's messages, looked at twice a second.

    :ivar partitioned: when everybody had said where it is, and had a leader, at first [s].
    :ivar hysteresis: of the radius, of its robots.
    """

    tracker: SwarmTracker = field(default_factory=lambda: SwarmTracker(EXPIRY))
    statistics: Statistics = field(default_factory=Statistics)
    agreement: Agreement = field(default_factory=Agreement)
    partitioned: float = math.inf
    hysteresis: float = 0.0

    def look(self, now: float, places: Places, settings: Settings) -> None:
        """Compare what the robots say with what is."""
        said = self.tracker.snapshot(now)
        known = len(self.tracker.first_heard) >= len(places) > 0
        if known and is_partition(said, settings.radius):
            self.partitioned = min(self.partitioned, now)
        self.statistics.observe(said, self.tracker.messages, self.tracker.bytes)
        if self.partitioned < math.inf:
            following = {robot.id: robot.leader for robot in said.robots.values()}
            right = direct(places, settings, Hysteresis(self.hysteresis, following))
            true = {robot: RobotView(robot, places[robot], math.nan, 0.0, leader)
                    for robot, leader in right.items()}
            self.agreement.compare(now, said, Snapshot(now, true))


class Observer(Node):
    """
    Watches swarms, each on its own neighbourhood topic.

    :ivar watches: of each, by the namespace; empty: none.
    :ivar places: says where the robots truly are.
    """

    def __init__(self, settings: Settings, spaces: Sequence[str],
                 places: Callable[[], Places]) -> None:
        super().__init__('observer', parameter_overrides=[Parameter('use_sim_time', value=True)])
        self.settings = settings
        self.places = places
        self.watches = {
            space: Watch(hysteresis=BESIDE.get(space, {}).get('radius_hysteresis', 0.0))
            for space in spaces}
        for space, watch in self.watches.items():
            def hear(message: String, watch: Watch = watch) -> None:
                watch.tracker.hear(message.data, self.now())
            self.create_subscription(String, f'{space}/neighbourhood', hear, NEIGHBOURHOOD)
        self.create_timer(0.5, self._look)

    def now(self) -> float:
        """Return the time of the world [s]."""
        return clock.seconds(self.get_clock())

    def _look(self) -> None:
        for watch in self.watches.values():
            watch.look(self.now(), self.places(), self.settings)


@dataclass
class Running:
    """A swarm that is up."""

    settings: Settings
    observer: Observer
    children: Processes
    nodes: list[Node]
    bridge: Bridge | None = None
    check: Callable[[], None] = lambda: None
    """Raises where the simulator has died, or what else ends it."""

    @property
    def watch(self) -> Watch:
        """Return the watch on the robots that go by their odometry."""
        return self.observer.watches['']

    def until(self, condition: Callable[[], bool], deadline: float) -> bool:
        """Let time pass until something holds, for so long at most [s]; return whether it does."""
        def look() -> bool:
            self.children.check()
            self.check()
            return condition()
        spin(self.nodes, look, deadline=deadline)
        return condition()

    def run(self, seconds: float) -> float:
        """Let so much time of the world pass; return how much of it passed in a real second."""
        begin, real = self.observer.now(), time.monotonic()
        self.until(lambda: self.observer.now() >= begin + seconds, 10.0 * seconds)
        return (self.observer.now() - begin) / (time.monotonic() - real)


def _start_robots(running: Running, apart: Sequence[int], beside: Sequence[str]) -> None:
    """
    Start the robots' nodes, and the one that drives them.

    :param apart: who has a process of its own.
    :param beside: further swarms of the same robots, of :data:`BESIDE`.
    """
    settings, children = running.settings, running.children
    ids = tuple(range(1, settings.robots + 1))
    common = {'robots': settings.robots, 'world': settings.world, 'seed': settings.seed,
              'strengths': 'id', 'use_sim_time': True, 'radius': settings.radius,
              'communication_range': settings.reach,
              # With hysteresis partitions depend on what was before, and could differ rightly.
              'radius_hysteresis': 0.0}
    hosts = [tuple(i for i in ids if i not in apart), *((robot,) for robot in apart)]
    for members in hosts:
        children.start(f'fleet_{members[0]}', 'fleet',
                       {**common, 'members': format_ids(members)})
    for space in beside:
        children.start(space[1:], 'fleet', {**common, **BESIDE[space]}, {'__ns': space})
    nodes = settings.robots * (1 + len(beside))
    count = running.observer.count_publishers
    if not running.until(lambda: sum(count(f'{space}/neighbourhood')
                                     for space in running.observer.watches) >= nodes, START_UP):
        raise RuntimeError('the robots did not come up')
    children.start('wander', 'wander', {
        'robots': ','.join(f'robot_{i}' for i in ids), 'use_sim_time': True,
        'speed': settings.speed, 'seed': settings.seed})


@contextmanager
def in_gazebo(root: Path, settings: Settings, folder: Path, apart: Sequence[int] = (),
              beside: Sequence[str] = (), sightings: Mapping[str, Any] = NO_SIGHTINGS,
              pace: float = PACE, check: Callable[[], None] = lambda: None) -> Iterator[Running]:
    """
    Run a swarm in Gazebo for the length of a ``with``; ROS has to be up.

    :param folder: for what processes say.
    :param beside: further swarms of the same robots, of :data:`BESIDE`.
    :param sightings: parameters of sensors that identify neighbours; Gazebo has none of them.
    :param pace: the real-time factor that Gazebo aims at.
    :param check: is called all the time, and may raise what ends it.
    """
    robots = scene_robots(make_scene(settings.scene))
    text = world_sdf(load_arena(settings.world), robots, Kind.GZ_CLASSIC,
                     NO_EQUIPMENT._replace(lidar=SCANNER), STEP, pace)
    nodes: list[Node] = []
    with _taking_down(nodes), Simulator(root, text, WORLD_NAME, check) as simulator, \
            Processes(folder) as children:
        bridge = Bridge(
            simulator.client, Messages(root), robots, settings.sensors(sightings))

        def places() -> Places:
            return {robot.id: (x, y) for robot, (x, y, _) in zip(robots, bridge.truth.tolist())
                    if robot.name not in bridge.silent}
        observer = Observer(settings, ['', *beside], places)
        nodes += [bridge, observer]
        running = Running(settings, observer, children, nodes, bridge, simulator.check)
        if not running.until(lambda: bridge.driven, START_UP):
            raise RuntimeError('Gazebo does not hear the commands to all robots')
        _start_robots(running, apart, beside)
        yield running


@contextmanager
def embedded(settings: Settings, folder: Path, check: Callable[[], None] = lambda: None,
             ) -> Iterator[Running]:
    """Run the same swarm in the embedded world, where wheels never slide."""
    nodes: list[Node] = []
    with _taking_down(nodes), Processes(folder) as children:
        truth = GroundTruth(range(1, settings.robots + 1))
        observer = Observer(settings, [''], lambda: truth.places)
        nodes += [truth, observer]
        running = Running(settings, observer, children, nodes, check=check)
        children.start('world', 'swarm_world', {
            'robots': settings.robots, 'world': settings.world, 'seed': settings.seed,
            'motion': 'cmd_vel', 'publish_clock': True, 'speed': settings.speed,
            'scan_rate': SCANNER.rate, 'scan_beams': SCANNER.beams, 'scan_range': SCANNER.reach})
        _start_robots(running, (), ())
        yield running


@contextmanager
def _taking_down(nodes: list[Node]) -> Iterator[None]:
    """Take nodes down in the end, when nobody publishes by them any more."""
    try:
        yield
    finally:
        for node in nodes:
            node.destroy_node()
