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
Faults of sensors of real robots: a robot whose camera or radio lies, and what it costs the swarm.

Robots of this package on a folder of logs, by default MRCLAM 6 (:mod:`benchmarks.real_logs`),
without ROS and in simulated time. Each case runs with other robots, times and seeds. Warnings are
judged by :mod:`benchmarks.warned`.
"""

import argparse
from collections.abc import Callable, Iterator, Sequence
from functools import cache
import math
from typing import Any, NamedTuple

from benchmarks.logged_swarm import COMPARE_FROM, LoggedSwarm, Moment
from benchmarks.real_distances import LOGGED_CAMERA, UWB, WITH_FILTER
from benchmarks.real_logs import real_logs
from benchmarks.warned import moments, share, warned
from leader_election.election.robot.robot import Robot
from leader_election.localisation.plane import between, PlanePose
from leader_election.parameters import build, ParameterError
from leader_election.simulation.kinematics import Array
from leader_election.simulation.parameters import WorldParameters
from leader_election.simulation.robot_logs import first_time
from leader_election.simulation.world import World
import numpy as np

SOURCES: dict[str, dict[str, Any]] = {'camera': LOGGED_CAMERA, 'uwb': UWB}
RUNS = ((1, 150.0, 1), (3, 300.0, 2), (5, 330.0, 3), (2, 240.0, 1), (4, 200.0, 2))
"""The runs of each case: the faulty robot, the begin of the fault [s], the seed."""
AFTER = 30.0
"""The time after a fault within which its damage should be undone [s]."""
RATE = 4.0
"""The frames per second of a frozen camera [Hz]."""
EARLIER = 140.0
"""How old the sightings of a repeated series are [s]."""
CARRIED = 3.0
"""How far a robot is carried [m]."""


class Fault(NamedTuple):
    """A fault of a robot's sensor."""

    robots: frozenset[int]
    begin: float
    """[s]."""
    end: float
    """[s]."""


Lie = Callable[['FaultySwarm', int, Array], Array]
"""Returns what the sensor of a robot reports in place of its sightings."""


class FaultySwarm(LoggedSwarm):
    """
    Robots on logs, the sensors of some of which are wrong for a time.

    :ivar past: the frames of each robot's sensor: times, and rows of id, range, bearing.
    """

    def __init__(self, world: dict[str, Any], fault: Fault, lie: Lie, off: bool = False,
                 **settings: Any) -> None:
        """
        Plan the fault.

        :param lie: what the sensors report meanwhile.
        :param off: whether the robots are off meanwhile, and their odometry begins at 0 again.
        """
        super().__init__(world, **settings)
        self.fault = fault
        self.draw = np.random.default_rng(int(fault.begin))
        self.past: dict[int, list[tuple[float, Array]]] = {robot: [] for robot in self.robots}
        self.last_frame = dict.fromkeys(self.robots, -math.inf)
        self._lie = lie
        self._origin: dict[int, PlanePose] = {}
        for robot in fault.robots if off else ():
            self.at(fault.begin, lambda robot=robot: self.kill(robot))
            self.at(fault.end, lambda robot=robot: self.start(robot))
        self._restarts = off

    def is_faulty(self, robot: int, time: float) -> bool:
        """Return whether a robot has a fault, or had until shortly before a time [s]."""
        return robot in self.fault.robots and 0.0 <= time - self.fault.begin < (
            self.fault.end - self.fault.begin + AFTER)

    def sense(self, robot: Robot, odometry: PlanePose, seen: Array) -> None:
        """Give a robot what its sensors report."""
        number = robot.parameters.robot_id
        if len(seen):
            self.past[number].append((self.now, seen))
        if number in self.fault.robots:
            if self.fault.begin <= self.now < self.fault.end:
                seen = self._lie(self, number, seen)
            elif self._restarts and self.now >= self.fault.end:
                odometry = between(self._origin.setdefault(number, odometry), odometry)
        super().sense(robot, odometry, seen)


def tells_truth(swarm: FaultySwarm, robot: int, seen: Array) -> Array:
    """Report what it sees."""
    return seen


def sees_nothing(swarm: FaultySwarm, robot: int, seen: Array) -> Array:
    """Report nothing."""
    return seen[:0]


