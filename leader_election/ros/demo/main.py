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

"""The command ``demo``: its command line and its entry point."""

import argparse
from collections.abc import Sequence
import math
from pathlib import Path

from leader_election.parameters import ParameterError
from leader_election.parameters.command_line import (
    CommandLineParser,
    how_to_run,
    number,
    PAGE,
    print_error,
)
from leader_election.ros.demo.task_scenarios import GATE, NO_TASK, SCENARIOS
import rclpy

DESCRIPTION = """
Elect leaders in a swarm of real ROS 2 nodes on an embedded world, kill the strongest leader's
process, and check that the swarm recovers. With --task the regions run a task meanwhile, and its
results are checked, too. Or, with --logs, replay logs of robots and report the agreement of the
partition by their odometry with the one by their true poses.

In a terminal the space bar pauses the run: robots stand still, and no leader is killed. The page
in a browser stays after the run, until a key is pressed.
"""


_POSITIVE = number(lambda value: value > 0.0, 'more than 0')
_COUNT = number(lambda value: value >= 1, 'a whole number of at least 1', int)
_SHARE = number(lambda value: 0.0 <= value <= 1.0, '0 to 1')


def _default_text(name: str) -> str:
    """Return the default without a task, and those of tasks with another default."""
    plain = getattr(SCENARIOS[NO_TASK], name)
    others = [
        f'with --task {task}: {getattr(scenario, name):g}'
        for task, scenario in SCENARIOS.items()
        if getattr(scenario, name) != plain
    ]
    return '; '.join([f'{plain:g}', *others])


