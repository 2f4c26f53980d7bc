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
The node ``wander``: robots that drive about at random, in any simulator or on the floor.

Each makes a Levy walk, past the obstacles in its ``scan``, and away from what it touches
(``bumper``). For a robot without a scanner a scan is computed from the arena's walls, its own
position, and the other robots' published positions. A robot with neither drives only with
parameter ``blind``, and one without odometry not at all.
"""

from collections.abc import Callable
from copy import copy
import math
import time
from typing import Any

from leader_election.election.messages import codec
from leader_election.election.robot.parameters import ElectionParameters
from leader_election.election.tasks.driving import ScanDriver, WARNING_PERIOD
from leader_election.election.tasks.goals import Wander, WanderParameters
from leader_election.election.tasks.steering import Scan
from leader_election.localisation.poses import from_parameter, heading, IDENTITY, Pose, position
from leader_election.parameters import frame_name, ParameterError
from leader_election.ros.nodes import clock
from leader_election.ros.nodes.declare import declare_all
from leader_election.ros.nodes.localisation_topics import pose_of
from leader_election.ros.nodes.process import run
from leader_election.ros.nodes.qos import NEIGHBOURHOOD, SENSOR, subscribe
from leader_election.simulation.motion import LEVY_SCALE, LEVY_SHAPE
from leader_election.simulation.scene import load_arena
from leader_election.simulation.sensors import MAP_LIDAR_RANGE, MapLidar
from leader_election.swarm.fleet.robot_list import is_robot_name
from nav_msgs.msg import Odometry
import numpy as np
from numpy.typing import NDArray
from rcl_interfaces.msg import ParameterType
from rcl_interfaces.srv import GetParameters
from rclpy.clock import Clock
from rclpy.node import Node
from rclpy.publisher import Publisher
from std_msgs.msg import String

ROBOT_NODE = 'election_node'
PATIENCE = 4.0
"""The time without progress after which a goal is given up for the next one [s]."""

Place = tuple[float, float, float]
"""x, y, yaw [m, rad]."""


def namespaces(text: str) -> tuple[str, ...]:
    """
    Return the start of each robot's topic names.

    :param text: parameter ``robots``: names of namespaces, separated by commas.
    :raises ParameterError: for a name that is not valid, or given twice.

    >>> namespaces('robot_1, robot_2'), namespaces('')
    (('robot_1/', 'robot_2/'), ('',))
    """
    names = [name.strip() for name in text.split(',')] if text.strip() else []
    for name in names:
        parts = name.removeprefix('/').split('/')
        if not all(map(is_robot_name, parts)) or names.count(name) > 1:
            raise ParameterError('robots', text, 'names of namespaces, each once, for example '
                                 "'robot_1,robot_2'")
    return tuple(f'{name}/' for name in names) or ('',)


class ParameterOrigin:
    """
    Requests a robot's id, frame and initial pose from the parameters of its node.

    :ivar id: the robot's, ``None`` until there is an answer.
    :ivar frame: the frame that the robots share.
    :ivar pose: the pose of odometry's frame in it, ``None`` until there is an answer.
    """

    def __init__(self, node: Node, prefix: str) -> None:
        """
        Create the client. :meth:`ask` makes the request.

        :param prefix: the start of the robot's topic names, empty or ending in a slash.
        """
        self.id: int | None = None
        self.frame = ElectionParameters.frame
        self.pose: Pose | None = None
        self._client = node.create_client(GetParameters, f'{prefix}{ROBOT_NODE}/get_parameters')
        self._since = -math.inf

    def ask(self) -> None:
        """Make a request unless one is answered or pending. To be called repeatedly."""
        # Repeated after a second, since the node may have restarted. In real time: simulated time
        # can advance faster than nodes answer.
        now = time.monotonic()
        if self.id is None and now - self._since > 1.0 and self._client.service_is_ready():
            self._since = now
            request = GetParameters.Request(names=['robot_id', 'frame', 'initial_pose'])
            self._client.call_async(request).add_done_callback(self._take)

    def _take(self, answer: Any) -> None:
        values = answer.result().values
        if not values or any(value.type == ParameterType.PARAMETER_NOT_SET for value in values):
            return
        robot_id, frame, pose = values
        self.frame = frame_name(frame.string_value)
        self.pose = from_parameter(list(pose.double_array_value))
        self.id = robot_id.integer_value


class WanderingRobot:
    """
    One robot that wanders: its odometry, its goals, and the context of its driver.

    Goals are in odometry's own frame, whose pose in the shared frame may be unknown: a random walk
    is the same in any frame.

    :ivar node: the node, among several robots of which it may be one.
    :ivar prefix: the start of its topic names, empty or ending in a slash.
    :ivar origin: the pose of its odometry's frame, ``None`` if it is not needed.
    :ivar driver: the driving loop.
    :ivar problem: the reason why it stands still, one line. Empty while it drives.
    """

    def __init__(self, node: Node, steady_clock: Clock, prefix: str,
                 parameters: WanderParameters) -> None:
        """
        Subscribe and advertise. The robot does not move yet.

        :param steady_clock: the clock of ages.
        """
        self.node, self.prefix, self._steady_clock = node, prefix, steady_clock
        self.origin = ParameterOrigin(node, prefix) if parameters.world else None
        self.problem = ''
        self._odometry: Odometry | None = None
        self._odometry_time = -math.inf
        seed = f'{parameters.seed}/{node.get_namespace()}/{prefix}'
        wander = Wander(seed, parameters.tolerance, PATIENCE, LEVY_SCALE, LEVY_SHAPE)
        self.driver = ScanDriver(self, parameters, wander.goal, seed=seed, blocked=wander.give_up)
        self.listen('odom', Odometry, self._receive_odometry)

    # The context of the driver.

    def listen(self, topic: str, kind: Any, callback: Callable[[Any], None]) -> None:
        """Subscribe to a sensor's topic: only the newest message counts."""
        self.node.create_subscription(kind, self.prefix + topic, callback, copy(SENSOR))

    def publisher(self, topic: str, kind: Any) -> Publisher:
        """Return a publisher of commands."""
        return self.node.create_publisher(kind, self.prefix + topic, 10)

    def seconds(self) -> float:
        """Return the time on the clock of ages [s]."""
        return clock.seconds(self._steady_clock)

    def _receive_odometry(self, odometry: Odometry) -> None:
        self._odometry, self._odometry_time = odometry, self.seconds()

    def place(self) -> Place | None:
        """Return the robot's last place in the shared frame, ``None`` if not known."""
        origin, odometry = self.origin, self._odometry
        if origin is None or origin.pose is None or odometry is None:
            return None
        shared = frame_name(odometry.header.frame_id) == origin.frame
        return _place(odometry, IDENTITY if shared else origin.pose)

    def age(self) -> float:
        """Return the age of the last place [s]."""
        return self.seconds() - self._odometry_time

    def drive(self, scan: Scan | None, missing: str) -> None:
        """
        Send the robot its present command.

        :param scan: the obstacles round it, ``None`` if unknown, so it stops.
        :param missing: the reason for a missing scan, as text.
        """
        pose = None
        if self._odometry is not None and self.driver.is_fresh(self._odometry_time):
            pose = _place(self._odometry, IDENTITY)
        if pose is None:
            self.problem = (
                f'nothing comes on {self.node.resolve_topic_name(self.prefix + "odom")}; start '
                'its driver or simulator, or give parameter robots the namespaces of the robots'
                if self._odometry is None else 'its odometry stays away')
        else:
            self.problem = missing if scan is None else ''
        self.driver.drive(pose, scan)


