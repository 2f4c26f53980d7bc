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
The embedded world in one process, without ROS: its robots wander, and others elect on them.

The robots drive as node ``wander`` drives them, by the same code, by their own wheels' odometry,
bumpers and laser scanners, or without scanners by the map.
"""

from array import array
from collections.abc import Callable
from typing import Any

from geometry_msgs.msg import Twist
from leader_election.election.messages.codec import Position
from leader_election.election.tasks.driving import Driver
from leader_election.election.tasks.goals import levy, Wander, WanderParameters
from leader_election.election.tasks.steering import Scan
from leader_election.simulation.kinematics import Array, compose, relative
from leader_election.simulation.lidar import MAP_LIDAR_RANGE, MapLidar
from leader_election.simulation.parameters import WorldParameters
from leader_election.simulation.scene import Arena
from leader_election.simulation.sensors import RateLimiter
from leader_election.simulation.world import World
import numpy as np
from sensor_msgs.msg import LaserScan
from std_msgs.msg import Bool


class Topics:
    """The topics of one robot, for its driver: each message is taken at once."""

    node = None

    def __init__(self, world: World, row: int) -> None:
        self.callbacks: dict[str, Callable[[Any], None]] = {}
        self._world, self._row = world, row

    def listen(self, topic: str, kind: Any, callback: Callable[[Any], None]) -> None:
        self.callbacks[topic] = callback

    def publisher(self, topic: str, kind: Any) -> 'Topics':
        return self

    def publish(self, command: Twist) -> None:
        commands = self._world.commands
        assert commands is not None
        commands.command(self._row, command.linear.x, command.angular.z, self._world.time)

    def every(self, period: float, callback: Callable[[], None]) -> None:
        raise NotImplementedError

    def seconds(self) -> float:
        return self._world.time


class WanderingWorld:
    """
    A world whose robots wander.

    :ivar world: the simulation.
    :ivar travelled: the true way of each robot [m], shape (n,).
    :ivar touched: the share of time in which each robot touched something, shape (n,).
    """

    def __init__(self, parameters: WorldParameters, *, scanners: bool = True) -> None:
        """
        Put the robots at their starts.

        :param parameters: with motion ``cmd_vel``, and a rate of scans.
        :param scanners: whether robots have scanners; else they avoid the walls of the map and the
            other robots by their own odometry and that of the others.
        """
        self.world = World(parameters)
        scene = self.world.scene
        driving = WanderParameters(speed=parameters.speed, seed=parameters.seed)
        self._map = None if scanners else MapLidar(
            Arena(scene.arena, scene.obstacles), parameters.robot_radius, parameters.speed)
        self._due = RateLimiter(parameters.scan_rate)
        self._starts = np.array(scene.starts)
        self._topics, self._drivers = [], []
        for row, robot in enumerate(scene.ids):
            seed = f'{parameters.seed}/robot_{robot}'
            wander = Wander(seed, driving.tolerance, driving.patience,
                            levy(driving.levy_scale, driving.levy_shape))
            self._topics.append(Topics(self.world, row))
            self._drivers.append(Driver(self._topics[-1], driving, wander.goal, seed=seed,
                                        blocked=wander.give_up))
        self.travelled: Array = np.zeros(len(scene.ids))
        self._touches = np.zeros(len(scene.ids))

    @property
    def touched(self) -> Array:
        """Return the share of time in which each robot touched something, shape (n,)."""
        return self._touches / max(self.world.steps, 1)

    @property
    def drift(self) -> Array:
        """Return the error of each robot's odometry [m], shape (n,)."""
        errors = relative(self._starts, self.world.poses) - self.world.odometry
        return np.hypot(errors[:, 0], errors[:, 1])

    def places(self) -> dict[int, Position]:
        """Return the true places of the robots [m], by id."""
        rows = self.world.poses[:, :2].tolist()
        return {robot: (x, y) for robot, (x, y) in zip(self.world.scene.ids, rows)}

    def step(self) -> None:
        """Drive, and advance the world by one step."""
        world = self.world
        if world.physics is not None:
            for topics, touching in zip(self._topics, world.physics.touching.tolist()):
                topics.callbacks['bumper'](Bool(data=touching))
        if self._map is None and self._due.due(world.time):
            scans = world.lidar.scan(world.poses, range(len(self._topics))).astype(np.float32)
            for topics, ranges in zip(self._topics, scans):
                topics.callbacks['scan'](LaserScan(
                    angle_increment=world.lidar.increment, range_max=MAP_LIDAR_RANGE,
                    ranges=array('f', ranges.tobytes())))
        reckoned = compose(self._starts, world.odometry)
        for row, driver in enumerate(self._drivers):
            x, y, yaw = world.odometry[row].tolist()
            driver.drive((x, y, yaw), driver.scan() if self._map is None
                         else self._computed_scan(self._map, reckoned, row))
        before = world.poses
        world.step()
        self.travelled += np.hypot(*(world.poses - before)[:, :2].T)
        if world.physics is not None:
            self._touches += world.physics.touching

    def _computed_scan(self, lidar: MapLidar, reckoned: Array, row: int) -> Scan:
        x, y, yaw = reckoned[row].tolist()
        others = np.delete(reckoned, row, axis=0)
        others[:, 2] = 0.0  # The age of their positions.
        return Scan(lidar.scan((x, y, yaw), others).tolist(), 0.0, lidar.increment,
                    MAP_LIDAR_RANGE)
