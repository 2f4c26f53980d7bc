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

"""The world's node over DDS, and as a process."""

from collections.abc import Callable, Iterator
import math
import time
from typing import Any

from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import Twist
from leader_election.ros.nodes.process import make_executor
from leader_election.ros.nodes.swarm_world import SwarmWorld
from leader_election.ros.nodes.world_topics import transform
from leader_election.simulation import sensors
from nav_msgs.msg import Odometry
import numpy as np
import pytest
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from ros.nodes.bench import collect
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import Imu, LaserScan
from std_msgs.msg import Bool, Float64, Float64MultiArray, String
from support import PATIENCE
from visualization_msgs.msg import MarkerArray

LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
BEST_EFFORT = QoSProfile(depth=1000, reliability=ReliabilityPolicy.BEST_EFFORT)
LINE = {'robots': 3, 'world': 'empty', 'layout': 'grid', 'spacing': 2.0}
"""Three robots on two rows of a grid: 1 at (-1, -1), 2 at (1, -1), 3 at (-1, 1)."""


class Bench:
    """A world under test, and a node that subscribes and publishes to its topics."""

    def __init__(self, **parameters: Any) -> None:
        overrides = [Parameter(name, value=value) for name, value in parameters.items()]
        self.world = SwarmWorld(parameter_overrides=overrides, namespace='site')
        self.node = Node('bench', namespace='site')
        self.executor = make_executor()
        self.executor.add_node(self.world)
        self.executor.add_node(self.node)

    def listen(self, kind: Any, topic: str, qos: Any = 100) -> list[Any]:
        """Return the list that all messages of a topic are put into."""
        return collect(self.node, kind, topic, qos)

    def wait(self, condition: Callable[[], bool], seconds: float = PATIENCE) -> None:
        """Spin until a condition holds; fail at the deadline."""
        deadline = time.monotonic() + seconds
        while not condition() and time.monotonic() < deadline:
            self.executor.spin_once(timeout_sec=0.1)
        assert condition()

    def publish_until(self, publisher: Any, message: Any, until: Callable[[], bool]) -> None:
        """Publish repeatedly until a condition holds: unmatched subscribers receive nothing."""
        timer = self.node.create_timer(0.02, lambda: publisher.publish(message))
        self.wait(until)
        self.node.destroy_timer(timer)


@pytest.fixture
def bench(ros: None) -> Iterator[Callable[..., Bench]]:
    """Make benches that are taken down after the test."""
    made: list[Bench] = []

    def make(**parameters: Any) -> Bench:
        made.append(Bench(**parameters))
        return made[-1]

    yield make
    for one in made:
        one.executor.shutdown()


def at(message: Odometry) -> tuple[float, float, float]:
    pose = message.pose.pose
    return (pose.position.x, pose.position.y,
            2 * math.atan2(pose.orientation.z, pose.orientation.w))


def seconds(stamp: Any) -> float:
    return float(stamp.sec) + float(stamp.nanosec) * 1e-9


def test_odometry_starts_at_the_origin_and_ground_truth_at_the_start_pose(bench):
    b = bench(**LINE, motion='cmd_vel')
    odom, truth = b.listen(Odometry, 'robot_2/odom'), b.listen(Odometry, 'robot_2/ground_truth')
    command = b.node.create_publisher(Twist, 'robot_2/cmd_vel', 10)
    b.wait(lambda: bool(odom and truth))
    assert (odom[0].header.frame_id, odom[0].child_frame_id) == ('odom', 'base_link')
    assert truth[0].header.frame_id == 'map'
    assert at(odom[0]) == (0.0, 0.0, 0.0)
    assert at(truth[0]) == (1.0, -1.0, 0.0)
    assert abs(seconds(truth[0].header.stamp) - time.time()) < 30.0
    twist = Twist()
    twist.linear.x, twist.angular.z = 0.4, 0.5
    b.publish_until(command, twist, lambda: at(odom[-1])[0] > 0.05)
    seen = odom[-1]
    b.wait(lambda: truth[-1].header.stamp == odom[-1].header.stamp != seen.header.stamp)
    moving = next(m for m in odom if m.twist.twist.linear.x > 0)
    assert (moving.twist.twist.linear.x, moving.twist.twist.angular.z) == (0.4, 0.5)
    true = {seconds(m.header.stamp): at(m) for m in truth}
    x, y, yaw = true[seconds(odom[-1].header.stamp)]
    assert at(odom[-1]) == pytest.approx((x - 1.0, y + 1.0, yaw))
    assert at(odom[-1])[2] > 0.0

