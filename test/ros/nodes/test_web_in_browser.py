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

"""The page of a swarm in a real browser: it moves, a click shows a robot, a loss is seen."""

import subprocess
import sys
import threading
from urllib.parse import urlsplit

from browser import Browser, browser  # noqa: F401
from leader_election.ros.nodes.process import spin
from leader_election.ros.nodes.web import Web
import pytest
from rclpy.parameter import Parameter
from ros.nodes.bench import Bench, robot

ROBOTS = "named('robots').data"
SAYS_LOST = """(() => {
    const said = (root) => [...root.querySelectorAll('*')].some((each) => each.shadowRoot && (
        each.shadowRoot.textContent.includes('connection was lost') || said(each.shadowRoot)))
    return said(document)
})()"""
TEXT = "[...document.querySelectorAll('.page *')].map((e) => e.shadowRoot?.textContent).join()"


@pytest.fixture
def swarm(ros):
    """Run three robots in a line and the page of them in another thread."""
    page = Web(parameter_overrides=[Parameter(name, value=value) for name, value in (
        ('port', 0), ('message_expiry', 1.0))])
    bench, lost = Bench({1: (0.0, 0.0), 2: (2.0, 0.0), 3: (4.0, 0.0)}), threading.Event()
    nodes, end = [page, bench, robot(1), robot(2), robot(3)], threading.Event()

    def run() -> None:
        spin(nodes, lambda: lost.is_set() or end.is_set())
        spin(nodes[:-1], end.is_set)

    thread = threading.Thread(target=run)
    thread.start()
    yield page.page, bench, lost
    end.set()
    thread.join()
    page.page.server.stop()


def test_page_shows_the_swarm_a_chosen_robot_and_a_loss(swarm, browser: Browser):  # noqa: F811
    page, bench, lost = swarm
    browser.open(page.server.url)
    browser.until("named('leaders').data.id.length == 1 && named('leaders').data.id[0] == 3")
    bench.places[1] = (0.0, 1.0)
    browser.until(f'{ROBOTS}.y[{ROBOTS}.id.indexOf(1)] == 1')
    browser.click('map', 2.0, 0.0)
    browser.until(f"{TEXT}.includes('2 → 3')")
    browser.until(f"{TEXT}.includes('arrives')")
    lost.set()
    browser.until("named('leaders').data.id[0] == 2 && named('gone').data.id[0] == 3")
    browser.until(f"{TEXT}.includes('robot 3 is silent')")
    browser.press('robot', 'DOWN')
    browser.until(f"{TEXT}.includes('robot 3')")
    browser.phone()
    browser.until('innerWidth == 390 && document.documentElement.scrollWidth <= 390')
    assert browser.get("named('map').inner_width") > 200
    assert browser.errors() == []


def served(port: int) -> tuple[subprocess.Popen[str], str]:
    """Start the node with its page, and return the process and the address."""
    process = subprocess.Popen(
        [sys.executable, '-m', 'leader_election', 'web', '--ros-args', '-p', f'port:={port}'],
        stdout=subprocess.PIPE, text=True)
    return process, process.stdout.readline().split()[-1]


def test_page_says_that_its_server_is_gone_and_begins_anew(ros_domain, browser: Browser):  # noqa: F811
    process, address = served(0)
    try:
        browser.open(address)
        process.kill()
        process.wait()
        browser.until(SAYS_LOST)
        process, _ = served(urlsplit(address).port)
        browser.until("performance.getEntriesByType('navigation')[0].type == 'reload'")
        browser.until('window.Bokeh?.documents.length && Bokeh.documents[0].is_idle')
        assert browser.get(SAYS_LOST) is False
    finally:
        process.kill()
        process.wait()
