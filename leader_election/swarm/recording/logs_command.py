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

"""The command ``logs``: makes folders of logs, and estimates the noise of robots from them."""

import argparse
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
import re
import textwrap

from leader_election.localisation.noise_estimation import Estimate, estimate, Figure
from leader_election.localisation.parameters import LocalisationParameters
from leader_election.parameters import ParameterError, table
from leader_election.parameters.command_line import (
    CommandLineParser,
    ExitStatus,
    how_to_install,
    print_error,
)
from leader_election.simulation.mrclam import convert, Converted
from leader_election.simulation.robot_logs import SAMPLE
from leader_election.swarm.recording.noise_check import checked
from leader_election.swarm.recording.noise_input import (
    from_logs,
    from_recording,
    NoiseInput,
    Topics,
)

CONVERT = """
Convert a data set of MRCLAM, as its authors publish it (Robot<i>_Odometry.dat and so on), to a
folder of logs with sightings and landmarks, for demo --logs, swarm_world and logs noise.
"""
NOISE = """
Estimate the noise parameters of robots, and print them as a parameter file: those of odometry
against true poses, those of sightings against true distances and directions.
"""


def options() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = CommandLineParser(
        prog='leader_election logs', description='Logs of robots: conversion, and their noise.')
    commands = parser.add_subparsers(dest='command', required=True, metavar='COMMAND')
    one = commands.add_parser('convert', help='convert a data set of MRCLAM', description=CONVERT)
    one.add_argument('source', metavar='FOLDER', type=Path, help='the data set')
    one.add_argument('target', metavar='OUT', type=Path, help='the folder to be made')
    one.add_argument('--rate', type=_positive, default=10.0, metavar='HZ',
                     help='rows a second (default: %(default)g)')
    one.add_argument('--origin', type=float, metavar='S', help='the time of the data set at '
                     'which the logs begin (default: when all robots have a true pose)')
    one.add_argument('--mean', action='store_true', help='velocities are means until the next '
                     'row, which preserves the path exactly (default: the last logged)')
    two = commands.add_parser('noise', help='estimate parameters of noise', description=NOISE)
    two.add_argument('source', metavar='FILE', help='a folder of logs, the name of the logs in '
                     f'the package ({SAMPLE}), a recording (MCAP), or a folder of ros2 bag')
    two.add_argument('--landmarks', type=Path, metavar='FILE',
                     help='the places of landmarks (CSV: id, x, y)')
    two.add_argument('--window', type=_seconds, metavar='S', help='time over which errors of '
                     'odometry are taken (default: the median age of sightings, 2 to 30 s)')
    two.add_argument('--interval', type=_positive, metavar='S', help='the least time between two '
                     'sightings of a pair (default: that of parameter sighting_interval)')
    two.add_argument('--check', action='store_true', help='replay the recording with the '
                     'estimates and with the defaults, and keep the better ones')
    for name, what in zip(Topics._fields, (
            'of odometry', 'of the true poses (Odometry, PoseStamped, PoseWithCovarianceStamped)',
            'of sightings')):
        two.add_argument(f'--{name}', default=Topics._field_defaults[name], metavar='TOPIC',
                         help=f'in a recording: the topic {what} (default: %(default)s)')
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """
    Execute the command line.

    :param arguments: of the command line, by default those of this process.
    :return: the exit status.
    """
    chosen = options().parse_args(arguments)
    try:
        if chosen.command == 'convert':
            print(_summary(convert(chosen.source, chosen.target, chosen.rate, chosen.origin,
                                   chosen.mean), chosen.target))
        else:
            print(_noise(chosen), end='')
    except ParameterError as error:
        return print_error(error)
    except ImportError as error:
        return print_error(f'a recording needs {error.name}; '
                           + how_to_install('record'))
    return ExitStatus.OK


