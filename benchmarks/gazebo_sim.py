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
A swarm in Gazebo Sim beside the truth: leaders and positions, minute by minute.

Starts ``ros2 launch leader_election gazebo.launch.py`` headless and with true poses, and watches
it from the first partition on. Needs ROS 2 with ros_gz, sourced. The swarm of
doc/tutorials/gazebo.md whose robots measure each other, with the two files of that page:

``python -m benchmarks.gazebo_sim --beside 'python3 ranges.py 20 --ros-args -p use_sim_time:=true'
params_file:=cooperative.yaml odometry_drift:=true``
"""

import argparse
from collections.abc import Callable, Iterator
from contextlib import contextmanager, ExitStack
import math
import shlex
import signal
import subprocess
import sys
import time

from benchmarks.swarm_watch import Figures, LOOK, Rules, Watch
from leader_election.election.robot.parameters import ElectionParameters
from leader_election.parameters import build
from leader_election.ros.nodes import clock
from leader_election.ros.nodes.declare import overrides
from leader_election.ros.nodes.qos import NEIGHBOURHOOD
from leader_election.swarm.fleet.hosting import RobotHostParameters, strength
from nav_msgs.msg import Odometry
import rclpy
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from std_msgs.msg import String

LAUNCH = ('ros2', 'launch', 'leader_election', 'gazebo.launch.py')
PATIENCE = 180.0
"""The timeout for the first partition [s of this machine]."""
END = 30.0
"""The timeout for the end of a process [s]."""
MINUTE = 60.0
HEADER = (' minute  leader right  partition right  error mean  max [m]  of neighbours [m]  '
          'changes/(robot min)  real-time factor')


def options() -> argparse.Namespace:
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(
        prog='python -m benchmarks.gazebo_sim',
        description='Measure a swarm in Gazebo Sim against the partition by its true positions.')
    parser.add_argument('arguments', nargs='*', metavar='NAME:=VALUE',
                        help='arguments for gazebo.launch.py')
    parser.add_argument('--robots', type=int, default=20, help='default: %(default)s')
    parser.add_argument('--seed', type=int, default=1, help='default: %(default)s')
    parser.add_argument('--seconds', type=float, default=300.0,
                        help='simulated time, from the first partition on; default: %(default)g')
    parser.add_argument('--attach', action='store_true',
                        help='start nothing: watch a swarm that runs with ground_truth:=true')
    parser.add_argument('--beside', action='append', default=[], metavar='COMMAND',
                        help='a command that runs as long')
    return parser.parse_args()


def rules(asked: argparse.Namespace) -> Rules:
    """Return the parameters of the right partition, those of a file not among them."""
    given = dict(word.split(':=', 1) for word in asked.arguments)
    hosts = build(RobotHostParameters, {'seed': asked.seed})
    return Rules(*(float(given.get(name, getattr(ElectionParameters, name))) for name in (
        'radius', 'communication_range', 'radius_hysteresis')),
        {robot: strength(hosts, robot) or 0.0 for robot in range(1, asked.robots + 1)})


@contextmanager
def running(command: list[str]) -> 'Iterator[subprocess.Popen[bytes]]':
    """Run a command, whose output goes to standard error; end it by SIGTERM."""
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=sys.stderr)
    try:
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(END)


def row(title: str, figures: Figures, factor: float) -> str:
    """Return a line of the table."""
    return (f'{title:>7} {figures.robots:13.1%} {figures.partitions:16.1%} '
            f'{figures.error:11.2f} {figures.worst:8.2f} {figures.neighbours:18.2f} '
            f'{figures.changes:20.2f} {factor:17.2f}')


def measure(asked: argparse.Namespace, check: Callable[[], None]) -> None:
    """
    Print the figures of each minute, and of the whole time.

    :param check: raises an error once the swarm has ended.
    :raises RuntimeError: if there is no partition.
    """
    places: dict[int, tuple[float, float]] = {}
    watch = Watch(rules(asked))
    observer = Node('observer', parameter_overrides=overrides({'use_sim_time': True}))

    def now() -> float:
        return clock.seconds(observer.get_clock())

    observer.create_subscription(
        String, '/neighbourhood', lambda message: watch.hear(message.data, now()), NEIGHBOURHOOD)
    observer.create_timer(
        LOOK, lambda: watch.look(now(), places if len(places) == asked.robots else {}))
    for robot in range(1, asked.robots + 1):
        def take(message: Odometry, robot: int = robot) -> None:
            at = message.pose.pose.position
            places[robot] = at.x, at.y
        observer.create_subscription(Odometry, f'robot_{robot}/ground_truth', take, 10)

    def until(simulated: Callable[[], float]) -> tuple[float, float]:
        begin = time.monotonic()
        while now() < simulated():
            rclpy.spin_once(observer, timeout_sec=1.0)
            check()
            if watch.partitioned == math.inf and time.monotonic() - begin > PATIENCE:
                raise RuntimeError(f'no partition within {PATIENCE:g} s: '
                                   f'{len(places)} true positions, '
                                   f'{len(watch.tracker.first_heard)} robots heard')
        return now(), time.monotonic()

    start = until(lambda: watch.partitioned)
    print(HEADER, flush=True)
    last = start
    for minute in range(1, math.ceil(asked.seconds / MINUTE) + 1):
        end = start[0] + min(minute * MINUTE, asked.seconds)
        here = until(lambda end=end: end)
        print(row(str(minute), watch.figures(last[0], here[0]),
                  (here[0] - last[0]) / (here[1] - last[1])), flush=True)
        last = here
    print(row('all', watch.figures(), (last[0] - start[0]) / (last[1] - start[1])))


def main() -> int:
    """Measure; return the exit status."""
    asked = options()
    command = [*LAUNCH, f'robots:={asked.robots}', f'seed:={asked.seed}', 'headless:=true',
               'ground_truth:=true', 'monitor:=false', *asked.arguments]
    print(shlex.join(command), *asked.beside, sep='\n')
    commands = [] if asked.attach else [command, *map(shlex.split, asked.beside)]
    with ExitStack() as stack:
        processes = [stack.enter_context(running(each)) for each in commands]

        def check() -> None:
            for process in processes:
                if process.poll() is not None:
                    raise RuntimeError(f'{process.args} has ended, with {process.returncode}')
        # The arguments of the launch are none of ROS.
        rclpy.init(args=[])
        try:
            measure(asked, check)
        except RuntimeError as error:
            print(f'error: {error}', file=sys.stderr)
            return 1
        except (KeyboardInterrupt, ExternalShutdownException):
            return 130
    return 0


if __name__ == '__main__':
    sys.exit(main())
