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
Elect leaders in a swarm of real ROS 2 nodes, kill the strongest leader, and check the recovery.

The nodes run on an embedded world. With --task the regions run a task meanwhile, and its
results are checked, too. Or, with --logs, replay logs of robots and report the agreement of the
partition by their odometry with the one by their true poses.

In a terminal the space bar pauses the run: robots stand still, and no leader is killed. The page
in a browser stays after the run, until a key is pressed.
"""

import argparse
from collections.abc import Sequence
import math
from pathlib import Path

from leader_election.parameters import command_line, ParameterError
from leader_election.parameters.command_line import number
from leader_election.ros.demo.task_scenarios import GATE, NO_TASK, SCENARIOS
import rclpy

_POSITIVE = number(lambda value: value > 0.0, 'more than 0')
_COUNT = number(lambda value: value >= 1, 'a whole number of at least 1', int)
_DEFAULTS_OF_LOGS = {'radius': 3.0, 'range': 2.5}
_NOT_WITH_LOGS = ('task', 'physics', 'loss', 'html', 'kill_period')


def _default_text(name: str) -> str:
    """Return the default without a task, and those of tasks and logs with another default."""
    plain = getattr(SCENARIOS[NO_TASK], name)
    others = [f'; with --task {task}: {getattr(scenario, name):g}'
              for task, scenario in SCENARIOS.items() if getattr(scenario, name) != plain]
    logs = f'; with --logs: {_DEFAULTS_OF_LOGS[name]:g}' if name in _DEFAULTS_OF_LOGS else ''
    return f' (default: {plain:g}{"".join(others)}{logs})'


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """
    Parse the command line. A wrong option ends the process with one line and status 2.

    :param arguments: of the command line, by default those of this process.
    """
    parser = command_line.CommandLineParser(
        prog=command_line.how_to_run('demo'), usage='%(prog)s [OPTIONS]', description=__doc__)
    swarm = parser.add_argument_group('the swarm')
    swarm.add_argument('--task', choices=[name for name in SCENARIOS if name], default=NO_TASK,
                       help='the task of the regions (default: none)')
    # The defaults that depend on other options are set afterwards.
    for name, kind, text in (
            ('robots', _COUNT, 'number of robots'),
            ('duration', _POSITIVE, 'length of the run [s]; the leader is killed half way'),
            ('radius', _POSITIVE, 'the radius of a region [m]'),
            ('range', _POSITIVE, 'the communication range [m]'),
            ('mandate', number(lambda value: value >= 0.0, '0 or more'),
             'duration of mandates [s], 0: there are none')):
        swarm.add_argument(f'--{name}', type=kind, help=text + _default_text(name))
    swarm.add_argument('--kill-period', type=number(lambda value: value >= 20.0, '20 or more'),
                       metavar='S', help='kill the leader each time so many seconds have passed, '
                       'and start it again half way between')
    swarm.add_argument('--seed', default=1, help='seed of all random numbers (default: 1)',
                       type=number(lambda value: value >= 0, '0 and more', int))
    swarm.add_argument('--without-mandate', action='store_true',
                       help='with --task gate: no mandates, and a gate that obeys every command; '
                       'the run shows what goes wrong then')
    world = parser.add_argument_group('the world')
    world.add_argument('--world', help='blocks, rooms, barriers or empty, with :<width>x<height> '
                       'stretched to that size [m]; or a YAML file (default: blocks, as large as '
                       'the robots need)')
    world.add_argument('--physics', action='store_true',
                       help='robots are bodies, whose wheels slip and which push each other, by '
                       'MuJoCo (the extra physics)')
    world.add_argument('--drift', type=number(lambda value: 0.0 <= value <= 1.0, '0 to 1'),
                       default=0.0, help='odometry: relative error of speeds (default: 0)')
    world.add_argument('--loss', default=0.0,
                       type=number(lambda value: 0.0 <= value < 1.0, '0 to less than 1'),
                       help='probability that a message is lost (default: 0)')
    logs = parser.add_argument_group('logs of robots')
    logs.add_argument('--logs', default='', metavar='FOLDER',
                      help='replay logs: a folder, or physics5, those in this package')
    logs.add_argument('--real-time-factor', type=_POSITIVE,
                      help='speed of the replay (default: 8; with --sightings: 5)')
    logs.add_argument('--sightings', nargs='?', const='logs', choices=('logs', 'uwb', 'camera'),
                      help="a further swarm, which corrects its odometry by the robots' sightings "
                      'of each other: as logged in the folder (without a value), or simulated '
                      'ranges by radio, or simulated cameras')
    run = parser.add_argument_group('the run')
    run.add_argument('--output', type=Path, default=Path('results/demo'),
                     help='folder for pictures and log files (default: results/demo)')
    run.add_argument('--html', type=Path, metavar='FILE', help=command_line.PAGE)
    run.add_argument('--no-live', action='store_true', help='plain lines instead of a live view')
    run.add_argument('--open', action='store_true',
                     help='open the page in a browser, and wait for it before the kill')
    run.add_argument('--no-web', action='store_true', help='no page in a browser; there is none '
                     'without a live view either')
    options = parser.parse_args(arguments)
    _set_defaults(options)
    least = 3 if options.task == GATE else 2
    for wrong, problem in (
            *((options.logs and getattr(options, name), f'--{name.replace("_", "-")}: not allowed '
               'with --logs') for name in _NOT_WITH_LOGS),
            (not options.logs and options.robots < least,
             f'--robots: one robot is killed, so there must be {least} or more'),
            (options.without_mandate and options.task != GATE,
             '--without-mandate: needs --task gate'),
            (options.kill_period and options.task == GATE,
             '--kill-period: not allowed with --task gate'),
            (options.sightings and not options.logs, '--sightings: needs --logs')):
        if wrong:
            parser.error(f'argument {problem}')
    parser.check_page(options.html)
    if options.physics:
        parser.need('--physics', 'mujoco')
    return options


def _set_defaults(options: argparse.Namespace) -> None:
    """Set the defaults that depend on other options."""
    scenario = SCENARIOS[options.task]
    of_task = {name: getattr(scenario, name)
               for name in ('robots', 'duration', 'mandate', 'radius', 'range')}
    # The density is that of the default number of robots, so that a leader has others to lead.
    scale = math.sqrt((options.robots or scenario.robots) / scenario.robots)
    defaults = {**of_task, **(_DEFAULTS_OF_LOGS if options.logs else {}),
                'real_time_factor': 5.0 if options.sightings else 8.0,
                'world': f'blocks:{20.0 * scale:.1f}x{14.0 * scale:.1f}'}
    for name, value in defaults.items():
        if getattr(options, name) is None:
            setattr(options, name, value)
    if options.without_mandate:
        options.mandate = 0.0


def main() -> int:
    """Run the demonstration selected by the command line, and return the exit status."""
    options = parse()
    from leader_election.ros.demo.processes import own_place
    from leader_election.ros.nodes.process import init_ros
    try:
        options.output, options.shared_domain, options.told = own_place(options.output)
        init_ros([])
        if options.logs:
            # Imported here, since its charts load slowly.
            from leader_election.ros.demo.logs import LogsDemo
            return LogsDemo(options).run()
        from leader_election.ros.demo.swarm import SwarmDemo
        return SwarmDemo(options).run()
    except ParameterError as error:
        return command_line.print_error(error)
    finally:
        rclpy.try_shutdown()