def test_transforms_equal_odometry():
    stamp = Time(sec=3)
    first, second = (transform(stamp, np.array(pose)) for pose in (
        [1.0, 2.0, np.pi], [0.0, -1.0, 0.0]))
    assert (first.header.frame_id, first.child_frame_id) == ('odom', 'base_link')
    assert first.header.stamp == second.header.stamp == stamp
    assert (first.transform.translation.x, first.transform.translation.y) == (1.0, 2.0)
    assert (first.transform.rotation.z, first.transform.rotation.w) == pytest.approx((1.0, 0.0))
    assert (second.transform.translation.y, second.transform.rotation.w) == (-1.0, 1.0)


def test_scene_is_latched(bench):
    b = bench(robots=2, world='blocks')
    odom = b.listen(Odometry, 'robot_1/odom')
    b.wait(lambda: bool(odom))
    scenes = b.listen(MarkerArray, 'world', LATCHED)
    b.wait(lambda: bool(scenes))
    names = [marker.ns for marker in scenes[0].markers]
    assert names == ['arena'] + ['obstacles'] * 5
    assert {(abs(p.x), abs(p.y)) for p in scenes[0].markers[0].points} == {(10.0, 7.0)}
    assert {marker.header.frame_id for marker in scenes[0].markers} == {'map'}


def test_radio_relays_messages_to_robots_within_range(bench):
    b = bench(**LINE, radio='relay', radio_range=2.5)
    heard = [b.listen(String, f'robot_{i}/heard', BEST_EFFORT) for i in (1, 2, 3)]
    air = b.node.create_publisher(String, 'neighbourhood', BEST_EFFORT)
    relay = b.world.relay
    junk = ('nonsense', '{"v":1,"id":9}', '{"v":2,"id":1}', '[' * 20000)
    for payload in junk:
        before = relay.dropped
        b.publish_until(air, String(data=payload), lambda before=before: relay.dropped > before)
    assert not any(heard)
    sent = String(data='{"v":1,"id":2,"c":[1,0,2,0]}')
    b.publish_until(air, sent, lambda: bool(heard[0]))
    b.publish_until(air, String(data='{"v":1,"id":1}'), lambda: bool(heard[1]) and bool(heard[2]))
    assert {m.data for m in heard[0]} == {sent.data}
    # 2 and 3 are 2.83 m apart.
    assert {m.data for m in heard[1] + heard[2]} == {'{"v":1,"id":1}'}


def test_radio_changes_at_run_time_and_is_reported(bench):
    b = bench(**LINE, radio='relay', radio_range=2.5)
    heard = [b.listen(String, f'robot_{i}/heard', BEST_EFFORT) for i in (1, 2, 3)]
    reports = b.listen(DiagnosticArray, '/diagnostics')
    air = b.node.create_publisher(String, 'neighbourhood', BEST_EFFORT)
    b.publish_until(air, String(data='{"v":1,"id":1}'), lambda: bool(heard[1]) and bool(heard[2]))
    [result] = b.world.set_parameters([Parameter('radio_groups', value='3')])
    assert result.successful
    again = '{"v":1,"id":1,"n":2}'
    heard[1].clear()
    b.publish_until(air, String(data=again), lambda: [m.data for m in heard[1]].count(again) > 2)
    assert again not in {m.data for m in heard[2]}
    [result] = b.world.set_parameters([Parameter('radio_groups', value='1-x')])
    assert not result.successful and 'radio_groups' in result.reason
    b.wait(lambda: b.world.world.radio.pending == 0)
    said = {'relayed': b.world.relay.relayed, 'dropped': 0, 'pending': 0,
            **b.world.world.radio.counts}
    b.wait(lambda: any({v.key: v.value for v in report.status[0].values}
                       == {key: str(value) for key, value in said.items()}
                       for report in reports))


