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
import math
from pathlib import Path
import re
import textwrap
from typing import Any, NamedTuple

from leader_election.election.robot.sighting_sources import columns_of
from leader_election.localisation.landmarks import read_landmarks
from leader_election.localisation.noise_estimation import Estimate, estimate, Figure
from leader_election.localisation.parameters import LocalisationParameters
from leader_election.localisation.recorded_errors import Array, Recorded
from leader_election.localisation.sighting import rows_of
from leader_election.parameters import ParameterError, table
from leader_election.parameters.command_line import (
    CommandLineParser,
    ExitStatus,
    how_to_install,
    number,
    POSITIVE,
    print_error,
)
from leader_election.simulation import robot_logs
from leader_election.simulation.mrclam import convert, Converted
from leader_election.swarm.recording import content as contents
from leader_election.swarm.recording.noise_check import checked
from leader_election.swarm.recording.options import matches
import numpy as np

SLOW = 0.5
"""The interval of poses above which a warning is given: turns are interpolated badly [s]."""


class Topics(NamedTuple):
    """The topics to read from a recording: full names, their last parts, or patterns."""

    odometry: str = 'odom'
    reference: str = 'ground_truth'
    measurements: str = 'measurements'


class NoiseInput(NamedTuple):
    """The input of an estimation of noise."""

    robots: dict[int, Recorded]
    landmarks: robot_logs.Landmarks
    length: float
    """[s]."""
    warnings: tuple[str, ...] = ()


# Logs.

def from_logs(logs: str, landmarks: Path | None = None) -> NoiseInput:
    """
    Read a folder of logs, and its sightings and landmarks if there are any.

    :param logs: the folder, or ``physics5``.
    :param landmarks: their file, instead of the one in the folder.
    :raises LogError: for wrong or missing logs.
    """
    with robot_logs.logs_folder(logs) as folder:
        paths = robot_logs.log_paths(folder)
        tables = [robot_logs.read_log(path) for path in paths]
        some = any((folder / robot_logs.SIGHTINGS_FOLDER / path.name).is_file() for path in paths)
    ids = [_id_of(path, k) for k, path in enumerate(paths, 1)]
    sightings = robot_logs.read_sightings(logs, ids) if some else np.zeros((0, 5))
    places = landmarks or robot_logs.landmarks_path(logs)
    robots = {
        robot: Recorded(
            _integrated(log), np.column_stack((log.t, log.poses)),
            np.delete(sightings[sightings[:, 1] == row], 1, axis=1))
        for row, (robot, log) in enumerate(zip(ids, tables))}
    return NoiseInput(robots, {} if places is None else dict(read_landmarks(str(places))),
                      max(float(log.t[-1] - log.t[0]) for log in tables))


def _id_of(path: Path, otherwise: int) -> int:
    digits = re.search(r'\d+$', path.stem)
    return int(digits[0]) if digits else otherwise


def _integrated(log: robot_logs.RobotLog) -> Array:
    """Return t and the pose by the logged velocities, from the true pose at the begin."""
    dt = np.diff(log.t)
    forward, turns = log.velocities[:-1].T * dt
    yaw = log.poses[0, 2] + np.concatenate(([0.0], np.cumsum(turns)))
    middle = yaw[:-1] + 0.5 * turns
    x, y = (start + np.concatenate(([0.0], np.cumsum(forward * part)))
            for start, part in zip(log.poses[0, :2], (np.cos(middle), np.sin(middle))))
    return np.column_stack((log.t, x, y, yaw))


# Recordings.

class _Collected:
    """The rows of one kind of topic, by namespace."""

    def __init__(self) -> None:
        self.rows: dict[str, list[tuple[float, ...]]] = {}

    def add(self, topic: str, rows: Iterable[tuple[float, ...]]) -> None:
        self.rows.setdefault(topic.strip('/').rpartition('/')[0], []).extend(rows)

    def by_id(self, names: dict[str, int], width: int) -> dict[int, Array]:
        """Return the rows of each robot in the order of time, shape (n, width)."""
        found = {}
        for namespace, robot in contents.ids_of(self.rows, names).items():
            table = np.reshape(self.rows[namespace], (-1, width)).astype(np.float64)
            found[robot] = table[np.argsort(table[:, 0], kind='stable')]
        return found


