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

"""The command ``logs``: convert published data sets to folders of logs."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from leader_election.parameters import ParameterError
from leader_election.parameters.command_line import (
    CommandLineParser,
    ExitStatus,
    POSITIVE,
    print_error,
)
from leader_election.simulation.mrclam import convert, Converted

CONVERT = """
Convert a data set of MRCLAM, as its authors publish it (Robot<i>_Odometry.dat and so on), to a
folder of logs with sightings and landmarks, for demo --logs and swarm_world.
"""


def options() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = CommandLineParser(
        prog='leader_election logs', description='Convert logs of real robots.')
    commands = parser.add_subparsers(dest='command', required=True, metavar='COMMAND')
    one = commands.add_parser('convert', help='convert a data set of MRCLAM', description=CONVERT)
    one.add_argument('source', metavar='FOLDER', type=Path, help='the data set')
    one.add_argument('target', metavar='OUT', type=Path, help='the folder to be made')
    one.add_argument('--rate', type=POSITIVE, default=10.0, metavar='HZ',
                     help='rows a second (default: %(default)g)')
    one.add_argument('--origin', type=float, metavar='S', help='the time of the data set at '
                     'which the logs begin (default: when all robots have a true pose)')
    one.add_argument('--mean', action='store_true', help='velocities are means until the next '
                     'row, which preserves the path exactly (default: the last logged)')
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """
    Execute the command line.

    :param arguments: of the command line, by default those of this process.
    :return: the exit status.
    """
    chosen = options().parse_args(arguments)
    try:
        print(_summary(convert(chosen.source, chosen.target, chosen.rate, chosen.origin,
                               chosen.mean), chosen.target))
    except ParameterError as error:
        return print_error(error)
    return ExitStatus.OK


def _summary(done: Converted, target: Path) -> str:
    """Return the report of a conversion: what was written, and what was left out."""
    lines = [f'{target}: robots {", ".join(map(str, done.robots))}; {done.length:.1f} s from '
             f'{done.origin:.3f} s of the data set on; {done.sightings} sightings']
    for count, what in (
            (done.unknown_barcodes, 'sightings of unknown barcodes left out'),
            (done.of_itself, 'sightings of a robot by itself left out'),
            (done.gaps, 'gaps of more than a second in true paths, interpolated')):
        if count:
            lines.append(f'{count} {what}')
    return '\n'.join(lines)
