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
Twenty robots in two ROS domains, which hear each other by links over UDP on this computer.

Prints the latency from a robot's message in one domain to the same message in the other, and the
share that is lost, also where a transport drops some of the packets, or delays them.
"""

from functools import partial
import os
import random
import signal
import statistics
import subprocess
import sys
from threading import Thread, Timer
import time

from leader_election.election.robot.diagnostics import LEADER
from leader_election.ros.nodes.link import Link
from leader_election.ros.nodes.qos import NEIGHBOURHOOD, OUTPUT
from leader_election.swarm.fleet.transports import TRANSPORTS, Udp
import rclpy
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.parameter import Parameter
from std_msgs.msg import Int64, String

ROBOTS, DOMAINS, PORTS = 20, (12, 13), (17447, 17448)
SETTLED, SECONDS = 15.0, 30.0
LATEST = 0.8
"""The greatest latency: later, it is the next message [s]."""
TRIALS = (0.0, 0.0), (0.1, 0.0), (0.3, 0.0), (0.0, 0.4), (0.3, 0.4)
"""Shares of packets that are dropped, and the longest delays of the others [s]."""
Heard = tuple[int, str, float]
"""The domain of the sender, the message, and the time [s]."""


class Lossy(Udp):
    """UDP that drops a share of the packets, and delays the others, so that they overtake."""

    name = 'lossy'
    share = 0.0
    delay = 0.0
    """The longest delay [s]."""

    def send(self, data: bytes) -> str:
        """Send a packet, at once or later, or drop it."""
        if random.random() < self.share:
            return ''
        if not self.delay:
            return super().send(data)
        Timer(random.uniform(0.0, self.delay), super().send, (data,)).start()
        return ''


def measure(share: float, delay: float) -> None:
    """Run the robots with this loss and delay, and print a line."""
    Lossy.share, Lossy.delay = share, delay
    sent: list[Heard] = []
    came: list[Heard] = []
    leaders: dict[int, int] = {}

    def note(heard: list[Heard], domain: int, message: String) -> None:
        heard.append((domain, message.data, time.monotonic()))

    def elect(robot: int, message: Int64) -> None:
        leaders[robot] = message.data

    fleets, links, contexts, executors = [], [], [], []
    for i, domain in enumerate(DOMAINS):
        members = f'{1 + i * ROBOTS // 2}-{(i + 1) * ROBOTS // 2}'
        fleets.append(subprocess.Popen(
            [sys.executable, '-m', 'leader_election', 'fleet', '--ros-args',
             *(word for name, value in {
                 'robots': ROBOTS, 'members': f"'{members}'", 'metric': 'hops',
                 'communication_range': '.inf', 'send_topic': '/outgoing'}.items()
               for word in ('-p', f'{name}:={value}'))],
            env=os.environ | {'ROS_DOMAIN_ID': str(domain)}, stderr=subprocess.DEVNULL))
        context = Context()
        rclpy.init(context=context, domain_id=domain)
        observer = Node('observer', context=context, use_global_arguments=False)
        for topic, heard, origin in ('/outgoing', sent, domain), (
                '/neighbourhood', came, DOMAINS[1 - i]):
            observer.create_subscription(String, topic, partial(note, heard, origin),
                                         NEIGHBOURHOOD)
        for robot in range(1 + i * ROBOTS // 2, 1 + (i + 1) * ROBOTS // 2):
            observer.create_subscription(
                Int64, f'/robot_{robot}/{LEADER}', partial(elect, robot), OUTPUT)
        links.append(Link(
            context=context, use_global_arguments=False, parameter_overrides=[
                Parameter('kind', value='lossy'), Parameter('port', value=PORTS[i]),
                Parameter('peers', value=f'localhost:{PORTS[1 - i]}')]))
        executor = SingleThreadedExecutor(context=context)
        executor.add_node(observer)
        executor.add_node(links[-1])
        contexts.append(context)
        executors.append(executor)
        Thread(target=executor.spin, daemon=True).start()
    time.sleep(SETTLED)
    sent.clear()
    time.sleep(SECONDS)
    agreed, taken = len({*leaders.values()}), sent[:]
    time.sleep(LATEST)
    for fleet in fleets:
        fleet.send_signal(signal.SIGINT)
    for fleet in fleets:
        fleet.wait()
    for link, context, executor in zip(links, contexts, executors):
        executor.shutdown()
        link.close()
        rclpy.shutdown(context=context)
    # A robot at rest sends the same text once a second.
    delays = [delay for domain, text, at in taken
              for delay in [min((back - at for other, same, back in came
                                 if (other, same) == (domain, text) and at - 0.01 < back),
                                default=1.0)] if delay < LATEST]
    print(f'{share:8.0%} {delay:8.1f} {len(taken):9} {1 - len(delays) / len(taken):8.1%} '
          f'{1e3 * statistics.median(delays):9.1f} '
          f'{1e3 * statistics.quantiles(delays, n=20)[-1]:8.1f} {agreed:8}',
          flush=True)


def main() -> None:
    """Print the figures."""
    TRANSPORTS.add(Lossy)
    print(' dropped  delay/s  messages     lost median/ms  95 %/ms  leaders')
    for share, delay in TRIALS:
        measure(share, delay)


if __name__ == '__main__':
    main()
