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
Wandering: robots that drive about at random, in any simulator or on the floor.

Each walks the legs of a Levy walk, past what its ``scan`` shows. A robot without a scanner goes by
what it knows instead: the arena's walls, where it is itself, and where the others say they are. It
does not drive where it has neither, or where odometry stays away.
"""

from copy import copy
from dataclasses import dataclass
from typing import Any

from leader_election.fleet.robot_list import is_name
from leader_election.nodes import clock
from leader_election.nodes.declare import Declared
from leader_election.nodes.odometry_origin import Origin, ROBOT_NODE
from leader_election.nodes.process import run
from leader_election.nodes.qos import NEIGHBOURHOOD, overridable
from leader_election.nodes.walker import Place, Walker
from leader_election.parameters import parameter, ParameterError, ProcessParameters
from leader_election.robot import codec
from leader_election.tasks.driving_parameters import DrivingParameters, limits_of
from leader_election.tasks.steering import Scan
from leader_election.tasks.wander import levy, Wander
from leader_election.world.arena import load_arena
from leader_election.world.lidar import REACH, Sight
import numpy as np
from numpy.typing import NDArray
from rclpy.node import Node
from std_msgs.msg import String

_TICKS = 4
"""So often in its reaction time a robot decides anew."""
_TELL = 10.0
"""How often it is said who stands, and why [s]."""


@dataclass(frozen=True)
class WanderParameters(DrivingParameters, ProcessParameters):
    """Who wanders, and how."""

    robots: str = parameter(
        '', "The robots that this process drives: their namespaces, for example "
        "'robot_1,robot_2'; empty: the one whose namespace this node is in.")
    world: str = parameter(
        '', 'The arena, for robots without a laser scanner: blocks, rooms, empty, or the path of '
        'a YAML file. They then go by their odometry, their own nodes, and what robots say on '
        'neighbourhood. Empty: robots drive where there is a scan.')
    patience: float = parameter(
        4.0, 'A goal that it comes no nearer to for so long is given up for the next one.',
        unit='s', lower=0.1, upper=1e6)
    levy_scale: float = parameter(
        1.0, 'The shortest leg.', unit='m', lower=0.01, upper=1e4)
    levy_shape: float = parameter(
        1.5, 'Exponent of the Pareto distribution of the legs; the smaller, the more long ones.',
        lower=0.5, upper=10.0)
    seed: int = parameter(
        0, 'What all chance comes from; each robot has its own by its name.', lower=0, upper=2**62)


def namespaces(text: str) -> tuple[str, ...]:
    """
    Return what the names of each robot's topics begin with.

    :raises ParameterError: for what is no name, or named twice.

    >>> namespaces('robot_1, robot_2'), namespaces('')
    (('robot_1/', 'robot_2/'), ('',))
    """
    names = [name.strip() for name in text.split(',')] if text.strip() else []
    for name in names:
        parts = name.removeprefix('/').split('/')
        if not all(map(is_name, parts)) or names.count(name) > 1:
            raise ParameterError(f'parameter robots: {text!r} is not allowed; it takes names of '
                                 "namespaces, each once, for example 'robot_1,robot_2'")
    return tuple(f'{name}/' for name in names) or ('',)


class WanderNode(Node):
    """Drives robots (:class:`Walker`) a few times in their reaction time."""

    def __init__(self, **options: Any) -> None:
        """
        Declare the parameters, and listen.

        :param options: for ``rclpy.node.Node``.
        :raises ParameterError: when a parameter, or the arena, is wrong.
        """
        super().__init__('wander', **options)
        self._settings = parameters = Declared(self, WanderParameters).values
        self.executor_kind = parameters.executor
        self._steady_clock = clock.steady_clock(self)
        self._sight: Sight | None = None
        self._told: dict[int, tuple[str, codec.Position, float]] = {}
        if parameters.world:
            self._sight = Sight(load_arena(parameters.world), parameters.robot_radius,
                                parameters.speed)
            self.create_subscription(
                String, 'neighbourhood', self._hear, copy(NEIGHBOURHOOD),
                qos_overriding_options=overridable())
        self.walkers = [self._walker(prefix) for prefix in namespaces(parameters.robots)]
        for period, callback in ((parameters.reaction / _TICKS, self._tick), (_TELL, self._tell)):
            self.create_timer(period, callback, clock=self._steady_clock)

    def _walker(self, prefix: str) -> Walker:
        p = self._settings
        wander = Wander(f'{p.seed}/{self.get_namespace()}/{prefix}', p.tolerance, p.patience,
                        levy(p.levy_scale, p.levy_shape))
        origin = Origin(self, self._steady_clock, prefix) if self._sight else None
        return Walker(self, self._steady_clock, prefix, limits_of(p), wander, origin, p.stamped,
                      p.scan_yaw)

    def _hear(self, message: String) -> None:
        told = codec.whereabouts(message.data)
        if told is not None:
            robot, frame, place = told
            self._told[robot] = frame, place, clock.seconds(self._steady_clock)

    def _tick(self) -> None:
        places = [walker.place() for walker in self.walkers]
        for walker, place in zip(self.walkers, places):
            walker.walk(walker.seen() if walker.has_eyes else self._known(walker, place, places))

    def _known(self, walker: Walker, place: Place | None, places: list[Place | None],
               ) -> Scan | None:
        """Return what a robot would see if it had a scanner, ``None`` where that is not known."""
        if self._sight is None or walker.origin is None:
            walker.trouble = 'it hears no scan; one without a scanner needs parameter world'
            return None
        if place is None:
            walker.origin.ask()
            walker.trouble = (f'it hears no scan, and no {walker.prefix}{ROBOT_NODE} says where '
                              'it started')
            return None
        ranges = self._sight.look(place, self._others(walker, places))
        return Scan(ranges.tolist(), 0.0, self._sight.increment, REACH)

    def _others(self, walker: Walker, places: list[Place | None],
                ) -> NDArray[np.float64]:
        """Return x, y [m] and age [s] of all other robots whose place is known, a row each."""
        now = clock.seconds(self._steady_clock)
        rows = [(place[0], place[1], other.age())
                for other, place in zip(self.walkers, places) if place and other is not walker]
        ours = {other.origin.id for other in self.walkers if other.origin}
        frame = walker.origin.frame if walker.origin else ''
        rows += [(*place, now - since) for robot, (said, place, since) in self._told.items()
                 if robot not in ours and said == frame]
        return np.array(rows, dtype=np.float64).reshape(-1, 3)

    def _tell(self) -> None:
        """Say who stands, and why."""
        standing = [walker for walker in self.walkers if walker.trouble]
        if standing:
            name = standing[0].prefix.rstrip('/') or self.get_namespace()
            more = f' (and {len(standing) - 1} more stand)' if len(standing) > 1 else ''
            self.get_logger().warning(f'{name} stands: {standing[0].trouble}{more}')

    def close(self) -> None:
        """Stop all wheels; called before the end."""
        for walker in self.walkers:
            walker.stop()


def main() -> int:
    """Drive robots until it is stopped; return the exit status."""
    return run(lambda: [WanderNode()])