def from_recording(path: Path, topics: Topics, landmarks: Path | None = None) -> NoiseInput:
    """
    Read a recording.

    :param path: an MCAP file, or a folder of ``ros2 bag``.
    :param topics: names of topics, in the namespaces of robots.
    :param landmarks: the file of their places.
    :raises RecordingError: if there is no recording.
    :raises LogError: where no robot has both odometry and a reference, or for wrong landmarks.
    """
    # The reader of MCAP is not installed on every robot.
    from leader_election.swarm.recording.mcap_files import Reader
    kinds = {topics.odometry: (contents.ODOMETRY,), topics.measurements: (contents.NUMBERS,),
             topics.reference: contents.POSES}
    collected = {name: _Collected() for name in kinds}
    clocks, diagnostics, unreadable = contents.Clocks(), contents.DiagnosticsSummary(), 0

    def is_relevant(topic: str, kind: str) -> bool:
        return (kind in (contents.CLOCK, contents.DIAGNOSTICS)
                or any(kind in of and matches(topic, [name]) for name, of in kinds.items()))
    reader = Reader(path)
    for entry in reader.entries(is_relevant):
        if entry.kind == contents.CLOCK:
            clocks.tick(entry.time, contents.content(contents.CLOCK, entry.message) or 0.0)
            continue
        now = clocks.advance(entry.time)
        if entry.kind == contents.DIAGNOSTICS:
            diagnostics.add(contents.content(contents.DIAGNOSTICS, entry.message) or (), {})
            continue
        for name, of in kinds.items():
            if entry.kind in of and matches(entry.topic, [name]):
                try:
                    collected[name].add(entry.topic, _rows(now, entry.kind, entry.message))
                except (AttributeError, TypeError, ValueError):
                    unreadable += 1
    names = diagnostics.names
    odometry = collected[topics.odometry].by_id(names, 4)
    reference = collected[topics.reference].by_id(names, 4)
    seen = collected[topics.measurements].by_id(names, 4)
    robots = {
        robot: Recorded(_continuous(odometry[robot]), _continuous(reference[robot]),
                        seen.get(robot, np.zeros((0, 4))))
        for robot in sorted(odometry.keys() & reference.keys())
        if min(len(odometry[robot]), len(reference[robot])) > 1}
    if not robots:
        raise robot_logs.LogError(f'{path}: no robot has both odometry ({topics.odometry}: '
                                  f'{len(odometry)} robots) and a reference ({topics.reference}: '
                                  f'{len(reference)} robots)')
    # Landmarks, and robots without odometry, may be seen, too.
    return NoiseInput(robots, {} if landmarks is None else dict(read_landmarks(str(landmarks))),
                      clocks.now, tuple(_warnings(robots, unreadable + reader.unreadable)))


def _rows(now: float, kind: str, message: Any) -> list[tuple[float, ...]]:
    """Return rows of t, x, y, yaw or t, id, range, bearing from a message."""
    if kind == contents.NUMBERS:
        columns = columns_of(message.layout.dim, len(message.data))
        return [] if columns is None else [
            (now, float(seen.id), seen.range, seen.bearing)
            for seen in rows_of(message.data, columns)]
    pose = contents.content(kind, message)
    if pose is None:
        raise TypeError(kind)
    return [(now, *pose)] if all(map(math.isfinite, pose)) else []


def _continuous(table: Array) -> Array:
    """Return poses at times that increase, with a continuous yaw."""
    table = table[np.append(np.diff(table[:, 0]) > 0.0, True)]
    table[:, 3] = np.unwrap(table[:, 3])
    return table


def _warnings(robots: dict[int, Recorded], unreadable: int) -> Sequence[str]:
    found = []
    slow = max(float(np.median(np.diff(table[:, 0]))) for robot in robots.values()
               for table in (robot.odometry, robot.reference) if len(table) > 1)
    if slow > SLOW:
        found.append(f'poses were recorded every {slow:.1f} s only, and turns in between are not '
                     'known; record with --odom-rate 10')
    if unreadable:
        found.append(f'messages that do not match their types were left out: {unreadable}')
    return found


_SECONDS = number(lambda value: 1.0 <= value <= 3600.0 and value.is_integer(),
                  'whole seconds, 1 to 3600')
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
    one.add_argument('--rate', type=POSITIVE, default=10.0, metavar='HZ',
                     help='rows a second (default: %(default)g)')
    one.add_argument('--origin', type=float, metavar='S', help='the time of the data set at '
                     'which the logs begin (default: when all robots have a true pose)')
    one.add_argument('--mean', action='store_true', help='velocities are means until the next '
                     'row, which preserves the path exactly (default: the last logged)')
    two = commands.add_parser('noise', help='estimate parameters of noise', description=NOISE)
    two.add_argument('source', metavar='FILE', help='a folder of logs, the name of the logs in '
                     f'the package ({robot_logs.SAMPLE}), a recording (MCAP), or a folder of '
                     'ros2 bag')
    two.add_argument('--landmarks', type=Path, metavar='FILE',
                     help='the places of landmarks (CSV: id, x, y)')
    two.add_argument('--window', type=_SECONDS, metavar='S', help='time over which errors of '
                     'odometry are taken (default: the median age of sightings, 2 to 30 s)')
    two.add_argument('--interval', type=POSITIVE, metavar='S', help='the least time between two '
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
    if chosen.source == robot_logs.SAMPLE or path.is_dir() and any(path.glob('*.csv')):
        return from_logs(chosen.source, chosen.landmarks)
    topics = Topics(chosen.odometry, chosen.reference, chosen.measurements)
    from leader_election.swarm.recording.content import RecordingError
    try:
        return from_recording(path, topics, chosen.landmarks)
    except RecordingError as error:
        raise ParameterError(str(error)) from None


def _summary(done: Converted, target: Path) -> str:
    lines = [f'{target}: robots {", ".join(map(str, done.robots))}; {done.length:.1f} s from '
             f'{done.origin:.3f} s of the data set on; {done.sightings} sightings']
    for count, what in (
            (done.unknown_barcodes, 'sightings of unknown barcodes left out'),
            (done.of_itself, 'sightings of a robot by itself left out'),
            (done.gaps, 'gaps of more than a second in true paths, interpolated')):
        if count:
            lines.append(f'{count} {what}')
    return '\n'.join(lines)


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
