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
from pathlib import Path
from typing import Any

from leader_election.election.messages.codec import MAIN
from leader_election.parameters import ParameterError, table
from leader_election.parameters.command_line import (
    CommandLineParser,
    ExitStatus,
    how_to_run,
    number,
    print_error,
)
from leader_election.ros.demo.controls import CONTROLS, MOST_ROBOTS, SETTINGS
from leader_election.ros.demo.playground import Playground
from leader_election.ros.demo.processes import (
    AT_ONCE,
    LOG,
    own_place,
    ProcessDied,
    refuse_company,
)
from leader_election.ros.nodes.process import init_ros, spin, StopRequest
from leader_election.ros.nodes.web import Page
from leader_election.swarm.tracker import WebParameters
from leader_election.swarm.web.live_page import LivePage
from leader_election.swarm.web.play_page import Controls
import rclpy


class PlayPage(Page):
    """The page of a swarm, with the controls of a playground."""

    def __init__(self, playground: Playground, port: int) -> None:
        self._playground = playground
        super().__init__(playground.observers[MAIN], port)

    def make(self, document: Any) -> LivePage:
        """Fill the document of a viewer."""
        live, play = super().make(document), self._playground
        document.title = 'playground'
        Controls(document, live, [*CONTROLS.values()],
                 lambda: play.state, play.request)
        return live


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the playground until it is stopped, and return the exit status."""
    (port,) = (p for p in table(WebParameters) if p.name == 'port')
    robots = CONTROLS['robots']
    parser = CommandLineParser(how_to_run('play'), description=__doc__)
    parser.add_argument('--port', default=port.default, type=number(
        lambda value: 0 <= value < 2**16, port.allowed(), int),
        help=f'{port.description} ({port.default})')
    parser.add_argument('--robots', default=SETTINGS['robots']['value'], type=number(
        lambda value: 1 <= value <= MOST_ROBOTS, robots.allowed(), int),
        help=f'number of robots ({SETTINGS["robots"]["value"]})')
    parser.add_argument('--seed', type=number(lambda value: value >= 0, '0 and more', int),
                        default=1, help='seed of all random numbers (1)')
    parser.add_argument('--output', type=Path, default=Path('results/play'),
                        help='folder for log files (results/play)')
    options = parser.parse_args(arguments)
    stop = StopRequest()
    stop.listen()
    try:
        options.output, shared, told = own_place(options.output)
        print(told, flush=True)
        init_ros([])
        playground = Playground(options.output / LOG, options.seed, robots=options.robots)
        if shared:
            refuse_company(playground.observers[MAIN], ['/neighbourhood'], stop)
        return _play(playground, options.port, stop)
    except ParameterError as error:
        return print_error(error)
    finally:
        rclpy.try_shutdown()


def _play(playground: Playground, port: int, stop: StopRequest) -> int:
    page = PlayPage(playground, port)
    print(f'the playground is at {page.server.url}; Ctrl-C ends it', flush=True)

    observer, *others = playground.observers.values()
    shown = observer.frame

    def over() -> bool:
        nonlocal shown
        if observer.frame is not shown:
            shown = observer.frame
            playground.step()
            page.feed.map.reach = playground.values['communication_range']
            page.show()
        return stop.made

    try:
        playground.commands = playground.start()
        spin([observer, *others], over)
    except ProcessDied as died:
        return print_error(str(died))
    finally:
        page.server.stop()
        playground.processes.stop(AT_ONCE)
    return ExitStatus.OK
