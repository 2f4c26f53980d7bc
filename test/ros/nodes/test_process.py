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

"""The robot's node as a process: how it starts, how it refuses, how it stops."""

from collections.abc import Iterator
import itertools
import math
import os
import random
import select
import signal
import subprocess
import sys

from geometry_msgs.msg import Twist
from leader_election.parameters.command_line import ENDS
from leader_election.ros.nodes.election import main
from leader_election.ros.nodes.process import (
    init_ros,
    InputWatch,
    LONGEST,
    LOOKS,
    MissingInput,
    PERIOD,
)
from leader_election.ros.nodes.qos import NEIGHBOURHOOD, SENSOR
import pytest
import rclpy
from rclpy.clock_type import ClockType
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.time import Time
from rclpy.time_source import TimeSource
from ros.nodes.bench import Bench, collect, leaders, robot
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import LaserScan
from std_msgs.msg import String
from support import logged, PATIENCE, spin_until

COMMAND = 'from leader_election import cli; raise SystemExit(cli.run("election_node"))'
# The same, with a line once signals are handled: the start of the interpreter is not tested.
HANDLED = ('from leader_election import cli; cli.stop_with(0); print("up", flush=True); '
           'raise SystemExit(cli.run("election_node"))')
FALLS = """
from leader_election.ros.nodes.process import run
from rclpy.node import Node

class Falls(Node):
    def __init__(self):
        super().__init__('falls')
        self.create_timer(0.01, self.fall)

    def fall(self):
        raise LookupError('no such shelf')

    def close(self):
        print('closed')

run(lambda: [Falls()])
"""
BUSY = """
import time
from leader_election.ros.nodes.process import run
from rclpy.node import Node

class Busy(Node):
    def __init__(self):
        super().__init__('busy')
        self.create_timer(0.001, lambda: time.sleep(0.005))
        self.create_timer(0.001, lambda: print('busy', flush=True))

run(lambda: [Busy()])
"""
LAST_MESSAGES = 20
CLOSES = f"""
from leader_election.ros.nodes.process import run
from rclpy.node import Node
from std_msgs.msg import String

class Closes(Node):
    over = False

    def __init__(self):
        super().__init__('closes')
        self.output = self.create_publisher(String, 'output', {LAST_MESSAGES})
        self.create_timer(0.01, self.check)

    def check(self):
        self.over = self.output.get_subscription_count() > 0

    def close(self):
        for k in range({LAST_MESSAGES}):
            self.output.publish(String(data=str(k) + ' ' * 200_000))

raise SystemExit(run(lambda: [Closes()]))
"""
HANGS = """
import ctypes
from leader_election.ros.nodes.process import run
from rclpy.node import Node

class Hangs(Node):
    over = True

    def destroy_node(self):
        # With the lock of the interpreter, like a call of rclpy.
        ctypes.PyDLL(None).pause()

run(lambda: [Hangs('hangs')])
"""