def repeats_frame(swarm: FaultySwarm, robot: int, seen: Array) -> Array:
    """Report the last frame with a robot before the fault, again and again."""
    if swarm.now - swarm.last_frame[robot] < 1.0 / RATE - 1e-9:
        return seen[:0]
    swarm.last_frame[robot] = swarm.now
    return next((frame for time, frame in reversed(swarm.past[robot])
                 if time < swarm.fault.begin and (frame[:, 0] <= len(swarm.past)).any()),
                seen[:0])


def repeats_frame_noisily(swarm: FaultySwarm, robot: int, seen: Array) -> Array:
    """Report the last frame with noise on it."""
    return noisy(swarm, repeats_frame(swarm, robot, seen))


def repeats_series(swarm: FaultySwarm, robot: int, seen: Array) -> Array:
    """Report the sightings of an earlier time, begun anew where they end."""
    earlier = swarm.now - EARLIER * math.ceil((swarm.now - swarm.fault.begin + 1e-9) / EARLIER)
    return next((frame for time, frame in swarm.past[robot]
                 if abs(time - earlier) < 0.5 * swarm.world.dt), seen[:0])


def repeats_series_noisily(swarm: FaultySwarm, robot: int, seen: Array) -> Array:
    """Report the sightings of an earlier time with noise on them."""
    return noisy(swarm, repeats_series(swarm, robot, seen))


def noisy(swarm: FaultySwarm, seen: Array) -> Array:
    """Return sightings with noise on them."""
    return seen + swarm.draw.normal(0.0, 1.0, seen.shape) * (0.0, 0.05, 0.02)


def is_turned(swarm: FaultySwarm, robot: int, seen: Array) -> Array:
    """Report ranges that are a metre too long, and bearings 0.5 rad too far to the left."""
    return seen + (0.0, 1.0, 0.5)


def mistakes_ids(swarm: FaultySwarm, robot: int, seen: Array) -> Array:
    """Report every fifth robot under the id of another one."""
    seen = seen.copy()
    ids = sorted(swarm.past)
    for row in seen:
        if row[0] in ids and swarm.draw.random() < 0.2:
            row[0] = swarm.draw.choice([other for other in ids if other not in (row[0], robot)])
    return seen


class Case(NamedTuple):
    """A row of the table."""

    name: str
    world: dict[str, Any]
    duration: float = 0.0
    """Of the fault [s]."""
    lie: Lie = tells_truth
    all_robots: bool = False
    off: bool = False
    carried: bool = False

    @property
    def faulty(self) -> bool:
        """Return whether there is a fault."""
        return self.off or self.carried or self.lie is not tells_truth


def cases() -> Iterator[Case]:
    """Yield the cases."""
    for source, world in SOURCES.items():
        yield Case(f'no fault, {source}', world, 200.0)
        yield Case(f'frozen, {source}', world, 200.0, repeats_frame)
        yield Case(f'frozen and noisy, {source}', world, 200.0, repeats_frame_noisily)
        yield Case(f'series repeated, {source}', world, 300.0, repeats_series)
        yield Case(f'series repeated noisily, {source}', world, 300.0, repeats_series_noisily)
        yield Case(f'long and turned, {source}', world, 200.0, is_turned)
        yield Case(f'20 % wrong ids, {source}', world, 300.0, mistakes_ids, all_robots=True)
        yield Case(f'off for 60 s, {source}', world, 60.0, off=True)
        yield Case(f'no sightings for 120 s, {source}', world, 120.0, sees_nothing,
                   all_robots=True)
    yield Case('carried by 3 m, uwb', SOURCES['uwb'], 45.0, carried=True)


def run(logs: str, case: Case, robot: int, begin: float, seed: int) -> FaultySwarm:
    """Return a swarm after the whole of its logs."""
    world = {'logs': logs, 'seed': seed, **case.world}
    if case.carried:
        world |= carried(logs, robot, begin)
    swarm = FaultySwarm(
        world, Fault(frozenset(range(1, 6)) if case.all_robots else frozenset((robot,)), begin,
                     begin + case.duration), case.lie, case.off, **WITH_FILTER)
    swarm.run(min(float(log.t[-1] - log.t[0]) for log in swarm.world.scene.logs))
    return swarm


