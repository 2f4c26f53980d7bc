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

"""The embedded world: the true state of all robots, advanced in steps of equal length."""

from collections.abc import Sequence
from typing import Any, TYPE_CHECKING

from leader_election.localisation.parameters import LocalisationParameters
from leader_election.parameters import id_ranges, ParameterError, within
from leader_election.parameters.command_line import how_to_install
from leader_election.simulation import motion as motions
from leader_election.simulation.logged_sightings import (
    LoggedSightings,
    read_scene_landmarks,
    read_sightings,
)
from leader_election.simulation.motion import Array, relative, velocities_between
from leader_election.simulation.odometry import Odometry, OdometryCovariance, PHYSICAL_WHEELS
from leader_election.simulation.parameters import OdometryErrorParameters, WorldParameters
from leader_election.simulation.radio import Radio
from leader_election.simulation.robot_body import RADIUS
from leader_election.simulation.robot_logs import first_time, ReplayMotion
from leader_election.simulation.scene import free_space, LineOfSight, make_scene, Scene
from leader_election.simulation.sensors import (
    Camera,
    Lidar,
    NO_SIGHTINGS,
    Ranging,
    SightingSensor,
)
import numpy as np

if TYPE_CHECKING:
    from leader_election.simulation.mujoco_physics import ContactPhysics

STEP = 0.1
"""The duration of a step [s]."""
_ACCURACY, _SETTLING = 0.1, 0.3
"""With physics: robots drive within this error of the heading [rad]; the time to turn [s]."""


def make_sighting_sensors(scene: Scene,
                          parameters: WorldParameters) -> tuple[SightingSensor, ...]:
    """
    Return the sensors that sight robots and landmarks.

    :param scene: its obstacles block the sight.
    :param parameters: those of :class:`.SightingSensorParameters`, the logs and the seed.
    :raises ParameterError: for landmarks or logged sightings that cannot be read.
    """
    ids, sensors = scene.ids, list[SightingSensor]()
    if parameters.ranging_rate:
        sensors.append(Ranging(ids, parameters, np.random.default_rng([parameters.seed, 5])))
    if parameters.camera_rate:
        landmarks = read_scene_landmarks(parameters.logs, parameters.landmarks, ids)
        sensors.append(Camera(ids, landmarks, LineOfSight(scene.obstacles), parameters,
                              np.random.default_rng([parameters.seed, 6])))
    if parameters.logged_sightings:
        sensors.append(LoggedSightings(
            read_sightings(parameters.logs, ids), first_time(scene.logs)))
    return tuple(sensors)


