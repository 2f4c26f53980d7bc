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
Convert a data set of several robots, as its authors publish it, to a folder of logs.

Where a data set has no odometry of a robot, it is simulated: the true motion with the errors of
:class:`.GazeboOdometryParameters`. Logs are planar. So a range between robots of different heights
is projected to the plane, with the true heights.
"""

import argparse
from collections.abc import Iterable, Sequence
from pathlib import Path
import shutil
from typing import NamedTuple

from leader_election.localisation.sighting import ANTENNAS
from leader_election.parameters import files, ParameterError
from leader_election.parameters.command_line import (
    CommandLineParser,
    ExitStatus,
    how_to_run,
    POSITIVE,
    print_error,
)
from leader_election.simulation.data_sets import Array, read_data_set, Recorded, UNKNOWN
from leader_election.simulation.logged_sightings import SIGHTING_COLUMNS, SIGHTINGS_FOLDER
from leader_election.simulation.motion import compose, planar_velocities_between
from leader_election.simulation.odometry import Odometry
from leader_election.simulation.parameters import GazeboOdometryParameters
from leader_election.simulation.robot_logs import COLUMNS, LANDMARKS, SIDEWAYS
import numpy as np

MOST_ROWS = 5_000_000
"""The greatest number of rows of a log."""
TURNLESS = (0, 0), (0, 1)
"""The padding of x, y to x, y, yaw."""
ROUNDING = 1e-6
"""The rounding error of times in seconds since 1970 [s]."""


class Conversion(NamedTuple):
    """The result of a conversion, with counts of omitted data."""

    robots: list[int]
    origin: float
    """The time of the data set at which the logs begin [s]."""
    length: float
    """The duration of the logs [s]."""
    sightings: int
    left_out: int
    """
    The number of sightings left out: of unknown subjects and of the robot itself, and ranges
    shorter than the difference of heights.
    """
    height: float
    """The greatest difference of heights over which a range was projected [m]."""
    errors: tuple[float, ...]
    """The mean errors of the ranges of each pair of robots [m], ascending."""
    simulated: list[int]
    """The robots without odometry in the data set."""


def convert(source: Path, target: Path, rate: float = 10.0) -> Conversion:
    """
    Write the logs of a data set, its sightings in ``measurements`` and its ``landmarks.csv``.

    The logs begin when all robots have a true pose, and end with the first true path.

    :param source: the folder of the data set, or its file.
    :param target: the folder to be made. An existing one has to be empty.
    :param rate: rows a second [Hz].
    :raises ParameterError: for files that are missing or wrong, and a target that is not empty.
    """
    data = read_data_set(source)
    robots = data.robots
    begin = max(robot.truth[0, 0] for robot in robots.values())
    latest = min(robot.truth[-1, 0] for robot in robots.values())
    if begin >= latest:
        raise ParameterError(f'{source}: the robots have true poses at no common time')
    if not (latest - begin) * rate < MOST_ROWS:
        raise ParameterError(f'{source}: {latest - begin:.3g} s at {rate:g} rows a second are '
                             f'{(latest - begin) * rate:.3g} rows, more than {MOST_ROWS:g}; '
                             'take a lower --rate')
    times = np.arange(int((latest - begin) * rate + ROUNDING) + 1) / rate
    seen = {number: _within(robot.sightings, begin, float(times[-1]))
            for number, robot in robots.items()}
    kept, height = {}, 0.0
    for number, table in seen.items():
        flat, apart = _projected(table, number, robots)
        kept[number] = flat[(flat[:, 1] != UNKNOWN) & (flat[:, 1] != number) & (flat[:, 2] != 0.0)]
        height = max(height, apart)
    try:
        if target.is_dir() and any(target.iterdir()):
            raise ParameterError(f'{target} is not empty; name a new folder')
        (target / SIGHTINGS_FOLDER).mkdir(parents=True, exist_ok=True)
        for number, robot in robots.items():
            _write_log(target / f'robot_{number}.csv', times,
                       _resampled(robot, begin + times, number))
            _write_sightings(target / SIGHTINGS_FOLDER / f'robot_{number}.csv', kept[number],
                             begin)
        if len(data.landmarks):
            _write(target / SIGHTINGS_FOLDER / LANDMARKS, ('id', 'x', 'y'), (
                f'{subject:.0f},{x:.5f},{y:.5f}' for subject, x, y in data.landmarks.tolist()))
    except OSError as error:
        # It was empty before.
        shutil.rmtree(target, ignore_errors=True)
        raise ParameterError(f'{error.filename or target}: {error.strerror}') from None
    written = sum(map(len, kept.values()))
    return Conversion(
        list(robots), float(begin), float(times[-1]), written,
        sum(map(len, seen.values())) - written, height, _errors(kept, robots),
        [number for number, robot in robots.items() if not len(robot.odometry)])


def _within(table: Array, begin: float, length: float) -> Array:
    """Return the sightings of the time of the logs, in the order of their times."""
    table = table[np.argsort(table[:, 0], kind='stable')]
    t = table[:, 0] - begin
    return table[(-ROUNDING <= t) & (t <= length + ROUNDING)]


def _at(robot: Recorded, times: Array) -> Array:
    """Return the true x, y, yaw, z at some times, interpolated linearly."""
    truth = robot.truth
    return np.stack([np.interp(times, truth[:, 0], values) for values in (
        truth[:, 1], truth[:, 2], np.unwrap(truth[:, 3]), truth[:, 4])], axis=-1)


def _projected(table: Array, number: int, robots: dict[int, Recorded]) -> tuple[Array, float]:
    """Return sightings with horizontal ranges, 0 for too short ones, and the greatest height."""
    table, greatest = table.copy(), 0.0
    for subject in set(robots) - {number}:
        rows = table[:, 1] == subject
        times = table[rows, 0]
        height = np.abs(_at(robots[subject], times)[:, 3] - _at(robots[number], times)[:, 3])
        flat = np.square(table[rows, 2]) - np.square(height)
        table[rows, 2] = np.sqrt(np.maximum(flat, 0.0))
        greatest = max(greatest, float(height.max(initial=0.0)))
    return table, greatest


def _errors(seen: dict[int, Array], robots: dict[int, Recorded]) -> tuple[float, ...]:
    """Return the mean errors of ranges of each pair of robots [m], by the places of antennas."""
    errors: dict[frozenset[int], list[float]] = {}
    for number, table in seen.items():
        for subject in set(robots) - {number}:
            rows = table[table[:, 1] == subject]
            t, distances = rows[:, 0], rows[:, 2]
            apart = (compose(_at(robots[subject], t)[:, :3], np.pad(rows[:, 6:8], TURNLESS))
                     - compose(_at(robots[number], t)[:, :3], np.pad(rows[:, 4:6], TURNLESS)))
            errors.setdefault(frozenset((number, subject)), []).extend(
                (distances - np.hypot(*apart[:, :2].T)).tolist())
    return tuple(sorted(float(np.nanmean(each)) for each in errors.values()
                        if np.isfinite(each).any()))


def _resampled(robot: Recorded, times: Array, seed: int) -> Array:
    """Return v, omega, x, y, theta, vy at some times, theta in [-pi, pi)."""
    pose = _at(robot, times)[:, :3]
    velocities = np.zeros((len(times), 3))
    if len(robot.odometry):
        # Rounding puts a row sometimes before, sometimes after its time.
        last = np.searchsorted(robot.odometry[:, 0], times + ROUNDING, side='right') - 1
        velocities[last >= 0] = robot.odometry[last[last >= 0], 1:]
    elif len(times) > 1:
        steps = np.diff(times)
        odometry = Odometry(1, GazeboOdometryParameters(), np.random.default_rng(seed))
        true = planar_velocities_between(pose[:-1], pose[1:], steps)
        for row, (velocity, step) in enumerate(zip(true, steps.tolist())):
            odometry.step(velocity[np.newaxis], step)
            velocities[row] = odometry.velocities[0]
    pose[:, 2] = (pose[:, 2] + np.pi) % (2.0 * np.pi) - np.pi
    return np.column_stack((velocities[:, :2], pose, velocities[:, 2]))


def _write_log(path: Path, times: Array, rows: Array) -> None:
    sideways = bool(rows[:, 5].any())
    _write(path, (*COLUMNS, SIDEWAYS) if sideways else COLUMNS, (
        f'{t:.10g},' + ','.join(f'{value:.4f}' for value in row[:5 + sideways])
        for t, row in zip(times.tolist(), rows.tolist())))


def _write_sightings(path: Path, table: Array, begin: float) -> None:
    antennas = bool(table[:, 4:].any())
    _write(path, (*SIGHTING_COLUMNS, *ANTENNAS) if antennas else SIGHTING_COLUMNS, (
        f'{abs(t - begin):.4f},{subject:.0f},' + ','.join(
            f'{value:.4f}' for value in (measured if antennas else measured[:2]))
        for t, subject, *measured in table.tolist()))


def _write(path: Path, header: Iterable[str], lines: Iterable[str]) -> None:
    files.write_text(path, '\n'.join((','.join(header), *lines)) + '\n')


CONVERT = """
Convert a data set of several robots, as its authors publish it, to a folder of logs with sightings
and landmarks, for demo --logs and swarm_world.
"""


def options() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = CommandLineParser(
        prog=how_to_run('logs'), description='Convert logs of real robots.')
    commands = parser.add_subparsers(dest='command', required=True, metavar='COMMAND')
    one = commands.add_parser('convert', help='convert a data set of MRCLAM, TIERS or MURP',
                              description=CONVERT)
    one.add_argument('source', metavar='DATA', type=Path, help='the data set')
    one.add_argument('target', metavar='OUT', type=Path, help='the folder to be made')
    one.add_argument('--rate', type=POSITIVE, default=10.0, metavar='HZ',
                     help='rows a second (default: %(default)g)')
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """
    Execute the command line.

    :param arguments: of the command line, by default those of this process.
    :return: the exit status.
    """
    chosen = options().parse_args(arguments)
    try:
        print(_summary(convert(chosen.source, chosen.target, chosen.rate), chosen.target))
    except ParameterError as error:
        return print_error(error)
    return ExitStatus.OK


FLAT = 0.1
"""The difference of heights up to which ranges count as horizontal [m]."""


def _summary(done: Conversion, target: Path) -> str:
    """Return the report of a conversion: what was written, simulated, and left out."""
    lines = [f'{target}: robots {", ".join(map(str, done.robots))}; {done.length:.1f} s from '
             f'{done.origin:.3f} s of the data set on; {done.sightings} sightings']
    if done.left_out:
        lines.append(f'{done.left_out} sightings left out: of unknown subjects or the robot '
                     'itself, or shorter than the difference of heights')
    if done.simulated:
        lines.append(f'odometry of robots {", ".join(map(str, done.simulated))} is not in the '
                     'data set: simulated, the true motion with errors')
    if done.height > FLAT:
        lines.append(f'heights of robots differ by up to {done.height:.2f} m: ranges projected to '
                     'the plane')
    if done.errors:
        lines.append(f'mean errors of ranges, by pairs of robots: {done.errors[0]:+.2f} to '
                     f'{done.errors[-1]:+.2f} m (range_offset)')
    return '\n'.join(lines)
