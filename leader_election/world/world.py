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

"""The embedded world: all robots, stepped together at a fixed rate."""

from leader_election.world.kinematics import Array, least_distance, Odometry, relative
from leader_election.world.lidar import Lidar
from leader_election.world.motion import Commands, Driven, Levy, Motion, Replay, Static
from leader_election.world.parameters import WorldParameters
from leader_election.world.scene import free_space, make_scene
from leader_election.world.sensors import Field, Radio
import numpy as np


class World:
    """
    The true state of all robots, and what each of them believes of its own.

    Arrays have one row a robot, in the order of ``scene.ids``. Robots drive through each other;
    :attr:`closest` tells how near they are.

    :ivar scene: where everything was at the start.
    :ivar dt: the time that a step takes [s].
    :ivar steps: how many were taken.
    :ivar poses: true x, y, yaw in the shared frame [m, rad], shape (n, 3).
    :ivar velocities: true forward and turning speed [m/s, rad/s], shape (n, 2).
    :ivar commands: takes velocities from outside, with motion ``cmd_vel``; else ``None``.
    :ivar lidar: the robots' laser scanners.
    :ivar field: what the robots' scalar sensors read.
    """

    def __init__(self, parameters: WorldParameters) -> None:
        """
        Build the world at time 0.

        :raises ParameterError: when the arena or a log is wrong, or the robots do not fit.
        """
        self.scene = make_scene(parameters)
        self.dt = 1.0 / parameters.step_rate
        self.steps = 0
        self.poses: Array = np.array(self.scene.starts)
        self.velocities: Array = np.zeros((len(self.poses), 2))
        self.commands: Commands | None = None
        self._starts = self.poses
        self._motion = self._make_motion(parameters)
        self._odometry = Odometry(
            len(self.poses), parameters, np.random.default_rng([parameters.seed, 2]))
        self._odom_is_true = bool(parameters.logs) and parameters.odom_source == 'truth'
        self._radio = Radio(
            self.scene.obstacles, parameters, np.random.default_rng([parameters.seed, 3]))
        self.lidar = Lidar(self.scene.arena, self.scene.obstacles, parameters)
        self.field = Field(parameters, np.random.default_rng([parameters.seed, 4]))
        self._places = {robot_id: i for i, robot_id in enumerate(self.scene.ids)}

    def _make_motion(self, parameters: WorldParameters) -> Motion:
        if self.scene.logs:
            return Replay(self.scene.logs)
        robots = len(self.poses)
        free = free_space(self.scene.arena, self.scene.obstacles, parameters.robot_radius)
        if parameters.motion == 'levy':
            rng = np.random.default_rng([parameters.seed, 1])
            return Driven(Levy(robots, parameters, rng), free, robots)
        if parameters.motion == 'cmd_vel':
            self.commands = Commands(robots, parameters)
            return Driven(self.commands, free, robots)
        return Static()

    @property
    def time(self) -> float:
        """Return the time since the start [s]."""
        return self.steps * self.dt

    @property
    def ended(self) -> bool:
        """Return whether there was a replay and it is over."""
        return isinstance(self._motion, Replay) and self.time >= self._motion.duration

    @property
    def odometry(self) -> Array:
        """Return x, y, yaw from each robot's start, as it believes [m, rad], shape (n, 3)."""
        return relative(self._starts, self.poses) if self._odom_is_true else self._odometry.poses

    @property
    def measured(self) -> Array:
        """Return the velocities as the robots believe [m/s, rad/s], shape (n, 2)."""
        return self.velocities if self._odom_is_true else self._odometry.velocities

    @property
    def closest(self) -> float:
        """Return the least distance between the true centres of two robots [m]."""
        return least_distance(self.poses)

    def step(self) -> None:
        """Go on by one step."""
        self.poses, self.velocities = self._motion.step(self.poses, self.time, self.dt)
        self._odometry.step(self.velocities, self.dt)
        self.steps += 1

    def hearers(self, sender_id: int) -> list[int] | None:
        """
        Return who hears one message of a robot, as places in the order of the robots.

        ``None``: there is no such robot.
        """
        place = self._places.get(sender_id)
        if place is None:
            return None
        return [int(i) for i in self._radio.hearers(place, self.poses)]


def quaternions(yaws: Array) -> Array:
    """
    Return the quaternions' z and w of turns about the vertical [rad], shape (n, 2); x, y are 0.

    >>> quaternions(np.array([0.0, np.pi])).round(6).tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """
    return np.column_stack((np.sin(yaws / 2), np.cos(yaws / 2)))
