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


"""The command ``play``: a swarm of real nodes and a page of controls, for this computer alone."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from leader_election.election.messages.codec import MAIN
from leader_election.parameters import ParameterError
from leader_election.parameters.command_line import (
    CommandLineParser,
    ExitStatus,
    how_to_run,
    number,
    print_error,
)
from leader_election.ros.demo import processes
from leader_election.ros.demo.controls import CONTROLS, MOST_ROBOTS, SETTINGS
from leader_election.ros.demo.playground import Playground
from leader_election.ros.nodes.process import init_ros, spin, StopRequest
from leader_election.ros.nodes.web import Page
from leader_election.swarm.web.play_page import PlayPage
import rclpy


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the playground until it is stopped, and return the exit status."""
    parser = CommandLineParser(how_to_run('play'), description=__doc__)
    parser.add_argument('--robots', default=SETTINGS['robots']['value'], type=number(
        lambda value: 1 <= value <= MOST_ROBOTS, CONTROLS['robots'].allowed(), int),
        help=f'number of robots ({SETTINGS["robots"]["value"]})')
    parser.add_argument('--output', type=Path, default=Path('results/play'),
                        help='folder for log files (results/play)')
    options = parser.parse_args(arguments)
    stop = StopRequest()
    stop.listen()
    try:
        folder, shared, told = processes.own_place(options.output)
        print(told, flush=True)
        init_ros([])
        playground = Playground(folder / processes.LOG, robots=options.robots)
        observer = playground.observers[MAIN]
        if shared:
            processes.refuse_company(observer, ['/neighbourhood'], stop)
        page = Page(observer, partial(PlayPage, playground))

        def over() -> bool:
            playground.step()
            return stop.made

        print(f'the playground is at {page.server.url}; Ctrl-C ends it', flush=True)
        try:
            playground.do('reset', None)
            spin([*playground.observers.values()], over)
        finally:
            page.server.stop()
            playground.processes.stop(processes.AT_ONCE)
        return ExitStatus.OK
    except (ParameterError, processes.ProcessDied) as error:
        return print_error(error)
    finally:
        rclpy.try_shutdown()
