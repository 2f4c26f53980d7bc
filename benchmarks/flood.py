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
Rounds under a flood: a robot's node, and a process that sends it long messages of many ids.

Each message is legal, has 4 kB and 16 instances with regions that the robot does not run.
"""

import multiprocessing
import time

from leader_election.election.algorithms import BOUNDED, Device
from leader_election.election.messages.codec import (
    codec_for,
    InstanceMessage,
    MAX_LENGTH,
    Message,
)
from leader_election.election.messages.region_codec import region_part
from leader_election.election.robot.reception import HEARD, ROUNDS
from leader_election.ros.nodes.election import ElectionNode
from leader_election.ros.nodes.process import make_executor
from leader_election.ros.nodes.qos import NEIGHBOURHOOD
import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.parameter import Parameter
from std_msgs.msg import String

RATES = (0, 500, 2500, 8000)
SECONDS = 10.0
IDS = 250
PERIOD = 1.0


def payload(sender: int) -> str:
    """Return a legal message of the greatest length with 16 instances."""
    numbers = 20
    while True:
        region = region_part(parent=1, summary=tuple(1.0 + k for k in range(numbers)))
        export = BOUNDED.start(Device(sender, -1.0))
        made = codec_for(BOUNDED).encode(Message(sender, 'map', (1.0, 0.0), export, others={
            f'instance_{k}': InstanceMessage('bounded', export, {'regions': region})
            for k in range(16)}))
        if len(made) <= MAX_LENGTH - 4:
            return made
        numbers -= 1


def flood(rate: int, seconds: float) -> None:
    """Send messages at a rate [1/s] for a time."""
    rclpy.init()
    node = rclpy.create_node('flood')
    air = node.create_publisher(String, '/neighbourhood', NEIGHBOURHOOD)
    payloads = [payload(1000 + k) for k in range(IDS)]
    begin, sent = time.monotonic(), 0
    while (now := time.monotonic() - begin) < seconds:
        while sent < now * rate:
            # All are different, so none is in the cache of decoded messages.
            air.publish(String(data=payloads[sent % IDS].replace(
                '[1.0,0.0]', f'[1.0,0.{sent % 100000:05d}]', 1)))
            sent += 1
        time.sleep(0.002)
    rclpy.shutdown()


def rounds_under(rate: int, kind: str) -> tuple[float, float, float]:
    """Return rounds/s, the longest time between two rounds [s], and messages received/s."""
    rclpy.init()
    node = ElectionNode(use_global_arguments=False, parameter_overrides=[
        Parameter(name, value=value) for name, value in {
            'robot_id': 1, 'round_period': PERIOD, 'communication_range': float('inf'),
            'metric': 'hops', 'radius': 5.0}.items()])
    robot = node.election.robot
    sender = multiprocessing.get_context('spawn').Process(
        target=flood, args=(rate, SECONDS + 4.0))
    sender.start()
    executor = make_executor() if kind == 'events' else SingleThreadedExecutor()
    executor.add_node(node)

    def spin(until: float) -> list[float]:
        ran, rounds = [time.monotonic()], robot.counts[ROUNDS]
        while time.monotonic() < until:
            executor.spin_once(timeout_sec=0.1)
            if robot.counts[ROUNDS] > rounds:
                rounds = robot.counts[ROUNDS]
                ran.append(time.monotonic())
        return [*ran, time.monotonic()]

    spin(time.monotonic() + 3.0)
    before, heard = robot.counts[ROUNDS], robot.counts[HEARD]
    ran = spin(time.monotonic() + SECONDS)
    found = ((robot.counts[ROUNDS] - before) / (ran[-1] - ran[0]),
             max(b - a for a, b in zip(ran, ran[1:])),
             (robot.counts[HEARD] - heard) / (ran[-1] - ran[0]))
    sender.join()
    executor.remove_node(node)
    node.destroy_node()
    rclpy.shutdown()
    return found


def main() -> None:
    """Print a line for each rate and executor."""
    print(f'## Rounds under a flood: a round is due each {PERIOD:g} s')
    print('| executor | messages/s sent | heard | rounds/s | longest gap [s] |')
    print('|---|---|---|---|---|')
    for kind in ('events', 'single_threaded'):
        for rate in RATES:
            rounds, gap, heard = rounds_under(rate, kind)
            print(f'| {kind} | {rate} | {heard:.0f} | {rounds:.2f} | {gap:.2f} |', flush=True)


if __name__ == '__main__':
    main()
