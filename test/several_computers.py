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

"""A swarm on several computers, each a network namespace, and who watches it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
import json
import os
from pathlib import Path
import select
import signal
import subprocess
import sys
import time

from network import discovery_server, Network, NoNetwork, profile, SERVER_PORT
import pytest
from support import PATIENCE

SERVER, WORLD, LEFT, RIGHT = 'server', 'world', 'left', 'right'
ADDRESSES = {SERVER: '192.168.1.10', WORLD: '192.168.1.101', LEFT: '192.168.1.102',
             RIGHT: '192.168.1.103'}
"""Those of the profiles, so that only OWN differs."""
MEMBERS = {LEFT: '1-4', RIGHT: '5-8'}
SCENE = {'robots': '8', 'world': 'empty', 'layout': 'grid', 'seed': '44'}
"""By this seed robot 8 is the strongest of all, and robot 4 of the first four."""
ELECTION = {'radius': '30.0', 'communication_range': '30.0'}
WATCH = """
import json
import os
import time

from leader_election.ros.nodes.process import spin
from leader_election.ros.nodes.qos import NEIGHBOURHOOD
from leader_election.swarm.tracker import SwarmTracker
import rclpy
from std_msgs.msg import String

rclpy.init()
node = rclpy.create_node('watch')
tracker = SwarmTracker(3.0)
node.create_subscription(String, '/neighbourhood', lambda message: tracker.hear(
    message.data, time.monotonic()), NEIGHBOURHOOD)
while True:
    end = time.monotonic() + 0.2
    spin([node], lambda: time.monotonic() >= end)
    robots = tracker.snapshot(time.monotonic()).robots
    print(json.dumps({robot: view.leader for robot, view in robots.items()}), flush=True)
"""
"""Prints the leader of each robot that is heard, five times a second."""


class Swarm:
    """Processes on several computers, and one that watches the robots."""

    def __init__(self, network: Network, name: str, folder: Path) -> None:
        self.network = network
        self._folder = folder
        self._processes: list[subprocess.Popen[str]] = []
        self._environments = {host: profile(name, address, folder)
                              for host, address in ADDRESSES.items()}

    def start(self, host: str, name: str, *command: str) -> 'subprocess.Popen[str]':
        process = self.network.start(
            host, command, self._environments[host], self._folder / f'{name}.log')
        self._processes.append(process)
        return process

    def execute(self, host: str, executable: str, **values: str) -> 'subprocess.Popen[str]':
        """Start an executable of the package."""
        return self.start(
            host, f'{executable}_{host}', sys.executable, '-m', 'leader_election', executable,
            '--ros-args', *(word for name, value in values.items()
                            for word in ('-p', f'{name}:={value}')))

    def watch(self, host: str) -> None:
        self._watch = self.start(host, 'watch', sys.executable, '-c', WATCH)

    def until(self, condition: Callable[[dict[int, int]], bool]) -> None:
        """Wait until the leaders of all robots that are heard are as they should be."""
        assert self._watch.stdout is not None
        end, leaders = time.monotonic() + PATIENCE, {}
        while time.monotonic() < end:
            if select.select([self._watch.stdout], [], [], 1.0)[0]:
                line = self._watch.stdout.readline()
                if not line:
                    break
                leaders = {int(robot): leader for robot, leader in json.loads(line).items()}
                if condition(leaders):
                    return
        raise AssertionError(f'leaders {leaders} within {PATIENCE:g} s; ' + ' '.join(
            f'{log.name}: {log.read_text()[-500:]!r}' for log in self._folder.glob('*.log')))

    def serve(self) -> 'subprocess.Popen[str]':
        """Start the discovery server. The test is skipped where there is none."""
        server = discovery_server()
        if server is None:
            pytest.skip('the discovery server of Fast DDS is not installed')
        program, environment = server
        return self.start(
            SERVER, 'server', 'env', f'LD_LIBRARY_PATH={environment["LD_LIBRARY_PATH"]}',
            *program, '-i', '0', '-l', ADDRESSES[SERVER], '-p', str(SERVER_PORT))

    def stop(self) -> None:
        for process in self._processes:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.communicate()


@contextmanager
def swarm(name: str, folder: Path) -> Iterator[Swarm]:
    """Run computers without processes. The test is skipped where there can be none."""
    try:
        network = Network(ADDRESSES)
        network.__enter__()
    except NoNetwork as reason:
        pytest.skip(f'no network of several computers: {reason}')
    with network:
        made = Swarm(network, name, folder)
        try:
            yield made
        finally:
            made.stop()


def led_by(leader: int, robots: range) -> Callable[[dict[int, int]], bool]:
    """Return a condition: these robots are heard, no others, and all follow one leader."""
    return lambda leaders: leaders == dict.fromkeys(robots, leader)