def test_odometry_falls_silent_and_jumps_at_run_time(bench):
    b = bench(**LINE)
    first, second = (b.listen(Odometry, f'robot_{i}/odom') for i in (1, 2))
    b.wait(lambda: bool(first and second))
    b.world.set_parameters([Parameter('odom_silent', value='1'),
                            Parameter('odom_shifted', value='2')])
    b.wait(lambda: at(second[-1])[0] == 5.0)
    seen, later = len(first), len(second)
    b.wait(lambda: len(second) > later + 5)
    assert len(first) <= seen + 1
    b.world.set_parameters([Parameter('odom_silent', value=''),
                            Parameter('odom_shifted', value='')])
    b.wait(lambda: len(first) > seen + 3 and at(second[-1])[0] == 0.0)


def test_world_publishes_scans_and_readings(bench):
    # LINE: robot 2 is 2 m ahead of robot 1, robot 3 as far to its left. Both have 0.15 m of body.
    b = bench(**LINE, scan_rate=5.0, reading_rate=10.0, reading_peaks=[-1.0, 1.0, 3.0, 2.0])
    scans = b.listen(LaserScan, 'robot_1/scan')
    readings = [b.listen(Float64, f'robot_{i}/reading') for i in (1, 3)]
    b.wait(lambda: bool(scans) and all(readings))
    scan = scans[0]
    assert scan.ranges[::9].tolist() == pytest.approx([1.85, 1.85, math.inf, math.inf])
    assert (scan.header.frame_id, scan.angle_min, scan.range_min, scan.range_max) == (
        'base_link', 0.0, 0.0, 4.0)
    assert (scan.angle_increment, scan.angle_max, scan.scan_time) == pytest.approx(
        (math.pi / 18, 35 * math.pi / 18, 0.2))
    # Robot 1 is one width from the peak, robot 3 on it.
    assert readings[0][0].data == pytest.approx(3.0 * math.exp(-0.5))
    assert readings[1][0].data == 3.0


def test_bumper_and_imu_detect_a_wall(bench):
    b = bench(robots=1, world='empty:1x1', layout='grid', motion='cmd_vel', physics='mujoco')
    touches, motions = b.listen(Bool, 'robot_1/bumper'), b.listen(Imu, 'robot_1/imu')
    truth = b.listen(Odometry, 'robot_1/ground_truth')
    command = b.node.create_publisher(Twist, 'robot_1/cmd_vel', 10)
    # It rests once its wheels have settled on the floor.
    b.wait(lambda: bool(motions) and abs(motions[-1].linear_acceleration.z - 9.81) < 0.1)
    assert motions[-1].orientation_covariance[0] == -1.0 and not touches
    twist = Twist()
    twist.linear.x = 0.5
    b.publish_until(command, twist, lambda: len(touches) >= 5)
    assert all(touch.data for touch in touches)
    assert at(truth[-1])[0] == pytest.approx(0.35, abs=0.01)
    twist.linear.x = -0.1
    b.publish_until(command, twist, lambda: not touches[-1].data)


