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
The command ``lab``: its options, and the checks of their values.

The subcommands are imported once the options are right: xarray, pandas and numba load slowly.
"""

import argparse
from argparse import ArgumentTypeError
from collections.abc import Callable, Sequence
from contextlib import suppress
import gc
from math import inf
from pathlib import Path
import re
import signal
import sys
from typing import Any

from leader_election.parameters.command_line import CommandLineParser, ExitStatus, how_to_run
from leader_election.parameters.files import read_yaml

DESCRIPTION = """
Measure election algorithms in networks that move, lose messages and fail. An experiment is a
scenario, one YAML file, run with many seeds. The result of a run depends only on the scenario, the
algorithm and the seed.
"""


LARGEST_SEED = 2**31
SEEDS = 10
MEASURE = 'instability'
MOST = 1_000_000
"""The greatest number of seeds, or of workers, that an option takes."""


def parse_seeds(text: str) -> range:
    """
    Return the seeds of an option: a number of them, from 0 on, or the first and the last.

    >>> parse_seeds('3'), parse_seeds('5-9')
    (range(0, 3), range(5, 10))
    """
    match = re.fullmatch(r'([0-9]{1,10})(?:-([0-9]{1,10}))?', text)
    if match:
        first, last = (0, int(match[1]) - 1) if match[2] is None else map(int, match.groups())
        if first <= last <= LARGEST_SEED and last - first < MOST:
            return range(first, last + 1)
    raise ArgumentTypeError(f'{text!r} is not allowed; it takes a number of at least 1, '
                            'or the first and the last such as 10-19: '
                            f'up to {MOST} of them, and none above {LARGEST_SEED}')


def parse_setting(text: str) -> tuple[str, Any]:
    """
    Return a dotted key of a scenario and a value, which is read as YAML.

    >>> parse_setting('messages.loss=0.2'), parse_setting('messages.delay=[0, 0.5]')
    (('messages.loss', 0.2), ('messages.delay', [0, 0.5]))
    """
    key, equals, value = text.partition('=')
    try:
        if key and equals:
            return key, read_yaml(value)
    except ValueError:
        pass
    raise ArgumentTypeError(f'{text!r} is not allowed; it takes KEY=VALUE such as '
                            'messages.loss=0.2')


def parse_count(text: str) -> int:
    if re.fullmatch('[0-9]{1,10}', text) and 1 <= int(text) <= MOST:
        return int(text)
    raise ArgumentTypeError(f'{text!r} is not allowed; it takes a whole number from 1 to {MOST}')


def _parse_size(text: str) -> tuple[float, float]:
    """Return a width and a height [inches]."""
    return _parse_pair(text, 'a width and a height from 1 to 50, such as 6,4',
                       lambda width, height: 1 <= width <= 50 and 1 <= height <= 50)


def _parse_range(text: str) -> tuple[float, float]:
    """Return the ends of an axis."""
    return _parse_pair(text, 'two numbers, the lower one first, such as 0,1',
                       lambda low, high: -inf < low < high < inf)


def _parse_pair(text: str, takes: str,
                is_allowed: Callable[[float, float], bool]) -> tuple[float, float]:
    with suppress(ValueError):
        first, second = map(float, text.split(','))
        if is_allowed(first, second):
            return first, second
    raise ArgumentTypeError(f'{text!r} is not allowed; it takes {takes}')


def shared_options() -> tuple[CommandLineParser, CommandLineParser]:
    """Return the options of all commands, and those of commands that compute runs."""
    everywhere = CommandLineParser(add_help=False)
    everywhere.add_argument('--results', type=Path, default=Path('results'), metavar='DIR',
                            help='folder of the results (default: results)')
    computing = CommandLineParser(add_help=False)
    computing.add_argument('--workers', type=parse_count, metavar='N',
                           help='runs at the same time (default: one a core)')
    computing.add_argument('--cluster', metavar='ADDRESS',
                           help='compute on the workers of the Dask scheduler at this address, '
                           'for example tcp://host:8786; or local: on --workers processes of this '
                           'machine')
    return everywhere, computing


def parse_options(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """
    Return the options of ``lab``.

    A wrong option ends the process with status 2 and one line with the reason.

    :param arguments: of the command line. ``None`` stands for those of this process.
    """
    parser = CommandLineParser(prog=how_to_run('lab'), description=DESCRIPTION)
    commands = parser.add_subparsers(dest='command', required=True, metavar='COMMAND')
    everywhere, computing = shared_options()
    of_kept = CommandLineParser(add_help=False)
    of_kept.add_argument('scenario', metavar='SCENARIO',
                         help='as for lab run, or the name of results')

    commands.add_parser('list', parents=[everywhere],
                        help='list the scenarios, and the number of seeds done')

    run = commands.add_parser(
        'run', parents=[everywhere, computing],
        help='run the missing runs of a scenario',
        description='Run the missing runs of a scenario. After Ctrl-C, the same command '
        'continues with the rest.')
    run.add_argument('scenario', metavar='SCENARIO', help='a name of lab list, or a YAML file')
    run.add_argument('--seeds', type=parse_seeds, metavar='N|A-B',
                     help=f'number of seeds, or the first and the last (default: {SEEDS})')
    run.add_argument('--algorithm', action='append', default=[], metavar='NAME',
                     help='only this algorithm; may be repeated')
    run.add_argument('--set', action='append', default=[], type=parse_setting, metavar='KEY=VALUE',
                     help='change the scenario, for example messages.loss=0.2; may be repeated')
    run.add_argument('--again', action='store_true',
                     help='discard all present results of this scenario')
    run.add_argument('--checked', action='store_true',
                     help='before, compute the first seed of each algorithm also in plain Python, '
                     'which finds reading beyond the neighbours and nan in any round; slow')

    compare = commands.add_parser(
        'compare', parents=[everywhere, of_kept],
        help="compare a scenario's algorithms: paired differences over kept results",
        description='Print the differences between algorithms over the same seeds, with 95 % '
        'intervals, from kept results. All pairs are tested together.')
    compare.add_argument('--measure', action='append', default=[], metavar='NAME',
                         help=f'(default: {MEASURE}); may be repeated; an unknown one lists all')
    compare.add_argument('--algorithm', action='append', default=[], metavar='NAME',
                         help='only pairs of these algorithms; at least two')
    compare.add_argument('--key', default='algorithm', metavar='KEY',
                         help='compare the values of this key that the scenario varies with its '
                         'first one, within each algorithm')

    export = commands.add_parser(
        'export', parents=[everywhere, of_kept], help="write a scenario's results as a table",
        description='Write kept results as a CSV table: a row for each run and time, '
        'with --summary for each run, or with --devices for each run and device.')
    export.add_argument('--out', type=Path, metavar='FILE',
                        help='ends in .csv (default: SCENARIO.csv, SCENARIO_summary.csv or '
                        'SCENARIO_devices.csv, in the folder of the results)')
    rows = export.add_mutually_exclusive_group()
    rows.add_argument('--summary', action='store_true',
                      help='one row a run: means over time without the first sixth, and counts')
    rows.add_argument('--devices', action='store_true',
                      help='one row a run and device: how long it leads and follows, and how far '
                      'from its leader; takes measure: {devices: true} in the scenario')

    figure = commands.add_parser(
        'figure', parents=[everywhere, of_kept], help="draw a figure of a scenario's kept results",
        description='Draw a measure over time, or against the key that the scenario varies, with '
        '95 % intervals; a map of two keys.')
    figure.add_argument('--measure', metavar='NAME',
                        help='the measure to draw (default: instability; against keys also led '
                        'devices and leaders)')
    figure.add_argument('--size', type=_parse_size, metavar='WIDTH,HEIGHT',
                        help='the size of the figure [inches]')
    figure.add_argument('--range', type=_parse_range, metavar='LOW,HIGH',
                        help='the range of its first vertical axis')
    figure.add_argument('--out', type=Path, metavar='FILE',
                        help='its ending is the format, such as .png, .svg and .pdf (default: '
                        'figures/SCENARIO.png in the folder of the results)')

    report = commands.add_parser(
        'report', parents=[everywhere, of_kept],
        help="write a report of a scenario's kept results",
        description='Write a report as Markdown: means and paired differences with 95 % '
        'intervals, the figure, versions, and the text of the scenario.')
    report.add_argument('--measure', action='append', default=[], metavar='NAME',
                        help='a measure in which all pairs are compared (default: instability, '
                        'leaders, led); may be repeated')
    report.add_argument('--out', type=Path, metavar='FILE',
                        help='(default: SCENARIO.md in the folder of the results)')
    return parser.parse_args(arguments)


def until_interrupted(execute: Callable[[], int], options: str = '') -> int:
    """
    Return the exit status of a function, also if Ctrl-C ends it.

    :param options: what is said about the same command, which goes on with the missing runs.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return execute()
    except KeyboardInterrupt:
        print(f'stopped; finished runs are kept, and the same command{options} goes on from there',
              file=sys.stderr, flush=True)
        return ExitStatus.INTERRUPTED


def main() -> int:
    """Run the command ``lab``, and return the exit status."""
    options = parse_options()

    def execute() -> int:
        from leader_election_lab import subcommands
        status = subcommands.execute(options)
        # The interpreter would search all that is left for cycles, a quarter of a short command.
        gc.freeze()
        return status
    return until_interrupted(execute, ' without --again' if getattr(
        options, 'again', False) else '')
