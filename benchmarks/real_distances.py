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
Compare the partition by odometry, with the filter, and by true poses.

Robots of this package replay a folder of logs, by default MRCLAM 6 (:mod:`benchmarks.real_logs`),
or drive in a world (``--world config/barriers.yaml``), without ROS and in simulated time. A robot
is right if it has the leader of the partition by true positions at that moment. The same seed
gives the same figures. Seeds differ in strengths, simulated sensors and lost messages, and in a
world also in paths and odometry.
"""

import argparse
from collections.abc import Iterable, Iterator, Mapping
import math
from statistics import fmean, median
from typing import Any, NamedTuple

from benchmarks.logged_swarm import (
    COMPARE_FROM,
    LoggedSwarm,
    LogSample,
    OFF_FOR,
    RADIUS,
    REACH,
)
from benchmarks.real_logs import real_logs
from benchmarks.warned import moments, share, warned
from leader_election.parameters import ParameterError, table
from leader_election.parameters.parameter_files import global_parameters
from leader_election.simulation.parameters import WorldParameters
from leader_election.swarm.accuracy import Accuracy, mean
import numpy as np

SPANS = ((COMPARE_FROM, 120.0), (120.0, 300.0), (300.0, math.inf), (COMPARE_FROM, math.inf))
"""The columns of the table [s]."""
WITH_FILTER = {'pose_source': 'cooperative'}
UWB: dict[str, Any] = {'camera_rate': 0.0, 'ranging_rate': 1.0}
LOGGED_CAMERA: dict[str, Any] = {'logged_sightings': True}
CAMERA: dict[str, Any] = {'camera_rate': 2.0, 'ranging_rate': 0.0}
LOSS, LATE = 0.3, 2.0
"""The share of lost messages, and how late sightings are [s]."""
SEERS = 1, 2
"""The robots that see landmarks in the published protocol."""
FAULT = 300.0
"""The time at which a robot is carried off, or goes off [s]."""
JUST_AFTER = 30.0
"""The time after a fault for which a table has the shares of right leaders [s]."""
AGREED = 0.9
"""The share of robots with the right leader in a recovered swarm."""
WINDOW = 15.0
"""The window over which this share is measured [s]."""


class Scene(NamedTuple):
    """Where the robots are."""

    name: str
    world: Mapping[str, Any]
    swarm: Mapping[str, Any]
    seconds: float
    """The length of a run, infinite for that of the logs."""

    @property
    def sources(self) -> dict[str, dict[str, Any]]:
        """Return the parameters of the world with each source of sightings, by its name."""
        return {'camera': LOGGED_CAMERA if 'logs' in self.world else CAMERA, 'uwb': UWB}


class Case(NamedTuple):
    """A row of the table."""

    name: str
    world: dict[str, Any]
    swarm: dict[str, Any]
    recovers_from: float = math.nan
    """The time from which on recovery is measured [s], nan if not measured."""


def scene_of_file(path: str, seconds: float) -> Scene:
    """
    Return the scene that a parameter file of world and robots describes.

    :raises ParameterError: for a file that cannot be read.
    """
    values = global_parameters(path)
    of_world = {each.name for each in table(WorldParameters)}
    return Scene(path, {name: value for name, value in values.items() if name in of_world}, {
        'radius': values.get('radius', RADIUS), 'reach': values.get('communication_range', REACH)},
        seconds)


def plain_cases(scene: Scene) -> Iterator[Case]:
    """Yield the cases of the table, each without and with lost messages."""
    for loss in (0.0, LOSS):
        lost = f', {loss:.0%} lost' if loss else ''
        radio: dict[str, Any] = {'radio_loss': loss} if loss else {}
        yield Case(f'true poses (control){lost}', {**radio, 'odom_source': 'truth'}, {})
        yield Case(f'odometry{lost}', radio, {})
        for source, world in scene.sources.items():
            yield Case(f'filter, {source}{lost}', {**radio, **world}, WITH_FILTER)
        yield Case(f'metric range, uwb{lost}', {**radio, **UWB}, {'metric': 'range'})
    if 'logs' in scene.world:
        yield Case('filter, camera, landmarks', LOGGED_CAMERA,
                   {**WITH_FILTER, 'known_landmarks': True})


def landmark_cases(scene: Scene) -> Iterator[Case]:
    """
    Yield the cases of the published protocol: two of five robots see landmarks, all know the map.

    The figure to compare is the error of absolute positions of the team.
    """
    if 'logs' not in scene.world:
        return
    known = {**WITH_FILTER, 'known_landmarks': True}
    yield Case('dead reckoning', {}, {})
    for name, seers in ((f'robots {SEERS[0]} and {SEERS[1]} see landmarks', SEERS),
                        ('all see landmarks', None), ('none sees landmarks', ())):
        yield Case(name, LOGGED_CAMERA, {**known, 'see_landmarks': seers})
        yield Case(f'{name}, no messages', {**LOGGED_CAMERA, 'radio_loss': 1.0},
                   {**known, 'see_landmarks': seers})


def hard_cases(scene: Scene, robots: range) -> Iterator[Case]:
    """Yield the cases with faults."""
    for robot in robots:
        fault = {'carried_robots': str(robot), 'carried_at': FAULT}
        yield Case(f'robot {robot} carried at {FAULT:g} s, control',
                   {**UWB, **fault, 'odom_source': 'truth'}, {}, FAULT)
        yield Case(f'robot {robot} carried at {FAULT:g} s, uwb', {**UWB, **fault}, WITH_FILTER,
                   FAULT)
    for source, world in scene.sources.items():
        for robot in robots:
            yield Case(f'start of {robot} wrong by 1 m, {source}',
                       {**world, 'odom_shifted': str(robot), 'odom_shift': 1.0}, WITH_FILTER,
                       COMPARE_FROM)
    for source, world in scene.sources.items():
        for robot in robots:
            yield Case(f'robot {robot} off at {FAULT:g} s, {source}', world,
                       {**WITH_FILTER, 'off': (robot, FAULT)}, FAULT + OFF_FOR)
    for source, world in scene.sources.items():
        yield Case(f'20 % wrong ids, {source}', world, {**WITH_FILTER, 'wrong_ids': 0.2})
    yield Case('40 % outliers, uwb', {**UWB, 'ranging_outliers': 0.4}, WITH_FILTER)
    yield Case('ranges 0.2 m too long, uwb', {**UWB, 'ranging_bias': 0.2}, WITH_FILTER)
    for source, world in scene.sources.items():
        yield Case(f'sightings {LATE:g} s late, {source}', world, {**WITH_FILTER, 'late': LATE})
    first, half = robots[0], robots[:len(robots) // 2]
    for source, world in scene.sources.items():
        yield Case(f'robot {first} without a sensor, {source}', world,
                   {**WITH_FILTER, 'blind': (first,)})
        yield Case(f'robots {half[0]} to {half[-1]} without the filter, {source}', world, {
            **WITH_FILTER, 'each': lambda robot: {'pose_source': 'odometry'} if robot in half
            else {}})


def run(scene: Scene, case: Case, seed: int) -> LoggedSwarm:
    """Return a swarm after the whole of its logs, or the time of its world."""
    swarm = LoggedSwarm({**scene.world, 'seed': seed, **case.world},
                        **{**scene.swarm, **case.swarm})
    logs = swarm.world.scene.logs
    swarm.run(min([scene.seconds, *(float(log.t[-1] - log.t[0]) for log in logs)]))
    return swarm


def control(scene: Scene, case: Case, seed: int, known: dict[str, dict[int, LogSample]]
            ) -> dict[int, LogSample]:
    """
    Return the moments of the same run with true poses, by their times.

    :param known: those of earlier cases, which are added to. Sensors do not matter to them.
    """
    world = {name: value for name, value in case.world.items()
             if name not in {*UWB, *CAMERA, *LOGGED_CAMERA}} | {'odom_source': 'truth'}
    key = f'{seed} {sorted(world.items())}'
    if key not in known:
        known[key] = moments(run(scene, Case('control', world, {}), seed))
    return known[key]


def recovery(swarm: LoggedSwarm, since: float) -> float:
    """Return the time until robots were right again, over the whole window [s]."""
    times = [moment.time for moment in swarm.moments if moment.time >= since]
    return next((time - since for time in times
                 if swarm.share(time, time + WINDOW)[0] >= AGREED), math.inf)


def row(scene: Scene, case: Case, seeds: int, known: dict[str, dict[int, LogSample]]) -> str:
    """
    Return the row of a case: medians over the seeds.

    :param known: runs with true poses (:func:`control`).
    """
    swarms = [run(scene, case, seed) for seed in range(1, seeds + 1)]
    cells = []
    for begin, end in SPANS:
        shares = [swarm.share(begin, end) for swarm in swarms]
        cells.append(percent(map(median, zip(*shares))))
    errors = np.concatenate([swarm.errors for swarm in swarms] or [[math.nan]])
    accuracy = Accuracy()
    for swarm in swarms:
        for robot, off in swarm.accuracy.poses.items():
            accuracy.poses[robot] += off
        accuracy.relative += swarm.accuracy.relative
        accuracy.nees += swarm.accuracy.nees
    found = accuracy.figures()
    unknown = sum(swarm.unknown for swarm in swarms)
    poses = len(accuracy.nees) + unknown
    squares = [square for swarm in swarms for square in swarm.squares]
    cells += [
        f'{np.median(np.abs(errors)):.2f}, {np.sqrt(np.mean(errors ** 2)):.2f}',
        text(found.relative),
        f'{text(found.absolute)} ({", ".join(map(text, found.robots.values()))})',
        ', '.join(map(text, (found.nees_pose,
                             mean([each for swarm in swarms for each in swarm.relative_nees]),
                             fmean(squares) if squares else None,
                             unknown / poses if poses else None)))]
    cells.append('' if case.swarm.get('pose_source') != 'cooperative' else ', '.join(map(
        share, zip(*(warned(swarm, control(scene, case, seed + 1, known))
                     for seed, swarm in enumerate(swarms))))))
    since = case.recovers_from
    cells.append('' if math.isnan(since) else ', '.join(
        f'{recovery(swarm, since):.0f} ({percent(swarm.share(since, since + JUST_AFTER))})'
        for swarm in swarms))
    cells.append(str(sum(robot.counts['robots_carried_off'] for swarm in swarms
                         for robot in swarm.robots.values())))
    return f'| {case.name} | ' + ' | '.join(cells) + ' |'


def percent(shares: Iterable[float]) -> str:
    """Return shares as percentages."""
    return ' / '.join(f'{100.0 * share:.1f}' for share in shares)


def text(figure: float | None) -> str:
    """Return a figure as text."""
    return '-' if figure is None else f'{figure:.2f}'


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--logs', default='', help='a folder, or physics5, the logs in the '
                        'package (default: those of real robots, MRCLAM 6)')
    parser.add_argument('--world', default='', metavar='FILE', help='parameters of a world and '
                        'its robots, in place of logs; for example config/barriers.yaml')
    parser.add_argument('--robots', type=int, default=0, help='of a world, in place of its file')
    parser.add_argument('--seconds', type=float, default=600.0, help='of a world')
    parser.add_argument('--seeds', type=int, default=3)
    parser.add_argument('--cases', choices=('plain', 'hard', 'landmarks', 'all'), default='plain')
    parser.add_argument('--only', default='', help='cases with this in their names')
    options = parser.parse_args()
    try:
        if options.world:
            scene = scene_of_file(options.world, options.seconds)
            if options.robots:
                scene = scene._replace(world={**scene.world, 'robots': options.robots})
        else:
            logs = options.logs or real_logs()
            scene = Scene(logs, {'logs': logs}, {}, math.inf)
        robots = range(1, len(LoggedSwarm(scene.world).robots) + 1)
    except ParameterError as error:
        parser.error(str(error))
    groups = {'plain': plain_cases(scene), 'hard': hard_cases(scene, robots),
              'landmarks': landmark_cases(scene)}
    cases = [case for name, group in groups.items() if options.cases in (name, 'all')
             for case in group]
    print(f'## Same leader / whole partition right [%] on {scene.name}, medians of '
          f'{options.seeds} seeds')
    print('| | 0-2 min | 2-5 | after 5 | overall | error of distances, median, RMS [m] | of '
          'relative positions, RMS [m] | of absolute positions, RMS (by robot) [m] | NEES: pose, '
          'relative position, distance; unknown | warned of a wrong leader by its own distances, '
          'of all wrong ones, with a right one [%] (of s) | recovery [s] '
          f'(in the first {JUST_AFTER:g} s) | found carried off |')
    print('|---' * 12 + '|')
    known: dict[str, dict[int, LogSample]] = {}
    for case in cases:
        if options.only in case.name:
            print(row(scene, case, options.seeds, known), flush=True)


if __name__ == '__main__':
    main()