def _noise(chosen: argparse.Namespace) -> str:
    """Return the parameter file."""
    found = _read(chosen)
    title = (f'Noise of {len(found.robots)} robots in {found.length:.0f} s of {chosen.source}, '
             'estimated by: leader_election logs noise')
    result = estimate(found.robots, found.landmarks, chosen.window, chosen.interval)
    unchecked = 'not compared with the defaults: --check replays the recording with both'
    result = (checked(result, found.robots) if chosen.check
              else result._replace(notes=(unchecked, *result.notes)))
    return as_yaml(result, title, found.warnings)


def _read(chosen: argparse.Namespace) -> NoiseInput:
    path = Path(chosen.source)
    if chosen.source == SAMPLE or path.is_dir() and any(path.glob('*.csv')):
        return from_logs(chosen.source, chosen.landmarks)
    topics = Topics(chosen.odometry, chosen.reference, chosen.measurements)
    from leader_election.swarm.recording.mcap_files import RecordingError
    try:
        return from_recording(path, topics, chosen.landmarks)
    except RecordingError as error:
        raise ParameterError(str(error)) from None


def _summary(done: Converted, target: Path) -> str:
    lines = [f'{target}: robots {", ".join(map(str, done.robots))}; {done.length:.1f} s from '
             f'{done.origin:.3f} s of the data set on; {done.sightings} sightings']
    for number, what in (
            (done.unknown_barcodes, 'sightings of unknown barcodes left out'),
            (done.of_itself, 'sightings of a robot by itself left out'),
            (done.gaps, 'gaps of more than a second in true paths, interpolated')):
        if number:
            lines.append(f'{number} {what}')
    return '\n'.join(lines)


def _positive(text: str) -> float:
    number = float(text)
    if not 0.0 < number < float('inf'):
        raise argparse.ArgumentTypeError(f'{text} is not allowed; it takes more than 0')
    return number


def _seconds(text: str) -> float:
    number = float(text)
    if not (1.0 <= number <= 3600.0 and number.is_integer()):
        raise argparse.ArgumentTypeError(
            f'{text} is not allowed; it takes whole seconds, 1 to 3600')
    return number


def as_yaml(estimate: Estimate, title: str, warnings: Iterable[str] = ()) -> str:
    """
    Return the text of a ROS parameter file.

    :param estimate: the parameters.
    :param title: its first line, a comment.
    :param warnings: further comments.
    """
    lines = [*_comment(title, '')]
    for note in (*(f'warning: {warning}' for warning in warnings), *estimate.notes):
        lines += _comment(note, '')
    lines += ['/**:', '  ros__parameters:']
    units = {p.name: p.unit for p in table(LocalisationParameters)}
    for figure in estimate.figures:
        lines += _comment(_basis(figure, units[figure.name]), '    ')
        lines.append(f'    {figure.name}: {_number(figure.value)}')
    return '\n'.join(lines) + '\n'


def _basis(figure: Figure, unit: str) -> str:
    """
    Return the basis of a figure: interval and number of samples.

    >>> _basis(Figure('bearing_noise', 0.0102, 812, 0.0095, 0.0108), 'rad')
    '95 %: 0.0095 to 0.0108 rad, by 812 samples'
    >>> _basis(Figure('bearing_noise', 0.04, 0, kept='nothing was recorded'), 'rad')
    'the default: nothing was recorded'
    """
    if figure.kept:
        return f'the default: {figure.kept}'
    between = (f'at most {_number(figure.upper)}' if figure.at_most
               else f'{_number(figure.lower)} to {_number(figure.upper)}')
    return f'95 %: {between}{" " if unit else ""}{unit}, by {figure.samples} samples'


def _comment(text: str, indent: str) -> Iterator[str]:
    yield from textwrap.wrap(
        text, 98, initial_indent=f'{indent}# ', subsequent_indent=f'{indent}#   ')


def _number(value: float) -> str:
    """
    Return a number with three digits, in a form that YAML reads as a number.

    >>> _number(0.07196), _number(1e-05), _number(2.0)
    ('0.072', '1.0e-05', '2.0')
    """
    text = f'{value:.3g}'
    if '.' not in text:
        text = re.sub(r'^(\d+)', r'\1.0', text)
    return text
