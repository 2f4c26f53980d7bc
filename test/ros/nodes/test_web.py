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

"""The page of a swarm over DDS and HTTP, seen by a client of Bokeh, and its process."""

import signal
import subprocess
import sys

from bokeh.client import pull_session
from leader_election.ros.nodes.declare import overrides
from leader_election.ros.nodes.web import Web
from ros.nodes.bench import Bench, robot
from support import PATIENCE, spin_until


def test_page_shows_robots_and_a_lost_leader(ros):
    page = Web(parameter_overrides=overrides({'port': 0, 'message_expiry': 1.0}))
    places = {1: (0.0, 0.0), 2: (2.0, 0.0), 3: (4.0, 0.0)}
    robots = [robot(i) for i in places]
    bench = Bench(places)
    nodes = [page, bench, *robots]
    spin_until(nodes, lambda: len(page.frame.snapshot.robots) == 3 and {
        view.leader for view in page.frame.snapshot.robots.values()} == {3})

    def shown():
        with pull_session(url=page.page.server.url) as session:
            return [session.document.get_model_by_name(name).data['id'] for name in kinds]

    def on_map():
        return [page.page.feed.state.map.get(name, {}).get('id') for name in kinds]

    kinds = 'leaders', 'robots', 'gone'
    assert on_map() == [None] * 3, 'nothing is computed where nobody looks'
    with pull_session(url=page.page.server.url):
        spin_until(nodes, lambda: on_map() == [[3], [1, 2], []] and page.page.statuses(2))
        assert {status.concern for status in page.page.statuses(2)} >= {'election', 'odometry'}
        assert page.page.statuses(9) == ()
        nodes.remove(robots[2])
        robots[2].destroy_node()
        spin_until(nodes, lambda: on_map() == [[2], [1], [3]])
        assert shown() == [[2], [1], [3]]
        spin_until(nodes, lambda: {'robot 3 is silent', 'robot 2 leads'} <= {
            text.partition(': 3 has been silent')[0].partition(',')[0]
            for _, text in page.page.feed.state.events})
    page.close()


def test_process_prints_the_address_of_the_page_and_ends_with_a_viewer_connected(ros_domain):
    process = subprocess.Popen(
        [sys.executable, '-m', 'leader_election', 'web', '--ros-args', '-p', 'port:=0'],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        first = process.stdout.readline()
        with pull_session(url=first.split()[-1]):
            process.send_signal(signal.SIGINT)
            output, errors = process.communicate(timeout=PATIENCE)
        assert (process.returncode, output) == (0, '') and 'closed' not in errors
    finally:
        process.kill()