class WanderNode(Node):
    """Sends each robot (:class:`WanderingRobot`) a few commands in its reaction time."""

    def __init__(self, **options: Any) -> None:
        """
        Declare the parameters, subscribe and start the timers.

        :param options: for ``rclpy.node.Node``.
        :raises ParameterError: when a parameter, or the arena, is wrong.
        """
        super().__init__('wander', **options)
        self._settings = parameters = declare_all(self, WanderParameters).values
        self._steady_clock = clock.steady_clock(self)
        self._map_lidar: MapLidar | None = None
        self._published: dict[int, tuple[str, codec.Position, float]] = {}
        if parameters.world:
            self._map_lidar = MapLidar(load_arena(parameters.world), parameters.robot_radius,
                                       parameters.speed)
            subscribe(self, String, 'neighbourhood', self._receive_position, NEIGHBOURHOOD)
        self.robots = [WanderingRobot(self, self._steady_clock, prefix, parameters)
                       for prefix in namespaces(parameters.robots)]
        for period, callback in ((parameters.reaction / 4, self._step),
                                 (WARNING_PERIOD, self._warn)):
            clock.create_timer(self, period, callback, self._steady_clock)

    def _receive_position(self, message: String) -> None:
        received = codec.whereabouts(message.data)
        if received is not None:
            robot, frame, place = received
            self._published[robot] = frame, place, clock.seconds(self._steady_clock)

    def _step(self) -> None:
        # All places first: the robots of this node use them to avoid each other.
        places = [robot.place() for robot in self.robots]
        for robot, place in zip(self.robots, places):
            if robot.driver.has_scanner:
                robot.drive(robot.driver.scan(), robot.driver.problem or 'its scans stay away')
            else:
                robot.drive(*self._computed_scan(robot, place, places))

    def _computed_scan(self, robot: WanderingRobot, place: Place | None,
                       places: list[Place | None]) -> tuple[Scan | None, str]:
        """Return the computed scan of the robot, or ``None`` with the reason."""
        if self._map_lidar is None or robot.origin is None:
            if self._settings.blind:
                return Scan([], 0.0, 0.0, 0.0), ''
            return None, ('it hears no scan; one without a scanner needs parameter world, or '
                          'blind')
        if place is None:
            robot.origin.ask()
            return None, (f'it hears no scan, and no {robot.prefix}{ROBOT_NODE} says where it '
                          'started')
        ranges = self._map_lidar.scan(place, self._others(robot, places))
        return Scan(ranges.tolist(), 0.0, self._map_lidar.increment, MAP_LIDAR_RANGE), ''

    def _others(self, robot: WanderingRobot, places: list[Place | None]) -> NDArray[np.float64]:
        """Return x, y [m] and age [s] of all other robots whose place is known, a row each."""
        now = clock.seconds(self._steady_clock)
        rows = [(place[0], place[1], other.age())
                for other, place in zip(self.robots, places) if place and other is not robot]
        ours = {other.origin.id for other in self.robots if other.origin}
        shared = robot.origin.frame if robot.origin else ''
        rows += [(*place, now - since) for sender, (frame, place, since)
                 in self._published.items() if sender not in ours and frame == shared]
        return np.array(rows, dtype=np.float64).reshape(-1, 3)

    def _warn(self) -> None:
        """Log the robots that stand still, and the reasons."""
        standing = [robot for robot in self.robots if robot.problem]
        if standing:
            name = standing[0].prefix.rstrip('/') or self.get_namespace()
            more = f' (and {len(standing) - 1} more stand)' if len(standing) > 1 else ''
            self.get_logger().warning(f'{name} stands: {standing[0].problem}{more}')

    def close(self) -> None:
        """Stop all robots. Called before the node is destroyed."""
        for robot in self.robots:
            robot.driver.close()


def _place(odometry: Odometry, origin: Pose) -> Place | None:
    """
    Return a robot's place by its odometry, ``None`` without a valid orientation.

    :param origin: the pose of odometry's frame in the frame of the result.
    """
    pose = pose_of(odometry.pose.pose.position, odometry.pose.pose.orientation)
    return None if pose is None else (*position(origin @ pose), heading(origin @ pose))


def main() -> int:
    """Drive robots until the process is stopped, and return the exit status."""
    return run(lambda: [WanderNode()])