def start(code: str, *ros_arguments: str) -> subprocess.Popen:
    # The tests may run below nohup, whose children ignore SIGHUP, or in the background of a
    # script, where they ignore SIGQUIT.
    ignored = {number: signal.signal(number, signal.SIG_DFL)
               for number in (signal.SIGHUP, signal.SIGQUIT)}
    try:
        return subprocess.Popen(
            [sys.executable, '-c', code, '--ros-args', *ros_arguments],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    finally:
        for number, handler in ignored.items():
            signal.signal(number, handler)


def unexpected(err: str) -> list[str]:
    """Return the lines on standard error but the one that says which robot runs."""
    return [line for line in err.splitlines() if not line.startswith('[INFO]')]


def moves(command: Twist) -> bool:
    return command.linear.x != 0.0 or command.angular.z != 0.0


@pytest.fixture
def robots() -> Iterator[list[subprocess.Popen]]:
    """Return a list of processes, none of which survives the test."""
    started: list[subprocess.Popen] = []
    yield started
    for process in started:
        process.kill()
        process.communicate()


def test_process_ends_with_one_line_and_logs_the_reason_when_a_parameter_is_wrong(
        robots, tmp_path, monkeypatch):
    monkeypatch.setenv('ROS_LOG_DIR', str(tmp_path))
    robots.append(start(COMMAND, '-p', 'robot_id:=1', '-p', 'radius:=-1.0'))
    out, err = robots[0].communicate(timeout=PATIENCE)
    assert (robots[0].returncode, out) == (2, '')
    (last,) = err.splitlines()
    assert last.startswith('error: parameter radius: -1.0 is not allowed')
    (log,) = tmp_path.iterdir()
    assert last.removeprefix('error: ') in log.read_text()


def test_command_ends_with_one_line_when_the_home_cannot_be_written(tmp_path):
    kept = {key: value for key, value in os.environ.items() if key not in (
        'HOME', 'ROS_LOG_DIR', 'ROS_HOME')}
    ran = subprocess.run(
        [sys.executable, '-m', 'leader_election', 'election_node'], cwd=tmp_path,
        capture_output=True, text=True, timeout=PATIENCE,
        env=kept | {'PYTHONPATH': os.pathsep.join(sys.path)})
    assert (ran.returncode, ran.stderr) == (2, (
        'error: ROS cannot write its log to ~/.ros/log; set ROS_LOG_DIR to a folder that this '
        'user can write\n'))


@pytest.mark.parametrize(('domain', 'text', 'said'), [
    ('233', 'robot_id: 1', "parameter ROS_DOMAIN_ID: '233' is not allowed; it takes 0 to 232"),
    ('0', 'robot_id: 5.0', 'parameter robot_id: 5.0 is not allowed; it takes a whole number, 0 '),
    ('0', '\trobot_id: 3', 'has a tab in line 3; YAML takes spaces')])
def test_wrong_number_or_file_is_one_line_with_what_is_allowed(
        domain, text, said, tmp_path, monkeypatch, capfd):
    file = tmp_path / 'mine.yaml'
    file.write_text(f'/**:\n  ros__parameters:\n    {text}\n')
    monkeypatch.setenv('ROS_DOMAIN_ID', domain)
    monkeypatch.setattr(sys, 'argv', ['node', '--ros-args', '--params-file', str(file)])
    assert main() == 2
    out, err = capfd.readouterr()
    *_, last = err.splitlines()
    assert out == '' and last.startswith('error: ') and said in last


def test_negative_time_on_the_clock_is_skipped_with_a_warning(ros, monkeypatch, capfd):
    monkeypatch.setattr(TimeSource, 'clock_callback', TimeSource.clock_callback)
    rclpy.shutdown()
    init_ros([])
    node = robot(7, use_sim_time=True, metric='hops', communication_range=math.inf)
    bench = Bench({}, name='watcher')
    clock = bench.create_publisher(Clock, '/clock', SENSOR)
    times, said = itertools.repeat(-20), []

    def tick() -> None:
        message = Clock()
        message.clock.sec = next(times)
        clock.publish(message)

    bench.create_timer(0.02, tick)
    spin_until([node, bench], lambda: said.append(capfd.readouterr().err)
               or any('on /clock is skipped' in text for text in said))
    times = itertools.count()
    spin_until([node, bench], lambda: leaders([node]) == [7])
    assert 'on /clock is skipped' not in capfd.readouterr().err, 'once'


def test_times_that_come_together_silence_no_robot(ros):
    """A busy process takes several times from ``/clock`` before its timers run."""
    node = robot(7, use_sim_time=True, round_period=1.0)
    bench = Bench({}, name='watcher')
    said, now = [], 0

    def tick() -> None:
        nonlocal now
        # Each six seconds, 1.5 s pass at once.
        for _ in range(15 if now % 60 == 30 else 1):
            now += 1
            node.get_clock().set_ros_time_override(
                Time(nanoseconds=now * 10**8, clock_type=ClockType.ROS_TIME))

    bench.create_timer(0.005, tick)
    bench.create_subscription(String, '/neighbourhood', lambda _: said.append(now), NEIGHBOURHOOD)
    spin_until([node, bench], lambda: now > 300)
    assert max(later - earlier for earlier, later in itertools.pairwise([0, *said, now])) < 40


def test_stopped_process_stops_the_wheels_and_says_goodbye(ros, robots):
    """A leader wanders in open space. A whole number is accepted for a float parameter."""
    bench = Bench({7: (0.0, 0.0)}, name='watcher')
    eyes = bench.create_publisher(LaserScan, '/r7/scan', SENSOR)
    free = LaserScan(angle_increment=math.pi / 4, range_max=4.0, ranges=[math.inf] * 8)
    bench.create_timer(0.05, lambda: eyes.publish(free))
    said = collect(bench, Twist, '/r7/cmd_vel', 10)
    robots.append(start(COMMAND, '-r', '__ns:=/r7', '-p', 'robot_id:=7', '-p', 'tasks:=rally',
                        '-p', 'rally.reaction:=5.0', '-p', 'radius:=5'))
    spin_until([bench], lambda: any(moves(command) for command in said))
    robots[0].send_signal(signal.SIGINT)
    spin_until([bench], lambda: robots[0].poll() is not None and not moves(said[-1]))
    out, err = robots[0].communicate(timeout=PATIENCE)
    # Otherwise others would wait for it for twenty seconds.
    spin_until([bench], lambda: bench.count_publishers('/r7/leader') == 0, deadline=15.0)
    assert (robots[0].returncode, out) == (0, '')
    assert logged(err) == [
        'robot 7: algorithm bounded, radius 5 m, communication range 5 m, topic '
        '/r7/neighbourhood, no key', 'leads: it had no leader']


def test_failing_node_is_closed_and_ends_with_status_1(robots):
    """Closing stops driven robots. The error is printed."""
    robots.append(start(FALLS))
    out, err = robots[0].communicate(timeout=PATIENCE)
    assert (robots[0].returncode, out) == (1, 'closed\n')
    assert err.endswith('LookupError: no such shelf\n')


def test_robot_runs_and_stops_when_rclpy_has_no_events_executor(robots):
    robots.append(start('import sys; sys.modules["rclpy.experimental"] = None\n' + COMMAND,
                        '-p', 'robot_id:=1', '-p', 'metric:=hops'))
    assert any('leads: it had no leader' in line for line in robots[0].stderr)
    robots[0].send_signal(signal.SIGTERM)
    assert robots[0].wait(timeout=PATIENCE) == 0


def test_process_ends_when_the_middleware_hangs(robots):
    robots.append(start(HANGS))
    out, err = robots[0].communicate(timeout=PATIENCE)
    assert (out, unexpected(err), robots[0].returncode) == ('', [], 0)


def test_message_arrives_when_sent_at_the_end(ros, robots):
    node = Node('reader')
    received: list[str] = []
    node.create_subscription(
        String, 'output', lambda message: received.append(message.data.strip()), LAST_MESSAGES)
    robots.append(start(CLOSES))
    spin_until([node], lambda: robots[0].poll() is not None)
    assert robots[0].returncode == 0
    spin_until([node], lambda: len(received) >= LAST_MESSAGES)
    assert received == [str(k) for k in range(LAST_MESSAGES)]


def test_node_stops_cleanly_at_any_moment(robots):
    """
    Start eight processes at once, and stop each by another signal, with random pauses between.

    The first is stopped before it imports rclpy, the last when it runs.
    """
    rng = random.Random(5)
    for n in range(len(ENDS)):
        robots.append(start(HANDLED, '-p', f'robot_id:={n}'))
    for n, process in enumerate(robots):
        assert process.stdout.readline() == 'up\n'
        select.select([], [], [], rng.uniform(0.0, 0.5) if n else 0.0)
        process.send_signal(ENDS[n])
    for process in robots:
        out, err = process.communicate(timeout=PATIENCE)
        assert (process.returncode, out, unexpected(err)) == (0, '', [])


def test_busy_process_stops_on_a_signal(robots: list[subprocess.Popen]) -> None:
    busy = start(BUSY)
    robots.append(busy)
    assert busy.stdout is not None and busy.stdout.readline() == 'busy\n'
    busy.send_signal(signal.SIGINT)
    busy.communicate(timeout=PATIENCE)
    assert busy.returncode == 0


class Logger:
    def __init__(self) -> None:
        self.lines: list[str] = []

    def warning(self, line: str) -> None:
        self.lines.append(f'warning: {line}')

    def info(self, line: str) -> None:
        self.lines.append(f'info: {line}')


class Waiter(Node):
    """
    A node that waits for what it is told.

    :ivar lacks: what it waits for.
    """

    def __init__(self, name: str, sim_time: bool = False) -> None:
        super().__init__(name, parameter_overrides=[Parameter('use_sim_time', value=sim_time)])
        self.log = Logger()
        self.lacks: list[str] = []

    def get_logger(self) -> Logger:  # type: ignore[override]
        return self.log

    def missing(self) -> list[MissingInput]:
        return [MissingInput('odometry', topic, 'start the driver') for topic in self.lacks]


def looked(waiting: InputWatch, looks: int, begin: int = 0) -> None:
    for k in range(begin, begin + looks):
        waiting.look((k + 1) * PERIOD)


def test_missing_input_is_logged_at_growing_intervals(ros):
    first, second = Waiter('first'), Waiter('second')
    waiting = InputWatch([first, second], 0.0)
    first.lacks = ['/a/odom']
    looked(waiting, LOOKS - 1)
    first.lacks = []
    looked(waiting, 1, LOOKS - 1)
    first.lacks, second.lacks = ['/a/odom', '/b/odom', '/c/odom'], ['/d/odom']
    looked(waiting, LOOKS - 1, LOOKS)
    assert first.log.lines == [], 'it came in time'
    looked(waiting, 1, 2 * LOOKS - 1)
    assert first.log.lines == [
        'warning: waiting for odometry for 8 s: nothing comes on /a/odom, /b/odom, /c/odom and '
        '1 more topics; start the driver']
    assert LOOKS * PERIOD <= 10.0
    looked(waiting, 200, 2 * LOOKS)
    lines = 200 * PERIOD / LONGEST
    assert lines < len(first.log.lines) < lines + 6 and second.log.lines == []
    first.lacks = second.lacks = []
    looked(waiting, 2, 206)
    assert first.log.lines[-1] == 'info: no longer waiting for odometry'


def test_stopped_simulated_time_is_logged_before_missing_inputs(ros):
    node, clock = Waiter('node', sim_time=True), Node('simulator')
    topic = clock.create_publisher(Clock, '/clock', 10)
    waiting = InputWatch([node], 0.0)
    node.lacks = ['/odom']
    looked(waiting, LOOKS)
    (line,) = node.log.lines
    assert line.startswith('warning: waiting for time for 8 s: simulated time stands still at 0.0')
    assert 'use_sim_time' in line and 'net.core.rmem_default=4194304' in line

    def tick(seconds: int) -> None:
        message = Clock()
        message.clock.sec = seconds

        def ticked() -> bool:
            topic.publish(message)
            return node.get_clock().now().nanoseconds == seconds * 10**9
        spin_until([node, clock], ticked)

    tick(1)
    looked(waiting, 1, LOOKS)
    assert node.log.lines[1:] == ['info: no longer waiting for time']
    for k in range(2 * LOOKS):
        tick(2 + k)
        looked(waiting, 1, LOOKS + 1 + k)
    assert 'waiting for odometry' in node.log.lines[2]
    # A paused simulator is noticed, too.
    looked(waiting, LOOKS, 20)
    assert 'stands still at 7.0 s' in node.log.lines[-1]
    assert 'info: no longer waiting for odometry' not in node.log.lines, 'nothing is known of it'


# The executable ``await_clock``, as a process: it ends when simulated time passes.

def test_await_clock_ends_when_time_passes(ros):
    """A clock that stands still, as of a paused simulator, is not sufficient."""
    node = Node('simulator')
    topic = node.create_publisher(Clock, '/clock', 10)
    with subprocess.Popen([sys.executable, '-m', 'leader_election', 'await_clock',
                           '--ros-args', '-r', '__node:=watch']) as process:
        ticks = passed = 0

        def tick() -> None:
            nonlocal ticks, passed
            ticks += topic.get_subscription_count()
            passed += ticks > 40
            message = Clock()
            message.clock.sec = 100 + passed
            topic.publish(message)

        try:
            node.create_timer(0.05, tick)
            spin_until([node], lambda: ticks > 40, 60.0)
            assert process.poll() is None
            spin_until([node], lambda: process.poll() is not None, 60.0)
            assert process.poll() == 0
        finally:
            process.kill()