class World:
    """
    Simulates robots in an arena, with their odometry, sensors and radio.

    Arrays have one row per robot, in the order of ``scene.ids``. With physics ``kinematic`` robots
    are unicycles that do not collide with each other.

    :ivar scene: arena, obstacles and initial poses.
    :ivar dt: the duration of a step [s].
    :ivar steps: the number of steps so far.
    :ivar poses: true x, y, yaw in the shared frame [m, rad], shape (n, 3).
    :ivar velocities: true linear and angular velocity [m/s, rad/s], shape (n, 2).
    :ivar physics: the robots' bodies, with physics ``mujoco``, otherwise ``None``.
    :ivar commands: takes velocity commands, with motion ``cmd_vel``, otherwise ``None``.
    :ivar lidar: the robots' laser scanners.
    :ivar radio: carries the robots' messages.
    :ivar peaks: of the field that the robots' scalar sensors read.
    :ivar sighting_sensors: measure where neighbours and landmarks are.
    :ivar covariance: of the odometry.
    :ivar odom_silent: rows of the robots whose odometry is not published.
    """

    def __init__(self, parameters: WorldParameters) -> None:
        """
        Build the world at time 0.

        :param parameters: checked together with the files that they name.
        :raises ParameterError: for a wrong arena or log, and for robots that do not fit.
        """
        self.scene = make_scene(parameters)
        self.dt = STEP
        self.steps = 0
        self.poses: Array = np.array(self.scene.starts)
        self.velocities: Array = np.zeros((len(self.poses), 2))
        self.commands: motions.VelocityCommands | None = None
        self.physics: ContactPhysics | None = None
        self._starts = self.poses
        self._rows = {robot_id: row for row, robot_id in enumerate(self.scene.ids)}
        self._carried = ''
        self._planned: list[tuple[list[int], float, Array]] = []
        """The robots to be carried: rows, time [s] and displacement [m, m, rad]."""
        # A separate random stream for each part: switching one part on leaves the others
        # unchanged for the same seed. Stream 0 is that of the initial poses.
        self._controller: motions.VelocityController | None = None
        self._motion = (ReplayMotion(self.scene.logs) if self.scene.logs
                        else self._make_driven_motion(parameters))
        self._odometry = Odometry(
            len(self.poses), parameters, np.random.default_rng([parameters.seed, 2]))
        self._odom_is_true = parameters.odom_source == 'truth'
        errors: OdometryErrorParameters = parameters
        real = None
        if self._odom_is_true:
            errors = OdometryErrorParameters()
        elif self.physics is not None:
            real = LocalisationParameters(**PHYSICAL_WHEELS)
        elif parameters.logs:
            real = LocalisationParameters()
        self.covariance = OdometryCovariance(len(self.poses), errors, real)
        self.radio = Radio(
            self.scene.ids, parameters, np.random.default_rng([parameters.seed, 3]))
        self.lidar = Lidar(self.scene.arena, self.scene.obstacles)
        self.peaks = parameters.reading_peaks
        self.sighting_sensors = make_sighting_sensors(self.scene, parameters)
        self._fail(parameters)

    def configure(self, parameters: WorldParameters) -> None:
        """Apply changed parameters, those that are dynamic."""
        self.radio.configure(parameters)
        for sensor in self.sighting_sensors:
            if isinstance(sensor, Ranging):
                sensor.configure(parameters)
        if self._controller is not None:
            self._controller.configure(parameters)
        self._fail(parameters)

    def _fail(self, parameters: WorldParameters) -> None:
        """Apply the faults of odometry, and carry the robots that are named now."""
        if parameters.carried_robots != self._carried:
            self._carried = parameters.carried_robots
            rows = self._named(parameters, 'carried_robots')
            at, by = max(parameters.carried_at, self.time), np.array(parameters.carried_by)
            if isinstance(self._motion, ReplayMotion):
                self._motion.carry(rows, at, by)
            else:
                self._planned.append((rows, at, by))
        self.odom_silent = frozenset(self._named(parameters, 'odom_silent'))
        self._shift = np.zeros((len(self.poses), 3))
        self._shift[self._named(parameters, 'odom_shifted'), 0] = parameters.odom_shift

    def _named(self, parameters: WorldParameters, name: str) -> list[int]:
        """Return the rows of the robots whose ids a parameter has."""
        ranges = id_ranges(getattr(parameters, name), name)
        return [row for robot, row in self._rows.items() if within(robot, ranges)]

    def _make_driven_motion(self, parameters: WorldParameters) -> motions.Motion:
        robots, slips = len(self.poses), parameters.physics == 'mujoco'
        if parameters.motion == 'levy':
            self._controller = motions.LevyWalk(
                robots, parameters, np.random.default_rng([parameters.seed, 1]),
                *((_ACCURACY, _SETTLING) if slips else ()))
        elif parameters.motion == 'cmd_vel':
            self._controller = self.commands = motions.VelocityCommands(robots, parameters)
        elif slips:
            self._controller = motions.VelocityCommands(robots, parameters)
        else:
            return motions.StaticMotion()
        if not slips:
            free = free_space(self.scene.arena, self.scene.obstacles, RADIUS)
            return motions.DrivenMotion(self._controller, free, robots)
        # Only where it is asked for: MuJoCo is an extra.
        try:
            from leader_election.simulation.mujoco_physics import ContactPhysics, PhysicalMotion
        except ImportError as error:
            raise ParameterError('physics', problem=': mujoco is not installed; '
                                 f'{how_to_install(["mujoco"])} ({error})') from error
        self.physics = ContactPhysics(self.scene.arena, self.scene.obstacles, self.poses)
        return PhysicalMotion(self._controller, self.physics)

    @property
    def time(self) -> float:
        """Return the simulated time since the start [s]."""
        return self.steps * self.dt

    @property
    def ended(self) -> bool:
        """Return whether a replay has reached the end of the logs."""
        motion = self._motion
        return isinstance(motion, ReplayMotion) and self.time >= motion.duration

    @property
    def odometry(self) -> Array:
        """Return the poses by odometry, relative to each start [m, rad], shape (n, 3)."""
        return self._shift + (relative(self._starts, self.poses) if self._odom_is_true
                              else self._odometry.poses)

    @property
    def measured(self) -> Array:
        """Return the velocities by odometry [m/s, rad/s], shape (n, 2)."""
        return self.velocities if self._odom_is_true else self._odometry.velocities

    def step(self) -> None:
        """Advance the world by one step."""
        before = self.poses
        self.poses, wheels = self._motion.step(self.poses, self.time, self.dt)
        self._carry()
        self.velocities = (wheels if self.physics is None
                           else velocities_between(before, self.poses, self.dt))
        headings = self._odometry.poses[:, 2]
        self._odometry.step(wheels, self.dt)
        self.covariance.step(headings, self._odometry.velocities, self.dt)
        self.steps += 1

    def _carry(self) -> None:
        """Carry the robots whose time has come, which drive on from their new place."""
        now = self.time + self.dt
        for rows, at, by in self._planned:
            if now >= at:
                self.poses = self.poses.copy()
                self.poses[rows] += by
        self._planned = [each for each in self._planned if now < each[1]]

    def sightings(self, observers: Sequence[int]) -> Array:
        """
        Return the new sightings at the time of the world, once a step.

        :param observers: the rows of the robots whose sightings are wanted.
        :return: columns of :mod:`.sensors`, one block a sensor, shape (m, 4), or (m, 8) with
            places of antennas.
        """
        found = [NO_SIGHTINGS, *(sensor.observe(self.time, self.poses, observers)
                                 for sensor in self.sighting_sensors)]
        width = max(each.shape[1] for each in found)
        return np.concatenate([np.pad(each, ((0, 0), (0, width - each.shape[1])))
                               if each.shape[1] < width else each for each in found])

    def send(self, sender_id: int, message: Any, now: float) -> bool:
        """
        Send a message of a robot by radio, which returns its copies as they arrive.

        :param sender_id: the id of the sending robot.
        :param message: returned unchanged by the radio.
        :param now: the time on the clock of the radio [s].
        :return: whether there is a robot of that id.
        """
        row = self._rows.get(sender_id)
        if row is not None:
            self.radio.send(row, message, self.poses, now)
        return row is not None