@cache
def carried(logs: str, robot: int, begin: float) -> dict[str, Any]:
    """Return the parameters of a world in which a robot is carried towards the others."""
    scene = World(build(WorldParameters, {'logs': logs})).scene
    first = first_time(scene.logs)
    places = {number: log.pose_at(first + begin)[:2]
              for number, log in zip(scene.ids, scene.logs)}
    way = np.mean(list(places.values()), axis=0) - places[robot]
    x, y = (CARRIED * way / np.hypot(*way)).tolist()
    return {'carried_robots': str(robot), 'carried_at': begin, 'carried_by': (x, y, 0.0)}


@cache
def control(logs: str, off: tuple[int, float] | None, seed: int) -> dict[int, Moment]:
    """Return the moments of a run with true poses, by their times."""
    world: dict[str, Any] = {'logs': logs, 'seed': seed, 'odom_source': 'truth'}
    if off is not None:
        world |= carried(logs, *off)
    swarm = LoggedSwarm(world)
    swarm.run(min(float(log.t[-1] - log.t[0]) for log in swarm.world.scene.logs))
    return moments(swarm)


def off(swarms: Sequence[FaultySwarm], faulty: bool, begin: float, end: float) -> float:
    """Return the RMS of the errors of positions in a time after the begin of the fault [m]."""
    squares = [error * error for swarm in swarms for moment in swarm.moments
               if begin <= moment.time - swarm.fault.begin < end
               for robot, error in moment.off.items() if (robot in swarm.fault.robots) == faulty]
    return math.sqrt(float(np.mean(squares))) if squares else math.nan


def row(logs: str, case: Case, runs: Sequence[tuple[int, float, int]], after: float,
        texts: bool) -> str:
    """
    Return the row of a case: means over its runs.

    :param after: the time after the fault that has a column of its own [s].
    """
    swarms = [run(logs, case, *each) for each in runs]
    cells = []
    spans = ((0.0, case.duration), (case.duration, case.duration + after),
             (case.duration + after, math.inf))
    for begin, end in (*spans, (-math.inf, math.inf)):
        shares = [swarm.share(max(swarm.fault.begin + begin, COMPARE_FROM),
                              swarm.fault.begin + end) for swarm in swarms]
        cells.append(' / '.join(f'{100.0 * float(np.mean(each)):.1f}' for each in zip(*shares)))
    for begin, end in spans:
        cells.append(', '.join(f'{off(swarms, faulty, begin, end):.2f}'
                               for faulty in (True, False)))
    warnings = [warned(swarm, control(logs, each[:2] if case.carried else None, each[2]),
                       *(swarm.is_faulty,) * case.faulty) for swarm, each in zip(swarms, runs)]
    cells += [share(each) for each in zip(*warnings)]
    if texts:
        print({text for swarm in swarms for moment in swarm.moments
               for text in moment.faults.values()})
    return f'| {case.name} | ' + ' | '.join(cells) + ' |'


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--logs', default='', help='a folder, or physics5, the logs in the '
                        'package (default: those of real robots, MRCLAM 6)')
    parser.add_argument('--only', default='', help='cases with this in their names')
    parser.add_argument('--runs', type=int, default=len(RUNS))
    parser.add_argument('--after', type=float, default=AFTER, metavar='SECONDS',
                        help='the time after a fault that has a column of its own')
    parser.add_argument('--texts', action='store_true', help='print the warnings')
    options = parser.parse_args()
    try:
        logs = options.logs or real_logs()
    except ParameterError as error:
        parser.error(str(error))
    print(f'## Same leader / whole partition right [%], and RMS of positions of the faulty robots '
          f'and of the others [m], on {logs}, {options.runs} runs')
    after = f'{options.after:g} s after'
    print(f'| | during the fault | {after} | later | overall | m, during | m, {after} '
          '| m, later | warned of a wrong leader by its own distances [%] (of s) | of all wrong '
          '| while right |')
    print('|---|---|---|---|---|---|---|---|---|---|---|')
    for case in cases():
        if options.only in case.name:
            print(row(logs, case, RUNS[:options.runs], options.after, options.texts), flush=True)


if __name__ == '__main__':
    main()