def rows(message: Float64MultiArray, columns: str = 'id,range,bearing') -> list[list[float]]:
    """Return the rows of a message of sightings, checked against its layout."""
    width = columns.count(',') + 1
    assert [(dim.label, dim.size, dim.stride) for dim in message.layout.dim] == [
        ('sightings', len(message.data) // width, len(message.data)), (columns, width, width)]
    assert message.layout.data_offset == 0
    return np.reshape(message.data, (-1, width)).tolist()


@pytest.mark.parametrize(('more', 'antennas'), [
    ('', []), (',here_x,here_y,there_x,there_y', [0.5, -0.5, 0.0, 0.25])])
def test_logged_sightings_are_published_when_they_were_made(bench, tmp_path, more, antennas):
    (tmp_path / 'measurements').mkdir()
    for name in ('robot_1', 'robot_2'):
        (tmp_path / f'{name}.csv').write_text('t,v,omega,x,y,theta\n5,0,0,0,0,0\n6,0,0,0,0,0\n')
    (tmp_path / 'measurements' / 'robot_2.csv').write_text(
        f't,subject,range,bearing{more}\n{",".join(map(str, (5.5, 1, 1.5, 0.25, *antennas)))}\n')
    b = bench(logs=str(tmp_path), logged_sightings=True, publish_clock=True, clock_listeners=1)
    seen = b.listen(Float64MultiArray, 'robot_2/measurements')
    other = b.listen(Float64MultiArray, 'robot_1/measurements')
    b.wait(lambda: all(b.node.count_publishers(f'/site/robot_{i}/measurements') for i in (1, 2)))
    at_first: list[float] = []
    b.node.create_subscription(Float64MultiArray, 'robot_2/measurements',
                               lambda _: at_first.append(b.world.world.time), 10)
    b.wait(lambda: b.world.count_subscribers('/site/robot_2/measurements') == 2)
    b.listen(Clock, '/clock')
    b.wait(lambda: bool(seen and at_first) and b.world.world.ended)
    assert rows(seen[0], f'id,range,bearing{more}') == [[1.0, 1.5, 0.25, *antennas]]
    assert len(seen) == 1 and not other
    assert 0.5 <= at_first[0] < 0.8


def test_world_publishes_the_clock_when_configured(bench):
    b = bench(robots=1, world='empty', publish_clock=True, real_time_factor=20.0)
    clock, odom = b.listen(Clock, '/clock'), b.listen(Odometry, 'robot_1/odom')
    begin = time.monotonic()
    b.wait(lambda: bool(clock) and seconds(clock[-1].clock) >= 20.0)
    took = time.monotonic() - begin
    assert took > 0.7  # twenty times as fast as this machine's clock, not as fast as can be
    times = [seconds(m.clock) for m in clock]
    assert abs(times[-1] - b.world.world.time) < 2.0  # it began at 0
    assert all(b > a for a, b in zip(times, times[1:], strict=False))
    b.wait(lambda: bool(odom))
    assert abs(seconds(odom[-1].header.stamp) - times[-1]) < 2.0


@pytest.mark.parametrize(('own', 'least', 'most'), [(False, 5, 10), (True, 1, 2)])
def test_clock_does_not_leap_when_the_world_is_late(bench, own, least, most):
    world = bench(robots=1, world='empty', publish_clock=own).world
    world._tick()
    before = world.world.steps
    world._origin -= 5 * world._period
    world._tick()
    assert least <= world.world.steps - before <= most
    world._tick()
    assert world.world.steps - before <= most


def test_clock_waits_for_its_subscribers(bench):
    b = bench(robots=1, world='empty', publish_clock=True, clock_listeners=1)
    ticks = iter(range(20))
    b.wait(lambda: next(ticks, None) is None)
    assert b.world.world.time == 0.0
    clock = b.listen(Clock, '/clock')
    b.wait(lambda: b.world.world.time > 0.0 and bool(clock))
    assert seconds(clock[0].clock) < 5.0


def test_logs_are_replayed_and_their_end_is_logged_once(bench, tmp_path, capfd):
    # Reported: straight on at 1 m/s. True: only half as fast, facing left.
    (tmp_path / 'a.csv').write_text(
        't,v,omega,x,y,theta\n'
        f'0,1,0,5,5,{math.pi / 2}\n'
        f'0.4,1,0,5,5.2,{math.pi / 2}\n')
    b = bench(logs=str(tmp_path))
    odom = b.listen(Odometry, 'robot_1/odom')
    truth = b.listen(Odometry, 'robot_1/ground_truth')
    b.wait(lambda: b.world.world.time > 0.4)
    seen = len(truth)
    b.wait(lambda: len(truth) > seen + 3 and len(odom) > seen)
    assert capfd.readouterr().err.count('logs are over') == 1
    assert at(truth[-1]) == pytest.approx((5.0, 5.2, math.pi / 2))
    assert at(odom[-1]) == pytest.approx((0.4, 0.0, 0.0))


def test_odometry_covariance_grows_with_the_way(bench):
    """It is 0 without errors and at rest."""
    b = bench(**LINE, motion='cmd_vel', linear_scale_error=0.1, angular_bias=0.01)
    odom, other = b.listen(Odometry, 'robot_2/odom'), b.listen(Odometry, 'robot_1/ground_truth')
    command = b.node.create_publisher(Twist, 'robot_2/cmd_vel', 10)
    twist = Twist()
    twist.linear.x = 0.4
    b.publish_until(command, twist, lambda: bool(odom and other) and at(odom[-1])[0] > 0.2)
    last = odom[-1]
    pose = last.pose.covariance.reshape(6, 6)
    assert math.sqrt(pose[0, 0]) == pytest.approx(0.1 * last.pose.pose.position.x, rel=0.15)
    assert pose[5, 5] > 0.0 and pose[1, 5] == pose[5, 1] > 0.0
    assert not pose[2:5].any() and not pose[:, 2:5].any()
    speed = last.twist.twist.linear.x
    assert last.twist.covariance[[0, 35]].tolist() == pytest.approx([(0.1 * speed) ** 2, 1e-4])
    assert other and not other[-1].pose.covariance.any()


def test_world_publishes_measurements(bench, monkeypatch):
    # LINE: 2 is 2 m ahead of 1, 3 is 2 m to the left of 1, so that only 2 is in view.
    for name in ('RANGING_NOISE', 'RANGING_LOSS', 'CAMERA_NOISE', 'CAMERA_NOISE_SCALE',
                 'BEARING_NOISE', 'CAMERA_LOSS', 'CAMERA_OUTLIERS'):
        monkeypatch.setattr(sensors, name, 0.0)
    b = bench(**LINE, ranging_rate=10.0, ranging_outliers=0.0, camera_rate=10.0,
              ranging_range=2.5)
    first = b.listen(Float64MultiArray, 'robot_1/measurements')
    second = b.listen(Float64MultiArray, 'robot_2/measurements')
    b.wait(lambda: bool(first and second))
    np.testing.assert_equal(rows(first[0]), [
        [2.0, 2.0, math.nan], [3.0, 2.0, math.nan], [2.0, 2.0, 0.0]])
    np.testing.assert_equal(rows(second[0]), [[1.0, 2.0, math.nan]])


def test_world_follows_simulated_time_after_a_jump_back(bench):
    b = bench(robots=1, world='empty', use_sim_time=True)
    odom = b.listen(Odometry, 'robot_1/odom')
    clock = b.node.create_publisher(Clock, '/clock', 10)
    now = [100.0]

    def tick() -> None:
        now[0] += 0.1
        message = Clock()
        message.clock.sec, part = divmod(round(now[0] * 10), 10)
        message.clock.nanosec = part * 10**8
        clock.publish(message)

    b.node.create_timer(0.02, tick)
    b.wait(lambda: len(odom) > 5)
    assert 99.0 < seconds(odom[-1].header.stamp) <= now[0] + 0.2
    now[0] = 20.0
    b.wait(lambda: seconds(odom[-1].header.stamp) < 50.0)
    seen, stepped = len(odom), b.world.world.steps
    b.wait(lambda: len(odom) > seen + 5)
    assert seconds(odom[-1].header.stamp) <= now[0] + 0.2
    assert b.world.world.steps > stepped