class _Formatter(argparse.ArgumentDefaultsHelpFormatter):
    """Shows the default of an option, unless the option is off by default."""

    def _get_help_string(self, action: argparse.Action) -> str | None:
        off = action.default is False or action.default in (None, '')
        return action.help if off else super()._get_help_string(action)


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """
    Parse the command line. A wrong option ends the process with one line and status 2.

    :param arguments: of the command line, by default those of this process.
    """
    parser = CommandLineParser(
        prog=how_to_run('demo'), usage='%(prog)s [OPTIONS]', description=DESCRIPTION,
        formatter_class=_Formatter)
    swarm = parser.add_argument_group('the swarm')
    # The defaults of suppressed options depend on the task and are set afterwards.
    swarm.add_argument('--task', choices=[name for name in SCENARIOS if name],
                       default=argparse.SUPPRESS, help='the task of the regions (default: none)')
    swarm.add_argument('--robots', type=_COUNT, default=argparse.SUPPRESS,
                       help=f'number of robots (default: {_default_text("robots")})')
    swarm.add_argument('--duration', type=_POSITIVE, default=argparse.SUPPRESS,
                       help='length of the run [s]; the leader is killed half way '
                       f'(default: {_default_text("duration")})')
    swarm.add_argument('--kill-period', type=number(lambda value: value >= 20.0, '20 or more'),
                       default=None, metavar='S',
                       help='kill the leader each time so many seconds have passed, and start it '
                       'again half way between')
    swarm.add_argument('--seed', default=1, help='seed of all random numbers',
                       type=number(lambda value: value >= 0, '0 and more', int))
    swarm.add_argument('--radius', type=_POSITIVE, default=argparse.SUPPRESS,
                       help='the radius of a region [m] '
                       f'(default: {_default_text("radius")}; with --logs: 3)')
    swarm.add_argument('--range', type=_POSITIVE, default=argparse.SUPPRESS,
                       help='the communication range [m] '
                       f'(default: {_default_text("range")}; with --logs: 2.5)')
    swarm.add_argument('--mandate', type=number(lambda value: value >= 0.0, '0 or more'),
                       default=argparse.SUPPRESS, metavar='S',
                       help='duration of mandates [s], 0: there are none '
                       f'(default: {_default_text("mandate")})')
    swarm.add_argument('--without-mandate', action='store_true',
                       help='with --task gate: no mandates, and a gate that obeys every command; '
                       'the run shows what goes wrong then')
    swarm.add_argument('--schedule', choices=('reactive', 'periodic'), default='reactive',
                       help='when robots run rounds')
    world = parser.add_argument_group('the world')
    world.add_argument('--world', default=argparse.SUPPRESS,
                       help='blocks, rooms, barriers or empty, with :<width>x<height> stretched '
                       'to that size [m]; or a YAML file (default: blocks, as large as the robots '
                       'need)')
    world.add_argument('--physics', action='store_true',
                       help='robots are bodies, whose wheels slip and which push each other, by '
                       'MuJoCo (the extra physics)')
    world.add_argument('--speed', type=_POSITIVE, default=0.5,
                       help='speed of the robots [m/s]')
    world.add_argument('--drift', type=_SHARE, default=0.0,
                       help='odometry: standard deviation of the relative error of speeds')
    world.add_argument('--line-of-sight', action='store_true',
                       help='obstacles block messages')
    world.add_argument('--loss', default=0.0,
                       type=number(lambda value: 0.0 <= value < 1.0, '0 to less than 1'),
                       help='probability that a message is lost, 0 to 1')
    logs = parser.add_argument_group('logs of robots')
    logs.add_argument('--logs', default='', metavar='FOLDER',
                      help='replay logs: a folder, or physics5, those in this package')
    logs.add_argument('--real-time-factor', type=_POSITIVE,
                      default=argparse.SUPPRESS,
                      help='speed of the replay (default: 8; with --sightings: 5)')
    logs.add_argument('--sightings', nargs='?', const='logs', default=None,
                      choices=('logs', 'uwb', 'camera'),
                      help="a further swarm, which corrects its odometry by the robots' sightings "
                      'of each other: as logged in the folder (without a value), or simulated '
                      'ranges by radio, or simulated cameras')
    logs.add_argument('--landmarks', action='store_true',
                      help="with --sightings: it knows the places of the folder's landmarks, too")
    run = parser.add_argument_group('the run')
    run.add_argument('--processes', type=_COUNT, default=2,
                     help='number of processes that host robots, besides the one to be killed')
    run.add_argument('--output', type=Path, default=Path('results/demo'),
                     help='folder for pictures and log files')
    run.add_argument('--html', type=Path, metavar='FILE', help=PAGE)
    run.add_argument('--no-live', action='store_true', help='plain lines instead of a live view')
    run.add_argument('--open', action='store_true',
                     help='open the page in a browser, and wait for it before the kill')
    run.add_argument('--no-web', action='store_true', help='no page in a browser; there is none '
                     'without a live view either')
    options = parser.parse_args(arguments)
    _set_defaults(options)
    if not options.logs and options.robots < 2:
        parser.error('argument --robots: one robot is killed, so there must be 2 or more')
    parser.check_page(options.html)
    if options.physics:
        parser.need('--physics', 'mujoco')
    if options.logs and options.physics:
        parser.error('argument --physics: not allowed with --logs; robots of logs are replayed')
    if options.logs and options.html:
        parser.error('argument --html: not allowed with --logs; record the run, and replay it')
    if options.without_mandate and options.task != GATE:
        parser.error('argument --without-mandate: needs --task gate')
    if options.task == GATE and options.robots < 3:
        parser.error('argument --robots: the gate takes 3 or more, since one of them is killed '
                     'and a majority has to be left')
    if options.kill_period and (options.logs or options.task == GATE):
        parser.error('argument --kill-period: not allowed with --logs, and --task gate')
    if options.logs and options.task:
        parser.error('argument --task: not allowed with --logs; robots of logs only elect')
    if options.logs and options.loss:
        parser.error('argument --loss: not allowed with --logs')
    if options.sightings and not options.logs:
        parser.error('argument --sightings: needs --logs')
    if options.landmarks and options.sightings not in ('logs', 'camera'):
        parser.error('argument --landmarks: needs --sightings, or --sightings camera')
    return options


def _set_defaults(options: argparse.Namespace) -> None:
    """Set the defaults that depend on other options."""
    options.task = getattr(options, 'task', NO_TASK)
    factor = 5.0 if options.sightings else 8.0
    options.real_time_factor = getattr(options, 'real_time_factor', factor)
    scenario = SCENARIOS[options.task]
    for name, of_logs in (('robots', None), ('duration', None), ('mandate', None),
                          ('radius', 3.0), ('range', 2.5)):
        default = of_logs if options.logs and of_logs else getattr(scenario, name)
        setattr(options, name, getattr(options, name, default))
    # The density is that of the default number of robots, so that a leader has others to lead.
    scale = math.sqrt(options.robots / scenario.robots)
    options.world = getattr(
        options, 'world', f'blocks:{20.0 * scale:.1f}x{14.0 * scale:.1f}')
    if options.without_mandate:
        options.mandate = 0.0


def main() -> int:
    """Run the demonstration selected by the command line, and return the exit status."""
    options = parse()
    from leader_election.ros.demo.logs import LogsDemo
    from leader_election.ros.demo.processes import own_place
    from leader_election.ros.demo.swarm import SwarmDemo
    from leader_election.ros.nodes.process import init_ros
    try:
        options.output, options.shared_domain, options.told = own_place(options.output)
        init_ros([])
        return (LogsDemo if options.logs else SwarmDemo)(options).run()
    except ParameterError as error:
        return print_error(error)
    finally:
        rclpy.try_shutdown()
