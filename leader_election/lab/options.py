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

"""The command line of the laboratory."""

import argparse
from argparse import ArgumentTypeError
from collections.abc import Sequence
from pathlib import Path
import re
from typing import Any

from leader_election.parameters import strict_yaml

DESCRIPTION = """
Measure election algorithms while the world moves: by scenarios, each one readable file, over many
seeds. What a run gives follows from the scenario, the algorithm and the seed alone.
"""


LARGEST_SEED = 2**31
MOST = 1_000_000
"""So many seeds, or workers, may be asked for."""


def seeds(text: str) -> range:
    """
    Return the seeds that a text names: so many from 0 on, or from one to another.

    >>> seeds('3'), seeds('5-9')
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


def setting(text: str) -> tuple[str, Any]:
    """
    Return a dotted key of a scenario and a value, which is read as YAML.

    >>> setting('messages.loss=0.2'), setting('messages.delay=[0, 0.5]')
    (('messages.loss', 0.2), ('messages.delay', [0, 0.5]))
    """
    key, equals, value = text.partition('=')
    try:
        if key and equals:
            return key, strict_yaml.read(value)
    except ValueError:
        pass
    raise ArgumentTypeError(f'{text!r} is not allowed; it takes KEY=VALUE such as '
                            'messages.loss=0.2')


def _number(text: str) -> int:
    if re.fullmatch('[0-9]{1,10}', text) and 1 <= int(text) <= MOST:
        return int(text)
    raise ArgumentTypeError(f'{text!r} is not allowed; it takes a whole number from 1 to {MOST}')


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Return the options; a wrong one ends the process with status 2 and a line that says why."""
    parser = argparse.ArgumentParser(prog='lab', description=DESCRIPTION)
    commands = parser.add_subparsers(dest='command', required=True, metavar='COMMAND')
    everywhere = argparse.ArgumentParser(add_help=False)
    everywhere.add_argument('--results', type=Path, default=Path('results'), metavar='DIR',
                            help='folder of the results (default: results)')
    computing = argparse.ArgumentParser(add_help=False)
    computing.add_argument('--workers', type=_number, metavar='N',
                           help='runs at the same time (default: one a core)')

    commands.add_parser('list', parents=[everywhere],
                        help='name the scenarios, and what is done of each')

    run = commands.add_parser(
        'run', parents=[everywhere, computing],
        help='run what is missing of a scenario',
        description='Run what is missing of a scenario; stopped by Ctrl-C, it goes on from there '
        'next time.')
    run.add_argument('scenario', metavar='SCENARIO', help='a name of lab list, or a YAML file')
    run.add_argument('--seeds', type=seeds, default=range(10), metavar='N|A-B',
                     help='so many, or from A to B (default: 10)')
    run.add_argument('--algorithm', action='append', default=[], metavar='NAME',
                     help='only this one; may be repeated')
    run.add_argument('--set', action='append', default=[], type=setting, metavar='KEY=VALUE',
                     help='change the scenario, for example messages.loss=0.2; may be repeated')
    run.add_argument('--again', action='store_true',
                     help='throw away what is there of this scenario')
    run.add_argument('--no-animation', action='store_true',
                     help='do not draw the first seed as an animation')

    figure = commands.add_parser('figure', parents=[everywhere], help='draw a figure')
    figure.add_argument('name', metavar='NAME', nargs='?', default='',
                        help='which one; none: name those that there are')
    figure.add_argument('--out', type=Path, metavar='FILE',
                        help='(default: figures/NAME.png in the folder of the results)')

    reproduce = commands.add_parser(
        'reproduce', parents=[everywhere, computing],
        help="run the papers' scenarios, and compare with what the papers say",
        description='The exit status is 0 where no aim is missed, 1 where one is, 2 where '
        'something is wrong. With 10 seeds or fewer, a number misses its aim only where its '
        '95 % interval does not hold the published one either.')
    reproduce.add_argument('--seeds', type=_number, default=200, metavar='N',
                           help='so many of each (default: 200)')

    study = commands.add_parser(
        'study', parents=[everywhere, computing],
        help='run the study of regions, and say what agrees with its paper',
        description='Run coordination2019, and collections with a fifth of the seeds; draw their '
        'figures, and write study.md.')
    study.add_argument('--seeds', type=_number, default=100, metavar='N',
                       help='so many of each (default: 100)')
    return parser.parse_args(arguments)
