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
The logs in the package: five robots that wander with contact physics, recorded by this program.

Poses are true, velocities are those of the wheels, which slip, with calibration errors and noise.
What the cameras saw is computed from the true poses by the sensor model of the embedded world.
``make physics-logs`` runs this; the same seed gives the same logs.
"""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
import sys

from benchmarks.wandering_world import WanderingWorld
from leader_election.parameters import build, ParameterError
from leader_election.parameters.command_line import print_error
from leader_election.simulation.parameters import WorldParameters
from leader_election.simulation.robot_logs import (
    COLUMNS,
    LANDMARKS,
    SIGHTING_COLUMNS,
    SIGHTINGS_FOLDER,
)
import numpy as np

ROBOTS = 5
WIDTH, HEIGHT = 5.0, 7.0
"""The sides of the arena [m]."""
LANDMARKS_A_SIDE = 3, 5
"""The number of landmarks on the short and on the long walls, without those in the corners."""
SETTINGS = {
    'robots': ROBOTS, 'world': f'empty:{WIDTH:g}x{HEIGHT:g}', 'speed': 0.3, 'motion': 'cmd_vel',
    'physics': 'mujoco', 'step_rate': 10.0, 'scan_rate': 5.0, 'linear_scale_error': 0.02,
    'angular_scale_error': 0.02, 'linear_noise': 0.01, 'angular_noise': 0.01,
    'camera_rate': 2.0, 'camera_loss': 0.5}
"""The parameters of the world; one row of a log is one step."""


def landmarks() -> dict[int, tuple[float, float]]:
    """Return places on the walls, evenly spaced along each, by ids after those of the robots."""
    across, along = LANDMARKS_A_SIDE
    places = [(WIDTH * (k + 1) / (across + 1) - WIDTH / 2, side * HEIGHT / 2)
              for side in (-1, 1) for k in range(across)]
    places += [(side * WIDTH / 2, HEIGHT * (k + 1) / (along + 1) - HEIGHT / 2)
               for side in (-1, 1) for k in range(along)]
    return {ROBOTS + 1 + k: place for k, place in enumerate(places)}


def record(seconds: float, seed: int, folder: Path) -> None:
    """
    Run the robots and write their logs.

    :param seconds: the length of the logs [s].
    :param seed: of all random numbers.
    :param folder: for the logs.
    :raises ParameterError: for a wrong seed, or without MuJoCo.
    """
    (folder / SIGHTINGS_FOLDER).mkdir(parents=True, exist_ok=True)
    _write(folder / SIGHTINGS_FOLDER / LANDMARKS, ('id', 'x', 'y'), (
        f'{landmark},{x:.3f},{y:.3f}' for landmark, (x, y) in landmarks().items()))
    bodies = WanderingWorld(build(WorldParameters, {
        **SETTINGS, 'seed': seed, 'landmarks': str(folder / SIGHTINGS_FOLDER / LANDMARKS)}))
    world = bodies.world
    poses, velocities, seen = [], [], []
    for _ in range(round(seconds / world.dt) + 1):
        sightings = world.sightings(range(ROBOTS))
        seen.append(np.column_stack((np.full(len(sightings), world.time), sightings)))
        poses.append(world.poses)
        bodies.step()
        velocities.append(world.measured)
    velocities[-1] = np.zeros_like(velocities[-1])
    sightings = np.concatenate(seen)
    for row in range(ROBOTS):
        name = f'robot_{row + 1}.csv'
        _write(folder / name, COLUMNS, (
            f'{k * world.dt:.1f},{v:.4f},{omega:.4f},{x:.4f},{y:.4f},{theta:.4f}'
            for k, ((v, omega), (x, y, theta)) in enumerate(zip(
                (each[row].tolist() for each in velocities),
                (each[row].tolist() for each in poses)))))
        _write(folder / SIGHTINGS_FOLDER / name, SIGHTING_COLUMNS, (
            f'{t:.1f},{subject:.0f},{distance:.3f},{bearing:.3f}'
            for t, observer, subject, distance, bearing in sightings.tolist() if observer == row))
    print(f'{folder}: {ROBOTS} robots, {seconds:g} s, ways of {bodies.travelled.min():.0f} to '
          f'{bodies.travelled.max():.0f} m; odometry off by {bodies.drift.min():.2f} to '
          f'{bodies.drift.max():.2f} m')


def _write(path: Path, header: Sequence[str], lines: Iterator[str]) -> None:
    path.write_text('\n'.join((','.join(header), *lines)) + '\n')


def main() -> int:
    """Record; return the exit status."""
    parser = argparse.ArgumentParser(prog='make physics-logs ARGS=...', description=(
        'Record logs of five robots with contact physics.'))
    parser.add_argument('folder', type=Path, help='for the logs')
    parser.add_argument('--seconds', type=float, default=120.0, help='of the world')
    parser.add_argument('--seed', type=int, default=1)
    asked = parser.parse_args()
    try:
        record(asked.seconds, asked.seed, asked.folder)
    except (ParameterError, OSError) as error:
        return print_error(error)
    return 0


if __name__ == '__main__':
    sys.exit(main())
