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

"""One robot that wanders: what it hears of itself, where it goes, and its wheels."""

from copy import copy
import math

from geometry_msgs.msg import Twist, TwistStamped
from leader_election.nodes import clock
from leader_election.nodes.odometry_origin import Origin
from leader_election.nodes.qos import SENSOR
from leader_election.robot.pose import from_quaternion, heading, IDENTITY, Pose, position
from leader_election.tasks.driving import command, scan_of
from leader_election.tasks.steering import Limits, Scan, steer
from leader_election.tasks.wander import Wander
from nav_msgs.msg import Odometry
from rclpy.clock import Clock
from rclpy.node import Node
from sensor_msgs.msg import LaserScan

Place = tuple[float, float, float]
"""x, y, yaw [m, rad]."""


class Walker:
    """
    Hears a robot's ``odom`` and ``scan``, says its ``cmd_vel``.

    :ivar prefix: what the names of its topics begin with.
    :ivar origin: where its odometry starts; ``None`` where nobody has to know.
    :ivar trouble: why it stands, for people; empty while it drives.
    """

    def __init__(
        self,
        node: Node,
        steady_clock: Clock,
        prefix: str,
        limits: Limits,
        wander: Wander,
        origin: Origin | None,
        stamped: bool,
        scan_yaw: float,
    ) -> None:
        """
        Begin; it stands.

        :param steady_clock: the clock that ages go by.
        :param stamped: whether commands are ``TwistStamped``.
        :param scan_yaw: how far its scanner is turned against it, to the left [rad].
        """
        self.prefix = prefix
        self.origin = origin
        self.trouble = ''
        self._node, self._steady_clock = node, steady_clock
        self._limits, self._wander = limits, wander
        self._odometry: Odometry | None = None
        self._scan: LaserScan | None = None
        self._moved = self._looked = -math.inf
        self._drives, self._stamped, self._scan_yaw = False, stamped, scan_yaw
        self._wheels = node.create_publisher(
            TwistStamped if stamped else Twist, f'{prefix}cmd_vel', 10)
        node.create_subscription(Odometry, f'{prefix}odom', self._move, copy(SENSOR))
        node.create_subscription(LaserScan, f'{prefix}scan', self._look, copy(SENSOR))

    def _move(self, odometry: Odometry) -> None:
        self._odometry, self._moved = odometry, clock.seconds(self._steady_clock)

    def _look(self, scan: LaserScan) -> None:
        self._scan, self._looked = scan, clock.seconds(self._steady_clock)

    @property
    def has_eyes(self) -> bool:
        """Return whether it has a laser scanner: whether it ever heard a scan."""
        return self._scan is not None

    def seen(self) -> Scan | None:
        """Return its last scan, ``None`` where that is too old."""
        scan = self._scan
        if scan is None or not self._fresh(self._looked):
            self.trouble = 'its scans stay away'
            return None
        return scan_of(scan, self._scan_yaw)

    def place(self) -> Place | None:
        """Return where it is in the shared frame, as it last heard; ``None`` if not known."""
        origin, odometry = self.origin, self._odometry
        if origin is None or origin.pose is None or odometry is None:
            return None
        shared = odometry.header.frame_id == origin.frame
        return _place(odometry, IDENTITY if shared else origin.pose)

    def age(self) -> float:
        """Return how long ago it heard where it is [s]."""
        return clock.seconds(self._steady_clock) - self._moved

    def walk(self, scan: Scan | None) -> None:
        """Go on, past what a scan shows; without one, or without odometry, stand."""
        here = None if self._odometry is None else _place(self._odometry, IDENTITY)
        if here is None or not self._fresh(self._moved):
            self.trouble = 'its odometry stays away'
            self._drive(0.0, 0.0)
        elif scan is None:
            self._drive(0.0, 0.0)
        else:
            self.trouble = ''
            # Legs are walked in odometry's own frame: all that counts is how they are from here.
            goal = self._wander.goal(here[0], here[1], clock.seconds(self._steady_clock))
            self._drive(*steer(here, goal, scan, self._limits))

    def stop(self) -> None:
        """Stop the wheels."""
        self._drive(0.0, 0.0)

    def _fresh(self, since: float) -> bool:
        # A clock that was set back says nothing of how old it is.
        return 0.0 <= clock.seconds(self._steady_clock) - since <= self._limits.reaction

    def _drive(self, forward: float, turning: float) -> None:
        """Command; who stands leaves ``cmd_vel`` to others."""
        moves = forward != 0.0 or turning != 0.0
        if moves or self._drives:
            stamp = self._node.get_clock().now().to_msg() if self._stamped else None
            self._wheels.publish(command(forward, turning, stamp))
        self._drives = moves


def _place(odometry: Odometry, origin: Pose) -> Place | None:
    """Return where odometry says that a robot is, from an origin's frame."""
    point, turn = odometry.pose.pose.position, odometry.pose.pose.orientation
    pose = from_quaternion((point.x, point.y, point.z), (turn.x, turn.y, turn.z, turn.w))
    return None if pose is None else (*position(origin @ pose), heading(origin @ pose))
