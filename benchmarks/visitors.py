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
Memory of a process beside robots that come and go, by what the process has.

A bare node of rclpy shows what the middleware keeps of each visitor. What the node of a robot
grows by beyond it is this package's.
"""

import argparse
import gc
from itertools import product
import multiprocessing
from multiprocessing.synchronize import Event
import os
from pathlib import Path
import resource
import time

from leader_election.ros.nodes.election_node import ElectionNode
from leader_election.ros.nodes.qos import NEIGHBOURHOOD
import numpy as np
import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.parameter import Parameter
from std_msgs.msg import String

TOPIC = '/neighbourhood'
IDS = 10
"""Visitors come again with the ids of earlier ones, as robots that restart."""
KINDS = ('bare node', 'bare node with the topic', 'robot')


def robot(robot_id: int) -> ElectionNode:
    """Return a robot that hears all others."""
    return ElectionNode(use_global_arguments=False, parameter_overrides=[
        Parameter(name, value=value) for name, value in {
            'robot_id': robot_id, 'round_period': 0.2, 'communication_range': float('inf'),
            'metric': 'hops', 'radius': 5.0}.items()])


def visit(robot_id: int, stay: float, says_goodbye: bool) -> None:
    """Be a robot for a time [s], in a process of its own."""
    rclpy.init()
    node, executor = robot(robot_id), SingleThreadedExecutor()
    executor.add_node(node)
    end = time.monotonic() + stay
    while time.monotonic() < end:
        executor.spin_once(timeout_sec=0.1)
    if says_goodbye:
        node.destroy_node()
        rclpy.shutdown()
    os._exit(0)


def visits(stay: float, says_goodbye: bool, leave: Event) -> None:
    """Let robots come and go, one at a time; this process has no ROS, so that it may fork."""
    number = 0
    while not leave.is_set():
        number += 1
        if (visitor := os.fork()) == 0:
            visit(1000 + number % IDS, stay, says_goodbye)
        os.waitpid(visitor, 0)


def made(kind: str) -> Node:
    """Return a node of a kind."""
    if kind == 'robot':
        return robot(1)
    node = rclpy.create_node('bare')
    if kind != 'bare node':
        node.create_publisher(String, TOPIC, NEIGHBOURHOOD)
        node.create_subscription(String, TOPIC, lambda message: None, NEIGHBOURHOOD)
    return node


def measure(kind: str, seconds: float, stay: float, says_goodbye: bool) -> None:
    """
    Print the number of visitors and the growth of this process [kB a visitor].

    :param seconds: for which it is measured; the first fifth is not counted.
    :param stay: of a visitor [s].
    :param says_goodbye: whether visitors shut ROS down, or end as if killed.
    """
    several = multiprocessing.get_context('spawn')
    leave = several.Event()
    visitors = several.Process(target=visits, args=(stay, says_goodbye, leave))
    visitors.start()
    rclpy.init()
    node, executor = made(kind), SingleThreadedExecutor()
    executor.add_node(node)
    seen: set[str] = set()
    measured: list[tuple[int, int]] = []
    begin = due = time.monotonic()
    while (now := time.monotonic()) < begin + seconds:
        executor.spin_once(timeout_sec=0.1)
        if now < due:
            continue
        due = now + 0.25
        seen.update(str(each.endpoint_gid) for each in node.get_publishers_info_by_topic(TOPIC))
        if now > begin + seconds / 5:
            gc.collect()
            pages = int(Path('/proc/self/statm').read_text().split()[1])
            measured.append((len(seen), pages * resource.getpagesize()))
    leave.set()
    visitors.join()
    node.destroy_node()
    rclpy.shutdown()
    counts, sizes = np.array(measured, dtype=float).T
    print(f'| {kind} | {"shut down" if says_goodbye else "killed"} | {len(seen)} | '
          f'{np.polyfit(counts, sizes, 1)[0] / 1e3:.1f} |', flush=True)


def main() -> None:
    """Print a row for each kind of process, each measured in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--seconds', type=float, default=600.0, help='a row')
    parser.add_argument('--stay', type=float, default=1.0, help='of a visitor [s]')
    options = parser.parse_args()
    print(f'## Memory beside robots that come and go, {options.stay:g} s each\n\n'
          '| process | visitors are | visitors | growth a visitor [kB] |\n|---|---|---|---|',
          flush=True)
    several = multiprocessing.get_context('spawn')
    for kind, says_goodbye in product(KINDS, (True, False)):
        process = several.Process(
            target=measure, args=(kind, options.seconds, options.stay, says_goodbye))
        process.start()
        process.join()


if __name__ == '__main__':
    main()
