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
Faults of all kinds in a swarm of real nodes: after each, the time until all are led again.

Processes are killed, stopped, started again and added; the radio loses, delays, duplicates,
reorders and splits. Odometry falls silent and jumps. Strengths change, the clock leaps, and an
attacker sends messages of many kinds. The exit status is 0 if every recovery was within its bound,
no process crashed, memory stayed flat and all messages are accounted for, and with mandates if one
leader at a time commanded a gate, under terms that grow.
"""

import argparse
from collections.abc import Iterator, Sequence
import os
from pathlib import Path

from benchmarks.chaos.report import checks, draw, statuses_of, table, tracebacks
from benchmarks.chaos.run import Interrupted, Outcome, Run, verdict
from benchmarks.chaos.swarm import ChaosSwarm, Settings
from leader_election.election.mandates.parameters import least_duration, MandateSettings
from leader_election.parameters.command_line import CommandLineParser, ExitStatus, PAGE
from leader_election.ros.demo.checks import Check, unwritten
from leader_election.ros.nodes.process import StopRequest
from leader_election.swarm.view.frame import Rings
import rclpy
from rclpy.signals import SignalHandlerOptions

WANDERING = {'communication_range': 8.0, 'radius': 20.0}
"""Of robots with mandates: most of the time one leads all [m]."""


def parser() -> CommandLineParser:
    """Return the parser of the command line."""
    options = CommandLineParser('chaos', description=__doc__)
    options.add_argument('--seconds', type=float, default=600.0, metavar='S',
                         help='duration of the faults [s] (600), without start and end')
    options.add_argument('--robots', type=int, default=40, metavar='N',
                         help='robots at the start (40, at least 4); a tenth more join')
    options.add_argument('--seed', type=int, default=0, help='of all chance (0)')
    options.add_argument('--schedule', choices=('reactive', 'periodic'), default='reactive',
                         help='when robots run rounds (reactive)')
    options.add_argument('--real-clock', action='store_true',
                         help='no simulated clock, which leaps')
    options.add_argument('--mandate', type=float, default=0.0, metavar='S',
                         help='robots wander, have mandates of S seconds with a quorum, and '
                         'command a gate, by the real clock (0: none)')
    options.add_argument('--output', type=Path, default=Path('results/chaos'),
                         metavar='FOLDER', help='for picture and logs (results/chaos)')
    options.add_argument('--html', type=Path, metavar='FILE', help=PAGE)
    return options


def main(arguments: Sequence[str] | None = None) -> int:
    """Run, print the report, draw the picture, and return the exit status."""
    options = parser().parse_args(arguments)
    if options.robots < 4 or not options.seconds > 0.0 or options.seed < 0:
        parser().error('--robots takes 4 or more, --seconds more than 0, --seed 0 or more')
    settings = Settings(
        robots=options.robots, seed=options.seed, schedule=options.schedule,
        simulated_clock=not (options.real_clock or options.mandate),
        mandate=options.mandate, **(WANDERING if options.mandate else {}))
    if options.mandate and settings.mandate_hops < 1:
        least = least_duration(MandateSettings(options.mandate), 1, settings.period)
        parser().error(f'--mandate: {options.mandate:g} is not allowed; with rounds of '
                       f'{settings.period:g} s it takes {least:g} s or more')
    parser().check_page(options.html)
    os.environ.setdefault('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
    rclpy.init(args=[], signal_handler_options=SignalHandlerOptions.NO)
    stop = StopRequest()
    stop.listen()
    log = options.output / 'log'
    for old in log.glob('*.log'):
        old.unlink()
    swarm = ChaosSwarm(settings, log)
    run = Run(swarm, lambda line: print(line, flush=True), stop)
    try:
        run.through(options.seconds)
    except Interrupted:
        return ExitStatus.INTERRUPTED
    finally:
        run.outcome.statuses = statuses_of(swarm.stop())
        rclpy.try_shutdown()
    outcome = run.outcome
    found = checks(outcome, tracebacks(log))
    print(f'\n{outcome.seconds:.0f} s, {len(outcome.recoveries)} changes, {outcome.messages} '
          f'messages of robots, {outcome.attacks} of the attacker, seed {options.seed}\n')
    print(table(outcome.recoveries) + '\n')
    for check in found:
        print(f'  {"ok  " if check.holds else "FAIL"}  {check.text}')
    try:
        for path in _write(outcome, swarm, options, found):
            print(f'  wrote {path}')
    except OSError as error:
        found.append(unwritten(error))
        print(f'  FAIL  {found[-1].text}')
    print(f'  logs in {log}')
    failed = sum(not check.holds for check in found)
    print('chaos: everything held' if not failed else f'chaos: {failed} of {len(found)} failed')
    return ExitStatus.FAILED if failed else ExitStatus.OK


def _write(outcome: Outcome, swarm: ChaosSwarm, options: argparse.Namespace,
           found: Sequence[Check]) -> Iterator[Path]:
    """Draw the picture, write the requested page, and yield their paths."""
    if not outcome.frames:
        return
    picture = options.output / 'timeline.png'
    draw(outcome, picture)
    yield picture
    if options.html:
        from leader_election.swarm.recording.report import write_watched
        settings = swarm.settings
        write_watched(
            options.html, 'Chaos', outcome.frames, Rings(), swarm.observer.tracker,
            settings.radius, settings.communication_range,
            [check.text for check in found if not check.holds],
            [(each.happened.at, f'{each.happened.change.text}: {verdict(each)}')
             for each in outcome.recoveries])
        yield options.html


if __name__ == '__main__':
    raise SystemExit(main())
