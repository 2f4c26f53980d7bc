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
The page of a large swarm in a browser: processor time and memory of its server, and of the page.

This process sends the messages of all robots, one a robot and second; they walk, and follow the
nearest of the leaders. With one page open in Chromium:
``PYTHONPATH=.:test python -m benchmarks.web_page``.
"""

import argparse
from pathlib import Path
import subprocess
import sys
import tempfile
import time

from browser import start
from leader_election.election.algorithms import BOUNDED
from leader_election.election.algorithms.bounded import Candidacy
from leader_election.election.messages.codec import codec_for, Message
from leader_election.ros.nodes.qos import NEIGHBOURHOOD
from leader_election.swarm.web.live_page import HEARING
import numpy as np
import psutil
import rclpy
from rclpy.node import Node
from std_msgs.msg import String

ARENA = np.array([40.0, 30.0])
"""[m]."""
LEADERS = 20
SPEED = 0.4
"""The standard deviation of a component of a robot's velocity [m/s]."""

_COUNT = """
window.seen = window.longest = 0
window.last = performance.now()
Bokeh.documents[0].get_model_by_name('robots').properties.data.change.connect(() => {
  window.seen++
  window.longest = Math.max(window.longest, performance.now() - window.last)
  window.last = performance.now()
})
"""
"""JavaScript: count updates, and the longest time between two [ms]."""


class Robots:
    """The messages of robots that walk."""

    def __init__(self, node: Node, number: int) -> None:
        draw = np.random.default_rng(1)
        self._places = draw.uniform((0.0, 0.0), ARENA, (number, 2))
        self._velocities = draw.normal(0.0, SPEED, (number, 2))
        self._encode = codec_for(BOUNDED).encode
        self._air = node.create_publisher(String, '/neighbourhood', NEIGHBOURHOOD)
        self._sent, self._next = time.monotonic(), 0
        node.create_timer(0.01, self._send)

    def _send(self) -> None:
        """Send what is due: a message a robot and second."""
        number = len(self._places)
        while self._sent < time.monotonic():
            i = self._next
            self._sent, self._next = self._sent + 1.0 / number, (i + 1) % number
            self._places[i] += self._velocities[i]
            outside = (self._places[i] < 0.0) | (self._places[i] > ARENA)
            self._velocities[i][outside] *= -1.0
            self._places[i] = np.clip(self._places[i], 0.0, ARENA)
            distances = np.hypot(*(self._places[:LEADERS] - self._places[i]).T)
            leader = i if i < LEADERS else int(distances.argmin())
            distance = float(distances[leader])
            self._air.publish(String(data=self._encode(Message(
                i + 1, 'map', (float(self._places[i][0]), float(self._places[i][1])),
                Candidacy(-leader - 1.0, distance, leader + 1, 1 + int(distance / 5.0)
                          if distance else 0)))))


def main() -> None:
    """Print a row for each part of the time."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--robots', type=int, default=300)
    parser.add_argument('--minutes', type=float, default=2.0)
    parser.add_argument('--hearing', action='store_true', help=f'with the button {HEARING}')
    options = parser.parse_args()
    rclpy.init()
    node = rclpy.create_node('robots')
    Robots(node, options.robots)
    server = subprocess.Popen(
        [sys.executable, '-m', 'leader_election', 'web', '--ros-args', '-p', 'port:=0'],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert server.stdout is not None
    address = next(word for line in server.stdout for word in line.split() if '://' in word)
    watched = psutil.Process(server.pid)

    def spin(seconds: float) -> tuple[float, float]:
        """Return the processor time of the server [s], and the time."""
        begin, cpu = time.monotonic(), sum(watched.cpu_times()[:2])
        while time.monotonic() < begin + seconds:
            rclpy.spin_once(node, timeout_sec=0.1)
        return sum(watched.cpu_times()[:2]) - cpu, time.monotonic() - begin

    spin(5.0)
    with tempfile.TemporaryDirectory() as folder:
        browser = start(Path(folder))
        browser.open(address)
        browser.driver.execute_script(_COUNT)
        if options.hearing:
            browser.get("[...named('controls').references()].find((each) => each.label == "
                        f"'{HEARING}').active = true")
        print(f'## The page of {options.robots} robots, in one browser\n\n| minutes | updates a '
              'second | longest between two [s] | cores of the server | its memory [MB] | '
              "the page's heap [MB] |\n|---|---|---|---|---|---|", flush=True)
        for part in range(4):
            seen = browser.get('(window.longest = 0, window.seen)')
            cpu, seconds = spin(15.0 * options.minutes)
            browser.driver.execute_cdp_cmd('HeapProfiler.collectGarbage', {})
            print(f'| {(part + 1) * options.minutes / 4:g} | '
                  f'{(browser.get("window.seen") - seen) / seconds:.1f} | '
                  f'{browser.get("window.longest") / 1000.0:.1f} | {cpu / seconds:.2f} | '
                  f'{watched.memory_info().rss / 1e6:.0f} | '
                  f'{browser.get("performance.memory.usedJSHeapSize") / 1e6:.0f} |', flush=True)
        browser.driver.quit()
    server.terminate()
    server.wait()
    node.destroy_node()
    rclpy.shutdown()


if __name__ == '__main__':
    main()
