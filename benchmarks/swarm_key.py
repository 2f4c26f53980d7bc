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
The cost of a swarm key: length of messages, and processor time of a robot among a hundred.

Without and with a key in turns or at once, so that other load affects both equally.
"""

from collections.abc import Sequence
import math
from pathlib import Path
from statistics import median
import tempfile
import time

from benchmarks.hosted_swarm import ros
from leader_election.election.algorithms import BOUNDED
from leader_election.election.messages.codec import codec_for, Message
from leader_election.election.messages.swarm_key import Authentication, Keys, NO_KEYS
from leader_election.election.robot.parameters import ElectionParameters
from leader_election.election.robot.reception import DROPPED, HEARD
from leader_election.election.robot.robot import Robot
from leader_election.ros.demo.processes import Processes
from leader_election.ros.nodes.process import spin
from leader_election.ros.nodes.qos import NEIGHBOURHOOD, SENSOR
from leader_election.swarm.fleet.key_file import make_key
from nav_msgs.msg import Odometry
import psutil
from rclpy.node import Node
from std_msgs.msg import String

ROBOTS = 100
ROUNDS = 500
SETTLE = 3.0
MEASURE = 45.0
"""The length of the measurement of processes [s]."""
QUICK = 10.0
"""The rate of rounds, high for a more accurate measurement [1/s]."""


class Senders:
    """The messages of the other robots, each round new ones."""

    def __init__(self, keys: Keys) -> None:
        self._codec = codec_for(BOUNDED)
        self._start = time.time_ns() // 10**6
        self._each = {i: Authentication(keys, self._start) for i in range(2, ROBOTS + 1)}
        self.length = 0.0

    def messages(self, now: float) -> list[str]:
        """Return a message of each; one digit changes, so that messages are not cached."""
        said = [authentication.sign(self._codec.encode(Message(
            i, 'map', (0.02 * i, round(now, 3) * 1e-6),
            BOUNDED.state(-100.0, 0.02 * (ROBOTS - i), ROBOTS))), i, now)
            for i, authentication in self._each.items()]
        self.length = sum(map(len, said)) / len(said)
        return said


class Core:
    """A robot without ROS, which receives the messages of all others and runs a round."""

    def __init__(self, keys: Keys) -> None:
        self.robot = Robot(ElectionParameters(robot_id=1, radius=10.0), keys=keys,
                           start=time.time_ns() // 10**6)
        self.senders = Senders(keys)
        self.times: list[float] = []

    def period(self, now: float) -> None:
        """Receive and run a round, and record its time."""
        said = self.senders.messages(now)
        self.robot.sensing.take_odometry((0.0, 0.0, 0.0), now)
        begin = time.thread_time()
        for payload in said:
            self.robot.receive(payload, now)
        self.robot.round(now)
        self.times.append(time.thread_time() - begin)


def in_the_core(keys: Keys) -> tuple[Core, Core]:
    """Return two robots that have run rounds in turns, without and with the key."""
    without, with_key = Core(NO_KEYS), Core(keys)
    for n in range(1, ROUNDS + 1):
        for each in (without, with_key)[::1 if n % 2 else -1]:
            each.period(float(n))
    for each in (without, with_key):
        assert len(each.robot.neighbours) == ROBOTS - 1 and each.robot.counts[DROPPED] == 0
        assert each.robot.counts[HEARD] == ROUNDS * (ROBOTS - 1)
    return without, with_key


def in_processes(children: Processes, air: Node, keys: Keys, path: Path) -> tuple[float, float]:
    """
    Return the processor time of a robot's process, without and with the key [s of each s].

    Both run at once, so that other load slows them equally.
    """
    begin, place = time.monotonic(), Odometry()
    place.header.frame_id = 'map'
    found, said = [], []
    for name, those in (('plain', NO_KEYS), ('keyed', keys)):
        found.append(psutil.Process(children.start(name, 'election_node', {
            'robot_id': 1, 'radius': 10.0, 'schedule': 'periodic', 'round_period': 1.0 / QUICK,
            'swarm_key_file': str(path) if those else ''},
            {'__node': 'election_node', '__ns': f'/{name}'})))
        said.append((Senders(those), air.create_publisher(Odometry, f'/{name}/odom', SENSOR),
                     air.create_publisher(String, f'/{name}/neighbourhood', NEIGHBOURHOOD)))

    def speak() -> None:
        now = time.monotonic() - begin
        for senders, odometry, voice in said:
            odometry.publish(place)
            for payload in senders.messages(now):
                voice.publish(String(data=payload))

    def wait(seconds: float) -> list[float]:
        end = time.monotonic() + seconds
        spin([air], lambda: time.monotonic() > end)
        children.check()
        return [sum(process.cpu_times()[:2]) for process in found]

    spin([air], lambda: all(voice.get_subscription_count() for _, _, voice in said),
         deadline=60.0)
    air.create_timer(1.0 / QUICK, speak)
    before = wait(SETTLE)
    without, with_key = ((after - earlier) / MEASURE
                         for after, earlier in zip(wait(MEASURE), before))
    return without, with_key


def told(what: str, pair: Sequence[float], unit: str, factor: float = 1.0) -> None:
    """Print a pair of figures, without and with the key."""
    without, with_key = (value * factor for value in pair)
    more = math.inf if without == 0.0 else with_key / without - 1.0
    print(f'{what}: {without:.1f} {unit} without, {with_key:.1f} {unit} with the key: '
          f'{more:+.1%}', flush=True)


def main() -> None:
    """Print the figures."""
    print(f'## A swarm key: a robot among {ROBOTS}')
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / 'swarm.key'
        keys = make_key(path)
        cores = in_the_core(keys)
        lengths = [each.senders.length for each in cores]
        print(f'a message: {lengths[0]:.1f} bytes without, {lengths[1]:.1f} with the key: '
              f'{lengths[1] - lengths[0]:+.1f}')
        told('99 receipts and a round, without ROS, median',
             [median(each.times) for each in cores], 'us', 1e6)
        with ros(), Processes(Path(folder) / 'logs') as children:
            told(f"a robot's process at {QUICK:g} rounds a second, of a core",
                 in_processes(children, Node('air'), keys, path), '%', 100.0)


if __name__ == '__main__':
    main()
