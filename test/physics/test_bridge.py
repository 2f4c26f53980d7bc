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

"""Robots in Gazebo, one by one: driven, seen, taken away; and a server that does not start."""

from collections.abc import Callable
import math
import os
from pathlib import Path
from select import select
import subprocess
import sys

from geometry_msgs.msg import Twist
from leader_election.fleet.robot_list import RobotSpec
from leader_election.gazebo.simulator import NO_EQUIPMENT
from leader_election.gazebo.simulator import Simulator as Kind
from leader_election.gazebo.world import WORLD_NAME, world_sdf
from leader_election.world.arena import load_arena
from leader_election.world.line_of_sight import LineOfSight
from leader_election.world.parameters import WorldParameters
from leader_election.world.sightings import Ranging
from nav_msgs.msg import Odometry
import numpy as np
from physics import simulator as server
from physics.bridge import Bridge
from physics.messages import Messages
from physics.simulator import Simulator
from physics.swarm import SCANNER, STEP
import pytest
from rclpy.node import Node
from sensor_msgs.msg import LaserScan
from std_msgs.msg import Float64MultiArray
from support import spin_until

pytestmark = pytest.mark.gazebo

# One looks at the upper wall, 2 m before it; the other stands 1 m to its right.
CREEP = 0.004
"""
More than a robot that stands creeps, its wheels held still: 1.5 mm/s were measured [m/s].

The solver stops before friction is worked out to the end: with ten times the iterations it is
0.3 mm/s.
"""
ROBOTS = [RobotSpec('robot_1', 1, (0.0, 8.0, math.pi / 2)),
          RobotSpec('robot_2', 2, (1.0, 8.0, 0.0))]
RADIOS = Ranging(
    [1, 2], LineOfSight([]), WorldParameters(
        ranging_rate=2.0, ranging_noise=0.0, ranging_outliers=0.0, ranging_loss=0.0),
    np.random.default_rng(1))


class Driver(Node):
    """Says and hears what a robot's node does, of robot 1."""

    def __init__(self) -> None:
        super().__init__('driver')
        self.odom: list[Odometry] = []
        self.scans: list[LaserScan] = []
        self.sightings: dict[str, list[Float64MultiArray]] = {r.name: [] for r in ROBOTS}
        self.wheels = self.create_publisher(Twist, 'robot_1/cmd_vel', 10)
        self.create_subscription(Odometry, 'robot_1/odom', self.odom.append, 10)
        self.create_subscription(LaserScan, 'robot_1/scan', self.scans.append, 10)
        for name, seen in self.sightings.items():
            self.create_subscription(Float64MultiArray, f'{name}/measurements', seen.append, 10)

    def drive(self, forward: float, turning: float) -> None:
        """Command."""
        command = Twist()
        command.linear.x, command.angular.z = forward, turning
        self.wheels.publish(command)


def test_it_drives_sees_and_is_taken_away(gazebo: Path) -> None:
    text = world_sdf(load_arena('empty'), ROBOTS, Kind.GZ_CLASSIC,
                     NO_EQUIPMENT._replace(lidar=SCANNER), STEP)
    with Simulator(gazebo, text, WORLD_NAME) as running:
        bridge, driver = Bridge(running.client, Messages(gazebo), ROBOTS, [RADIOS]), Driver()

        def wait(condition: Callable[[], bool]) -> None:
            spin_until([bridge, driver], condition)
        wait(lambda: bridge.driven and driver.wheels.get_subscription_count() > 0
             and bool(driver.scans) and all(driver.sightings.values()))
        # Beams begin behind and go round by the right: 9 is to the right, 18 ahead. Of the other
        # robot they see the head, of 0.11 m.
        seen = driver.scans[-1].ranges
        assert (seen[18], seen[9]) == pytest.approx((2.0, 0.89), abs=0.02)
        assert seen[0] == seen[27] == math.inf
        for name, other in (('robot_1', 2), ('robot_2', 1)):
            identity, distance, bearing = driver.sightings[name][0].data
            assert (identity, distance) == pytest.approx((other, 1.0), abs=0.02)
            assert math.isnan(bearing)

        driver.drive(0.3, 0.0)
        wait(lambda: bridge.truth[0, 1] > 8.6)
        driver.drive(0.0, 1.0)
        wait(lambda: bridge.truth[0, 2] > 2.5)
        driver.drive(0.0, 0.0)
        heard = len(driver.odom)
        wait(lambda: len(driver.odom) > heard + 4)
        # Forward and to the left, as the wheels know, too, within what they slid.
        x, y, yaw = bridge.wheels.poses[0]
        assert (x, y) == pytest.approx((bridge.truth[0, 1] - 8.0, -bridge.truth[0, 0]), abs=0.05)
        assert yaw == pytest.approx(bridge.truth[0, 2] - math.pi / 2, rel=0.1)
        point = driver.odom[-1].pose.pose.position
        assert (point.x, point.y) == pytest.approx((x, y), abs=0.01)
        # However long all this took: a busy machine takes longer.
        assert bridge.truth[1] == pytest.approx(ROBOTS[1].pose, abs=CREEP * bridge.time)

        bridge.delete('robot_1')
        silent, since = len(driver.odom), bridge.time
        wait(lambda: bridge.time > since + 1.0)
        for seen in driver.sightings.values():
            seen.clear()
        there = bridge.truth[0].copy()
        driver.drive(0.3, 0.0)
        wait(lambda: bridge.time > since + 2.0)
        assert len(driver.odom) <= silent + 1
        assert bridge.truth[0].tolist() == there.tolist()
        # It measures nothing, and its radio does not answer.
        assert not any(driver.sightings.values())
    bridge.destroy_node()
    driver.destroy_node()


def test_a_server_ends_with_who_started_it(gazebo: Path) -> None:
    world = world_sdf(load_arena('empty'), ROBOTS, Kind.GZ_CLASSIC, NO_EQUIPMENT, STEP)
    code = ('import signal, sys\n'
            'from pathlib import Path\n'
            'from physics.simulator import Simulator\n'
            'with Simulator(Path(sys.argv[1]), sys.stdin.read(), sys.argv[2]) as running:\n'
            '    print(running._process.pid, flush=True)\n'
            '    signal.pause()\n')
    with subprocess.Popen(
            [sys.executable, '-c', code, gazebo, WORLD_NAME], text=True, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, 'PYTHONPATH': os.pathsep.join(filter(None, sys.path))}) as parent:
        assert parent.stdin is not None and parent.stdout is not None
        parent.stdin.write(world)
        parent.stdin.close()
        process = os.pidfd_open(int(parent.stdout.readline()))
        assert select([process], [], [], 0.0)[0] == []
        parent.kill()
    # It can be read from when the process has ended.
    assert select([process], [], [], 20.0)[0] == [process]
    os.close(process)


def test_a_world_that_cannot_be_read_is_told_and_nothing_is_left_running(
        gazebo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, 'START_UP', 3.0)
    broken = Simulator(gazebo, '<sdf version="1.7"><world name="swarm">', WORLD_NAME)
    with pytest.raises(RuntimeError, match='gzserver (did not start|has ended)'):
        broken.__enter__()
    assert broken._process.poll() is not None
